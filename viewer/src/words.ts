// The words and numbers of the report, as the text report writes them (contract/ReadableDuration.cs, commandline/report/ReportWords.cs).
// tests/viewer/words.json holds both to one list.
import type { Blame, Cause, Chain, Episode, Settings, Trace } from './data';
import { nanoseconds } from './data';
import type { Child } from './dom';
import { h } from './dom';

/** A time within a sentence, with three significant digits: 6.17 ms, 512 us, 250 ns. */
export function duration(us: number): string {
  const ns = nanoseconds(us);
  const size = Math.abs(ns);
  // What would be written as a thousand of a unit goes to the next one.
  const [unit, per] = size === 0 ? ['us', 1e3] as const : size < 1e3 ? ['ns', 1] as const : size < 999_500 ? ['us', 1e3] as const
    : size < 999_500_000 ? ['ms', 1e6] as const : ['s', 1e9] as const;
  const decimals = Math.min(2, decimalsOf(size / per));
  const scaled = roundHalfEven(size * 10 ** decimals, per);
  return (ns < 0 && scaled > 0 ? '-' : '') + decimal(scaled, decimals, true) + ' ' + unit;
}

/** A time since a trace began, to find the place by: 2.081937 s, 0.7 s. */
export function place(us: number): string {
  const ns = nanoseconds(us);
  const scaled = roundHalfEven(Math.abs(ns), 1e3);
  return (ns < 0 && scaled > 0 ? '-' : '') + decimal(scaled, 6, true) + ' s';
}

/** How many decimals make three significant digits; no more than three. */
function decimalsOf(value: number): number {
  return value === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
}

/** Times below each other: all in the unit of the longest, each with three significant digits but no more than three decimals. */
export interface TimeColumn { unit: string; of: (us: number) => string; cell: (us: number | null | undefined) => Child }

/** Finds how to write some times. */
export function timesOf(all: (number | null | undefined)[]): TimeColumn {
  const sizes = all.filter((us) => us !== null && us !== undefined).map((us) => Math.abs(nanoseconds(us)));
  const longest = sizes.reduce((a, b) => Math.max(a, b), 0);
  const [unit, per] = longest < 999_500 ? ['us', 1e3] as const : longest < 9_999_500_000 ? ['ms', 1e6] as const : ['s', 1e9] as const;
  const most = sizes.reduce((a, b) => Math.max(a, decimalsOf(b / per)), 0);
  const own = (us: number) => decimalsOf(Math.abs(nanoseconds(us)) / per);
  const of = (us: number) => {
    const ns = nanoseconds(us);
    const scaled = roundHalfEven(Math.abs(ns) * 10 ** own(us), per);
    return ns > 0 && scaled === 0 ? '<0.001' : (ns < 0 && scaled > 0 ? '-' : '') + decimal(scaled, own(us), false);
  };
  return {
    unit, of,
    cell: (us) => us === null || us === undefined ? '-' : most === own(us) ? of(us)
      : h('span', { class: own(us) === 0 ? `no-point-${most}` : `short-${most - own(us)}` }, of(us)),
  };
}

/** A time as a person would write it for a command: 500us, 1.5ms, 90s. */
export function compact(us: number): string {
  const ns = nanoseconds(us);
  const size = Math.abs(ns);
  const [unit, per, decimals] = size === 0 ? ['s', 1e9, 9] as const : size < 1e3 ? ['ns', 1, 0] as const
    : size < 1e6 ? ['us', 1e3, 3] as const : size < 1e9 ? ['ms', 1e6, 6] as const : ['s', 1e9, 9] as const;
  const fraction = (size % per).toString().padStart(decimals, '0').replace(/0+$/, '');
  return `${ns < 0 ? '-' : ''}${Math.floor(size / per)}${decimals && fraction ? '.' + fraction : ''}${unit}`;
}

/** Whole number nearest to a quotient; to the even one where two are as near, as decimal rounding does it. */
function roundHalfEven(dividend: number, divisor: number): number {
  const whole = Math.floor(dividend / divisor);
  const twice = 2 * (dividend - whole * divisor);
  return twice > divisor || (twice === divisor && whole % 2 === 1) ? whole + 1 : whole;
}

function decimal(scaled: number, decimals: number, trims: boolean): string {
  const digits = scaled.toString().padStart(decimals + 1, '0');
  let fraction = decimals > 0 ? digits.slice(-decimals) : '';
  if (trims) {
    fraction = fraction.replace(/0+$/, '');
  }
  return thousands(digits.slice(0, digits.length - decimals)) + (fraction ? '.' + fraction : '');
}

function thousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** A whole number with commas between thousands. */
export function number(value: number): string {
  return thousands(Math.round(value).toString());
}

/** A number with its thing: 1 episode, 1,203 switches. */
export function counted(count: number, thing: string): string {
  return number(count) + ' ' + thing + (count === 1 ? '' : thing.endsWith('ch') ? 'es' : 's');
}

/** A share as percent; what is above 0 never reads as 0, what is below 1 never as all. */
export function percent(share: number): string {
  const value = Math.min(Math.max(share, 0), 1) * 100;
  return value > 0 && value < 0.1 ? '<0.1 %' : value > 99.9 && value < 100 ? '>99.9 %' : value.toFixed(value === 0 || value === 100 ? 0 : 1) + ' %';
}

/** When an episode began, in seconds as the report counts them, and by the clock of the machine. */
export function when(episode: Episode, trace: Trace): string {
  const ns = nanoseconds(episode.startUs);
  const seconds = decimal(roundHalfEven(Math.abs(ns), 1e3), 6, false);
  const clock = episode.startUtc ? ` (${clockTime(episode.startUtc, trace.utcOffsetMinutes ?? 0)})` : '';
  return `at ${ns < 0 ? '-' : ''}${seconds} s${clock}`;
}

function clockTime(utc: string, offsetMinutes: number): string {
  return new Date(Date.parse(utc) + offsetMinutes * 60_000).toISOString().slice(11, 23);
}

/** When a trace was recorded. */
export function recorded(trace: Trace): string | null {
  if (!trace.startUtc) {
    return null;
  }
  const start = Date.parse(trace.startUtc);
  const form = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  const offset = trace.utcOffsetMinutes ?? 0;
  const name = `UTC${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
  return `${form(start)} UTC${offset ? ` (${form(start + offset * 60_000)} ${name})` : ''}`;
}

const two = (value: number) => Math.floor(value).toString().padStart(2, '0');

export function where(episode: Episode): string {
  return episode.cpu === null ? 'CPU not known' : `CPU ${episode.cpu}`;
}

export function victim(episode: Episode): string {
  const probe = PROBES[episode.probe] ?? episode.probe;
  const thread = episode.thread;
  if (!thread) {
    return probe;
  }
  const pid = thread.pid === null ? '' : ` (${thread.pid})`;
  const priority = thread.priority === null ? '' : `, priority ${thread.priority}`;
  return `${episode.probe === 'glitch' ? 'for a glitch that Windows recorded' : probe}: ${thread.process ?? 'process not known'}${pid}, tid ${thread.tid}${priority}`;
}

export function ownerOf(cause: Cause): string {
  return cause.culprit ?? (needsOwner(cause.mechanism) ? 'owner unknown' : '-');
}

export function needsOwner(mechanism: string): boolean {
  return !['unexplained', 'timer-tick', 'scheduler', 'idle-exit'].includes(mechanism);
}

export function chainOf(chain: Chain): string {
  const interrupt = chain.interruptRoutine ? `interrupt ${chain.interruptRoutine} -> ` : '';
  return `${interrupt}queued for CPU ${chain.targetCpu}, importance ${chain.importance}, depth ${chain.queueDepth} -> `
    + `${duration(chain.dpcStartUs)} -> DPC ${chain.dpcRoutine} -> ${duration(chain.readyUs - chain.dpcStartUs)} -> ready -> `
    + `${duration(chain.runUs - chain.readyUs)} -> ran`;
}

/** How long an episode goes on, in us: the wait, or the whole job. */
export function lengthOf({ startUs, latencyUs, job }: Episode): number {
  return job === undefined ? latencyUs : job.endUs - startUs;
}

/** How a job went; null where the episode is none. */
export function jobOf({ job }: Episode): string | null {
  return job === undefined ? null : joined(
    job.dueUs !== null && job.readyUs !== null ? `ready ${duration(job.readyUs - job.dueUs)} after it was due` : null,
    job.readyUs !== null ? `ran ${duration(job.runUs - job.readyUs)} later` : 'when it was made ready is not recorded',
    `worked for ${duration(job.workUs)}`,
    `done ${duration(job.endUs - (job.dueUs ?? job.readyUs ?? job.runUs))} after it should have run`,
    job.deadlineUs === null ? null
      : job.endUs > job.deadlineUs ? `${duration(job.endUs - job.deadlineUs)} after its deadline` : 'in time for its deadline');
}

/** The file of a trace without its folders. */
export function fileOf(trace: Trace): string {
  return trace.path.split(/[\\/]/).pop() || trace.path;
}

/** A step with the file's own name in its commands. */
export function stepOf(step: string, trace: Trace): string {
  const file = fileOf(trace);
  return step.replace(/\bTRACE\b/g, () => /\s/.test(file) ? `"${file}"` : file);
}

/** The answer, with what the culprit's driver drives. */
export function headline({ summary, culprits }: Blame): string {
  const device = culprits[0]?.device;
  const name = summary.culprit;
  return !device || !name ? summary.conclusion
    : summary.conclusion.replace(name + ' (', () => `${name} (${device}, `).replace(/^([^(]*)$/, (whole) => whole.replace(name, () => `${name} (${device})`));
}

/** The threads between the victim and a cause; empty where there is none. */
export function throughOf({ chain }: Cause): string {
  return chain === undefined ? '' : 'through '
    + chain.map((link) => `${link.process ?? 'a process not known'}, tid ${link.thread}, which ${link.why}`).join(', then ');
}

export function phasesOf(episode: Episode): string | null {
  const phases = episode.phases;
  const parts = phases === null ? [] : [
    phases.interruptUs === null ? null : `to the ISR ${duration(phases.interruptUs)}`,
    phases.dpcUs === null ? null : `to the DPC ${duration(phases.dpcUs)}`,
    phases.threadUs === null ? null : `to the thread ${duration(phases.threadUs)}`,
  ].filter((part) => part !== null);
  return parts.length ? parts.join(', ') : null;
}

export function verdictOf(blame: Blame): string {
  const { verdict, culprit } = blame.summary;
  return verdict === 'none' ? 'none: nobody is to blame'
    : verdict === 'unknown' ? 'unknown: this trace does not tell'
    : `${verdict}: ${culprit ?? 'name not known'}`;
}

/** Whether episodes explain glitches that Windows recorded: then the second ranking is of those that explain none. */
export function explainsGlitches(blame: Blame): boolean {
  return blame.episodes.some((one) => one.probe === 'glitch' && !one.secondary);
}

/** What was measured, as one line. */
export function measured(blame: Blame): string {
  const { trace, summary } = blame;
  return trace.clock === null ? 'nothing: the clock is not known' : joined(
    summary.probes === 0 ? 'no wake-ups' : counted(summary.probes, 'wake-up'),
    `${counted(summary.episodes, 'episode')} of ${duration(blame.settings.thresholdUs)} or more`
      + (blame.episodes.some((one) => !one.secondary && one.job && one.latencyUs < blame.settings.thresholdUs) ? ', or done late' : ''),
    summary.episodes > 0 ? `${duration(summary.overThresholdUs)} in all` : null,
    summary.secondaryEpisodes ? `${number(summary.secondaryEpisodes)} more that ${
      explainsGlitches(blame) ? 'explain no glitch' : 'no measured thread waited for'}` : null,
    summary.worstUs !== null ? `worst ${duration(summary.worstUs)}` : null);
}

export function asked(settings: Settings): string {
  const victims = settings.thread !== null ? `thread ${settings.thread} only`
    : settings.process !== null ? `threads of ${settings.process} only, of any priority`
    : `threads of priority ${settings.minPriority} and above`;
  return joined(
    `threshold ${compact(settings.thresholdUs)}`,
    `probe ${settings.probe}`,
    settings.periodUs !== undefined ? `period ${compact(settings.periodUs)}` : null,
    settings.deadlineUs !== undefined ? `deadline ${compact(settings.deadlineUs)}` : null,
    victims,
    settings.cpus ? `CPU ${settings.cpus.join(', ')}` : null,
    settings.atUs !== undefined ? `around ${place(settings.atUs)}` : null,
    settings.fromUs !== null ? `from ${place(settings.fromUs)} on` : null,
    settings.toUs !== null ? `up to ${place(settings.toUs)}` : null,
    settings.zeroUs !== undefined ? `seconds count from ${place(settings.zeroUs)} of the trace` : null);
}

export function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join(', ');
}

export const PROBES: Record<string, string> = {
  glitch: 'glitch that Windows recorded', wakeup: 'measured wake-up', job: 'time lost by a job', thread: 'ready thread', level: 'CPU kept at ISR/DPC level', gap: 'CPU that stood still, without a sample',
};

export const MECHANISMS: Record<string, string> = {
  'isr': 'its interrupt routine ran',
  'dpc': 'its DPC (the rest of its interrupt work) ran, or was ahead in the queue',
  'dpc-deferred': 'it queued a DPC that was left waiting by design',
  'thread': 'its threads ran instead',
  'raised-irql': 'its code in the kernel kept the CPU although something more urgent was ready',
  'spin-wait': 'others waited for a lock that it held, or for a CPU that it kept',
  'blackout': 'nothing was served meanwhile, not even the clock',
  'idle-exit': 'the CPU had to wake from an idle state',
  'paging': 'the victim waited for pages from disk',
  'scheduler': 'a CPU was free for the victim, yet it was not dispatched',
  'hypervisor': 'the hypervisor did not run the virtual processor',
  'timer-tick': 'the timer is no finer; not interference',
  'unexplained': 'not explained',
};

/** What a mechanism means in a trace, which may lack the records of it: then samples alone tell. */
export function meaning(mechanism: string, has: Record<string, boolean>): string {
  if (!has['isrDpc'] && (mechanism === 'isr' || mechanism === 'dpc')) {
    return mechanism === 'isr' ? 'samples hit its code at interrupt level; no interrupt is recorded' : 'samples hit its code at DPC level; no DPC is recorded';
  }
  return MECHANISMS[mechanism] ?? '';
}

export const PROOFS: Record<string, string> = {
  'wdf-event': 'the framework logged its callback',
  'stack': 'sampled stacks show its code',
  'sample': 'samples hit its code',
  'routine': 'the recorded routine is its own',
  'vector': 'its interrupt queued the DPC',
  'only-candidate': 'no other driver behind that framework is loaded',
  'edges': 'what ran before and after each blackout',
  'switch': 'the context switches of the CPU',
  'none': 'nothing ties it to the time',
};

export const KINDS: Record<string, string> = {
  isr: 'ISR', dpc: 'DPC', thread: 'thread', idle: 'idle', blackout: 'blackout',
};

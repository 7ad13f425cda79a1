// The page: data in, page out. It asks for nothing, so that the report and the viewer share it.
import { driverColumns, driverTimes, fileColumns, functionColumns, glitchColumns, processColumns, total } from './columns';
import type { Culprit, PageData } from './data';
import { nanoseconds } from './data';
import type { Child } from './dom';
import { facts, h, s, section, shown, table } from './dom';
import { episodesSection, meter } from './episodes';
import { flameSection } from './flame';
import { forecastSection } from './forecast';
import { explain } from './glossary';
import { distributionSection, latencySection } from './histograms';
import { BUFFERS, bufferUs, mapSection } from './map';
import { waitsSection } from './latency';
import { patterns } from './timeline';
import {
  PROOFS, asked, counted, duration, explainsGlitches, fileOf, headline, meaning,
  joined, measured, needsOwner, number, percent, recorded, stepOf, verdictOf,
} from './words';

/** What is other where the page is no file of its own but shown by the viewer. */
export interface Host { linkTo: (episode: number) => string; about: string }

/** Draws the page into an element. */
export function drawPage(root: HTMLElement, data: PageData, licences: string, host?: Host): { open: (episode: number) => void } {
  const { blame } = data;
  const episodes = episodesSection(data);
  const open = (id: number) => {
    history.replaceState(null, '', host?.linkTo(id) ?? `#episode-${id}`);
    episodes?.open(id);
  };
  const sections = [
    stepsSection(data, open), withoutSection(data), suspectSection(data), culpritsSection(data), glitchesSection(data, open), mapSection(data, open), episodes?.element ?? null,
    flameSection(data), latencySection(data), waitsSection(data), forecastSection(data), driversSection(data), distributionSection(data), profileSection(data), clearedSection(data),
    machineSection(data), lostSection(data), aboutSection(data, licences, host),
  ].filter((one) => one !== null);
  root.replaceChildren(
    s('svg', { class: 'patterns', 'aria-hidden': 'true', width: 0, height: 0 }, patterns()),
    h('a', { class: 'skip', href: '#main' }, 'Skip to the report'),
    h('header', { class: blame.summary.verdict },
      h('p', { class: `verdict ${blame.summary.verdict}` }, h('span', { class: 'sign', 'aria-hidden': 'true' }, h('span', {}, signOf(blame.summary.verdict))),
        ' verdict ', h('strong', {}, verdictOf(blame))),
      h('h1', {}, headline(blame)),
      keyFigures(data),
      facts([
        ['measured', measured(blame)],
        ['asked', asked(blame.settings)],
        ['trace', traceLine(data)],
        ...blame.trace.machine.cpu ? [['machine', machineLine(data)] as [string, string]] : [],
        ['events', eventsLine(data)],
      ]),
      h('p', { class: 'tools' }, copying('Copy as text', () => asText(data)))),
    h('nav', { 'aria-label': 'Parts of the report' }, h('ul', {}, sections.map((one) =>
      h('li', {}, h('a', { href: `#${one.id}` }, LINKS[one.id] ?? one.querySelector('h2')!.textContent!))))),
    h('main', { id: 'main', tabindex: -1 }, sections));
  explain(root);
  // What was folded, or chosen, may use other words.
  const main = root.querySelector('main')!;
  main.addEventListener('change', () => explain(root));
  main.addEventListener('toggle', () => setTimeout(() => explain(root)), true);
  const wanted = /^#episode-(\d+)$/.exec(location.hash);
  if (wanted) {
    episodes?.open(Number(wanted[1]));
  }
  return { open };
}

/** What the links to the sections say, as short as can be: they stand in one line. */
const LINKS: Record<string, string> = {
  next: 'Next steps', without: 'Without', suspect: 'Suspect', culprits: 'To blame', glitches: 'Glitches', map: 'Map', episodes: 'Episodes', samples: 'Samples',
  latencies: 'How late', waits: 'All waits', forecast: 'Forecast', drivers: 'Drivers', distributions: 'Their times', profile: 'CPUs', cleared: 'Innocent', machine: 'Machine',
  unknown: 'Not known', about: 'About',
};

/** What somebody wants to know first, in large letters. */
function keyFigures({ blame }: PageData): HTMLElement | null {
  const { summary, trace } = blame;
  const first = blame.culprits[0];
  const perMinute = trace.durationUs ? summary.episodes / (trace.durationUs / 6e7) : null;
  const rate = perMinute === null || trace.durationUs! < 1e6 ? '' : perMinute >= 10 ? `about ${number(perMinute)} a minute`
    : perMinute >= 1 ? `about ${+perMinute.toFixed(1)} a minute` : `about ${+(perMinute * 60).toFixed(1)} an hour`;
  const figures: [string, string, string][] = summary.worstUs === null ? [] : [[duration(summary.worstUs),
    `the longest ${summary.episodes > 0 ? 'wait' : 'latency'}${partOf(blame)}`, buffersOf(summary.worstUs)]];
  if (summary.verdict !== 'unknown' || summary.episodes > 0) {
    figures.push([number(summary.episodes), `${summary.episodes === 1 ? 'episode' : 'episodes'} of ${duration(blame.settings.thresholdUs)} or more`,
      summary.episodes > 1 ? rate : '']);
  }
  if (first) {
    figures.push([percent(first.share), 'of the late time', first.name]);
  }
  if (first?.period) {
    figures.push([duration(first.period.seconds * 1e6), 'from one to the next', `a beat, in ${percent(first.period.coverage)} of its times`]);
  }
  return figures.length === 0 ? null : h('ul', { class: 'figures', 'aria-label': 'Key figures' }, figures.map(([figure, what, more]) =>
    h('li', {}, h('strong', {}, figure), h('span', {}, what), more ? h('span', { class: 'dim' }, more) : null)));
}

/** How much of one wait is the first culprit's, which the answer tells; empty where it is as long as the longest. */
function partOf({ summary, culprits: [first] }: PageData['blame']): string {
  return !first || summary.episodes === 0 || duration(first.worstUs) === duration(summary.worstUs!) ? ''
    : `; up to ${duration(first.worstUs)} of one by ${shown(first.name)}`;
}

/** A time in the measure of those who make music: the longest usual audio buffer that is not longer. */
function buffersOf(us: number): string {
  const samples = BUFFERS.filter((one) => bufferUs(one) <= us).pop();
  return samples === undefined
    ? `shorter than a buffer of ${BUFFERS[0]} samples at 48 kHz`
    : `longer than a buffer of ${number(samples)} samples at 48 kHz`;
}

function signOf(verdict: string): string {
  return verdict === 'none' ? '\u2713' : verdict === 'unknown' ? '?' : '!';
}

function traceLine({ blame: { trace } }: PageData): string {
  return joined(
    trace.path, recorded(trace), trace.durationUs === null ? null : duration(trace.durationUs),
    trace.cpus !== null ? counted(trace.cpus, 'CPU') : trace.clock === null ? null : 'CPUs not told apart',
    trace.osBuild === null ? null : `Windows build ${trace.osBuild}`, `${trace.pointerBits}-bit`);
}

function machineLine({ blame: { trace: { machine } } }: PageData): string {
  return joined(
    machine.cpu, machine.memoryMb === null ? null : `${+(machine.memoryMb / 1024).toFixed(1)} GiB`,
    machine.hypervisor ? 'under a hypervisor' : null);
}

function eventsLine({ blame: { trace } }: PageData): string {
  return joined(
    number(trace.events),
    trace.eventsLost > 0 ? `${number(trace.eventsLost)} LOST` : trace.clock === null ? 'none known to be lost' : 'none lost',
    trace.buffersLost > 0 ? `${number(trace.buffersLost)} BUFFERS LOST` : null,
    trace.damagedBuffers > 0 ? `${number(trace.damagedBuffers)} BUFFERS DAMAGED` : null,
    trace.truncated ? 'FILE CUT SHORT' : null,
    trace.sampleIntervalUs !== null ? `samples every ${duration(trace.sampleIntervalUs)}` : null);
}

function stepsSection({ blame, lanes }: PageData, open: (id: number) => void): HTMLElement | null {
  const first = lanes.episodes[0]?.id;
  const look = first === undefined ? null : h('p', {}, h('a', {
    href: `#episode-${first}`, class: 'look', click: (event) => { event.preventDefault(); open(first); },
  }, `Look at the worst episode, #${first}`));
  return blame.nextSteps.length === 0 && !look ? null : section('next', 'What to do next',
    h('ol', {}, blame.nextSteps.filter((one) => !look || !LOOK.test(one.step)).map((one) =>
      h('li', {}, h('strong', {}, withCommands(stepOf(one.step, blame.trace) + '.')), h('br'), h('span', { class: 'dim' }, `why: ${one.why}.`)))),
    look);
}

/** The step that a button of the page does. */
const LOOK = /^Look at the worst: analyzer episodes /;
const COMMAND = /((?:analyzer|tracer|powercfg) [a-z/][^;,']*[^;,'.])/;

/** A sentence in which each command has a button that copies it, in the place of quotes. */
function withCommands(step: string): Child[] {
  const parts = step.split(COMMAND);
  const bare = (part: string, i: number) => part.replace(i > 0 ? /^'/ : '', '').replace(i + 1 < parts.length ? /'$/ : '', '');
  return parts.flatMap((part, i) => i % 2 === 0 ? [bare(part, i)] : [h('code', {}, part), ' ', copying('Copy', () => part, part)]);
}

/** A button that puts text on the clipboard, and says so. */
function copying(name: string, text: () => string, of?: string): HTMLElement {
  const button = h('button', { type: 'button', class: 'copy', 'aria-label': of ? `${name}: ${of}` : null, click: () => {
    navigator.clipboard.writeText(text()).then(() => { button.textContent = 'Copied'; }, () => { button.textContent = 'Not copied: the browser forbids it'; });
  } }, name);
  return button;
}

/** The report in ten lines of Markdown, for a forum or an issue. */
export function asText({ blame }: PageData): string {
  const { trace, culprits, nextSteps } = blame;
  const first = culprits[0];
  const image = first?.image;
  const lines: [string, string][] = [
    ['Measured', measured(blame)],
    ['To blame', first ? joined(`${first.name}${first.device ? ` (${first.device})` : ''}`, percent(first.share),
      `${first.mechanism}: ${meaningOf(first, trace.has)}`) : ''],
    ['Its file', image ? joined(image.version && `version ${image.version}`, image.company, image.timestamp && `built ${image.timestamp.slice(0, 10)}`) : ''],
    ['How sure', first ? `${first.confidence}, by ${first.proof}: ${PROOFS[first.proof] ?? ''}` : ''],
    ['Evidence', first?.evidence[0] ?? ''],
    ['Machine', joined(trace.machine.cpu, trace.cpus === null ? null : counted(trace.cpus, 'CPU'), trace.osBuild === null ? null : `Windows build ${trace.osBuild}`)],
    ['Trace', joined(fileOf(trace), recorded(trace), trace.durationUs === null ? null : duration(trace.durationUs), trace.eventsLost > 0 ? `${number(trace.eventsLost)} events lost` : null)],
    ['Next', nextSteps[0] ? `${stepOf(nextSteps[0].step, trace)}.` : ''],
  ];
  // Nothing of a trace may be markup where this is pasted.
  const plain = (text: string) => shown(text).replace(/[\\`*_<>[\]#|]/g, '\\$&');
  return [`**${plain(headline(blame))}**`, '', ...lines.filter(([, text]) => text).map(([name, text]) => `- ${name}: ${plain(text)}`)].join('\n') + '\n';
}

function withoutSection({ blame: { without, summary } }: PageData): HTMLElement | null {
  return !without ? null : section('without', `Without ${shown(without.name)}`, h('p', {}, without.episodes === null
    ? 'An episode has too many parts to be replayed: what would be left is not known.'
    : joined(
      `${number(without.episodes)} of ${counted(summary.episodes, 'episode')} would be left`,
      without.worstUs !== null ? `the longest wait then ${duration(without.worstUs)}` : null,
      without.overThresholdUs !== null && without.episodes > 0
        ? `${duration(without.overThresholdUs)} in all instead of ${duration(summary.overThresholdUs)}` : null) + '.'));
}

function suspectSection({ blame: { suspect } }: PageData): HTMLElement | null {
  if (!suspect) {
    return null;
  }
  const list = (name: string, all: string[]) => all.length ? [h('h3', {}, name), h('ul', {}, all.map((fact) => h('li', {}, fact)))] : [];
  const title = `The case of ${shown(suspect.name)}`;
  return suspect.found
    ? section('suspect', title,
      h('p', {}, 'verdict ', h('strong', {}, SUSPECTS[suspect.verdict] ?? suspect.verdict)),
      list('For its guilt', suspect.for), list('Against its guilt', suspect.against), list('Neither way', suspect.facts),
      list('What the trace lacks', suspect.lacks))
    : section('suspect', title,
      h('p', {}, 'This trace has no such name.', suspect.nearest.length ? ` Most similar: ${shown(suspect.nearest.join(', '))}.` : ''),
      list('What the trace lacks', suspect.lacks));
}

const SUSPECTS: Record<string, string> = {
  guilty: 'guilty: it is to blame for much of the late time',
  involved: 'involved: it has a part, but that does not make it the one to blame',
  innocent: 'innocent: it has no part in what was late',
  unknown: 'unknown: this trace does not tell',
};

function culpritsSection({ blame }: PageData): HTMLElement {
  const second = blame.secondary ?? [];
  return section('culprits', 'Who is to blame',
    blame.culprits.length === 0 ? h('p', {}, blame.summary.verdict === 'unknown'
      ? 'Nobody is named: there is no proof against anyone. What is not known, and what to record, is below.' : 'Nobody.') : null,
    blame.culprits.slice(0, OPEN_CULPRITS).map((culprit) => culpritCard(culprit, blame.summary.episodes, culprit.rank === 1, blame.trace.has)),
    folded(`${counted(blame.culprits.length - OPEN_CULPRITS, 'more culprit')} with smaller shares`,
      blame.culprits.slice(OPEN_CULPRITS).map((culprit) => culpritCard(culprit, blame.summary.episodes, false, blame.trace.has))),
    second.length ? [
      h('h3', { class: 'second' }, explainsGlitches(blame) ? 'These explain no glitch' : 'No measured thread waited for these'),
      h('p', {}, `${counted(blame.summary.secondaryEpisodes ?? 0, 'more episode')}: ` + (explainsGlitches(blame)
        ? 'something else was late, or kept a CPU, while Windows recorded no glitch of it.'
        : 'a CPU kept at ISR or DPC level while no '
          + 'measured thread waited for it, or threads of ordinary priority kept waiting by one of high priority.')),
      folded(second.slice(0, OPEN_CULPRITS).map((one) => `${one.name} ${percent(one.share)}`).join(', ')
        + (second.length > OPEN_CULPRITS ? ` and ${counted(second.length - OPEN_CULPRITS, 'other')}` : ''),
        second.map((culprit) => culpritCard(culprit, blame.summary.secondaryEpisodes ?? 0, false, blame.trace.has))),
    ] : null);
}

const OPEN_CULPRITS = 3;

function folded(summary: string, cards: HTMLElement[]): HTMLElement | null {
  return cards.length === 0 ? null : h('details', { class: 'more-culprits' }, h('summary', {}, summary), cards);
}

function meaningOf(culprit: Culprit, has: Record<string, boolean>): string {
  return culprit.functions[0]?.name === 'own work' ? 'its own work took longer than the time it had' : meaning(culprit.mechanism, has);
}

function culpritCard(culprit: Culprit, episodes: number, isFirst: boolean, has: Record<string, boolean>): HTMLElement {
  const image = culprit.image;
  const rows: [string, string][] = [
    ['how', `${culprit.mechanism}: ${meaningOf(culprit, has)}`],
    ['blamed', `${duration(culprit.blamedUs)} in ${number(culprit.episodes)} of ${counted(episodes, 'episode')}, at most ${duration(culprit.worstUs)} in one of them`],
    ['sure', `${culprit.confidence}, by ${culprit.proof}: ${PROOFS[culprit.proof] ?? ''}`],
  ];
  if (culprit.caller) {
    rows.push(['called', `by ${culprit.caller.process} in ${number(culprit.caller.times)} of ${number(culprit.caller.of)}`]);
  }
  if (culprit.period) {
    const { seconds, jitterMs, coverage } = culprit.period;
    rows.push(['beat', `every ${duration(seconds * 1e6)}, give or take ${duration(jitterMs * 1e3)}, in ${percent(coverage)} of the beats`]);
  }
  if (culprit.without) {
    rows.push(['without', `${counted(culprit.without.episodes, 'episode')} would be left`
      + (culprit.without.worstUs !== null ? `, the longest wait then ${duration(culprit.without.worstUs)}` : '')]);
  }
  if (image) {
    rows.push(['image', joined(image.path, image.version && `version ${image.version}`, image.company,
      image.timestamp && `built ${image.timestamp.slice(0, 10)}`)]);
  }
  const title = h('h3', {}, `${culprit.rank}. `, culprit.name,
    culprit.through.length ? h('span', { class: 'dim' }, `, through ${shown(culprit.through.join(', '))}`) : null,
    culprit.device ? h('span', { class: 'dim' }, ` (${shown(culprit.device)})`) : null,
    culprit.runsFirmware ? h('span', { class: 'dim' }, ' (runs firmware code, AML)') : null);
  return h('article', { class: `culprit${isFirst ? ' first' : ''}` }, title,
    h('p', { class: 'share' }, meter(culprit.share), h('strong', {}, percent(culprit.share)), ' of the latency'),
    facts(rows),
    culprit.functions.length ? h('p', { class: 'label' }, 'Where in its code') : null,
    culprit.functions.length ? h('ul', { class: 'functions', 'aria-label': 'Where in its code' }, culprit.functions.slice(0, 5).map((one) => h('li', {},
      h('span', { class: 'name' }, one.name), ' ',
      h('span', { class: 'dim' }, joined(one.us === null ? null : duration(one.us), one.samples > 0 ? counted(one.samples, 'sample') : null))))) : null,
    culprit.evidence.length ? h('p', { class: 'label' }, 'The evidence') : null,
    culprit.evidence.length ? h('ul', { class: 'evidence' }, culprit.evidence.map((one) => h('li', {}, one))) : null,
    votesTable(culprit));
}

/** The case for a culprit and against it, by kind of evidence. */
function votesTable({ name, votes }: Culprit): HTMLElement | null {
  if (!votes) {
    return null;
  }
  const rows = [...new Set([...votes.for, ...votes.against].map((vote) => vote.kind))].map((kind) => ({
    kind,
    own: votes.for.find((vote) => vote.kind === kind)?.count,
    other: votes.against.find((vote) => vote.kind === kind)?.count,
  }));
  return rows.length === 0 ? null : h('details', {}, h('summary', {}, 'The case for and against'),
    table(`The case for and against ${name}`, [
      { name: 'evidence', cell: (row) => row.kind },
      { name: 'for', isNumber: true, cell: (row) => row.own === undefined ? '\u2013' : number(row.own) },
      { name: 'against', isNumber: true, cell: (row) => row.other === undefined ? '\u2013' : number(row.other) },
    ], rows, rows.length));
}

function glitchesSection({ blame: { glitches } }: PageData, open: (id: number) => void): HTMLElement | null {
  return !glitches?.length ? null : section('glitches', 'What Windows recorded as glitches',
    h('p', {}, 'Each beside what the trace shows of it: what was late then, or who was on time. Where the two disagree both stand there.'),
    table('The glitches', glitchColumns(open), glitches, 8));
}

function driversSection({ blame }: PageData): HTMLElement | null {
  if (blame.drivers.length === 0) {
    return null;
  }
  const guilty = new Set(blame.culprits.map((one) => one.name));
  const times = driverTimes(blame.drivers);
  const part = blame.settings.cpus || blame.settings.fromUs !== null || blame.settings.toUs !== null;
  return section('drivers', `What the drivers\u2019 ISRs and DPCs took ${part ? 'in the part that was asked about' : 'in the whole trace'}`,
    h('p', {}, `Guilty or not. ${times.totals.unit === times.runs.unit ? `All times are in ${times.runs.unit}`
      : `Totals are in ${times.totals.unit}, all other times in ${times.runs.unit}`}, net: without what interrupted them, and without blackouts `
      + 'of the machine. A framework\u2019s time counts for the driver it called. Max: its longest run, whoever waited for it. Queued: the longest '
      + 'that one of its DPCs stood in the queue. A click on a heading sorts.'),
    table('The drivers', driverColumns(guilty, times), [...blame.drivers].sort((a, b) => total(b) - total(a)), 12, 'total'));
}

function profileSection({ blame: { profile } }: PageData): HTMLElement | null {
  return !profile ? null : section('profile', 'Who had the CPUs',
    h('p', {}, `The trace has no records of ISRs and DPCs. ${counted(profile.samples, 'sample')} did not hit an idle thread.`),
    table('Where the samples hit', functionColumns, profile.functions, 12),
    table('Whose threads ran', processColumns(profile.processes), profile.processes, 12));
}

function clearedSection({ blame }: PageData): HTMLElement | null {
  return blame.cleared.length === 0 ? null : section('cleared', 'Innocent, although it may look guilty',
    h('dl', { class: 'cleared' }, blame.cleared.flatMap((one) => [h('dt', {}, one.name), h('dd', {}, one.why)])));
}

function machineSection(data: PageData): HTMLElement {
  const { trace } = data.blame;
  const { machine } = trace;
  const rows: [string, string | Node][] = [
    ['processor', joined(machine.cpu, machine.mhz === null ? null : `${number(machine.mhz)} MHz`, trace.cpus === null ? null : counted(trace.cpus, 'CPU'))],
    ['memory', machine.memoryMb === null ? '' : `${+(machine.memoryMb / 1024).toFixed(1)} GiB`],
    ['Windows', joined(trace.osBuild === null ? null : `build ${trace.osBuild}`, `${trace.pointerBits}-bit`)],
    ['hypervisor', machine.hypervisor === null ? '' : machine.hypervisor ? 'yes' : 'no'],
    ['network', machine.nics.join(', ')], ['display', machine.video.join(', ')], ['disks', machine.disks.join(', ')],
    ['clock', trace.clock ?? 'not known'],
  ];
  const inFile = data.lanes.drivers.filter((one) => one.version || one.company || one.timestamp);
  return section('machine', 'The machine and its drivers',
    facts(rows.filter(([, fact]) => fact !== '')),
    inFile.length
      ? table('Drivers and other images of the kernel, as far as the trace describes their files', fileColumns, inFile, 10, 'file')
      : h('p', { class: 'dim' }, 'The trace does not tell the versions of its drivers.'));
}

function lostSection({ blame, problems }: PageData): HTMLElement {
  const { trace } = blame;
  const all = blame.episodes.reduce((sum, one) => sum + nanoseconds(one.latencyUs), 0);
  const open = blame.episodes.filter((one) => one.unexplainedUs > 0);
  const unexplained = open.reduce((sum, one) => sum + nanoseconds(one.unexplainedUs), 0);
  const byMechanism = new Map<string, number>();
  for (const cause of blame.episodes.flatMap((one) => one.causes)) {
    if (cause.culprit === null && needsOwner(cause.mechanism)) {
      byMechanism.set(cause.mechanism, (byMechanism.get(cause.mechanism) ?? 0) + nanoseconds(cause.us));
    }
  }
  const ownerless = [...byMechanism.values()].reduce((sum, one) => sum + one, 0);
  const missing = ([['stacks', 'stacks'], ['wdf', 'WDF callbacks'], ['dpcQueue', 'the DPC queue'], ['power', 'idle states']] as const)
    .filter(([kind]) => !trace.has[kind]).map(([, name]) => name);
  const lines = [
    ...problems,
    ...blame.warnings,
    unexplained > 0 ? `${duration(unexplained / 1e3)} (${percent(unexplained / all)} of the latency) is unexplained, in ${counted(open.length, 'episode')}` : null,
    ownerless > 0 ? `${duration(ownerless / 1e3)} (${percent(ownerless / all)} of the latency) is explained, but its owner is unknown: `
      + [...byMechanism].sort((a, b) => b[1] - a[1]).map(([name, ns]) => `${name} ${duration(ns / 1e3)}`).join(', ') : null,
    missing.length ? `Also not recorded: ${missing.join(', ')} (\u2018analyzer info\u2019 tells which question each would answer)` : null,
  ].filter((line) => line !== null);
  const isWhole = !trace.eventsLost && !trace.buffersLost && !trace.damagedBuffers && !trace.truncated;
  return section('unknown', 'What was lost, and what is not known',
    h('p', {}, `Events: ${eventsLine({ blame } as PageData)}.`),
    lines.length ? h('ul', { class: 'doubts' }, lines.map((line) => h('li', {}, line)))
      : h('p', {}, isWhole ? 'Nothing: all that blame can use was recorded, and no event was lost.' : 'Nothing else.'),
    blame.recording?.profileInterrupt ? h('p', {}, `Taking the samples cost ${percent(blame.recording.share)} of all CPU time: `
      + `${counted(blame.recording.profileInterrupt.count, 'profile interrupt')}, ${duration(blame.recording.profileInterrupt.totalUs)}.`) : null);
}

/** Hands text or bytes over as a file. */
export function save(name: string, content: string | Uint8Array, type: string): void {
  const url = URL.createObjectURL(new Blob([content as BlobPart], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function aboutSection(data: PageData, licences: string, host?: Host): HTMLElement {
  const saving = (name: string, text: string) =>
    h('button', { type: 'button', click: () => save(name, text, 'application/json') }, `Save ${name}`);
  return section('about', host ? 'About this page' : 'About this file',
    h('p', {}, ...host ? [host.about] : ['Written by ', h('code', {}, 'analyzer report'), '. It is one file that loads nothing and sends nothing.'],
      ' Its data is that of ',
      h('code', {}, 'analyzer blame --format json'), ' (tracer.blame/1), byte for byte, and what the timelines show (tracer.lanes/1)',
      data.latency ? [', and that of ', h('code', {}, 'analyzer latency --format json'), ' (tracer.latency/1)'] : null, '. ',
      'It names drivers, programs and paths of the machine that was traced.'),
    h('p', { class: 'tools' }, saving('blame.json', data.blameText), data.lanesText ? saving('lanes.json', data.lanesText) : null,
      data.latencyText ? saving('latency.json', data.latencyText) : null),
    h('details', { class: 'licences' }, h('summary', {}, `Licences of the libraries in this ${host ? 'page' : 'file'}`),
      h('pre', { tabindex: 0 }, licences)));
}

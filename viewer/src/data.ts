// The data of the page: the records of tracer.blame/1 and tracer.lanes/1 as far as the page reads them, and how they are unpacked.

export interface ChainLink { thread: number; process: string | null; why: string }
export interface Cause { culprit: string | null; mechanism: string; us: number; routine: string | null; chain?: ChainLink[] }
export interface Job {
  dueUs: number | null; readyUs: number | null; runUs: number; workUs: number; lostUs: number; endUs: number; deadlineUs: number | null;
}
export interface SampledFunction { module: string | null; function: string | null; count: number }
export interface Chain {
  interruptUs: number | null; interruptRoutine: string | null; interruptCpu: number; enqueueUs: number; queueDepth: number;
  importance: string; targetCpu: number; dpcStartUs: number; dpcRoutine: string; readyUs: number; runUs: number;
}
export interface Episode {
  id: number; probe: string; startUs: number; startUtc?: string; latencyUs: number; cpu: number | null;
  thread: { pid: number | null; tid: number; process: string | null; priority: number | null } | null;
  phases: { interruptUs: number | null; dpcUs: number | null; threadUs: number | null } | null;
  chain?: Chain; job?: Job; causes: Cause[]; unexplainedUs: number; samples: { total: number; functions: SampledFunction[] }; secondary?: boolean;
}
/** What Windows itself recorded as a glitch. */
export interface Glitch { number: number; atUs: number; sound: boolean; side: string; episode: number | null; culprit: string | null; onTime?: string; byTrace?: string; disagrees?: string; process: string | null; records: { says: string }[] }
export interface Image { path: string; version: string | null; company: string | null; timestamp: string | null }
export interface Vote { kind: string; count: number }
export interface Culprit {
  rank: number; kind: string; name: string; mechanism: string; share: number; blamedUs: number; episodes: number; worstUs: number;
  confidence: string; proof: string; through: string[]; functions: { name: string; us: number | null; samples: number }[];
  period: { seconds: number; jitterMs: number; coverage: number } | null;
  without: { episodes: number; worstUs: number | null } | null;
  image: Image | null; device: string | null; runsFirmware?: boolean;
  caller?: { process: string; times: number; of: number }; evidence: string[]; votes?: { for: Vote[]; against: Vote[] };
}
export interface Bucket { atMostUs: number; count: number }
export interface Times {
  count: number; totalUs: number; maxUs: number; maxAtUs: number | null; p50Us: number; p90Us: number; p99Us: number; p999Us: number;
  histogram?: Bucket[];
}
export interface Driver {
  name: string; through: string[]; sharedBy?: { name: string; totalUs: number; samples: number; of: number }[];
  isr: Times | null; dpc: Times | null; queueDelayMaxUs: number | null;
}
export interface Trace {
  path: string; startUtc: string | null; utcOffsetMinutes?: number; durationUs: number | null; cpus: number | null; osBuild: number | null;
  pointerBits: number; clock: string | null; events: number; eventsLost: number; buffersLost: number; damagedBuffers: number;
  truncated: boolean; sampleIntervalUs: number | null; has: Record<string, boolean>;
  machine: {
    cpu: string | null; mhz: number | null; memoryMb: number | null; hypervisor: boolean | null; model?: string; firmware?: string;
    nics: string[]; video: string[]; disks: string[];
  };
}
export interface Settings {
  thresholdUs: number; probe: string; periodUs?: number; deadlineUs?: number; minPriority: number; process: string | null; thread: number | null; cpus: number[] | null;
  fromUs: number | null; toUs: number | null; atUs?: number; zeroUs?: number; without: string | null; suspect: string | null;
}
export interface SuspectCase {
  name: string; found: boolean; verdict: string; for: string[]; against: string[]; facts: string[]; lacks: string[]; nearest: string[];
}
export interface Blame {
  schema: string; trace: Trace; settings: Settings;
  summary: {
    verdict: string; culprit: string | null; conclusion: string; probes: number; episodes: number; secondaryEpisodes?: number;
    worstUs: number | null; overThresholdUs: number;
  };
  culprits: Culprit[]; secondary?: Culprit[]; cleared: { name: string; why: string }[]; episodes: Episode[]; drivers: Driver[];
  glitches?: Glitch[]; without?: { name: string; episodes: number | null; worstUs: number | null; overThresholdUs: number | null };
  suspect?: SuspectCase; nextSteps: { step: string; why: string }[]; warnings: string[];
  recording?: { profileInterrupt: { count: number; totalUs: number } | null; share: number };
  profile?: { samples: number; functions: SampledFunction[]; processes: { process: string; us: number; switches: number }[] };
}

/** Of powers of two of a microsecond, from the first that is not empty to the last. */
export interface Bin { fromUs: number; toUs: number; count: number }
export interface Distribution {
  kind: string; source: string; part: { trace?: string; cpu?: number; priority?: number; group?: string; process?: string; label?: string; restOf?: string };
  count: number; minUs: number; meanUs: number; maxUs: number; percentiles: { percent: number; us: number | null; lowUs?: number | null; highUs?: number | null }[];
  bins: Bin[];
}
export interface ReturnLevel { levelUs: number | null; lowUs: number | null; highUs: number | null; refusal: string | null }
export interface UnderrunPoint { buffers: number; bufferingUs: number; underrunUs: number | null }
export interface Tolerance {
  name: string; buffers: number; bufferUs: number; computeUs: number; slackUs: number; late: number; onceInWaits: number | null;
  dropoutsPerHour: number; lowPerHour: number; highPerHour: number; underrunUs: number | null; curve: UnderrunPoint[];
  replay: { cycles: number; missed: number } | null;
}
/** What is forecast of one kind and source of waits, or of one group of priorities of them. */
export interface Forecast {
  kind: string; source: string; group?: string; thread?: string; trace?: string; periodUs?: number; waits: number; observedUs: number; usage: string;
  worstCases: {
    per: string; useUs: number; expectedUs: number | null; observedUs: number | null;
    peaksOverThreshold: ReturnLevel | null; blockMaxima: ReturnLevel | null;
  }[];
  peaksOverThreshold: { refusal: string | null }; blockMaxima: { refusal: string | null };
  sentences: string[]; applications: Tolerance[];
  tasks: { name: string; keepsUp: boolean | null; refusal?: string; responseUs: number | null; pseudoWorstUs: number | null }[];
  selfTests?: SelfTest[];
}
/** What the first half forecasts of the second: of an application late waits, else the longest. */
export interface SelfTest {
  name: string | null; lateLow: number | null; lateHigh: number | null; late: number | null; atMostUs: number | null; longestUs: number | null;
  isHit: boolean;
}
/** tracer.latency/1, as far as the page reads it. */
export interface LatencyReport {
  schema: string; measuredUs: number; system: { name: string; values: (string | null)[] }[]; distributions: Distribution[];
  callbacks: {
    process: string | null; tid: number; periodUs: number; count: number; minUs: number; meanUs: number; maxUs: number; deviationUs: number;
    beat: string | null; jobs?: number | null; missed?: number | null;
  }[];
  forecasts?: Forecast[];
  leftOut: { why: string; kind: string | null; count: number }[]; missing: { kind: string; why: string }[]; warnings: string[];
}

export interface Work {
  kind: 'idle' | 'thread' | 'dpc' | 'isr' | 'blackout';
  owner: string | null; routine: string | null; proof: string | null; through: string[]; pid: number | null; tid: number | null;
}
interface PackedLane { cpu: number; spans: number[]; samples: number[]; joinedBelowUs?: number; samplesEach?: number }
export interface PackedLanes {
  schema: string; works: Work[]; code: { names: string[]; parents: number[] };
  episodes: { id: number; fromUs: number; toUs: number; cpus: PackedLane[] }[];
  leftOut?: { count: number; startsUs: number[]; latenciesUs: number[]; causes: number[]; owners: (string | null)[] };
  drivers: { name: string; version: string | null; company: string | null; timestamp: string | null }[];
}

/** A stretch of a CPU, in nanoseconds from the episode's start. */
export interface Span { from: number; to: number; work: Work }
/** A sample, in nanoseconds from the episode's start, and its node in the tree of code. */
export interface Sample { at: number; node: number }
export interface Lane { cpu: number; spans: Span[]; samples: Sample[]; joinedBelowUs: number | null; samplesEach: number }
export interface Lanes { id: number; from: number; to: number; cpus: Lane[] }

/** Everything that the page shows. The viewer makes the same from a trace in the browser. */
export interface PageData {
  blame: Blame; lanes: PackedLanes; blameText: string; lanesText: string;
  /** All latencies of the trace; null where the page has none. */
  latency: LatencyReport | null; latencyText: string;
  /** What of the file cannot be shown and why, one sentence each. */
  problems: string[];
}

/** Why data cannot be shown, as a part of a sentence. */
export class Unreadable extends Error {}

/** Undoes base64 and gzip. */
export async function unpack(base64: string): Promise<string> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Unreadable('this browser cannot unpack its data; open it in one of 2023 or later (Chrome or Edge 109, Firefox 115, Safari 16.4)');
  }
  try {
    const letters = atob(base64.trim());
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  } catch {
    throw new Unreadable('its data is damaged, perhaps by what it was sent or saved with; have it sent once more, packed as a .zip');
  }
}

/** Reads the packed texts; that of the latencies may be absent. */
export async function readData(blame: string, lanes: string, latency: string | null): Promise<PageData> {
  const orProblem = (problem: unknown) => problem as Unreadable;
  return parse(await unpack(blame), await unpack(lanes).catch(orProblem), latency === null ? '' : await unpack(latency).catch(orProblem));
}

/** Reads the texts. Where another than the first cannot be read, the page lacks what it tells, but still tells the verdict. */
export function parse(blameText: string, lanesText: string | Unreadable, latencyText: string | Unreadable = ''): PageData {
  const blame = JSON.parse(blameText) as Blame;
  checkSchema(blame.schema, 'tracer.blame/1');
  const problems: string[] = [];
  const attempt = <T>(text: string | Unreadable, what: string, read: (text: string) => T): T | null => {
    try {
      if (text instanceof Error) {
        throw text;
      }
      return read(text);
    } catch (problem) {
      problems.push(`This file has no ${what} that can be shown: ${problem instanceof Unreadable ? problem.message : String(problem)}`);
      return null;
    }
  };
  const lanes = attempt(lanesText, 'timelines', (text) => {
    const read = JSON.parse(text) as PackedLanes;
    checkSchema(read.schema, 'tracer.lanes/1');
    checkPlaces(read);
    return read;
  });
  const latency = latencyText === '' ? null : attempt(latencyText, 'latencies', (text) => {
    const read = JSON.parse(text) as LatencyReport;
    checkSchema(read.schema, 'tracer.latency/1');
    return read;
  });
  return {
    blame, blameText,
    lanes: lanes ?? { schema: 'tracer.lanes/1', works: [], code: { names: [], parents: [] }, episodes: [], drivers: [] },
    lanesText: lanes ? lanesText as string : '',
    latency, latencyText: latency ? latencyText as string : '',
    problems,
  };
}

function checkSchema(found: string, known: string): void {
  if (found !== known) {
    throw new Unreadable(`its data is ${String(found)} and this page reads ${known}; write it anew with one version of analyzer`);
  }
}

/** Every place in a list is one that the list has: drawing looks at no more. */
function checkPlaces({ works, code, episodes, leftOut }: PackedLanes): void {
  const isPlace = (place: unknown, all: unknown[]) => Number.isInteger(place) && (place as number) >= 0 && (place as number) < all.length;
  const holds = code.parents.length === code.names.length && code.parents.every((parent, node) => parent >= -1 && parent < node)
    && episodes.every(({ cpus }) => cpus.every(({ spans, samples }) =>
      spans.length % 3 === 0 && spans.every((value, i) => i % 3 === 2 ? isPlace(value, works) : value >= 0)
      && samples.length % 2 === 0 && samples.every((value, i) => i % 2 === 1 ? isPlace(value, code.names) : value >= 0)))
    && (!leftOut || [leftOut.startsUs, leftOut.latenciesUs, leftOut.causes].every((list) => list.length === leftOut.count)
      && leftOut.causes.every((place) => isPlace(place, leftOut.owners)));
  if (!holds) {
    throw new Unreadable('it points at what is not there; write it anew with analyzer report');
  }
}

/** The lanes of an episode with times instead of distances; null where it has none. */
export function lanesOf(lanes: PackedLanes, id: number): Lanes | null {
  const packed = lanes.episodes.find((one) => one.id === id);
  if (!packed) {
    return null;
  }
  const from = nanoseconds(packed.fromUs);
  return { id, from, to: nanoseconds(packed.toUs), cpus: packed.cpus.map((cpu) => laneOf(cpu, from, lanes.works)) };
}

function laneOf(packed: PackedLane, from: number, works: Work[]): Lane {
  const spans: Span[] = [];
  let at = from;
  for (let i = 0; i + 2 < packed.spans.length; i += 3) {
    const start = at + packed.spans[i]!;
    at = start + packed.spans[i + 1]!;
    spans.push({ from: start, to: at, work: works[packed.spans[i + 2]!]! });
  }
  const samples: Sample[] = [];
  at = from;
  for (let i = 0; i + 1 < packed.samples.length; i += 2) {
    at += packed.samples[i]!;
    samples.push({ at, node: packed.samples[i + 1]! });
  }
  return { cpu: packed.cpu, spans, samples, joinedBelowUs: packed.joinedBelowUs ?? null, samplesEach: packed.samplesEach ?? 1 };
}

/** Whole nanoseconds of a time in microseconds. */
export function nanoseconds(us: number): number {
  return Math.round(us * 1000);
}

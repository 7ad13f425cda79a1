// The lanes of a job, above those of the CPUs: when it was due and ready, when it worked, what it lost, and its deadline; and below it
// each thread of the chain that it waited through, with what kept that one.
import type { Episode, Lanes } from './data';
import { nanoseconds } from './data';
import { s, shown } from './dom';
import { duration } from './words';

export const JOB_LANE = 40;
const BAR = 15;

/** A stretch of a lane, in nanoseconds from the start of the episode. */
interface Part { from: number; to: number; kind: 'late' | 'ready' | 'work' | 'lost' }
export interface JobLane { name: string; note: string; parts: Part[]; deadline: number | null }

const SAYS: Record<Part['kind'], string> = {
  late: 'due, and not made ready', ready: 'ready, and did not run', work: 'ran', lost: 'in the midst of its work, and did not run',
};

/** The lanes of an episode's job; none where it is no job. */
export function jobLanes(episode: Episode, lanes: Lanes): JobLane[] {
  const { job, thread } = episode;
  if (!job || !thread) {
    return [];
  }
  const at = (us: number) => nanoseconds(us - episode.startUs);
  const [ready, run, end] = [at(job.readyUs ?? job.runUs), at(job.runUs), at(job.endUs)];
  const from = job.dueUs === null ? ready : Math.min(at(job.dueUs), ready);
  const parts: Part[] = [{ from, to: ready, kind: 'late' as const }, { from: ready, to: run, kind: 'ready' as const }]
    .filter((part) => part.to > part.from);
  let known = run;
  for (const work of ranOf(lanes, thread.tid, run, end)) {
    if (work.from > known) {
      parts.push({ from: known, to: work.from, kind: 'lost' });
    }
    parts.push(work);
    known = Math.max(known, work.to);
  }
  if (known < end) {
    parts.push({ from: known, to: end, kind: 'lost' });
  }
  const own: JobLane = {
    name: 'the job', note: `worked ${duration(job.workUs)}, lost ${duration(job.lostUs)}`, parts,
    deadline: job.deadlineUs === null ? null : at(job.deadlineUs),
  };
  const through = new Map<number, JobLane>();
  for (const link of episode.causes.flatMap((cause) => cause.chain ?? [])) {
    if (link.thread !== thread.tid && !through.has(link.thread)) {
      through.set(link.thread, {
        name: shown(link.process ?? `tid ${link.thread}`), note: `tid ${link.thread}: ${shown(link.why)}`,
        parts: ranOf(lanes, link.thread, lanes.from, end), deadline: null,
      });
    }
  }
  return [own, ...through.values()];
}

/** When a thread ran, on whichever CPU. */
function ranOf(lanes: Lanes, tid: number, from: number, to: number): Part[] {
  return lanes.cpus
    .flatMap((cpu) => cpu.spans.filter((span) => span.work.kind === 'thread' && span.work.tid === tid && span.to > from && span.from < to))
    .map((span) => ({ from: Math.max(span.from, from), to: Math.min(span.to, to), kind: 'work' as const }))
    .sort((a, b) => a.from - b.from);
}

/** Draws a lane. */
export function drawJob(lane: JobLane, x: (ns: number) => number, y: number, [left, right]: [number, number]): SVGElement[] {
  const drawn = lane.parts.map((part) => {
    const [from, to] = [Math.max(x(part.from), left - 2), Math.min(x(part.to), right + 2)];
    return to < left || from > right ? null
      : s('rect', { class: `job ${part.kind}`, x: from, y: y + 1, width: Math.max(0.7, to - from), height: BAR },
        s('title', {}, `${lane.name}: ${SAYS[part.kind]}, ${duration((part.to - part.from) / 1e3)}`));
  });
  const at = lane.deadline === null ? null : x(lane.deadline);
  const mark = at === null || at < left || at > right ? []
    : [s('line', { class: 'deadline', x1: at, x2: at, y1: y - 3, y2: y + BAR + 4 }),
      s('text', { class: 'small', x: Math.min(at + 4, right - 60), y: y + BAR + 16 }, 'deadline')];
  return [...drawn, ...mark, s('line', { class: 'line', x1: left, x2: right, y1: y + JOB_LANE - 8, y2: y + JOB_LANE - 8 })]
    .filter((one) => one !== null);
}

// The timeline of one episode: the lanes of its job, and for each CPU a lane of ISRs, DPCs and threads, with the samples as ticks and the wait as a band.
// What a span is can be told by its row and its pattern as well as by its colour.
import { axisTop } from 'd3-axis';
import { select } from 'd3-selection';
import type { Episode, Lane, Lanes, PackedLanes, Span } from './data';
import { nanoseconds } from './data';
import { freshId, h, s, shown, table } from './dom';
import { JOB_LANE, drawJob, jobLanes } from './job';
import { KINDS, PROOFS, duration, lengthOf, percent, timesOf } from './words';
import { zoomable } from './zoom';

const WIDTH = 1080;
const LEFT = 118;
const RIGHT = WIDTH - 12;
const TOP = 44;
const ROW = 17;
const LANE = 4 * ROW + 14;
const USUAL_CPUS = 4;
const ROWS = ['isr', 'dpc', 'thread'];

/** Makes the timeline. */
export function timeline(episode: Episode, lanes: Lanes, data: PackedLanes, guilty: string | null): HTMLElement {
  let cpus = lanes.cpus.slice(0, USUAL_CPUS);
  const title = freshId('timeline');
  const wait = nanoseconds(lengthOf(episode));
  const svg = s('svg', {
    class: 'timeline', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline', 'aria-describedby': `${title}-keys`,
    'aria-label': `What ran on ${cpus.length === 1 ? 'the CPU' : 'the CPUs'} during episode ${episode.id}`,
  });
  const detail = h('p', { class: 'detail', role: 'status' });
  let at: { lane: number; span: number } | null = null;
  const bands = s('g');
  const spans = s('g');
  const axis = s('g', { class: 'axis', transform: `translate(0,${TOP - 6})` });
  const mark = s('rect', { class: 'mark', visibility: 'hidden' });
  const clip = freshId('clip');
  svg.append(s('defs', {}, s('clipPath', { id: clip }, s('rect', { x: LEFT, y: 0, width: RIGHT - LEFT, height: 20_000 }))));
  const body = s('g', { 'clip-path': `url(#${clip})` }, bands, spans, mark);
  const labels = s('g', { class: 'labels' });
  svg.append(axis, body, labels);
  const zoomed = zoomable(svg, [lanes.from, lanes.to], [LEFT, RIGHT], 5000, `episode ${episode.id}`, () => draw());

  const jobs = jobLanes(episode, lanes);
  const first = TOP + jobs.length * JOB_LANE;
  const height = () => first + cpus.length * LANE + 4;
  const top = (lane: number) => first + lane * LANE;

  function draw(): void {
    const x = zoomed.scale();
    svg.setAttribute('viewBox', `0 0 ${WIDTH} ${height()}`);
    const [from, to] = x.domain() as [number, number];
    const step = to - from;
    const form = step < 2e3 ? (v: number) => `${v} ns` : step < 2e6 ? (v: number) => `${+(v / 1e3).toFixed(3)} us`
      : step < 2e9 ? (v: number) => `${+(v / 1e6).toFixed(3)} ms` : (v: number) => `${+(v / 1e9).toFixed(3)} s`;
    select(axis as SVGGElement).call(axisTop(x).ticks(8).tickFormat((v) => form(Number(v))).tickSizeOuter(0));
    const [start, end] = [x(0), x(wait)];
    bands.replaceChildren(
      s('rect', { class: 'wait', x: start, y: TOP - 6, width: Math.max(1, end - start), height: height() }),
      s('line', { class: 'edge', x1: start, x2: start, y1: TOP - 6, y2: height() }),
      s('line', { class: 'edge', x1: end, x2: end, y1: TOP - 6, y2: height() }));
    labels.replaceChildren(...waitLabel(start, end), ...jobs.flatMap((job, i) => [
      s('text', { class: 'cpu', x: 0, y: TOP + i * JOB_LANE + 12 }, job.name.length > 15 ? `${job.name.slice(0, 14)}\u2026` : job.name),
      s('text', { class: 'small', x: LEFT, y: TOP + i * JOB_LANE + 29 }, job.note),
    ]), ...cpus.flatMap((lane, i) => laneLabels(lane, i)));
    spans.replaceChildren(...jobs.flatMap((job, i) => drawJob(job, x, TOP + i * JOB_LANE, [LEFT, RIGHT])), ...cpus.flatMap((lane, i) => drawLane(lane, i, from, to)));
    moveMark();
  }

  function waitLabel(start: number, end: number): SVGElement[] {
    const middle = (Math.max(start, LEFT) + Math.min(end, RIGHT)) / 2;
    return end < LEFT || start > RIGHT ? []
      : [s('text', { class: 'wait-label', x: Math.min(Math.max(middle, LEFT + 90), RIGHT - 90), y: 13, 'text-anchor': 'middle' },
        `${episode.job ? 'the job' : 'the wait'}: ${duration(lengthOf(episode))}`)];
  }

  function laneLabels(lane: Lane, i: number): SVGElement[] {
    const y = top(i);
    return [
      s('text', { class: 'cpu', x: 0, y: y + 12 }, `CPU ${lane.cpu}`),
      lane.cpu === episode.cpu ? s('text', { class: 'small', x: 0, y: y + 26 }, 'waited for') : null,
      ...['ISR', 'DPC', 'thread', 'samples'].map((name, row) =>
        s('text', { class: 'small', x: LEFT - 8, y: y + row * ROW + 12, 'text-anchor': 'end' }, name)),
    ].filter((one) => one !== null);
  }

  function drawLane(lane: Lane, i: number, from: number, to: number): SVGElement[] {
    const x = zoomed.scale();
    const y = top(i);
    const drawn: SVGElement[] = [
      s('line', { class: 'line', x1: LEFT, x2: RIGHT, y1: y + 4 * ROW + 5, y2: y + 4 * ROW + 5 }),
    ];
    // Neighbours of one kind that are narrower than a point are one rectangle: there may be thousands.
    let [tiny, tinyEnd]: [SVGElement | null, number] = [null, 0];
    let known = from;
    const unknown = (until: number) => {
      if (x(until) - x(known) >= 1) {
        drawn.push(s('rect', { class: 'unknown', x: x(known), y: y + 1, width: x(until) - x(known), height: 3 * ROW - 2 }));
      }
    };
    for (const span of lane.spans) {
      if (span.to <= from || span.from >= to) {
        known = span.to <= from ? from : known;
        continue;
      }
      unknown(Math.max(span.from, from));
      known = span.to;
      const [left, right] = [Math.max(x(span.from), LEFT - 2), Math.min(x(span.to), RIGHT + 2)];
      const kind = span.work.kind;
      if (right - left < 0.7 && tiny && tiny.getAttribute('data-kind') === kind && left - tinyEnd < 0.5) {
        tiny.setAttribute('width', String(right - Number(tiny.getAttribute('x'))));
        tinyEnd = right;
        continue;
      }
      const shape = shapeOf(kind, left, Math.max(0.7, right - left), y);
      if (span.work.owner !== null && span.work.owner === guilty) {
        shape.classList.add('guilty');
      }
      shape.setAttribute('data-kind', kind);
      drawn.push(shape);
      if (right - left < 0.7) {
        [tiny, tinyEnd] = [shape, right];
      } else {
        tiny = null;
        const text = textIn(span, right - left);
        if (text) {
          drawn.push(s('text', { class: `in ${kind}`, x: left + 4, y: y + rowOf(kind) * ROW + 12.5 }, text));
        }
      }
    }
    unknown(Math.min(to, lanes.to));
    for (const sample of lane.samples) {
      if (sample.at >= from && sample.at <= to) {
        drawn.push(s('path', { class: 'sample', d: `M${x(sample.at).toFixed(1)},${y + 3 * ROW + 3}v${ROW - 4}` }));
      }
    }
    return drawn;
  }

  function describe(lane: Lane, span: Span): string {
    const { work } = span;
    const length = span.to - span.from;
    const inWait = Math.max(0, Math.min(span.to, wait) - Math.max(span.from, 0));
    const code = lane.samples.filter((one) => one.at > span.from && one.at <= span.to);
    const hit = new Map<string, number>();
    for (const one of code) {
      const name = data.code.names[one.node] ?? 'unknown';
      hit.set(name, (hit.get(name) ?? 0) + 1);
    }
    const most = [...hit].sort((a, b) => b[1] - a[1])[0];
    return [
      `CPU ${lane.cpu}: ${shown(whatOf(work))}`,
      work.routine && `routine ${shown(work.routine)}`,
      work.through.length ? `through ${shown(work.through.join(', '))}` : null,
      work.tid !== null ? `tid ${work.tid}${work.pid !== null ? ` of process ${work.pid}` : ''}` : null,
      work.proof && `proof ${work.proof}: ${PROOFS[work.proof] ?? ''}`,
      `${duration(length / 1e3)} from ${duration(span.from / 1e3)}`,
      inWait > 0 ? `${percent(inWait / wait)} of the wait` : 'outside of the wait',
      most ? `${code.length === 1 ? '1 sample' : `${code.length} samples`} inside, most in ${shown(most[0])}` : null,
    ].filter(Boolean).join('; ') + '.';
  }

  function moveMark(): void {
    const span = at && cpus[at.lane]?.spans[at.span];
    if (!at || !span) {
      mark.setAttribute('visibility', 'hidden');
      return;
    }
    const x = zoomed.scale();
    const kind = span.work.kind;
    mark.setAttribute('visibility', 'visible');
    mark.setAttribute('x', String(x(span.from) - 1));
    mark.setAttribute('width', String(Math.max(3, x(span.to) - x(span.from) + 2)));
    mark.setAttribute('y', String(top(at.lane) + (kind === 'blackout' ? 0 : rowOf(kind) * ROW)));
    mark.setAttribute('height', String(kind === 'blackout' ? 3 * ROW : ROW));
  }

  function choose(lane: number, span: number, scrolls: boolean): void {
    const chosen = cpus[lane]?.spans[span];
    if (!chosen) {
      return;
    }
    at = { lane, span };
    detail.textContent = describe(cpus[lane]!, chosen);
    const [from, to] = zoomed.scale().domain() as [number, number];
    if (scrolls && (chosen.to < from || chosen.from > to)) {
      const half = (to - from) / 2;
      const middle = (chosen.from + chosen.to) / 2;
      zoomed.show(middle - half, middle + half);
    }
    moveMark();
  }

  /** The span of the victim's CPU that took most of the wait. */
  function longest(): number {
    const inWait = (one: Span) => Math.min(one.to, wait) - Math.max(one.from, 0);
    const own = cpus[0]!.spans;
    return own.reduce((best, one, i) => inWait(one) > inWait(own[best]!) ? i : best, 0);
  }

  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event as PointerEvent).clientX - box.left) * WIDTH / box.width;
    const y = ((event as PointerEvent).clientY - box.top) * WIDTH / box.width;
    const lane = Math.floor((y - first) / LANE);
    const time = zoomed.scale().invert(x);
    const span = cpus[lane]?.spans.findIndex((one) => one.from <= time && time < one.to) ?? -1;
    if (x >= LEFT && span >= 0) {
      choose(lane, span, false);
    }
  });

  svg.addEventListener('keydown', (event) => {
    const key = (event as KeyboardEvent).key;
    const begin = () => Math.max(0, cpus[0]!.spans.findIndex((one) => one.to > 0));
    const step = (by: number) => at ? choose(at.lane, at.span + by, true) : choose(0, begin(), true);
    const lane = (by: number) => {
      if (!at) {
        return choose(0, begin(), true);
      }
      const time = cpus[at.lane]!.spans[at.span]!.from;
      const next = cpus[at.lane + by];
      if (next) {
        choose(at.lane + by, Math.max(0, next.spans.findIndex((one) => one.to > time)), true);
      }
    };
    const actions: Record<string, () => void> = {
      ArrowRight: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => lane(1), ArrowUp: () => lane(-1), Home: () => choose(0, longest(), true),
      '+': () => zoomed.by(2), '=': () => zoomed.by(2), '-': () => zoomed.by(0.5), '0': zoomed.reset,
      Enter: () => {
        const span = at && cpus[at.lane]?.spans[at.span];
        if (span) {
          zoomed.show(span.from - (span.to - span.from) / 10, span.to + (span.to - span.from) / 10);
        }
      },
    };
    const action = actions[key];
    if (action && !(event as KeyboardEvent).ctrlKey && !(event as KeyboardEvent).metaKey) {
      event.preventDefault();
      action();
    }
  });

  const more = lanes.cpus.length > USUAL_CPUS
    ? h('button', { type: 'button', click: (event) => { cpus = lanes.cpus; (event.target as HTMLElement).remove(); draw(); } },
      `Show all ${lanes.cpus.length} CPUs`)
    : null;
  draw();
  detail.textContent = summary(lanes, wait);
  return h('div', { class: 'timeline-box' },
    h('div', { class: 'tools' }, zoomed.buttons, more, legend(lanes, guilty, jobs.length > 0)),
    svg,
    detail,
    h('p', { class: 'keys', id: `${title}-keys` },
      'Keys in the picture: left and right go from span to span, up and down from CPU to CPU, Home to the longest, Enter zooms to it, '
      + '+ and \u2212 zoom, 0 shows all. Ctrl and the wheel zoom, dragging moves.'),
    notes(lanes),
    spanTable(lanes, wait));
}

/** What took most of the wait on the victim's CPU: what stands below a picture before something in it is chosen. */
function summary(lanes: Lanes, wait: number): string {
  const [most] = sums(lanes.cpus[0]!, wait);
  if (!most) {
    return 'No record tells what this CPU did during the wait.';
  }
  const { work, us, runs, longestUs } = most;
  return [
    `Most of the wait, ${percent((us * 1e3) / wait)}: ${shown(whatOf(work))} on CPU ${lanes.cpus[0]!.cpu}`,
    work.routine && `routine ${shown(work.routine)}`,
    work.through.length ? `through ${shown(work.through.join(', '))}` : null,
    work.proof && `proof ${work.proof}: ${PROOFS[work.proof] ?? ''}`,
    runs > 1 ? `${runs} stretches, the longest ${duration(longestUs)}` : null,
  ].filter(Boolean).join('; ') + '.';
}

function whatOf(work: Span['work']): string {
  return work.kind === 'idle' ? 'idle' : work.kind === 'blackout' ? 'blackout: nothing was served, not even the clock'
    : `${KINDS[work.kind]} of ${work.owner ?? 'an owner that is not known'}`;
}

/** How long each work ran on a CPU during the wait, the longest first. */
function sums(lane: Lane, wait: number): { work: Span['work']; us: number; runs: number; longestUs: number }[] {
  const byWork = new Map<Span['work'], { us: number; runs: number; longestUs: number }>();
  for (const span of lane.spans) {
    const us = (Math.min(span.to, wait) - Math.max(span.from, 0)) / 1e3;
    if (us > 0) {
      const sum = byWork.get(span.work) ?? { us: 0, runs: 0, longestUs: 0 };
      byWork.set(span.work, { us: sum.us + us, runs: sum.runs + 1, longestUs: Math.max(sum.longestUs, us) });
    }
  }
  return [...byWork].sort((a, b) => b[1].us - a[1].us).map(([work, sum]) => ({ work, ...sum }));
}

function notes(lanes: Lanes): HTMLElement | null {
  const texts = lanes.cpus.flatMap((lane) => [
    lane.joinedBelowUs !== null
      ? `CPU ${lane.cpu} had too much to do to be shown: neighbours shorter than ${duration(lane.joinedBelowUs)} are joined, `
        + 'and show what took most of them.'
      : null,
    lane.samplesEach > 1 ? `Each tick of CPU ${lane.cpu} stands for ${lane.samplesEach} samples.` : null,
  ]).filter((text) => text !== null);
  return texts.length ? h('p', { class: 'note' }, texts.join(' ')) : null;
}

/** The same as text: what took most of the wait on each CPU. */
function spanTable(lanes: Lanes, wait: number): HTMLElement {
  const rows = lanes.cpus.flatMap((lane) => sums(lane, wait).slice(0, 8).map((sum) => ({ cpu: lane.cpu, ...sum })));
  const times = timesOf(rows.map((row) => row.us));
  const details = h('details', { class: 'as-table' }, h('summary', {}, 'What took the wait, as a table'));
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1) {
      details.append(table('What ran on each CPU during the wait, the longest first', [
        { name: 'CPU', cell: (row) => row.cpu },
        { name: 'what', cell: (row) => KINDS[row.work.kind] },
        { name: 'whose', cell: (row) => row.work.owner ?? '-' },
        { name: 'routine', cell: (row) => row.work.routine ?? '-' },
        { name: 'proof', cell: (row) => row.work.proof ?? '-' },
        { name: 'stretches', isNumber: true, cell: (row) => row.runs },
        { name: `time, ${times.unit}`, isNumber: true, cell: (row) => times.cell(row.us) },
      ], rows, 100));
    }
  });
  return details;
}

function rowOf(kind: string): number {
  return Math.max(0, ROWS.indexOf(kind === 'idle' ? 'thread' : kind));
}

function shapeOf(kind: string, x: number, width: number, y: number): SVGElement {
  return kind === 'blackout' ? s('rect', { class: kind, x, y: y + 1, width, height: 3 * ROW - 2 })
    : kind === 'idle' ? s('rect', { class: kind, x, y: y + 3 * ROW - 5, width, height: 4 })
    : s('rect', { class: kind, x, y: y + rowOf(kind) * ROW + 1, width, height: ROW - 2 });
}

/** What stands in a span that has room for it. */
function textIn(span: Span, width: number): string | null {
  const { work } = span;
  const text = work.kind === 'idle' ? null : work.kind === 'blackout' ? 'nothing served' : work.owner && shown(work.owner);
  return text && text.length * 6.6 + 8 <= width ? text : null;
}

/** What the signs of a picture mean: those that it has. */
function legend(lanes: Lanes, guilty: string | null, hasJob: boolean): HTMLElement {
  const box = (kind: string, name: string) => {
    const swatch = s('svg', { class: 'swatch', viewBox: '0 0 22 12', width: 22, height: 12, 'aria-hidden': 'true' },
      kind === 'sample' ? s('path', { class: 'sample', d: 'M6,0v12M11,0v12M16,0v12' })
        : kind === 'idle' ? s('rect', { class: kind, x: 0, y: 7, width: 22, height: 4 })
        : s('rect', { class: kind, x: 0.5, y: 0.5, width: 21, height: 11 }));
    return h('span', {}, swatch, name);
  };
  const spans = lanes.cpus.flatMap((lane) => lane.spans);
  const kinds = new Set<string>(spans.map((span) => span.work.kind));
  return h('span', { class: 'legend' },
    Object.entries(KINDS).filter(([kind]) => kinds.has(kind)).map(([kind, name]) => box(kind, name)),
    lanes.cpus.some((lane) => lane.samples.length > 0) ? box('sample', 'sample') : null,
    lanes.cpus.some((lane) => hasGaps(lane, lanes)) ? box('unknown', 'not known') : null,
    hasJob ? [box('job work', 'the job worked'), box('job lost', 'lost time')] : null,
    guilty !== null && spans.some((span) => span.work.owner === guilty) ? box('guilty', 'the culprit\u2019s') : null);
}

/** Whether there are times of which no span tells what ran. */
function hasGaps(lane: Lane, lanes: Lanes): boolean {
  const ends = [lanes.from, ...lane.spans.map((span) => span.to)];
  return [...lane.spans.map((span) => span.from), lanes.to].some((start, i) => start > ends[i]!);
}

const LOST_TIME: [string, string, string] = ['job lost', 'lost time',
  'In a lane of its own above the CPUs: the job should have run here and did not. Below it stands whom it waited through.'];

/** What the rows of the pictures mean, for whoever has never seen one. */
export function howToRead(hasJobs: boolean): HTMLElement {
  const sign = (kind: string) => s('svg', { class: 'swatch', viewBox: '0 0 22 12', width: 22, height: 12, 'aria-hidden': 'true' },
    kind === 'sample' ? s('path', { class: 'sample', d: 'M6,0v12M11,0v12M16,0v12' })
      : s('rect', { class: kind === 'wait' ? 'wait swatch-wait' : kind, x: 0.5, y: 0.5, width: 21, height: 11 }));
  const rows: [string, string, string][] = [
    ['wait', 'the wait', 'Somebody (the victim) wanted to run here and could not. What stands in this band on its CPU was in its way.'],
    ...hasJobs ? [LOST_TIME] : [],
    ['isr', 'ISR', 'A driver answers its device at once. It goes before everything but more urgent ISRs.'],
    ['dpc', 'DPC', 'The rest of that work, put off until right after the interrupt. It still goes before every program, sound included.'],
    ['thread', 'thread', 'A program runs; sound is made in one. Of two the one with the higher priority goes first.'],
    ['blackout', 'blackout', 'The CPU served nothing, not even its clock: interrupts were off, or the machine itself stood still.'],
    ['sample', 'sample', 'A look at what the CPU executes just then, taken at a fixed interval: it shows whose code it was.'],
  ];
  // Open where there is room for it beside the pictures.
  return h('details', { class: 'how-box', open: matchMedia('(min-width: 641px)').matches }, h('summary', {}, 'How to read the pictures'),
    h('dl', { class: 'how' }, rows.map(([kind, name, text]) => h('div', {}, h('dt', {}, sign(kind), ' ', name), h('dd', {}, text)))));
}

/**
 * Hatches: they tell the kinds apart on paper and for whoever sees no colours. One set serves the page. Stripes are gradients that
 * repeat: a browser prints these as they are, and a pattern as a picture of the whole area, 60 kB for each.
 */
export function patterns(): SVGElement {
  const stripes = (id: string, cls: string, y2: number, from: number) => s('linearGradient',
    { id, x1: 0, y1: 0, x2: 4, y2, gradientUnits: 'userSpaceOnUse', spreadMethod: 'repeat' },
    ...[['ground', 0], ['ground', from], ['stripe', from], ['stripe', 1]].map(([part, offset]) =>
      s('stop', { class: `${cls} ${part}`, offset: offset! })));
  return s('defs', {},
    stripes('p-isr', 'isr', 4, .65),
    stripes('p-blackout', 'blackout', -4, .55),
    s('pattern', { id: 'p-unknown', width: 8, height: 8, patternUnits: 'userSpaceOnUse' }, s('path', { class: 'unknown', d: 'M1,1h1M5,5h1' })));
}

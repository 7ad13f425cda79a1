// The map of the whole trace: a dot for each episode, by time and latency. Who had the largest part is told by shape and colour.
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import {
  symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolStar, symbolTriangle, symbolWye, type SymbolType,
} from 'd3-shape';
import type { Culprit, Episode, PageData } from './data';
import { freshId, h, s, section, shown } from './dom';
import { counted, duration, number, ownerOf, place, when, where } from './words';
import { zoomable } from './zoom';

const WIDTH = 1080;
const HEIGHT = 300;
const [LEFT, RIGHT, TOP, BOTTOM] = [70, WIDTH - 56, 20, HEIGHT - 40];
/** One for each owner, or other thing that is told apart by shape and colour. */
export const SHAPES: SymbolType[] = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolStar, symbolWye];
/** More beats than this would be a grey wall. */
const MOST_BEATS = 80;
/** More glitches than this would be a bar. */
const MOST_GLITCHES = 2000;
/** More dots than this are drawn small. */
const FEW = 300;

/** Usual audio buffers, in samples; the map has their lengths at its right edge. */
export const BUFFERS = [64, 128, 256, 512, 1024, 2048];

/** How long a buffer of so many samples lasts at 48 kHz, in microseconds. */
export function bufferUs(samples: number): number {
  return (samples / 48_000) * 1e6;
}

interface Dot { startUs: number; latencyUs: number; owner: number; episode: Episode | null }

export function mapSection(data: PageData, open: (id: number) => void): HTMLElement | null {
  const { blame, lanes } = data;
  const dots = dotsOf(data);
  const glitches = blame.glitches ?? [];
  if (dots.length === 0) {
    return null;
  }
  const culprits = culpritsOf(data);
  const from = Math.min(0, ...spread(dots, (dot) => dot.startUs).slice(0, 1)) / 1e6;
  const last = spread(dots, (dot) => dot.startUs + dot.latencyUs);
  const to = Math.max((blame.trace.durationUs ?? 0) / 1e6, last[last.length - 1]! / 1e6, 1e-6);
  const latencies = spread(dots, (dot) => dot.latencyUs);
  const y = scaleLog([Math.min(blame.settings.thresholdUs || 1, latencies[0]!) / 1.25, latencies[latencies.length - 1]! * 1.25], [BOTTOM, TOP]);
  const listed = dots.filter((dot) => dot.episode).sort((a, b) => a.startUs - b.startUs);
  // The worst culprit's stand in front.
  const back = [...listed].sort((a, b) => b.owner - a.owner);
  const svg = s('svg', {
    class: 'map', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: 0, role: 'application', 'aria-roledescription': 'map',
    'aria-label': `Map of ${counted(dots.length, 'episode')} by time and latency`,
  });
  const detail = h('p', { class: 'detail', role: 'status' },
    'Point at a dot, or press left and right in the picture, to see an episode; Enter or a click opens it.');
  const clip = freshId('clip');
  const x = s('g', { class: 'axis', transform: `translate(0,${BOTTOM})` });
  const left = s('g', { class: 'axis', transform: `translate(${LEFT},0)` });
  const points = s('g', { 'clip-path': `url(#${clip})` });
  const chosenDot = s('circle', { class: 'chosen', r: 9, visibility: 'hidden' });
  svg.append(s('defs', {}, s('clipPath', { id: clip }, s('rect', { x: LEFT - 6, y: 0, width: RIGHT - LEFT + 12, height: HEIGHT }))),
    left, ...bufferLines(y), points, x, s('text', { class: 'small', x: RIGHT, y: HEIGHT - 4, 'text-anchor': 'end' }, 'seconds'),
    s('text', { class: 'small', x: 4, y: 12 }, 'latency'));
  const values = ticksOf(y.domain() as [number, number]);
  select(left as SVGGElement).call(axisLeft(y).tickValues(values).tickFormat((v) => duration(Number(v))).tickSizeOuter(0));
  const zoomed = zoomable(svg, [from, to], [LEFT, RIGHT], 100_000, 'the map', () => draw());
  let beaten: Culprit | null = culprits.find((one) => one?.period)! ?? null;
  let chosen = -1;

  function draw(): void {
    const scale = zoomed.scale();
    select(x as SVGGElement).call(axisBottom(scale).ticks(9).tickSizeOuter(0));
    const [first, end] = scale.domain() as [number, number];
    const threshold = y(blame.settings.thresholdUs);
    const far = new Set<string>();
    for (const dot of dots) {
      if (!dot.episode) {
        far.add(`M${Math.round(scale(dot.startUs / 1e6))},${Math.round(y(Math.max(dot.latencyUs, 1)))}h2v2h-2z`);
      }
    }
    points.replaceChildren(
      ...beatLines(first, end),
      ...(threshold <= BOTTOM ? [s('line', { class: 'threshold', x1: LEFT, x2: RIGHT, y1: threshold, y2: threshold })] : []),
      s('path', { class: 'far', d: [...far].join('') }),
      ...back.filter((dot) => dot.startUs / 1e6 >= first && dot.startUs / 1e6 <= end).map((dot) => {
        const path = s('path', {
          class: `point o${dot.owner}`, d: symbol(shapeOf(dot.owner), listed.length > FEW ? 30 : 64)(),
          transform: `translate(${scale(dot.startUs / 1e6).toFixed(1)},${y(dot.latencyUs).toFixed(1)})`,
        });
        return path;
      }),
      ...glitches.filter((one) => one.atUs / 1e6 >= first && one.atUs / 1e6 <= end).slice(0, MOST_GLITCHES).map((one) => {
        const at = scale(one.atUs / 1e6);
        return s('line', { class: one.episode === null ? 'glitch open' : 'glitch', x1: at, x2: at, y1: BOTTOM - 9, y2: BOTTOM },
          s('title', {}, `Windows recorded at ${place(one.atUs)}: ${one.records.map((record) => record.says).join('; ')}`
            + ` (${one.episode === null ? 'unexplained' : shown(one.culprit ?? 'owner unknown')})`));
      }),
      chosenDot);
    moveChosen();
  }

  function beatLines(first: number, end: number): SVGElement[] {
    if (!beaten?.period) {
      return [];
    }
    const { seconds } = beaten.period;
    const own = listed.filter((dot) => dot.episode!.causes.some((cause) => cause.culprit === beaten!.name)).map((dot) => dot.startUs / 1e6);
    // The mean direction of their phases on the circle of one beat.
    const sine = own.reduce((sum, at) => sum + Math.sin((at / seconds) * 2 * Math.PI), 0);
    const cosine = own.reduce((sum, at) => sum + Math.cos((at / seconds) * 2 * Math.PI), 0);
    const phase = (Math.atan2(sine, cosine) / (2 * Math.PI)) * seconds;
    const start = Math.ceil((first - phase) / seconds);
    const count = Math.floor((end - phase) / seconds) - start + 1;
    const scale = zoomed.scale();
    return count > MOST_BEATS || count < 1 ? [] : [...Array(count).keys()].map((i) => {
      const at = scale(phase + (start + i) * seconds);
      return s('line', { class: 'beat', x1: at, x2: at, y1: TOP, y2: BOTTOM });
    });
  }

  function moveChosen(): void {
    const dot = listed[chosen];
    chosenDot.setAttribute('visibility', dot ? 'visible' : 'hidden');
    if (dot) {
      chosenDot.setAttribute('cx', String(zoomed.scale()(dot.startUs / 1e6)));
      chosenDot.setAttribute('cy', String(y(dot.latencyUs)));
    }
  }

  function choose(index: number): void {
    const dot = listed[index];
    if (!dot) {
      return;
    }
    chosen = index;
    const episode = dot.episode!;
    const cause = episode.causes[0];
    detail.textContent = `Episode ${episode.id}: ${duration(episode.latencyUs)} ${when(episode, blame.trace)}, ${where(episode)}; `
      + (cause ? `${cause.mechanism} ${shown(ownerOf(cause))}.` : 'unexplained.');
    const [first, end] = zoomed.scale().domain() as [number, number];
    const at = dot.startUs / 1e6;
    if (at < first || at > end) {
      zoomed.show(at - (end - first) / 2, at + (end - first) / 2);
    }
    moveChosen();
  }

  const nearest = (event: PointerEvent | MouseEvent) => {
    const box = svg.getBoundingClientRect();
    const [px, py] = [(event.clientX - box.left) * WIDTH / box.width, (event.clientY - box.top) * WIDTH / box.width];
    const scale = zoomed.scale();
    let [best, distance] = [-1, 20 * 20];
    listed.forEach((dot, i) => {
      const d = (scale(dot.startUs / 1e6) - px) ** 2 + (y(dot.latencyUs) - py) ** 2;
      [best, distance] = d < distance ? [i, d] : [best, distance];
    });
    return best;
  };
  svg.addEventListener('pointermove', (event) => choose(nearest(event as PointerEvent)));
  svg.addEventListener('click', (event) => {
    const index = nearest(event as MouseEvent);
    if (index >= 0) {
      open(listed[index]!.episode!.id);
    }
  });
  svg.addEventListener('keydown', (event) => {
    const actions: Record<string, () => void> = {
      ArrowRight: () => choose(Math.min(listed.length - 1, chosen + 1)),
      ArrowLeft: () => choose(Math.max(0, chosen - 1)),
      Home: () => choose(0),
      End: () => choose(listed.length - 1),
      Enter: () => listed[chosen] && open(listed[chosen]!.episode!.id),
      '+': () => zoomed.by(2), '=': () => zoomed.by(2), '-': () => zoomed.by(0.5), '0': zoomed.reset,
    };
    const action = actions[(event as KeyboardEvent).key];
    if (action && !(event as KeyboardEvent).ctrlKey) {
      event.preventDefault();
      action();
    }
  });

  const withBeat = culprits.filter((one) => one?.period) as Culprit[];
  const beats = withBeat.length ? h('label', {}, 'beat of ', (() => {
    const choice = h('select', { change: () => { beaten = withBeat.find((one) => one.name === choice.value) ?? null; draw(); } },
      withBeat.map((one) => h('option', { value: one.name }, `${shown(one.name)}: every ${duration(one.period!.seconds * 1e6)}`)),
      h('option', { value: '' }, 'nobody')) as HTMLSelectElement;
    return choice;
  })()) : null;
  draw();
  const used = new Set(dots.map((dot) => dot.owner));
  return section('map', 'The whole trace',
    h('p', {}, `${counted(dots.length, 'episode')} over ${duration(to * 1e6)}`,
      lanes.leftOut ? `, of which ${number(lanes.leftOut.count)} are small dots: they are not in this file` : '',
      glitches.length ? `, with ${counted(glitches.length, 'glitch')} that Windows recorded, ticks at the lower edge, light where nothing explains one` : '',
      `. The dashed line is the threshold of ${duration(blame.settings.thresholdUs)}.`,
      withBeat.length ? ' The dotted lines are the beat; where they would be too many, zooming in shows them.' : '',
      bufferLines(y).length ? ' At the right edge: how long an audio buffer of so many samples lasts at 48 kHz.' : ''),
    h('div', { class: 'tools' }, zoomed.buttons, beats,
      h('span', { class: 'legend' }, [...used].sort().map((owner) => h('span', {},
        s('svg', { class: 'swatch', viewBox: '-7 -7 14 14', width: 14, height: 14, 'aria-hidden': 'true' },
          s('path', { class: `point o${owner}`, d: symbol(shapeOf(owner), 60)() })),
        owner < OTHER ? culprits[owner]!.name : culprits.length ? 'others' : 'owner not known')))),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Map' }, svg), detail);
}

/** The lengths of audio buffers within the scale, so that a musician sees what a latency means. */
function bufferLines(y: (us: number) => number): SVGElement[] {
  const inside = BUFFERS.filter((samples) => y(bufferUs(samples)) >= TOP && y(bufferUs(samples)) <= BOTTOM);
  const heading = inside.length === 0 ? [] : [s('text', { class: 'small', x: WIDTH, y: 12, 'text-anchor': 'end' }, 'samples')];
  return heading.concat(inside.flatMap((samples) => {
    const at = y(bufferUs(samples));
    return [
      s('line', { class: 'buffer', x1: LEFT, x2: RIGHT, y1: at, y2: at }),
      s('text', { class: 'small', x: RIGHT + 8, y: at + 4 }, number(samples)),
    ];
  }));
}

const OTHER = SHAPES.length;

function culpritsOf(data: PageData): Culprit[] {
  return [...data.blame.culprits, ...(data.blame.secondary ?? [])].slice(0, OTHER);
}

function shapeOf(owner: number): SymbolType {
  return SHAPES[owner] ?? symbolCross;
}

function dotsOf(data: PageData): Dot[] {
  const names = culpritsOf(data).map((one) => one.name);
  const rankOf = (name: string | null) => name === null || !names.includes(name) ? OTHER : names.indexOf(name);
  const dots: Dot[] = data.blame.episodes.map((episode) => ({
    startUs: episode.startUs, latencyUs: episode.latencyUs, owner: rankOf(episode.causes[0]?.culprit ?? null), episode,
  }));
  const left = data.lanes.leftOut;
  let at = 0;
  left?.startsUs.forEach((distance, i) => {
    at += distance;
    dots.push({ startUs: at, latencyUs: left.latenciesUs[i]!, owner: rankOf(left.owners[left.causes[i]!] ?? null), episode: null });
  });
  return dots;
}

function spread(dots: Dot[], of: (dot: Dot) => number): number[] {
  return dots.map(of).sort((a, b) => a - b);
}

/** 1, 2 and 5 of each power of ten, or the powers alone where that would be too many. */
export function ticksOf([from, to]: [number, number]): number[] {
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    all.push(...[1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9].map((one) => +(one * 10 ** power).toPrecision(2)));
  }
  const every = all.filter((one) => one >= from && one <= to);
  const inside = every.length < 6 ? every : every.filter((one) => /^[125]0*$/.test(one.toPrecision(12).replace(/\.?0+$/, '').replace(/^0\.0*/, '')));
  const powers = inside.filter((one) => Number.isInteger(Math.log10(one)));
  return inside.length > 9 && powers.length > 1 ? powers : inside;
}

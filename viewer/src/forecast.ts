// What is forecast of longer times and of applications: worst cases of an hour, a day and a week (Cota-Robles & Held, OSDI'99, Table 3),
// dropouts, and the mean time to underrun over buffering (figures 6 and 7), or why nothing is forecast.
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import { line, symbol } from 'd3-shape';
import type { Forecast, PageData, ReturnLevel, SelfTest, Tolerance, UnderrunPoint } from './data';
import { h, s, section, table } from './dom';
import { SHAPES, ticksOf } from './map';
import { counted, duration, number, timesOf } from './words';
import { GROUPS, KINDS, SOURCES, fold } from './latency';

const WIDTH = 1080;
const HEIGHT = 300;
const [LEFT, RIGHT, TOP, BOTTOM] = [80, WIDTH - 16, 16, HEIGHT - 46];
/** Of fewer waits nothing is told of dropouts, as the command has it. */
const LEAST_WAITS = 1000;
/** The times that a person thinks in, in microseconds. */
const TIMES: [number, string][] = [
  [1e3, '1 ms'], [1e6, '1 s'], [6e7, '1 min'], [3.6e9, '1 h'], [8.64e10, '1 day'], [6.048e11, '1 week'], [3.156e13, '1 year'],
];

export function forecastSection({ latency }: PageData): HTMLElement | null {
  const forecasts = latency?.forecasts ?? [];
  if (forecasts.length === 0) {
    return null;
  }
  const body = h('div', {});
  const show = (one: Forecast) => body.replaceChildren(...bodyOf(one));
  // Who plays sound waits at the highest priorities; of what has too few waits nothing is told.
  const worth = (one: Forecast) => (one.waits >= LEAST_WAITS ? 100 : 0) + (one.kind === 'thread' ? 10 : 0) + ORDER.indexOf(one.group ?? '');
  const first = forecasts.reduce((best, one) => (worth(one) > worth(best) ? one : best));
  show(first);
  return section('forecast', 'What to expect of longer use',
    h('p', {}, 'From the waits of this trace, and valid only for what the machine did in it: nothing else that it may do is foreseen.'),
    forecasts.length > 1 ? h('p', { class: 'tools' }, h('label', {}, 'of ', h('select', {
      change: (event) => show(forecasts[Number((event.target as HTMLSelectElement).value)]!),
    }, forecasts.map((one, i) => h('option', { value: i, selected: one === first }, nameOf(one)))))) : null,
    body);
}

const ORDER = ['', 'normal', 'real-time-low', 'real-time-medium', 'real-time-high'];

const isOfJobs = (one: Forecast) => one.kind === 'response' || one.kind === 'lost';

function nameOf(one: Forecast): string {
  return [KINDS[one.kind] ?? one.kind, SOURCES[one.source] ?? one.source, one.group ? GROUPS[one.group] ?? one.group : null,
    one.thread ?? null,
    one.trace ? `of ${one.trace} alone` : null].filter((part) => part !== null).join(', ');
}

function bodyOf(one: Forecast): HTMLElement[] {
  const refusals = [
    one.peaksOverThreshold.refusal === null ? null : `peaks over a threshold: ${one.peaksOverThreshold.refusal}.`,
    one.blockMaxima.refusal === null ? null : `block maxima: ${one.blockMaxima.refusal}.`,
  ].filter((text) => text !== null);
  const isTold = one.waits >= LEAST_WAITS;
  const levels = one.worstCases.flatMap((row) => [row.peaksOverThreshold, row.blockMaxima]).filter((of) => of !== null);
  const times = timesOf([...one.worstCases.flatMap((row) => [row.expectedUs, row.observedUs]), ...levels.flatMap((of) => [of.levelUs, of.lowUs, of.highUs])]);
  const level = (of: ReturnLevel | null) => of === null ? 'refused' : of.levelUs === null ? `refused: ${of.refusal ?? ''}`
    : `${times.of(of.levelUs)} (${of.lowUs === null ? '?' : times.of(of.lowUs)} to ${of.highUs === null ? '?' : times.of(of.highUs)})`;
  const done = timesOf(one.tasks.flatMap((row) => [row.responseUs, row.pseudoWorstUs]));
  return [
    h('p', {}, `${counted(one.waits, isOfJobs(one) ? 'job' : 'wait')} in ${long(one.observedUs)}`
      + (one.periodUs === undefined ? '' : `, one every ${duration(one.periodUs)}${one.thread === undefined ? ' on a CPU' : ''}`)
      + `; used ${one.usage}.`),
    one.sentences.length === 0 ? null : h('ul', { class: 'dropouts' }, one.sentences.map((sentence) => h('li', {}, `${sentence}.`))),
    table(`The worst case of a time of use in ${times.unit} (OSDI\u201999, Table 3), and the latency that is exceeded once in it`, [
      { name: 'in', cell: (row) => row.per },
      { name: 'of use', isNumber: true, cell: (row) => long(row.useUs) },
      { name: 'expected', isNumber: true, cell: (row) => row.expectedUs === null ? 'not observed for so long' : times.cell(row.expectedUs) },
      { name: 'by peaks over a threshold', cell: (row) => level(row.peaksOverThreshold) },
      { name: 'by block maxima', cell: (row) => level(row.blockMaxima) },
      { name: 'longest of these waits', isNumber: true, cell: (row) => times.cell(row.observedUs) },
    ], one.worstCases, 3),
    refusals.length === 0 ? null : h('p', { class: 'note' }, 'Nothing is forecast by ', refusals.join(' Nor by ')),
    one.applications.length === 0 ? null : chosenBuffer(one, isTold),
    curveOf(one),
    one.tasks.length === 0 ? null : table(`Whether tasks keep up together, times in ${done.unit} (OSDI\u201999, 5.2)`, [
      { name: 'task', cell: (row) => row.name },
      { name: 'keeps up', cell: (row) => row.keepsUp === null ? row.refusal ?? 'not known' : row.keepsUp ? 'yes' : 'no' },
      { name: 'done at worst', isNumber: true, cell: (row) => done.cell(row.responseUs) },
      { name: 'pseudo worst case', isNumber: true, cell: (row) => done.cell(row.pseudoWorstUs) },
    ], one.tasks, 32),
    triedOnItself(one),
  ].filter((part) => part !== null);
}

/** The forecast of the first half, held against the second. */
function triedOnItself(one: Forecast): HTMLElement | null {
  const tests = one.selfTests ?? [];
  const isLongest = (test: SelfTest) => test.atMostUs !== null;
  return tests.length === 0 ? null : table('Tried on itself: what the first half of the time forecasts of the second', [
    { name: 'of', cell: (row) => row.name ?? 'the longest latency' },
    { name: 'forecast', isNumber: true, cell: (row) => isLongest(row) ? `at most ${duration(row.atMostUs!)}`
      : `${number(row.lateLow ?? 0)} to ${counted(row.lateHigh ?? 0, isOfJobs(one) ? 'late job' : 'late wait')}` },
    { name: 'there was', isNumber: true, cell: (row) => isLongest(row) ? row.longestUs === null ? 'none' : duration(row.longestUs) : number(row.late ?? 0) },
    { name: 'came true', cell: (row) => row.isHit ? 'yes' : 'no: don\u2019t rely on this forecast' },
  ], tests, 16);
}

/** Rows of the applications: all, or that of the buffer which the reader has. */
function chosenBuffer(one: Forecast, isTold: boolean): HTMLElement {
  const rows = h('div', {});
  const bears = timesOf(one.applications.map((row) => row.slackUs));
  const show = (some: Tolerance[]) => rows.replaceChildren(table('What applications can bear (OSDI\u201999, Table 1), and how often they drop out', [
    { name: 'application', cell: (row) => row.name },
    { name: 'buffers', isNumber: true, cell: (row) => number(row.buffers), key: (row) => row.buffers },
    { name: `bears, ${bears.unit}`, isNumber: true, cell: (row) => bears.cell(row.slackUs), key: (row) => row.slackUs },
    { name: isOfJobs(one) ? 'one job longer in' : 'one wait longer in', isNumber: true, 
      cell: (row) => !isTold ? '-' : row.onceInWaits === null ? 'none' : digits(row.onceInWaits) },
    { name: 'dropouts an hour', isNumber: true, cell: (row) => isTold ? digits(row.dropoutsPerHour) : '-' },
    { name: '95 %', cell: (row) => !isTold ? 'too few waits' : row.late === 0 ? `at most ${digits(row.highPerHour)}`
      : `${digits(row.lowPerHour)} to ${digits(row.highPerHour)}` },
    { name: 'mean time to underrun', isNumber: true, cell: (row) => isTold && row.underrunUs !== null ? long(row.underrunUs) : '-' },
    { name: 'replayed, too late', isNumber: true,
      cell: (row) => isTold && row.replay ? `${number(row.replay.missed)} of ${number(row.replay.cycles)}` : '-' },
  ], some, 16));
  show(one.applications);
  return h('div', {}, one.applications.length < 2 ? null : h('p', { class: 'tools' }, h('label', {}, 'your buffer ', h('select', {
    change: (event) => {
      const place = Number((event.target as HTMLSelectElement).value);
      show(place < 0 ? one.applications : [one.applications[place]!]);
    },
  }, h('option', { value: -1 }, 'all of these'), one.applications.map((row, i) => h('option', { value: i }, row.name))))), rows);
}

/** A curve of the chart: of all applications whose buffers are alike but for their number. */
interface Curve { name: string; points: UnderrunPoint[] }

function curvesOf(one: Forecast): Curve[] {
  const curves = new Map<string, Curve>();
  for (const application of one.applications) {
    const key = `${application.bufferUs} ${application.computeUs}`;
    const isReached = application.curve.some((point) => point.underrunUs !== null);
    if (isReached && !curves.has(key)) {
      curves.set(key, { name: bufferOf(application), points: application.curve });
    }
  }
  return [...curves.values()].sort((a, b) => a.points[0]!.bufferingUs - b.points[0]!.bufferingUs);
}

function bufferOf({ bufferUs, computeUs }: Tolerance): string {
  return `buffers of ${duration(bufferUs)}${computeUs > 0 ? `, computing ${duration(computeUs)}` : ''}`;
}

function curveOf(one: Forecast): HTMLElement | null {
  if (one.applications.length === 0 || one.waits < LEAST_WAITS) {
    return null;
  }
  const curves = curvesOf(one);
  if (curves.length === 0) {
    return h('p', { class: 'note' }, 'No wait was longer than these applications bear: the mean time to underrun was not reached.');
  }
  const shownCurves = curves.slice(0, SHAPES.length);
  const reached = shownCurves.flatMap(({ points }) => points.filter((point) => point.underrunUs !== null));
  const [xs, ys] = [reached.map((point) => point.bufferingUs), reached.map((point) => point.underrunUs!)];
  const x = scaleLog([Math.min(...xs) / 1.3, Math.max(...xs) * 1.3], [LEFT, RIGHT]);
  const y = scaleLog([Math.min(...ys) / 2, Math.max(...ys) * 2], [BOTTOM, TOP]);
  const svg = s('svg', {
    class: 'waits underrun', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
    'aria-label': 'Mean time to underrun over buffering; the table below has the numbers',
  });
  svg.append(...TIMES.filter(([us]) => y(us) < BOTTOM && y(us) > TOP).map(([us]) =>
    s('line', { class: 'buffer', x1: LEFT, x2: RIGHT, y1: y(us), y2: y(us) })));
  shownCurves.forEach(({ name, points }, place) => {
    const at = (point: UnderrunPoint): [number, number] => [x(point.bufferingUs), y(point.underrunUs!)];
    const told = points.filter((point) => point.underrunUs !== null);
    svg.append(s('path', { class: `series s${place}`, d: line<UnderrunPoint>((point) => at(point)[0], (point) => at(point)[1])(told) }),
      ...told.map((point) => s('path', {
        class: `point o${place}`, d: symbol(SHAPES[place]!, 54)(), transform: `translate(${at(point).map((v) => v.toFixed(1)).join()})`,
      }, s('title', {}, `${number(point.buffers)} ${name}: ${long(point.underrunUs!)} with ${duration(point.bufferingUs)}`))));
  });
  const bufferings = timesOf(curves.flatMap(({ points }) => points.map((point) => point.bufferingUs)));
  const across = s('g', { class: 'axis', transform: `translate(0,${BOTTOM})` });
  const up = s('g', { class: 'axis', transform: `translate(${LEFT},0)` });
  const times = TIMES.filter(([us]) => y(us) <= BOTTOM && y(us) >= TOP);
  const ticks = times.length > 1 ? times : ticksOf(y.domain() as [number, number]).map((us): [number, string] => [us, long(us)]);
  select(across as SVGGElement).call(axisBottom(x).tickValues(ticksOf(x.domain() as [number, number]))
    .tickFormat((v) => duration(Number(v))).tickSizeOuter(0));
  select(up as SVGGElement).call(axisLeft(y).tickValues(ticks.map(([us]) => us))
    .tickFormat((v) => ticks.find(([us]) => us === Number(v))?.[1] ?? '').tickSizeOuter(0));
  svg.append(across, up, s('text', { class: 'small', x: RIGHT, y: HEIGHT - 8, 'text-anchor': 'end' }, 'what all buffers but one hold'));
  return h('figure', {},
    h('figcaption', {}, h('strong', {}, 'Mean time to underrun over buffering'), ' (OSDI\u201999, figures 6 and 7); where a curve ends, no '
      + 'wait was as long',
      curves.length > shownCurves.length ? `; ${number(curves.length - shownCurves.length)} more in the table` : ''),
    h('p', { class: 'legend' }, shownCurves.map(({ name }, place) => h('span', {},
      s('svg', { class: 'swatch', viewBox: '-14 -7 28 14', width: 28, height: 14, 'aria-hidden': 'true' },
        s('path', { class: `series s${place}`, d: 'M-14,0H14' }), s('path', { class: `point o${place}`, d: symbol(SHAPES[place]!, 46)() })),
      name))),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Mean time to underrun over buffering' }, svg),
    fold('Mean times to underrun as a table', () => table('Mean time to underrun', [
      { name: 'of', cell: (row) => row.name },
      { name: 'number', isNumber: true, cell: (row) => number(row.point.buffers) },
      { name: `buffering, ${bufferings.unit}`, isNumber: true, cell: (row) => bufferings.cell(row.point.bufferingUs) },
      { name: 'mean time to underrun', isNumber: true, cell: (row) => row.point.underrunUs === null ? 'not reached' : long(row.point.underrunUs) },
    ], curves.flatMap(({ name, points }) => points.map((point) => ({ name, point }))), 200)));
}

/** A time that may be hours: 44 min. */
function long(us: number): string {
  const [per, unit] = us >= 3.6e9 ? [3.6e9, 'h'] as const : us >= 6e7 ? [6e7, 'min'] as const : [0, ''] as const;
  const value = per > 0 ? us / per : 0;
  return per === 0 ? duration(us) : `${value >= 100 ? number(value) : +value.toPrecision(3)} ${unit}`;
}

/** A number with two digits or so, as the sentences have it. */
function digits(value: number): string {
  return value === 0 ? '0' : value >= 9.95 ? number(value) : `${+value.toPrecision(2)}`;
}

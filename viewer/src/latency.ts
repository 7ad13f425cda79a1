// How late everything was that waited, not only what was late enough for an episode: the log-log histogram of Cota-Robles & Held
// (OSDI'99, figure 4), percentiles, and what the trace does not allow.
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import { line, symbol } from 'd3-shape';
import type { Bin, Distribution, LatencyReport, PageData } from './data';
import { h, s, section, table } from './dom';
import { BUFFERS, SHAPES, bufferUs, ticksOf } from './map';
import { asked, counted, duration, joined, number, timesOf } from './words';

const WIDTH = 1080;
const HEIGHT = 330;
const [LEFT, RIGHT, TOP, BOTTOM] = [70, WIDTH - 16, 34, HEIGHT - 30];

/** What is drawn at once: each of a kind, or the parts of one kind. */
interface Choice { name: string; series: Distribution[]; nameOf: (one: Distribution) => string }

export function waitsSection(data: PageData): HTMLElement | null {
  const { latency } = data;
  if (!latency) {
    return null;
  }
  const choices = choicesOf(latency);
  const body = h('div', {});
  const show = (choice: Choice) => body.replaceChildren(pictureOf(choice, data), tableOf(choice));
  const [first] = choices;
  if (first) {
    show(first);
  }
  return section('waits', 'How long everything waited',
    first ? h('p', {}, 'Late or not, and of any priority: every wait that this trace records. Left to right how long it waited, upwards how many of a '
      + 'hundred waits were that long, both logarithmic: a point one line lower is ten times as rare. What counts is how far the tail '
      + 'at the right reaches.')
      : h('p', {}, 'This trace does not record how long anything waited.'),
    choices.length > 1 ? h('p', { class: 'tools' }, h('label', {}, 'show ', h('select', {
      change: (event) => show(choices[Number((event.target as HTMLSelectElement).value)]!),
    }, choices.map((choice, i) => h('option', { value: i }, choice.name))))) : null,
    body,
    others(data, latency),
    callbacks(latency),
    notMeasured(latency),
    fold('The machine that was measured', () => table('The machine, as OSDI\u201999 has it in its Table 2', [
      { name: 'property', cell: (row) => row.name }, { name: 'value', cell: (row) => row.values.map((value) => value ?? '-').join(', ') },
    ], latency.system, 100)));
}

/** Why the longest here is not the one at the top, where it is another. */
function others({ blame }: PageData, { distributions }: LatencyReport): HTMLElement | null {
  const longest = Math.max(...distributions.map((one) => one.maxUs));
  const top = blame.summary.worstUs;
  return top === null || distributions.length === 0 || duration(longest) === duration(top) ? null
    : h('p', { class: 'note' }, `The longest here, ${duration(longest)}, is of everything that waited, in all kinds of waits. The ${duration(top)} at the top `
      + `are the longest of what was asked about: ${asked(blame.settings)}.`);
}

function choicesOf({ distributions }: LatencyReport): Choice[] {
  const isWhole = (one: Distribution) => Object.values(one.part).every((part) => part === null || part === undefined);
  const wholes = distributions.filter(isWhole);
  const choices: Choice[] = wholes.length === 0 ? []
    : [{ name: wholes.length === 1 ? kindOf(wholes[0]!) : 'every kind', series: wholes, nameOf: kindOf }];
  for (const whole of wholes) {
    for (const [key, name] of Object.entries(SPLITS)) {
      const parts = distributions.filter((one) => one.kind === whole.kind && one.source === whole.source
        && (key in one.part || one.part.restOf === key) && Object.keys(one.part).length === 1);
      if (parts.length > 1) {
        choices.push({
          name: `${kindOf(whole)}, by ${name}`, nameOf: partOf,
          // Those with the longest tails; in a picture more would be a tangle.
          series: [...parts].sort((a, b) => b.maxUs - a.maxUs).slice(0, MOST_ROWS),
        });
      }
    }
  }
  return choices;
}

const MOST_ROWS = 40;

function pictureOf(choice: Choice, { blame }: PageData): HTMLElement {
  const series = choice.series.slice(0, SHAPES.length);
  const bins = series.flatMap((one) => one.bins.filter((bin) => bin.count > 0));
  const from = Math.min(...bins.map(startOf));
  const x = scaleLog([from, Math.max(from * 10, ...bins.map((bin) => bin.toUs))], [LEFT, RIGHT]);
  const least = Math.min(...series.map((one) => 100 / one.count));
  const y = scaleLog([least / 1.6, 100], [BOTTOM, TOP]);
  const svg = s('svg', {
    class: 'waits', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
    'aria-label': `Log-log histogram of ${choice.name}; the table below has the numbers`,
  });
  const sizes = BUFFERS.filter((samples) => x(bufferUs(samples)) >= LEFT && x(bufferUs(samples)) <= RIGHT);
  svg.append(...sizes.flatMap((samples) => [
    s('line', { class: 'buffer', x1: x(bufferUs(samples)), x2: x(bufferUs(samples)), y1: TOP, y2: BOTTOM }),
    s('text', { class: 'small', x: x(bufferUs(samples)), y: TOP - 6, 'text-anchor': 'middle' }, number(samples)),
  ]));
  if (sizes.length) {
    svg.append(s('text', { class: 'small', x: x(bufferUs(sizes[0]!)) - 22, y: TOP - 6, 'text-anchor': 'end' }, 'samples at 48 kHz:'));
  }
  const threshold = x(blame.settings.thresholdUs);
  if (threshold > LEFT && threshold < RIGHT) {
    svg.append(s('line', { class: 'threshold', x1: threshold, x2: threshold, y1: TOP, y2: BOTTOM }));
  }
  series.forEach((one, place) => {
    const at = (bin: Bin): [number, number] => [x(Math.sqrt(startOf(bin) * bin.toUs)), y((100 * bin.count) / one.count)];
    // No line leads over a bin that is empty.
    const curve = line<Bin>((bin) => at(bin)[0], (bin) => at(bin)[1]).defined((bin) => bin.count > 0);
    svg.append(s('path', { class: `series s${place}`, d: curve(one.bins) }), ...one.bins.filter((bin) => bin.count > 0).map((bin) =>
      s('path', { class: `point o${place}`, d: symbol(SHAPES[place]!, 46)(), transform: `translate(${at(bin).map((v) => v.toFixed(1)).join()})` },
        s('title', {}, `${choice.nameOf(one)}: ${number(bin.count)} of ${number(one.count)} from ${duration(bin.fromUs)} to `
          + duration(bin.toUs)))));
  });
  const across = s('g', { class: 'axis', transform: `translate(0,${BOTTOM})` });
  const up = s('g', { class: 'axis', transform: `translate(${LEFT},0)` });
  select(across as SVGGElement).call(axisBottom(x).tickValues(ticksOf(x.domain() as [number, number]))
    .tickFormat((v) => duration(Number(v))).tickSizeOuter(0));
  select(up as SVGGElement).call(axisLeft(y).tickValues(y.ticks().filter((one) => Number.isInteger(Math.log10(one))))
    .tickFormat((v) => `${+Number(v).toPrecision(1)} %`).tickSizeOuter(0));
  svg.append(across, up);
  return h('div', {},
    h('p', { class: 'legend' }, series.map((one, place) => h('span', {},
      s('svg', { class: 'swatch', viewBox: '-14 -7 28 14', width: 28, height: 14, 'aria-hidden': 'true' },
        s('path', { class: `series s${place}`, d: 'M-14,0H14' }), s('path', { class: `point o${place}`, d: symbol(SHAPES[place]!, 46)() })),
      choice.nameOf(one))),
    threshold > LEFT && threshold < RIGHT ? h('span', {}, `dashed line: the threshold of ${duration(blame.settings.thresholdUs)}`) : null),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Log-log histogram' }, svg));
}

/** Where a bin begins on a logarithmic axis: the first one begins at 0. */
function startOf(bin: Bin): number {
  return bin.fromUs > 0 ? bin.fromUs : bin.toUs / 2;
}

function tableOf(choice: Choice): HTMLElement {
  const times = timesOf(choice.series.flatMap((one) => [one.meanUs, one.maxUs, ...one.percentiles.map((percentile) => percentile.us)]));
  const percents = choice.series[0]!.percentiles.map((one) => one.percent);
  return h('div', {},
    table(`So many percent waited no longer than this, in ${times.unit}: ${choice.name}`, [
      { name: 'what', cell: (row) => choice.nameOf(row), key: (row) => choice.nameOf(row) },
      { name: 'waits', isNumber: true, cell: (row) => number(row.count), key: (row) => row.count },
      { name: 'mean', isNumber: true, cell: (row) => times.cell(row.meanUs), key: (row) => row.meanUs },
      ...percents.map((percent) => {
        const of = (row: Distribution) => row.percentiles.find((one) => one.percent === percent)?.us ?? null;
        return { name: `${percent} %`, isNumber: true, cell: (row: Distribution) => times.cell(of(row)), key: (row: Distribution) => of(row) ?? -1 };
      }),
      { name: 'longest', isNumber: true, cell: (row) => times.cell(row.maxUs), key: (row) => row.maxUs },
    ], choice.series, 12, choice.nameOf === partOf ? 'longest' : undefined),
    choice.series.some((one) => one.percentiles.some((percentile) => percentile.us === null))
      ? h('p', { class: 'note' }, 'A dash: too few waits to tell.') : null,
    bandsOf(choice));
}

/** The 95 % bands of the percentiles, by ranks. */
function bandsOf(choice: Choice): HTMLElement | null {
  const rows = choice.series.filter((one) => one.percentiles.some((percentile) => typeof percentile.lowUs === 'number'));
  const times = timesOf(rows.flatMap((one) => one.percentiles.flatMap((percentile) => [percentile.lowUs, percentile.highUs])));
  return rows.length === 0 ? null : fold('How sure these percentiles are', () => [
    table(`Their 95 % bands in ${times.unit}, by ranks: another measurement as long, if waits do not depend on each other; where disturbances last, they are `
      + 'too narrow', [
      { name: 'what', cell: (row) => choice.nameOf(row) },
      ...rows[0]!.percentiles.map(({ percent }, place) => ({
        name: `${percent} %`, isNumber: true, cell: (row: Distribution) => {
          const { lowUs = null, highUs = null } = row.percentiles[place] ?? {};
          return lowUs === null ? '-' : highUs === null ? `${times.of(lowUs)} or more` : `${times.of(lowUs)} to ${times.of(highUs)}`;
        },
      })),
    ], rows, 12)]);
}

function callbacks({ callbacks: all }: LatencyReport): HTMLElement | null {
  return all.length === 0 ? null : fold(`Intervals of ${counted(all.length, 'periodic thread')}`, () => [
    // Whole microseconds: what matters is by how little they differ.
    table('From one wake-up to the next, in us (Jones & Regehr, Table 2)', [
      { name: 'thread', cell: (row) => joined(row.process ?? 'unknown process', `tid ${row.tid}`) },
      { name: 'period', isNumber: true, cell: (row) => number(row.periodUs) },
      { name: 'intervals', isNumber: true, cell: (row) => number(row.count), key: (row) => row.count },
      { name: 'shortest', isNumber: true, cell: (row) => number(row.minUs), key: (row) => row.minUs },
      { name: 'mean', isNumber: true, cell: (row) => number(row.meanUs), key: (row) => row.meanUs },
      { name: 'longest', isNumber: true, cell: (row) => number(row.maxUs), key: (row) => row.maxUs },
      { name: 'deviation', isNumber: true, cell: (row) => row.deviationUs > 0 && row.deviationUs < 1 ? '<1' : number(row.deviationUs), key: (row) => row.deviationUs },
      { name: 'deadlines missed', isNumber: true, cell: (row) => typeof row.jobs === 'number' ? `${number(row.missed ?? 0)} of ${number(row.jobs)}` : '-',
        key: (row) => row.missed ?? 0 },
    ], all, 12),
    h('ul', {}, [...new Set(all.map((one) => one.beat).filter((beat) => beat !== null))].map((beat) => h('li', {}, beat)))]);
}

function notMeasured({ missing, leftOut, warnings }: LatencyReport): HTMLElement | null {
  const left = leftOut.reduce((sum, one) => sum + one.count, 0);
  const lines = [
    ...warnings,
    left > 0 ? `${counted(left, 'measurement')} left out: ${leftOut.map((one) => `${number(one.count)} ${WHY[one.why] ?? one.why}`).join(', ')}.` : null,
    ...missing.map((one) => `No ${KINDS[one.kind] ?? one.kind}: ${one.why}`),
  ].filter((text) => text !== null);
  return lines.length === 0 ? null : fold('What was not measured', () => h('ul', {}, lines.map((text) => h('li', {}, text))));
}

export function fold(summary: string, content: () => Node | Node[]): HTMLElement {
  const details = h('details', { class: 'as-table' }, h('summary', {}, summary));
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1) {
      details.append(...[content()].flat());
    }
  });
  return details;
}

function kindOf(one: Distribution): string {
  return joined(KINDS[one.kind] ?? one.kind, SOURCES[one.source] ?? one.source);
}

function partOf({ part }: Distribution): string {
  return part.restOf ? 'all others'
    : part.cpu !== undefined ? `CPU ${part.cpu}`
    : part.priority !== undefined ? `priority ${part.priority}`
    : part.group ? GROUPS[part.group] ?? part.group
    : part.process !== undefined ? part.process || 'unknown process'
    : part.label !== undefined ? part.label || 'before the first mark'
    : part.trace ?? 'all';
}

const SPLITS: Record<string, string> = { group: 'group of priorities', process: 'process', cpu: 'CPU', priority: 'priority', label: 'workload' };

export const KINDS: Record<string, string> = {
  'interrupt': 'interrupt latency', 'dpc': 'DPC latency', 'dpc-interrupt': 'DPC interrupt latency', 'thread': 'thread latency',
  'thread-interrupt': 'thread interrupt latency', 'response': 'response of jobs', 'lost': 'time lost by jobs',
};

export const SOURCES: Record<string, string> = {
  'driver': 'measured by our driver', 'probe': 'measured by our probe process', 'ready-thread': 'from ReadyThread to switch',
  'dpc-queue': 'from DPC queue to run', 'dpc-queue-deferred': 'from DPC queue to run, of DPCs that may be left waiting by design',
  'switch': 'by context switches alone',
};

export const GROUPS: Record<string, string> = {
  'normal': 'normal (0-15)', 'real-time-low': 'real-time low (16-23)', 'real-time-medium': 'real-time medium (24-27)',
  'real-time-high': 'real-time high (28-31)',
};

const WHY: Record<string, string> = {
  'lost-events': 'because records are missing', 'recorder': 'while the machine slept or the recorder was at work',
  'power-state': 'spoilt by a change of the power state', 'no-room': 'for want of room',
  'only-late': 'because only late ones were recorded', 'senseless': 'that make no sense',
};

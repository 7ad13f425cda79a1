// How often which latency, and which time of an ISR or DPC: histograms whose both axes are logarithmic.
import { bin, max } from 'd3-array';
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import type { Bucket, Driver, PageData } from './data';
import { h, s, section, shown, table } from './dom';
import { ticksOf } from './map';
import { counted, duration, number, timesOf } from './words';

/** A bar of a histogram: longer than `from`, at most `to`. */
interface Bar { from: number; to: number; count: number; cls: string; name: string }

const MOST_DRIVERS = 9;

export function latencySection(data: PageData): HTMLElement | null {
  const { blame, lanes } = data;
  const latencies = [...blame.episodes.map((episode) => episode.latencyUs), ...(lanes.leftOut?.latenciesUs ?? [])]
    .filter((us) => us > 0);
  if (latencies.length === 0) {
    return null;
  }
  // Eight bins to a decade, from the threshold on, and a decade at least: few episodes make no wall of three bars.
  const smallest = latencies.reduce((a, b) => Math.min(a, b));
  const low = Math.log10(Math.min(blame.settings.thresholdUs || smallest, smallest));
  const high = Math.max(low + 1, Math.log10(latencies.reduce((a, b) => Math.max(a, b))));
  const count = Math.ceil((high - low) * 8 + 1e-9);
  const edges = [...Array(count + 1).keys()].map((i) => 10 ** (low + i / 8));
  const bars = bin().thresholds(edges.slice(1, -1)).domain([edges[0]! * (1 - 1e-9), edges[count]! * (1 + 1e-9)])(latencies)
    .filter((one) => one.length > 0)
    .map((one) => ({ from: one.x0!, to: one.x1!, count: one.length, cls: 'late', name: 'episodes' }));
  return section('latencies', 'How late, how often',
    h('p', {}, `${counted(latencies.length, 'episode')} by latency, both axes logarithmic; below the threshold of `
      + `${duration(blame.settings.thresholdUs)} nothing is an episode.`),
    histogram(bars, 1080, 220, 'Episodes by latency', blame.settings.thresholdUs, [edges[0]!, edges[count]!]),
    asTable('Episodes by latency', bars));
}

export function distributionSection(data: PageData): HTMLElement | null {
  const drivers = data.blame.drivers
    .filter((driver) => driver.isr?.histogram?.length || driver.dpc?.histogram?.length)
    .sort((a, b) => longestOf(b) - longestOf(a));
  if (drivers.length === 0) {
    return null;
  }
  const shownDrivers = drivers.slice(0, MOST_DRIVERS);
  const all = shownDrivers.flatMap((driver) => barsOf(driver));
  const domain: [number, number] = [Math.min(...all.map((bar) => bar.from)), Math.max(...all.map((bar) => bar.to))];
  const most = Math.max(...all.map((bar) => bar.count));
  return section('distributions', 'How long the drivers\u2019 ISRs and DPCs took',
    h('p', {}, `One picture for each driver, the one with the longest run first, all on the same axes: left to right the time of a run, `
      + 'upwards how many there were. ISRs are hatched, DPCs are plain. ',
      drivers.length > MOST_DRIVERS ? `The table above has all ${number(drivers.length)}.` : ''),
    h('div', { class: 'multiples' }, shownDrivers.map((driver) => h('figure', {},
      h('figcaption', {}, h('strong', {}, driver.name), ` longest run ${duration(longestOf(driver))}`),
      histogram(barsOf(driver), 350, 150, `Runs of ${shown(driver.name)} by time`, null, domain, most),
      asTable(`Runs of ${driver.name} by time`, barsOf(driver))))));
}

function longestOf(driver: Driver): number {
  return Math.max(driver.isr?.maxUs ?? 0, driver.dpc?.maxUs ?? 0);
}

function barsOf(driver: Driver): Bar[] {
  const of = (buckets: Bucket[] | undefined, cls: string, name: string) => (buckets ?? []).map((bucket) => ({
    from: bucket.atMostUs <= 1 ? 0.5 : bucket.atMostUs / 2, to: bucket.atMostUs, count: bucket.count, cls, name,
  }));
  return [...of(driver.dpc?.histogram, 'dpc', 'DPCs'), ...of(driver.isr?.histogram, 'isr', 'ISRs')];
}

function histogram(
  bars: Bar[], width: number, height: number, label: string, threshold: number | null, domain?: [number, number], most?: number): Element {
  const [left, right, top, bottom] = [46, width - 12, 10, height - 26];
  const x = scaleLog(domain ?? [Math.min(...bars.map((bar) => bar.from)), Math.max(...bars.map((bar) => bar.to))], [left, right]);
  // From below 1 on, so that a single one is seen.
  const y = scaleLog([0.6, Math.max(most ?? max(bars, (bar) => bar.count) ?? 1, 2) * 1.2], [bottom, top]);
  const svg = s('svg', { class: 'histogram', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${label}; the table has the numbers` });
  // Where an ISR and a DPC share a bin each has half of its width.
  const isDouble = new Set(bars.map((bar) => bar.name)).size > 1;
  for (const bar of bars) {
    const [from, to] = [x(bar.from) + 0.5, x(bar.to) - 0.5];
    const half = (to - from) / 2;
    const start = isDouble && bar.cls === 'dpc' ? from + half : from;
    svg.append(s('rect', {
      class: bar.cls, x: start, width: Math.max(0.8, isDouble ? half : to - from), y: y(bar.count), height: bottom - y(bar.count),
    }, s('title', {}, `${number(bar.count)} ${bar.name}, longer than ${duration(bar.from)}, at most ${duration(bar.to)}`)));
  }
  if (threshold !== null && threshold >= x.domain()[0]!) {
    svg.append(s('line', { class: 'threshold', x1: x(threshold), x2: x(threshold), y1: top, y2: bottom }));
  }
  const across = s('g', { class: 'axis', transform: `translate(0,${bottom})` });
  const up = s('g', { class: 'axis', transform: `translate(${left},0)` });
  let ticks = ticksOf(x.domain() as [number, number]);
  ticks = ticks.length > width / 70 ? ticks.filter((_, i) => i % Math.ceil(ticks.length / (width / 70)) === 0) : ticks;
  select(across as SVGGElement).call(axisBottom(x).tickValues(ticks).tickFormat((v) => duration(Number(v))).tickSizeOuter(0));
  select(up as SVGGElement).call(axisLeft(y).tickValues(ticksOf(y.domain() as [number, number]).filter((one) => Number.isInteger(Math.log10(one))))
    .tickFormat((v) => number(Number(v))).tickSizeOuter(0));
  svg.append(across, up);
  return svg;
}

function asTable(caption: string, bars: Bar[]): HTMLElement {
  const details = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1) {
      const times = timesOf(bars.flatMap((bar) => [bar.from, bar.to]));
      details.append(table(`${caption}, in ${times.unit}`, [
        { name: 'longer than', isNumber: true, cell: (bar) => times.cell(bar.from) },
        { name: 'at most', isNumber: true, cell: (bar) => times.cell(bar.to) },
        { name: 'what', cell: (bar) => bar.name },
        { name: 'count', isNumber: true, cell: (bar) => number(bar.count) },
      ], bars, 100));
    }
  });
  return details;
}

// The columns of the page's tables that rank or list: drivers, samples, threads, files. A new column is one more row here.
import type { Driver, Glitch, PageData, Times } from './data';
import type { Column } from './dom';
import { h, shown } from './dom';
import type { TimeColumn } from './words';
import { duration, number, timesOf } from './words';

type Profile = NonNullable<PageData['blame']['profile']>;

const key = (value: number | null | undefined) => value ?? -1;
const counts = (kind: 'isr' | 'dpc', name: string): Column<Driver> => ({
  name, isNumber: true, cell: (row) => row[kind] ? number(row[kind].count) : '-', key: (row) => key(row[kind]?.count),
});
const times = (column: TimeColumn, kind: 'isr' | 'dpc', name: string, field: keyof Times & ('totalUs' | 'maxUs' | 'p99Us')): Column<Driver> => ({
  name, isNumber: true, cell: (row) => column.cell(row[kind]?.[field]), key: (row) => key(row[kind]?.[field]),
});

/** What a driver's ISRs and DPCs took together. */
export const total = (driver: Driver) => (driver.isr?.totalUs ?? 0) + (driver.dpc?.totalUs ?? 0);

/** The drivers' times: all totals in one unit, all single runs and waits in one. */
export const driverTimes = (drivers: Driver[]) => ({
  totals: timesOf(drivers.map(total)),
  runs: timesOf(drivers.flatMap((one) => [one.isr?.maxUs, one.isr?.p99Us, one.dpc?.maxUs, one.dpc?.p99Us, one.queueDelayMaxUs])),
});

/** The drivers, with those that are to blame marked. */
export const driverColumns = (guilty: Set<string>, { totals, runs }: ReturnType<typeof driverTimes>): Column<Driver>[] => [
  {
    name: 'driver',
    cell: (row) => [
      h('span', { class: 'name' }, row.name), guilty.has(row.name) ? h('span', { class: 'tag' }, 'to blame') : null,
      row.through.length ? h('span', { class: 'dim' }, ` through ${shown(row.through.join(', '))}`) : null,
      ...(row.sharedBy ?? []).map((share) => h('div', { class: 'dim' },
        `about ${duration(share.totalUs)} for ${shown(share.name)}, by ${number(share.samples)} of ${number(share.of)} samples`))],
    key: (row) => row.name,
  },
  { name: 'total', isNumber: true, cell: (row) => totals.cell(total(row)), key: total },
  counts('isr', 'ISRs'), times(totals, 'isr', 'ISR total', 'totalUs'), times(runs, 'isr', 'ISR max', 'maxUs'), times(runs, 'isr', 'ISR p99', 'p99Us'),
  counts('dpc', 'DPCs'), times(totals, 'dpc', 'DPC total', 'totalUs'), times(runs, 'dpc', 'DPC max', 'maxUs'), times(runs, 'dpc', 'DPC p99', 'p99Us'),
  { name: 'queued', isNumber: true, cell: (row) => runs.cell(row.queueDelayMaxUs), key: (row) => key(row.queueDelayMaxUs) },
];

/** What Windows recorded as glitches: each record beside what the trace shows. */
export const glitchColumns = (open: (episode: number) => void): Column<Glitch>[] => [
  { name: 'glitch', isNumber: true, cell: (row) => number(row.number), key: (row) => row.number },
  { name: 'at', isNumber: true, cell: (row) => `${(row.atUs / 1e6).toFixed(6)} s`, key: (row) => row.atUs },
  {
    name: 'by', cell: (row) => row.culprit ? h('span', { class: 'name' }, row.culprit) : row.episode === null ? 'unexplained' : 'owner unknown',
    key: (row) => row.culprit ?? '',
  },
  {
    name: 'recorded',
    cell: (row) => (row.side === 'unknown' ? '' : `${row.process ?? 'a process not known'}: `)
      + [...new Set(row.records.map((one) => one.says))].join('; '),
  },
  {
    name: 'by the trace', cell: (row) => [
      row.episode === null ? null : h('a', {
        href: `#episode-${row.episode}`, click: (event) => { event.preventDefault(); open(row.episode!); },
      }, `episode #${row.episode}`),
      row.onTime ? `on time: ${row.onTime}` : null, row.byTrace ? ` ${row.byTrace}` : null, row.disagrees ? ` ${row.disagrees}` : null],
  },
];

/** The functions that samples hit. */
export const functionColumns: Column<Profile['functions'][number]>[] = [
  { name: 'function', cell: (row) => `${row.module ?? 'unknown'} ${row.function ?? ''}` },
  { name: 'samples', isNumber: true, cell: (row) => number(row.count), key: (row) => row.count },
];

/** The processes whose threads ran. */
export const processColumns = (processes: Profile['processes']): Column<Profile['processes'][number]>[] => {
  const times = timesOf(processes.map((one) => one.us));
  return [
    { name: 'process', cell: (row) => row.process, key: (row) => row.process },
    { name: `time, ${times.unit}`, isNumber: true, cell: (row) => times.cell(row.us), key: (row) => row.us },
    { name: 'switches', isNumber: true, cell: (row) => number(row.switches), key: (row) => row.switches },
  ];
};

/** The drivers' files. */
export const fileColumns: Column<PageData['lanes']['drivers'][number]>[] = [
  { name: 'file', cell: (row) => row.name, key: (row) => row.name.toLowerCase() },
  { name: 'version', cell: (row) => row.version ?? '-', key: (row) => row.version ?? '' },
  { name: 'built', cell: (row) => row.timestamp?.slice(0, 10) ?? '-', key: (row) => row.timestamp ?? '' },
  { name: 'company', cell: (row) => row.company ?? '-', key: (row) => row.company ?? '' },
];

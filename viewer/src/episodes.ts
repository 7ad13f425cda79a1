// The worst episodes, each a fold with its causes and its timeline. What is folded is drawn when it is opened.
import type { Episode, PageData } from './data';
import { lanesOf } from './data';
import { h, section, shown, table } from './dom';
import { howToRead, timeline } from './timeline';
import { chainOf, counted, duration, jobOf, joined, number, ownerOf, percent, phasesOf, stepOf, throughOf, timesOf, victim, when, where } from './words';

const OPEN_AT_FIRST = 3;
const STEP = 25;

export interface Episodes { element: HTMLElement; open: (id: number) => void }

export function episodesSection(data: PageData): Episodes | null {
  const { blame, lanes } = data;
  if (blame.episodes.length === 0) {
    return null;
  }
  const order = [...blame.episodes].sort((a, b) =>
    Number(a.secondary ?? false) - Number(b.secondary ?? false) || b.latencyUs - a.latencyUs || a.id - b.id);
  const list = h('div', { class: 'episodes' });
  const folds = new Map<number, HTMLDetailsElement>();
  const more = h('button', { type: 'button', class: 'more', click: () => add(STEP) });
  let next = 0;
  const add = (count: number) => {
    for (const episode of order.slice(next, next + count)) {
      const fold = foldOf(data, episode);
      folds.set(episode.id, fold);
      list.append(fold);
    }
    next = Math.min(order.length, next + count);
    more.hidden = next >= order.length;
    more.textContent = `Show ${Math.min(STEP, order.length - next)} more of ${number(order.length - next)}`;
  };
  add(STEP);
  for (const episode of order.slice(0, OPEN_AT_FIRST)) {
    const fold = folds.get(episode.id)!;
    fold.open = true;
    // At once, not when the browser tells of it: words are explained where they are used first.
    fold.append(bodyOf(data, episode));
  }
  const total = blame.episodes.length + (lanes.leftOut?.count ?? 0);
  const left = lanes.leftOut
    ? `Of ${counted(total, 'episode')} ${number(blame.episodes.length)} are in this file, the worst of each cause among them; the map shows all. `
    : '';
  const without = blame.episodes.length - lanes.episodes.length;
  const drawn = without > 0
    ? `${number(lanes.episodes.length)} have a timeline, the worst and the worst of each cause; ${number(without)} have none. ` : '';
  return {
    element: section('episodes', total === 1 ? 'The episode' : 'The episodes, the worst first',
      h('p', {}, left, drawn, 'In brackets is the machine\u2019s clock. Open one to see what ran on each CPU while the victim waited.'),
      lanes.episodes.length > 0 ? howToRead(blame.episodes.some((episode) => episode.job !== undefined)) : null,
      list, more),
    open: (id) => {
      while (!folds.has(id) && next < order.length) {
        add(STEP);
      }
      const fold = folds.get(id);
      if (fold) {
        fold.open = true;
        fold.scrollIntoView({ block: 'start' });
        (fold.querySelector('summary') as HTMLElement).focus({ preventScroll: true });
      }
    },
  };
}

function foldOf(data: PageData, episode: Episode): HTMLDetailsElement {
  const main = episode.causes[0];
  const cause = main ? `${main.mechanism} ${ownerOf(main)}` : 'unexplained';
  const share = main ? ` ${percent(main.us / episode.latencyUs)}` : '';
  const fold = h('details', { class: 'episode', id: `episode-${episode.id}` },
    h('summary', {},
      h('span', { class: 'id' }, `#${episode.id}`), ' ',
      h('strong', {}, duration(episode.latencyUs)), ' ',
      h('span', { class: 'what' }, cause, h('span', { class: 'dim' }, share)), ' ',
      h('span', { class: 'dim' }, `${when(episode, data.blame.trace)}, ${where(episode)}${episode.secondary ? ', second ranking' : ''}`))) as HTMLDetailsElement;
  fold.addEventListener('toggle', () => {
    if (fold.open && fold.childElementCount === 1) {
      fold.append(bodyOf(data, episode));
    }
  });
  return fold;
}

function bodyOf(data: PageData, episode: Episode): HTMLElement {
  const job = jobOf(episode);
  const way = episode.chain ? chainOf(episode.chain) : phasesOf(episode);
  const lanes = lanesOf(data.lanes, episode.id);
  const parts = [
    ...episode.causes.map((cause) => ({
      us: cause.us, how: cause.mechanism, who: joined(ownerOf(cause), throughOf(cause)), routine: cause.routine ?? '',
    })),
    ...(episode.unexplainedUs !== 0 ? [{ us: episode.unexplainedUs, how: 'unexplained', who: '', routine: '' }] : []),
  ];
  const worst = Math.max(episode.latencyUs, 1e-9);
  const times = timesOf(parts.map((one) => one.us));
  return h('div', { class: 'body' },
    h('p', {}, `Who waited: ${shown(victim(episode))}.`, way ? ` The way of the wake-up: ${shown(way)}.` : '',
      job ? ` The job: ${shown(job)}.` : ''),
    table(`Where the ${duration(episode.latencyUs)} of episode ${episode.id} went`, [
      { name: 'how', cell: (row) => row.how },
      { name: times.unit, isNumber: true, cell: (row) => times.cell(row.us) },
      { name: 'share', isNumber: true, cell: (row) => [meter(row.us / worst), h('span', { class: 'pct' }, percent(row.us / worst))] },
      { name: 'whose', cell: (row) => row.who },
      { name: 'routine', cell: (row) => row.routine },
    ], parts, 8),
    lanes && lanes.cpus.length
      ? timeline(episode, lanes, data.lanes, data.blame.summary.culprit)
      : h('p', { class: 'note' }, 'This file has no timeline of it: ',
        lanes ? 'no record tells what the CPUs did.' : 'only the worst have one. ',
        lanes ? null : h('code', {}, stepOf(`analyzer episodes TRACE --id ${episode.id}`, data.blame.trace)), lanes ? null : ' shows it.'));
}

/** A bar as wide as a share; its number stands beside it. */
export function meter(share: number): Element {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'meter');
  svg.setAttribute('viewBox', '0 0 100 8');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const value = Math.min(1, Math.max(0, share));
  for (const [cls, width] of [['rest', 100], ['full', value > 0 ? Math.max(1, value * 100) : 0]] as const) {
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    rect.setAttribute('class', cls);
    rect.setAttribute('width', String(width));
    rect.setAttribute('height', '8');
    svg.append(rect);
  }
  return svg;
}

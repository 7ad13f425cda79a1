// The list of the traces that were given: what was found in each, those with somebody to blame first, and last those that cannot be read.
import type { Blame } from './data';
import { h, shown as printable } from './dom';
import { duration, number } from './words';

/** What the list says of a trace that was judged. */
export interface Judgement { verdict: string; who: string; worstUs: number | null; episodes: number; sure: string }
export interface Trace {
  id: number; path: string; files: File[]; state: 'waiting' | 'judged' | 'bad'; judgement: Judgement | null; problem: string;
}

const VERDICTS: Record<string, string> = {
  driver: 'driver', process: 'program', kernel: 'Windows', hardware: 'hardware', power: 'power', none: 'nothing late', unknown: 'can\u2019t tell',
};

export function judgementOf({ summary, culprits }: Blame): Judgement {
  const first = culprits[0];
  return {
    verdict: summary.verdict, worstUs: summary.worstUs, episodes: summary.episodes, sure: first?.confidence ?? '',
    who: summary.culprit === null ? '' : summary.culprit + (first?.device ? ` (${first.device})` : ''),
  };
}

/** Those to blame, those that do not tell, those with nothing late, and what was not read yet. */
function rank({ state, judgement }: Trace): number {
  return state !== 'judged' || !judgement ? 3 : judgement.verdict === 'none' ? 2 : judgement.verdict === 'unknown' ? 1 : 0;
}

export class TraceList {
  readonly element: HTMLElement;
  private readonly title = h('h2', {});
  private readonly body = h('tbody');
  private readonly bad = h('div', { class: 'bad', hidden: true });
  private readonly table: HTMLElement;
  private readonly rows = new Map<number, { row: HTMLElement; drawn: string }>();

  constructor(private readonly open: (trace: Trace) => void) {
    this.table = h('table', {}, h('caption', {}, 'The traces that were given; each name opens its report.'),
      h('thead', {}, h('tr', {}, ['Trace', 'Verdict', 'Who', 'Worst', 'Episodes', 'How sure'].map((name) => h('th', { scope: 'col' }, name)))), this.body);
    this.element = h('section', { class: 'traces', 'aria-label': 'Traces', hidden: true }, this.title, this.table, this.bad);
  }

  /** Draws what changed. One trace that is shown needs no list. */
  draw(traces: Trace[], current: Trace | null): void {
    const focused = document.activeElement as HTMLElement | null;
    const good = traces.filter((one) => one.state !== 'bad')
      .sort((a, b) => rank(a) - rank(b) || (b.judgement?.worstUs ?? 0) - (a.judgement?.worstUs ?? 0) || a.id - b.id);
    const bad = traces.filter((one) => one.state === 'bad');
    this.element.hidden = traces.length < 2;
    this.table.hidden = good.length === 0;
    const judged = good.filter((one) => one.state === 'judged').length;
    this.title.textContent = `${number(judged)} of ${number(traces.length)} traces read${bad.length ? `, ${number(bad.length)} cannot be read` : ''}`;
    this.body.replaceChildren(...good.map((one) => this.rowOf(one, one === current)));
    this.bad.hidden = bad.length === 0;
    this.bad.replaceChildren(h('h3', {}, 'Could not be read'), h('ul', {}, bad.map((one) => h('li', {}, h('strong', {}, one.path), h('br'), one.problem))));
    if (focused && focused !== document.activeElement && this.element.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  }

  private rowOf(trace: Trace, isCurrent: boolean): HTMLElement {
    const drawn = `${trace.state} ${isCurrent} ${JSON.stringify(trace.judgement)}`;
    const known = this.rows.get(trace.id);
    if (known?.drawn === drawn) {
      return known.row;
    }
    const one = trace.judgement;
    const cell = (label: string, ...content: (Node | string | null)[]) => h('td', { 'data-label': label }, ...content);
    const row = h('tr', { class: isCurrent ? 'current' : null },
      h('th', { scope: 'row' }, one
        ? h('button', { type: 'button', class: 'open', 'aria-current': isCurrent ? 'true' : null, click: () => this.open(trace) }, trace.path)
        : printable(trace.path)),
      one ? cell('', h('span', { class: `verdict ${one.verdict}` }, VERDICTS[one.verdict] ?? one.verdict)) : cell('', h('span', { class: 'dim' }, 'waits')),
      cell('Who', one?.who ?? ''), cell('Worst', one?.worstUs ? duration(one.worstUs) : ''), cell('Episodes', one ? number(one.episodes) : ''),
      cell('How sure', one?.sure ?? ''));
    this.rows.set(trace.id, { row, drawn });
    return row;
  }
}

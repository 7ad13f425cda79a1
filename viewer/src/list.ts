// The list of the traces that were given: what was found in each, those with somebody to blame first, and last those that cannot be read.
import type { Child } from './dom';
import { h, shown as printable } from './dom';
import type { TimeColumn } from './words';
import { number, timesOf } from './words';

/** What the list says of a trace that was judged: tracer.judged/1. */
export interface Judged {
  verdict: string; culprit: string | null; device: string | null; confidence: string | null; worstUs: number | null; episodes: number;
  deadlinesMissed: number; glitches: number;
}
export interface Trace {
  id: number; path: string; files: File[]; state: 'waiting' | 'judged' | 'bad'; judged: Judged | null; problem: string;
}

const COLUMNS = ['Trace', 'Verdict', 'Who', 'Worst', 'Episodes', 'Missed', 'Glitches', 'How sure'];
const VERDICTS: Record<string, string> = {
  driver: 'driver', process: 'program', kernel: 'Windows', hardware: 'hardware', power: 'power', none: 'nothing late', unknown: 'can\u2019t tell',
};

/** Those to blame, those that do not tell, those with nothing late, and what was not read yet. */
function rank({ state, judged }: Trace): number {
  return state !== 'judged' || !judged ? 3 : judged.verdict === 'none' ? 2 : judged.verdict === 'unknown' ? 1 : 0;
}

export class TraceList {
  readonly element: HTMLElement;
  private readonly body = h('tbody');
  private readonly bad = h('div', { class: 'bad', hidden: true });
  private readonly table: HTMLElement;
  private readonly worst: HTMLElement;
  private readonly rows = new Map<number, { row: HTMLElement; drawn: string }>();

  constructor(private readonly open: (trace: Trace) => void) {
    const heads = COLUMNS.map((name) => h('th', { scope: 'col' }, name));
    this.worst = heads[COLUMNS.indexOf('Worst')]!;
    this.table = h('table', {}, h('caption', {}, 'Each name opens its report. Missed: jobs done after their deadline. Glitches: what Windows recorded.'),
      h('thead', {}, h('tr', {}, heads)), this.body);
    this.element = h('section', { class: 'traces', 'aria-labelledby': 'traces-title', hidden: true }, h('h2', { id: 'traces-title' }, 'Traces'), this.table, this.bad);
  }

  /** Draws what changed. One trace that is shown needs no list; of `failed` it is told elsewhere that it cannot be read. */
  draw(traces: Trace[], current: Trace | null, failed: Trace | null = null): void {
    const focused = document.activeElement as HTMLElement | null;
    const good = traces.filter((one) => one.state !== 'bad')
      .sort((a, b) => rank(a) - rank(b) || (b.judged?.worstUs ?? 0) - (a.judged?.worstUs ?? 0) || a.id - b.id);
    const bad = traces.filter((one) => one.state === 'bad' && one !== failed);
    this.element.hidden = traces.length < 2;
    this.table.hidden = good.length === 0;
    const times = timesOf(good.map((one) => one.judged?.worstUs));
    this.worst.textContent = `Worst, ${times.unit}`;
    this.body.replaceChildren(...good.map((one) => this.rowOf(one, one === current, times)));
    this.bad.hidden = bad.length === 0;
    this.bad.replaceChildren(h('h3', {}, 'Could not be read'), h('ul', {}, bad.map((one) => h('li', {}, h('strong', {}, one.path), h('br'), one.problem))));
    if (focused && focused !== document.activeElement && this.element.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  }

  private rowOf(trace: Trace, isCurrent: boolean, times: TimeColumn): HTMLElement {
    const worst = times.cell(trace.judged?.worstUs || null);
    const drawn = `${trace.state} ${isCurrent} ${times.unit} ${worst instanceof Element ? worst.className : ''} ${JSON.stringify(trace.judged)}`;
    const known = this.rows.get(trace.id);
    if (known?.drawn === drawn) {
      return known.row;
    }
    const one = trace.judged;
    const cell = (label: string, ...content: Child[]) => h('td', { 'data-label': label }, ...content);
    const row = h('tr', { class: isCurrent ? 'current' : null },
      h('th', { scope: 'row' }, one
        ? h('button', { type: 'button', class: 'open', 'aria-current': isCurrent ? 'true' : null, click: () => this.open(trace) }, trace.path)
        : printable(trace.path)),
      one ? cell('', h('span', { class: `verdict ${one.verdict}` }, VERDICTS[one.verdict] ?? one.verdict)) : cell('', h('span', { class: 'dim' }, 'waits')),
      cell('Who', one?.culprit ? one.culprit + (one.device ? ` (${one.device})` : '') : ''), cell(`Worst, ${times.unit}`, one?.worstUs ? worst : ''), cell('Episodes', one ? number(one.episodes) : ''),
      cell('Missed', one && one.deadlinesMissed > 0 ? number(one.deadlinesMissed) : ''),
      cell('Glitches', one && one.glitches > 0 ? number(one.glitches) : ''),
      cell('How sure', one?.confidence ?? ''));
    this.rows.set(trace.id, { row, drawn });
    return row;
  }
}

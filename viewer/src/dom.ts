// Makes elements. Text is always set as text, never parsed: names in a trace may be anything.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

export function h(tag: string, attributes: Attributes = {}, ...children: (Child | Child[])[]): HTMLElement {
  return fill(document.createElement(tag), attributes, children) as HTMLElement;
}

export function s(tag: string, attributes: Attributes = {}, ...children: (Child | Child[])[]): SVGElement {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children) as SVGElement;
}

function fill(element: Element, attributes: Attributes, children: (Child | Child[])[]): Element {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : shown(String(child)));
    }
  }
  return element;
}

// What turns the direction of writing or is drawn as nothing is shown as \uXXXX, as the text report does it.
const MISLEADING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\udb40][\udc00-\udfff]/g;

export function shown(text: string): string {
  return text.replace(MISLEADING, (letters) =>
    [...Array(letters.length).keys()].map((i) => '\\u' + letters.charCodeAt(i).toString(16).padStart(4, '0')).join(''));
}

let ids = 0;

/** A name for an element that others refer to. */
export function freshId(prefix: string): string {
  ids += 1;
  return `${prefix}-${ids}`;
}

/** A section of the page with its heading. */
export function section(id: string, title: string, ...children: (Child | Child[])[]): HTMLElement {
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), ...children);
}

/** A list of names and what they say. */
export function facts(rows: [string, Child | Child[]][]): HTMLElement {
  return h('dl', { class: 'facts' }, rows.flatMap(([name, fact]) => [h('dt', {}, name), h('dd', {}, fact)]));
}

export interface Column<T> { name: string; isNumber?: boolean; cell: (row: T) => Child | Child[]; key?: (row: T) => number | string; cls?: string }

/** A table; columns with a key can be sorted by it, at first by the one that is named. */
export function table<T>(caption: string, columns: Column<T>[], rows: T[], most: number, sorted?: string): HTMLElement {
  let order = [...rows];
  let shownRows = Math.min(most, rows.length);
  let by = sorted ?? null;
  let isDown = true;
  const body = h('tbody');
  const heads = columns.map((column) => {
    const sortable = column.key;
    const head = h('th', { scope: 'col', class: column.isNumber ? 'number' : null });
    head.append(sortable ? h('button', { type: 'button', click: () => sortBy(column) }, column.name) : column.name);
    return head;
  });
  const more = h('button', { type: 'button', class: 'more', click: () => { shownRows = rows.length; draw(); } });
  const draw = () => {
    body.replaceChildren(...order.slice(0, shownRows).map((row) => h('tr', {}, columns.map((column, i) =>
      h(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: column.isNumber ? 'number' : column.cls ?? null },
        column.cell(row))))));
    columns.forEach((column, i) => column.name === by
      ? heads[i]!.setAttribute('aria-sort', isDown ? 'descending' : 'ascending')
      : heads[i]!.removeAttribute('aria-sort'));
    more.textContent = `Show all ${rows.length.toLocaleString('en-US')}`;
    more.hidden = shownRows >= rows.length;
  };
  const sortBy = (column: Column<T>) => {
    isDown = by === column.name ? !isDown : column.isNumber === true;
    by = column.name;
    const key = column.key!;
    order = [...rows].sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      const way = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
      return isDown ? -way : way;
    });
    draw();
  };
  draw();
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads)), body), more);
}

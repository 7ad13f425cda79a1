// The flame graph: what the samples hit while victims waited, callers above what they called.
import { hierarchy, partition, type HierarchyRectangularNode } from 'd3-hierarchy';
import type { PageData } from './data';
import { lanesOf, nanoseconds } from './data';
import { h, s, section, shown, table } from './dom';
import { counted, lengthOf, number, percent } from './words';

interface Node { name: string; own: number; children: Node[] }

const WIDTH = 1080;
const ROW = 22;
const MOST_DEPTH = 24;

export function flameSection(data: PageData): HTMLElement | null {
  const { root, total, episodes, hasStacks } = treeOf(data);
  if (total === 0) {
    return null;
  }
  const tree = hierarchy(root, (node) => node.children).sum((node) => node.own)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0) || (a.data.name < b.data.name ? -1 : 1));
  const laid = partition<Node>()(tree);
  let focus: HierarchyRectangularNode<Node> = laid;
  let chosen: HierarchyRectangularNode<Node> = laid;
  const depth = Math.min(MOST_DEPTH, laid.height + 1);
  const svg = s('svg', {
    class: 'flame', viewBox: `0 0 ${WIDTH} ${depth * ROW + 2}`, tabindex: 0, role: 'application', 'aria-roledescription': 'flame graph',
    'aria-label': 'What the samples hit inside of episodes',
  });
  const detail = h('p', { class: 'detail', role: 'status' },
    'Point at a box, or press the arrow keys in the picture: down to what it called, up to its caller, left and right beside it. '
    + 'Enter or a click shows it alone, Escape shows all.');
  const boxes = new Map<HierarchyRectangularNode<Node>, SVGElement>();

  function draw(): void {
    boxes.clear();
    const width = focus.x1 - focus.x0;
    const above = focus.ancestors().slice(1).reverse();
    const shownNodes = [...above, ...focus.descendants().filter((node) => node.depth < depth + focus.depth)];
    svg.replaceChildren(...shownNodes.flatMap((node) => {
      const isAbove = above.includes(node);
      const x = isAbove ? 0 : ((node.x0 - focus.x0) / width) * WIDTH;
      const w = isAbove ? WIDTH : ((node.x1 - node.x0) / width) * WIDTH;
      const row = node.depth;
      if (w < 0.8 || row >= depth) {
        return [];
      }
      const owner = moduleOf(node.data.name);
      const rect = s('rect', {
        class: `frame ${node === laid ? 'root' : isKernel(owner) ? 'kernel' : owner === data.blame.summary.culprit ? 'guilty' : 'other'}`
          + `${isAbove ? ' above' : ''}${node === chosen ? ' chosen' : ''}`,
        x: x + 0.5, y: row * ROW + 1, width: Math.max(0.5, w - 1), height: ROW - 2,
      });
      boxes.set(node, rect);
      const link = { click: () => zoomTo(node), pointermove: () => choose(node) };
      for (const [event, action] of Object.entries(link)) {
        rect.addEventListener(event, action);
      }
      const text = shown(node.data.name);
      const room = Math.floor((w - 10) / 6.9);
      return room >= 4
        ? [rect, s('text', { x: x + 6, y: row * ROW + 15.5 }, text.length <= room ? text : text.slice(0, room - 2) + '\u2026')]
        : [rect];
    }));
  }

  function choose(node: HierarchyRectangularNode<Node>): void {
    boxes.get(chosen)?.classList.remove('chosen');
    chosen = node;
    boxes.get(node)?.classList.add('chosen');
    detail.textContent = `${shown(node.data.name)}: ${counted(node.value ?? 0, 'sample')}, ${percent((node.value ?? 0) / total)} of those inside`
      + ` episodes${node.data.own > 0 && node.children ? `; ${number(node.data.own)} in itself` : ''}.`;
  }

  function zoomTo(node: HierarchyRectangularNode<Node>): void {
    focus = node;
    chosen = node;
    draw();
    choose(node);
  }

  svg.addEventListener('keydown', (event) => {
    const beside = (by: number) => {
      const row = chosen.parent?.children ?? [];
      return row[row.indexOf(chosen) + by] ?? chosen;
    };
    const actions: Record<string, () => void> = {
      ArrowDown: () => choose(chosen.children?.[0] ?? chosen),
      ArrowUp: () => choose(chosen.parent ?? chosen),
      ArrowRight: () => choose(beside(1)),
      ArrowLeft: () => choose(beside(-1)),
      Enter: () => zoomTo(chosen),
      Escape: () => zoomTo(laid),
    };
    const action = actions[(event as KeyboardEvent).key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
  draw();
  const flat = new Map<string, number>();
  for (const node of laid.descendants()) {
    if (node.data.own > 0) {
      flat.set(node.data.name, (flat.get(node.data.name) ?? 0) + node.data.own);
    }
  }
  const rows = [...flat].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
  return section('samples', 'What the samples hit inside of episodes',
    h('p', {}, `${counted(total, 'sample')} of the CPUs that were waited for, in ${counted(episodes, 'episode')}. `
      + (hasStacks ? 'Callers stand above what they called. ' : 'No stacks were recorded, so it is not known who called what. ')
      + 'The culprit\u2019s boxes have a thick edge, those of the kernel are grey.'),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Flame graph' }, svg), detail,
    table('Where the samples hit, the most first', [
      { name: 'routine', cell: (row) => row.name, key: (row) => row.name },
      { name: 'samples', isNumber: true, cell: (row) => number(row.count), key: (row) => row.count },
      { name: 'share', isNumber: true, cell: (row) => percent(row.count / total), key: (row) => row.count },
    ], rows, 8, 'samples'));
}

function treeOf(data: PageData): { root: Node; total: number; episodes: number; hasStacks: boolean } {
  const root: Node = { name: 'all samples', own: 0, children: [] };
  const { names, parents } = data.lanes.code;
  const nodes: Node[] = names.map((name) => ({ name, own: 0, children: [] }));
  let [total, episodes] = [0, 0];
  for (const packed of data.lanes.episodes) {
    const episode = data.blame.episodes.find((one) => one.id === packed.id);
    const lane = lanesOf(data.lanes, packed.id)?.cpus.find((cpu) => cpu.cpu === episode?.cpu);
    const inside = lane?.samples.filter((one) => one.at >= 0 && one.at <= nanoseconds(lengthOf(episode!))) ?? [];
    episodes += inside.length > 0 ? 1 : 0;
    for (const sample of inside) {
      nodes[sample.node]!.own += lane!.samplesEach;
      total += lane!.samplesEach;
    }
  }
  // A caller stands before what it called: from behind, whatever has no samples has been found to have none.
  const has = nodes.map((node) => node.own);
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (has[i]! > 0) {
      const parent = parents[i]!;
      (parent >= 0 ? nodes[parent]! : root).children.push(nodes[i]!);
      if (parent >= 0) {
        has[parent]! += has[i]!;
      }
    }
  }
  return { root, total, episodes, hasStacks: parents.some((parent) => parent >= 0) };
}

function moduleOf(name: string): string {
  return name.split(/[!+]/, 1)[0]!;
}

function isKernel(module: string): boolean {
  return /^(nt(oskrnl|krnlpa|krnlmp|krpamp)\.exe|hal(mac?pic?)?\.dll)$/i.test(module);
}

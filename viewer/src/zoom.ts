// A horizontal scale that can be zoomed by wheel with Ctrl, by dragging, by buttons and by keys.
import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { zoom, zoomIdentity, type D3ZoomEvent } from 'd3-zoom';
import { h } from './dom';

export interface Zoomed {
  scale: () => ScaleLinear<number, number>;
  buttons: HTMLElement;
  by: (factor: number) => void;
  /** Shows a part of the domain. */
  show: (from: number, to: number) => void;
  reset: () => void;
}

/** Makes a plot zoomable. `draw` is called whenever the scale has changed. */
export function zoomable(
  svg: SVGElement, domain: [number, number], range: [number, number], most: number, what: string, draw: () => void): Zoomed {
  const whole = scaleLinear(domain, range);
  let now = whole;
  const behaviour = zoom<SVGElement, unknown>()
    .scaleExtent([1, most])
    .extent([[range[0], 0], [range[1], 1]])
    .translateExtent([[range[0], -Infinity], [range[1], Infinity]])
    // The wheel alone scrolls the page.
    .filter((event: MouseEvent | WheelEvent) => event.type === 'wheel' ? event.ctrlKey || event.metaKey : event.button === 0)
    .on('zoom', (event: D3ZoomEvent<SVGElement, unknown>) => {
      now = event.transform.rescaleX(whole);
      draw();
    });
  const selection = select(svg).call(behaviour).on('dblclick.zoom', null);
  const by = (factor: number) => behaviour.scaleBy(selection, factor);
  const reset = () => behaviour.transform(selection, zoomIdentity);
  const show = (from: number, to: number) => {
    const [left, right] = [whole(from), whole(to)];
    const factor = Math.min(most, Math.max(1, (range[1] - range[0]) / Math.max(1e-6, right - left)));
    behaviour.transform(selection, zoomIdentity
      .translate((range[0] + range[1]) / 2 - factor * (left + right) / 2, 0).scale(factor));
  };
  const button = (text: string, label: string, action: () => void) =>
    h('button', { type: 'button', 'aria-label': `${label}: ${what}`, title: label, click: action }, text);
  return {
    scale: () => now,
    by,
    show,
    reset,
    buttons: h('span', { class: 'zoom' },
      button('+', 'Zoom in', () => by(2)), button('\u2212', 'Zoom out', () => by(0.5)), button('All', 'Show all', reset)),
  };
}

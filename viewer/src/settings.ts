// The settings of an analysis: the options of `analyzer report` under their names, so that what a message says of one can be found here.
import type { Blame } from './data';
import { h } from './dom';

interface Field { name: string; label: string; hint: string; choices?: string[] }

const FIELDS: Field[] = [
  { name: 'threshold', label: 'Late from', hint: 'a latency at or above this is an episode: 500us' },
  { name: 'probe', label: 'Measured by', hint: 'glitches that Windows recorded, wake-ups of our driver, jobs, threads, CPUs kept at ISR or DPC level, gaps', choices: ['auto', 'glitch', 'wakeup', 'job', 'thread', 'level', 'gap'] },
  { name: 'period', label: 'Period', hint: 'the victims should run once in this time: 10ms' },
  { name: 'deadline', label: 'Deadline', hint: 'a job that takes longer is late: 10ms' },
  { name: 'min-priority', label: 'Lowest priority', hint: 'of a thread whose waits count: 0 to 31' },
  { name: 'process', label: 'Process', hint: 'all of its threads count: audiodg.exe, or its number' },
  { name: 'thread', label: 'Thread', hint: 'only this one counts: its number' },
  { name: 'cpu', label: 'CPUs', hint: 'only on these: 0,2-4' },
  { name: 'from', label: 'From', hint: '1.5s, a time of the trace\u2019s clock (18:36:40), mark:NAME or event:NAME' },
  { name: 'to', label: 'To', hint: 'in the same way' },
  { name: 'at', label: 'Around', hint: 'five seconds before to one after this time' },
  { name: 'zero', label: 'Count seconds from', hint: 'in the same way' },
  { name: 'without', label: 'Without', hint: 'what would be left without it: nic.sys' },
  { name: 'suspect', label: 'Suspect', hint: 'what speaks for and against it: nvlddmkm.sys' },
];

export interface SettingsForm {
  element: HTMLElement;
  /** What is filled in, by the options' names. */
  values: () => Map<string, string>;
  /** Shows what a result was made with, and offers its names. */
  shown: (values: ReadonlyMap<string, string>, blame: Blame) => void;
}

export function settingsForm(again: (values: Map<string, string>) => void): SettingsForm {
  const names = h('datalist', { id: 'names' });
  const inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  const fields = FIELDS.map(({ name, label, hint, choices }) => {
    const control = choices
      ? h('select', { id: `set-${name}`, name, 'aria-describedby': `hint-${name}` }, choices.map((one) => h('option', { value: one === 'auto' ? '' : one }, one)))
      : h('input', {
        id: `set-${name}`, name, type: 'text', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': `hint-${name}`,
        list: name === 'without' || name === 'suspect' ? 'names' : null,
      });
    inputs.set(name, control as HTMLInputElement | HTMLSelectElement);
    return h('div', {}, h('label', { for: `set-${name}` }, label, ' ', h('code', {}, `--${name}`)), control,
      h('span', { class: 'hint', id: `hint-${name}` }, hint));
  });
  const values = () => new Map([...inputs].map(([name, one]) => [name, one.value.trim()] as const).filter(([, text]) => text !== ''));
  const submit = h('button', { type: 'submit', disabled: true }, 'Analyse again');
  const form = h('form', {
    submit: (event) => {
      event.preventDefault();
      again(values());
    },
  }, h('div', { class: 'fields' }, fields), names, submit,
  h('button', { type: 'reset' }, 'Clear'));
  const fold = h('details', { class: 'settings' }, h('summary', {}, 'Settings: what counts as late, for whom, when, and without whom'), form);
  return {
    element: fold,
    values,
    shown: (used, blame) => {
      for (const [name, one] of inputs) {
        one.value = used.get(name) ?? '';
      }
      (submit as HTMLButtonElement).disabled = false;
      // The next trace is analysed with them, too: that is not to be overlooked.
      (fold as HTMLDetailsElement).open ||= used.size > 0;
      const known = new Set([...blame.culprits.map((one) => one.name), ...blame.drivers.map((one) => one.name)]);
      names.replaceChildren(...[...known].slice(0, 300).map((name) => h('option', { value: name })));
    },
  };
}

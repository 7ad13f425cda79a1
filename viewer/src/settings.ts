// The settings of an analysis, in words: each is an option of `analyzer report`.
import type { Blame } from './data';
import { h } from './dom';
import { BUFFERS, bufferUs } from './map';
import { compact, duration } from './words';

interface Field { name: string; label: string; hint: string; choices?: [string, string][]; isRare?: boolean }

/** Half of a buffer: the program that fills it needs time, too. */
const halfOf = (samples: number) => Math.round(bufferUs(samples) / 2);
const OTHER = 'other';
const LATENESS: [string, string][] = [
  ['', '500 us (as usual)'], ['100us', '100 us'], ['250us', '250 us'], ['1ms', '1 ms'], ['4ms', '4 ms'],
  ...BUFFERS.slice(0, 4).map((samples): [string, string] =>
    [compact(halfOf(samples)), `audio buffer: ${samples} samples (half of it, ${duration(halfOf(samples))})`]),
  [OTHER, 'another time'],
];

const FIELDS: Field[] = [
  { name: 'threshold', label: 'Late from', hint: 'what keeps somebody waiting as long as this counts', choices: LATENESS },
  { name: 'process', label: 'Only this program', hint: 'such as audiodg.exe; empty: whatever has to be in time' },
  { name: 'from', label: 'From', hint: 'such as 1.5s, or a time of day (18:36:40); empty: the start' },
  { name: 'to', label: 'To', hint: 'in the same way; empty: the end' },
  { name: 'without', label: 'Without', hint: 'what would be left without this driver: nic.sys' },
  { name: 'suspect', label: 'Suspect', hint: 'what speaks for and against this driver: nvlddmkm.sys' },
  {
    name: 'probe', label: 'Measured by', hint: 'whose wait is measured', isRare: true, choices: [
      ['', 'all that there is'], ['glitch', 'glitches that Windows recorded'], ['wakeup', 'wake-ups of Tracer\u2019s driver'], ['job', 'what threads do at each turn'],
      ['thread', 'threads that were ready'], ['level', 'CPUs kept by interrupts and DPCs'], ['gap', 'times without samples']],
  },
  { name: 'min-priority', label: 'Lowest priority', hint: 'of a thread whose waits count, 0 to 31; empty: 16', isRare: true },
  { name: 'thread', label: 'Only this thread', hint: 'its number', isRare: true },
  { name: 'cpu', label: 'Only these CPUs', hint: 'such as 0,2-4', isRare: true },
  { name: 'period', label: 'It should run every', hint: 'such as 10ms: the beat of the victims', isRare: true },
  { name: 'deadline', label: 'Done within', hint: 'such as 10ms: a job that takes longer is late', isRare: true },
  { name: 'at', label: 'Around', hint: 'five seconds before this time to one after it', isRare: true },
  { name: 'zero', label: 'Count seconds from', hint: 'a time, as in From', isRare: true },
];
const LABELS = new Map(FIELDS.map((field) => [field.name, field.label]));

/** A message of the analysis, which names options, in the words of this page. */
export function inWords(message: string): string {
  return message.replace(/--([a-z-]+)/g, (option, name: string) => LABELS.has(name) ? `\u201c${LABELS.get(name)}\u201d` : option);
}

/** Whether a message is about the settings, not the trace: then it begins with one. */
export function isOfSettings(message: string): boolean {
  return LABELS.has(/^--([a-z-]+)/.exec(message)?.[1] ?? '');
}

export interface SettingsForm {
  element: HTMLElement;
  /** What is filled in, by the options' names. */
  values: () => Map<string, string>;
  /** Shows what a result was made with, and offers its names. */
  shown: (values: ReadonlyMap<string, string>, blame: Blame) => void;
}

export function settingsForm(again: (values: Map<string, string>) => void): SettingsForm {
  const names = h('datalist', { id: 'names' });
  const selects = new Map<string, HTMLSelectElement>();
  const inputs = new Map<string, HTMLInputElement>();
  const drawn = FIELDS.map((field) => {
    const { name, label, hint, choices } = field;
    const hasInput = !choices || choices.some(([value]) => value === OTHER);
    const describedBy = `hint-${name}`;
    if (choices) {
      selects.set(name, h('select', { id: `choose-${name}`, 'aria-describedby': describedBy, change: () => reveal() },
        choices.map(([value, text]) => h('option', { value }, text))) as HTMLSelectElement);
    }
    if (hasInput) {
      inputs.set(name, h('input', {
        id: `set-${name}`, type: 'text', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': describedBy,
        'aria-label': choices ? `${label}: another time, such as 750us` : null, placeholder: choices ? '750us' : null,
        list: name === 'without' || name === 'suspect' ? 'names' : null,
      }) as HTMLInputElement);
    }
    return h('div', {}, h('label', { for: choices ? `choose-${name}` : `set-${name}` }, label), selects.get(name), inputs.get(name),
      h('span', { class: 'hint', id: describedBy }, hint));
  });
  const value = ({ name }: Field) => {
    const choice = selects.get(name)?.value ?? OTHER;
    return choice === OTHER ? inputs.get(name)!.value.trim() : choice;
  };
  const set = ({ name, choices }: Field, text: string) => {
    const isChoice = choices?.some(([one]) => one === text && one !== OTHER) ?? false;
    if (choices) {
      selects.get(name)!.value = isChoice ? text : OTHER;
    }
    if (inputs.has(name)) {
      inputs.get(name)!.value = isChoice ? '' : text;
    }
  };
  const summary = h('summary', {});
  const reveal = () => {
    for (const [name, select] of selects) {
      if (inputs.has(name)) {
        inputs.get(name)!.hidden = select.value !== OTHER;
      }
    }
    const late = selects.get('threshold')!;
    const others = FIELDS.filter((field) => field.name !== 'threshold' && value(field) !== '');
    summary.textContent = `Settings: late from ${late.value === OTHER ? inputs.get('threshold')!.value || '\u2026' : late.selectedOptions[0]!.textContent}`
      + others.map((field) => `, ${field.label.toLowerCase()} ${selects.get(field.name)?.selectedOptions[0]!.textContent ?? value(field)}`).join('');
  };
  const values = () => new Map(FIELDS.map((field) => [field.name, value(field)] as const).filter(([, text]) => text !== ''));
  const submit = h('button', { type: 'submit' }, 'Analyse again');
  const of = (isRare: boolean) => h('div', { class: 'fields' }, drawn.filter((_, i) => (FIELDS[i]!.isRare ?? false) === isRare));
  const form = h('form', {
    submit: (event) => {
      event.preventDefault();
      reveal();
      again(values());
    },
    reset: () => setTimeout(reveal),
  }, of(false), h('details', { class: 'rare' }, h('summary', {}, 'More'), of(true)), names, submit, h('button', { type: 'reset' }, 'Clear'));
  const fold = h('details', { class: 'settings' }, summary, form);
  reveal();
  return {
    element: fold,
    values,
    shown: (used, blame) => {
      for (const field of FIELDS) {
        set(field, used.get(field.name) ?? '');
      }
      reveal();
      // The next trace is analysed with them, too: that is not to be overlooked.
      (fold as HTMLDetailsElement).open ||= used.size > 0;
      const known = new Set([...blame.culprits.map((one) => one.name), ...blame.drivers.map((one) => one.name)]);
      names.replaceChildren(...[...known].slice(0, 300).map((name) => h('option', { value: name })));
    },
  };
}

// The viewer: takes a trace from the user, has it analysed by the worker, and draws the page of `analyzer report`. What is shown stays
// until something else can be shown in its place.
import { parse } from './data';
import { h } from './dom';
import { load } from './engine';
import type { Loaded, Parts, Running } from './engine';
import { episodeAt, linkTo, momentOf } from './moment';
import { drawPage, save } from './page';
import type { FromWorker } from './protocol';
import { settingsForm } from './settings';

declare const PARTS: Parts;

interface Task { set: number; files: File[]; settings: Map<string, string>; then: 'show' | 'save' }

const bar = document.getElementById('bar')!;
const root = document.getElementById('page')!;
let loaded: Loaded | null = null;
let running: Running | null = null;
/** Whether the worker is ready for work. */
let isReady = false;
/** What is being done, what comes next, and what is shown. */
let task: Task | null = null;
let shown: Task | null = null;
/** Whether the worker knows what is shown: a new worker does not. */
let isKnown = false;
let sets = 0;
let began = 0;
let readings = 0;
let lastShare = 0;
let openEpisode: ((id: number) => void) | null = null;
let shownBlame: ReturnType<typeof parse>['blame'] | null = null;

const input = h('input', { type: 'file', id: 'file', class: 'file', multiple: true, accept: '.etl,.gz,.zst,.zip,.pdb,.sys,.exe,.dll' }) as HTMLInputElement;
const choose = h('label', { for: 'file', class: 'choose' }, 'Choose a trace');
const heading = h('h1', {}, 'Which driver made this computer late?');
const hint = h('p', {}, 'Or drop it anywhere on this page: an .etl file, also packed (.etl.gz, .etl.zst, or a .zip with one trace). PDBs that you add '
  + 'name the functions of their drivers.');
const drop = h('div', { class: 'drop' }, h('div', {}, input, choose), hint);
const wanted = h('p', { class: 'wanted', hidden: true });
const said = h('p', {});
const meter = h('progress', { max: 1, 'aria-label': 'progress', hidden: true }) as HTMLProgressElement;
const cancel = h('button', { type: 'button', hidden: true, click: () => stop() }, 'Cancel');
const problem = h('div', { class: 'problem', role: 'alert', hidden: true });
const notes = h('div', { class: 'notes', hidden: true });
const copyLink = h('button', { type: 'button', click: () => void copy() }, 'Copy a link to this moment');
const saveReport = h('button', { type: 'button', click: () => shown && begin({ ...shown, then: 'save' }) }, 'Save report.html');
const tools = h('p', { class: 'tools', hidden: true }, saveReport, copyLink);
const settings = settingsForm((values) => shown && begin({ ...shown, settings: values, then: 'show' }));

bar.append(
  h('div', { role: 'banner' },
    h('p', { class: 'brand' }, h('strong', {}, 'Tracer'), h('span', { class: 'promise' },
      'Nothing of a trace leaves this machine: it is read and analysed in this browser, and once loaded the page asks no server for anything.')),
    heading),
  h('section', { 'aria-label': 'Trace and settings' }, wanted, drop, settings.element,
    h('div', { class: 'state', role: 'status' }, said, meter, cancel), problem, notes, tools));

function tell(text: string, share?: number | null): void {
  if (said.textContent !== text) {
    said.textContent = text;
  }
  meter.hidden = share === undefined;
  if (typeof share === 'number') {
    meter.value = share;
  } else {
    meter.removeAttribute('value');
  }
}

function complain(message: string): void {
  problem.replaceChildren(...message ? [h('p', {}, sentence(message))] : []);
  problem.hidden = !message;
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}

function startWorker(): void {
  isReady = false;
  isKnown = false;
  running?.end();
  running = loaded!.start(heard);
}

/** Takes up a task; what is under way is given up. */
function begin(next: Task): void {
  complain('');
  if (task !== null && isReady) {
    startWorker();
  }
  task = next;
  readings = 0;
  lastShare = 0;
  began = performance.now();
  cancel.hidden = false;
  document.body.classList.toggle('is-old', shown !== null && next.then === 'show');
  tell(isReady ? `Reading ${nameOf(next)}` : 'Loading the analysis', null);
  work();
}

function work(): void {
  if (!task || !isReady) {
    return;
  }
  if (task.then === 'save' && isKnown && task.set === shown?.set) {
    running!.say({ kind: 'report', program: loaded!.program, style: loaded!.style, licences: loaded!.licences });
    return;
  }
  running!.say({ kind: 'analyse', set: task.set, files: task.files, settings: [...task.settings].map(([name, text]) => `--${name}=${text}`) });
}

function end(): void {
  task = null;
  cancel.hidden = true;
  document.body.classList.remove('is-old');
  tell('');
}

function stop(): void {
  end();
  startWorker();
  tell(shown ? 'Cancelled: what is shown is as it was.' : 'Cancelled.');
  input.focus();
}

function nameOf(one: Task): string {
  return one.files.length === 1 ? one.files[0]!.name : `${one.files[0]!.name} and ${one.files.length - 1} more`;
}

function heard(message: FromWorker): void {
  switch (message.kind) {
    case 'ready':
      isReady = true;
      if (!task) {
        tell(said.textContent?.startsWith('Cancelled') ? said.textContent : '');
      }
      work();
      break;
    case 'progress':
      showProgress(message.share);
      break;
    case 'result':
      show(message);
      break;
    case 'report': {
      const name = `${(shown?.files[0]?.name ?? 'trace').replace(/(\.etl)?(\.(gz|zst|zip))?$/i, '')}.html`;
      end();
      save(name, message.bytes, 'text/html');
      tell(`Saved ${name}, which needs no network and no other file.`);
      break;
    }
    case 'problem':
      if (message.isEnd) {
        startWorker();
      }
      end();
      complain(message.isEnd
        ? `The analysis ended (${message.message}): if the trace is large, look at a part of it (--from, --to), or use \u2018analyzer report\u2019 `
          + 'on the command line'
        : message.message);
      break;
  }
}

function showProgress(share: number): void {
  if (!task) {
    return;
  }
  if (share < 0) {
    tell(`Unpacking ${nameOf(task)}`, null);
    return;
  }
  if (share < lastShare - 0.5 || readings === 0) {
    readings += 1;
  }
  lastShare = share;
  tell(readings === 1 ? `Reading ${nameOf(task)} (first of two times: what it holds)` : `Reading ${nameOf(task)} once more (by time: who was late, and why)`, share);
}

function show({ blame, page, lanes, latency, notes: told, heapBytes }: Extract<FromWorker, { kind: 'result' }>): void {
  const now = task!;
  const data = parse(page, lanes, latency);
  data.blameText = blame;
  isKnown = true;
  shown = { ...now, then: 'show' };
  shownBlame = data.blame;
  document.body.classList.add('is-shown');
  heading.hidden = true;
  choose.textContent = 'Choose another trace';
  hint.textContent = 'Or drop it anywhere on this page.';
  const asked = momentOf(location.hash);
  const link = (id: number) => linkTo(fileOf(shown!), data.blame.episodes.find((one) => one.id === id) ?? null, shown!.settings);
  const drawn = drawPage(root, data, loaded!.licences + loaded!.runtime, {
    linkTo: link,
    about: 'Made in this browser, which sent nothing of the trace to anybody. \u2018Save report.html\u2019 makes the file that \u2018analyzer report\u2019 writes.',
  });
  root.dataset['drawn'] = String(now.set);
  openEpisode = drawn.open;
  document.title = `${data.blame.summary.culprit ?? data.blame.summary.verdict}: latency of ${fileOf(shown)}`;
  const lines = told ? told.split('\n') : [];
  notes.replaceChildren(...lines.length ? [h('h2', {}, 'Noticed while reading'), h('ul', {}, lines.map((line) => h('li', {}, sentence(line))))] : []);
  notes.hidden = lines.length === 0;
  tools.hidden = false;
  settings.shown(now.settings, data.blame);
  if (now.then === 'save') {
    task = { ...shown, then: 'save' };
    work();
    return;
  }
  end();
  tell(`Shown below: ${fileOf(shown)}, read in ${((performance.now() - began) / 1000).toFixed(1)} s with ${Math.ceil(heapBytes / 1e6)} MB of memory.`);
  if (asked.at !== null && (asked.file === null || asked.file === fileOf(shown))) {
    goTo(asked.at);
  } else {
    history.replaceState(null, '', link(-1));
    root.querySelector('main')?.focus({ preventScroll: true });
  }
  wanted.hidden = true;
}

/** The name of the trace among what the user gave: the report says it. */
function fileOf(one: Task): string {
  return shownBlame?.trace.path ?? one.files[0]!.name;
}

function goTo(us: number): void {
  const episode = shownBlame && episodeAt(shownBlame, us);
  if (episode) {
    openEpisode?.(episode.id);
  }
}

function take(files: File[]): void {
  if (files.length === 0) {
    return;
  }
  const asked = momentOf(location.hash);
  const values = settings.values();
  if (!shown || asked.file === files[0]!.name) {
    for (const name of ['threshold', 'from', 'to'] as const) {
      if (asked[name] !== null && !values.get(name)) {
        values.set(name, asked[name]);
      }
    }
  }
  sets += 1;
  begin({ set: sets, files, settings: values, then: 'show' });
}

async function copy(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    tell('Copied: the link has the file\u2019s name and times, nothing else. Whoever opens it needs the same trace.');
  } catch {
    tell('This browser does not let the page copy: the link stands in its address line.');
  }
}

input.addEventListener('change', () => {
  take([...input.files ?? []]);
  input.value = '';
});
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
document.addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) {
    drop.classList.remove('over');
  }
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  const items = [...event.dataTransfer?.items ?? []];
  if (items.some((item) => item.webkitGetAsEntry?.()?.isDirectory)) {
    complain('That is a folder: open it and drop the trace in it');
    return;
  }
  take([...event.dataTransfer?.files ?? []]);
});
// Opening an episode makes the address a link to it.
root.addEventListener('click', (event) => {
  const fold = (event.target as Element).closest('.episode > summary')?.parentElement as HTMLDetailsElement | null | undefined;
  if (fold && !fold.open && shown && shownBlame) {
    const episode = shownBlame.episodes.find((one) => `episode-${one.id}` === fold.id);
    history.replaceState(null, '', linkTo(fileOf(shown), episode ?? null, shown.settings));
  }
});
window.addEventListener('hashchange', () => {
  const asked = momentOf(location.hash);
  if (asked.at !== null) {
    goTo(asked.at);
  }
});

const first = momentOf(location.hash);
if (first.file) {
  wanted.textContent = `This link leads to ${first.at === null ? '' : `${first.at / 1e6} s of `}${first.file}. A link holds no trace: choose or drop that file, and it opens there.`;
  wanted.hidden = false;
}
tell('Loading the analysis', 0);
// In an editor the page has another address than its parts, and the editor hands the files over.
const home = (document.currentScript as HTMLScriptElement).src;
document.addEventListener('tracer-open', (event) => take((event as CustomEvent<File[]>).detail));
load(PARTS, home, (share) => !isReady && tell(task ? said.textContent! : 'Loading the analysis', share)).then((all) => {
  loaded = all;
  startWorker();
}).catch((failure: unknown) => {
  tell('');
  complain(failure instanceof Error ? failure.message : String(failure));
});

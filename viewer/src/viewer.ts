// The viewer: takes traces from the user, has them analysed by the worker, lists what was found in each, and draws the page of
// `analyzer report` for one. What is shown is always what was asked for last: where that cannot be read, its sentence stands in the place of
// the report.
import { parse } from './data';
import type { Blame } from './data';
import { h } from './dom';
import { load } from './engine';
import type { Loaded, Running } from './engine';
import { chosen, dropped } from './files';
import type { Found } from './files';
import { TraceList } from './list';
import type { Judged, Trace } from './list';
import { episodeAt, linkTo, linkedTimeOf } from './linkedTime';
import { drawPage, save } from './page';
import type { FromWorker } from './protocol';
import { inWords, isOfSettings, settingsForm } from './settings';
import { startSection } from './start';
import { counted, number } from './words';

/** `judge`: for the list alone. */
interface Task { trace: Trace; settings: Map<string, string>; then: 'judge' | 'show' | 'save' }

/** What a browser reads in a second on a machine with two CPUs (docs/internals/viewer.md), in bytes. */
const BYTES_A_SECOND = 13e6;
/** From here on the user is told how long it will take before it begins, in bytes. */
const LARGE = 1e9;
/** A packed trace of this size is not likely to fit into memory when it is unpacked, in bytes; a page from a disk has nothing else. */
const LARGE_PACKED = 1e8;
const isFromDisk = location.protocol === 'file:';

const bar = document.getElementById('bar')!;
const root = document.getElementById('page')!;
let loaded: Loaded | null = null;
let running: Running | null = null;
/** Whether the worker is ready for work. */
let isReady = false;
let traces: Trace[] = [];
/** What is being done, what comes next, and what is shown. */
let task: Task | null = null;
let queue: Task[] = [];
let shown: Task | null = null;
/** The trace that the worker has analysed as it is shown: another is read again before its report is saved. */
let known: Trace | null = null;
let lastId = 0;
let began = 0;
let readings = 0;
let lastShare = 0;
let openEpisode: ((id: number) => void) | null = null;
let shownBlame: Blame | null = null;

const accept = '.etl,.gz,.zst,.zip,.pdb,.sys,.exe,.dll';
const input = h('input', { type: 'file', id: 'file', class: 'file', multiple: true, accept }) as HTMLInputElement;
const choose = h('label', { for: 'file', class: 'choose' }, 'Choose traces');
const folder = h('input', { type: 'file', id: 'folder', class: 'file', webkitdirectory: true }) as HTMLInputElement;
const chooseFolder = h('label', { for: 'folder', class: 'choose second' }, 'Choose a folder');
const sample = h('button', { type: 'button', class: 'sample', disabled: true, click: () => take(chosen([loaded!.sample])) }, 'Try a sample');
const heading = h('div', {}, h('h1', {}, 'Which driver makes the sound crackle?'),
  h('p', {}, 'Or the game stutter, or the machine miss its step. Give this page a recording of it, and it names the driver, program or firmware to '
    + 'blame, with the reason.'));
const hint = h('p', {}, 'Or drop them anywhere on this page: .etl files, also packed (.etl.gz, .etl.zst, or a .zip with one trace), or a whole folder. PDBs '
  + 'among them name the functions of their drivers.');
const hasFolders = 'webkitdirectory' in folder && !/Android|iPhone|iPad/.test(navigator.userAgent);
const drop = h('div', { class: 'drop' }, h('div', { class: 'choices' }, input, choose, ...hasFolders ? [folder, chooseFolder] : [], sample), hint);
const wanted = h('p', { class: 'wanted', hidden: true });
const question = h('div', { class: 'question', role: 'alert', hidden: true });
const said = h('p', {});
const meter = h('progress', { max: 1, 'aria-label': 'progress', hidden: true }) as HTMLProgressElement;
const cancel = h('button', { type: 'button', hidden: true, click: () => stop() }, 'Cancel');
const problem = h('div', { class: 'problem', role: 'alert', hidden: true });
const notes = h('div', { class: 'notes', hidden: true });
const copyLink = h('button', { type: 'button', hidden: isFromDisk, click: () => void copy() }, 'Copy a link to this moment');
const saveReport = h('button', { type: 'button', click: () => shown && begin([{ ...shown, then: 'save' }]) }, 'Save report.html');
const tools = h('div', { class: 'tools', hidden: true }, saveReport, copyLink);
const settings = settingsForm((values) => again(values));
const list = new TraceList((trace) => open(trace));
const start = startSection(() => loaded!.profile);
/** In the place of the report where the trace that was asked for cannot be read. */
const failure = h('div', { class: 'problem failure', role: 'alert', hidden: true });

bar.append(
  h('div', { role: 'banner' },
    h('p', { class: 'brand' }, h('strong', {}, 'Tracer'), h('span', { class: 'promise' },
      'Nothing of a trace leaves this machine: it is read and analysed in this browser, and the page asks nobody for anything.')),
    heading),
  h('section', { 'aria-label': 'Trace and settings' }, wanted, drop, question,
    h('div', { class: 'state' }, h('div', { role: 'status' }, said), meter, cancel, tools), problem, settings.element, notes),
  list.element, failure, start);

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

function fail(message: string): void {
  failure.replaceChildren(...message ? [h('p', {}, message)] : []);
  failure.hidden = !message;
}

/** A message as a sentence; a file keeps its name. */
function sentence(text: string): string {
  return (/^\S+\.\w+/.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1)) + (/[.!?]$/.test(text) ? '' : '.');
}

function startWorker(): void {
  isReady = false;
  known = null;
  running?.end();
  running = loaded!.start(heard);
}

/** Takes up some work before what waits; what is under way is finished first. */
function begin(tasks: Task[]): void {
  complain('');
  queue = [...tasks, ...queue];
  cancel.hidden = false;
  document.body.classList.toggle('is-old', shown !== null && tasks[0]?.then === 'show');
  if (!task) {
    next();
  }
}

function next(): void {
  task = queue.shift() ?? null;
  if (!task) {
    cancel.hidden = true;
    document.body.classList.remove('is-old');
    return;
  }
  readings = 0;
  lastShare = 0;
  began = performance.now();
  tell(isReady ? `Reading ${nameOf(task)}` : 'Loading the analysis', null);
  work();
}

function work(): void {
  if (!task || !isReady) {
    return;
  }
  const { trace, then } = task;
  if (then === 'save' && known === trace) {
    running!.say({ kind: 'report', program: loaded!.program, style: loaded!.style, licences: loaded!.licences });
    return;
  }
  const options = [...task.settings].map(([name, text]) => `--${name}=${text}`);
  running!.say({ kind: 'analyse', set: trace.id, files: trace.files, settings: options, isWhole: then !== 'judge' });
}

/** What is done is done; what was not read yet is given up. */
function stop(): void {
  const wasList = task?.then === 'judge' || queue.some((one) => one.then === 'judge');
  task = null;
  queue = [];
  next();
  startWorker();
  traces = traces.filter((one) => one.state !== 'waiting' || one === shown?.trace);
  list.draw(traces, shown?.trace ?? null);
  tell(wasList ? `Cancelled: ${counted(traces.length, 'trace')} of the list ${traces.length === 1 ? 'was' : 'were'} read.`
    : shown ? 'Cancelled: what is shown is as it was.' : 'Cancelled.');
  input.focus();
}

function nameOf({ trace, then }: Task): string {
  const waiting = queue.filter((one) => one.then === 'judge').length;
  return then === 'judge' && waiting + traces.length > 1 ? `${traces.length - waiting} of ${traces.length}: ${trace.path}` : trace.path;
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
    case 'judged':
      known = null;
      judged(task!.trace, message.line);
      next();
      tellOfList();
      break;
    case 'result':
      show(message);
      break;
    case 'report': {
      const name = `${(shown?.trace.files[0]?.name ?? 'trace').replace(/(\.etl)?(\.(gz|zst|zip))?$/i, '')}.html`;
      save(name, message.bytes, 'text/html');
      next();
      tell(`Saved ${name}, which needs no network and no other file.`);
      break;
    }
    case 'problem':
      refused(message.message, message.isEnd);
      break;
  }
}

/** A trace, or the settings, could not be used; or the analysis ended. */
function refused(message: string, isEnd: boolean): void {
  const ended = task;
  if (isEnd) {
    startWorker();
  }
  const text = sentence(inWords(isEnd
    ? `the analysis ended (${message}): if the trace is large, look at a part of it (--from, --to), or use \u2018analyzer report\u2019 on the command line`
    : message));
  if (!ended || (ended.then !== 'judge' && (isEnd ? ended.trace === shown?.trace : isOfSettings(message)))) {
    // What was to be read with the same settings would say the same.
    queue = queue.filter((one) => one.settings !== ended?.settings);
    next();
    tell('');
    complain(text);
    return;
  }
  Object.assign(ended.trace, { state: 'bad', judged: null, problem: text });
  list.draw(traces, null, ended.then === 'judge' ? null : ended.trace);
  if (ended.then === 'judge') {
    next();
    tellOfList();
    return;
  }
  // Nobody's verdict is to be taken for this one's.
  hideReport();
  next();
  tell('');
  fail(text);
  failure.scrollIntoView({ block: 'nearest' });
}

function hideReport(): void {
  root.hidden = tools.hidden = notes.hidden = true;
  history.replaceState(null, '', location.href.replace(/#.*/, ''));
}

function judged(trace: Trace, line: string): void {
  Object.assign(trace, { state: 'judged', judged: JSON.parse(line) as Judged, problem: '' });
  list.draw(traces, root.hidden ? null : shown?.trace ?? null);
}

function tellOfList(): void {
  if (!task) {
    const bad = traces.filter((one) => one.state === 'bad').length;
    tell(`${counted(traces.length - bad, 'trace')} read${bad ? `, and ${number(bad)} could not be` : ''}. A name opens its report.`);
    root.dataset['listed'] = String(traces.length);
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
  tell(task.then === 'judge' ? `Reading ${nameOf(task)}`
    : readings === 1 ? `Reading ${nameOf(task)} (first of two times: what it holds)` : `Reading ${nameOf(task)} once more (by time: who was late, and why)`, share);
}

function show({ line, blame, page, lanes, latency, notes: told, heapBytes }: Extract<FromWorker, { kind: 'result' }>): void {
  const now = task!;
  const data = parse(page, lanes, latency);
  data.blameText = blame;
  known = now.trace;
  shown = { ...now, then: 'show' };
  shownBlame = data.blame;
  document.body.classList.add('is-shown');
  fail('');
  root.hidden = false;
  judged(now.trace, line);
  const asked = linkedTimeOf(location.hash);
  const link = (id: number) => linkTo(fileOf(shown!), data.blame.episodes.find((one) => one.id === id) ?? null, shown!.settings);
  const drawn = drawPage(root, data, loaded!.licences + loaded!.runtime, {
    linkTo: link,
    about: 'Made in this browser, which sent nothing of the trace to anybody. \u2018Save report.html\u2019 makes the file that \u2018analyzer report\u2019 writes.',
  });
  root.dataset['drawn'] = String(now.trace.id);
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
  next();
  if (!task) {
    tell(`Shown below: ${fileOf(shown)}, read in ${((performance.now() - began) / 1000).toFixed(1)} s with ${Math.ceil(heapBytes / 1e6)} MB of memory.`);
  }
  if (asked.at !== null && (asked.file === null || asked.file === fileOf(shown))) {
    goTo(asked.at);
  } else {
    history.replaceState(null, '', link(-1));
    root.querySelector('main')?.focus({ preventScroll: true });
  }
  if (traces.length > 1) {
    root.scrollIntoView();
  }
  wanted.hidden = true;
}

/** The name of the trace among what the user gave: the report says it. */
function fileOf(one: Task): string {
  return shownBlame?.trace.path ?? one.trace.files[0]!.name;
}

function goTo(us: number): void {
  const episode = shownBlame && episodeAt(shownBlame, us);
  if (episode) {
    openEpisode?.(episode.id);
  }
}

/** Shows a trace of the list: at once where its report is there. */
function open(trace: Trace): void {
  fail('');
  if (trace === shown?.trace && trace.state === 'judged') {
    root.hidden = tools.hidden = false;
    list.draw(traces, trace);
    root.scrollIntoView();
    root.querySelector('main')?.focus({ preventScroll: true });
    return;
  }
  begin([{ trace, settings: settings.values(), then: 'show' }]);
}

/** All traces with other settings; what is shown first. */
function again(values: Map<string, string>): void {
  const first = shown?.trace ?? traces[0];
  if (!first) {
    complain('give a trace first');
    return;
  }
  fail('');
  begin([{ trace: first, settings: values, then: 'show' },
    ...traces.filter((one) => one !== first).map((trace): Task => ({ trace, settings: values, then: 'judge' }))]);
}

function take(found: Found, isAgreed = false): void {
  if (found.traces.length === 0) {
    const [file] = found.symbols;
    if (found.folders.length > 0) {
      complain(`there is no trace in the folder ${found.folders.join(', ')}: their names end with .etl, .etl.gz, .etl.zst or .zip`
        + (found.others ? `, and none of its ${counted(found.others, 'file')} does` : ''));
    } else if (file) {
      complain(`${file.name}: names of functions, but no trace; give the trace at the same time`);
    }
    return;
  }
  const warning = isAgreed ? '' : warningOf(found);
  question.hidden = !warning;
  if (warning) {
    ask(warning, () => take(found, true));
    return;
  }
  const asked = linkedTimeOf(location.hash);
  const values = settings.values();
  const fresh = found.traces.map(({ file, path }): Trace => {
    lastId += 1;
    return { id: lastId, path, files: [file, ...found.symbols], state: 'waiting', judged: null, problem: '' };
  });
  if (!shown || asked.file === fresh[0]!.path) {
    for (const name of ['threshold', 'from', 'to'] as const) {
      if (asked[name] !== null && !values.get(name)) {
        values.set(name, asked[name]);
      }
    }
  }
  // What is given once more, or could not be read, makes room.
  traces = [...traces.filter((one) => one.state !== 'bad' && !fresh.some((other) => other.path === one.path)), ...fresh];
  fail('');
  start.hidden = heading.hidden = sample.hidden = true;
  choose.textContent = 'Choose other traces';
  hint.textContent = 'Or drop them anywhere on this page.';
  document.body.classList.add('is-given');
  if (fresh.length > 1) {
    hideReport();
  }
  list.draw(traces, root.hidden ? null : shown?.trace ?? null);
  begin(fresh.map((trace) => ({ trace, settings: values, then: fresh.length === 1 ? 'show' : 'judge' })));
}

/** What a browser can do with what is large, before it tries; empty where nothing is. */
function warningOf({ traces: given }: Found): string {
  const bytes = given.reduce((sum, one) => sum + one.file.size, 0);
  const packed = given.find((one) => /\.(gz|zst|zip)$/i.test(one.path) && one.file.size > LARGE_PACKED);
  const minutes = Math.max(1, Math.round((2 * bytes) / BYTES_A_SECOND / 120));
  const one = given.length === 1 ? given[0]!.path : `${counted(given.length, 'trace')} together`;
  return packed && isFromDisk
    ? `${packed.path} is packed and large: unpacked it may have 768 MB at most here, because a page from a disk has memory only. Unpack it first and give the .etl file`
    : bytes >= LARGE
      ? `${one}: ${(bytes / 1e9).toFixed(1)} GB. A browser reads them piece by piece, in about ${counted(minutes, 'minute')}, and has at most 2 GB of `
        + 'memory for what it finds; if that is not enough, it says so. \u2018analyzer report\u2019 takes a sixth of the time'
      : '';
}

function ask(warning: string, goOn: () => void): void {
  const answer = (act: () => void) => () => {
    question.hidden = true;
    act();
  };
  const yes = h('button', { type: 'button', click: answer(goOn) }, 'Read it here');
  question.replaceChildren(h('p', {}, sentence(warning)), yes, h('button', { type: 'button', click: answer(() => input.focus()) }, 'Leave it'));
  yes.focus();
}

async function copy(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    tell('Copied: the link has the file\u2019s name and times, nothing else. Whoever opens it needs the same trace.');
  } catch {
    tell('This browser does not let the page copy: the link stands in its address line.');
  }
}

for (const one of [input, folder]) {
  one.addEventListener('change', () => {
    const files = [...one.files ?? []];
    if (files.length > 0) {
      take(chosen(files));
    } else {
      complain('there is no file in that folder');
    }
    one.value = '';
  });
}
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
  if (event.dataTransfer) {
    dropped(event.dataTransfer).then(take, (why: unknown) =>
      complain(`this browser does not let the page read that folder (${why instanceof Error ? why.message : String(why)}): choose it by the button`));
  }
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
  const asked = linkedTimeOf(location.hash);
  if (asked.at !== null) {
    goTo(asked.at);
  }
});

const first = linkedTimeOf(location.hash);
if (first.file) {
  wanted.textContent = `This link leads to ${first.at === null ? '' : `${first.at / 1e6} s of `}${first.file}. A link holds no trace: choose or drop that file, and it opens there.`;
  wanted.hidden = false;
}
tell('Loading the analysis', null);
// In an editor it is the editor that hands the files over.
document.addEventListener('tracer-open', (event) => take(chosen((event as CustomEvent<File[]>).detail)));
load().then((all) => {
  loaded = all;
  sample.removeAttribute('disabled');
  startWorker();
}).catch((why: unknown) => {
  tell('');
  complain(why instanceof Error ? why.message : String(why));
});

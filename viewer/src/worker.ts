// The worker: .NET runs here, so that the page stays alive, and everything it asks for it gets at once: pieces of the files that the user
// gave, and a file of the browser for what is unpacked. It is made from a blob, so the page's Content Security Policy holds here, too.
import { dotnet } from '@framework/dotnet.js';
import * as native from '@framework/dotnet.native.js';
import * as runtime from '@framework/dotnet.runtime.js';
import type { Engine, FromWorker, ToWorker } from './protocol';

interface Bytes { length: number; set(from: Uint8Array): void; slice(): Uint8Array }
interface SyncFile { read(to: Uint8Array, options: { at: number }): number; write(from: Uint8Array, options: { at: number }): number; close(): void }
interface SyncReader { readAsArrayBuffer(blob: Blob): ArrayBuffer }
interface Analysis {
  Analyse(set: number, names: string[], sizes: number[], settings: string[], isWhole: boolean): string;
  Report(program: string, style: string, licences: string): void;
}
declare const FileReaderSync: new () => SyncReader;

const BLOCK = 512 * 1024;
/** So many blocks of the file are held: a trace that is read by time has as many places in the file as CPUs. */
const MOST_BLOCKS = 24;
/** Where the browser keeps no files for pages (those from a disk among them), what is unpacked is held in memory, and may be as large as this. */
const MOST_IN_MEMORY = 768 * 1024 * 1024;
const COPIES = 'unpacked-';

const reader = new FileReaderSync();
const sets = new Map<number, File[]>();
const blocks = new Map<string, Uint8Array>();
const copies = new Map<number, SyncFile>();
const results: Record<string, string> = {};
let report: Uint8Array | null = null;
let analysis: Analysis;
/** How much memory .NET has taken from the browser: it never gives any back. */
let heapBytes = () => 0;
/** The files of the last result, which are analysed again where only settings change. */
let shownSet = -1;

const say = (message: FromWorker) => postMessage(message);

/** A block of a file, from memory where it was read lately. */
function block(set: number, file: number, number: number): Uint8Array {
  const key = `${set} ${file} ${number}`;
  let bytes = blocks.get(key);
  if (bytes) {
    blocks.delete(key);
  } else {
    const from = sets.get(set)![file]!;
    bytes = new Uint8Array(reader.readAsArrayBuffer(from.slice(number * BLOCK, Math.min(from.size, (number + 1) * BLOCK))));
    if (blocks.size >= MOST_BLOCKS) {
      blocks.delete(blocks.keys().next().value!);
    }
  }
  blocks.set(key, bytes);
  return bytes;
}

function scratch(bytes: number): Uint8Array {
  if (buffer.length < bytes) {
    buffer = new Uint8Array(bytes);
  }
  return buffer.subarray(0, bytes);
}
let buffer = new Uint8Array(BLOCK);

const page = {
  read(set: number, file: number, offset: number, to: Bytes): number {
    try {
      const first = Math.floor(offset / BLOCK);
      const bytes = block(set, file, first);
      const at = offset - first * BLOCK;
      const piece = bytes.subarray(at, Math.min(bytes.length, at + to.length));
      to.set(piece);
      return piece.length;
    } catch {
      return -1;
    }
  },
  readCopy(set: number, offset: number, to: Bytes): number {
    const into = scratch(to.length);
    const read = copies.get(set)!.read(into, { at: offset });
    to.set(into.subarray(0, read));
    return read;
  },
  writeCopy(set: number, offset: number, from: Bytes): boolean {
    const bytes = from.slice();
    try {
      return copies.get(set)!.write(bytes, { at: offset }) === bytes.length;
    } catch {
      return false;
    }
  },
  dropCopy(set: number): void {
    copies.get(set)?.close();
    copies.delete(set);
    void forgetCopies();
  },
  progress(share: number): void {
    say({ kind: 'progress', share });
  },
  give(name: string, bytes: Bytes): void {
    const copy = bytes.slice();
    if (name === 'report') {
      report = copy;
    } else {
      results[name] = new TextDecoder().decode(copy);
    }
  },
};

/** Removes what nobody uses: what a page that was closed left behind; what is open stays. */
async function forgetCopies(): Promise<void> {
  try {
    const folder = await navigator.storage.getDirectory();
    for await (const name of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) {
      if (name.startsWith(COPIES)) {
        await folder.removeEntry(name).catch(() => undefined);
      }
    }
  } catch {
    // No files here, so there are none to remove.
  }
}

/** A file of the browser, or memory where it keeps none for the page (from a disk, private windows, plain http). */
async function newCopy(): Promise<SyncFile> {
  try {
    const folder = await navigator.storage.getDirectory();
    const file = await folder.getFileHandle(COPIES + crypto.randomUUID(), { create: true });
    return await (file as unknown as { createSyncAccessHandle(): Promise<SyncFile> }).createSyncAccessHandle();
  } catch {
    return inMemory();
  }
}

function inMemory(): SyncFile {
  const pieces: Uint8Array[] = [];
  const each = (at: number, length: number, use: (piece: Uint8Array, at: number, done: number, count: number) => void) => {
    for (let done = 0; done < length;) {
      const number = Math.floor((at + done) / BLOCK);
      const within = (at + done) % BLOCK;
      const count = Math.min(length - done, BLOCK - within);
      use(pieces[number] ??= new Uint8Array(BLOCK), within, done, count);
      done += count;
    }
  };
  return {
    read(to, { at }) {
      each(at, to.length, (piece, within, done, count) => to.set(piece.subarray(within, within + count), done));
      return to.length;
    },
    write(from, { at }) {
      if (at + from.length > MOST_IN_MEMORY) {
        return 0;
      }
      each(at, from.length, (piece, within, done, count) => piece.set(from.subarray(done, done + count), within));
      return from.length;
    },
    close() {
      pieces.length = 0;
    },
  };
}

async function start(engine: Engine): Promise<void> {
  const bytes = new Map(engine.files.map((file) => [file.name, file.bytes]));
  const config = engine.config as { resources: Record<string, { name: string; moduleExports?: unknown }[]> };
  config.resources['jsModuleNative']![0]!.moduleExports = native;
  config.resources['jsModuleRuntime']![0]!.moduleExports = runtime;
  const { setModuleImports, getAssemblyExports, Module } = await dotnet
    .withConfig(config)
    .withResourceLoader((_type: string, name: string) => bytes.has(name)
      ? Promise.resolve(new Response(bytes.get(name), { headers: { 'Content-Type': 'application/wasm' } })) : undefined)
    .create();
  bytes.clear();
  setModuleImports('page', page);
  heapBytes = () => Module.HEAPU8.byteLength;
  analysis = (await getAssemblyExports('Tracer.Browser')).Tracer.Browser.Program as Analysis;
  await forgetCopies();
  say({ kind: 'ready' });
}

async function analyse({ set, files, settings, isWhole }: Extract<ToWorker, { kind: 'analyse' }>): Promise<void> {
  if (!sets.has(set)) {
    sets.set(set, files);
    copies.set(set, await newCopy());
  }
  const problem = analysis.Analyse(set, files.map((file) => file.name), files.map((file) => file.size), settings, isWhole);
  blocks.clear();
  for (const other of [...sets.keys()].filter((one) => problem ? one === set && one !== shownSet : one !== set)) {
    sets.delete(other);
    page.dropCopy(other);
  }
  if (problem) {
    say({ kind: 'problem', message: problem, isEnd: false });
    return;
  }
  shownSet = set;
  if (!isWhole) {
    say({ kind: 'judged', line: results['judged']! });
    return;
  }
  const { judged, blame, page: shown, lanes, latency, notes } = results as Record<'judged' | 'blame' | 'page' | 'lanes' | 'latency' | 'notes', string>;
  say({ kind: 'result', line: judged, blame, page: shown || blame, lanes, latency, notes, heapBytes: heapBytes() });
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  const done = data.kind === 'start' ? start(data.engine)
    : data.kind === 'analyse' ? analyse(data)
      : Promise.resolve().then(() => {
        analysis.Report(data.program, data.style, data.licences);
        say({ kind: 'report', bytes: report! });
      });
  done.catch((failure: unknown) => say({ kind: 'problem', message: String(failure), isEnd: true }));
};

// Loads the analysis once and starts workers with it as often as needed, without asking for anything again.
import type { Engine, FromWorker, ToWorker } from './protocol';

/** Fetches a file of this site and tells how far it is. */
async function fetched(name: string, progress?: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(name);
  if (!response.ok || !response.body) {
    throw new Error(`${name} could not be loaded (${response.status}): reload the page`);
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    length += piece.value.length;
    progress?.(length);
  }
  const all = new Uint8Array(length);
  pieces.reduce((at, piece) => {
    all.set(piece, at);
    return at + piece.length;
  }, 0);
  return all;
}

/** Takes apart what viewer/site.mjs packed: the length of a JSON text in four bytes, the text, and the files. */
async function unpacked(packed: Uint8Array<ArrayBuffer>): Promise<Engine> {
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as {
    config: unknown; files: { name: string; length: number }[];
  };
  let at = 4 + length;
  return {
    config: head.config,
    files: head.files.map((file) => {
      at += file.length;
      return { name: file.name, bytes: bytes.slice(at - file.length, at) };
    }),
  };
}

export interface Parts { worker: string; engine: string; engineBytes: number; report: string; style: string; licences: string; runtime: string }

/** The texts that a report is made of, the licences of what this page has besides, and what starts workers. */
export interface Loaded {
  program: string; style: string; licences: string; runtime: string; start: (heard: (message: FromWorker) => void) => Running;
}
export interface Running { say: (message: ToWorker) => void; end: () => void }

/** Loads all parts, which stand beside the script of that address. */
export async function load(parts: Parts, home: string, progress: (share: number) => void): Promise<Loaded> {
  const fetchedFrom = (name: string, told?: (bytes: number) => void) => fetched(new URL(name, home).href, told);
  const text = async (name: string) => new TextDecoder().decode(await fetchedFrom(name));
  const [worker, packed, program, style, licences, runtime] = await Promise.all([
    fetchedFrom(parts.worker), fetchedFrom(parts.engine, (bytes) => progress(Math.min(1, bytes / parts.engineBytes))),
    text(parts.report), text(parts.style), text(parts.licences), text(parts.runtime),
  ]);
  const engine = await unpacked(packed);
  // Of a blob, so that this page's Content Security Policy is the worker's, too.
  const address = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
  return {
    program, style, licences, runtime,
    start(heard) {
      const running = new Worker(address, { type: 'module' });
      running.onmessage = ({ data }: MessageEvent<FromWorker>) => heard(data);
      running.onerror = (event) => {
        event.preventDefault();
        heard({ kind: 'problem', message: event.message, isEnd: true });
      };
      running.postMessage({ kind: 'start', engine } satisfies ToWorker);
      return { say: (message) => running.postMessage(message), end: () => running.terminate() };
    },
  };
}

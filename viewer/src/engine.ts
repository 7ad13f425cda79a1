// What viewer/pack.mjs put into the page behind its script: read once, and handed to as many workers as are needed, without asking anybody
// for anything, so that the page works from a disk, too.
import type { Engine, FromWorker, ToWorker } from './protocol';

interface Head { config: unknown; files: { name: string; length: number }[] }

/** The parts by their names. */
export interface Parts { config: unknown; files: Map<string, ArrayBuffer> }

/** The texts that a report is made of, the licences of what this page has besides, a sample, and what starts workers. */
export interface Loaded {
  program: string; style: string; licences: string; runtime: string; profile: string; sample: File;
  start: (heard: (message: FromWorker) => void) => Running;
}
export interface Running { say: (message: ToWorker) => void; end: () => void }

/** Takes apart what was packed: gzip of the length of a JSON text in four bytes, the text, and the files; all of it as base64. */
async function unpacked(element: HTMLElement): Promise<Parts> {
  const packed = ofBase64(element.textContent!);
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Head;
  let at = 4 + length;
  return {
    config: head.config,
    files: new Map(head.files.map((file) => {
      at += file.length;
      return [file.name, bytes.slice(at - file.length, at)];
    })),
  };
}

function ofBase64(text: string): Uint8Array<ArrayBuffer> {
  const own = (Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> }).fromBase64;
  if (own) {
    return own.call(Uint8Array, text);
  }
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) {
    bytes[i] = letters.charCodeAt(i);
  }
  return bytes;
}

/** Loads all parts, once the whole page is there. */
export async function load(): Promise<Loaded> {
  if (document.readyState === 'loading') {
    await new Promise((done) => { document.addEventListener('DOMContentLoaded', done, { once: true }); });
  }
  const element = document.getElementById('parts');
  let parts: Parts;
  try {
    parts = await unpacked(element!);
  } catch {
    throw new Error('this file is not whole: a part of it was lost on its way. Get it again');
  }
  element!.remove();
  const take = (name: string) => {
    const bytes = parts.files.get(name)!;
    parts.files.delete(name);
    return bytes;
  };
  const text = (name: string) => new TextDecoder().decode(take(name));
  const [worker, program, licences, runtime, profile] = ['worker.js', 'report.js', 'licences.txt', 'runtime.txt', 'latency.wprp'].map(text);
  const sample = new File([take('sample.etl')], 'sample.etl');
  const engine: Engine = { config: parts.config, files: [...parts.files].map(([name, bytes]) => ({ name, bytes })) };
  // Of a blob, so that this page's Content Security Policy is the worker's, too. No module: a page from a disk may have none.
  const address = URL.createObjectURL(new Blob([worker!], { type: 'text/javascript' }));
  return {
    program: program!, style: document.getElementById('report-style')!.textContent!, licences: licences!, runtime: runtime!, profile: profile!, sample,
    start(heard) {
      const running = new Worker(address);
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

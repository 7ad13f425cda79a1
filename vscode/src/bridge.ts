// In the webview, behind the viewer's own script: takes the trace from the extension and hands it to the viewer, and hands back what the
// viewer saves, since a webview downloads nothing.
import type { FromPage, ToPage } from './messages';

declare function acquireVsCodeApi(): { postMessage(message: FromPage, transfer?: ArrayBuffer[]): void };

const editor = acquireVsCodeApi();
const files: { name: string; bytes: number; pieces: Uint8Array<ArrayBuffer>[]; got: number }[] = [];

/** Asks for what is still missing; hands the files over when nothing is. */
function goOn(): void {
  const missing = files.findIndex((one) => one.got < one.bytes);
  if (missing >= 0) {
    editor.postMessage({ kind: 'next', file: missing, at: files[missing]!.got });
    return;
  }
  const whole = files.map((one) => new File(one.pieces, one.name));
  files.length = 0;
  document.dispatchEvent(new CustomEvent('tracer-open', { detail: whole }));
}

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  switch (data.kind) {
    case 'files':
      files.splice(0, files.length, ...data.files.map((one) => ({ ...one, pieces: [], got: 0 })));
      goOn();
      break;
    case 'piece': {
      const file = files[data.file];
      if (file && data.bytes.length > 0) {
        file.pieces.push(data.bytes as Uint8Array<ArrayBuffer>);
        file.got += data.bytes.length;
        goOn();
      }
      break;
    }
    case 'problem': {
      const said = document.querySelector<HTMLElement>('.problem')!;
      const line = document.createElement('p');
      line.textContent = data.message;
      said.replaceChildren(line);
      said.hidden = false;
      break;
    }
    default:
      break; // VS Code sends words of its own.
  }
});

const blobs = new Map<string, Blob>();
const create = URL.createObjectURL;
URL.createObjectURL = (what: Blob) => {
  const url = create.call(URL, what);
  blobs.set(url, what);
  return url;
};
const revoke = URL.revokeObjectURL;
URL.revokeObjectURL = (url: string) => {
  blobs.delete(url);
  revoke.call(URL, url);
};
const click = HTMLAnchorElement.prototype.click;
HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement): void {
  const blob = this.download ? blobs.get(this.href) : undefined;
  if (!blob) {
    click.call(this);
    return;
  }
  void blob.arrayBuffer().then((bytes) => editor.postMessage({ kind: 'save', name: this.download, bytes: new Uint8Array(bytes) }));
};

editor.postMessage({ kind: 'ready' });

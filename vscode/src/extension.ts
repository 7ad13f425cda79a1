// Opens traces with the viewer in a webview: on the desktop and in VS Code for the Web, with nothing but the API that both have.
import * as vscode from 'vscode';
import { PIECE } from './messages';
import type { FromPage, ToPage } from './messages';
import { pageOf } from './page';

/** The most that workspace.fs gives at once, on every host. */
const MOST_BYTES = 2 ** 31 - 1;
/** PDBs beside the trace name functions; so much of them goes to the page. */
const MOST_PDBS = 64;
const MOST_PDB_BYTES = 512 * 1024 * 1024;

export function activate(context: vscode.ExtensionContext): void {
  for (const viewType of ['tracer.etl', 'tracer.packed']) {
    context.subscriptions.push(vscode.window.registerCustomEditorProvider(viewType, new TraceEditor(context.extensionUri), {
      // An analysis takes seconds to minutes: it is not thrown away with a tab that is behind another.
      webviewOptions: { retainContextWhenHidden: true },
      supportsMultipleEditorsPerDocument: true,
    }));
  }
}

class TraceEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(private readonly home: vscode.Uri) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor(document: vscode.CustomDocument, { webview }: vscode.WebviewPanel): Promise<void> {
    const media = vscode.Uri.joinPath(this.home, 'media');
    const out = vscode.Uri.joinPath(this.home, 'out');
    webview.options = { enableScripts: true, localResourceRoots: [media, out] };
    const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(name.endsWith('.js') ? out : media, name)).toString();
    const viewer = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.home, 'viewer.html')));
    const sending = new Sending(document.uri, webview);
    webview.onDidReceiveMessage((message: FromPage) => void sending.hear(message));
    webview.html = pageOf(viewer, webview.cspSource, address);
  }
}

/** Hands one trace, and the PDBs beside it, to one page. */
class Sending {
  private readonly bytes: (Uint8Array | null)[] = [];
  private readonly uris: vscode.Uri[] = [];

  constructor(private readonly trace: vscode.Uri, private readonly webview: vscode.Webview) {}

  async hear(message: FromPage): Promise<void> {
    try {
      switch (message.kind) {
        case 'ready':
          await this.begin();
          break;
        case 'next':
          await this.give(message.file, message.at);
          break;
        case 'save':
          await this.save(message.name, message.bytes);
          break;
      }
    } catch (failure) {
      await this.say({ kind: 'problem', message: failure instanceof Error ? failure.message : String(failure) });
    }
  }

  private say(message: ToPage): Thenable<boolean> {
    return this.webview.postMessage(message);
  }

  private async begin(): Promise<void> {
    const { size } = await vscode.workspace.fs.stat(this.trace);
    if (size > MOST_BYTES) {
      throw new Error(`This trace has ${(size / 1e9).toFixed(1)} GB, and VS Code gives extensions 2 GB at most: `
        + 'use analyzer blame on the command line, or cut a part by analyzer slice.');
    }
    if (size === 0) {
      throw new Error('This file is empty.');
    }
    const found = [{ uri: this.trace, name: nameOf(this.trace), bytes: size }, ...await this.pdbs()];
    this.uris.splice(0, this.uris.length, ...found.map((one) => one.uri));
    this.bytes.length = 0;
    await this.say({ kind: 'files', files: found.map(({ name, bytes }) => ({ name, bytes })) });
  }

  /** Gives a piece; the file is let go with its last. */
  private async give(file: number, at: number): Promise<void> {
    const uri = this.uris[file];
    if (!uri) {
      return;
    }
    const all = this.bytes[file] ??= await vscode.workspace.fs.readFile(uri);
    const bytes = all.slice(at, at + PIECE);
    if (bytes.length === 0) {
      throw new Error(`${nameOf(uri)} has become shorter while it was read: open it again.`);
    }
    if (at + bytes.length >= all.length) {
      this.bytes[file] = null;
    }
    await this.say({ kind: 'piece', file, bytes });
  }

  private async pdbs(): Promise<{ uri: vscode.Uri; name: string; bytes: number }[]> {
    const folder = vscode.Uri.joinPath(this.trace, '..');
    const found: { uri: vscode.Uri; name: string; bytes: number }[] = [];
    let left = MOST_PDB_BYTES;
    try {
      for (const [name, type] of await vscode.workspace.fs.readDirectory(folder)) {
        if (type === vscode.FileType.File && /\.pdb$/i.test(name) && found.length < MOST_PDBS) {
          const uri = vscode.Uri.joinPath(folder, name);
          const { size } = await vscode.workspace.fs.stat(uri);
          if (size > 0 && size <= left) {
            left -= size;
            found.push({ uri, name, bytes: size });
          }
        }
      }
    } catch {
      // Where the folder cannot be listed there are no names of functions, and all else is as it is.
    }
    return found;
  }

  private async save(name: string, bytes: Uint8Array): Promise<void> {
    const target = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(this.trace, '..', name) });
    if (target) {
      await vscode.workspace.fs.writeFile(target, bytes);
    }
  }
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

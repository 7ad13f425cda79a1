// What the user gives: files and folders, chosen or dropped, told apart by the ends of their names.

/** A trace, and under which name the list has it: with its folder, where it came in one. */
export interface Given { file: File; path: string }
/** `folders` are those that were given, `others` counts what in them is neither trace nor names of functions. */
export interface Found { traces: Given[]; symbols: File[]; folders: string[]; others: number }

const SYMBOLS = /\.(pdb|sys|exe|dll)$/i;
/** What a folder is searched for; what is given by itself is read whatever it is called. */
const TRACES = /\.(etl|etl\.gz|etl\.zst|zip)$/i;
/** Of a folder no more is looked at. */
const MOST_ENTRIES = 20_000;
const MOST_SYMBOLS = 64;

interface Handle { kind: 'file' | 'directory'; name: string; getFile(): Promise<File>; values(): AsyncIterable<Handle> }

export function chosen(files: File[]): Found {
  const roots = new Set(files.map((file) => file.webkitRelativePath.split('/')[0]!).filter((root) => root !== ''));
  return sorted(files.map((file) => ({ file, path: file.webkitRelativePath || file.name })), [...roots]);
}

/** Takes hold of everything before the event is over, and reads folders then. */
export function dropped(transfer: DataTransfer): Promise<Found> {
  const items = [...transfer.items].filter((item) => item.kind === 'file').map((item) => ({
    entry: item.webkitGetAsEntry?.() ?? null,
    file: item.getAsFile(),
    // A page from a disk may read folders by this alone in Chromium, which has no other browser.
    handle: (item as unknown as { getAsFileSystemHandle?(): Promise<Handle | null> }).getAsFileSystemHandle?.().catch(() => null),
  }));
  return (async () => {
    const given: Given[] = [];
    const folders: string[] = [];
    for (const { entry, file, handle } of items) {
      if (!entry?.isDirectory) {
        given.push(...file ? [{ file, path: file.name }] : []);
        continue;
      }
      folders.push(entry.name);
      const folder = await handle;
      await (folder ? byHandle(folder, entry.name, given) : byEntry(entry as FileSystemDirectoryEntry, entry.name, given));
    }
    return sorted(given, folders);
  })();
}

async function byHandle(folder: Handle, path: string, given: Given[]): Promise<void> {
  for await (const one of folder.values()) {
    if (given.length >= MOST_ENTRIES) {
      return;
    }
    const name = `${path}/${one.name}`;
    await (one.kind === 'directory' ? byHandle(one, name, given) : one.getFile().then((file) => given.push({ file, path: name }), () => 0));
  }
}

async function byEntry(folder: FileSystemDirectoryEntry, path: string, given: Given[]): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => { reader.readEntries(done, fail); });
    if (some.length === 0 || given.length >= MOST_ENTRIES) {
      return;
    }
    for (const one of some) {
      const name = `${path}/${one.name}`;
      await (one.isDirectory ? byEntry(one as FileSystemDirectoryEntry, name, given)
        : new Promise<File>((done, fail) => { (one as FileSystemFileEntry).file(done, fail); }).then((file) => given.push({ file, path: name }), () => 0));
    }
  }
}

function sorted(given: Given[], folders: string[]): Found {
  const symbols = given.filter(({ path }) => SYMBOLS.test(path));
  const rest = given.filter(({ path }) => !SYMBOLS.test(path));
  const traces = rest.filter(({ path }) => TRACES.test(path) || !folders.some((folder) => path.startsWith(`${folder}/`)));
  return {
    traces: traces.sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true })),
    symbols: symbols.slice(0, MOST_SYMBOLS).map((one) => one.file), folders, others: rest.length - traces.length,
  };
}

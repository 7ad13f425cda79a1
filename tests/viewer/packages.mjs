// The packages that viewer/package-lock.json pins, for tests that stand outside of that folder.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const inViewer = createRequire(new URL('../../viewer/package.json', import.meta.url));

/** Loads one. */
export async function load(name) {
  return await import(pathToFileURL(inViewer.resolve(name)).href);
}

/** The path of a file of one. */
export function fileOf(name) {
  return inViewer.resolve(name);
}

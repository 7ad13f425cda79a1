// Builds the extension into a folder: out/extension.js, which VS Code runs, out/bridge.js, which stands in its page, and viewer.html.
//   node build.mjs VIEWER OUT      VIEWER is what viewer/viewer.sh wrote; it holds the licences of what is in it
import { build } from 'esbuild';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [viewer, out] = process.argv.slice(2).map((path) => resolve(path));
if (!out) {
  console.error('usage: node build.mjs VIEWER OUT');
  process.exit(64);
}
rmSync(out, { recursive: true, force: true });
const settings = {
  absWorkingDir: here, bundle: true, minify: true, charset: 'ascii', legalComments: 'none', logLevel: 'warning', outdir: join(out, 'out'),
  target: ['chrome120', 'node20'],
};
await build({ ...settings, entryPoints: ['src/extension.ts'], format: 'cjs', external: ['vscode'], platform: 'browser' });
await build({ ...settings, entryPoints: ['src/bridge.ts'], format: 'iife' });
cpSync(viewer, join(out, 'viewer.html'));
for (const name of ['package.json', 'README.md', 'media']) {
  cpSync(join(here, name), join(out, name), { recursive: true });
}
cpSync(join(here, '..', 'LICENSE'), join(out, 'LICENSE'));

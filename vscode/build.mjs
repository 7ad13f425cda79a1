// Builds the extension into a folder: out/extension.js, which VS Code runs, out/bridge.js, which stands in its page, and site/, the viewer.
//   node build.mjs SITE OUT      SITE is what viewer/site.sh wrote
import { build } from 'esbuild';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [site, out] = process.argv.slice(2).map((path) => resolve(path));
if (!out) {
  console.error('usage: node build.mjs SITE OUT');
  process.exit(64);
}
rmSync(out, { recursive: true, force: true });
const settings = {
  absWorkingDir: here, bundle: true, minify: true, charset: 'ascii', legalComments: 'none', logLevel: 'warning', outdir: join(out, 'out'),
  target: ['chrome120', 'node20'],
};
await build({ ...settings, entryPoints: ['src/extension.ts'], format: 'cjs', external: ['vscode'], platform: 'browser' });
await build({ ...settings, entryPoints: ['src/bridge.ts'], format: 'iife' });
cpSync(site, join(out, 'site'), { recursive: true });
for (const name of ['package.json', 'README.md', 'media']) {
  cpSync(join(here, name), join(out, name), { recursive: true });
}
cpSync(join(here, '..', 'LICENSE'), join(out, 'LICENSE'));
const texts = readdirSync(site).filter((name) => /^(licences|runtime)-.*\.txt$/.test(name)).sort();
writeFileSync(join(out, 'licences.txt'), texts.map((name) => readFileSync(join(site, name), 'utf8')).join('\n'));

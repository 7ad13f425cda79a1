// Builds the page's bundle: viewer/bundle/report.js, report.css and licences.txt, which `analyzer` carries as resources.
// Usage: node build.mjs [FOLDER]; the folder is bundle/ unless told.
import { build } from 'esbuild';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'bundle');
mkdirSync(out, { recursive: true });
const result = await build({
  absWorkingDir: here,
  entryPoints: ['src/report.ts', 'src/report.css'],
  outdir: out,
  bundle: true,
  minify: true,
  charset: 'ascii',
  target: ['chrome109', 'firefox115', 'safari16.4'],
  format: 'iife',
  loader: { '.woff2': 'dataurl' },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

// The licence of every package of which a file is in the bundle.
const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input.split(sep).join('/'));
  if (match) {
    packages.add(match[1]);
  }
}

const texts = [...packages].sort().map((name) => {
  const folder = join(here, 'node_modules', name);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
  if (!file) {
    throw new Error(`${name} has no licence file`);
  }
  return `${name} ${about.version} (${about.license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
});
writeFileSync(join(out, 'licences.txt'), ascii(texts.join(`\n${'-'.repeat(80)}\n\n`)));

// These stand between tags of the page.
for (const [file, end] of [['report.js', '</script'], ['report.css', '</style'], ['licences.txt', '</script']]) {
  const text = readFileSync(join(out, file), 'utf8');
  if (text.toLowerCase().includes(end) || text.includes('<!--') || /[^\n\x20-\x7e]/.test(text)) {
    throw new Error(`${file} cannot stand in a page: it ends its element, begins a comment, or is not plain ASCII`);
  }
}
if (!existsSync(join(out, 'report.js'))) {
  throw new Error('nothing was built');
}

function ascii(text) {
  return text.replace(/\r/g, '').replace(/\t/g, '  ').replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"')
    .replace(/\u00a9/g, '(c)').replace(/[^\n\x20-\x7e]/g, '?');
}

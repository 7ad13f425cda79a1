// Packs the viewer as a static site: index.html and, named after their content, its script, its look, the worker and the analysis.
// Usage: node site.mjs FRAMEWORK OUT; FRAMEWORK is the folder _framework that `dotnet publish analyzer/browser` wrote.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const [framework, out] = process.argv.slice(2);
if (!framework || !out) {
  console.error('usage: node site.mjs FRAMEWORK OUT');
  process.exit(64);
}

/** The one file whose name begins and ends so; the SDK puts a hash between. */
function fileOf(start, end) {
  const found = readdirSync(framework).filter((name) => name.startsWith(start) && name.endsWith(end) && !name.endsWith('.map'));
  if (found.length !== 1) {
    throw new Error(`${framework} has ${found.length} files ${start}*${end}`);
  }
  return found[0];
}

/** The loader without its configuration, which the page packs with the files that it names. */
const scripts = mkdtempSync(join(tmpdir(), 'tracer-site-'));
const loader = readFileSync(join(framework, 'dotnet.js'), 'utf8');
const configuration = /\/\*json-start\*\/(.*)\/\*json-end\*\//s.exec(loader);
const config = JSON.parse(configuration[1]);
writeFileSync(join(scripts, 'dotnet.js'), loader.replace(configuration[0], () => '{}'));
writeFileSync(join(scripts, 'dotnet.native.js'), readFileSync(join(framework, fileOf('dotnet.native.', '.js'))));
writeFileSync(join(scripts, 'dotnet.runtime.js'), readFileSync(join(framework, fileOf('dotnet.runtime.', '.js'))));

const settings = {
  absWorkingDir: here, bundle: true, minify: true, charset: 'ascii', legalComments: 'none', logLevel: 'warning', write: false,
  target: ['chrome109', 'firefox115', 'safari16.4'],
};

async function bundled(entry, more) {
  const result = await build({ ...settings, entryPoints: [entry], ...more });
  return Buffer.from(result.outputFiles[0].contents);
}

/** What the runtime's package says of itself and of what is in it, and what the other packages of NuGet say. */
function licencesOfDotnet() {
  const assets = JSON.parse(readFileSync(join(here, '../artifacts/obj/Tracer.Browser/project.assets.json'), 'utf8'));
  const name = 'Microsoft.NETCore.App.Runtime.Mono.browser-wasm';
  const pack = Object.values(assets.project.frameworks)[0].downloadDependencies.find((one) => one.name === name);
  const version = /\[([^,\]]+)/.exec(pack.version)[1];
  const folder = join(Object.keys(assets.packageFolders)[0], name.toLowerCase(), version);
  const text = (file) => readFileSync(join(folder, file), 'utf8').replace(/\r/g, '').replace(/^\ufeff/, '');
  const others = Object.entries(assets.libraries)
    .filter(([full, one]) => one.type === 'package' && !full.startsWith('Microsoft.NET.')).map(([full]) => full.replace('/', ' '));
  return [`.NET ${version} (MIT)\n\n${text('LICENSE.TXT')}`, `In .NET:\n\n${text('THIRD-PARTY-NOTICES.TXT')}`,
    `Of NuGet, each under the MIT licence as its package says: ${others.sort().join(', ')}\n`];
}

mkdirSync(out, { recursive: true });
for (const name of readdirSync(out).filter((one) => /^(index\.html|[a-z]+-[0-9a-f]{12}\.(js|css|bin|txt))$/.test(one))) {
  rmSync(join(out, name));
}

const sizes = [];
function put(name, ending, bytes) {
  const full = ending === '.html' ? name + ending : `${name}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}${ending}`;
  writeFileSync(join(out, full), bytes);
  sizes.push([full, bytes.length, gzipSync(bytes, { level: 9 }).length]);
  return full;
}

// The runtime's own options: no diagnostics, and its compiler of hot loops as it is by default.
const files = [...config.resources.wasmNative, ...config.resources.coreAssembly, ...config.resources.assembly].map((one) => one.name);
for (const one of [...config.resources.wasmNative, ...config.resources.coreAssembly, ...config.resources.assembly]) {
  delete one.cache;
}
const head = Buffer.from(JSON.stringify({
  config, files: files.map((name) => ({ name, length: readFileSync(join(framework, name)).length })),
}));
const length = Buffer.alloc(4);
length.writeUInt32LE(head.length);
const engine = gzipSync(Buffer.concat([length, head, ...files.map((name) => readFileSync(join(framework, name)))]), { level: 9 });

const worker = await bundled('src/worker.ts', {
  format: 'esm', alias: { '@framework': scripts }, define: { 'import.meta.url': '"https://parts.invalid/_framework/dotnet.js"' },
  external: ['module', 'process', 'fs', 'path', 'url', 'crypto', 'node:*'],
});
rmSync(scripts, { recursive: true });
const bundle = (name) => readFileSync(join(here, 'bundle', name));
const runtime = Buffer.from(licencesOfDotnet().map((text) => `\n${'-'.repeat(80)}\n\n${text}`).join(''));
const parts = {
  worker: put('worker', '.js', worker), engine: put('engine', '.bin', engine), engineBytes: engine.length,
  report: put('report', '.js', bundle('report.js')), style: put('report', '.css', bundle('report.css')),
  licences: put('licences', '.txt', bundle('licences.txt')), runtime: put('runtime', '.txt', runtime),
};
const site = put('site', '.js', await bundled('src/site.ts', { format: 'iife', define: { PARTS: JSON.stringify(parts) } }));
const look = put('site', '.css', await bundled('src/site.css', {}));
put('index', '.html', Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; connect-src 'self'; font-src data:; \
img-src data:; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Tracer: which driver made this computer late?</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${parts.style}">
<link rel="stylesheet" href="${look}">
</head>
<body>
<div id="bar"></div>
<div id="page"></div>
<noscript><p>This page analyses a trace in the browser, which needs JavaScript. Without: &lsquo;analyzer blame TRACE&rsquo; on the command line.</p></noscript>
<script src="${site}"></script>
</body>
</html>
`));
const total = (column) => sizes.reduce((sum, one) => sum + one[column], 0);
for (const [name, ...bytes] of [...sizes, ['in all', total(1), total(2)]]) {
  console.log(`${name.padEnd(28)} ${bytes.map((one) => one.toLocaleString('en-US').padStart(12)).join(' ')}`);
}
console.log(' '.repeat(29) + ['bytes', 'gzip'].map((one) => one.padStart(12)).join(' '));

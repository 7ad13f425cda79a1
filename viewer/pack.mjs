// Packs the viewer as one page: its script and look, the worker, .NET, the analysis and a sample.
// Usage: node pack.mjs FRAMEWORK OUT.html; FRAMEWORK is the folder _framework that `dotnet publish analyzer/browser` wrote.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const [framework, out] = process.argv.slice(2);
if (!framework || !out) {
  console.error('usage: node pack.mjs FRAMEWORK OUT.html');
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
const scripts = mkdtempSync(join(tmpdir(), 'tracer-viewer-'));
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

// The runtime's own options: no diagnostics, and its compiler of hot loops as it is by default.
const resources = [...config.resources.wasmNative, ...config.resources.coreAssembly, ...config.resources.assembly];
for (const one of resources) {
  delete one.cache;
}
const worker = await bundled('src/worker.ts', {
  format: 'iife', alias: { '@framework': scripts }, define: { 'import.meta.url': '"https://parts.invalid/_framework/dotnet.js"' },
  external: ['module', 'process', 'fs', 'path', 'url', 'crypto', 'node:*'],
});
rmSync(scripts, { recursive: true });
const bundle = (name) => readFileSync(join(here, 'bundle', name));
const sampleOf = (name) => readFileSync(join(here, '../samples', name));
const files = [
  ...resources.map(({ name }) => [name, readFileSync(join(framework, name))]),
  ['worker.js', worker], ['report.js', bundle('report.js')], ['licences.txt', bundle('licences.txt')],
  ['runtime.txt', Buffer.from(licencesOfDotnet().map((text) => `\n${'-'.repeat(80)}\n\n${text}`).join(''))],
  ['latency.wprp', sampleOf('latency.wprp')], ['sample.etl', sampleOf('nic-behind-ndis.etl')],
];
const head = Buffer.from(JSON.stringify({ config, files: files.map(([name, bytes]) => ({ name, length: bytes.length })) }));
const length = Buffer.alloc(4);
length.writeUInt32LE(head.length);
const parts = gzipSync(Buffer.concat([length, head, ...files.map(([, bytes]) => bytes)]), { level: 9 });

const script = (await bundled('src/viewer.ts', { format: 'iife' })).toString();
const style = bundle('report.css').toString();
const look = (await bundled('src/viewer.css', {})).toString();
for (const [text, end] of [[script, /<\/script|<!--/i], [style, /<\/style/i], [look, /<\/style/i]]) {
  if (end.test(text)) {
    throw new Error(`A part cannot stand in a page: it has ${end}`);
  }
}
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
// The script comes before the parts: a page that is being loaded tells so.
const page = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; font-src data:; img-src data:; \
script-src ${hash(script)} 'wasm-unsafe-eval'; style-src ${hash(style)} ${hash(look)}; worker-src blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Tracer: which driver makes the sound crackle?</title>
<link rel="icon" href="data:,">
<style id="report-style">${style}</style>
<style>${look}</style>
</head>
<body>
<div id="bar"></div>
<div id="page"></div>
<noscript><p>This page analyses a trace in the browser, which needs JavaScript. Without: &lsquo;analyzer blame TRACE&rsquo; on the command line.</p></noscript>
<script>${script}</script>
<script type="application/gzip;base64" id="parts">${parts.toString('base64')}</script>
</body>
</html>
`);
writeFileSync(out, page);
console.log(`${out}: ${page.length.toLocaleString('en-US')} bytes, ${gzipSync(page, { level: 9 }).length.toLocaleString('en-US')} with gzip`);

// The pages of a release: every link in them leads somewhere, in the folder or on the net, and nothing is loaded from elsewhere. Of a whole
// release also that it has what users need, and nothing that is for who has the source.
// node documents.mjs FOLDER, which publish.sh documents FOLDER has filled, or the folder of a release that publish.sh has made.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = process.argv[2];
const files = readdirSync(folder, { recursive: true });
// The viewer is a program; its own tests look at it.
const pages = files.filter((name) => name.endsWith('.html') && name !== 'viewer.html');
const read = (name) => readFileSync(join(folder, name), 'utf8');
const faults = [];
const anchors = new Map();
const anchorsOf = (path) => {
  if (!anchors.has(path)) anchors.set(path, new Set([...readFileSync(path, 'utf8').matchAll(/ id="([^"]*)"/g)].map((one) => one[1])));
  return anchors.get(path);
};
const plain = (text) => text.replace(/&amp;/g, '&').replace(/&quot;/g, '"').replace(/&lt;/g, '<').replace(/&gt;/g, '>');

let links = 0;
for (const page of pages) {
  const html = read(page);
  if (/<(?:script|img|link|iframe)\b/i.test(html)) faults.push(`${page} loads something`);
  for (const [, href] of html.matchAll(/<a href="([^"]*)"/g)) {
    links++;
    if (/^https?:/.test(href)) continue;
    const [target, anchor] = plain(href).split('#');
    const path = target ? join(folder, dirname(page), decodeURIComponent(target)) : join(folder, page);
    if (!existsSync(path)) faults.push(`${page}: ${href} leads nowhere`);
    else if (anchor && path.endsWith('.html') && !anchorsOf(path).has(decodeURIComponent(anchor))) {
      faults.push(`${page}: there is no heading #${anchor} in ${target || page}`);
    }
  }
}

const start = read('START-HERE.html');
// On Windows one records; elsewhere one reads only.
const ofWindows = ['Record.cmd', 'Unblock', 'Run anyway', 'Documents\\Tracer'];
const isWindows = !files.includes('analyzer');
for (const word of isWindows ? ofWindows : ['./analyzer blame']) {
  if (!start.includes(word)) faults.push(`START-HERE.html does not speak of ${word}`);
}
for (const word of isWindows ? ['./analyzer', '<!--'] : [...ofWindows, '<!--']) {
  if (start.includes(word)) faults.push(`START-HERE.html speaks of ${word}`);
}
if (isWindows && !/<svg[\s\S]*<svg[\s\S]*<svg/.test(start)) faults.push('START-HERE.html has not three pictures');
if (files.includes('tracer') || files.includes('tracer.exe')) {
  const own = files.includes('tracer.exe') ? ['analyzer.exe', 'Record.cmd'] : ['analyzer'];
  for (const name of [...own, 'viewer.html', 'LICENSE', 'SHA256SUMS', 'sbom.cdx.json']) {
    if (!files.includes(name)) faults.push(`${name} is missing`);
  }
  if (files.filter((name) => name.endsWith('.etl')).length !== 1) faults.push('not one sample trace');
  if (files.includes('README.html')) faults.push('README.html is for who has the source');
}
if (files.some((name) => name.endsWith('.md'))) faults.push('a source of a page is left');
for (const page of pages) {
  if (/dotnet run|git clone|publish\.sh/.test(read(page))) faults.push(`${page} is for who has the source`);
}
if (pages.length < 25 || links < 150) faults.push(`only ${pages.length} pages with ${links} links`);
console.log(`# ${pages.length} pages, ${links} links`);
faults.forEach((fault) => console.log(`# ${fault}`));
process.exit(faults.length ? 1 : 0);

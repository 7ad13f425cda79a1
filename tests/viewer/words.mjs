// The page writes numbers and words as the text report does: tests/viewer/words.json is written by HtmlReportTests.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from './packages.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { build } = await load('esbuild');
const built = await build({ entryPoints: [here('../../viewer/src/words.ts')], bundle: true, format: 'esm', write: false });
const words = await import('data:text/javascript;base64,' + Buffer.from(built.outputFiles[0].text).toString('base64'));
const stored = JSON.parse(readFileSync(here('words.json'), 'utf8'));
let compared = 0;
const compare = (what, expected, actual) => {
  compared++;
  if (expected !== actual) {
    console.log(`${what}: '${actual}' in the place of '${expected}'`);
    process.exitCode = 1;
  }
};
for (const [name, write] of [['durations', words.duration], ['places', words.place], ['compact', words.compact], ['percents', words.percent],
  ['counts', (count) => words.counted(count, 'context switch')]]) {
  for (const [value, text] of stored[name]) {
    compare(`${name} ${value}`, text, write(value));
  }
}
for (const [values, unit, texts] of stored.columns) {
  const column = words.timesOf(values);
  compare(`unit of ${values}`, unit, column.unit);
  values.forEach((value, place) => compare(`${value} in a column of ${values}`, texts[place], column.of(value)));
}
for (const [name, map] of [['mechanisms', words.MECHANISMS], ['proofs', words.PROOFS], ['probes', words.PROBES]]) {
  for (const [word, meaning] of Object.entries(stored[name])) {
    compare(`${name} ${word}`, meaning, map[word]);
  }
}
// The words that pages explain are those of the glossary.
const glossary = readFileSync(here('../../docs/reference/glossary.md'), 'utf8').split('## Words that lost')[0];
for (const { word } of JSON.parse(readFileSync(here('../../viewer/src/glossary.json'), 'utf8'))) {
  const isThere = glossary.split('\n').some((line) => line.startsWith('| ') && line.split('|')[1].split(',').some((one) => one.trim() === word))
    || glossary.includes(`*${word}*:`);
  compare(`${word} in docs/reference/glossary.md`, 'explained', isThere ? 'explained' : 'not explained');
}
if (compared < 50) {
  console.log(`only ${compared} words were compared`);
  process.exitCode = 1;
}

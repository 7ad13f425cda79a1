// How soon headless Chromium shows a page of `analyzer report`: a new profile each time, from the start of the navigation.
// Usage: CHROMIUM=... node report-paint.mjs PAGE ROUNDS; prints JSON.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { load } from '../tests/viewer/packages.mjs';

const [path, rounds] = process.argv.slice(2);
const puppeteer = (await load('puppeteer-core')).default;
const html = readFileSync(path, 'utf8');
const data = (id) => JSON.parse(gunzipSync(Buffer.from(new RegExp(`id="${id}">([^<]*)<`).exec(html)[1], 'base64')));
const [blame, lanes] = [data('blame'), data('lanes')];
const times = [];
let version = '';
for (let round = 0; round < Number(rounds); round++) {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
  version = await browser.version();
  const page = await browser.newPage();
  await page.setViewport({ width: 1200, height: 900 });
  await page.evaluateOnNewDocument(() => {
    new MutationObserver((_, observer) => {
      if (document.getElementById('page')?.dataset.drawn) {
        observer.disconnect();
        // Two frames later it has been painted.
        requestAnimationFrame(() => requestAnimationFrame(() => { window.drawnAt = performance.now(); }));
      }
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-drawn'] });
  });
  await page.goto(pathToFileURL(resolve(path)).href);
  await page.waitForFunction(() => window.drawnAt && performance.getEntriesByName('first-contentful-paint').length > 0, { timeout: 60_000 });
  times.push(await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0].startTime, window.drawnAt]));
  await browser.close();
}
const median = (place) => Math.round(times.map((one) => one[place]).sort((a, b) => a - b)[Math.floor(times.length / 2)]);
console.log(JSON.stringify({
  browser: version, events: blame.trace.events, episodes: blame.episodes.length + (lanes.leftOut?.count ?? 0), listed: blame.episodes.length,
  timelines: lanes.episodes.length, leftOut: lanes.leftOut?.count ?? 0, paintMs: median(0), drawnMs: median(1),
}));

// Shows pages of `analyzer report` in headless Chromium and looks at them, each look a TAP line: no error, no request, usable by keyboard,
// nothing serious for axe-core, and the stored pictures in light, dark, on a phone and on paper.
// Usage: CHROMIUM=... ANALYZER=... TRACER=... node browser.mjs FOLDER [all]: one page, or all four. UPDATE_GOLDEN=1 stores the pictures.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fileOf, load } from './packages.mjs';

const out = process.argv[2];
const isAll = process.argv[3] === 'all';
const pictures = fileURLToPath(new URL('pictures', import.meta.url));
const updates = process.env.UPDATE_GOLDEN === '1';
const puppeteer = (await load('puppeteer-core')).default;
const pixelmatch = (await load('pixelmatch')).default;
const { PNG } = (await load('pngjs')).default;
const axe = readFileSync(fileOf('axe-core/axe.min.js'), 'utf8');

/** A page printed to PDF has to be smaller than this, in bytes: it is sent by mail. */
const MOST_PRINTED = 2_000_000;

/** The part of a page that is compared, in CSS pixels; pictures have half of that. */
const HEIGHT = 2600;
/** Pixels that may differ: edges of letters do from one Chromium to the next. */
const MOST_DIFFERENT = 0.02;

const looks = {
  light: { width: 1200, scheme: 'light', media: 'screen' },
  dark: { width: 1200, scheme: 'dark', media: 'screen' },
  phone: { width: 390, scheme: 'light', media: 'screen' },
  print: { width: 718, scheme: 'light', media: 'print' },
};

function tap(name, problems) {
  for (const problem of problems) {
    console.log(`# ${String(problem).replaceAll('\n', '\n# ')}`);
  }
  console.log(`${problems.length ? 'not ok' : 'ok'} viewer: ${name}`);
  process.exitCode = problems.length ? 1 : process.exitCode;
}

/** The page of a trace, which is read by its bare name: the page shows the path. */
function pageOf(name, trace) {
  const [link, html] = [join(out, basename(trace)), join(out, `${name}.html`)];
  if (trace !== link) {
    copyFileSync(trace, link);
  }
  execFileSync('dotnet', [resolve(process.env.ANALYZER), 'report', basename(trace), '-o', html], { cwd: out, stdio: ['ignore', 'ignore', 'inherit'] });
  return html;
}

const data = (html, id) => {
  const text = readFileSync(html, 'utf8');
  return JSON.parse(gunzipSync(Buffer.from(new RegExp(`id="${id}">([^<]*)<`).exec(text)[1], 'base64')));
};

/** Opens a page; what went wrong or out is gathered in `problems`. */
async function open(browser, html, look) {
  const page = await browser.newPage();
  const problems = [];
  page.on('console', (message) => problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error}`));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(html).href && !request.url().startsWith('data:font/')) {
      problems.push(`request: ${request.url()}`);
    }
  });
  await show(page, look);
  await page.goto(pathToFileURL(html).href);
  await page.waitForSelector('#page[data-drawn]', { timeout: 100_000 }).catch((error) => problems.push(error));
  await page.evaluate(async () => { await document.fonts.ready; });
  return { page, problems };
}

async function show(page, { width, scheme, media }) {
  await page.setViewport({ width, height: 900, deviceScaleFactor: 0.5 });
  // Both at once: each of the page's own methods for this undoes the other.
  const session = await page.createCDPSession();
  await session.send('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
}

/** A picture, asked for again where none comes: a busy machine's Chromium at times draws no frame until its page is brought to the front. */
async function shotOf(page, clip) {
  for (let left = 4; ; left--) {
    try {
      return Buffer.from(await page.screenshot({ clip, captureBeyondViewport: true }));
    } catch (error) {
      if (left === 0 || !String(error).includes('timed out')) {
        throw error;
      }
      await page.bringToFront();
    }
  }
}

async function picture(page, name) {
  await page.evaluate(() => { window.scrollTo(0, 0); document.activeElement?.blur(); });
  const [width, height] = await page.evaluate(() => [innerWidth, document.documentElement.scrollHeight]);
  const shot = await shotOf(page, { x: 0, y: 0, width, height: Math.min(HEIGHT, height) });
  const stored = join(pictures, `${name}.png`);
  if (updates) {
    mkdirSync(pictures, { recursive: true });
    writeFileSync(stored, shot);
    return [];
  }
  if (!existsSync(stored)) {
    return [`${name}.png is not stored yet; UPDATE_GOLDEN=1 writes it`];
  }
  const [now, before] = [PNG.sync.read(shot), PNG.sync.read(readFileSync(stored))];
  if (now.width !== before.width || Math.abs(now.height - before.height) > 12) {
    return [`${name}: ${now.width} x ${now.height} pixels in the place of ${before.width} x ${before.height}`];
  }
  const rows = Math.min(now.height, before.height);
  const cut = (png) => png.data.subarray(0, rows * png.width * 4);
  const different = pixelmatch(cut(now), cut(before), null, now.width, rows, { threshold: 0.25 });
  return different > MOST_DIFFERENT * now.width * rows ? [`${name}: ${different} of ${now.width * rows} pixels differ`] : [];
}

/** What axe-core finds serious; of a page that was looked at whole and has other colours now, what depends on them is enough. */
async function seriousFor(page, colours) {
  if (!colours) {
    await page.evaluate(axe);
  }
  const found = await page.evaluate(async (runOnly) => (await window.axe.run(document, { resultTypes: ['violations'], runOnly })).violations,
    colours ? ['color-contrast', 'link-in-text-block'] : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
  return found.filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

/** From the top to the worst episode and what ran in it, without a mouse. */
async function byKeyboard(page, blame) {
  const problems = [];
  const focused = () => page.evaluate(() => {
    const now = document.activeElement;
    return { tag: now.tagName.toLowerCase(), cls: now.getAttribute('class') ?? '', text: now.textContent.slice(0, 200), id: now.parentElement?.id ?? '' };
  });
  const tabTo = async (is, most) => {
    for (let i = 0; i < most; i++) {
      await page.keyboard.press('Tab');
      const now = await focused();
      if (is(now)) {
        return now;
      }
    }
    return null;
  };
  await page.evaluate(() => window.scrollTo(0, 0));
  if (!await tabTo((now) => now.cls === 'skip', 1)) {
    problems.push('the first stop is not the link that skips to the report');
  }
  if (!await tabTo((now) => now.cls === 'look', 40)) {
    return [...problems, 'no stop leads to the worst episode'];
  }
  await page.keyboard.press('Enter');
  const worst = [...blame.episodes].sort((a, b) => Number(a.secondary ?? 0) - Number(b.secondary ?? 0) || b.latencyUs - a.latencyUs)[0];
  const fold = await focused();
  if (fold.tag !== 'summary' || fold.id !== `episode-${worst.id}`) {
    return [...problems, `the link does not lead to episode ${worst.id} but to ${JSON.stringify(fold)}`];
  }
  if (!await tabTo((now) => now.cls === 'timeline', 12)) {
    return [...problems, 'no stop is the timeline'];
  }
  const detail = () => page.evaluate(() => document.activeElement.parentElement.querySelector('.detail').textContent);
  const before = await detail();
  await page.keyboard.press('ArrowRight');
  const first = await detail();
  await page.keyboard.press('Home');
  const longest = await detail();
  await page.keyboard.press('Enter');
  const label = await page.evaluate(() => document.activeElement.querySelector('.axis').textContent);
  await page.keyboard.press('0');
  const whole = await page.evaluate(() => document.activeElement.querySelector('.axis').textContent);
  const cause = worst.causes[0];
  for (const [what, holds] of [
    ['the arrow keys tell a span', first !== before && /^CPU \d+: .* of the wait|outside of the wait/.test(first)],
    ['Home tells the longest span and whose it is', cause.mechanism === 'blackout' ? longest.includes('blackout: nothing was served')
      : longest.includes(cause.culprit) && longest.includes('proof ')],
    ['Enter zooms and 0 shows all again', label !== whole],
  ]) {
    if (!holds) {
      problems.push(`not so: ${what} (${before} | ${first} | ${longest} | ${label} | ${whole})`);
    }
  }
  return problems;
}

const words = JSON.parse(readFileSync(fileURLToPath(new URL('../../viewer/src/glossary.json', import.meta.url)), 'utf8'));

/** What is wrong with how a page explains its words: each that it uses once, in view, beside where it is used first. */
async function unexplained(page) {
  return page.evaluate((all) => {
    const others = 'nav, pre, code, button, select, svg, td, tbody th, summary, figcaption, .figures, .name, .words, .how-box, .legend, .licences, details:not([open])';
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const used = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (!node.parentElement.closest(others) && node.parentElement.offsetHeight > 0 && node.parentElement.closest('#page')) {
        used.push(node);
      }
    }
    const notes = [...document.querySelectorAll('.words')];
    return all.flatMap(({ word, forms }) => {
      const pattern = new RegExp(`(?<![\\w.\\\\-])(?:${forms.join('|')})(?![\\w\\\\-]|\\.\\w)`, 'i');
      const first = used.find((node) => pattern.test(node.textContent));
      const own = notes.filter((note) => [...note.querySelectorAll('dfn')].some((one) => one.textContent === word));
      if (!first) {
        return [];
      }
      if (own.length !== 1 || own[0].offsetHeight === 0) {
        return [`${word} is explained ${own.length} times; it is used in: ${first.textContent.slice(0, 80)}`];
      }
      const [note] = own;
      const isBefore = (note.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
      const isBeside = note.previousElementSibling?.contains(first);
      return isBefore || isBeside ? [] : [`${word} is used before it is explained: ${first.textContent.slice(0, 80)}`];
    });
  }, words);
}

/** The numbers in view that have more than three significant digits. Percentiles are names, places in a trace seconds behind "at" or in a column. */
async function tooPrecise(page) {
  return page.evaluate(() => {
    const text = [document.querySelector('#page').innerText, ...[...document.querySelectorAll('td.number')].map((cell) => `${cell.textContent} ms`)].join('\n');
    return [...text.matchAll(/(\b(?:at|from|to|after|around)\s+-?)?(?<![\w.,])(\d[\d,]*\.\d+) (ns|us|ms|s|min|h|%)(?!\w)/g)]
      .filter(([, place, number, unit]) => !(unit === 's' && (place || number.split('.')[1].length === 6)) && !/^99\.9+ %/.test(`${number} ${unit}`) && number.replace(/^[0.,]+/, '').replace(/[.,]/g, '').length > 3)
      .map(([all]) => `too many digits: ${all}`);
  });
}

/** All looks of a page that is open. */
async function lookAround(page, name, isStored) {
  const wrong = [];
  const serious = [];
  for (const [look, settings] of Object.entries(looks)) {
    await show(page, settings);
    if (isStored) {
      wrong.push(...await picture(page, `${name}-${look}`));
    }
    if (look === 'print') {
      const printed = (await page.pdf()).length;
      if (printed >= MOST_PRINTED) {
        wrong.push(`${look}: ${printed} bytes of PDF`);
      }
    }
    wrong.push(...(await unexplained(page)).map((one) => `${look}: ${one}`), ...look === 'light' ? await tooPrecise(page) : []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) {
      wrong.push(`${look}: the page is ${wide} pixels too wide`);
    }
    if (look === 'light' || look === 'dark') {
      serious.push(...(await seriousFor(page, look === 'dark')).map((one) => `${look}: ${one}`));
    }
  }
  tap(`${name}: light, dark, on a phone and on paper it is ${isStored ? 'as stored' : 'not too wide'}, with its words explained and no needless digits`, wrong);
  tap(`${name}: axe-core finds nothing serious`, serious);
}

/** The pages of other commands: the same look, tables that sort, and nothing loaded. What is measured differs each time: no picture. */
async function others(browser) {
  const run = (program, ...words) =>
    execFileSync('dotnet', [resolve(process.env[program]), ...words], { cwd: out, stdio: ['ignore', 'ignore', 'inherit'] });
  run('TRACER', 'simulate', 'dpc-flood', '--duration', '2s', '-o', 'flood.etl');
  run('ANALYZER', 'diff', 'clean.etl', 'flood.etl', '--html', 'diff.html');
  writeFileSync(join(out, 'empty.etl'), '');
  try {
    run('ANALYZER', 'blame', 'clean.etl', 'flood.etl', 'nic-behind-ndis.etl', 'firmware-blackout.etl', 'empty.etl', '--format', 'cases', '-o', 'cases.jsonl');
  } catch {
    // Status 1: one of them is empty, and its case says so.
  }
  run('ANALYZER', 'fleet', 'cases.jsonl', '--html', 'fleet.html');
  mkdirSync(join(out, 'some'));
  copyFileSync(join(out, 'flood.etl'), join(out, 'some', 'flood.etl'));
  copyFileSync(join(out, 'clean.etl'), join(out, 'some', 'clean.etl'));
  run('ANALYZER', 'report', 'some', '-o', 'some/pages/');
  run('TRACER', 'measure', 'sleep', '--duration', '1s', '-o', 'measure.html');
  for (const [name, html] of [['diff', 'diff.html'], ['fleet', 'fleet.html'], ['index', 'some/pages/index.html'], ['measure', 'measure.html']]) {
    const { page, problems } = await open(browser, join(out, html), looks.light);
    const sorted = await page.evaluate(() => [...document.querySelectorAll('table.sorts')].every((table) => {
      const head = table.querySelector('thead button');
      const first = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
      head.click();
      const once = first();
      head.click();
      return first().join() === once.reverse().join() && new Set(once).size === once.length || new Set(once).size < once.length;
    }));
    tap(`${name}: drawn without an error and without a request, and its tables sort`, sorted ? problems : [...problems, 'a table does not sort']);
    await page.reload();
    await lookAround(page, name, name !== 'measure');
    await page.close();
  }
}

/** What a page says without what the culprit's driver drives, which it adds to the sentence. */
function withoutDevice(text, { culprits: [first] }) {
  return first?.device ? text.replaceAll(` (${first.device})`, '').replaceAll(`(${first.device}, `, '(') : text;
}

/** A page tells one longest wait; where that of all waits is another, it says so. */
async function oneLongest(page, blame, latency) {
  const { figure, measured, isTold } = await page.evaluate(() => ({
    figure: document.querySelector('.figures li')?.innerText ?? '',
    measured: document.querySelector('header .facts dd').textContent,
    isTold: [...document.querySelectorAll('#waits .note')].some((one) => one.textContent.startsWith('The longest here, ')),
  }));
  const worst = /, worst (.+)$/.exec(measured)?.[1];
  const most = Math.max(...latency.distributions.map((one) => one.maxUs));
  const isOther = blame.summary.worstUs !== null && latency.distributions.length > 0 && Math.abs(most / blame.summary.worstUs - 1) > 0.006;
  return [
    ...worst && !new RegExp(`^${worst}\\sthe longest `).test(figure) ? [`the header says ${worst}, and in large ${figure}`] : [],
    ...isOther && !isTold ? [`of all waits the longest is ${most} us, and nothing tells why that is another than ${worst}`] : [],
  ];
}

async function lookAt(browser, name, html) {
  const blame = data(html, 'blame');
  const { page, problems } = await open(browser, html, looks.light);
  const heading = await page.evaluate(() => document.querySelector('h1').textContent);
  const device = blame.culprits[0]?.device;
  const bare = withoutDevice(heading, blame);
  tap(`${name}: the page says the verdict with the device, without an error and without a request`,
    bare === blame.summary.conclusion && (!device || heading.includes(device)) ? problems : [...problems, `it says: ${heading}`]);
  tap(`${name}: one longest, and why another is another`, await oneLongest(page, blame, data(html, 'latency')));
  await lookAround(page, name, true);
  await show(page, looks.light);
  if (blame.episodes.length > 0) {
    tap(`${name}: by keyboard from the verdict into the worst episode`, await byKeyboard(page, blame));
  }
  const late = problems.slice();
  tap(`${name}: nothing went out or wrong afterwards either`, late);
  await page.close();
}

/** Names that would be elements or scripts if the page took them for HTML. */
async function hostile(browser, html) {
  const evil = '</script><img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202e\u2028';
  let text = readFileSync(html, 'utf8');
  for (const id of ['blame', 'lanes']) {
    const old = new RegExp(`(id="${id}">)([^<]*)(<)`).exec(text);
    const json = gunzipSync(Buffer.from(old[2], 'base64')).toString().replaceAll(/gimoxowifi\.sys|ndis\.sys|nufame\.exe/g, JSON.stringify(evil).slice(1, -1));
    text = text.replace(old[0], () => old[1] + gzipSync(json).toString('base64') + old[3]);
  }
  const path = join(out, 'hostile.html');
  writeFileSync(path, text);
  const { page, problems } = await open(browser, path, looks.light);
  const [hit, images, says] = await page.evaluate(() => [window.hit, document.images.length, document.body.innerText]);
  if (hit || images || !says.includes('</script><img src=x') || !says.includes('\\u202e\\u2028') || /[\u202e\u2028]/.test(says)) {
    problems.push(`hit ${hit}, ${images} images, says ${says.slice(0, 300)}`);
  }
  await page.close();
  tap('names in a trace stay text', problems);
}

/** The latencies: their numbers are those of the data, whatever is chosen; and a page of before there were any has no such section. */
async function latencies(browser, html) {
  const latency = data(html, 'latency');
  const { page, problems } = await open(browser, html, looks.light);
  const rows = () => page.evaluate(() => [...document.querySelectorAll('#waits tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent)));
  const points = () => page.evaluate(() => document.querySelectorAll('#waits svg.waits .point').length);
  const whole = latency.distributions.filter((one) => Object.keys(one.part).length === 0);
  const shown = await rows();
  if (shown.length !== whole.length || shown[0][1] !== whole[0].count.toLocaleString('en-US')) {
    problems.push(`of ${whole.length} kinds it shows ${JSON.stringify(shown)}`);
  }
  const bins = whole.flatMap((one) => one.bins.filter((bin) => bin.count > 0)).length;
  if (await points() !== bins) {
    problems.push(`${await points()} points in the place of ${bins}`);
  }
  const bands = await page.evaluate(async () => {
    const fold = [...document.querySelectorAll('#waits details')].find((one) => one.textContent.startsWith('How sure'));
    fold.open = true;
    await new Promise((done) => { setTimeout(done, 50); });
    const cells = [...fold.querySelectorAll('tbody tr')].map((row) => [...row.children].slice(1).map((cell) => cell.textContent));
    fold.remove();
    return cells;
  });
  const told = whole.map((one) => one.percentiles.map(({ lowUs = null, highUs = null }) => lowUs === null ? '-' : highUs === null ? 'or more' : ' to '));
  if (bands.length !== told.length || told.some((row, i) => row.some((word, place) => !bands[i][place].includes(word)))) {
    problems.push(`bands ${JSON.stringify(bands)} in the place of ${JSON.stringify(told)}`);
  }
  const processes = latency.distributions.filter((one) => one.part.process !== undefined && one.kind === whole[0].kind);
  await page.evaluate(() => {
    const choice = document.querySelector('#waits select');
    choice.value = [...choice.options].find((one) => one.textContent.endsWith('by process')).value;
    choice.dispatchEvent(new Event('change'));
  });
  const longest = processes.sort((a, b) => b.maxUs - a.maxUs)[0];
  const [first] = await rows();
  if (first[0] !== longest.part.process || first[1] !== longest.count.toLocaleString('en-US')) {
    problems.push(`the first process is ${JSON.stringify(first)} in the place of ${longest.part.process}`);
  }
  await page.close();
  const before = join(out, 'without-latency.html');
  writeFileSync(before, readFileSync(html, 'utf8').replace(/<script[^>]*id="latency">[^<]*<\/script>/, ''));
  const old = await open(browser, before, looks.light);
  problems.push(...old.problems, ...await old.page.evaluate(() => document.querySelector('#waits') ? ['a page without latencies has them'] : []));
  await old.page.close();
  tap('all waits: as many points as bins, numbers of the data, bands of percentiles, parts to choose from', problems);
}

/** What is forecast: sentences, worst cases or why none, the underrun curve with a table, all of the data; and each group to choose. */
async function forecasts(browser, html) {
  const all = data(html, 'latency').forecasts;
  const { page, problems } = await open(browser, html, looks.light);
  const seen = () => page.evaluate(() => ({
    text: document.querySelector('#forecast').innerText,
    points: document.querySelectorAll('#forecast svg.underrun .point').length,
    tables: [...document.querySelectorAll('#forecast table')].map((one) => [...one.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent))),
    curve: [...document.querySelectorAll('#forecast figure table tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent)),
    tried: [...document.querySelectorAll('#forecast table')].filter((one) => one.textContent.startsWith('Tried on itself'))
      .flatMap((one) => [...one.querySelectorAll('tbody tr')].map((row) => row.children[3].textContent)),
    picture: document.querySelector('#forecast svg.underrun')?.getAttribute('aria-label') ?? null,
    chosen: document.querySelector('#forecast select')?.selectedOptions[0].textContent,
  }));
  const choose = (place) => page.evaluate((value) => {
    const choice = document.querySelector('#forecast select');
    choice.value = value;
    choice.dispatchEvent(new Event('change'));
  }, String(place));
  const high = all.findIndex((one) => one.kind === 'thread' && one.group === 'real-time-high');
  const first = await seen();
  if (!first.chosen?.includes('real-time high')) {
    problems.push(`at first it shows ${first.chosen}`);
  }
  for (const [place, one] of all.entries()) {
    await choose(place);
    const now = await seen();
    problems.push(...one.sentences.filter((sentence) => !now.text.includes(`${sentence}.`)).map((sentence) => `it lacks: ${sentence}`));
    const refusal = one.peaksOverThreshold.refusal;
    if (refusal !== null && !now.text.includes(refusal)) {
      problems.push(`it lacks why: ${refusal}`);
    }
    const [worst, applications] = now.tables;
    if (worst.length !== 3 || applications.length !== one.applications.length || applications[0][0] !== one.applications[0].name) {
      problems.push(`tables ${JSON.stringify(now.tables)}`);
    }
    if (now.tried.join() !== one.selfTests.map((test) => test.isHit ? 'yes' : 'no: don\u2019t rely on this forecast').join()) {
      problems.push(`tried on itself: ${JSON.stringify(now.tried)}`);
    }
    const curves = new Map(one.applications.map((application) => [`${application.bufferUs} ${application.computeUs}`, application.curve]));
    const reached = one.waits < 1000 ? [] : [...curves.values()].filter((curve) => curve.some((point) => point.underrunUs !== null)).slice(0, 6)
      .flatMap((curve) => curve.filter((point) => point.underrunUs !== null));
    if (now.points !== reached.length || (now.picture === null) !== (reached.length === 0)) {
      problems.push(`${now.points} points in the place of ${reached.length}`);
    }
  }
  await choose(high);
  // By keyboard: the table beside the picture opens and holds every point, reached or not.
  await page.focus('#forecast figure summary');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#forecast figure table tbody tr');
  const rows = (await seen()).curve;
  const one = all[high];
  if (rows.length === 0 || rows.length % 8 !== 0 || !rows.some((row) => row[3] === 'not reached') || !one.applications.some((application) =>
    application.curve.some((point) => point.underrunUs !== null))) {
    problems.push(`the table has ${JSON.stringify(rows.slice(0, 9))}`);
  }
  await page.close();
  tap('forecasts: sentences, worst cases or why none, the underrun curve, its table and the self-tests are those of the data', problems);
}

/** What a page says whose data was damaged, cut, or is of another version: why, and what to do. */
async function damaged(browser, html) {
  const whole = readFileSync(html, 'utf8');
  const element = (id) => new RegExp(`(id="${id}">)([^<]*)(<)`);
  const put = (id, base64) => whole.replace(element(id), (_, before, __, after) => before + base64 + after);
  const packed = (json) => gzipSync(JSON.stringify(json)).toString('base64');
  const old = (id) => element(id).exec(whole)[2];
  const lanes = data(html, 'lanes');
  const broken = (change) => { const copy = structuredClone(lanes); change(copy); return put('lanes', packed(copy)); };
  const kept = 'This file has no timelines that can be shown: ';
  const problems = [];
  // One page for all: each is loaded anew, and none leaves anything behind.
  let name;
  const page = await browser.newPage();
  page.on('pageerror', (error) => problems.push(`${name}: ${error.stack ?? error}`));
  for (const [what, text, says] of [
    ['cut in its data', whole.slice(0, whole.indexOf('id="lanes"') + 200), 'the file was cut'],
    ['no base64', put('blame', '*' + old('blame')), 'its data is damaged'],
    ['another letter', put('blame', old('blame').slice(0, 3000) + 'AAAA' + old('blame').slice(3004)), 'its data is damaged'],
    ['half of it', put('blame', old('blame').slice(0, 4000)), 'its data is damaged'],
    ['nothing', put('blame', ''), 'its data is damaged'],
    ['another version', put('blame', packed({ ...data(html, 'blame'), schema: 'tracer.blame/2' })), 'tracer.blame/2 and this page reads tracer.blame/1'],
    ['another thing', put('blame', packed({ schema: 'tracer.blame/1' })), 'its data is not what this page reads'],
    ['latencies cut', put('latency', old('latency').slice(0, 400)), 'This file has no latencies that can be shown: its data is damaged'],
    ['lanes cut', put('lanes', old('lanes').slice(0, 400)), kept + 'its data is damaged'],
    ['lanes of another version', broken((all) => { all.schema = 'tracer.lanes/9'; }), kept + 'its data is tracer.lanes/9'],
    ['lanes that point nowhere', broken((all) => { all.episodes[0].cpus[0].spans[2] = 1e6; }), kept + 'it points at what is not there'],
  ]) {
    name = what;
    const path = join(out, 'damaged.html');
    writeFileSync(path, text);
    await page.goto(pathToFileURL(path).href);
    const hasProgram = text.endsWith('</html>\n');
    await page.waitForSelector(hasProgram ? '#page[data-drawn], [role=alert]' : 'body', { timeout: 60_000 }).catch((error) => problems.push(`${name}: ${error}`));
    if (!hasProgram) {
      // It appears after a while, so that a page that is whole does not flash; here nobody waits.
      await page.evaluate(() => document.querySelector('.not-drawn').getAnimations().forEach((one) => one.finish()));
    }
    const said = await page.evaluate(() => document.body.innerText);
    if (!said.includes(says)) {
      problems.push(`${name}: it says ${said.slice(0, 300)}`);
    }
    if (says.startsWith(kept) && !withoutDevice(said, data(html, 'blame')).includes(data(html, 'blame').summary.conclusion)) {
      problems.push(`${name}: the verdict is not there`);
    }
  }
  await page.close();
  tap('a page that was damaged or cut, or is of another version, says what to do', problems);
}

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM, headless: true, protocolTimeout: 45_000,
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars'],
});
try {
  const corpus = process.env.TRACER_CORPUS ?? '../shared/corpus';
  const windows7 = join(corpus, 'randomascii-slowppt.etl.gz');
  const [clean, glitches] = ['clean', 'glitches'].map((name) => join(out, `${name}.etl`));
  const pages = [
    ['nic', 'samples/nic-behind-ndis.etl'], ['blackouts', 'samples/firmware-blackout.etl'], ['windows7', windows7],
    ['clean', clean], ['glitches', glitches],
  ];
  for (const [scenario, seed, trace] of isAll ? [['clean', '1', clean], ['glitch-dpc', '5', glitches]] : []) {
    execFileSync('dotnet', [process.env.TRACER, 'simulate', scenario, '--seed', seed, '--duration', '2s', '--no-second-run', '-o', trace],
      { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  for (const [name, trace] of isAll ? pages : pages.slice(0, 1)) {
    if (existsSync(trace)) {
      await lookAt(browser, name, pageOf(name, trace));
    } else {
      console.log(`ok viewer: ${name} # SKIP no ${trace} here`);
    }
  }
  if (isAll) {
    await others(browser);
  }
  await hostile(browser, join(out, 'nic.html'));
  await damaged(browser, join(out, 'nic.html'));
  await latencies(browser, join(out, 'nic.html'));
  await forecasts(browser, join(out, 'nic.html'));
} finally {
  await browser.close();
}

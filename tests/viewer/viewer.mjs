// Looks at the viewer, the page that analyses traces in the browser, as a double-click opens it, from the disk; each look a TAP line: the same
// bytes as the command, nothing asked of anybody, usable by keyboard, nothing serious for axe-core, one sentence for each bad input, and no
// verdict below another file's failure. What a browser allows only a page from a server is looked at from there, and what differs between
// browsers in Firefox, too, where it is here.
// Usage: CHROMIUM=... FIREFOX=... ANALYZER=... node viewer.mjs VIEWER.html FOLDER
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fileOf } from './packages.mjs';
import { serve } from './server.mjs';
import { after, drop, give, native, saved, viewer } from './viewer-page.mjs';
import { zip } from './zip.mjs';

const [file, out] = process.argv.slice(2);
const nic = 'samples/nic-behind-ndis.etl';
const stops = 'samples/firmware-blackout.etl';
/** Where it does not matter what is in a trace: it is read in a fraction of the time. */
const small = 'samples/first.etl';

function tap(name, problems) {
  for (const problem of problems) {
    console.log(`# ${String(problem).replaceAll('\n', '\n# ')}`);
  }
  console.log(`${problems.length ? 'not ok' : 'ok'} viewer: ${name}`);
  process.exitCode = problems.length ? 1 : process.exitCode;
}

const put = (name, bytes) => {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), bytes);
  return join(out, name);
};

/** What is wrong with what the page says; nothing where it is what is expected. */
const unlike = (what, is, pattern) => pattern.test(is) ? [] : [`${what}: ${JSON.stringify(is)} is not ${pattern}`];

async function sameBytes(page, path, ...options) {
  const [here, there] = [await saved(page, 'Save blame.json'), native(out, path, 'blame', '--format', 'json', ...options)];
  return here.equals(there) ? [] : [`${basename(path)}: ${here.length} bytes in the browser, ${there.length} by the command, and not the same`];
}

/** What axe-core finds serious; of a page that was looked at whole and has other colours now, what depends on them is enough. */
async function serious(page, name, colours = false) {
  if (!colours) {
    await page.evaluate(readFileSync(fileOf('axe-core/axe.min.js'), 'utf8'));
  }
  const found = await page.evaluate(async (runOnly) => (await window.axe.run(document, { resultTypes: ['violations'], runOnly })).violations,
    colours ? ['color-contrast', 'link-in-text-block'] : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
  return found.filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => `${name}: ${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

const scheme = (page, value) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);

/** From the page as it opens to the worst episode of a trace, without a mouse. */
async function byKeyboard(page) {
  const tabTo = async (is) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(is)) {
        return true;
      }
    }
    return false;
  };
  await page.evaluate(() => document.activeElement?.blur());
  if (!await tabTo(() => document.activeElement.id === 'file')) {
    return ['no stop chooses a file'];
  }
  // A key that comes before the browser has been told to hand the dialog over opens none.
  let chooser = null;
  for (let tries = 0; !chooser && tries < 4; tries++) {
    [chooser] = await Promise.all([page.waitForFileChooser({ timeout: 20_000 }).catch(() => null), page.keyboard.press('Space')]);
  }
  if (!chooser) {
    return ['the space bar opens no dialog for files'];
  }
  const shown = await after(page, () => chooser.accept([nic]));
  const problems = unlike('the verdict', shown.heading, /^gimoxowifi\.sys \(.*behind ndis\.sys\) is to blame/);
  if (!await tabTo(() => document.activeElement.className === 'look')) {
    return [...problems, 'no stop leads to the worst episode'];
  }
  await page.keyboard.press('Enter');
  const [fold, hash] = await page.evaluate(() => [document.activeElement.parentElement.className, location.hash]);
  return [...problems, ...unlike('what has the focus', fold, /^episode$/), ...unlike('the link', hash, /^#file=nic-behind-ndis\.etl&at=\d+\.\d+s$/)];
}

const all = await viewer(file);
try {
  const { page, problems, requests } = await all.open();
  await page.setOfflineMode(true);
  await page.setViewport({ width: 1200, height: 900 });
  const bare = [...await serious(page, 'before a trace is chosen')];
  const steps = await page.$eval('.start', (one) => one.innerText);
  tap('without a trace it says how to get one, and gives the profile', [
    ...unlike('the steps', steps, /wpr -start "%USERPROFILE%\\Downloads\\latency\.wprp!Latency"[\s\S]*wpr -stop "[^"]*crackle\.etl"/),
    ...(await saved(page, 'Save latency.wprp')).equals(readFileSync('samples/latency.wprp')) ? [] : ['the profile is another']]);
  tap('from the empty page into an episode by keyboard', await byKeyboard(page));
  tap('its JSON is what analyzer blame prints, byte for byte', await sameBytes(page, nic));

  // The same settings as the command's, with no file given again.
  const settings = { threshold: '3ms', without: 'gimoxowifi.sys', suspect: 'ndis.sys', from: '1s' };
  const set = async (values) => {
    await page.evaluate((fields) => {
      document.querySelector('.settings').open = true;
      document.querySelector('.settings form').reset();
      document.getElementById('choose-threshold').value = fields.threshold ? 'other' : '';
      Object.entries(fields).forEach(([name, text]) => { document.getElementById(`set-${name}`).value = text; });
    }, values);
    return await after(page, () => page.click('.settings [type=submit]'));
  };
  const clear = () => page.evaluate(() => document.querySelector('.settings form').reset());
  await set(settings);
  const options = Object.entries(settings).flatMap(([name, text]) => [`--${name}`, text]);
  const again = await sameBytes(page, nic, ...options);
  const report = (await saved(page, 'Save report.html')).toString();
  native(out, nic, 'report', ...options, '-o', 'native.html');
  const unzipped = (text) => text.replace(/(gzip;base64" id="\w+">)([^<]*)/g, (_, start, data) => start + gunzipSync(Buffer.from(data, 'base64')));
  tap('analysed again with other settings, and saved, it is what the command writes', [
    ...again, ...unzipped(report) === unzipped(readFileSync(join(out, 'native.html'), 'utf8')) ? [] : ['the saved report is another']]);
  await clear();
  await page.select('#choose-threshold', '1.333ms');
  const words = await page.$eval('.settings > summary', (one) => one.textContent);
  await after(page, () => page.click('.settings [type=submit]'));
  tap('a setting is chosen in words: an audio buffer', [
    ...unlike('the settings', words, /^Settings: late from audio buffer: 128 samples \(half of it, 1\.33 ms\)$/),
    ...await sameBytes(page, nic, '--threshold', '1.333ms')]);
  bare.push(...await serious(page, 'light, with settings'));

  // Bad input: one sentence. What is wrong with a setting stands above what is shown; a trace that cannot be read stands in its place.
  const bad = [];
  const wrong = await set({ threshold: 'soon' });
  bad.push(...unlike('a wrong setting', wrong.problem, /^\u201cLate from\u201d: /), ...unlike('after it', wrong.heading, /^gimoxowifi/));
  const late = await set({ from: '1h' });
  bad.push(...unlike('a time behind the end', late.problem, /^\u201cFrom\u201d 3600s: this trace ends at /), ...unlike('after it', late.heading, /^gimoxowifi/));
  await clear();
  const expect = async (name, files, pattern) => {
    const said = await give(page, files);
    bad.push(...unlike(name, said.failure, pattern));
    if (said.heading !== '' || !/^[^\n]+[.]$/.test(said.failure) || said.bad.length !== 0 || !said.list.some((one) => /gimoxowifi/.test(one))) {
      bad.push(`${name}: ${JSON.stringify(said)}`);
    }
  };
  const damaged = Buffer.from(zip({ 'stop.etl': readFileSync(stops) }));
  // Its first block is of a type that there is not: noise might be read as another trace.
  damaged[30 + damaged.readUInt16LE(26) + damaged.readUInt16LE(28)] = 0x07;
  const pdb = put('alone.pdb', Buffer.concat([Buffer.from('Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'), Buffer.alloc(4096)]));
  await expect('no trace', [put('notes.txt', 'No trace at all, but long enough for one. '.repeat(50))], /^\S*notes\.txt is (no|not) /i);
  await expect('nothing', [put('empty.etl', '')], /^empty\.etl is empty\.$/);
  await expect('a damaged zip', [put('damaged.zip', damaged)], /^damaged\.zip is damaged .*: unpack what can be and name the \.etl file\.$/);
  await expect('7-Zip', [put('a.7z', Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4, 1, 2, 3]))], /^a\.7z is packed by 7-Zip, which can't be read: /);
  bad.push(...unlike('a PDB alone', (await give(page, [pdb])).problem, /^alone\.pdb: names of functions, but no trace; give the trace/));
  put('no traces/notes.txt', 'none');
  put('no traces/below/more.txt', 'none');
  bad.push(...unlike('a folder without traces', (await drop(page, [join(out, 'no traces')])).problem,
    /^There is no trace in the folder no traces: .*, and none of its 2 files does\.$/));
  const reopened = await after(page, () => page.evaluate(() => {
    document.querySelector('.traces .open').click();
    document.getElementById('page').dataset.drawn = 'shown again';
  }));
  bad.push(...unlike('the trace that was shown is shown again', reopened.heading, /^gimoxowifi/));
  const changing = put('changing.etl', readFileSync(small));
  await give(page, [changing]);
  writeFileSync(changing, Buffer.concat([readFileSync(nic), Buffer.alloc(4096)]));
  const changed = await set({ threshold: '1ms' });
  bad.push(...unlike('a file that was changed', changed.failure, /^changing\.etl cannot be read any more: it was changed or removed since it was given to the page; give it again\.$/),
    ...unlike('after it', changed.heading, /^$/));
  await clear();
  tap('bad input: one sentence each, and never above the verdict of another file', bad);

  // What takes long is told before it begins. A sparse file: nothing is read of it.
  await page.waitForFunction(() => document.querySelector('.state button').hidden, { timeout: 300_000 });
  const large = put('large.etl', '');
  truncateSync(large, 2_100_000_000);
  await (await page.$('#file')).uploadFile(large);
  await page.waitForFunction(() => !document.querySelector('.question').hidden);
  const [question, state] = await page.evaluate(() => {
    const texts = [document.querySelector('.question p').textContent, document.querySelector('.state p').textContent];
    [...document.querySelectorAll('.question button')].at(-1).click();
    return texts;
  });
  tap('a trace of 2 GB: what the browser can do is said before it tries', [
    ...unlike('it says', question, /^large\.etl: 2\.1 GB\. A browser reads .* about 3 minutes, .* at most 2 GB of memory .*\.$/),
    .../Reading/.test(state) ? ['it reads already'] : []]);
  rmSync(large);

  // Many at once: 40, of which 5 are broken, in a folder with another in it.
  for (let i = 1; i <= 34; i++) {
    put(`many/${i}.etl`, readFileSync(small));
  }
  put('many/below/nic.etl', readFileSync(nic));
  const whole = readFileSync(small);
  put('many/empty.etl', '');
  put('many/text.etl', 'no trace '.repeat(500));
  put('many/cut.etl', whole.subarray(0, 40));
  put('many/zip.zip', 'PK no zip');
  put('many/packed.etl.gz', gzipSync(whole).subarray(0, 60));
  put('many/notes.txt', 'passed over');
  const many = await drop(page, [join(out, 'many')]);
  const mine = many.list.filter((one) => one.startsWith('many/'));
  tap('a folder with 40 traces of which 5 are broken: a list with verdicts, the worst first, and one sentence for each that is broken', [
    ...unlike('it says', many.said, /^\d+ traces read, and 5 could not be\./), ...unlike('the worst', mine[0] ?? '',
      /^many\/below\/nic\.etl\|driver\|gimoxowifi\.sys \(Denevo Gigabit Ethernet Controller\)\|4\.40\|8\|\d*\|\d*\|certain$/),
    ...mine.length === 35 ? [] : [`${mine.length} are listed`], ...many.heading === '' ? [] : [`${many.heading} is shown`],
    ...many.bad.length === 5 && many.bad.every((one) => /^many\/\S+: [^\n]+\.$/.test(one)) ? [] : many.bad, ...many.problem ? [many.problem] : []]);
  bare.push(...await serious(page, 'the list'));
  const opened = await after(page, () => page.evaluate(() => [...document.querySelectorAll('.traces .open')].find((one) => one.textContent === 'many/7.etl').click()));
  tap('a trace of the list is opened', [...unlike('it shows', opened.heading, /^nic\.sys is to blame/), ...unlike('as the current one',
    await page.$eval('.traces [aria-current]', (one) => one.textContent), /^many\/7\.etl$/)]);
  await page.setViewport({ width: 390, height: 800 });
  bare.push(...await serious(page, 'the list on a phone'), ...await page.evaluate(() =>
    document.documentElement.scrollWidth > innerWidth ? ['the page is wider than a phone'] : []));
  await page.setViewport({ width: 1200, height: 900 });
  await scheme(page, 'dark');
  bare.push(...await serious(page, 'dark, with the list', true));
  await scheme(page, 'light');
  tap('axe-core finds nothing serious in the viewer', bare);

  // Packed as people mail them; a page from a disk has memory only.
  const trace = readFileSync(small);
  const packed = [];
  const places = [];
  const dropPacked = async (from, path) => {
    const said = await drop(from, [path]);
    places.push(await from.workers()[0].evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const names = [];
      for await (const name of folder.keys()) {
        names.push(name);
      }
      return names.length;
    }).catch(() => 'memory'));
    packed.push(...unlike(basename(path), said.problem + said.failure, /^$/), ...await sameBytes(from, path));
  };
  await dropPacked(page, put('first.zip', zip({ 'notes.txt': Buffer.from('x'), 'a/first.etl': trace })));

  // As if the runtime had ended, which it does without memory.
  const ended = await after(page, () => page.workers()[0].evaluate(() => { setTimeout(() => { throw new Error('out of memory'); }); }));
  tap('an analysis that ends is told in a sentence, and the next trace is read', [
    ...unlike('it says', ended.problem, /^The analysis ended \(.*out of memory\): if the trace is large, look at a part of it .*\.$/),
    ...unlike('it shows', ended.heading, /^nic\.sys/), ...unlike('the next', (await give(page, [small])).heading, /^nic\.sys/)]);

  // A PDB of another build, and the same one with the identity that the trace asks for.
  const corpus = process.env.TRACER_CORPUS ?? '../shared/corpus';
  const real = join(corpus, 'pdb/perfview-CppCon.pdb');
  if (existsSync(real)) {
    const foreign = put('gimoxowifi.pdb', readFileSync(real));
    const refused = await give(page, [nic, foreign]);
    const own = put('gimoxowifi.pdb', withIdentity(readFileSync(real), [0x4f0adc12, '7dbd2a4fa9be263bacaeb467', 5], [0x9db87613, '17f75ba41caddd8022b69ac9', 3]));
    const taken = await give(page, [nic, own]);
    tap('a PDB is taken by GUID and age, and that of another build is refused in one sentence', [
      ...unlike('another build', refused.notes, /gimoxowifi\.pdb is 12DC0A4FBD7D4F2AA9BE263BACAEB4675, not 1376B89DF717A45B1CADDD8022B69AC93\.$/),
      ...unlike('its own', taken.notes, /^$/), ...await sameBytes(page, nic)]);
    rmSync(join(out, 'gimoxowifi.pdb'));
  } else {
    console.log(`ok viewer: a PDB is taken by GUID and age # SKIP no ${real} here`);
  }

  // Given up: the worker is ended, and its successor is made of what the page has.
  await page.evaluate(() => { document.getElementById('page').dataset.drawn = 'before'; });
  await (await page.$('#file')).uploadFile(stops);
  await page.evaluate(() => document.querySelector('.state button').click());
  const kept = await page.evaluate(() => [document.querySelector('.state p').textContent, document.querySelector('#page h1').textContent]);
  const next = await give(page, [stops]);
  tap('cancelled, what was shown stays, and the next trace is read', [
    ...unlike('it says', kept[0], /^Cancelled: what is shown is as it was\.$/), ...unlike('the next', next.problem + next.failure, /^$/), ...await sameBytes(page, stops)]);

  // A link to a moment.
  const [hash, id] = await page.evaluate(() => {
    const fold = [...document.querySelectorAll('.episode')].at(-1);
    fold.querySelector('summary').click();
    return [location.hash, fold.id];
  });
  const other = await all.open(hash);
  const hint = await other.page.$eval('.wanted', (one) => one.textContent);
  await give(other.page, [stops]);
  const led = await other.page.evaluate(() => document.activeElement.parentElement.id);
  tap('a link opens the same trace at the same moment, and holds a name and times only', [
    ...unlike('the link', hash, /^#file=firmware-blackout\.etl&at=[\d.]+s$/), ...unlike('the page', hint, /^This link leads to [\d.]+ s of firmware-blackout\.etl\./),
    ...led === id ? [] : [`it opens ${led}, not ${id}`]]);
  await other.page.close();

  // From a server a browser keeps files for it, of limited size.
  const server = await serve(file);
  const served = await viewer(file, { address: server.url });
  const online = await served.open();
  await dropPacked(online.page, put('first.etl.gz', gzipSync(trace, { level: 1 })));
  tap('packed traces are dropped, unpacked to a file of the browser or to memory, and read as the command reads them',
    [...packed, ...unlike('unpacked to', places.join(' '), /^memory 1$/)]);
  // As if the browser's disk were full.
  await online.page.workers()[0].evaluate(() => {
    FileSystemSyncAccessHandle.prototype.write = () => { throw new DOMException('full', 'QuotaExceededError'); };
  });
  const full = await give(online.page, [put('stop.etl.gz', gzipSync(readFileSync(stops), { level: 1 }))]);
  tap('too large for what the browser lets a page keep: one sentence', [
    ...unlike('it says', full.failure, /^The trace becomes larger, when it is unpacked, than this browser lets a page keep: unpack it and give the \.etl file/)]);
  await served.close();
  server.close();

  // The worker is made of a blob, so the page's policy is its own.
  await page.setOfflineMode(false);
  const reached = await page.workers()[0].evaluate(() => fetch('https://example.org/').then(() => 'reached', () => 'refused'));
  tap('the page asks nobody for anything, and its worker may not', [
    ...[...requests, ...other.requests, ...online.requests].map((one) => `request: ${one}`), ...reached === 'refused' ? [] : ['the worker reached another site']]);
  tap('no error on the console of the viewer', [...problems, ...other.problems, ...online.problems].filter((one) => !one.includes('example.org')));
} finally {
  await all.close();
}

if (!process.env.FIREFOX) {
  console.log('ok viewer: from a disk in Firefox # SKIP no firefox-esr here: package firefox-esr');
} else {
  const firefox = await viewer(file, { firefox: process.env.FIREFOX });
  try {
    const { page, problems, requests } = await firefox.open();
    const sample = await after(page, () => page.click('.sample'));
    copyFileSync(nic, join(out, 'sample.etl'));
    const found = [...unlike('the sample', sample.heading, /^gimoxowifi\.sys \(.*behind ndis\.sys\) is to blame/), ...await sameBytes(page, join(out, 'sample.etl'))];
    const some = await give(page, [stops, small, join(out, 'empty.etl'), join(out, 'first.zip')]);
    found.push(...some.list.length === 4 && some.bad.length === 1 ? [] : [JSON.stringify(some)], ...unlike('the list', some.list[1] ?? '', /^first\.etl\|driver\|nic\.sys\|/));
    const bad = await give(page, [join(out, 'empty.etl')]);
    found.push(...unlike('nothing', bad.failure, /^empty\.etl is empty\.$/), ...unlike('above it', bad.heading, /^$/));
    truncateSync(put('large.etl', ''), 2_100_000_000);
    await (await page.$('#file')).uploadFile(join(out, 'large.etl'));
    await page.waitForFunction(() => !document.querySelector('.question').hidden);
    found.push(...unlike('a large one', await page.$eval('.question p', (one) => one.textContent), /^large\.etl: 2\.1 GB\. A browser reads /));
    rmSync(join(out, 'large.etl'));
    found.push(...await serious(page, 'in Firefox'), ...problems, ...requests);
    tap('from a disk in Firefox: the sample, a list, one sentence for what cannot be read or is large, and nothing asked of anybody', found);
  } finally {
    await firefox.close();
  }
}

/** A PDB with another identity: its GUID, and the age in the header of its debug information. */
function withIdentity(bytes, [first, rest, age], [newFirst, newRest, newAge]) {
  const guid = (start, end) => Buffer.concat([Buffer.from([start >>> 24, (start >>> 16) & 255, (start >>> 8) & 255, start & 255]), Buffer.from(end, 'hex')]);
  const dbi = (count) => Buffer.from([255, 255, 255, 255, 0x77, 0x09, 0x31, 0x01, count, 0, 0, 0]);
  for (const [old, fresh] of [[guid(first, rest), guid(newFirst, newRest)], [dbi(age), dbi(newAge)]]) {
    for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, at + 1)) {
      fresh.copy(bytes, at);
    }
  }
  return bytes;
}

// Looks at the viewer, the page that analyses a trace in the browser, each look a TAP line: the same bytes as the command, nothing asked of
// any server once it is loaded, usable by keyboard, nothing serious for axe-core, and one sentence for each bad input, after which what was
// shown is still there.
// Usage: CHROMIUM=... ANALYZER=... node site.mjs SITE FOLDER
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fileOf } from './packages.mjs';
import { after, drop, give, native, saved, viewer } from './viewer-page.mjs';
import { zip } from './zip.mjs';

const [site, out] = process.argv.slice(2);
const nic = 'samples/nic-behind-ndis.etl';
const stops = 'samples/firmware-stop.etl';
/** Where it does not matter what is in a trace: it is read in a fraction of the time. */
const small = 'samples/first.etl';

function tap(name, problems) {
  for (const problem of problems) {
    console.log(`# ${String(problem).replaceAll('\n', '\n# ')}`);
  }
  console.log(`${problems.length ? 'not ok' : 'ok'} viewer: ${name}`);
  process.exitCode = problems.length ? 1 : process.exitCode;
}

const file = (name, bytes) => {
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
  const problems = unlike('the verdict', shown.heading, /^gimoxowifi\.sys \(behind ndis\.sys\) is to blame/);
  if (!await tabTo(() => document.activeElement.className === 'look')) {
    return [...problems, 'no stop leads to the worst episode'];
  }
  await page.keyboard.press('Enter');
  const [fold, hash] = await page.evaluate(() => [document.activeElement.parentElement.className, location.hash]);
  return [...problems, ...unlike('what has the focus', fold, /^episode$/), ...unlike('the link', hash, /^#file=nic-behind-ndis\.etl&at=\d+\.\d+s$/)];
}

const all = await viewer(site);
try {
  const { page, problems } = await all.open();
  const loaded = all.server.asked.length;
  const requests = [];
  page.on('request', (request) => !request.url().startsWith('blob:') && requests.push(request.url()));
  await page.setViewport({ width: 1200, height: 900 });
  const bare = [...await serious(page, 'before a trace is chosen')];
  tap('from the empty page into an episode by keyboard', await byKeyboard(page));
  tap('its JSON is what analyzer blame prints, byte for byte', await sameBytes(page, nic));

  // The same settings as the command's, with no file given again.
  const settings = { threshold: '3ms', without: 'gimoxowifi.sys', suspect: 'ndis.sys', from: '1s' };
  const set = async (values) => {
    await page.evaluate((fields) => {
      document.querySelector('.settings').open = true;
      document.querySelector('.settings form').reset();
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
  bare.push(...await serious(page, 'light, with settings'));
  await scheme(page, 'dark');
  bare.push(...await serious(page, 'dark, with settings', true));
  await scheme(page, 'light');
  tap('axe-core finds nothing serious in the viewer', bare);

  // Packed as people mail them.
  const trace = readFileSync(small);
  const packed = [];
  await clear();
  const places = [];
  for (const path of [file('first.etl.gz', gzipSync(trace, { level: 1 })), file('first.zip', zip({ 'notes.txt': Buffer.from('x'), 'a/first.etl': trace }))]) {
    const said = await drop(page, [path]);
    places.push(await page.workers()[0].evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const names = [];
      for await (const name of folder.keys()) {
        names.push(name);
      }
      // For the next one: a browser that keeps no files for pages.
      navigator.storage.getDirectory = () => Promise.reject(new Error('none'));
      return names.length;
    }).catch(() => 'memory'));
    packed.push(...unlike(basename(path), said.problem, /^$/), ...await sameBytes(page, path));
  }
  tap('packed traces are dropped, unpacked to a file of the browser or to memory, and read as the command reads them',
    [...packed, ...unlike('unpacked to', places.join(' '), /^1 memory$/)]);

  // Bad input: one sentence, and what was shown stays.
  const changing = file('changing.etl', readFileSync(nic));
  const { heading } = await give(page, [changing]);
  const bad = [];
  const expect = async (name, files, pattern) => {
    const said = await give(page, files);
    bad.push(...unlike(name, said.problem, pattern));
    if (said.heading !== heading || !/^[^\n]+[.]$/.test(said.problem)) {
      bad.push(`${name}: ${JSON.stringify(said)}`);
    }
  };
  const damaged = Buffer.from(zip({ 'stop.etl': readFileSync(stops) }));
  // Its first block is of a type that there is not: noise might be read as another trace.
  damaged[30 + damaged.readUInt16LE(26) + damaged.readUInt16LE(28)] = 0x07;
  const pdb = Buffer.concat([Buffer.from('Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'), Buffer.alloc(4096)]);
  await expect('no trace', [file('notes.txt', 'No trace at all, but long enough for one. '.repeat(50))], /^\S*notes\.txt is (no|not) /i);
  await expect('nothing', [file('empty.etl', '')], /^empty\.etl is empty/i);
  await expect('a PDB alone', [file('alone.pdb', pdb)], /^Alone\.pdb: names of functions, but no trace; give the trace/);
  await expect('two traces', [nic, stops], /^These are 2 traces, and the page shows one: .*; give them one after the other\.$/);
  await expect('a damaged zip', [file('damaged.zip', damaged)], /^Damaged\.zip is damaged .*: unpack what can be and name the \.etl file\.$/);
  await expect('7-Zip', [file('a.7z', Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4, 1, 2, 3]))], /^A\.7z is packed by 7-Zip, which is not read: /);
  const wrong = await set({ threshold: 'soon' });
  bad.push(...unlike('a wrong setting', wrong.problem, /^--threshold: /), ...unlike('after it', wrong.heading, /^gimoxowifi/));
  const late = await set({ from: '1h' });
  bad.push(...unlike('a time behind the end', late.problem, /^--from 3600s: this trace ends at /));
  await clear();
  writeFileSync(changing, Buffer.concat([readFileSync(nic), Buffer.alloc(4096)]));
  const changed = await set({ threshold: '1ms' });
  bad.push(...unlike('a file that was changed', changed.problem, /^Changing\.etl cannot be read any more: it was changed or removed since it was given to the page; give it once more\.$/),
    ...unlike('after it', changed.heading, /^gimoxowifi/));
  await clear();
  bad.push(...unlike('a folder', (await drop(page, ['samples'])).problem, /^That is a folder: open it and drop the trace in it\.$/));
  tap('bad input: one sentence each, and what was shown stays', bad);

  // As if the runtime had ended, which it does without memory.
  const ended = await after(page, () => page.workers()[0].evaluate(() => { setTimeout(() => { throw new Error('out of memory'); }); }));
  tap('an analysis that ends is told in a sentence, and the next trace is read', [
    ...unlike('it says', ended.problem, /^The analysis ended \(.*out of memory\): if the trace is large, look at a part of it .*\.$/),
    ...unlike('it shows', ended.heading, /^gimoxowifi/), ...unlike('the next', (await give(page, [small])).problem, /^$/)]);

  // As if the browser's disk were full.
  await clear();
  const session = await page.createCDPSession();
  await session.send('Storage.overrideQuotaForOrigin', { origin: all.server.url.slice(0, -1), quotaSize: 100_000 });
  const shown = await page.$eval('#page h1', (one) => one.textContent);
  const full = await give(page, [file('stop.etl.gz', gzipSync(readFileSync(stops), { level: 1 }))]);
  await session.send('Storage.overrideQuotaForOrigin', { origin: all.server.url.slice(0, -1) });
  tap('too large for what the browser lets a page keep: one sentence, and what was shown stays', [
    ...unlike('it says', full.problem, /^The trace becomes larger, when it is unpacked, than this browser lets a page keep: unpack it and give the \.etl file/),
    ...full.heading === shown ? [] : [`it shows: ${full.heading}`]]);

  // A PDB of another build, and the same one with the identity that the trace asks for.
  const corpus = process.env.TRACER_CORPUS ?? '../shared/corpus';
  const real = join(corpus, 'pdb/perfview-CppCon.pdb');
  if (existsSync(real)) {
    const foreign = file('gimoxowifi.pdb', readFileSync(real));
    const refused = await give(page, [nic, foreign]);
    const own = file('gimoxowifi.pdb', withIdentity(readFileSync(real), [0x4f0adc12, '7dbd2a4fa9be263bacaeb467', 5], [0x9db87613, '17f75ba41caddd8022b69ac9', 3]));
    const taken = await give(page, [nic, own]);
    tap('a PDB is taken by GUID and age, and that of another build is refused in one sentence', [
      ...unlike('another build', refused.notes, /Gimoxowifi\.pdb is 12DC0A4FBD7D4F2AA9BE263BACAEB4675, not 1376B89DF717A45B1CADDD8022B69AC93\.$/),
      ...unlike('its own', taken.notes, /^$/), ...await sameBytes(page, nic)]);
    rmSync(join(out, 'gimoxowifi.pdb'));
  } else {
    console.log(`ok viewer: a PDB is taken by GUID and age # SKIP no ${real} here`);
  }

  // Given up: the worker is ended, and its successor needs nothing of any server.
  await page.evaluate(() => { document.getElementById('page').dataset.drawn = 'before'; });
  await (await page.$('#file')).uploadFile(stops);
  await page.evaluate(() => document.querySelector('.state button').click());
  const kept = await page.evaluate(() => [document.querySelector('.state p').textContent, document.querySelector('#page h1').textContent]);
  const next = await give(page, [stops]);
  tap('cancelled, what was shown stays, and the next trace is read', [
    ...unlike('it says', kept[0], /^Cancelled: what is shown is as it was\.$/), ...unlike('the next', next.problem, /^$/), ...await sameBytes(page, stops)]);

  // A link to a moment.
  const [hash, id] = await page.evaluate(() => {
    const fold = [...document.querySelectorAll('.episode')].at(-1);
    fold.querySelector('summary').click();
    return [location.hash, fold.id];
  });
  const other = await all.open(hash);
  const hint = await other.page.$eval('.wanted', (one) => one.textContent);
  await give(other.page, [stops]);
  const opened = await other.page.evaluate(() => document.activeElement.parentElement.id);
  tap('a link opens the same trace at the same moment, and holds a name and times only', [
    ...unlike('the link', hash, /^#file=firmware-stop\.etl&at=[\d.]+s$/), ...unlike('the page', hint, /^This link leads to [\d.]+ s of firmware-stop\.etl\./),
    ...opened === id ? [] : [`it opens ${opened}, not ${id}`]]);
  await other.page.close();

  // The worker is made of a blob, so the page's policy is its own.
  const worker = page.workers()[0];
  const reached = await worker.evaluate(() => fetch('https://example.org/').then(() => 'reached', () => 'refused'));
  const asked = all.server.asked.filter((one) => one !== 'GET /' && !/^GET \/[a-z]+-[0-9a-f]{12}\.\w+$/.test(one));
  tap('once it is loaded the page asks nobody for anything, and its worker may not', [
    ...requests.map((one) => `request: ${one}`), ...asked, ...all.server.asked.length === 2 * loaded ? [] : [`${all.server.asked.length} requests for two pages of ${loaded}`],
    ...reached === 'refused' ? [] : ['the worker reached another site']]);
  const mine = problems.filter((one) => !one.includes('example.org'));
  tap('no error on the console of the viewer', [...mine, ...other.problems]);
} finally {
  await all.close();
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

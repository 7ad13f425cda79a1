// Measures the viewer beside the command on the same traces: time, memory, whether the JSON is the same byte for byte; and the size of the
// page. Everything is written as a table in Markdown. CPU times are those of all threads of the process that works, so they mean something
// on a busy machine, too: the command's from start to end, the browser's renderer from the file's choice to the drawn page.
// Usage: viewer/viewer.sh VIEWER.html && node viewer/measure.mjs VIEWER.html [TRACE]...
//   --same instead of traces: every sample and corpus trace, no times
//   --first [N]: from opening the page to the first verdict, of a sample; the least of N runs (5)
// VIEWER.html may be an address. The command is artifacts/bin/analyzer/release/analyzer.dll (dotnet build analyzer -c Release); ANALYZER
// names another.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { give, saved, viewer } from '../tests/viewer/viewer-page.mjs';

process.env.ANALYZER ??= fileURLToPath(new URL('../artifacts/bin/analyzer/release/analyzer.dll', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const corpus = process.env.TRACER_CORPUS ?? join(root, '../shared/corpus');
const [file, ...rest] = process.argv.slice(2);
const isAddress = /^https?:/.test(file);
const isSame = rest[0] === '--same';
const folders = [join(root, 'samples'), corpus, join(corpus, 'synthetic'), join(corpus, 'calibrated')];
const every = () => folders.flatMap((folder) => {
  try {
    return readdirSync(folder).filter((name) => /\.etl(\.gz)?$/.test(name)).sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
});
const traces = isSame ? every() : rest.length ? rest : [join(root, 'samples/nic-behind-ndis.etl'), join(corpus, 'randomascii-slowppt.etl.gz')];
const out = mkdtempSync(join(tmpdir(), 'tracer-measure-'));
const mb = (bytes) => (bytes / 1e6).toFixed(1);
const start = () => viewer(file, isAddress ? { address: file } : {});
if (rest[0] === '--first') {
  await first(Number(rest[1] ?? 5));
  process.exit();
}
const all = await start();
try {
  if (!isAddress) {
    const bytes = readFileSync(file);
    console.log(`The page: ${bytes.length.toLocaleString('en-US')} bytes, ${gzipSync(bytes, { level: 9 }).length.toLocaleString('en-US')} packed with gzip.\n`);
  }
  const { page } = await all.open();
  console.log(isSame ? '| trace | MB | JSON |\n|---|---|---|'
    : '| trace | MB | command: CPU s | elapsed s | browser: CPU s | elapsed s | CPU times | elapsed times | memory of .NET, MB '
      + '| of the worker\u2019s JavaScript, MB | JSON |\n|---|---|---|---|---|---|---|---|---|---|---|');
  for (const trace of traces) {
    const name = basename(trace);
    copyFileSync(trace, join(out, name));
    const [began, cpu] = [performance.now(), await cpuTime(all.browser)];
    const said = await give(page, [join(out, name)]);
    const [elapsed, used] = [(performance.now() - began) / 1000, await cpuTime(all.browser) - cpu];
    const [commandElapsed, commandUsed, json, problem] = byCommand(name);
    const refusal = said.problem || said.failure;
    const same = refusal ? (problem ? 'both refuse it' : `only the browser refuses it: ${refusal}`)
      : problem ? 'only the command refuses it' : (await saved(page, 'Save blame.json')).equals(json) ? 'the same' : 'NOT THE SAME';
    const row = [name, mb(statSync(trace).size)];
    if (!isSame) {
      row.push(commandUsed.toFixed(2), commandElapsed.toFixed(2), used.toFixed(2), elapsed.toFixed(2), (used / commandUsed).toFixed(1),
        (elapsed / commandElapsed).toFixed(1), / with (\d+) MB/.exec(said.said)?.[1] ?? '-', await javaScript(page));
    }
    console.log(`| ${[...row, same].join(' | ')} |`);
    rmSync(join(out, name));
  }
} finally {
  await all.close();
  rmSync(out, { recursive: true });
}

/** Seconds elapsed and of CPU, and what it prints; or that it refuses the trace. */
function byCommand(name) {
  const began = performance.now();
  const run = spawnSync('bash', ['-c', 'TIMEFORMAT="cpu %U %S"; time dotnet "$0" blame "$1" --format json', process.env.ANALYZER, name],
    { cwd: out, maxBuffer: 1 << 30 });
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(run.stderr.toString());
  return [(performance.now() - began) / 1000, Number(user) + Number(system), run.stdout, run.status !== 0];
}

/**
 * From opening the page, in a browser of its own each time, until it can take a trace, and until it shows the verdict of a sample: seconds
 * that passed, and of CPU of all of the browser's processes.
 */
async function first(count) {
  const least = [[Infinity, Infinity], [Infinity, Infinity]];
  for (let i = 0; i < count; i++) {
    const one = await start();
    const [began, before] = [performance.now(), await cpuTime(one.browser, '')];
    const keep = async (at) => {
      const now = [(performance.now() - began) / 1000, await cpuTime(one.browser, '') - before];
      least[at] = least[at].map((value, j) => Math.min(value, now[j]));
    };
    const { page } = await one.open();
    await keep(0);
    await give(page, [join(root, 'samples/nic-behind-ndis.etl')]);
    await keep(1);
    await one.close();
  }
  rmSync(out, { recursive: true });
  const [ready, shown] = least.map((pair) => pair.map((value) => value.toFixed(2)));
  console.log(`${file}: ready after ${ready[0]} s (${ready[1]} s of CPU), the first verdict after ${shown[0]} s (${shown[1]} s of CPU); least of ${count}`);
}

/** Seconds of CPU that processes of the browser have used: the renderers, or all of them. */
async function cpuTime(browser, type = 'renderer') {
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter((one) => type === '' || one.type === type).reduce((sum, one) => sum + one.cpuTime, 0);
}

/** What the worker's JavaScript holds: its heap, and the buffers of the blocks of files, of what is unpacked, and of .NET. */
async function javaScript(page) {
  const used = await page.workers()[0]?.client.send('Runtime.getHeapUsage');
  return used ? mb(used.usedSize + (used.backingStorageSize ?? 0)) : '-';
}

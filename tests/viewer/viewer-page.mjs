// Drives the viewer in headless Chromium or Firefox, for its tests and its measurements.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load } from './packages.mjs';

const PATIENCE = Number(process.env.VIEWER_PATIENCE ?? 120_000);

/** A browser that opens the viewer: from the disk, or where another address is told. */
export async function viewer(file, { address = pathToFileURL(file).href, firefox = '' } = {}) {
  const puppeteer = (await load('puppeteer-core')).default;
  const browser = await puppeteer.launch(firefox ? { browser: 'firefox', executablePath: firefox, headless: true, protocolTimeout: 2 * PATIENCE } : {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, protocolTimeout: 2 * PATIENCE,
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars', '--disable-background-networking'],
  });
  return {
    browser,
    /** `problems` is what stands on the console, `requests` what was asked of anybody. */
    async open(fragment = '') {
      const page = await browser.newPage();
      const [problems, requests] = [[], []];
      page.on('console', (message) => problems.push(`console: ${message.text()}`));
      page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error}`));
      page.on('request', (request) => !/^(blob|data):/.test(request.url()) && !request.isNavigationRequest() && requests.push(request.url()));
      await page.evaluateOnNewDocument(() => {
        window.saved = [];
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); };
      });
      await page.goto(address + fragment, { timeout: PATIENCE });
      await page.waitForFunction(() => document.querySelector('.state p')?.textContent === '', { timeout: PATIENCE });
      return { page, problems, requests };
    },
    close: () => browser.close(),
  };
}

/** Gives files to the page and waits for what it says: a new report, a list that was read, or a problem. */
export async function give(page, files) {
  return await after(page, async () => (await page.$('#file')).uploadFile(...files.map((file) => resolve(file))));
}

/** Drops files onto the page, as a mouse does, and waits as above. */
export async function drop(page, files) {
  const session = await page.createCDPSession();
  const data = { items: [], files: files.map((file) => resolve(file)), dragOperationsMask: 1 };
  return await after(page, async () => {
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 40, data });
    }
    await session.detach();
  });
}

/** Does something and waits until the page has something new to say. */
export async function after(page, act) {
  await page.evaluate(() => {
    const root = document.getElementById('page');
    delete root.dataset.drawn;
    delete root.dataset.listed;
    document.querySelectorAll('.problem').forEach((one) => one.replaceChildren());
  });
  await act();
  await page.waitForFunction(() => {
    const { drawn, listed } = document.getElementById('page').dataset;
    return drawn || listed || [...document.querySelectorAll('.problem')].some((one) => one.textContent);
  }, { timeout: PATIENCE, polling: 50 });
  return await page.evaluate(() => {
    const [problem, failure] = [...document.querySelectorAll('.problem')].map((one) => one.textContent);
    const root = document.getElementById('page');
    return {
      /** Of the settings or of what was given; of the trace that was to be shown. */
      problem, failure, notes: document.querySelector('.notes').hidden ? '' : document.querySelector('.notes').textContent,
      heading: root.hidden ? '' : root.querySelector('h1')?.textContent ?? '', said: document.querySelector('.state p').textContent,
      list: document.querySelector('.traces').hidden ? [] : [...document.querySelectorAll('.traces tbody tr')]
        .map((row) => [...row.children].map((cell) => cell.textContent).join('|')),
      bad: document.querySelector('.bad').hidden ? [] : [...document.querySelectorAll('.bad li')].map((one) => one.innerText.replace('\n', ': ')),
    };
  });
}

/** Clicks a button that saves a file, and gives what it saved. */
export async function saved(page, label) {
  const before = await page.evaluate(() => window.saved.length);
  await page.evaluate((text) => [...document.querySelectorAll('button')].find((one) => one.textContent === text).click(), label);
  await page.waitForFunction((count) => window.saved.length > count, { timeout: PATIENCE, polling: 50 }, before);
  return Buffer.from(await page.evaluate(async () => {
    const bytes = new Uint8Array(await window.saved.at(-1).arrayBuffer());
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    }
    return btoa(text);
  }), 'base64');
}

/** What the command prints of a file, read by its bare name as the page has it. */
export function native(folder, file, ...options) {
  const path = join(folder, basename(file));
  if (resolve(file) !== resolve(path)) {
    copyFileSync(file, path);
  }
  const [command, ...rest] = options;
  return execFileSync('dotnet', [resolve(process.env.ANALYZER), command, basename(file), ...rest], {
    cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 30,
  });
}

// Drives the viewer in headless Chromium, for its tests and its measurements.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { load } from './packages.mjs';
import { serve } from './server.mjs';

const PATIENCE = Number(process.env.VIEWER_PATIENCE ?? 120_000);

/** Chromium with the site in it; `ready` pages have loaded everything. */
export async function viewer(site) {
  const puppeteer = (await load('puppeteer-core')).default;
  const server = await serve(site);
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, protocolTimeout: 2 * PATIENCE,
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars', '--disable-background-networking'],
  });
  return {
    server, browser,
    async open(fragment = '') {
      const page = await browser.newPage();
      const problems = [];
      page.on('console', (message) => problems.push(`console: ${message.text()}`));
      page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error}`));
      await page.evaluateOnNewDocument(() => {
        window.saved = [];
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); };
      });
      await page.goto(server.url + fragment);
      await page.waitForFunction(() => document.querySelector('.state p')?.textContent === '', { timeout: PATIENCE });
      return { page, problems };
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Gives files to the page and waits for what it says: a new report, or a problem. */
export async function give(page, files) {
  return await after(page, async () => (await page.$('#file')).uploadFile(...files));
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
    delete document.getElementById('page').dataset.drawn;
    document.querySelector('.problem').replaceChildren();
  });
  await act();
  await page.waitForFunction(
    () => document.getElementById('page').dataset.drawn || document.querySelector('.problem').textContent, { timeout: PATIENCE, polling: 50 });
  return await page.evaluate(() => ({
    problem: document.querySelector('.problem').textContent,
    notes: document.querySelector('.notes').hidden ? '' : document.querySelector('.notes').textContent,
    heading: document.querySelector('#page h1')?.textContent ?? '',
    said: document.querySelector('.state p').textContent,
  }));
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

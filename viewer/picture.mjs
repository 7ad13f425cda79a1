// Makes the picture of the README, the viewer with its sample: node viewer/picture.mjs VIEWER.html docs/use/viewer.png
import { after, viewer } from '../tests/viewer/viewer-page.mjs';

const [file, out] = process.argv.slice(2);
if (!out) {
  console.error('usage: node picture.mjs VIEWER.html OUT.png');
  process.exit(64);
}
const all = await viewer(file);
const { page } = await all.open();
await page.setViewport({ width: 1080, height: 720 });
await after(page, () => page.click('.sample'));
// How long it took is another time each time.
await page.evaluate(() => { document.querySelector('.state p').textContent = 'Shown below: sample.etl.'; scrollTo(0, 0); });
await page.screenshot({ path: out });
await all.close();

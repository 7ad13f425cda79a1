// The entry of the report: the data stands in the page itself.
import { Unreadable, readData } from './data';
import { h } from './dom';
import { drawPage } from './page';

const text = (id: string) => document.getElementById(id)?.textContent ?? '';
const root = document.getElementById('page')!;
readData(text('blame'), text('lanes'), document.getElementById('latency')?.textContent ?? null).then((data) => {
  drawPage(root, data, text('licences'));
  root.dataset['drawn'] = 'yes';
}).catch((problem: unknown) => {
  const why = problem instanceof Unreadable ? problem.message
    : `its data is not what this page reads (${String(problem)}); write it anew with analyzer report`;
  root.replaceChildren(h('main', {}, h('h1', {}, 'This report cannot be shown'), h('p', { role: 'alert' }, `The file was read, but ${why}.`)));
});

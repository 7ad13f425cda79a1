// The entry of the report: the data stands in the page itself.
import { readData } from './data';
import { h } from './dom';
import { drawPage } from './page';

const text = (id: string) => document.getElementById(id)?.textContent ?? '';
const root = document.getElementById('page')!;
readData(text('blame'), text('lanes')).then((data) => {
  drawPage(root, data, text('licences'));
  root.dataset['drawn'] = 'yes';
}).catch((problem: unknown) => root.replaceChildren(h('main', {},
  h('h1', {}, 'This report cannot be shown'),
  h('p', {}, String(problem)),
  h('p', {}, 'A browser of 2023 or later is needed (Chrome or Edge 109, Firefox 115, Safari 16.4), and the whole file: of one that was cut '
    + 'nothing can be read.'))));

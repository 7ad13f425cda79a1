// What stands on the page before a trace is given to it: how to get one.
import { h } from './dom';
import { save } from './page';

/** Kept in memory, and written when it has happened: nothing fills the disk, and the moment is in it. */
const RECORD = 'wpr -start "%USERPROFILE%\\Downloads\\latency.wprp!Latency"';
const STOP = 'wpr -stop "%USERPROFILE%\\Downloads\\crackle.etl"';

/** Three steps with what Windows has. */
export function startSection(profile: () => string): HTMLElement {
  return h('section', { class: 'start', 'aria-labelledby': 'start-title' },
    h('h2', { id: 'start-title' }, 'No trace yet? Three steps'),
    h('p', {}, 'Windows 10 and 11 have a recorder, wpr. Nothing is installed.'),
    h('ol', {},
      h('li', {}, h('h3', {}, 'Save the recording profile'), h('p', {}, 'It says what to record. Keep it in the Downloads folder.'),
        h('button', { type: 'button', click: () => save('latency.wprp', profile(), 'application/xml') }, 'Save latency.wprp')),
      h('li', {}, h('h3', {}, 'Record the crackle'),
        h('p', {}, 'Press Start, type ', h('kbd', {}, 'cmd'), ', choose ', h('em', {}, 'Run as administrator'), ', and start it:'), command(RECORD),
        h('p', {}, 'Make it crackle. Right after, within seconds:'), command(STOP)),
      h('li', {}, h('h3', {}, 'Drop crackle.etl on this page'),
        h('p', {}, 'It is in the Downloads folder. What was recorded stays on this machine.'))),
    h('p', { class: 'dim' }, 'Record.cmd, in Tracer\u2019s zip, does all of this by itself: it waits until something is late.'));
}

function command(line: string): HTMLElement {
  const copy = h('button', {
    type: 'button',
    click: () => {
      navigator.clipboard.writeText(line).then(() => { copy.textContent = 'Copied'; }, () => getSelection()?.selectAllChildren(text));
    },
  }, 'Copy');
  const text = h('code', {}, line);
  return h('div', { class: 'command' }, text, copy);
}

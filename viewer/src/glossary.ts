// Explains the field's words where the page uses them first: a line below what has them. The words are those of glossary.json, which the
// other pages read, too (commandline/report/Glosses.cs).
import words from './glossary.json';
import { h } from './dom';

/** What is read as one piece; its explanation stands below it, of a table above. */
const BLOCKS = 'h1, h2, h3, p, ul, ol, dl, .scroll';
/** What holds no words of ours, or is an explanation itself, or has one beside it: that of legends is how the pictures are read. */
const OTHERS = 'nav, pre, code, button, select, svg, .name, .words, .how-box, .legend, .licences';

// A part of a name is no word: dpc-flood.etl.
const glosses = words.map(({ word, forms, says }) => ({
  word, says, pattern: new RegExp(`(?<![\\w.\\\\-])(?:${forms.join('|')})(?![\\w\\\\-]|\\.\\w)`, 'i'),
}));

/** Explains each word once, anew where the page has changed. What is folded counts as used only where nothing open uses the word. */
export function explain(root: Element): void {
  root.querySelectorAll('.words').forEach((one) => one.remove());
  const blocks = [...root.querySelectorAll(BLOCKS)].filter((one) => !one.closest(OTHERS) && !one.parentElement!.closest('p, ul, ol, dl, .scroll'));
  const isFolded = (block: Element) => block.closest('details:not([open])') !== null;
  const left = new Set(glosses);
  for (const block of [...blocks.filter((one) => !isFolded(one)), ...blocks.filter(isFolded)]) {
    const text = textOf(block);
    const found = [...left].filter((one) => one.pattern.test(text));
    found.forEach((one) => left.delete(one));
    if (found.length > 0) {
      const isTable = block.classList.contains('scroll');
      const above = isTable ? block.previousElementSibling : null;
      const note = above?.matches('.words') ? above : h('p', { class: 'words' });
      note.append(...found.flatMap(({ word, says }) => [h('dfn', {}, word), `: ${says}. `]));
      block.insertAdjacentElement(isTable ? 'beforebegin' : 'afterend', note);
    }
  }
}

function textOf(element: Element): string {
  return [...element.childNodes].map((one) => one instanceof Element ? (one.matches(OTHERS) ? ' ' : ` ${textOf(one)} `) : one.textContent).join('');
}

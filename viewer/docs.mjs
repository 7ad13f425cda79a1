// Makes pages of a release's documents, so that they can be read by a double-click: node viewer/docs.mjs FOLDER
// Each .md below the folder becomes an .html beside it and goes; links between them lead to pages.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Marked } from 'marked';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node viewer/docs.mjs FOLDER');
  process.exit(64);
}

const style = readFileSync(new URL('../release/page.css', import.meta.url), 'utf8');

/** As GitHub names headings, so that links into a page arrive. */
const anchorOf = (text) => text.toLowerCase().replace(/<[^>]*>/g, '').replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

function pageOf(markdown, home) {
  const used = new Map();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchorOf(text.replace(/`|\*/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
        const count = used.get(anchor) ?? 0;
        used.set(anchor, count + 1);
        return `<h${depth} id="${count ? `${anchor}-${count}` : anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = /^\w+:/.test(href) ? href : href.replace(/\.md(?=#|$)/, '.html');
        return `<a href="${escaped(target)}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? 'Tracer';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
${style}</style>
<p class="home"><a href="${home}">Tracer: start here</a></p>
<main>
${marked.parse(markdown)}</main>
</html>
`;
}

for (const name of readdirSync(folder, { recursive: true }).filter((one) => one.endsWith('.md')).sort()) {
  const path = join(folder, name);
  writeFileSync(path.replace(/\.md$/, '.html'), pageOf(readFileSync(path, 'utf8'), join(relative(dirname(path), folder), 'START-HERE.html')));
  rmSync(path);
}

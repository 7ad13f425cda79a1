// The page of a custom editor: that of the viewer's site, with the addresses and the policy that a webview needs. Knows no VS Code.

/** What the viewer's page may do: as on its site, with the webview's own source in the place of the site. */
export function policyOf(source: string): string {
  return `default-src 'none'; base-uri 'none'; form-action 'none'; connect-src ${source}; font-src data:; img-src data:; `
    + `script-src ${source} 'wasm-unsafe-eval'; style-src ${source}; worker-src blob:`;
}

/** Makes the page; throws where the site's is not as it was when this was written. */
export function pageOf(index: string, source: string, addressOf: (name: string) => string, addressOfMedia: (name: string) => string): string {
  const replaced = (text: string, pattern: RegExp, by: (...groups: string[]) => string) => {
    if (!pattern.test(text)) {
      throw new Error(`The viewer's page has nothing like ${pattern}`);
    }
    pattern.lastIndex = 0;
    return text.replace(pattern, (_, ...groups: string[]) => by(...groups));
  };
  let page = replaced(index, /(<meta http-equiv="Content-Security-Policy" content=")[^"]*"/, (before) => `${before}${policyOf(source)}"`);
  page = replaced(page, /<link rel="stylesheet" href="([a-z]+-[0-9a-f]{12}\.css)">/g, (name) => `<link rel="stylesheet" href="${addressOf(name)}">`);
  page = replaced(page, /<\/head>/, () => `<link rel="stylesheet" href="${addressOfMedia('embedded.css')}">\n</head>`);
  return replaced(page, /<script src="(site-[0-9a-f]{12}\.js)"><\/script>/, (name) =>
    `<script src="${addressOf(name)}"></script>\n<script src="${addressOfMedia('bridge.js')}"></script>`);
}

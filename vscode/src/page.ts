// The page of a custom editor: the viewer's, with the addresses and the policy that a webview needs. Knows no VS Code.

/** Makes the page, which loads two files more, from the webview's own source; throws where the viewer's is not as it was when this was written. */
export function pageOf(viewer: string, source: string, addressOf: (name: string) => string): string {
  const put = (text: string, before: string, what: string) => {
    const at = text.indexOf(before);
    if (at < 0) {
      throw new Error(`The viewer's page has nothing like ${before}`);
    }
    return text.slice(0, at) + what + text.slice(at);
  };
  const head = put(put(viewer, '\'sha256-', `${source} `), '</head>', `<link rel="stylesheet" href="${addressOf('embedded.css')}">\n`);
  const styles = head.indexOf('style-src ') + 'style-src '.length;
  const page = `${head.slice(0, styles)}${source} ${head.slice(styles)}`;
  return put(page, '\n</body>\n</html>', `\n<script src="${addressOf('bridge.js')}"></script>`);
}

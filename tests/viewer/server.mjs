// A web server for the folder of the viewer that tells what was asked of it.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Serves a folder on a free port of this machine. */
export async function serve(folder) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const name = request.url === '/' ? 'index.html' : basename(request.url.split('?')[0]);
    try {
      const type = { html: 'text/html', js: 'text/javascript', css: 'text/css', txt: 'text/plain' }[name.split('.').pop()];
      response.writeHead(200, { 'Content-Type': type ?? 'application/octet-stream' }).end(readFileSync(join(folder, name)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, close: () => server.close() };
}

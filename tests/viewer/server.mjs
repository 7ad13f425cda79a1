// A web server for the viewer's one page.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';

/** Serves a page on a free port of this machine. */
export async function serve(file) {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/' ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' }).end(request.url === '/' ? readFileSync(file) : '');
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

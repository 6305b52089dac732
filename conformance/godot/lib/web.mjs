// Serves the page, the packed project and the engine's files on 127.0.0.1, isolated from other origins as Godot's threads want.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.pck': 'application/octet-stream' };

/** `files`: name to Buffer, asked first; then the files of `dir`. Gives {port, close()}. */
export function serve(files, dir) {
  const server = http.createServer((request, response) => {
    const name = path.basename(new URL(request.url, 'http://x').pathname);
    let body = files[name];
    try {
      body ??= fs.readFileSync(path.join(dir, name));
    } catch {
      response.writeHead(name === 'favicon.ico' ? 204 : 404).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': TYPES[path.extname(name)] ?? 'application/octet-stream',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    }).end(body);
  });
  return new Promise((done, fail) => {
    server.on('error', fail);
    server.listen(0, '127.0.0.1', () => done({
      port: server.address().port,
      close: () => { server.closeAllConnections(); server.close(); },
    }));
  });
}

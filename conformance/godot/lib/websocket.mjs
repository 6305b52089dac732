// A WebSocket server end, as small as a recording stub needs: binary messages from one well-behaved browser.
import { createHash } from 'node:crypto';
import http from 'node:http';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const FRAME = { CONTINUE: 0, BINARY: 2, CLOSE: 8, PING: 9, PONG: 10 };

/** Listen on a free port; `onLink(link)` for every connection. Gives {port, close()}. */
export function listen(onLink) {
  const server = http.createServer((_, response) => response.writeHead(426).end());
  const sockets = new Set();
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + GUID).digest('base64');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.on('error', () => {});
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    onLink(new Link(request.url, socket));
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done({
    port: server.address().port,
    close: () => { for (const s of sockets) s.destroy(); server.close(); },
  })));
}

/** One connection: `url` as asked for, `received` with every message, `next()` for the one after the last given. */
class Link {
  constructor(url, socket) {
    Object.assign(this, { url, socket, received: [], given: 0, rest: Buffer.alloc(0), parts: [] });
    socket.on('data', (data) => { this.rest = Buffer.concat([this.rest, data]); while (this.takeFrame()); });
  }

  send(bytes) { this.write(FRAME.BINARY, bytes); }

  /** The next message, which must come within `ms`. */
  async next(ms = 5000) {
    const limit = Date.now() + ms;
    while (this.received.length <= this.given) {
      if (Date.now() > limit) throw new Error(`${this.url}: no message within ${ms} ms`);
      await new Promise((done) => setTimeout(done, 5));
    }
    return this.received[this.given++];
  }

  write(kind, bytes) {
    const n = bytes.length;
    const head = n < 126 ? Buffer.from([0x80 | kind, n])
      : n < 65536 ? Buffer.from([0x80 | kind, 126, n >> 8, n & 255])
        : Buffer.concat([Buffer.from([0x80 | kind, 127, 0, 0, 0, 0]), Buffer.from([n >>> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255])]);
    this.socket.write(Buffer.concat([head, bytes]));
  }

  /** Take one masked frame off `rest`; false when there is no whole one. */
  takeFrame() {
    const b = this.rest;
    if (b.length < 2) return false;
    let size = b[1] & 0x7F;
    let at = 2;
    if (size === 126) { at = 4; if (b.length < at) return false; size = b.readUInt16BE(2); }
    else if (size === 127) { at = 10; if (b.length < at) return false; size = Number(b.readBigUInt64BE(2)); }
    if (b.length < at + 4 + size) return false;
    const mask = b.subarray(at, at + 4);
    const body = Buffer.from(b.subarray(at + 4, at + 4 + size)).map((v, i) => v ^ mask[i & 3]);
    this.rest = b.subarray(at + 4 + size);
    const kind = b[0] & 0x0F;
    if (kind === FRAME.PING) this.write(FRAME.PONG, body);
    else if (kind === FRAME.CLOSE) { this.write(FRAME.CLOSE, body); this.socket.end(); }
    else if (kind === FRAME.BINARY || kind === FRAME.CONTINUE) {
      this.parts.push(body);
      if (b[0] & 0x80) { this.received.push(Buffer.concat(this.parts)); this.parts = []; }
    }
    return true;
  }
}

// Records golden frames from the real engine: what Godot sends to a relay, and what it takes from one.
//
// The other end is a stub that hands out chosen peer ids, so that every run gives the same bytes. A frame to the relay is
// recorded as Godot sent it and must be the frame that the step was to cause. A frame to the client is recorded only when the
// engine has shown its effect: a signal, an RPC that ran, an answer.
//
// usage: capture.mjs --engine DIR --chromium FILE [--write] [--verbose]     (run.sh --capture gives the first two)
// Without --write it compares with the files that are there, and ends with 1 when they differ.
import fs from 'node:fs';
import recordPeers from './capture/peers.mjs';
import recordRoom from './capture/room.mjs';
import { startEngines } from './lib/engine.mjs';
import { encode, fileText, spans } from './lib/frames.mjs';
import { listen } from './lib/websocket.mjs';

const VECTORS = new URL('../vectors/', import.meta.url).pathname;
const ORIGIN = 'godot';
const TOTAL_MS = 90000;

const option = (name) => { const i = process.argv.indexOf(`--${name}`); return i < 0 ? null : process.argv[i + 1]; };
const [write, verbose] = ['--write', '--verbose'].map((f) => process.argv.includes(f));
setTimeout(() => { console.error('capture.mjs: took too long'); process.exit(3); }, TOTAL_MS).unref();

/** What the recordings of one class work with. */
class Recorder {
  constructor(engine, stub) { Object.assign(this, { engine, stub, links: [], files: {}, actors: 0 }); }

  /** Make an actor (see project/main.gd) and take its connection. Gives {id, link}. */
  async enter(kind, args = {}) {
    const id = `${kind}${++this.actors}`;
    await this.engine.tell(id, kind, { url: `ws://127.0.0.1:${this.stub.port}/${id}`, ...args });
    const deadline = Date.now() + 5000;
    for (;;) {
      const link = this.links.find((l) => l.url === `/${id}`);
      if (link) return { id, link };
      if (Date.now() > deadline) throw new Error(`${id} did not connect`);
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** The next message of a link must be `frame`; keep it. */
  async sent(link, frame, kept) {
    const wire = await link.next();
    const wanted = encode(frame);
    if (!wire.equals(wanted)) throw new Error(`${kept?.id ?? 'a message'}: Godot sent ${wire.toString('hex')}, not ${wanted.toString('hex')}`);
    if (kept) this.keep('relay', frame, wire, kept);
  }

  /** Send `frame`, wait until the engine shows `effect`, keep it. */
  async took(link, frame, effect, kept) {
    const wire = encode(frame);
    link.send(wire);
    const shown = await effect();
    if (kept) this.keep('client', frame, wire, kept);
    return shown;
  }

  keep(to, frame, wire, { id, file, name, reqs, note, needs = ['peers'] }) {
    (this.files[file] ??= []).push({
      id, name: `godot/${name}`, rev: 1, since: '1', origin: ORIGIN, reqs, needs, v: 1, to,
      ...(frame.frame === 'PEER_ID' ? { first: true } : {}),
      ops: ['decode', 'encode'], kind: 'valid', wire: wire.toString('hex'), spans: spans(frame), expect: { accept: frame },
      note: `${to === 'relay' ? 'Sent' : 'Taken'} by Godot ${this.engine.version}, web template. ${note}`,
    });
  }
}

const links = [];
const stub = await listen((link) => links.push(link));
const { engines: [engine], close } = await startEngines(['Godot'], { engineDir: option('engine'), chromium: option('chromium'), verbose });
let status = 0;
try {
  const recorder = new Recorder(engine, stub);
  recorder.links = links;
  await recordRoom(recorder);
  await recordPeers(recorder);
  if (engine.errors.length) throw new Error(`the engine logged errors: ${engine.errors.join(' | ')}`);
  for (const [file, cases] of Object.entries(recorder.files)) {
    const text = fileText(cases.sort((a, b) => a.id.localeCompare(b.id)));
    const path = VECTORS + file;
    const same = fs.existsSync(path) && fs.readFileSync(path, 'utf8') === text;
    if (write && !same) fs.writeFileSync(path, text);
    if (!write && !same) status = 1;
    console.log(`${file}: ${cases.length} frames, ${same ? 'as it was' : write ? 'written' : 'DIFFERENT (run.sh --capture --write)'}`);
  }
} catch (e) {
  console.error(`capture.mjs: ${e.stack}`);
  status = 3;
}
await close();
stub.close();
process.exit(status);

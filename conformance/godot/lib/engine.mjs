// Godot engines: each runs the test project in a page of its own and obeys commands (see project/main.gd).
import fs from 'node:fs';
import { pack, readFolder } from './pck.mjs';
import { wireScript } from './registry.mjs';
import { startBrowser } from './browser.mjs';
import { serve } from './web.mjs';

const HERE = new URL('..', import.meta.url).pathname;
const START_MS = 60000;
const EVENT_MS = 10000;
const MARK = 'ROOMWIRE ';

/** Start the browser and `names.length` engines. `engineDir` holds index.js and index.wasm. Gives {engines, close()}. */
export async function startEngines(names, { engineDir, chromium, verbose = false }) {
  const files = {
    'page.html': fs.readFileSync(HERE + 'page.html'),
    'test.pck': pack([
      ...readFolder(HERE + 'project'),
      ['wire.gd', Buffer.from(wireScript())],
      ['.godot/global_script_class_cache.cfg', Buffer.from('list=[]\n')], // no class names, but the engine asks
    ]),
  };
  const web = await serve(files, engineDir);
  const browser = await startBrowser(chromium);
  const close = async () => { await browser.close(); web.close(); };
  try {
    const engines = await Promise.all(names.map(async (name) => {
      const engine = new Engine(name, verbose);
      engine.page = await browser.open(`http://127.0.0.1:${web.port}/page.html`, (kind, text) => engine.heard(kind, text));
      engine.version = (await engine.wait('engine', 'ready', START_MS)).version;
      return engine;
    }));
    return { engines, close };
  } catch (e) {
    await close();
    throw e;
  }
}

/** One engine. Events are kept per actor; `wait` looks only at those after the one that it gave last. */
export class Engine {
  constructor(name, verbose) {
    Object.assign(this, { name, verbose, page: null, actors: new Map(), errors: [], waiters: new Set() });
  }

  heard(kind, text) {
    if (this.verbose) process.stderr.write(`[${this.name}] ${kind}: ${text}\n`);
    if (text.startsWith(MARK)) {
      const event = JSON.parse(text.slice(MARK.length));
      this.of(event.id).events.push(event);
      if (event.ev === 'error') this.errors.push(text);
    } else if (kind === 'error') {
      this.errors.push(text);
    }
    for (const w of [...this.waiters]) w();
  }

  of(id) {
    if (!this.actors.has(id)) this.actors.set(id, { events: [], seen: 0 });
    return this.actors.get(id);
  }

  /** Every event of an actor so far. */
  log(id) { return this.of(id).events; }

  /** Give a command. */
  async tell(id, command, args = {}) {
    await this.page.evaluate(`window.roomwire(${JSON.stringify(JSON.stringify({ do: command, id, ...args }))})`);
  }

  /** The next event of the actor that is called `ev` (a name or names) and fits. Anything before it is passed over. */
  wait(id, ev, ms = EVENT_MS, fits = () => true) {
    const names = [ev].flat();
    const actor = this.of(id);
    return new Promise((done, fail) => {
      const end = (f, v) => { clearTimeout(timer); this.waiters.delete(look); f(v); };
      const look = () => {
        const i = actor.events.findIndex((e, n) => n >= actor.seen && names.includes(e.ev) && fits(e));
        if (i < 0) return;
        actor.seen = i + 1;
        end(done, actor.events[i]);
      };
      const timer = setTimeout(() => {
        const last = JSON.stringify(actor.events.slice(-5)).slice(0, 1000);
        const errors = JSON.stringify(this.errors.slice(-3)).slice(0, 600);
        end(fail, new Error(`${this.name}/${id}: no ${names.join(' or ')} within ${ms} ms; last events ${last}; engine errors ${errors}`));
      }, ms);
      this.waiters.add(look);
      look();
    });
  }
}

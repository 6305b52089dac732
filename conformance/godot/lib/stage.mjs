// What one check works with: actors in a room of its own.

export class Stage {
  /** `n` makes the names of rooms and actors unique in the run. */
  constructor(engines, relay, run, n) {
    Object.assign(this, { engines, relay, run, n, cast: [] });
  }

  url({ room = '', query = 'u=tester&g=suite&v=1', m = null } = {}) {
    return `${this.relay.url}/r/${this.run}-${this.n}${room}?${query}${m ? `&m=${m}` : ''}`;
  }

  /** A raw connection (room_client.gd) in engine 0 or 1. `to`: see url(), or {url}. */
  async room(engine, id, to = {}, args = {}) {
    return this.enter('room', engine, id, to, args);
  }

  /** A player of Godot's multiplayer (peer_client.gd). */
  async peer(engine, id, to = {}, args = {}) {
    return this.enter('peer', engine, id, to, args);
  }

  /** A raw connection that has its peer id. */
  async joined(engine, id, to = {}, args = {}) {
    const actor = await this.room(engine, id, to, args);
    actor.peer = (await actor.wait('peer_id')).peer;
    return actor;
  }

  /** Players that all know each other. Each in turn, so that the order of joining is known. */
  async table(ids, to = { m: 'peers' }) {
    const players = [];
    for (const [i, id] of ids.entries()) {
      const player = await this.peer(i % this.engines.length, id, to);
      player.peer = (await player.wait('connected')).peer;
      const met = new Set();
      while (met.size < players.length) met.add((await player.wait('peer_connected', (e) => e.peer !== 1)).peer);
      for (const p of players) {
        if (!met.has(p.peer)) throw new Error(`${id} met ${[...met]}, not ${p.peer}`);
        await p.wait('peer_connected', (e) => e.peer === player.peer);
      }
      players.push(player);
    }
    return players;
  }

  async enter(kind, engine, id, to, args) {
    const actor = new Actor(this.engines[engine], `${this.n}-${id}`);
    this.cast.push(actor);
    await actor.do(kind, { url: to.url ?? this.url(to), ...args });
    return actor;
  }

  /** Everyone goes. */
  async leave() {
    const cast = this.cast;
    this.cast = [];
    for (const actor of cast) await actor.do('drop');
  }
}

class Actor {
  constructor(engine, id) { Object.assign(this, { engine, id, peer: 0 }); }

  do(command, args) { return this.engine.tell(this.id, command, args); }

  /** The next event `ev` that fits. */
  wait(ev, fits) { return this.engine.wait(this.id, ev, undefined, fits); }

  /** The events so far, of some names or of all. */
  log(...names) { return this.engine.log(this.id).filter((e) => !names.length || names.includes(e.ev)); }
}

/** Both must be equal as JSON. */
export function equal(got, wanted, what) {
  const [g, w] = [got, wanted].map((v) => JSON.stringify(v));
  if (g !== w) throw new Error(`${what}: got ${g}, wanted ${w}`);
}

export function ensure(condition, what) {
  if (!condition) throw new Error(what);
}

export const hex = (text) => Buffer.from(text).toString('hex');

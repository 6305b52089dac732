// Values and worlds, as Godot sees them.
import { createHash } from 'node:crypto';
import { LIMIT } from '../lib/registry.mjs';
import { ensure, equal, hex } from '../lib/stage.mjs';

const WORLD_SIZE = 900000;

/** The bytes that main.gd makes for {"fill": n}. */
const fill = (n) => Uint8Array.from({ length: n }, (_, i) => (i * 131 + (i >> 8)) & 255);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const entry = (e) => [e.key, e.value];

export default [
  {
    name: 'peer-id-first',
    async run(stage) {
      const ids = new Set();
      for (const m of [null, 'state', 'peers']) {
        const a = await stage.joined(0, m ?? 'both', { m });
        equal(a.log()[0].ev, 'peer_id', 'first event');
        ids.add(a.peer);
      }
      equal(ids.size, 3, 'distinct peer ids');
    },
  },
  {
    name: 'set-echo',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      await a.do('set', { key: 'turn', hex: '02000000' });
      const first = await a.wait('update');
      equal([first.rev, ...entry(first)], [1, 'turn', '02000000'], 'first update');
      await a.do('set', { key: 'turn', hex: '02000000' });
      equal((await a.wait('update')).rev, 2, 'rev of an equal write');
    },
  },
  {
    name: 'empty-room-is-silent',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      await a.do('set', { key: 'fence', hex: '' });
      await a.wait('update');
      equal(a.log().map((e) => e.ev), ['peer_id', 'set', 'update'], 'events');
    },
  },
  {
    name: 'utf8-keys',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      for (const key of ['ход', '手番', '🎲', 'e\u0301', '\u00e9']) {
        await a.do('set', { key, hex: hex(key) });
        equal(entry(await a.wait('update')), [key, hex(key)], key);
      }
      const b = await stage.joined(1, 'b');
      equal((await b.wait('snapshot')).entries.length, 5, 'keys in the snapshot');
    },
  },
  {
    name: 'longest-key',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      const key = 'k'.repeat(LIMIT.key_max);
      await a.do('set', { key, hex: '01' });
      equal(entry(await a.wait('update')), [key, '01'], 'update');
    },
  },
  {
    name: 'empty-value',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      await a.do('set', { key: 'empty', hex: '' });
      equal(entry(await a.wait('update')), ['empty', ''], 'update');
      const b = await stage.joined(1, 'b');
      equal((await b.wait('snapshot')).entries.map(entry), [['empty', '']], 'snapshot');
    },
  },
  {
    name: 'godot-values',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      const b = await stage.joined(1, 'b');
      const values = ['-3', '"text"', 'Vector2(1.5, -2)', '{"hp": 7, "items": ["axe", null, true]}', 'PackedByteArray(1, 2, 255)'];
      for (const value of values) {
        await a.do('set', { key: 'value', var: value });
        const sent = await a.wait('set');
        equal((await b.wait('update')).value, sent.value, value);
      }
    },
  },
  {
    name: 'snapshot-on-join',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      for (const [key, value] of [['a', '01'], ['b', '02'], ['a', '03']]) await a.do('set', { key, hex: value });
      await a.wait('update', (e) => e.rev === 3);
      const b = await stage.joined(1, 'b', { m: 'state' });
      equal((await b.wait('snapshot')).entries.map((e) => [e.rev, ...entry(e)]), [[2, 'b', '02'], [3, 'a', '03']], 'entries');
      equal(b.log().map((e) => e.ev), ['peer_id', 'snapshot'], 'events');
    },
  },
  {
    name: 'world-ack-and-fan-out',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      const b = await stage.joined(1, 'b');
      await a.do('save', { var: '{"level": 3}' });
      const { blob } = await a.wait('save');
      await a.wait('ack');
      equal((await b.wait('world')).blob, blob, 'world of the other');
      await a.do('set', { key: 'fence', hex: '' });
      equal((await a.wait('update')).rev, 2, 'rev after a save');
      equal(a.log('world').length, 0, 'worlds sent back to their author');
    },
  },
  {
    name: 'world-at-join-900000-bytes',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      await a.do('save', { fill: WORLD_SIZE });
      await a.wait('ack');
      const b = await stage.joined(1, 'b');
      const world = await b.wait('world');
      equal([world.blob_size, world.blob_sha256], [WORLD_SIZE, sha256(fill(WORLD_SIZE))], 'world');
    },
  },
  {
    name: 'empty-world-at-join',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      await a.do('save', { hex: '' });
      await a.wait('ack');
      const b = await stage.joined(1, 'b');
      equal((await b.wait('world')).blob_size, 0, 'size');
    },
  },
  {
    name: 'one-order-for-all',
    async run(stage) {
      const both = [await stage.joined(0, 'a'), await stage.joined(1, 'b')];
      const writes = 40;
      await Promise.all(both.map(async (actor, who) => {
        for (let i = 0; i < writes; i++) await actor.do('set', { key: `k${i % 4}`, hex: Buffer.from([who, i]).toString('hex') });
      }));
      for (const actor of both) await actor.wait('update', (e) => e.rev === 2 * writes);
      const [seenByA, seenByB] = both.map((actor) => actor.log('update').map((e) => [e.rev, ...entry(e)]));
      equal(seenByA.map(([rev]) => rev), Array.from({ length: 2 * writes }, (_, i) => i + 1), 'revisions');
      equal(seenByA, seenByB, 'order of both');
    },
  },
  {
    name: 'acks-and-updates-in-commit-order',
    async run(stage) {
      const a = await stage.joined(0, 'a');
      for (let i = 0; i < 5; i++) {
        await a.do('set', { key: 'k', hex: '' });
        await a.do('save', { hex: '01' });
      }
      const told = () => a.log('update', 'ack');
      await a.wait('update', (e) => e.rev === 9);
      await a.wait('ack');
      equal(told().map((e) => e.rev ?? 'ack'), [1, 'ack', 3, 'ack', 5, 'ack', 7, 'ack', 9, 'ack'], 'order');
    },
  },
  {
    name: 'games-are-apart',
    async run(stage) {
      const a = await stage.joined(0, 'a', { query: 'g=one&v=1' });
      await a.do('set', { key: 'k', hex: '01' });
      await a.wait('update');
      const b = await stage.joined(1, 'b', { query: 'g=two&v=1' });
      await b.do('set', { key: 'k', hex: '02' });
      equal((await b.wait('update')).rev, 1, 'rev in the other game');
      ensure(b.log('snapshot').length === 0, 'the other game has a snapshot of this one');
    },
  },
];

// Godot's own multiplayer over the relay: WebSocketMultiplayerPeer, @rpc, send_bytes.
import { ensure, equal, hex } from '../lib/stage.mjs';

const call = (e) => [e.peer, e.text, e.bytes];

/** The same conversation in mode `peers` and, in a room without values, in mode `both`. */
const conversation = (m) => ({
  name: `rpc-in-mode-${m ?? 'both'}`,
  async run(stage) {
    const [ann, bob] = await stage.table(['ann', 'bob'], { m });
    await ann.do('say', { text: 'привет', hex: 'f4ff' });
    equal(call(await bob.wait('say')), [ann.peer, 'привет', 'f4ff'], 'first call');
    await bob.do('say', { text: 'again', hex: '' });
    equal(call(await ann.wait('say')), [bob.peer, 'again', ''], 'answer');
    await ann.do('say', { text: 'by the short path', hex: '' });
    equal(call(await bob.wait('say')), [ann.peer, 'by the short path', ''], 'second call');
    await ann.do('move');
    equal((await bob.wait('move')).jump, true, 'arguments');
    await ann.do('bell');
    await bob.wait('bell');
  },
});

export default [
  {
    name: 'peer-connected-mutual',
    async run(stage) {
      const players = await stage.table(['ann', 'bob', 'cid']);
      for (const p of players) {
        const met = p.log('peer_connected').map((e) => e.peer);
        equal([...met].sort(), [1, ...players.filter((q) => q !== p).map((q) => q.peer)].sort(), `peers of ${p.id}`);
      }
    },
  },
  conversation('peers'),
  conversation(null),
  {
    name: 'rpc-to-all',
    async run(stage) {
      const [ann, bob, cid] = await stage.table(['ann', 'bob', 'cid']);
      await ann.do('say', { text: 'all', hex: '00' });
      for (const p of [bob, cid]) equal(call(await p.wait('say')), [ann.peer, 'all', '00'], p.id);
      equal(ann.log('say').length, 0, 'calls that came back');
    },
  },
  {
    name: 'rpc-to-one',
    async run(stage) {
      const [ann, bob, cid] = await stage.table(['ann', 'bob', 'cid']);
      await bob.do('say', { text: 'only ann', to: ann.peer });
      await bob.do('say', { text: 'fence', to: cid.peer });
      equal(call(await ann.wait('say')), [bob.peer, 'only ann', ''], 'call');
      equal((await cid.wait('say')).text, 'fence', 'first call that the third player gets');
    },
  },
  {
    name: 'rpc-to-all-but-one',
    async run(stage) {
      const [ann, bob, cid] = await stage.table(['ann', 'bob', 'cid']);
      await ann.do('say', { text: 'not bob', to: -bob.peer });
      await ann.do('say', { text: 'fence', to: bob.peer });
      equal((await cid.wait('say')).text, 'not bob', 'call');
      equal((await bob.wait('say')).text, 'fence', 'first call of the one left out');
    },
  },
  {
    name: 'send-bytes',
    async run(stage) {
      const [ann, bob, cid] = await stage.table(['ann', 'bob', 'cid']);
      await ann.do('send', { hex: hex('to bob'), to: bob.peer });
      await ann.do('send', { hex: hex('not bob'), to: -bob.peer });
      await ann.do('send', { hex: hex('to all'), to: 0 });
      for (const [p, texts] of [[bob, ['to bob', 'to all']], [cid, ['not bob', 'to all']]]) {
        await p.wait('packet', (e) => e.bytes === hex('to all'));
        equal(p.log('packet').map((e) => [e.peer, e.bytes]), texts.map((t) => [ann.peer, hex(t)]), p.id);
      }
    },
  },
  {
    name: 'large-packet',
    async run(stage) {
      const [ann, bob] = await stage.table(['ann', 'bob']);
      await ann.do('say', { text: 'large', fill: 40000, to: bob.peer });
      equal((await bob.wait('say')).bytes_size, 40000, 'size');
    },
  },
  {
    name: 'peer-1-has-no-game',
    async run(stage) {
      const [ann, bob] = await stage.table(['ann', 'bob']);
      await ann.do('say', { text: 'to the relay', to: 1 });
      await ann.do('send', { hex: '00', to: 1 });
      await ann.do('say', { text: 'still here', to: bob.peer });
      equal((await bob.wait('say')).text, 'still here', 'first call');
      equal(ann.log('disconnected').length + bob.log('packet').length, 0, 'side effects');
    },
  },
  {
    name: 'peer-disconnected',
    async run(stage) {
      const [ann, bob] = await stage.table(['ann', 'bob']);
      await bob.do('say', { text: 'bye', to: ann.peer });
      await bob.do('close');
      equal((await ann.wait('peer_disconnected')).peer, bob.peer, 'who left');
      equal(ann.log('say').length, 1, 'calls before it');
    },
  },
  {
    name: 'modes-do-not-meet',
    async run(stage) {
      const [ann] = await stage.table(['ann']);
      const values = await stage.joined(1, 'values', { m: 'state' });
      await values.do('set', { key: 'k', hex: '01' });
      await values.do('save', { hex: '02' });
      await values.wait('ack');
      const bob = await stage.peer(1, 'bob', { m: 'peers' });
      const { peer } = await bob.wait('connected');
      equal((await ann.wait('peer_connected', (e) => e.peer !== 1)).peer, peer, 'first peer that ann meets');
      equal(values.log('add_peer').length, 0, 'peers announced to a state member');
      ensure(bob.log('disconnected').length === 0, 'bob was disconnected');
    },
  },
];

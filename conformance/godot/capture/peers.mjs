// Godot's own multiplayer. Ann and Bob are two SceneMultiplayer peers of one engine; the stub gives them what a relay would,
// and Cid exists only in what it tells them. Payloads to a player are what the engine itself sent for another one.

import { encode } from '../lib/frames.mjs';

const ANN = 0x00000102;
const BOB = 0x00000201;
const CID = 0x00000304;
const TOP = 0x7FFFFF60; // nearly the highest id that PEER-ID-2 allows
const SERVER = 1;
const LEAD = 0x07;

const relay = (peer, payload, lead = LEAD) => ({ frame: 'RELAY', lead, peer, payload });
const godot = (bytes) => ({ frame: 'GODOT', bytes });

export default async function record(recorder) {
  const { engine } = recorder;
  const out = (id, name, note, reqs) => ({ id, file: 'peers/godot-relay.json', name: `relay-sent/${name}`, reqs: reqs ?? ['PEER-RELAY-5'], note });
  const dropped = (id, name, note, reqs = ['PEER-SYS-7', 'OP-SPACE-5']) => ({ id, file: 'peers/godot-dropped.json', name: `to-peer-1/${name}`, reqs, note });
  const taken = (id, name, note, reqs) => ({ id, file: 'peers/godot-client.json', name, reqs, note });

  /** A message that must be a RELAY to `peer`, or Godot's own to peer 1; gives its payload. */
  const payloadTo = async (link, peer, kept) => {
    const head = Buffer.from([LEAD, 3, 0, 0, 0, 0]);
    head.writeInt32LE(peer, 2);
    const wire = await link.next();
    const ours = peer === SERVER ? wire : wire.subarray(head.length);
    if (peer !== SERVER && !wire.subarray(0, head.length).equals(head)) throw new Error(`${kept.id}: not a RELAY to ${peer}: ${wire.toString('hex')}`);
    const payload = ours.toString('hex');
    recorder.keep('relay', peer === SERVER ? godot(payload) : relay(peer, payload), wire, kept);
    return payload;
  };
  const shows = (actor, ev, wanted = {}) => async () => {
    const e = await engine.wait(actor, ev);
    for (const [k, v] of Object.entries(wanted)) if (e[k] !== v) throw new Error(`${actor}: ${ev} shows ${k} ${e[k]}, not ${v}`);
    return e;
  };

  // Two players and a third who is only told of.
  const ann = await recorder.enter('peer');
  await recorder.took(ann.link, { frame: 'PEER_ID', peer: ANN }, shows(ann.id, 'connected', { peer: ANN }),
    taken('F2201', 'peer-id/258', 'connected_to_server was emitted, and get_unique_id() was 258.', ['PEER-ID-1', 'PEER-ID-2']));
  const bob = await recorder.enter('peer');
  await recorder.took(bob.link, { frame: 'PEER_ID', peer: BOB }, shows(bob.id, 'connected', { peer: BOB }));
  const top = await recorder.enter('peer');
  await recorder.took(top.link, { frame: 'PEER_ID', peer: TOP }, shows(top.id, 'connected', { peer: TOP }),
    taken('F2202', 'peer-id/high', `get_unique_id() was ${TOP}.`, ['PEER-ID-1', 'PEER-ID-2']));
  const add = (player, peer, kept, lead = LEAD) => recorder.took(player.link, { frame: 'ADD_PEER', lead, peer }, shows(player.id, 'peer_connected', { peer }), kept);
  await engine.wait(ann.id, 'peer_connected'); // peer 1
  await engine.wait(bob.id, 'peer_connected');
  await engine.wait(top.id, 'peer_connected');
  await add(ann, BOB, taken('F2203', 'add-peer/to-the-first', 'peer_connected(513) was emitted at peer 258.', ['PEER-SYS-1', 'PEER-SYS-2', 'PEER-SYS-3']));
  await add(bob, ANN, taken('F2204', 'add-peer/to-the-new-one', 'peer_connected(258) was emitted at peer 513.', ['PEER-SYS-1', 'PEER-SYS-2', 'PEER-SYS-3']));
  await add(ann, CID);
  await add(bob, TOP, taken('F2205', 'add-peer/high', `peer_connected(${TOP}) was emitted at peer 513.`, ['PEER-SYS-1', 'PEER-ID-2']));
  await add(bob, CID, taken('F2206', 'add-peer/lead-77', 'peer_connected(772) was emitted: Godot looks at the low three bits of the first byte only.', ['PEER-SYS-1']), 0x77);

  // The first call to everyone: each peer is told the node's path, then called by the whole path.
  await engine.tell(ann.id, 'say', { text: 'hello', hex: 'f401' });
  await payloadTo(ann.link, SERVER, dropped('F2101', 'simplify-path', '@rpc to all, first call: the path of the node, for peer 1.'));
  const path = await payloadTo(ann.link, BOB, out('F2120', 'simplify-path', '@rpc to all, first call: the path of the node, for peer 513.'));
  await payloadTo(ann.link, CID, out('F2121', 'simplify-path-to-the-next', 'The same for peer 772: Godot addresses each peer by itself.'));
  await payloadTo(ann.link, SERVER, dropped('F2102', 'remote-call-by-path', '@rpc to all, first call: the call itself, for peer 1.'));
  const called = await payloadTo(ann.link, BOB, out('F2122', 'remote-call-by-path', '@rpc to all, first call: say("hello", PackedByteArray([244, 1])) for peer 513.', ['PEER-RELAY-3', 'PEER-RELAY-5']));
  await payloadTo(ann.link, CID, out('F2123', 'remote-call-by-path-to-the-next', 'The same for peer 772.'));

  // Bob takes the path and answers; Ann takes the answer.
  let confirmed;
  await recorder.took(bob.link, relay(ANN, path), async () => { confirmed = await payloadTo(bob.link, ANN, out('F2124', 'confirm-path', 'The answer to F2120.')); },
    taken('F2210', 'relay-taken/simplify-path', 'The engine answered with F2124.', ['PEER-RELAY-2', 'PEER-RELAY-5']));
  await recorder.took(bob.link, relay(ANN, called), shows(bob.id, 'say', { peer: ANN, text: 'hello', bytes: 'f401' }),
    taken('F2211', 'relay-taken/remote-call-by-path', 'say() ran, and get_remote_sender_id() was 258.', ['PEER-RELAY-2', 'PEER-RELAY-3', 'PEER-RELAY-5']));
  ann.link.send(Buffer.from(confirmed, 'hex')); // as peer 1 would
  let short;
  await recorder.took(ann.link, relay(BOB, confirmed), async () => {
    await engine.tell(ann.id, 'say', { text: 'short', to: BOB, hex: '' });
    short = await payloadTo(ann.link, BOB, out('F2125', 'remote-call-by-number', '@rpc to one: after the confirmation the node has a number.'));
  }, taken('F2212', 'relay-taken/confirm-path', 'The next call, F2125, used the number of the path.', ['PEER-RELAY-2', 'PEER-RELAY-5']));
  await recorder.took(bob.link, relay(ANN, short), shows(bob.id, 'say', { peer: ANN, text: 'short' }),
    taken('F2213', 'relay-taken/remote-call-by-number', 'say() ran.', ['PEER-RELAY-2', 'PEER-RELAY-5']));

  // Other arguments, other targets.
  await engine.tell(ann.id, 'move', { to: BOB });
  const moved = await payloadTo(ann.link, BOB, out('F2126', 'remote-call-three-arguments', '@rpc to one: move(Vector2(1.5, -2), 0.1, true).'));
  await recorder.took(bob.link, relay(ANN, moved), shows(bob.id, 'move', { peer: ANN, jump: true }),
    taken('F2214', 'relay-taken/remote-call-three-arguments', 'move() ran.', ['PEER-RELAY-2']));
  await engine.tell(ann.id, 'bell', { to: BOB });
  const rung = await payloadTo(ann.link, BOB, out('F2127', 'remote-call-no-arguments', '@rpc to one, without arguments: bell().'));
  await recorder.took(bob.link, relay(ANN, rung, 0x57), shows(bob.id, 'bell', { peer: ANN }),
    taken('F2215', 'relay-taken/lead-57', 'bell() ran: the upper bits of the first byte mean nothing here.', ['PEER-RELAY-2']));
  await engine.tell(ann.id, 'say', { text: 'not bob', to: -BOB, hex: '' });
  await payloadTo(ann.link, SERVER, dropped('F2103', 'remote-call-all-but-one', '@rpc to all but 513: Godot calls each of the others, peer 1 too.'));
  await payloadTo(ann.link, CID, out('F2128', 'remote-call-all-but-one', '@rpc to all but 513: Godot calls each of the others.', ['PEER-RELAY-3']));
  await engine.tell(ann.id, 'bell', { to: SERVER });
  await payloadTo(ann.link, SERVER, dropped('F2104', 'remote-call-no-arguments', '@rpc to peer 1, without arguments: three bytes.'));

  // SceneMultiplayer.send_bytes is the one way to other targets than a single peer.
  const send = async (hex, to, kept) => { await engine.tell(ann.id, 'send', { hex, to }); return payloadTo(ann.link, to, kept); };
  const raw = await send('f40100612a', BOB, out('F2130', 'raw-to-one', 'send_bytes(bytes, 513); the bytes look like a STATE_SET.', ['PEER-RELAY-3', 'PEER-RELAY-5', 'OP-SPACE-1']));
  await recorder.took(bob.link, relay(ANN, raw), shows(bob.id, 'packet', { peer: ANN, bytes: 'f40100612a' }),
    taken('F2216', 'relay-taken/raw', 'peer_packet(258, ...) was emitted with the bytes of F2130.', ['PEER-RELAY-2', 'PEER-RELAY-5']));
  await send('00', 0, out('F2131', 'raw-to-all', 'send_bytes(bytes, 0): the target 0.', ['PEER-RELAY-2', 'PEER-RELAY-3']));
  await send('00', -BOB, out('F2132', 'raw-to-all-but-one', 'send_bytes(bytes, -513): a negative target.', ['PEER-RELAY-2', 'PEER-RELAY-3']));
  await send('00', -SERVER, out('F2133', 'raw-to-all-but-peer-1', 'send_bytes(bytes, -1).', ['PEER-RELAY-2', 'PEER-RELAY-3']));
  await send('00', 0x7FFFFFFF, out('F2134', 'raw-to-highest', 'send_bytes(bytes, 2147483647): Godot does not ask whether the peer exists, nor do target rules ask for a peer id.', ['PEER-RELAY-2', 'PEER-RELAY-4']));
  await send('f3', SERVER, dropped('F2105', 'raw', 'send_bytes(bytes, 1).'));
  await recorder.took(ann.link, godot('03c0de'), shows(ann.id, 'packet', { peer: SERVER, bytes: 'c0de' }),
    taken('F2220', 'from-peer-1/raw', 'peer_packet(1, ...) was emitted.', ['OP-SPACE-5']));

  // Synchroniser and spawner.
  await engine.tell(ann.id, 'sync');
  await payloadTo(ann.link, SERVER, dropped('F2111', 'simplify-path-of-a-synchronizer', 'A MultiplayerSynchronizer enters the tree: its path.'));
  await payloadTo(ann.link, BOB, out('F2140', 'simplify-path-of-a-synchronizer', 'A MultiplayerSynchronizer enters the tree: its path.'));
  await ann.link.next(); // the same for Cid
  const second = '020102000000'; // the path with number 2 is known
  ann.link.send(Buffer.from(second, 'hex'));
  for (const peer of [BOB, CID]) ann.link.send(encode(relay(peer, second)));
  await payloadTo(ann.link, SERVER, dropped('F2112', 'sync', 'A MultiplayerSynchronizer sends a change: the lead byte has flags.'));
  await payloadTo(ann.link, BOB, out('F2141', 'sync', 'A MultiplayerSynchronizer sends a change.'));
  await ann.link.next();
  await engine.tell(ann.id, 'spawn');
  await payloadTo(ann.link, SERVER, dropped('F2106', 'simplify-path-of-a-spawner', 'A MultiplayerSpawner spawns: its path first.'));
  await payloadTo(ann.link, SERVER, dropped('F2107', 'spawn', 'A MultiplayerSpawner spawns a node.'));
  await payloadTo(ann.link, BOB, out('F2135', 'simplify-path-of-a-spawner', 'A MultiplayerSpawner spawns: its path first.'));
  await payloadTo(ann.link, BOB, out('F2136', 'spawn', 'A MultiplayerSpawner spawns a node.'));
  for (let i = 0; i < 2; i++) await ann.link.next(); // the same for Cid
  await engine.tell(ann.id, 'despawn');
  await payloadTo(ann.link, SERVER, dropped('F2108', 'despawn', 'The spawned node is freed.'));
  await payloadTo(ann.link, BOB, out('F2137', 'despawn', 'The spawned node is freed.'));
  await ann.link.next();

  // A player that authenticates, and a node whose name is not ASCII.
  const eve = await recorder.enter('peer', { auth: 'secret', table: 'Стол' });
  eve.link.send(Buffer.from([2, 2, 0, 0]));
  const auth = await payloadTo(eve.link, SERVER, dropped('F2109', 'auth', 'SceneMultiplayer.send_auth(1, ...): a SYS packet with a command that is not RELAY.'));
  if (!auth.startsWith('0700')) throw new Error(`not a SYS packet: ${auth}`);
  await payloadTo(eve.link, SERVER, dropped('F2110', 'auth-complete', 'SceneMultiplayer.complete_auth(1): a SYS packet of two bytes.'));
  await recorder.took(eve.link, godot('0700'), async () => { eve.link.send(Buffer.from([LEAD, 1, 4, 3, 0, 0])); await shows(eve.id, 'peer_connected', { peer: SERVER })(); },
    taken('F2221', 'from-peer-1/auth-complete', 'Peer 1 was admitted: peer_connected(1).', ['OP-SPACE-5']));
  await shows(eve.id, 'peer_connected', { peer: CID })();
  await engine.tell(eve.id, 'say', { text: 'х', to: CID, hex: '' });
  await payloadTo(eve.link, CID, out('F2138', 'simplify-path-utf8', 'The path of a node with a Cyrillic name.'));
  await payloadTo(eve.link, CID, out('F2139', 'remote-call-by-path-utf8', 'A call to a node with a Cyrillic name.'));

  // Leaving.
  await recorder.took(ann.link, { frame: 'DEL_PEER', lead: LEAD, peer: BOB }, shows(ann.id, 'peer_disconnected', { peer: BOB }),
    taken('F2207', 'del-peer', 'peer_disconnected(513) was emitted at peer 258.', ['PEER-SYS-1', 'PEER-SYS-2', 'PEER-SYS-4']));
  await recorder.took(bob.link, { frame: 'DEL_PEER', lead: 0x77, peer: TOP }, shows(bob.id, 'peer_disconnected', { peer: TOP }),
    taken('F2208', 'del-peer/lead-77', `peer_disconnected(${TOP}) was emitted.`, ['PEER-SYS-1']));
}

// Close codes and reasons: they must reach a Godot game, which learns nothing else of why its connection ended.
import { CLOSE, LIMIT, OPCODE } from '../lib/registry.mjs';
import { ensure, equal } from '../lib/stage.mjs';

/** The actor is closed with that code and a reason that begins with its prefix (CLOSE-1). */
async function closed(actor, { code, reason }) {
  const e = await actor.wait('closed');
  equal(e.code, code, `code (reason "${e.reason}")`);
  ensure(e.reason === reason || e.reason.startsWith(`${reason}: `), `reason "${e.reason}" does not begin with "${reason}"`);
  ensure(Buffer.byteLength(e.reason) <= LIMIT.close_reason_max, 'the reason is too long');
}

/** The member does something, is closed for it, and nobody else is. */
const offence = (name, close, to, commit) => ({
  name,
  async run(stage) {
    const witness = await stage.joined(1, 'witness');
    const actor = await stage.joined(0, 'actor', to);
    await commit(actor);
    await closed(actor, close);
    await witness.do('set', { key: 'fence', hex: '' });
    equal((await witness.wait('update')).rev, 1, 'rev after it');
  },
});

/** The connection is let in only to be told why not (JOIN-ADMIT-1). */
const refusal = (name, close, to) => ({
  name,
  async run(stage) {
    const actor = await stage.room(0, 'actor', to(stage));
    await closed(actor, close);
    equal(actor.log('peer_id', 'malformed').length, 0, 'frames before the close');
  },
});

export default [
  refusal('close-bad-room', CLOSE.BAD_ROOM, () => ({ room: '@' })),
  refusal('close-bad-path', CLOSE.BAD_ROOM, (stage) => ({ url: `${stage.relay.url}/?g=suite&v=1` })),
  refusal('close-bad-mode', CLOSE.BAD_ROOM, () => ({ m: 'spectator' })),
  refusal('close-no-version', CLOSE.VERSION, () => ({ query: 'g=suite' })),
  refusal('close-other-version', CLOSE.VERSION, () => ({ query: 'g=suite&v=99' })),
  {
    name: 'close-room-full',
    async run(stage) {
      // small buffers: 33 sockets live in one engine
      const sit = (id) => stage.room(0, id, { m: 'state' }, { buffers: 65536 });
      const members = [];
      for (let i = 0; i < LIMIT.room_members_v1; i++) members.push(await sit(`m${i}`));
      for (const member of members) await member.wait('peer_id');
      await closed(await sit('late'), CLOSE.ROOM_FULL);
      await members[0].do('close');
      await members[0].wait('closed');
      const next = await sit('next');
      equal((await next.wait(['peer_id', 'closed'])).ev, 'peer_id', 'in the place that was left');
    },
  },
  offence('close-too-large', CLOSE.TOO_LARGE, {}, (a) => a.do('save', { fill: LIMIT.room_bytes + 1 })),
  offence('close-text', CLOSE.TEXT, {}, (a) => a.do('text', { text: 'hello' })),
  offence('close-malformed', CLOSE.MALFORMED, {}, (a) => a.do('raw', { hex: `${OPCODE.STATE_SET.toString(16)}0000` })),
  offence('close-wrong-direction', CLOSE.MALFORMED, {}, (a) => a.do('raw', { hex: OPCODE.WORLD_SAVE_ACK.toString(16) })),
  offence('close-write-in-mode-peers', CLOSE.MALFORMED, { m: 'peers' }, (a) => a.do('set', { key: 'k', hex: '' })),
  {
    name: 'multiplayer-refused',
    async run(stage) {
      const player = await stage.peer(0, 'player', { room: '@' });
      await player.wait(['failed', 'disconnected']);
      equal(player.log('connected').length, 0, 'connections');
    },
  },
];

// The relay goes down in order and comes back with everything. Only with a relay that the test starts.
import { CLOSE } from '../lib/registry.mjs';
import { ensure, equal } from '../lib/stage.mjs';

export default [
  {
    name: 'restart',
    spawned: true,
    async run(stage) {
      const a = await stage.joined(0, 'a');
      await a.do('set', { key: 'k', var: 'Vector2(3, 4)' });
      const { value } = await a.wait('set');
      await a.do('save', { hex: 'cafe' });
      await a.wait('ack');
      await stage.relay.stop();
      const end = await a.wait('closed');
      equal(end.code, CLOSE.RESTART.code, `code (reason "${end.reason}")`);
      ensure(end.reason.startsWith(CLOSE.RESTART.reason), `reason "${end.reason}"`);
      await stage.relay.start();
      const b = await stage.joined(1, 'b');
      equal((await b.wait('snapshot')).entries.map((e) => [e.rev, e.key, e.value]), [[1, 'k', value]], 'snapshot');
      equal((await b.wait('world')).blob, 'cafe', 'world');
      await b.do('set', { key: 'k', hex: '' });
      equal((await b.wait('update')).rev, 3, 'rev goes on');
    },
  },
];

// Starts a relay that prints {"listening":"HOST:PORT"} on its first line, and ends it.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const START_MS = 10000;
const STOP_MS = 8000;

/** Run `command` by the shell. Gives {url, restart(), stop()}; `restart` changes `url` where the relay takes another port. */
export async function spawnRelay(command) {
  const relay = { url: null, child: null };

  relay.start = async () => {
    const child = spawn('/bin/sh', ['-c', `exec ${command}`], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    relay.child = child;
    child.ended = new Promise((done) => { child.on('exit', done); child.on('error', done); });
    relay.url = await new Promise((done, fail) => {
      const timer = setTimeout(fail, START_MS, new Error(`the relay did not say where it listens: ${command}`));
      child.ended.then(() => fail(new Error(`the relay ended at once: ${command}`)));
      createInterface({ input: child.stdout }).once('line', (line) => {
        clearTimeout(timer);
        try { done(`ws://${JSON.parse(line).listening}`); } catch { fail(new Error(`not a line of a relay: ${line}`)); }
      });
    });
  };

  /** Ask it to end, and insist after a while. */
  relay.stop = async () => {
    const { child } = relay;
    const kill = (signal) => { try { process.kill(-child.pid, signal); } catch { /* it is gone */ } };
    kill('SIGTERM');
    const timer = setTimeout(kill, STOP_MS, 'SIGKILL');
    await child.ended;
    clearTimeout(timer);
  };

  process.on('exit', () => { try { process.kill(-relay.child.pid, 'SIGKILL'); } catch { /* it is gone */ } });
  await relay.start();
  return relay;
}

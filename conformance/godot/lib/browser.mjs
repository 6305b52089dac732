// Drives headless Chromium by the Chrome DevTools Protocol over a pipe: no package is needed, and the browser ends when we do.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const FLAGS = [
  '--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage',
  '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--mute-audio',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions',
  // pages that nobody looks at must run at full speed
  '--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--disable-backgrounding-occluded-windows',
];
const COMMAND_MS = 30000;

/** Gives {open(url, onMessage), close()}. */
export async function startBrowser(executable) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'roomwire-chromium-'));
  const child = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
  const [, , , toBrowser, fromBrowser] = child.stdio;
  const calls = new Map();   // id of a command -> its promise
  const sessions = new Map(); // id of a page's session -> its listener
  let lastId = 0;
  let rest = Buffer.alloc(0);
  const ended = new Promise((done) => { child.on('exit', done); child.on('error', done); });
  ended.then(() => { for (const c of calls.values()) c.fail(new Error('the browser ended')); });
  toBrowser.on('error', () => {});
  fromBrowser.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
      const message = JSON.parse(rest.subarray(0, end).toString());
      const call = calls.get(message.id);
      if (call) {
        calls.delete(message.id);
        if (message.error) call.fail(new Error(`${call.method}: ${message.error.message}`));
        else call.done(message.result);
      } else {
        sessions.get(message.sessionId)?.(message);
      }
    }
  });

  function call(method, params = {}, sessionId = undefined) {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { calls.delete(id); reject(new Error(`${method}: no answer`)); }, COMMAND_MS);
      const settle = (f) => (v) => { clearTimeout(timer); f(v); };
      calls.set(id, { method, done: settle(resolve), fail: settle(reject) });
      toBrowser.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    });
  }

  /** Open a page of its own context. `onMessage(kind, text)`: what it writes to the console, kind "error" for faults. */
  async function open(url, onMessage) {
    const { browserContextId } = await call('Target.createBrowserContext');
    const { targetId } = await call('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
    sessions.set(sessionId, ({ method, params }) => {
      if (method === 'Runtime.consoleAPICalled') {
        onMessage(params.type, params.args.map((a) => a.value ?? a.description ?? '').join(' '));
      } else if (method === 'Runtime.exceptionThrown') {
        const d = params.exceptionDetails;
        onMessage('error', `${d.text} ${d.exception?.description ?? ''}`);
      } else if (method === 'Inspector.targetCrashed') {
        onMessage('error', 'the page crashed');
      }
    });
    await call('Runtime.enable', {}, sessionId);
    await call('Inspector.enable', {}, sessionId);
    await call('Page.navigate', { url }, sessionId);
    return {
      /** Run a JavaScript expression in the page. */
      async evaluate(expression) {
        const { exceptionDetails } = await call('Runtime.evaluate', { expression }, sessionId);
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      },
    };
  }

  async function close() {
    toBrowser.end();
    const soon = new Promise((done) => setTimeout(done, 3000, 'late'));
    if (await Promise.race([ended, soon]) === 'late') killGroup();
    await ended;
    killGroup(); // what is left of its helper processes
    removeProfile();
  }
  const killGroup = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it is gone */ } };
  const removeProfile = () => fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  process.on('exit', () => { killGroup(); try { removeProfile(); } catch { /* still being written: let it lie */ } });
  return { open, close };
}

// Plays two real Godot engines against a relay and checks what they see. run.sh starts it; see README.md.
//
// usage: check.mjs (--relay ws://HOST:PORT | --spawn CMD | --reference BINARY) --engine DIR --chromium FILE [--only TEXT] [--verbose]
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import closes from './checks/closes.mjs';
import peers from './checks/peers.mjs';
import restart from './checks/restart.mjs';
import room from './checks/room.mjs';
import { startEngines } from './lib/engine.mjs';
import { spawnRelay } from './lib/relay.mjs';
import { Stage } from './lib/stage.mjs';

const TOTAL_MS = 110000; // no run takes longer, whatever hangs
const CLOSE_MS = 12000;

const options = { relay: '', spawn: '', reference: '', engine: '', chromium: '', only: '', verbose: false };
for (let i = 2; i < process.argv.length; i++) {
  const name = process.argv[i].replace(/^--/, '');
  if (!(name in options)) usage(`unknown option ${process.argv[i]}`);
  options[name] = name === 'verbose' ? true : process.argv[++i] ?? usage(`--${name} wants a value`);
}
if (!options.engine || !options.chromium) usage('--engine and --chromium are needed');
if ([options.relay, options.spawn, options.reference].filter(Boolean).length !== 1) usage('one of --relay, --spawn and --reference is needed');
const checks = [...room, ...closes, ...peers, ...restart].filter((c) => c.name.includes(options.only));
if (checks.length === 0) usage(`no check is called like "${options.only}"`);

const count = { passed: 0, failed: 0 };
const closers = [];
let ending = false;
setTimeout(finish, TOTAL_MS, 'the whole run took too long').unref();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => finish(signal));

try {
  if (options.reference) {
    const data = fs.mkdtempSync(path.join(os.tmpdir(), 'roomwire-godot-'));
    closers.push(async () => fs.rmSync(data, { recursive: true }));
    options.spawn = `'${options.reference}' --listen 127.0.0.1:0 --data '${data}'`;
  }
  const relay = options.spawn ? await spawnRelay(options.spawn) : { url: options.relay.replace(/\/$/, '') };
  if (relay.stop) closers.push(relay.stop);
  const { engines, close } = await startEngines(['A', 'B'], { engineDir: options.engine, chromium: options.chromium, verbose: options.verbose });
  closers.push(close);
  console.log(`Godot ${engines[0].version}, relay ${relay.url}`);
  const run = `godot-${Date.now().toString(36)}`;
  for (const [n, check] of checks.entries()) {
    if (!ending) await one(check, new Stage(engines, relay, run, n));
  }
  verdict('no-engine-errors', engines.flatMap((e) => e.errors).join(' | ').slice(0, 1000));
} catch (e) {
  verdict('run', e.stack);
}
finish();

async function one(check, stage) {
  if (check.spawned && !stage.relay.start) {
    console.log(`skip ${check.name}: only with a relay that the test starts`);
    return;
  }
  try {
    await check.run(stage);
    verdict(check.name, '');
  } catch (e) {
    verdict(check.name, e.message);
  }
  await stage.leave();
}

/** `fault` is empty where all is well. */
function verdict(name, fault) {
  if (ending) return;
  count[fault ? 'failed' : 'passed']++;
  console.log(fault ? `FAIL ${name}: ${fault}` : `ok ${name}`);
}

/** End everything that was started, then say the figures. */
async function finish(fault = '') {
  if (ending) return;
  if (fault) verdict('run', fault);
  ending = true;
  setTimeout(() => process.exit(1), CLOSE_MS).unref();
  for (const close of closers.reverse()) await close().catch(() => {});
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);
}

function usage(what) {
  console.error(`check.mjs: ${what}`);
  process.exit(2);
}

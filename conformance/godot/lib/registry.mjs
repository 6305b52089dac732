// The numbers of the protocol, from spec/registry.toml: what the checks and the GDScript client use is never written twice.
import fs from 'node:fs';

const FILE = new URL('../../../spec/registry.toml', import.meta.url);

/** The tables of the registry as arrays of rows. Reads what the file uses: one-line scalars under [name] and [[name]]. */
export function loadRegistry(text = fs.readFileSync(FILE, 'utf8')) {
  const tables = {};
  let row = null;
  for (const line of text.split('\n')) {
    const head = /^\[+(\w+)\]+\s*$/.exec(line);
    if (head) {
      row = {};
      (tables[head[1]] ??= []).push(row);
      continue;
    }
    const field = /^(\w+) = ("(?:[^"\\]|\\.)*"|0x[0-9A-Fa-f]+|\d+|true|false)\s*(?:#.*)?$/.exec(line);
    if (row && field) row[field[1]] = field[2].startsWith('0x') ? Number(field[2]) : JSON.parse(field[2]);
  }
  for (const name of ['opcode', 'sys', 'sys_command', 'close', 'limit']) {
    if (!tables[name]) throw new Error(`spec/registry.toml has no ${name}`);
  }
  return tables;
}

const tables = loadRegistry();

/** Opcodes by name. */
export const OPCODE = Object.fromEntries(tables.opcode.map((r) => [r.name, r.code]));
/** The commands of SYS packets by name. */
export const SYS = Object.fromEntries(tables.sys_command.map((r) => [r.name, r.code]));
/** What the relay writes as the first byte of a SYS packet, and the mask that makes a packet one. */
export const { lead: SYS_LEAD, lead_mask: SYS_LEAD_MASK, lead_low_bits: SYS_LEAD_LOW_BITS } = tables.sys[0];
/** Close codes by name: {code, reason}. */
export const CLOSE = Object.fromEntries(tables.close.map((r) => [r.name, { code: r.code, reason: r.reason }]));
/** Limits by name. */
export const LIMIT = Object.fromEntries(tables.limit.map((r) => [r.name, r.value]));

/** The constants as a GDScript file, res://wire.gd. */
export function wireScript() {
  const rows = [
    ...Object.entries(OPCODE),
    ...Object.entries(SYS),
    ['SYS_LEAD', SYS_LEAD],
    ['SYS_LEAD_MASK', SYS_LEAD_MASK],
    ['SYS_LEAD_LOW_BITS', SYS_LEAD_LOW_BITS],
    ...['key_min', 'key_max', 'snapshot_entry_min', 'max_outbound_message'].map((n) => [n.toUpperCase(), LIMIT[n]]),
  ];
  return '# Rendered from spec/registry.toml when the test project is packed.\n'
    + rows.map(([name, value]) => `const ${name} := ${value}\n`).join('');
}

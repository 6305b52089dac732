// Frames as JSON (the form of the golden frames) to bytes and spans, and golden frames to text.
import { OPCODE, SYS } from './registry.mjs';

const TEXT_WIDTH = 140;

const int = (size, signed) => (name, n) => {
  const bytes = Buffer.alloc(size);
  if (signed) bytes.writeIntLE(n, 0, size); else bytes.writeUIntLE(n, 0, size);
  return [name, bytes, String(n)];
};
const u16 = int(2, false);
const u32 = int(4, false);
const i32 = int(4, true);
const byte = (name, n) => [name, Buffer.from([n]), `0x${n.toString(16).toUpperCase().padStart(2, '0')}`];
const bytes = (name, hex) => [name, Buffer.from(hex, 'hex'), hex];
const text = (name, t) => [name, Buffer.from(t), t];
const opcode = (f) => byte('opcode', OPCODE[f.frame]);
const sys = (f) => [byte('lead', f.lead), ['command', Buffer.from([SYS[f.frame]]), String(SYS[f.frame])], i32('peer', f.peer)];

/** The fields of each frame in wire order: [name, bytes, readable value]. */
const FIELDS = {
  WORLD_SAVE: (f) => [opcode(f), bytes('blob', f.blob)],
  WORLD_LOAD: (f) => [opcode(f), bytes('blob', f.blob)],
  WORLD_SAVE_ACK: (f) => [opcode(f)],
  STATE_SET: (f) => [opcode(f), u16('key_len', Buffer.byteLength(f.key)), text('key', f.key), bytes('value', f.value)],
  STATE_UPDATE: (f) => [opcode(f), u32('rev', f.rev), u16('key_len', Buffer.byteLength(f.key)), text('key', f.key), bytes('value', f.value)],
  STATE_SNAPSHOT: (f) => [opcode(f), u32('count', f.entries.length), ...f.entries.flatMap((e) => [
    u32('entry.rev', e.rev), u16('entry.key_len', Buffer.byteLength(e.key)), text('entry.key', e.key),
    u32('entry.val_len', e.value.length / 2), bytes('entry.value', e.value),
  ])],
  PEER_ID: (f) => [i32('peer', f.peer)],
  ADD_PEER: sys,
  DEL_PEER: sys,
  RELAY: (f) => [...sys(f), bytes('payload', f.payload)],
  GODOT: (f) => [bytes('bytes', f.bytes)],
};

export const encode = (frame) => Buffer.concat(FIELDS[frame.frame](frame).map(([, b]) => b));

/** [first bit, bits, field, readable value] of each field that has bytes. */
export function spans(frame) {
  let at = 0;
  return FIELDS[frame.frame](frame).filter(([, b]) => b.length).map(([name, b, readable]) => {
    const span = [at, 8 * b.length, name, readable];
    at += 8 * b.length;
    return span;
  });
}

/** A file of golden frames in the standard form: see conformance/second/vector_files.py. */
export function fileText(cases) {
  const lines = [['id', 'name', 'rev', 'since', 'origin'], ['reqs', 'needs'], ['v', 'to', 'first', 'ops', 'kind'], ['wire'], ['spans'], ['expect'], ['note']];
  const member = (name, value) => {
    const line = `"${name}": ${ascii(value)}`;
    if (name !== 'spans' || line.length <= TEXT_WIDTH) return line;
    return `"spans": [\n${value.map((s) => `      ${ascii(s)}`).join(',\n')}\n    ]`;
  };
  const one = (c) => `  {\n${lines.map((names) => names.filter((n) => n in c).map((n) => member(n, c[n])).join(', '))
    .filter(Boolean).map((l) => `    ${l}`).join(',\n')}\n  }`;
  return `[\n${cases.map(one).join(',\n')}\n]\n`;
}

const ascii = (value) => JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

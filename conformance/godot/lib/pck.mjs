// Packs a folder into a Godot .pck: format version 3, as the export templates of Godot 4.5 and later read it. Scripts and
// scenes stay text, which those templates accept; nothing that needs an import step can be packed.
//
//   header      "GDPC", format, engine major, minor, patch, flags, u64 where files begin, u64 where the directory is,
//               16 reserved u32
//   directory   u32 count, then per file: u32 padded length, path padded to 4, u64 offset (from where files begin),
//               u64 size, MD5, u32 flags
//   files       each aligned to 16 bytes
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const FORMAT = 3;
const ENGINE = [4, 6, 0];
const OFFSETS_FROM_PACK = 2; // flag: both offsets of the header count from the header's start
const HEADER_SIZE = 104;
const ALIGN = 16;

const align = (n, to) => Math.ceil(n / to) * to;

/** `files`: [path below res://, Buffer] pairs. */
export function pack(files) {
  const entries = files.map(([name, body]) => {
    const raw = Buffer.from(name);
    const padded = Buffer.alloc(align(raw.length, 4));
    raw.copy(padded);
    return { padded, body };
  });
  const directory = Buffer.alloc(4 + entries.reduce((n, e) => n + 4 + e.padded.length + 8 + 8 + 16 + 4, 0));
  let at = directory.writeUInt32LE(entries.length, 0);
  let offset = 0;
  for (const e of entries) {
    e.offset = offset;
    at = directory.writeUInt32LE(e.padded.length, at);
    at += e.padded.copy(directory, at);
    at = directory.writeBigUInt64LE(BigInt(e.offset), at);
    at = directory.writeBigUInt64LE(BigInt(e.body.length), at);
    at += createHash('md5').update(e.body).digest().copy(directory, at);
    at = directory.writeUInt32LE(0, at);
    offset = align(offset + e.body.length, ALIGN);
  }
  const base = align(HEADER_SIZE + directory.length, ALIGN);
  const out = Buffer.alloc(base + offset);
  out.write('GDPC', 0, 'latin1');
  [FORMAT, ...ENGINE, OFFSETS_FROM_PACK].forEach((v, i) => out.writeUInt32LE(v, 4 + 4 * i));
  out.writeBigUInt64LE(BigInt(base), 24);
  out.writeBigUInt64LE(BigInt(HEADER_SIZE), 32);
  directory.copy(out, HEADER_SIZE);
  for (const e of entries) e.body.copy(out, base + e.offset);
  return out;
}

/** The files of a flat folder, in order of their names. */
export function readFolder(dir) {
  return fs.readdirSync(dir).sort().map((name) => [name, fs.readFileSync(path.join(dir, name))]);
}

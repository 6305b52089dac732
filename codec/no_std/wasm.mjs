// The codec on a 32-bit target: lengths near 2^32 must be compared, never added.
import { readFileSync } from 'node:fs';

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
const { memory, ROOMWIRE_BUFFER, roomwire_check } = instance.exports;

const check = (what, bytes, expected) => {
    new Uint8Array(memory.buffer, ROOMWIRE_BUFFER.value, bytes.length).set(bytes);
    const got = roomwire_check(ROOMWIRE_BUFFER.value, bytes.length);
    if (got !== expected) {
        throw new Error(`${what}: ${got} instead of ${expected}`);
    }
    console.log(`ok: 32 bits: ${what}`);
};

const entry = [5, 0, 0, 0, 1, 0, 0x6b];
check('a snapshot is read', [0xf6, 1, 0, 0, 0, ...entry, 0, 0, 0, 0], 1);
for (const top of [0xf4, 0xfa, 0xfb, 0xff]) {
    check('a value that would wrap is refused', [0xf6, 1, 0, 0, 0, ...entry, top, 0xff, 0xff, 0xff], -17);
}
// 390451573 * 11 is 2^32 + 7.
check('a count whose product would wrap is refused', [0xf6, 0x75, 0xd1, 0x45, 0x17, ...entry, 0, 0, 0, 0], -2);
check('the largest count is refused', [0xf6, 0xff, 0xff, 0xff, 0xff, ...entry, 0, 0, 0, 0], -2);

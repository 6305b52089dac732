// Values and worlds. Values are what var_to_bytes makes of Godot's types.

const PEER = 0x00000102;

export default async function record(recorder) {
  const { engine } = recorder;
  const { id: actor, link } = await recorder.enter('room');
  await recorder.took(link, { frame: 'PEER_ID', peer: PEER }, () => engine.wait(actor, 'peer_id'));

  const set = async (id, name, key, value, reqs, note) => {
    await engine.tell(actor, 'set', { key, ...value });
    const sent = await engine.wait(actor, 'set');
    await recorder.sent(link, { frame: 'STATE_SET', key, value: sent.value }, { id, file: 'room/godot-set.json', name: `set/${name}`, needs: ['room'], reqs, note });
    return sent.value;
  };
  const type = (id, name, value, note) => set(id, name, 'value', { var: value }, ['ROOM-VALUE-1'], `The value is var_to_bytes(${note ?? value}).`);
  await type('F2001', 'int', '7');
  await type('F2002', 'int-64', '-9007199254740993');
  await type('F2003', 'float', '0.1');
  await type('F2004', 'bool', 'true');
  await type('F2005', 'null', 'null');
  await type('F2006', 'string', '"ход"');
  await type('F2007', 'vector2', 'Vector2(1.5, -2)');
  await type('F2008', 'color', 'Color(1, 0.5, 0, 1)');
  await type('F2009', 'array', '[1, "two", 3.5, null]');
  const dictionary = await set('F2010', 'dictionary', 'player/7', { var: '{"hp": 7, "at": Vector2i(3, 4), "bag": ["axe"]}' }, ['ROOM-VALUE-1'],
    'The value is var_to_bytes({"hp": 7, "at": Vector2i(3, 4), "bag": ["axe"]}).');
  await type('F2011', 'packed-bytes', 'PackedByteArray(245, 1, 0, 0, 0)', 'PackedByteArray([245, 1, 0, 0, 0])');
  await set('F2012', 'empty-value', 'empty', { hex: '' }, ['ROOM-VALUE-1'], 'The value is an empty PackedByteArray.');
  await set('F2013', 'key-cyrillic', 'ход/белые', { hex: '01' }, ['ROOM-KEY-2'], 'The key is String.to_utf8_buffer() of two-byte characters.');
  await set('F2014', 'key-emoji', '🎲🃏', { hex: '01' }, ['ROOM-KEY-2'], 'The key is String.to_utf8_buffer() of four-byte characters.');
  await set('F2015', 'key-combining', 'cafe\u0301', { hex: '01' }, ['ROOM-KEY-2', 'PRIM-TEXT-1'], 'The key ends in a combining accent; Godot does not normalise it.');
  await set('F2016', 'key-1024', 'k'.repeat(1024), { hex: '01' }, ['ROOM-KEY-1'], 'The longest key.');

  const save = async (id, name, blob, reqs, note) => {
    await engine.tell(actor, 'save', blob);
    const sent = await engine.wait(actor, 'save');
    await recorder.sent(link, { frame: 'WORLD_SAVE', blob: sent.blob }, { id, file: 'room/godot-world.json', name: `world-save/${name}`, needs: ['room'], reqs, note });
    return sent.blob;
  };
  const world = await save('F2020', 'dictionary', { var: '{"level": 3, "seed": 12345678901, "map": PackedInt32Array(1, 2, 3)}' }, ['ROOM-WORLD-1'],
    'The world is var_to_bytes({"level": 3, "seed": 12345678901, "map": PackedInt32Array([1, 2, 3])}).');
  await save('F2021', 'array', { var: '[[0, 1], [1, 0]]' }, ['ROOM-WORLD-1'], 'The world is var_to_bytes([[0, 1], [1, 0]]).');
  await save('F2022', 'empty', { hex: '' }, ['ROOM-WORLD-1'], 'The world is an empty PackedByteArray.');

  const take = async (id, name, frame, event, wanted, reqs, note) => {
    const shown = await recorder.took(link, frame, () => engine.wait(actor, event),
      { id, file: 'room/godot-client.json', name, needs: ['room'], reqs, note: `A game in GDScript read it: ${note}` });
    for (const [k, v] of Object.entries(wanted)) {
      const got = k === 'entries' ? shown.entries.map(({ rev, key, value }) => ({ rev, key, value })) : shown[k];
      if (JSON.stringify(got) !== JSON.stringify(v)) throw new Error(`${id}: the engine shows ${k} ${JSON.stringify(got)}`);
    }
  };
  const update = (id, name, rev, key, value, reqs, note) => take(id, `update/${name}`, { frame: 'STATE_UPDATE', rev, key, value }, 'update', { rev, key, value }, reqs, note);
  await update('F2030', 'dictionary', 1, 'player/7', dictionary, ['ROOM-VALUE-1'], 'the value is what F2010 sent.');
  await update('F2031', 'empty-value', 2, 'empty', '', ['ROOM-VALUE-1'], 'the value is empty.');
  await update('F2032', 'key-emoji', 3, '🎲🃏', '01', ['ROOM-KEY-2'], 'get_string_from_utf8() gives the key back.');
  await update('F2033', 'rev-2147483648', 0x80000000, 'k', '01', ['PRIM-INT-1', 'ROOM-REV-1'], 'PackedByteArray.decode_u32() does not make it negative.');
  await update('F2034', 'rev-max', 0xFFFFFFFF, 'k', '02', ['ROOM-REV-1'], 'the last revision.');
  const snapshot = (id, name, entries, reqs, note) => take(id, `snapshot/${name}`, { frame: 'STATE_SNAPSHOT', entries }, 'snapshot', { entries }, reqs, note);
  await snapshot('F2035', 'one', [{ rev: 4, key: 'player/7', value: dictionary }], ['ROOM-SNAP-1'], 'one entry.');
  await snapshot('F2036', 'three', [
    { rev: 2, key: 'empty', value: '' }, { rev: 5, key: 'ход/белые', value: '01' }, { rev: 9, key: 'k'.repeat(40), value: 'f5f6' },
  ], ['ROOM-SNAP-1', 'ROOM-KEY-2', 'ROOM-VALUE-1'], 'an empty value, a key of two-byte characters, a value that looks like opcodes.');
  await take('F2037', 'world-load/dictionary', { frame: 'WORLD_LOAD', blob: world }, 'world', { blob: world }, ['ROOM-WORLD-1'], 'the world is what F2020 sent.');
  await take('F2038', 'world-load/empty', { frame: 'WORLD_LOAD', blob: '' }, 'world', { blob: '' }, ['ROOM-WORLD-1'], 'the world is empty.');
  await take('F2039', 'world-save-ack', { frame: 'WORLD_SAVE_ACK' }, 'ack', {}, ['ROOM-WORLD-2'], 'a save is durable.');
}

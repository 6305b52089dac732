extends Node
## One Roomwire connection of version 1 over Godot's WebSocketPeer: values and worlds (spec/03-rooms.md).
##
## `happened` tells everything as a dictionary whose "ev" is one of peer_id, update, snapshot, world, ack, add_peer,
## del_peer, relay, godot, malformed, text, closed. A frame that does not decode changes nothing and is told as
## "malformed" with the rule that it breaks. The numbers come from wire.gd, which the packer renders from
## spec/registry.toml.

signal happened(event: Dictionary)

const Wire := preload("res://wire.gd")

var _socket := WebSocketPeer.new()
var _has_id := false
var _ended := false


## `buffers`: bytes for each direction. The default takes the largest message that a relay sends (LIM-OUT-1).
func open(url: String, buffers := Wire.MAX_OUTBOUND_MESSAGE) -> Error:
	_socket.inbound_buffer_size = buffers
	_socket.outbound_buffer_size = buffers
	return _socket.connect_to_url(url)


## Write one key of 1 to 1024 bytes (ROOM-KEY-1). The relay answers everyone, us included, with an update.
func set_value(key: String, value: PackedByteArray) -> Error:
	var k := key.to_utf8_buffer()
	if k.size() < Wire.KEY_MIN or k.size() > Wire.KEY_MAX:
		return ERR_INVALID_PARAMETER
	var frame := PackedByteArray([Wire.STATE_SET, 0, 0])
	frame.encode_u16(1, k.size())
	frame.append_array(k)
	frame.append_array(value)
	return send_raw(frame)


## Replace the world. The relay answers with an ack when it is durable (ROOM-WORLD-2).
func save_world(blob: PackedByteArray) -> Error:
	var frame := PackedByteArray([Wire.WORLD_SAVE])
	frame.append_array(blob)
	return send_raw(frame)


func send_raw(bytes: PackedByteArray) -> Error:
	return _socket.send(bytes, WebSocketPeer.WRITE_MODE_BINARY)


func send_text(text: String) -> Error:
	return _socket.send_text(text)


func close(code := 1000, reason := "") -> void:
	_socket.close(code, reason)


func _process(_delta: float) -> void:
	_socket.poll()
	match _socket.get_ready_state():
		WebSocketPeer.STATE_OPEN:
			while _socket.get_available_packet_count() > 0:
				var bytes := _socket.get_packet()
				if _socket.was_string_packet():
					happened.emit({"ev": "text"})
				else:
					happened.emit(_decode(bytes))
		WebSocketPeer.STATE_CLOSED:
			if not _ended:
				_ended = true
				happened.emit({"ev": "closed", "code": _socket.get_close_code(), "reason": _socket.get_close_reason()})


func _decode(b: PackedByteArray) -> Dictionary:
	if not _has_id:  # PEER-ID-1: the first message, whatever it begins with
		if b.size() != 4 or not _is_peer(b.decode_s32(0)):
			return _bad("PEER-ID-2")
		_has_id = true
		return {"ev": "peer_id", "peer": b.decode_s32(0)}
	if b.is_empty():
		return _bad("OP-SPACE-4")
	match b[0]:
		Wire.WORLD_LOAD:
			return {"ev": "world", "blob": b.slice(1)}
		Wire.WORLD_SAVE_ACK:
			return {"ev": "ack"} if b.size() == 1 else _bad("PRIM-END-1")
		Wire.STATE_UPDATE:
			return _decode_update(b)
		Wire.STATE_SNAPSHOT:
			return _decode_snapshot(b)
		Wire.WORLD_SAVE, Wire.STATE_SET:
			return _bad("OP-SPACE-3")
	if b[0] & Wire.SYS_LEAD_MASK == Wire.SYS_LEAD_LOW_BITS:
		return _decode_sys(b)
	if b[0] & 8:  # bit 3 set: an opcode of another version
		return _bad("OP-SPACE-2")
	return {"ev": "godot", "bytes": b}


func _decode_update(b: PackedByteArray) -> Dictionary:
	var at := _take_entry_head(b, 1)
	if at < 0:
		return _bad("STATE_UPDATE")
	return {"ev": "update", "rev": b.decode_u32(1), "key": b.slice(7, at).get_string_from_utf8(), "value": b.slice(at)}


## All entries or none (ERR-EFFECT-1).
func _decode_snapshot(b: PackedByteArray) -> Dictionary:
	if b.size() < 5:
		return _bad("PRIM-COUNT-1")
	var count := b.decode_u32(1)
	if count * Wire.SNAPSHOT_ENTRY_MIN > b.size() - 5:
		return _bad("PRIM-COUNT-1")
	var entries := []
	var keys := {}
	var last_rev := 0
	var at := 5
	for _i in count:
		var rev_at := at
		at = _take_entry_head(b, at)
		if at < 0 or b.size() - at < 4 or b.decode_u32(rev_at) <= last_rev:
			return _bad("ROOM-SNAP-1")
		last_rev = b.decode_u32(rev_at)
		var key := b.slice(rev_at + 6, at).get_string_from_utf8()
		var size := b.decode_u32(at)
		at += 4
		if size > b.size() - at or keys.has(key):
			return _bad("ROOM-SNAP-2")
		keys[key] = true
		entries.append({"rev": last_rev, "key": key, "value": b.slice(at, at + size)})
		at += size
	return {"ev": "snapshot", "entries": entries} if at == b.size() else _bad("PRIM-END-1")


## Check rev, key_len and key at `at`; gives the offset behind the key, or -1.
func _take_entry_head(b: PackedByteArray, at: int) -> int:
	if b.size() - at < 6 or b.decode_u32(at) == 0:
		return -1
	var size := b.decode_u16(at + 4)
	if size < Wire.KEY_MIN or size > Wire.KEY_MAX or size > b.size() - at - 6:
		return -1
	var end := at + 6 + size
	var key := b.slice(at + 6, end)
	# ROOM-KEY-2: what Godot reads must be what was written (it ends at NUL, skips a BOM, replaces what is not UTF-8).
	return end if key.get_string_from_utf8().to_utf8_buffer() == key else -1


func _decode_sys(b: PackedByteArray) -> Dictionary:
	if b.size() < 2:
		return _bad("PEER-SYS-1")
	match b[1]:
		Wire.ADD_PEER, Wire.DEL_PEER:
			if b.size() != 6 or not _is_peer(b.decode_s32(2)):
				return _bad("PEER-SYS-1")
			return {"ev": "add_peer" if b[1] == Wire.ADD_PEER else "del_peer", "peer": b.decode_s32(2)}
		Wire.RELAY:
			if b.size() < 7 or not _is_peer(b.decode_s32(2)):
				return _bad("PEER-RELAY-1")
			return {"ev": "relay", "peer": b.decode_s32(2), "payload": b.slice(6)}
	return {"ev": "godot", "bytes": b}


## PEER-ID-2
func _is_peer(id: int) -> bool:
	var low := id & 0xFF
	return id >= 2 and not (low >= Wire.WORLD_SAVE and low <= Wire.STATE_SNAPSHOT) and low & 8 == 0 \
			and low & Wire.SYS_LEAD_MASK != Wire.SYS_LEAD_LOW_BITS


func _bad(rule: String) -> Dictionary:
	return {"ev": "malformed", "rule": rule}

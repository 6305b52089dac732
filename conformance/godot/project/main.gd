extends Node
## The test's hand inside the engine. The page calls window.roomwire(json) with a command; what happens goes out as console
## lines "ROOMWIRE {json}", bytes as lowercase hex (of long ones only size and SHA-256).
##
## Every command has "do" and "id", the name of an actor. "room" and "peer" make one; the rest act on it.

const RoomClient := preload("res://room_client.gd")
const PeerClient := preload("res://peer_client.gd")
const HEX_MAX := 4096

var _callback  # JavaScript holds no reference of its own


func _ready() -> void:
	_callback = JavaScriptBridge.create_callback(func(args: Array): _command(JSON.parse_string(str(args[0]))))
	JavaScriptBridge.get_interface("window").roomwire = _callback
	_tell("engine", {"ev": "ready", "version": Engine.get_version_info()["string"]})


func _tell(id: String, event: Dictionary) -> void:
	var out := {"id": id}
	for k in event:
		_put(out, k, event[k])
	print("ROOMWIRE " + JSON.stringify(out))


func _put(out: Dictionary, key: String, v: Variant) -> void:
	if v is PackedByteArray:
		out[key + "_size"] = v.size()
		if v.size() <= HEX_MAX:
			out[key] = v.hex_encode()
		else:
			var h := HashingContext.new()
			h.start(HashingContext.HASH_SHA256)
			h.update(v)
			out[key + "_sha256"] = h.finish().hex_encode()
	elif v is Array:
		out[key] = v.map(func(e: Dictionary):
			var o := {}
			for k in e:
				_put(o, k, e[k])
			return o)
	else:
		out[key] = v


## The bytes of a command: "hex", "var" (a value in Godot's text form, sent as var_to_bytes) or "fill" (that many bytes).
func _bytes(c: Dictionary) -> PackedByteArray:
	if c.has("var"):
		return var_to_bytes(str_to_var(c["var"]))
	if c.has("fill"):
		var out := PackedByteArray()
		out.resize(int(c["fill"]))
		for i in out.size():
			out[i] = (i * 131 + (i >> 8)) & 0xFF
		return out
	return (c.get("hex", "") as String).hex_decode()


func _command(c: Dictionary) -> void:
	var id: String = c["id"]
	match c["do"]:
		"room":
			var room := RoomClient.new()
			_enter(id, room)
			_report(id, room.open(c["url"], int(c.get("buffers", RoomClient.Wire.MAX_OUTBOUND_MESSAGE))))
		"peer":
			var peer := PeerClient.new()
			_enter(id, peer)
			_report(id, peer.open(c["url"], c.get("table", "Table"), c.get("auth", "")))
		_:
			var actor := get_node_or_null(NodePath(id))
			if actor == null:
				_tell(id, {"ev": "error", "what": "no such actor"})
			else:
				_act(id, actor, c)


func _enter(id: String, actor: Node) -> void:
	actor.name = id
	actor.happened.connect(func(e: Dictionary): _tell(id, e))
	add_child(actor)


func _report(id: String, err: Error) -> void:
	if err != OK:
		_tell(id, {"ev": "error", "what": error_string(err)})


func _act(id: String, actor: Node, c: Dictionary) -> void:
	match c["do"]:
		"set":
			var value := _bytes(c)
			_tell(id, {"ev": "set", "value": value})
			_report(id, actor.set_value(c["key"], value))
		"save":
			var blob := _bytes(c)
			_tell(id, {"ev": "save", "blob": blob})
			_report(id, actor.save_world(blob))
		"raw":
			_report(id, actor.send_raw(_bytes(c)))
		"text":
			_report(id, actor.send_text(c["text"]))
		"say":
			_report(id, actor.table.say.rpc_id(int(c.get("to", 0)), c.get("text", ""), _bytes(c)))
		"move":
			_report(id, actor.table.move.rpc_id(int(c.get("to", 0)), Vector2(1.5, -2), 0.1, true))
		"bell":
			_report(id, actor.table.bell.rpc_id(int(c.get("to", 0))))
		"send":
			_report(id, actor.send(_bytes(c), int(c.get("to", 0))))
		"sync":
			_synchronise(actor.table)
		"turn":
			actor.table.turn += 1
		"spawn":
			_spawn(actor.table)
		"despawn":
			actor.table.get_node("Token").free()
		"close":
			actor.close()
		"drop":
			actor.close()
			actor.queue_free()
		_:
			_tell(id, {"ev": "error", "what": "unknown command"})


## Replicate the table's `turn` from this player to all, whenever it changes.
func _synchronise(table: Node) -> void:
	var config := SceneReplicationConfig.new()
	config.add_property(^":turn")
	config.property_set_replication_mode(^":turn", SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE)
	var sync := MultiplayerSynchronizer.new()
	sync.name = "Sync"
	sync.replication_config = config
	sync.root_path = ^".."
	sync.set_multiplayer_authority(table.multiplayer.get_unique_id())
	table.add_child(sync)


## Spawn a node "Token" at everyone, with this player as the authority.
func _spawn(table: Node) -> void:
	var spawner := MultiplayerSpawner.new()
	spawner.name = "Spawner"
	spawner.spawn_path = ^".."
	spawner.spawn_function = func(_data: Variant) -> Node:
		var token := Node.new()
		token.name = "Token"
		return token
	spawner.set_multiplayer_authority(table.multiplayer.get_unique_id())
	table.add_child(spawner)
	spawner.spawn("red")

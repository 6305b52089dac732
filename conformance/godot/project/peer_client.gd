extends Node
## One player in Godot's own multiplayer: a WebSocketMultiplayerPeer under a SceneMultiplayer of its own, so that several
## players can live in one engine. RPCs go between the nodes "Table" (table.gd) that stand below each player.

signal happened(event: Dictionary)

const Table := preload("res://table.gd")

var api := SceneMultiplayer.new()
var link := WebSocketMultiplayerPeer.new()
var table: Node


## The node must be in the tree. `table_name` becomes part of the node path on the wire.
func open(url: String, table_name := "Table", auth := "") -> Error:
	get_tree().set_multiplayer(api, get_path())
	table = Table.new()
	table.name = table_name
	table.happened.connect(func(e: Dictionary): happened.emit(e))
	add_child(table)
	if not auth.is_empty():
		api.auth_callback = func(id: int, data: PackedByteArray): happened.emit({"ev": "auth", "peer": id, "bytes": data})
		api.peer_authenticating.connect(func(id: int):
			api.send_auth(id, auth.to_utf8_buffer())
			api.complete_auth(id))
	api.connected_to_server.connect(func(): happened.emit({"ev": "connected", "peer": api.get_unique_id()}))
	api.connection_failed.connect(func(): happened.emit({"ev": "failed"}))
	api.server_disconnected.connect(func(): happened.emit({"ev": "disconnected"}))
	api.peer_connected.connect(func(id: int): happened.emit({"ev": "peer_connected", "peer": id}))
	api.peer_disconnected.connect(func(id: int): happened.emit({"ev": "peer_disconnected", "peer": id}))
	api.peer_packet.connect(func(id: int, bytes: PackedByteArray): happened.emit({"ev": "packet", "peer": id, "bytes": bytes}))
	var err := link.create_client(url)
	if err == OK:
		api.multiplayer_peer = link
	return err


func send(bytes: PackedByteArray, to: int) -> Error:
	return api.send_bytes(bytes, to)


func close() -> void:
	link.close()

extends Node
## What the players call on each other.

signal happened(event: Dictionary)

## Replicated by a MultiplayerSynchronizer, where a test adds one.
var turn := 1


@rpc("any_peer", "call_remote", "reliable")
func say(text: String, data: PackedByteArray) -> void:
	happened.emit({"ev": "say", "peer": multiplayer.get_remote_sender_id(), "text": text, "bytes": data})


@rpc("any_peer", "call_remote", "reliable")
func move(to: Vector2, speed: float, jump: bool) -> void:
	happened.emit({"ev": "move", "peer": multiplayer.get_remote_sender_id(), "to": str(to), "speed": speed, "jump": jump})


@rpc("any_peer", "call_remote", "unreliable")
func bell() -> void:
	happened.emit({"ev": "bell", "peer": multiplayer.get_remote_sender_id()})

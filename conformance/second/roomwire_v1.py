"""Roomwire version 1, decoded and encoded: the second implementation.

It is written from nothing but the chapters in `spec/`, shares nothing with the Rust codec, and is there to check the golden frames and
to be read beside the specification. It is complete for version 1, checks everything that a decoder must check (duplicate keys too), and
needs Python 3.11 and nothing else.

    decode(wire, to, first=False) -> frame        raises Refused
    encode(frame, to, first=False) -> wire        raises ValueError
    dissect(wire, to, first=False) -> (frame, spans)

`to` is who gets the frame, "relay" or "client". `first` says that it is the first message to a client, which is its peer id. A frame is a
dict in the form of the vectors, bytes as lowercase hex: {"frame": "STATE_SET", "key": "a", "value": "01"}. A span is
[first bit, bits, field, readable value].
"""

RELAY, CLIENT = "relay", "client"

# Opcodes (2.2) and SYS packets (4.2).
WORLD_SAVE, WORLD_LOAD, WORLD_SAVE_ACK, STATE_SET, STATE_UPDATE, STATE_SNAPSHOT = range(0xF1, 0xF7)
ONLY_TO = {opcode: RELAY if opcode in (WORLD_SAVE, STATE_SET) else CLIENT for opcode in range(0xF1, 0xF7)}
SYS_LOW_BITS = 7
ADD_PEER, DEL_PEER, RELAYED = 1, 2, 3

KEY_MIN, KEY_MAX = 1, 1024
ENTRY_MIN = 4 + 2 + KEY_MIN + 4  # rev, key_len, key, val_len


class Refused(Exception):
    """A message that does not decode (2.3). `spans` covers what was read, the field at fault included."""

    def __init__(self, error_class, offset, field, rule, spans=()):
        super().__init__(f"{error_class} at byte {offset}, {field} ({rule})")
        self.error_class, self.offset, self.field, self.rule, self.spans = error_class, offset, field, rule, list(spans)

    def as_json(self):
        return {"class": self.error_class, "offset": self.offset, "field": self.field, "rule": self.rule}


def decode(wire, to, first=False):
    return dissect(wire, to, first)[0]


def dissect(wire, to, first=False):
    if to not in (RELAY, CLIENT) or (first and to != CLIENT):
        raise ValueError(f"no such direction: {to!r}, first={first}")
    reader = Reader(bytes(wire))
    return (peer_id_message(reader) if first else message(reader, to)), reader.spans


class Reader:
    """Reads field after field, and refuses at the first fault."""

    def __init__(self, wire):
        self.wire, self.at, self.spans = wire, 0, []

    def left(self):
        return len(self.wire) - self.at

    def refuse(self, error_class, offset, field, rule):
        raise Refused(error_class, offset, field, rule, self.spans)

    def take(self, size, field, cut_rule):
        """The next `size` bytes. The length is compared with what is left, and never added to a position (PRIM-LEN-1)."""
        start = self.at
        if size > self.left():
            self.at = len(self.wire)
            self.mark(field, self.wire[start:], raw(self.wire[start:]))
            self.refuse("truncated", start, field, cut_rule)
        self.at += size
        return self.wire[start : self.at]

    def mark(self, field, taken, readable):
        """Notes the bytes just taken as a span. A field of no bytes has no span."""
        if taken:
            self.spans.append([8 * (self.at - len(taken)), 8 * len(taken), field, readable])

    def number(self, field, size, cut_rule="PRIM-FRAME-1", signed=False, show=str):
        taken = self.take(size, field, cut_rule)
        number = int.from_bytes(taken, "little", signed=signed)
        self.mark(field, taken, show(number))
        return number

    def rev(self, field):
        start, rev = self.at, self.number(field, 4)
        if rev == 0:
            self.refuse("value", start, field, "ROOM-REV-1")
        return rev

    def key(self, prefix=""):
        start, size = self.at, self.number(prefix + "key_len", 2)
        if not KEY_MIN <= size <= KEY_MAX:
            self.refuse("limit", start, prefix + "key_len", "ROOM-KEY-1")
        start, taken = self.at, self.take(size, prefix + "key", "PRIM-LEN-1")
        try:
            key = taken.decode("utf-8", "strict")  # Python's own decoder takes only well-formed UTF-8
        except UnicodeDecodeError:
            self.mark(prefix + "key", taken, raw(taken))
            self.refuse("value", start, prefix + "key", "ROOM-KEY-2")
        self.mark(prefix + "key", taken, key)
        if "\0" in key or key.startswith("\ufeff"):
            self.refuse("value", start, prefix + "key", "ROOM-KEY-2")
        return key

    def bytes(self, field, size, cut_rule="PRIM-LEN-1"):
        taken = self.take(size, field, cut_rule)
        self.mark(field, taken, taken.hex())
        return taken.hex()

    def rest(self, field):
        return self.bytes(field, self.left())

    def peer(self, rule, cut_rule):
        """A peer id (PEER-ID-2). What is allowed depends on its lowest byte, the first on the wire."""
        start, peer = self.at, self.number("peer", 4, cut_rule, signed=True)
        low = peer & 0xFF
        if peer < 2 or low in ONLY_TO or low & 0x08 or low & 0x07 == SYS_LOW_BITS:
            self.refuse("value", start, "peer", rule)
        return peer

    def end(self):
        start = self.at
        if self.rest("end"):
            self.refuse("trailing", start, "end", "PRIM-END-1")


def raw(taken):
    """How a span shows bytes that are not a value: a field that is cut, text that is not UTF-8."""
    return "0x" + taken.hex()


def two_digits(byte):
    return f"0x{byte:02X}"


def message(reader, to):
    """Any message but the first one to a client: chosen by its first byte and by nothing else (OP-SPACE-1)."""
    if not reader.wire:
        reader.refuse("truncated", 0, "opcode", "OP-SPACE-4")
    lead = reader.wire[0]
    if lead in ONLY_TO:
        reader.number("opcode", 1, show=two_digits)
        if ONLY_TO[lead] != to:
            reader.refuse("direction", 0, "opcode", "OP-SPACE-3")
        return ROOM_FRAMES[lead](reader)
    if lead & 0x07 == SYS_LOW_BITS:
        return sys_packet(reader, to)
    if lead & 0x08:
        reader.number("opcode", 1, show=two_digits)
        reader.refuse("opcode", 0, "opcode", "OP-SPACE-2")
    return godot(reader)


def godot(reader):
    return {"frame": "GODOT", "bytes": reader.rest("bytes")}


def state_update(reader):
    rev, key = reader.rev("rev"), reader.key()
    return {"frame": "STATE_UPDATE", "rev": rev, "key": key, "value": reader.rest("value")}


def state_set(reader):
    return {"frame": "STATE_SET", "key": reader.key(), "value": reader.rest("value")}


def state_snapshot(reader):
    start, count = reader.at, reader.number("count", 4)
    if count * ENTRY_MIN > reader.left():  # Python's integers do not overflow
        reader.refuse("truncated", start, "count", "PRIM-COUNT-1")
    entries, keys, last_rev, duplicate_at = [], set(), 0, None
    for _ in range(count):
        start, rev = reader.at, reader.rev("entry.rev")
        if rev <= last_rev:
            reader.refuse("value", start, "entry.rev", "ROOM-SNAP-1")
        last_rev = rev
        key_at, key = reader.at + 2, reader.key("entry.")
        if key in keys and duplicate_at is None:
            duplicate_at = key_at
        keys.add(key)
        value = reader.bytes("entry.value", reader.number("entry.val_len", 4))
        entries.append({"rev": rev, "key": key, "value": value})
    reader.end()
    if duplicate_at is not None:  # only when nothing else is wrong (ERR-ORDER-2)
        reader.refuse("value", duplicate_at, "entry.key", "ROOM-SNAP-2")
    return {"frame": "STATE_SNAPSHOT", "entries": entries}


def world_save_ack(reader):
    reader.end()
    return {"frame": "WORLD_SAVE_ACK"}


ROOM_FRAMES = {
    WORLD_SAVE: lambda reader: {"frame": "WORLD_SAVE", "blob": reader.rest("blob")},
    WORLD_LOAD: lambda reader: {"frame": "WORLD_LOAD", "blob": reader.rest("blob")},
    WORLD_SAVE_ACK: world_save_ack,
    STATE_SET: state_set,
    STATE_UPDATE: state_update,
    STATE_SNAPSHOT: state_snapshot,
}


def peer_id_message(reader):
    peer = reader.peer("PEER-ID-2", "PEER-ID-1")
    reader.end()
    return {"frame": "PEER_ID", "peer": peer}


def sys_packet(reader, to):
    command = reader.wire[1] if len(reader.wire) > 1 else None
    if command is None and to == CLIENT:
        reader.number("lead", 1, show=two_digits)
        reader.take(1, "command", "PEER-SYS-1")
    announced = to == CLIENT and command in (ADD_PEER, DEL_PEER)
    if not announced and command != RELAYED:
        return godot(reader)
    lead = reader.number("lead", 1, show=two_digits)
    reader.number("command", 1)
    if announced:
        peer = reader.peer("PEER-ID-2", "PEER-SYS-1")
        reader.end()
        return {"frame": "ADD_PEER" if command == ADD_PEER else "DEL_PEER", "lead": lead, "peer": peer}
    if to == CLIENT:
        peer = reader.peer("PEER-RELAY-2", "PEER-RELAY-1")
    else:
        peer = reader.number("peer", 4, "PEER-RELAY-1", signed=True)
    payload = reader.bytes("payload", max(1, reader.left()), "PEER-RELAY-1")
    return {"frame": "RELAY", "lead": lead, "peer": peer, "payload": payload}


def encode(frame, to, first=False):
    """The one encoding of a frame (PRIM-CANON-1); a frame that no decoder would take back is a ValueError."""
    try:
        wire = assemble(frame)
        if decode(wire, to, first) == frame:
            return wire
        raise ValueError(f"decodes to another frame: {frame}")
    except (Refused, KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"cannot be encoded: {frame}: {error!r}") from error


def assemble(frame):
    """The bytes of a frame, whether or not they may be sent."""
    return ENCODERS[frame["frame"]](frame)


def u(number, size):
    return number.to_bytes(size, "little")


def i32(number):
    return number.to_bytes(4, "little", signed=True)


def key_bytes(key):
    text = key.encode("utf-8")
    return u(len(text), 2) + text


def entry_bytes(entry):
    value = bytes.fromhex(entry["value"])
    return u(entry["rev"], 4) + key_bytes(entry["key"]) + u(len(value), 4) + value


def sys_bytes(frame, command, rest=b""):
    return bytes([frame["lead"], command]) + i32(frame["peer"]) + rest


ENCODERS = {
    "WORLD_SAVE": lambda f: bytes([WORLD_SAVE]) + bytes.fromhex(f["blob"]),
    "WORLD_LOAD": lambda f: bytes([WORLD_LOAD]) + bytes.fromhex(f["blob"]),
    "WORLD_SAVE_ACK": lambda f: bytes([WORLD_SAVE_ACK]),
    "STATE_SET": lambda f: bytes([STATE_SET]) + key_bytes(f["key"]) + bytes.fromhex(f["value"]),
    "STATE_UPDATE": lambda f: bytes([STATE_UPDATE]) + u(f["rev"], 4) + key_bytes(f["key"]) + bytes.fromhex(f["value"]),
    "STATE_SNAPSHOT": lambda f: bytes([STATE_SNAPSHOT]) + u(len(f["entries"]), 4) + b"".join(map(entry_bytes, f["entries"])),
    "PEER_ID": lambda f: i32(f["peer"]),
    "ADD_PEER": lambda f: sys_bytes(f, ADD_PEER),
    "DEL_PEER": lambda f: sys_bytes(f, DEL_PEER),
    "RELAY": lambda f: sys_bytes(f, RELAYED, bytes.fromhex(f["payload"])),
    "GODOT": lambda f: bytes.fromhex(f["bytes"]),
}

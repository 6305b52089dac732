#!/usr/bin/env python3
"""A small client that knows only the specification, driven by the conformance runner:
`roomwire-conformance --client 'python3 conformance/second/client.py'`.

An example of a program that can be driven, too: `conformance/README.md` describes the lines. It uses the decoder of
`roomwire_v1.py` and nothing of the Rust code, and never reconnects by itself.
"""

import base64
import hashlib
import json
import os
import re
import selectors
import socket
import sys
import time
import urllib.parse

from roomwire_v1 import Refused, decode, encode

HELLO = {
    "protocol": 1,
    "name": "second/client.py",
    "version": "1",
    "language": "Python",
    "capabilities": ["room", "peers", "pause"],
}
QUIET = 0.1  # seconds; the specification's ready_quiet is 0.25
ROOM_BYTES = 1 << 20
MESSAGE_MAX = 4 << 20
BACKLOG_MAX = 8 << 20
NAME = re.compile(r"[A-Za-z0-9_.~:-]{1,64}")
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
JOIN_DATA = ("ADD_PEER", "STATE_SNAPSHOT", "WORLD_LOAD")
HOPE = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Broken(Exception):
    """The relay broke the protocol: the close code, and the class of the error if it is one of the frame."""

    def __init__(self, code, reason, error_class=None):
        super().__init__(reason)
        self.code, self.reason, self.error_class = code, reason, error_class


def close_frame(payload):
    """The code and reason of a close frame."""
    if not payload:
        return 1005, ""
    code = int.from_bytes(payload[:2], "big") if len(payload) > 1 else 0
    if not (1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999):
        raise Broken(1002, "websocket: a close frame without a code that it may have")
    try:
        return code, payload[2:].decode()
    except UnicodeDecodeError:
        raise Broken(1002, "websocket: a close frame whose reason is not UTF-8") from None


class Link:
    """One connection: the stream, and what is known of the room over it."""

    def __init__(self, number, host, port, path, key):
        self.number = number
        self.socket = socket.create_connection((host, port), timeout=5)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.accept = base64.b64encode(hashlib.sha1((key + HOPE).encode()).digest()).decode()
        request = [
            f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", "",
        ]
        self.out = bytearray("\r\n".join(request).encode())
        self.input = bytearray()
        self.fragments = None
        self.upgraded = self.closing = False
        self.peer = self.ready_at = None
        self.ready = False
        self.peers = set()
        self.saves = []
        self.place = 0  # in the join data, as an index of JOIN_DATA

    def is_join_data(self, frame):
        """Whether a frame may still be part of the join data, which comes in its order, snapshot and world once. Godot's packets
        show nothing."""
        if frame["frame"] == "GODOT":
            return True
        place = JOIN_DATA.index(frame["frame"]) if frame["frame"] in JOIN_DATA else -1
        if place < self.place or place == self.place > 0:
            return False
        self.place = place
        return True

    def send(self, opcode, payload):
        head = bytes([0x80 | opcode])
        size = len(payload)
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 1 << 16:
            head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
        else:
            head += bytes([0x80 | 127]) + size.to_bytes(8, "big")
        mask = os.urandom(4)
        pad = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        self.out += head + mask + (int.from_bytes(payload, "big") ^ pad).to_bytes(size, "big")

    def upgrade(self):
        """Takes the answer to the upgrade from the input. False: it has not come whole."""
        head, end, rest = bytes(self.input).partition(b"\r\n\r\n")
        if not end:
            if len(head) > 16384:
                raise Broken(1006, "")
            return False
        lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        right = (
            lines[0].split(" ")[:2] == ["HTTP/1.1", "101"]
            and headers.get("upgrade", "").lower() == "websocket"
            and "upgrade" in [token.strip() for token in headers.get("connection", "").lower().split(",")]
            and headers.get("sec-websocket-accept") == self.accept
            and "sec-websocket-extensions" not in headers
            and "sec-websocket-protocol" not in headers
        )
        if not right:
            raise Broken(1006, "")
        self.input = bytearray(rest)
        self.upgraded = True
        return True

    def frame(self):
        """Takes a WebSocket frame from the input: (fin, opcode, payload), or None."""
        data = self.input
        if len(data) < 2:
            return None
        fin, opcode, size, at = data[0] & 0x80, data[0] & 15, data[1] & 127, 2
        control = opcode >= 8
        wrong = data[0] & 0x70 or data[1] & 0x80 or opcode not in (0, TEXT, BINARY, CLOSE, PING, PONG)
        if wrong or control and (not fin or size > 125):
            raise Broken(1002, "websocket: a frame that a relay may not send")
        if size > 125:
            wide = 2 if size == 126 else 8
            if len(data) < at + wide:
                return None
            size, at = int.from_bytes(data[at:at + wide], "big"), at + wide
            if size >> 63:
                raise Broken(1002, "websocket: a length with its first bit set")
        if size + len(self.fragments[1] if self.fragments else b"") > MESSAGE_MAX:
            raise Broken(1009, "message too big")
        if len(data) < at + size:
            return None
        payload = bytes(data[at:at + size])
        del data[:at + size]
        return fin, opcode, payload

    def message(self):
        """The next whole message or control frame: (opcode, payload), or None."""
        while (frame := self.frame()) is not None:
            fin, opcode, payload = frame
            if opcode >= 8:
                return opcode, payload
            if (opcode == 0) != (self.fragments is not None):
                raise Broken(1002, "websocket: fragments that do not belong together")
            if self.fragments is not None:
                opcode, payload = self.fragments[0], self.fragments[1] + payload
            self.fragments = None if fin else (opcode, payload)
            if fin:
                return opcode, payload
        return None


class Client:
    def __init__(self):
        self.link = None
        self.old = []  # connections that are closing
        self.links = self.saves = 0
        self.place = None
        self.mode = "both"
        self.cache = {}  # key: (connection, rev, value)
        self.paused = False
        self.events = []

    def tell(self, event, **members):
        self.events.append({"event": event, **members})
        self.flush()

    def flush(self):
        while self.events and not self.paused:
            print(json.dumps(self.events.pop(0)), flush=True)

    # What the runner asks.

    def connect(self, request):
        relay, game, room, user = (request.get(name, "") for name in ("relay", "game", "room", "user"))
        parts = re.fullmatch(r"ws://([A-Za-z0-9.-]+):([0-9]+)((?:/[^?#\s]*)?)", relay)
        if not parts:
            return {"refused": f"no address of a relay: {relay}"}
        for name in (game, room):
            if not NAME.fullmatch(name) or name in (".", ".."):
                return {"refused": f"no name: {name}"}
        self.leave()
        escape = lambda text: urllib.parse.quote(text, safe="-._~")
        query = f"g={escape(game)}" + (f"&u={escape(user)}" if user else "") + "&v=1"
        if request["mode"] != "both":
            query += "&m=" + request["mode"]
        if self.place != (relay, game, room):
            self.cache, self.place = {}, (relay, game, room)
        self.mode = request["mode"]
        self.links += 1
        self.tell("connecting")
        key = base64.b64encode(os.urandom(16)).decode()
        path = f"{parts[3].rstrip('/')}/r/{escape(room)}?{query}"
        try:
            self.link = Link(self.links, parts[1], int(parts[2]), path, key)
        except OSError:
            self.tell("closed", code=1006, reason="", retry=False)
        return {"ok": True}

    def leave(self):
        if self.link:
            self.end(1000 if self.link.upgraded else 1006, "", by_us=self.link.upgraded)
        return {"ok": True}

    def write(self, frame, mode):
        link = self.link
        if not link or not link.ready:
            return "not ready"
        if self.mode == mode:
            return f"not in mode {mode}"
        if len(link.out) > BACKLOG_MAX:
            return "too much waits to be sent"
        message = encode(frame, "relay")
        if len(message) > MESSAGE_MAX:
            return "no relay takes a message of that size"
        link.send(BINARY, message)
        return None

    def set(self, request):
        try:
            key = request["key"].encode()
        except UnicodeEncodeError:
            return {"refused": "a key is UTF-8"}
        value = bytes.fromhex(request["value"])
        if not 1 <= len(key) <= 1024 or b"\0" in key or key.startswith(b"\xef\xbb\xbf"):
            return {"refused": "no key"}
        if 10 + len(key) + len(value) > ROOM_BYTES:
            return {"refused": "no room can hold that"}
        why = self.write({"frame": "STATE_SET", "key": request["key"], "value": request["value"]}, "peers")
        return {"refused": why} if why else {"ok": True}

    def save(self, request):
        if len(request["blob"]) > 2 * ROOM_BYTES:
            return {"refused": "no room can hold that"}
        why = self.write({"frame": "WORLD_SAVE", "blob": request["blob"]}, "peers")
        if why:
            return {"refused": why}
        self.saves += 1
        self.link.saves.append(self.saves)
        return {"ok": True, "save": self.saves}

    def send(self, request):
        if not request["payload"]:
            return {"refused": "a packet has a byte"}
        frame = {"frame": "RELAY", "lead": 7, "peer": request["to"], "payload": request["payload"]}
        why = self.write(frame, "state")
        return {"refused": why} if why else {"ok": True}

    def get(self, request):
        held = self.cache.get(request["key"])
        return {"ok": True, "set": True, "rev": held[1], "value": held[2]} if held else {"ok": True, "set": False}

    def pause(self, paused):
        self.paused = paused
        return {"ok": True}

    def answer(self, request):
        match request["cmd"]:
            case "hello":
                return HELLO
            case "connect" | "set" | "save" | "send" | "get" as name:
                return getattr(self, name)(request)
            case "peers":
                return {"ok": True, "peers": sorted(self.link.peers) if self.link else []}
            case "close":
                return self.leave()
            case "pause" | "resume" as name:
                return self.pause(name == "pause")
            case _:
                return {"unsupported": True}

    # What the relay sends.

    def end(self, code, reason, by_us=False):
        link, self.link = self.link, None
        for peer in sorted(link.peers):
            self.tell("peer-removed", peer=peer)
        if by_us:
            link.send(CLOSE, code.to_bytes(2, "big") + reason.encode())
        link.closing = True
        self.old.append(link)
        self.tell("closed", code=code, reason=reason, retry=False, unanswered=link.saves)
        if not link.upgraded:
            self.forget(link)

    def forget(self, link):
        link.socket.close()
        self.old.remove(link)

    def received(self, link):
        """Acts on what has come over the connection in use."""
        try:
            if not link.upgraded:
                if not link.upgrade():
                    return
                self.tell("opened")
            while self.link is link and (message := link.message()) is not None:
                self.message(link, *message)
        except Broken as broken:
            if broken.error_class:
                self.tell("error", **{"class": broken.error_class})
            self.end(broken.code, broken.reason, by_us=link.upgraded)

    def message(self, link, opcode, payload):
        if opcode == PING:
            link.send(PONG, payload)
        elif opcode == CLOSE:
            code, reason = close_frame(payload)
            link.send(CLOSE, payload[:2])
            self.end(code, reason)
        elif opcode == TEXT:
            raise Broken(1003, "text", "text")
        elif opcode == BINARY:
            try:
                frame = decode(payload, "client", first=link.peer is None)
            except Refused as refused:
                raise Broken(4400, "malformed", refused.error_class) from None
            self.apply(link, frame)

    def apply(self, link, frame):
        if self.is_strange(link, frame):
            return
        if link.peer is not None and not link.is_join_data(frame):
            self.now_ready(link)
        match frame:
            case {"frame": "PEER_ID", "peer": peer}:
                link.peer = peer
                self.tell("joined", peer=peer)
            case {"frame": "STATE_UPDATE", **entry}:
                self.take(link, entry)
            case {"frame": "STATE_SNAPSHOT", "entries": entries}:
                for entry in entries:
                    self.take(link, entry)
            case {"frame": "WORLD_LOAD", "blob": blob}:
                self.tell("world", blob=blob)
            case {"frame": "WORLD_SAVE_ACK"}:
                self.tell("saved", save=link.saves.pop(0))
            case {"frame": "ADD_PEER", "peer": peer}:
                link.peers.add(peer)
                self.tell("peer-added", peer=peer)
            case {"frame": "DEL_PEER", "peer": peer}:
                link.peers.remove(peer)
                self.tell("peer-removed", peer=peer)
            case {"frame": "RELAY", "peer": peer, "payload": payload}:
                self.tell("packet", peer=peer, payload=payload)

    def is_strange(self, link, frame):
        """Whether a frame is one that is ignored: it says nothing of this room, nor that the join data has come."""
        peer = frame.get("peer")
        match frame["frame"]:
            case "ADD_PEER":
                return peer == link.peer or peer in link.peers
            case "DEL_PEER" | "RELAY":
                return peer not in link.peers
            case "WORLD_SAVE_ACK":
                return not link.saves
        return False

    def take(self, link, entry):
        key, rev, value = entry["key"], entry["rev"], entry["value"]
        held = self.cache.get(key)
        if held and held[0] == link.number and rev <= held[1]:
            return
        self.cache[key] = (link.number, rev, value)
        if not held or held[1:] != (rev, value):
            self.tell("state", rev=rev, key=key, value=value)

    def now_ready(self, link):
        if not link.ready:
            link.ready = True
            self.tell("ready")


def read(client, link):
    try:
        data = link.socket.recv(1 << 20)
    except BlockingIOError:
        return
    except OSError:
        data = b""
    if data and not link.closing:
        link.input += data
        client.received(link)
        if link.peer is not None:
            link.ready_at = time.monotonic() + QUIET
    elif not data and link is client.link:
        client.end(1006, "")
        if link in client.old:
            client.forget(link)
    elif not data:
        client.forget(link)


def write(link):
    try:
        del link.out[:link.socket.send(link.out)]
    except BlockingIOError:
        pass
    except OSError:
        link.out.clear()


def main():
    client, lines = Client(), b""
    os.set_blocking(0, False)
    while True:
        links = ([client.link] if client.link else []) + client.old
        with selectors.DefaultSelector() as selector:
            selector.register(0, selectors.EVENT_READ, None)
            for link in links:
                wants = selectors.EVENT_READ | (selectors.EVENT_WRITE if link.out else 0)
                selector.register(link.socket, wants, link)
            link = client.link
            waits = link and link.ready_at and not link.ready
            found = selector.select(max(0, link.ready_at - time.monotonic()) if waits else None)
        if waits and time.monotonic() >= link.ready_at and not found:
            client.now_ready(link)
        for key, mask in sorted(found, key=lambda item: item[0].fd == 0):
            if key.data is None:
                data = os.read(0, 1 << 20)
                if not data:
                    return
                *whole, lines = (lines + data).split(b"\n")
                for line in whole:
                    request = json.loads(line)
                    answer = {"seq": request["seq"], **client.answer(request)}
                    print(json.dumps(answer), flush=True)
                    client.flush()
            else:
                if mask & selectors.EVENT_WRITE:
                    write(key.data)
                if mask & selectors.EVENT_READ and key.data.socket.fileno() >= 0:
                    read(client, key.data)


if __name__ == "__main__":
    main()

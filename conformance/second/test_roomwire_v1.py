"""Unit tests of the second implementation. Run with `python3 test_roomwire_v1.py`, or `python3 check.py --self-test`."""

import random
import unittest

from roomwire_v1 import CLIENT, RELAY, Refused, decode, dissect, encode


def refusal(wire, to, first=False):
    try:
        frame = decode(bytes.fromhex(wire), to, first)
    except Refused as refused:
        return (refused.error_class, refused.offset, refused.field)
    raise AssertionError(f"accepted: {frame}")


class Chapter2(unittest.TestCase):
    def test_examples_of_decode_errors(self):
        for wire, to, error in [
            ("F4 01", RELAY, ("truncated", 1, "key_len")),
            ("F4 00 00 61", RELAY, ("limit", 1, "key_len")),
            ("F4 01 04", RELAY, ("limit", 1, "key_len")),
            ("F4 02 00 61", RELAY, ("truncated", 3, "key")),
            ("F4 01 00 FF", RELAY, ("value", 3, "key")),
            ("F5 00 00 00 00 01 00 61", CLIENT, ("value", 1, "rev")),
            ("F6 FF FF FF FF", CLIENT, ("truncated", 1, "count")),
            ("F3 00", CLIENT, ("trailing", 1, "end")),
            ("F1 00", CLIENT, ("direction", 0, "opcode")),
            ("08", RELAY, ("opcode", 0, "opcode")),
            ("08", CLIENT, ("opcode", 0, "opcode")),
        ]:
            with self.subTest(wire=wire, to=to):
                self.assertEqual(refusal(wire, to), error)

    def test_integers_are_little_endian_and_unsigned(self):
        frame = decode(bytes.fromhex("F5 00 00 00 80 01 00 61"), CLIENT)
        self.assertEqual(frame["rev"], 2147483648)

    def test_every_first_byte(self):
        for byte in range(256):
            sys, reserved = byte & 7 == 7, bool(byte & 8)
            for to in (RELAY, CLIENT):
                known = {0xF1: RELAY, 0xF4: RELAY, 0xF2: CLIENT, 0xF3: CLIENT, 0xF5: CLIENT, 0xF6: CLIENT}.get(byte)
                try:
                    outcome = decode(bytes([byte]), to)["frame"]
                except Refused as refused:
                    outcome = refused.error_class
                with self.subTest(byte=hex(byte), to=to):
                    if known == to:
                        self.assertIn(outcome, ("WORLD_SAVE", "WORLD_LOAD", "WORLD_SAVE_ACK", "truncated"))
                    elif known:
                        self.assertEqual(outcome, "direction")
                    elif sys:
                        self.assertEqual(outcome, "GODOT" if to == RELAY else "truncated")
                    else:
                        self.assertEqual(outcome, "opcode" if reserved else "GODOT")


class Chapter4(unittest.TestCase):
    def test_first_bytes_of_peer_ids(self):
        allowed = 0
        for low in range(256):
            try:
                decode(bytes([low, 1, 0, 0]), CLIENT, first=True)
                allowed += 1
            except Refused as refused:
                self.assertEqual((refused.error_class, refused.offset, refused.field), ("value", 0, "peer"))
        self.assertEqual(allowed, 106)

    def test_peer_ids_from_2(self):
        for peer in (-2147483648, -1, 0, 1):
            with self.assertRaises(ValueError):
                encode({"frame": "PEER_ID", "peer": peer}, CLIENT, first=True)
        self.assertEqual(encode({"frame": "PEER_ID", "peer": 2}, CLIENT, first=True), bytes([2, 0, 0, 0]))


class Chapter5(unittest.TestCase):
    def test_worked_example(self):
        for first, wire, frame in [
            (True, "00 02 00 00", {"frame": "PEER_ID", "peer": 512}),
            (False, "07 01 02 01 00 00", {"frame": "ADD_PEER", "lead": 7, "peer": 258}),
            (
                False,
                "F6 01 00 00 00  07 00 00 00 04 00 74 75 72 6E 01 00 00 00 02",
                {"frame": "STATE_SNAPSHOT", "entries": [{"rev": 7, "key": "turn", "value": "02"}]},
            ),
            (False, "F2 CA FE", {"frame": "WORLD_LOAD", "blob": "cafe"}),
            (False, "07 01 00 02 00 00", {"frame": "ADD_PEER", "lead": 7, "peer": 512}),
        ]:
            with self.subTest(wire=wire):
                self.assertEqual(decode(bytes.fromhex(wire), CLIENT, first), frame)
                self.assertEqual(encode(frame, CLIENT, first), bytes.fromhex(wire))


class Encoding(unittest.TestCase):
    def test_what_cannot_be_encoded(self):
        for frame, to in [
            ({"frame": "STATE_SET", "key": "", "value": ""}, RELAY),
            ({"frame": "STATE_SET", "key": "k" * 1025, "value": ""}, RELAY),
            ({"frame": "STATE_SET", "key": "k" * 65536, "value": ""}, RELAY),
            ({"frame": "STATE_SET", "key": "a\0", "value": ""}, RELAY),
            ({"frame": "STATE_SET", "key": "\ufeffa", "value": ""}, RELAY),
            ({"frame": "STATE_SET", "key": "\ud800", "value": ""}, RELAY),
            ({"frame": "STATE_SET", "key": "a", "value": "FF"}, RELAY),
            ({"frame": "STATE_SET", "key": "a", "value": ""}, CLIENT),
            ({"frame": "STATE_SET", "key": "a"}, RELAY),
            ({"frame": "STATE_UPDATE", "rev": 0, "key": "a", "value": ""}, CLIENT),
            ({"frame": "STATE_UPDATE", "rev": 4294967296, "key": "a", "value": ""}, CLIENT),
            ({"frame": "RELAY", "lead": 7, "peer": 2, "payload": ""}, RELAY),
            ({"frame": "RELAY", "lead": 6, "peer": 2, "payload": "00"}, RELAY),
            ({"frame": "RELAY", "lead": 7, "peer": 1, "payload": "00"}, CLIENT),
            ({"frame": "GODOT", "bytes": "f100"}, RELAY),
            ({"frame": "GODOT", "bytes": ""}, RELAY),
            ({"frame": "WORLD_SAVE_ACK", "blob": ""}, CLIENT),
            ({"frame": "NOTHING"}, CLIENT),
        ]:
            with self.subTest(frame=str(frame)[:80]), self.assertRaises(ValueError):
                encode(frame, to)

    def test_what_decodes_encodes_to_the_same_bytes(self):
        chance = random.Random(1)
        leads = bytes([0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0x07, 0x17, 0x00, 0x02])
        accepted = 0
        for _ in range(20_000):
            # Mostly small numbers, so that lengths and revisions often fit.
            body = bytes(chance.choice((0, 0, 0, 1, 1, 2, 3, 97, 98, 195, 169, 255)) for _ in range(chance.randrange(40)))
            wire, to = bytes([chance.choice(leads)]) + body, chance.choice((RELAY, CLIENT))
            try:
                frame, spans = dissect(wire, to)
            except Refused as refused:
                self.assertLessEqual(refused.offset, len(wire))
                continue
            accepted += 1
            self.assertEqual(encode(frame, to), wire)
            self.assertEqual(sum(bits for _, bits, _, _ in spans), 8 * len(wire))
        self.assertGreater(accepted, 2_000)


if __name__ == "__main__":
    unittest.main()

"""The adapter answers line by line, without Rust."""

import json
import pathlib
import subprocess
import sys
import unittest

ADAPTER = pathlib.Path(__file__).with_name("adapter.py")


class Lines(unittest.TestCase):
    def test_each_request_has_its_answer(self):
        snapshot = {"frame": "STATE_SNAPSHOT", "entries": [{"rev": 7, "key": "t\u00fcr", "value": "02"}]}
        requests = [
            {"seq": 9, "cmd": "hello", "protocol": 1},
            {"seq": 8, "cmd": "encode", "to": "client", "first": False, "frame": snapshot},
            {"seq": 7, "cmd": "decode", "to": "client", "first": True, "wire": "02000000"},
            {"seq": 6, "cmd": "decode", "to": "client", "first": False, "wire": "f300"},
            {"seq": 5, "cmd": "encode", "to": "relay", "first": False, "frame": {"frame": "STATE_SET", "key": "", "value": ""}},
            {"seq": 4, "cmd": "xyzzy", "to": "client", "first": False, "wire": "f3"},
        ]
        lines = "".join(json.dumps(request, ensure_ascii=False) + "\n" for request in requests)
        done = subprocess.run([sys.executable, ADAPTER], input=lines.encode(), capture_output=True, check=True)
        hello, encoded, decoded, rejected, refused, unknown = map(json.loads, done.stdout.splitlines())
        self.assertEqual((hello["seq"], hello["ops"], done.stderr), (9, ["decode", "encode"], b""))
        self.assertEqual(encoded, {"seq": 8, "wire": "f60100000007000000040074c3bc720100000002"})
        self.assertEqual(decoded, {"seq": 7, "frame": {"frame": "PEER_ID", "peer": 2}})
        error = {"class": "trailing", "offset": 1, "field": "end", "rule": "PRIM-END-1"}
        self.assertEqual(rejected, {"seq": 6, "error": error})
        self.assertEqual((refused["seq"], type(refused["refused"])), (5, str))
        self.assertEqual(unknown, {"seq": 4, "unsupported": True})


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The second implementation as an adapter for the conformance runner: `--codec 'python3 conformance/second/adapter.py'`.

An example of an adapter, too: `conformance/ADAPTERS.md` describes the lines that it reads and writes.
"""

import json
import sys

from roomwire_v1 import Refused, decode, encode

HELLO = {
    "protocol": 1,
    "name": "roomwire_v1.py",
    "version": "1",
    "language": "Python",
    "ops": ["decode", "encode"],
    "capabilities": ["room", "peers"],
    "errors": ["offset", "field", "rule"],
}


def answer(request):
    match request["cmd"]:
        case "hello":
            return HELLO
        case "decode":
            try:
                return {"frame": decode(bytes.fromhex(request["wire"]), request["to"], request["first"])}
            except Refused as refused:
                return {"error": refused.as_json()}
        case "encode":
            try:
                return {"wire": encode(request["frame"], request["to"], request["first"]).hex()}
            except ValueError as refused:
                return {"refused": str(refused)}
        case _:
            return {"unsupported": True}


def main():
    # In UTF-8 whatever the locale says, and each answer at once.
    sys.stdin.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"seq": request["seq"], **answer(request)}), flush=True)


if __name__ == "__main__":
    main()

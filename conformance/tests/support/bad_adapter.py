"""Adapters that misbehave: the second implementation's, with one fault each. `python3 bad_adapter.py FAULT`."""

import json
import os
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).parents[2] / "second"))

import adapter  # noqa: E402

VICTIM = {"to": "client", "first": False, "wire": "f300"}  # F0020: the fault shows at this message alone


def say(request, **members):
    print(json.dumps({"seq": request["seq"], **members}), flush=True)


def crash(request):
    print("about to die", file=sys.stderr)
    sys.exit(9)


def hang(request):
    time.sleep(1000)


def garbage(request):
    print("Traceback (most recent call last):", flush=True)


def other_request(request):
    say({"seq": request["seq"] - 1}, **adapter.answer(request))


def endless(request):
    while True:
        sys.stdout.write("x" * 65536)


def two_answers(request):
    say(request, **adapter.answer(request))
    say(request, **adapter.answer(request))


def rejects_everything(request):
    if request["cmd"] == "decode":
        say(request, error={"class": "trailing", "offset": 1, "field": "end", "rule": "PRIM-END-1"})
    else:
        say(request, **adapter.answer(request))


def wrong_class(request):
    say(request, error={"class": "value", "offset": 1, "field": "end", "rule": "PRIM-END-1"})


def wrong_offset(request):
    say(request, error={"class": "trailing", "offset": 0, "field": "end", "rule": "PRIM-END-1"})


def wrong_field(request):
    say(request, error={"class": "trailing", "offset": 1, "field": "opcode", "rule": "PRIM-END-1"})


def wrong_rule(request):
    say(request, error={"class": "trailing", "offset": 1, "field": "end", "rule": "PRIM-LEN-1"})


def class_alone(request):
    say(request, error={"class": "trailing"})


def not_supported(request):
    say(request, unsupported=True)


def alone(request):
    """Forks, so that the runner's child is not the one that hangs."""
    os.system("sleep 1000")


def never_hello(request):
    time.sleep(1000)


def never_unsupported(request):
    say(request, frame={"frame": "WORLD_SAVE_ACK"})


def main(fault, *options):
    sys.stdin.reconfigure(encoding="utf-8")
    hello = {"ops": ["decode"]} if "decode-only" in options else {"errors": []} if "class-only" in options else {}
    hello |= {"capabilities": ["peers"]} if "peers-only" in options else {}
    adapter.HELLO |= hello
    everywhere = fault == "rejects_everything"
    for line in sys.stdin:
        request = json.loads(line)
        command = request["cmd"]
        at_fault = {
            "none": False,
            "never_hello": command == "hello",
            "never_unsupported": command not in ("hello", "decode", "encode"),
        }.get(fault, everywhere or (command == "decode" and request.items() >= VICTIM.items()))
        if at_fault:
            globals()[fault](request)
        else:
            say(request, **adapter.answer(request))


main(*sys.argv[1:])

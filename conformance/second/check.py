#!/usr/bin/env python3
"""Checks every golden frame in `conformance/vectors` with the second implementation.

    python3 check.py                  check all; the last line reads "N passed, N failed"
    python3 check.py F0042 world      check the cases whose id or name holds one of these words
    python3 check.py --list           list them
    python3 check.py --format         write the files again in their standard form
    python3 check.py --self-test      run the unit tests of the second implementation

Exit status: 0 all passed, 1 a case failed, 2 wrong usage, a file that cannot be read, or words that match no case.
"""

import argparse
import json
import os
import pathlib
import re
import sys
from collections import Counter

from roomwire_v1 import CLIENT, Refused, assemble, decode, dissect, encode
from vector_files import VectorFileError, load, write

HERE = pathlib.Path(__file__).resolve().parent
VECTORS, SPEC = HERE.parent / "vectors", HERE.parent.parent / "spec"

REQUIRED = ("id", "name", "rev", "since", "origin", "reqs", "needs", "v", "to", "ops", "kind", "wire", "spans", "expect")
OPTIONAL = ("first", "twin", "fault", "note")
ORIGINS = ("hand", "second", "godot", "fuzz")
EXPECT = {"valid": "accept", "invalid": "reject", "choice": "choice"}
# The last field of these takes whatever is there, so a shorter message may be a shorter frame (PRIM-END-1).
REST = {"WORLD_SAVE": "blob", "WORLD_LOAD": "blob", "STATE_SET": "value", "STATE_UPDATE": "value", "RELAY": "payload", "GODOT": "bytes"}
FAR = 4  # a twin that differs in more bytes than this is worth a warning


def say(text, **options):
    """Prints. That whoever reads it has read enough (`| head`) is no failure, and makes none good."""
    try:
        print(text, **options)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main():
    args = arguments()
    if args.self_test:
        return self_test()
    try:
        files = load(args.vectors)
        clauses = clause_ids(args.spec)
    except (OSError, VectorFileError) as error:
        print(error, file=sys.stderr)
        return 2
    if args.format:
        for path, cases in files.items():
            write(path, cases)
        return 0
    chosen = [(path, case) for path, cases in files.items() for case in cases if matches(case, args.words)]
    if not chosen:
        print("no case matches", file=sys.stderr)
        return 2
    if args.list:
        for _, case in chosen:
            say(f"{case['id']}  {case['kind']:<7}  to {case['to']:<6}  {case['name']}")
        say(f"{len(chosen)} cases")
        return 0
    return check_all(chosen, Suite([case for cases in files.values() for case in cases], clauses))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="check only cases whose id or name holds one of these")
    parser.add_argument("--list", action="store_true", help="list the cases")
    parser.add_argument("--format", action="store_true", help="write the files again in their standard form")
    parser.add_argument("--self-test", action="store_true", help="run the unit tests of the second implementation")
    parser.add_argument("--vectors", type=pathlib.Path, default=VECTORS, metavar="DIR")
    parser.add_argument("--spec", type=pathlib.Path, default=SPEC, metavar="DIR")
    return parser.parse_args()


def self_test():
    import unittest

    suite = unittest.defaultTestLoader.discover(str(HERE), pattern="test_*.py")
    return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1


def matches(case, words):
    return not words or any(word in case.get("id", "") or word in case.get("name", "") for word in words)


def clause_ids(spec):
    chapters = sorted(spec.glob("*.md"))
    if not chapters:
        raise VectorFileError(f"{spec}: no chapters")
    return {found for chapter in chapters for found in re.findall(r"^- \*\*([A-Z0-9-]+-\d+)\*\*", chapter.read_text("utf-8"), re.M)}


def check_all(chosen, suite):
    failed = 0
    for path, case in chosen:
        name = f"{case.get('id')} {case.get('name')} ({path.name})"
        try:
            faults, warnings = suite.check(case)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            faults, warnings = [f"not a case: {error!r}"], []
        for fault in faults:
            say(f"FAIL {name}: {fault}")
        for warning in warnings:
            say(f"warning {name}: {warning}")
        failed += bool(faults)
    say(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


def case_id(case):
    return case.get("id")


def case_name(case):
    return case.get("name")


def message(case):
    """What a case is about. A capture of a real engine may be the same bytes as a case that was made."""
    return case.get("to"), case.get("first", False), case.get("wire"), case.get("origin") == "godot"


class Suite:
    """All cases together: ids are unique among all files, and a twin may stand in another one."""

    def __init__(self, cases, clauses):
        self.clauses = clauses
        self.by_id = {case.get("id"): case for case in reversed(cases)}
        self.ids, self.names, self.messages = (Counter(map(key, cases)) for key in (case_id, case_name, message))

    def check(self, case):
        """Everything that is wrong with a case, and what is merely odd."""
        faults = self.shape(case)
        if faults:
            return faults, []
        if case["kind"] == "valid":
            return valid(case), []
        faults, warnings = self.twin(case)
        return faults + (invalid(case) if case["kind"] == "invalid" else choice(case)), warnings

    def shape(self, case):
        faults = [f"{member} is missing" for member in REQUIRED if member not in case]
        faults += [f"unknown member {member}" for member in case if member not in REQUIRED + OPTIONAL]
        if faults:
            return faults

        def must(holds, what):
            if not holds:
                faults.append(what)

        must(re.fullmatch(r"F\d{4}", case["id"]), "an id is F and four digits")
        must(self.ids[case["id"]] == 1, "another case has the same id")
        must(self.names[case["name"]] == 1, "another case has the same name")
        must(self.messages[message(case)] == 1, "another case is about the same message")
        must(re.fullmatch(r"[a-z0-9-]+(/[a-z0-9-]+)+", case["name"]), "a name is words in lower case, with / and -")
        must(isinstance(case["rev"], int) and case["rev"] >= 1, "rev counts from 1")
        must((case["v"], case["since"]) == (1, "1"), "not version 1")
        must(case["origin"] in ORIGINS, f"origin is one of {ORIGINS}")
        must(case["reqs"], "no clause is cited")
        must(set(case["reqs"]) <= self.clauses, f"no such clause: {sorted(set(case['reqs']) - self.clauses)}")
        must(case["needs"] and set(case["needs"]) <= {"room", "peers"}, "needs is room, peers or both")
        must(case["to"] in ("relay", "client"), "to is relay or client")
        must(case.get("first") in (None, True) and (case["to"] == CLIENT or "first" not in case), "first is true, and only to a client")
        must(case["kind"] in EXPECT, f"kind is one of {tuple(EXPECT)}")
        must(re.fullmatch(r"([0-9a-f]{2})*", case["wire"]), "wire is lowercase hex")
        is_valid = case["kind"] == "valid"
        must(case["ops"] == (["decode", "encode"] if is_valid else ["decode"]), "a valid case is decoded and encoded, any other decoded")
        must(list(case["expect"]) == [EXPECT.get(case["kind"])], "expect goes with kind")
        must(all((member in case) != is_valid for member in ("twin", "fault")), "a case that is not valid, and no other, has twin and fault")
        return faults

    def twin(self, case):
        twin = self.by_id.get(case["twin"])
        if twin is None or twin.get("kind") != "valid":
            return [f"the twin {case['twin']} is not a valid case"], []
        distance = edit_distance(case["wire"], twin["wire"])
        moved = any(case.get(member) != twin.get(member) for member in ("to", "first"))
        if distance == 0 and not moved:
            return [f"the twin {case['twin']} is the same message"], []
        return [], [f"the twin {case['twin']} is {distance} bytes away"] if distance > FAR else []


def valid(case):
    wire, to, first, expected = bytes.fromhex(case["wire"]), case["to"], case.get("first", False), case["expect"]["accept"]
    faults = []
    try:
        frame, spans = dissect(wire, to, first)
    except Refused as refused:
        return [f"refused: {refused}"]
    if frame != expected:
        faults.append(f"decodes to {json.dumps(frame)}")
    if tiling(case["spans"]) != 8 * len(wire):
        faults.append("the spans do not tile the message")
    if case["spans"] != spans:
        faults.append(f"the spans are {json.dumps(spans)}")
    try:
        if encode(expected, to, first) != wire:
            faults.append(f"encodes to {encode(expected, to, first).hex()}")
    except ValueError as error:
        faults.append(f"does not encode: {error}")
    return faults + [fault for cut in range(len(wire)) for fault in prefix(wire[:cut], to, first, expected)]


def prefix(cut, to, first, whole):
    """What a valid message may be when its end is missing: an error at once, or a frame whose last field is shorter."""
    try:
        shorter = decode(cut, to, first)
    except Refused as refused:
        if refused.error_class == "truncated" and refused.offset <= len(cut):
            return []
        return [f"cut to {len(cut)} bytes: {refused}"]
    rest = REST.get(whole["frame"])
    if rest and shorter == {**whole, rest: shorter.get(rest)} and whole[rest].startswith(shorter[rest]):
        return []
    if whole["frame"] == "RELAY" and shorter == {"frame": "GODOT", "bytes": f"{whole['lead']:02x}"} and to != CLIENT:
        return []  # a SYS packet without a command is still Godot's (OP-SPACE-5)
    return [f"cut to {len(cut)} bytes it decodes to {json.dumps(shorter)}"]


def choice(case):
    """The specification leaves it to the decoder. This one refuses; the frame of the other arm must be what the message says."""
    choice = case["expect"]["choice"]
    accepted = [arm["accept"] for arm in choice["arms"] if "accept" in arm]
    rejected = [arm["reject"] for arm in choice["arms"] if "reject" in arm]
    if len(choice["arms"]) != 2 or len(accepted) != 1 or len(rejected) != 1 or choice["clause"] not in case["reqs"]:
        return ["a choice cites its clause, and has an arm that accepts and one that rejects"]
    faults = [] if assemble(accepted[0]).hex() == case["wire"] else [f"the accepted frame is {assemble(accepted[0]).hex()}"]
    return faults + invalid({**case, "expect": {"reject": rejected[0]}})


def invalid(case):
    wire, expected = bytes.fromhex(case["wire"]), case["expect"]["reject"]
    try:
        return [f"decodes to {json.dumps(decode(wire, case['to'], case.get('first', False)))}"]
    except Refused as error:
        refused = error
    faults = []
    # What a case leaves out, the specification leaves open: mostly the rule, where a fault breaks more than one.
    got = {member: value for member, value in refused.as_json().items() if member in expected or member in ("class", "offset")}
    if got != expected:
        faults.append(f"refused with {json.dumps(got)}")
    if tiling(case["spans"]) is None:
        faults.append("the spans leave a gap")
    if case["spans"] != refused.spans:
        faults.append(f"the spans are {json.dumps(refused.spans)}")
    return faults


def tiling(spans):
    """Where spans that follow each other end, in bits; None if they do not."""
    at = 0
    for start, bits, _, _ in spans:
        if start != at or bits <= 0:
            return None
        at += bits
    return at


def edit_distance(a, b):
    """Bytes to insert, delete or replace; an end that is missing counts as one."""
    a, b = bytes.fromhex(a), bytes.fromhex(b)
    if a != b and (a.startswith(b) or b.startswith(a)):
        return 1
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


if __name__ == "__main__":
    status = main()
    say("", end="", flush=True)
    sys.exit(status)

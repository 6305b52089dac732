"""Unit tests of the check itself: a golden frame with one thing wrong is found."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from check import Suite, edit_distance
from vector_files import dumps

VALID = {
    "id": "F0001", "name": "state-update/minimal", "rev": 1, "since": "1", "origin": "hand",
    "reqs": ["ROOM-REV-1"], "needs": ["room"],
    "v": 1, "to": "client", "ops": ["decode", "encode"], "kind": "valid",
    "wire": "f501000000010061",
    "spans": [[0, 8, "opcode", "0xF5"], [8, 32, "rev", "1"], [40, 16, "key_len", "1"], [56, 8, "key", "a"]],
    "expect": {"accept": {"frame": "STATE_UPDATE", "rev": 1, "key": "a", "value": ""}},
}  # fmt: skip
INVALID = {
    "id": "F0002", "name": "state-update/rev-0", "rev": 1, "since": "1", "origin": "hand",
    "reqs": ["ROOM-REV-1"], "needs": ["room"],
    "v": 1, "to": "client", "ops": ["decode"], "kind": "invalid",
    "wire": "f500000000010061",
    "spans": [[0, 8, "opcode", "0xF5"], [8, 32, "rev", "0"]],
    "expect": {"reject": {"class": "value", "offset": 1, "field": "rev", "rule": "ROOM-REV-1"}},
    "twin": "F0001", "fault": "revisions begin at 1",
}  # fmt: skip


def faults(valid=VALID, invalid=INVALID):
    suite = Suite([valid, invalid], {"ROOM-REV-1"})
    return suite.check(valid)[0] + suite.check(invalid)[0]


def with_change(case, path, value):
    changed = copy.deepcopy(case)
    *way, last = path
    place = changed
    for step in way:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return changed


class Check(unittest.TestCase):
    def test_good_cases_pass(self):
        self.assertEqual(faults(), [])

    def test_one_thing_wrong_is_found(self):
        for path, value in [
            (["id"], "F0002"),
            (["id"], "F1"),
            (["name"], "State"),
            (["name"], INVALID["name"]),
            (["origin"], "elsewhere"),
            (["reqs"], ["ROOM-REV-9"]),
            (["reqs"], []),
            (["needs"], ["everything"]),
            (["to"], "relay"),
            (["first"], True),
            (["ops"], ["decode"]),
            (["kind"], "invalid"),
            (["wire"], "F501000000010061"),
            (["wire"], "f502000000010061"),
            (["wire"], "f5010000000100"),
            (["spans"], VALID["spans"][:-1]),
            (["spans", 1, 3], "2"),
            (["spans", 1, 2], "revision"),
            (["spans", 3, 0], 57),
            (["expect", "accept", "rev"], 2),
            (["expect", "accept", "value"], "00"),
            (["expect", "accept", "value"], None),
            (["expect"], {}),
            (["twin"], "F0001"),
            (["colour"], "red"),
            (["spans"], None),
        ]:
            with self.subTest(path=path, value=value):
                self.assertTrue(faults(valid=with_change(VALID, path, value)))
        for path, value in [
            (["kind"], "valid"),
            (["wire"], VALID["wire"]),
            (["spans", 1, 3], "1"),
            (["spans"], VALID["spans"]),
            (["expect", "reject", "class"], "limit"),
            (["expect", "reject", "offset"], 5),
            (["expect", "reject", "field"], "key_len"),
            (["expect", "reject", "rule"], "ROOM-REV-2"),
            (["expect", "reject", "offset"], None),
            (["twin"], None),
            (["twin"], "F0002"),
            (["twin"], "F0003"),
            (["fault"], None),
        ]:
            with self.subTest(path=path, value=value):
                self.assertTrue(faults(invalid=with_change(INVALID, path, value)))

    def test_what_is_open_need_not_be_stated(self):
        self.assertEqual(faults(invalid=with_change(INVALID, ["expect", "reject", "rule"], None)), [])

    def test_a_far_twin_is_a_warning(self):
        far = with_change(INVALID, ["wire"], "f50000000001006101020304050607")
        far["spans"] = INVALID["spans"]
        suite = Suite([VALID, far], {"ROOM-REV-1"})
        found, warnings = suite.check(far)
        self.assertEqual((found, len(warnings)), ([], 1))

    def test_edit_distance(self):
        for a, b, distance in [("", "", 0), ("01", "", 1), ("0102", "02", 1), ("f4010061", "f4020061", 1), ("01020304", "0104", 2), ("f5", "f501000000", 1)]:
            self.assertEqual(edit_distance(a, b), distance, (a, b))

    def test_standard_form(self):
        text = dumps([VALID, INVALID])
        self.assertEqual(json.loads(text), [VALID, INVALID])
        self.assertEqual(list(json.loads(text)[1]), list(INVALID))


class Output(unittest.TestCase):
    def run_unread(self, *arguments):
        """Exit status and standard error where nobody reads standard output."""
        reader, writer = os.pipe()
        os.close(reader)
        check = pathlib.Path(__file__).with_name("check.py")
        done = subprocess.run([sys.executable, check, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        return done.returncode, done.stderr

    def test_a_reader_that_has_gone_is_no_failure_and_hides_none(self):
        self.assertEqual(self.run_unread("--list"), (0, ""))
        with tempfile.TemporaryDirectory() as directory:
            group = pathlib.Path(directory) / "group"
            group.mkdir()
            (group / "wrong.json").write_text(dumps([{**VALID, "wire": "f3"}]), "utf-8")
            self.assertEqual(self.run_unread("--vectors", directory), (1, ""))


if __name__ == "__main__":
    unittest.main()

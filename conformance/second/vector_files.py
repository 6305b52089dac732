"""Reads and writes the files of golden frames: JSON in one standard form, so that a change of a case is a change of its lines only."""

import json

# The members of a case, in their order; those of one tuple share a line.
LINES = (
    ("id", "name", "rev", "since", "origin"),
    ("reqs", "needs"),
    ("v", "to", "first", "ops", "kind"),
    ("wire",),
    ("spans",),
    ("expect",),
    ("twin", "fault"),
    ("note",),
)
WIDTH = 140


class VectorFileError(Exception):
    pass


def load(directory):
    """The cases of each file under a directory: {path: [case, ...]}."""
    files = {}
    for path in sorted(directory.glob("*/*.json")):
        try:
            cases = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise VectorFileError(f"{path}: {error}") from error
        if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
            raise VectorFileError(f"{path}: not an array of cases")
        files[path] = cases
    return files


def write(path, cases):
    path.write_text(dumps(cases), "utf-8")


def dumps(cases):
    return "[\n" + ",\n".join(map(dump_case, cases)) + "\n]\n"


def dump_case(case):
    known = [member for line in LINES for member in line]
    lines = [*LINES, *((member,) for member in case if member not in known)]
    texts = [", ".join(dump_member(member, case[member]) for member in line if member in case) for line in lines]
    return "  {\n" + ",\n".join(f"    {text}" for text in texts if text) + "\n  }"


def dump_member(member, value):
    text = f'"{member}": {compact(value)}'
    if member == "spans" and len(text) > WIDTH:
        return '"spans": [\n' + ",\n".join(f"      {compact(span)}" for span in value) + "\n    ]"
    return text


def compact(value):
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))

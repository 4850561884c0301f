"""A trace, as cupranalyze tells it: the only place that knows the form of its output."""

import json
import re
import struct
import subprocess
from collections import Counter
from pathlib import Path

from expectation import Access

TIMEOUT = 600


class AnalysisError(Exception):
    """cupranalyze refused; the text is what it said."""


FLOATS = {"float": "<f", "double": "<d", "half": "<e", "__half": "<e"}
BFLOATS = ("bfloat", "__nv_bfloat16")


def scalar_bytes(kind, size, text):
    """The bytes that a scalar's text stands for; `kind`: its name in LLVM or C++."""
    if bits := re.fullmatch(r"nan\(0x([0-9a-f]+)\)", text):
        return int(bits[1], 16).to_bytes(size, "little")
    if kind in ("ptr", "void *"):
        return int(text, 16).to_bytes(size, "little")
    if kind in FLOATS:
        return struct.pack(FLOATS[kind], float(text))
    if kind in BFLOATS:
        return struct.pack("<f", float(text))[2:]
    if text.startswith("0x"):
        return bytes.fromhex(text[2:])
    assert int(text) >= 0 or not kind.startswith(("unsigned", "bool")), text
    return (int(text) % (1 << (8 * size))).to_bytes(size, "little")


SIZES = {
    name: size
    for size, names in {
        1: ("bool", "char", "signed char", "unsigned char"),
        2: ("short", "unsigned short", "__half", "__nv_bfloat16"),
        4: ("int", "unsigned int", "float"),
        8: ("double", "long", "unsigned long", "long long", "unsigned long long", "void *"),
    }.items()
    for name in names
}


def fields_of(layout):
    """{field: (offset, scalar type)} of what the trace says of a class."""
    parts = (re.fullmatch(r"(\d+) (.*) (\S+)", field).groups() for field in layout[1:-1].split(";"))
    return {name: (int(offset), scalar) for offset, scalar, name in parts}


def value_bytes(types, size, text):
    """The bytes that a value's text stands for, of (LLVM's type, the program's, its layout); those of no field are 0."""
    kind, source, layout = types
    if text is None:
        return None
    if text.startswith("{"):
        fields, found = fields_of(layout), bytearray(size)
        parts = dict(part.split(": ") for part in text[1:-1].split(", "))
        assert parts.keys() == fields.keys(), f"{source}: {text}"
        for name, (offset, scalar) in fields.items():
            found[offset : offset + SIZES[scalar]] = scalar_bytes(scalar, SIZES[scalar], parts[name])
        return bytes(found)
    if text.startswith("(") and (vector := re.fullmatch(r"<(\d+) x (.+)>", kind)):
        count = int(vector[1])
        parts = text[1:-1].split(", ")
        assert len(parts) == count
        return b"".join(scalar_bytes(vector[2], size // count, part) for part in parts)
    meaning = layout or source
    return scalar_bytes(meaning if meaning in SIZES else kind, size, text)


class Trace:
    def __init__(self, cupranalyze, path):
        self._cupranalyze = str(cupranalyze)
        self.path = str(path)
        self._allocations = None

    def verify(self):
        """The summary of a trace that is whole; raises AnalysisError when it is not."""
        return self._run("verify", self.path).strip()

    def info(self):
        return json.loads(self._run("info", "--json", self.path))

    def communicated(self):
        return json.loads(self._run("comm", "--json", self.path))["communicated"]

    def dump(self):
        """Every access in the order of the trace, as text without absolute addresses."""
        return self._run("dump", "--per-thread", self.path)

    def accesses(self, launch, ctas=None):
        """The accesses of a launch (of `info`), all or those of some CTAs (linear), as a Counter of Access."""
        width, height, _ = launch["grid"]
        found = Counter()
        for cta in [None] if ctas is None else ctas:
            arguments = ["dump", "--per-thread", "--launch", str(launch["id"])]
            if cta is not None:
                arguments += ["--cta", str(cta)]
            for line in self._run(*arguments, self.path).splitlines():
                # launch, kernel (which may hold spaces), then these:
                _, operation, bytes_, place, thread, allocation, offset = line.rsplit(" ", 6)
                if allocation == "local":  # expectations say nothing of its addresses
                    continue
                x, y, z = map(int, place.split(","))
                at = 0 if allocation == "unknown" else int(offset, 0)
                found[
                    Access(
                        operation.replace("_", " "),
                        int(bytes_),
                        x + width * (y + height * z),
                        int(thread),
                        self._place(allocation),
                        at,
                    )
                ] += 1
        return found

    def _records(self, *options):
        """The records of `dump`, without those that say where variables lie."""
        records = map(json.loads, self._run("dump", "--json", *options, self.path).splitlines())
        return (record for record in records if record["operation"] != "variable")

    def sites(self, launch):
        """(operation, FILE:LINE:COLUMN) of the accesses of a launch, as a Counter; FILE without its folders."""
        found = Counter()
        for record in self._records("--launch", str(launch["id"])):
            found[record["operation"].replace("_", " "), self._site(record)] += len(record["lanes"])
        return found

    def contexts(self, launch):
        """(operation, FILE:LINE:COLUMN, calls) of the accesses of a launch, as a Counter: see expectation.py."""
        found = Counter()
        for record in self._records("--launch", str(launch["id"])):
            calls = tuple(map(self._call, record["inlinedAt"]))
            found[record["operation"].replace("_", " "), self._site(record), calls] += len(record["lanes"])
        return found

    @staticmethod
    def _site(place):
        return f"{Path(place['file']).name}:{place['line']}:{place['column']}"

    def _call(self, frame):
        if frame["kind"] == "recursive":
            return f"[recursion]{frame['function'].split('(')[0]}"
        return self._site(frame) if frame["kind"] in ("inlined", "called") else f"[{frame['kind']}]"

    def lane_accesses(self):
        """Every access of a thread, a thread's in their order: (launch, kernel, CTA and thread as linear numbers,
        operation, address, bytes). Of global memory."""
        for access, _ in self._lanes("global"):
            yield access

    def lane_values(self):
        """The same of all memory, with what was read, written and compared with, as bytes; None: nothing, or it is not known."""
        for access, _, values in self.typed_values():
            yield (*access, *values)

    def typed_values(self):
        """(as in lane_accesses, (LLVM's type, the program's, its layout), [what was read, written, compared with])"""
        for access, (types, texts) in self._lanes():
            yield access, types, [value_bytes(types, access[-1], text) for text in texts]

    def _lanes(self, space=None):
        """(as in lane_accesses, (types as in typed_values, texts of values))"""
        grids = {launch["id"]: launch["grid"] for launch in self.info()["launches"]}
        for record in self._records():
            if space not in (None, record["space"]):
                continue
            width, height, _ = grids[record["launch"]]
            x, y, z = record["cta"]
            cta = x + width * (y + height * z)
            nothing = [None] * len(record["lanes"])
            texts = [record.get(role, nothing) for role in ("read", "written", "compared")]
            for lane, address, *values in zip(record["lanes"], record["addresses"], *texts):
                thread = record["warp"] * 32 + lane
                access = (record["launch"], record["kernel"], cta, thread, record["operation"], address, record["bytes"])
                yield access, ((record["type"], record["sourceType"], record["layout"]), values)

    def difference(self, other):
        """What `diff --accesses` says of this trace and the one at the path `other`."""
        return json.loads(self._run("diff", "--accesses", "--json", self.path, str(other), good=(0, 3)))

    def difference_text(self, other, top=10):
        """The same for people, with `top` examples at most of each launch."""
        return self._run("diff", "--accesses", f"--top={top}", self.path, str(other), good=(0, 3)).strip()

    def _place(self, allocation):
        """An allocation's number as expectations name it: the name of a variable, else its number among the calls."""
        if self._allocations is None:
            self._allocations, calls = {"unknown": "unknown", "shared": "shared"}, 0
            for known in self.info()["allocations"]:
                if known["call"].startswith("__"):  # a variable
                    self._allocations[str(known["id"])] = known["name"]
                else:
                    self._allocations[str(known["id"])] = calls
                    calls += 1
        return self._allocations[allocation]

    def _run(self, *arguments, good=(0,)):
        done = subprocess.run(
            [self._cupranalyze, *arguments], capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        if done.returncode not in good:
            said = (done.stderr or done.stdout).strip()
            raise AnalysisError(f"{arguments[0]}: exit status {done.returncode}: {said}")
        return done.stdout

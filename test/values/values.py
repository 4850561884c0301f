#!/usr/bin/env python3
"""Runs programs made of values.cu and looks each recorded value up in what memory held, and each type in what the program says.

    values.py --cupranalyze PROGRAM --device gpu|cpu PROGRAM...

Exit status: 0 all values and types are right, 1 some are not, or are missing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent / "e2e", HERE.parent / "property", HERE / "e2e-driver"):
    sys.path.insert(0, str(folder))

import atomics
from trace_reader import SIZES as SCALARS, Trace, fields_of

SHOWN = 10
CLASSES = {
    "float2": "float x, y",
    "float3": "float x, y, z",
    "float4": "float x, y, z, w",
    "double2": "double x, y",
    "uchar4": "unsigned char x, y, z, w",
    "__half2": "__half x, y",
    "Bytes3": "unsigned char b[0], b[1], b[2]",
    "Half10": "unsigned long a; unsigned short b",
    "Words5": "unsigned int w[0], w[1], w[2], w[3], w[4]",
    "Mixed": "double x; float y; char c; short s[0], s[1], s[2]",
    "Vectors": "; ".join(f"float {v}.x, {v}.y, {v}.z, {v}.w" for v in "abcd"),
}
# Of pointers that kernels get, by the kernel's name: in the order of its parameters, which is that of the allocations.
POINTEES = {
    "atomics": (
        ("unsigned int", "int"),  # atomicMin and atomicMax of some
        ("unsigned int",),
        ("unsigned long long",),
        ("float",),
        ("double",),
        ("__half2", "unsigned int"),  # as the toolkit assigns it
    ),
    "assembly": (("float4",), ("float4",), ("unsigned char",), ("unsigned short",)),
}


def layout(text):
    """{field: (offset, type)} of a class, each field where its type's size aligns it."""
    fields, end = {}, 0
    for group in text.split("; "):
        kind, names = re.fullmatch(r"(.*?) (\S+(?:, \S+)*)", group).groups()
        for name in names.split(", "):
            offset = -(-end // SCALARS[kind]) * SCALARS[kind]
            fields[name] = (offset, kind)
            end = offset + SCALARS[kind]
    return fields


STRUCTURES = {name: layout(text) for name, text in CLASSES.items()}
SIZES = {**SCALARS, "float2": 8, "float3": 12, "float4": 16, "double2": 16, "uchar4": 4, "__half2": 4}
SIZES.update({"Bytes3": 3, "Half10": 16, "Words5": 20, "Mixed": 24, "Vectors": 64})


def told(source, data):
    """What a value's text tells of these bytes: nothing of those that no field has."""
    if source not in STRUCTURES:
        return data
    kept = bytearray(len(data))
    for offset, kind in STRUCTURES[source].values():
        kept[offset : offset + SCALARS[kind]] = data[offset : offset + SCALARS[kind]]
    return bytes(kept)


def wrong_type(types, size, expected):
    """What is not right with an access's types; empty: all is. A part of a structure may have that of its fields, or none."""
    _, source, layout = types
    if source in STRUCTURES and fields_of(layout) != STRUCTURES[source]:
        return f"{source} is {layout}, and not {STRUCTURES[source]}"
    if any(SIZES[name] == size for name in expected):
        return "" if source in expected else f"its type is {source!r}, and not {expected}"
    parts = {kind for name in expected for _, kind in STRUCTURES.get(name, {}).values() if SCALARS[kind] == size}
    return "" if not source or source in parts else f"its type is {source!r}, which {expected} has not"


def images(text):
    """{ordinal: (initial bytes, final bytes)} of what the program prints."""
    found = {}
    for line in text.splitlines():
        when, number, content = line.split()
        found.setdefault(int(number), {})[when] = bytes.fromhex(content)
    return {number: (image["initial"], image["final"]) for number, image in found.items()}


def wrong(name, initial, final, values):
    """What is not right with an access's values, given what its location held; empty: all is."""
    read, written, compared = values
    if name == "load":
        return "" if read == initial else f"read {read and read.hex()}, and not {initial.hex()}"
    if name == "store":
        return "" if written == final else f"wrote {written and written.hex()}, and not {final.hex()}"
    if read is None or written is None:
        return "it has no values"
    if read != initial:
        return f"read {read.hex()}, and not {initial.hex()}"
    if final not in atomics.Results(name.removeprefix("atomic "), read, written, compared).all:
        return f"{read.hex()} and {written.hex()} do not make {final.hex()}"
    return ""


def check(options, program):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.cuprtrace"
        environment = {**os.environ, "CUPR_DEVICE": options.device, "CUPR_TRACE": str(path)}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=300, check=True)
        trace = Trace(options.cupranalyze, path)
        trace.verify()
        memory = images(done.stdout)
        places = [
            (known["address"], known["address"] + known["bytes"])
            for known in trace.info()["allocations"]
            if known["call"] == "cudaMalloc"
        ]
        assert len(places) == len(memory), "the program's allocations are the trace's"
        accesses, failures = 0, []
        first = {kernel: len(places) - sum(len(POINTEES[after]) for after in list(POINTEES)[i:]) for i, kernel in enumerate(POINTEES)}
        for (_, kernel, cta, thread, name, address, size), types, values in trace.typed_values():
            ordinal, begin = next((i, begin) for i, (begin, end) in enumerate(places) if begin <= address < end)
            initial, final = (told(types[1], image[address - begin : address - begin + size]) for image in memory[ordinal])
            accesses += 1
            template, plain = re.search(r"<(.+?)>\(", kernel), kernel.split("(")[0]
            expected = (template[1],) if template else POINTEES[plain][ordinal - first[plain]]
            if text := wrong_type(types, size, expected) or wrong(name, initial, final, values):
                failures.append(f"{kernel}, block {cta}, thread {thread}: {name} of {size} bytes: {text}")
        for failure in failures[:SHOWN]:
            print(f"FAIL {Path(program).name}: {failure}")
        print(f"{Path(program).name}: {accesses} accesses, {len(failures)} of them with wrong values", flush=True)
        return not failures and accesses > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--device", required=True, choices=("gpu", "cpu"))
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    results = [check(options, program) for program in options.programs]
    print(f"{sum(results)} programs right, {len(results) - sum(results)} wrong")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

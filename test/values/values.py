#!/usr/bin/env python3
"""Runs programs made of values.cu and looks each recorded value up in what memory held.

    values.py --cupranalyze PROGRAM --device gpu|cpu PROGRAM...

Exit status: 0 all values are right, 1 some are not, or are missing.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent / "e2e", HERE.parent / "property", HERE / "e2e-driver"):
    sys.path.insert(0, str(folder))

import atomics
from trace_reader import Trace

SHOWN = 10


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
        for _, kernel, cta, thread, name, address, size, *values in trace.lane_values():
            ordinal, begin = next((i, begin) for i, (begin, end) in enumerate(places) if begin <= address < end)
            initial, final = (image[address - begin : address - begin + size] for image in memory[ordinal])
            accesses += 1
            if text := wrong(name, initial, final, values):
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

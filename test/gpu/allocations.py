#!/usr/bin/env python3
"""Every call that allocates is in the trace once, with name, type, place and call path, and is freed once; what a library with a runtime of its own
allocates is there where CUPTI is.

    allocations.py --program PROGRAM --library LIBRARY --source allocations.cu allocations_library.cpp --cupranalyze PROGRAM --work FOLDER

A line for each thing that is wrong, and the last one counts them. Exit status 1 when something is wrong.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 120
LISTED = re.compile(r"// LISTED (\S+) (\S+) (\S+) (\S+) (\d+)$")
LIBRARY = re.compile(r"// LIBRARY (\S+) (\S+) (\d+)$")


def text(word):
    return "" if word == "-" else word


def expected(source):
    """What the source says of the calls and variables that follow; a library's call has no line."""
    lines = source.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if found := LISTED.search(line):
            call, kind, name, type_, bytes_ = found.groups()
            word = name.split("<")[0] + "[" if call.startswith("__") else f"{call}("
            at = next(n for n in range(number + 1, len(lines)) if word in lines[n - 1])
            yield (call, kind, text(name), text(type_), at, int(bytes_))
        if found := LIBRARY.search(line):
            call, kind, bytes_ = found.groups()
            yield (call, kind, "", "", 0, int(bytes_))


def run(options, libraries):
    """(allocations of the trace, seconds that the program took)."""
    trace = options.work / "allocations.cuprtrace"
    environment = {**os.environ, "CUPR_TRACE": str(trace), "CUPR_DEVICE": "gpu", "CUPR_LIBRARY_MEMORY": libraries}
    begin = time.monotonic()
    subprocess.run([options.program, options.library], env=environment, check=True, timeout=LIMIT)
    took = time.monotonic() - begin
    said = subprocess.run([options.cupranalyze, "info", "--json", trace], check=True, capture_output=True, timeout=LIMIT)
    return json.loads(said.stdout)["allocations"], took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--source", required=True, type=Path, nargs="+")
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--work", required=True, type=Path)
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    own = list(expected(options.source[0]))
    library = [entry for source in options.source[1:] for entry in expected(source)]
    either = {call: words[0] for words in (entry[0].split("|") for entry in library) for call in words}
    library = [(entry[0].split("|")[0], *entry[1:]) for entry in library]
    wrong = checks = 0
    for libraries, wanted in (("on", own + library), ("off", own)):
        allocations, took = run(options, libraries)
        seen = [(a["call"] if a["line"] else either.get(a["call"], a["call"]), a["kind"], a["name"], a["elementType"], a["line"], a["bytes"]) for a in allocations]
        print(f"CUPR_LIBRARY_MEMORY={libraries}: {len(wanted)} allocations expected, {len(seen)} seen, in {took:.2f} s")
        for entry in sorted(set(wanted) | set(seen)):
            checks += 1
            if wanted.count(entry) != seen.count(entry):
                wrong += 1
                print(f"FAIL with CUPR_LIBRARY_MEMORY={libraries}: seen {seen.count(entry)} times, not {wanted.count(entry)}: "
                      "call {}, kind {}, name '{}', type '{}', line {}, {} bytes".format(*entry))
        for allocation in allocations:
            checks += 1
            if (allocation["freedOrder"] is None) != allocation["call"].startswith("__"):
                wrong += 1
                print(f"FAIL with CUPR_LIBRARY_MEMORY={libraries}: freed at {allocation['freedOrder']}: {allocation}")
            if allocation["call"].startswith("__"):
                continue
            # A program without symbols has places in it for names; a library keeps those that others call.
            checks += 1
            callers = ("main", f"{Path(options.program).name}+") if allocation["line"] else ("allocate",)
            if not any(function.startswith(callers) for function in (allocation["path"] or "").split(" > ")):
                wrong += 1
                print(f"FAIL with CUPR_LIBRARY_MEMORY={libraries}: path '{allocation['path']}': {allocation}")
    print(f"{checks} checks, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

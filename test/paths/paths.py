#!/usr/bin/env python3
"""Call paths in a trace beside those that GDB finds, at calls that are drawn at random.

    paths.py PROGRAM --cupranalyze PROGRAM [--calls 3000] [--depth 40] [--asked 200] [--seed 1]

PROGRAM is calls.cu, built by cupr++. It runs once traced; the second time GDB stops it at `--asked` of its calls of cudaMemcpy, in front of the tracer's own code, and
says which functions are on the stack and which place in the code each of them will go on at. Frames that GDB makes up (of inlined functions, and of tail calls, which
are on no stack) are left out. Both paths must be the same, place by place, for all functions of the program itself; of libraries as many frames as GDB has.

For that the program's copy is without symbols: then the trace says of each function of it where in the file it is. What the trace calls them where there are
symbols is compared with GDB's names as well.

Exit status: 0 all are the same, 1 some are not, 2 something could not be run.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ASK = r"""
import json
import gdb
calls, address, output = json.load(open("ASKED"))
gdb.execute("set pagination off")
gdb.execute("set breakpoint pending on")
gdb.execute("starti", to_string=True)
process = gdb.selected_inferior().pid
program = gdb.current_progspace().filename
isMovable = open(program, "rb").read(18)[16] == 3  # ET_DYN
base = min(int(line.split("-")[0], 16) for line in open(f"/proc/{process}/maps") if line.rstrip().endswith(program)) if isMovable else 0
stop = gdb.Breakpoint(f"*{base + address:#x}")
found, at = [], 0
for call in calls:
    stop.ignore_count = call - at
    at = call + 1
    gdb.execute("continue", to_string=True)
    frame, path = gdb.newest_frame().older(), []
    while frame:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            isOurs = gdb.solib_name(frame.pc()) is None
            path.append(frame.pc() - base - 1 if isOurs else None)
        frame = frame.older()
    found.append(path[::-1])
json.dump(found, open(output, "w"))
gdb.execute("kill")
"""


def stop(text):
    sys.stderr.write(f"paths: {text}\n")
    sys.exit(2)


def run(command, **settings):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**os.environ, **settings}, timeout=600, check=False)
    if done.returncode:
        stop(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def traced_paths(program, arguments, cupranalyze, folder):
    """Of each call of cudaMemcpy, in their order: functions from the outermost on."""
    trace = folder / f"{program.name}.cuprtrace"
    run([program, *arguments], CUPR_DEVICE="cpu", CUPR_TRACE=str(trace))
    rows = run([cupranalyze, "sql", "--json", trace, "SELECT path FROM host_calls WHERE function = 'cudaMemcpy' ORDER BY id"])
    return [json.loads(row)["path"].split(" > ") for row in rows.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--cupranalyze", type=Path, required=True)
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--depth", type=int, default=40)
    parser.add_argument("--asked", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    arguments = [options.seed, options.calls, options.depth]
    asked = sorted(random.Random(options.seed).sample(range(options.calls), options.asked))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = folder / "bare"
        run(["strip", "-o", bare, options.program])
        symbols = run(["nm", "--defined-only", options.program])
        address = int(re.search(r"^([0-9a-f]+) . cudaMemcpy$", symbols, re.MULTILINE).group(1), 16)
        (folder / "asked").write_text(json.dumps([asked, address, str(folder / "found")]))
        (folder / "ask.py").write_text(ASK.replace("ASKED", str(folder / "asked")))
        run(["gdb", "-batch", "-nx", "-x", folder / "ask.py", "--args", bare, *arguments], CUPR_DEVICE="cpu", CUPR_TRACE="off")
        found = json.loads((folder / "found").read_text())
        places, names = (traced_paths(program, arguments, options.cupranalyze, folder) for program in (bare, options.program))
    if len(places) <= max(asked) or len(places) != len(names):
        stop(f"the trace has {len(places)} and {len(names)} calls of cudaMemcpy")
    wrong = 0
    for call, wanted in zip(asked, found):
        seen = [int(match.group(1), 16) if (match := re.fullmatch(r"bare\+(0x[0-9a-f]+)", function)) else None for function in places[call]]
        if seen != wanted:
            wrong += 1
            print(f"call {call}:\n  GDB   {wanted}\n  trace {places[call]}")
        if names[call][0] not in ("_start", places[call][0]) or "main" not in names[call] or not any("callTheApi" in function for function in names[call]):
            wrong += 1
            print(f"call {call}: {' > '.join(names[call])}")
    deepest = max(map(len, found))
    print(f"{len(found)} paths of {min(map(len, found))} to {deepest} functions compared with GDB's, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

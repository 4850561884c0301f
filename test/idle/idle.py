#!/usr/bin/env python3
"""What is not chosen costs nearly nothing: bytes of trace, memory and time of launches that are not traced, and of allocations.

    idle.py --tools build/release/bin --work FOLDER [--count N] [--instructions] [--device cpu|gpu]

Runs idle.cu (launches, kernels of graphs, allocations) with recording switched off, with a filter that chooses no kernel, with one that chooses nothing of the second half, and with such
launches left out; and the same program built with --no-trace. A launch may take 64 bytes, an allocation with its free as well, the memory of
the process may grow by 1 MiB in the second half, and an act may take so much more processor time than in the plain program (the least of three runs:
the machine may be busy). --instructions counts instructions as well, with valgrind. Exit status 1 when something takes more.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BYTES, GROWTH = 64, 1 << 20
NANOSECONDS = 1000

WAYS = {
    "switched off": {"CUPR_START": "off"},
    "not named": {"CUPR_KERNELS": "nothing is called this"},
    "not named, and no others": {"CUPR_KERNELS": "nothing", "CUPR_UNTRACED": "omit"},
    "behind the last": {"CUPR_LAUNCHES": "0:1"},
}


def run(options, program, settings, what, count, streams):
    trace = options.work / "t.cuprtrace"
    trace.unlink(missing_ok=True)
    environment = {**os.environ, "CUPR_DEVICE": options.device, "CUPR_TRACE": str(trace), "CUPR_CPU_MEMORY": "256M", **settings}
    done = subprocess.run([program, what, str(count), str(streams)], env=environment, capture_output=True, text=True, check=True)
    nanoseconds, growth, last, error = done.stdout.split()
    return float(nanoseconds), int(growth), (last, error), trace


def instructions(options, program, settings, what, count):
    environment = {**os.environ, "CUPR_DEVICE": options.device, "CUPR_TRACE": str(options.work / "t.cuprtrace"), "CUPR_CPU_MEMORY": "256M", **settings}
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, what, str(count)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def check(options, name, settings, what, streams):
    """What is wrong; a line for each figure."""
    plain_runs = [run(options, options.work / "plain", {}, what, options.count, streams) for _ in range(3)]
    few = run(options, options.work / "traced", settings, what, 10, streams)[3].stat().st_size
    runs = [run(options, options.work / "traced", settings, what, options.count, streams) for _ in range(3)]
    trace, expected = runs[-1][3], plain_runs[0][2]
    plain = min(found[0] for found in plain_runs)
    extra, growth = min(found[0] for found in runs) - plain, max(found[1] for found in runs)
    # Beside the acts there are a header, a module and an end.
    each = (trace.stat().st_size - few) / options.count
    verdict = subprocess.run([options.tools / "cupranalyze", "verify", trace], capture_output=True, text=True, check=False)
    print(f"{what}, {streams} streams, {name}: {each:.1f} bytes, {growth} bytes of growth, {extra:+.0f} ns beside {plain:.0f} ns", flush=True)
    wrong = []
    if each > BYTES:
        wrong.append(f"{each:.1f} bytes each")
    if growth > GROWTH:
        wrong.append(f"memory grows by {growth} bytes")
    if extra > options.nanoseconds:
        wrong.append(f"{extra:.0f} ns longer")
    if any(found[2] != expected for found in runs):
        wrong.append(f"the program says {[found[2] for found in runs]}, not {expected}")
    if verdict.returncode:
        wrong.append(f"the trace: {verdict.stdout}{verdict.stderr}")
    if options.instructions:
        counts = [instructions(options, options.work / program, settings, what, n) for program in ("plain", "traced") for n in (1000, 11000)]
        print(f"    instructions: {(counts[1] - counts[0]) / 1e4:.0f} plain, {(counts[3] - counts[2]) / 1e4:.0f} traced")
    return [f"{what}, {name}: {line}" for line in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--count", type=int, default=2_000_000)
    parser.add_argument("--nanoseconds", type=float, default=NANOSECONDS)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--device", default="cpu", choices=["gpu", "cpu"])
    parser.add_argument("--built", action="store_true", help="the programs are in the work folder already")
    options = parser.parse_args()
    options.tools, options.work = options.tools.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    for name, flags in (("traced", []), ("plain", ["--no-trace"])):
        command = [options.tools / "cupr++", *flags, f"--device={options.device}", "-O2", "-o", options.work / name, HERE / "idle.cu"]
        if not options.built:
            subprocess.run(command, check=True)
    wrong = []
    for name, settings in WAYS.items():
        wrong += check(options, name, settings, "launches", 1)
    wrong += check(options, "switched off", WAYS["switched off"], "launches", 64)
    wrong += check(options, "switched off", WAYS["switched off"], "graphs", 1)
    options.count //= 10
    wrong += check(options, "switched off", WAYS["switched off"], "allocations", 1)
    for line in wrong:
        print("FAIL", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

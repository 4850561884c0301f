#!/usr/bin/env python3
"""What one checked run costs beside compute-sanitizer's four tools: runs the everyday kernels traced, checks their traces, runs them plain under each tool, and
prints a table in Markdown.

    check_table.py --plain PROGRAM --traced PROGRAM --cupranalyze PROGRAM [--repeats N] [NAME...]

PROGRAM: of everyday/, `plain` by its Makefile, and `traced` by
cupr++ -O2 --device=gpu --spaces=global,shared --synchronisation.

Seconds are whole processes' wall time, each kernel launched once and warmed up once; medians of `--repeats` (the tools: once). The ratio is that of tracing and
checking to the sum of the tools. Exit status: 0, 1 when something could not be run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from patterns_table import geometric, table

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
ONCE = ("--rounds", "1", "--batches", "1", "--batch", "1")
TIMEOUT = 300


def timed(command, good=(0,), **environment):
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=TIMEOUT, check=False)
    seconds = time.monotonic() - start
    if done.returncode not in good:
        sys.exit(f"check_table.py: {' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()[-2000:]}")
    return seconds, done.stdout


class Kernel:
    """Its times, in seconds."""

    def __init__(self, name, options, folder):
        self.name = name
        trace = folder / f"{name}.cuprtrace"
        traced, checked = [], []
        for _ in range(options.repeats):
            traced.append(timed([options.traced, *ONCE, name], CUPR_DEVICE="gpu", CUPR_TRACE=str(trace))[0])
            seconds, told = timed([options.cupranalyze, "check", "--any-size", "--json", "--without=leak", trace], good=(0, 4))
            checked.append(seconds)
            trace.unlink()
        found = json.loads(told)
        self.accesses = found["accesses"]
        self.rules = sorted({fault["rule"] for fault in found["faults"]})
        self.traced, self.checked = statistics.median(traced), statistics.median(checked)
        self.tools = [timed(["compute-sanitizer", "--tool", tool, options.plain, *ONCE, name])[0] for tool in TOOLS]

    @property
    def ratio(self):
        return (self.traced + self.checked) / sum(self.tools)

    def row(self):
        return [f"`{self.name}`", f"{self.accesses / 1e6:,.0f} M", f"{self.traced:.2f}", f"{self.checked:.2f}",
                " + ".join(f"{seconds:.1f}" for seconds in self.tools), f"{self.ratio:.2f}", ", ".join(f"`{rule}`" for rule in self.rules) or "-"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for program in ("plain", "traced", "cupranalyze"):
        parser.add_argument(f"--{program}", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    listed = subprocess.run([options.plain, "--list"], capture_output=True, text=True, check=True).stdout
    names = options.names or [line.split("\t")[0] for line in listed.splitlines()]
    kernels = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            kernels.append(Kernel(name, options, Path(folder)))
            print(f"{name}: {kernels[-1].ratio:.3f}", file=sys.stderr, flush=True)
    print(*table(["kernel", "accesses", "traced, s", "check, s", "the four tools, s", "ratio", "found"], [kernel.row() for kernel in kernels]), sep="\n")
    ratios = [kernel.ratio for kernel in kernels]
    print(f"\nratio: geometric mean {geometric(ratios):.3f}, median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}; tracing alone "
          f"{geometric([kernel.traced / sum(kernel.tools) for kernel in kernels]):.3f}")


if __name__ == "__main__":
    main()

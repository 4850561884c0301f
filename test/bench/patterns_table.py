#!/usr/bin/env python3
"""What tracing costs: runs patterns.cu plain and traced, and prints a table in Markdown.

    patterns_table.py --plain PROGRAM --traced PROGRAM --cupranalyze PROGRAM [--device gpu|cpu] [--size N]

First table: the median kernel time of both programs (the traced one's includes what follows the kernel in its
stream), their ratio, and accesses per second while traced. Below: whole run times, size of the trace, whether it
is whole. Second table: the traced program while no launch is chosen (CUPR_START=off), in batches of launches.
Exit status: 0, 1 when a result was wrong or the trace is not whole, 2 when a program could not be run.
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

TIMEOUT = 300


def measure(program, arguments, environment):
    """(the program's lines as objects, seconds of the whole run)."""
    start = time.monotonic()
    done = subprocess.run(
        [program, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    seconds = time.monotonic() - start
    if done.returncode:
        raise RuntimeError(f"{program}: exit status {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()], seconds


def table(plain, traced):
    yield "| pattern | accesses | plain ms | traced ms | times | G accesses/s traced |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for before, after in zip(plain, traced):
        rate = after["accesses"] / after["ms"] / 1e6
        yield (
            f"| {before['pattern']} | {before['accesses']:,.0f} | {before['ms']:.4f} | {after['ms']:.3f} "
            f"| {after['ms'] / before['ms']:.1f} | {rate:.2f} |"
        )


def unchosen_table(plain, unchosen):
    yield "| pattern | plain ms | not chosen ms | times |"
    yield "| --- | ---: | ---: | ---: |"
    ratios = []
    for before, after in zip(plain, unchosen):
        ratios.append(after["ms"] / before["ms"])
        yield f"| {before['pattern']} | {before['ms']:.4f} | {after['ms']:.4f} | {ratios[-1]:.3f} |"
    yield f"| geometric mean | | | {statistics.geometric_mean(ratios):.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--plain", "--traced", "--cupranalyze"):
        parser.add_argument(name, required=True)
    parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--size", type=int, default=4194304)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=20, help="launches back to back, for the second table")
    options = parser.parse_args()
    arguments = [str(options.size), str(options.rounds)]
    choice = {"CUPR_DEVICE": options.device}
    try:
        with tempfile.TemporaryDirectory() as work:
            trace = Path(work) / "patterns.cuprtrace"
            plain, plain_seconds = measure(options.plain, arguments, choice)
            traced, traced_seconds = measure(options.traced, arguments, {**choice, "CUPR_TRACE": str(trace)})
            bytes_ = trace.stat().st_size
            batches = [str(options.size), str(4 * options.rounds + 1), str(options.batch)]
            plain_batch, _ = measure(options.plain, batches, choice)
            unchosen, _ = measure(
                options.traced, batches, {**choice, "CUPR_TRACE": f"{work}/unchosen", "CUPR_START": "off"}
            )
            verify = [options.cupranalyze, "verify", str(trace)]
            verdict = subprocess.run(verify, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        print(f"patterns_table.py: {error}", file=sys.stderr)
        return 2
    accesses = sum(line["accesses"] for line in traced) * (options.rounds + 1)
    print("\n".join(table(plain, traced)))
    print()
    print(f"Device: {options.device}; {options.size:,} elements, median of {options.rounds} rounds.")
    times = traced_seconds / plain_seconds
    print(f"Whole run: {plain_seconds:.2f} s plain, {traced_seconds:.2f} s traced ({times:.1f} times).")
    print(f"Trace: {bytes_:,} bytes for {accesses:,.0f} accesses, {bytes_ / accesses:.3f} bytes per access.")
    print(f"Verification: {(verdict.stdout + verdict.stderr).strip()}")
    print(f"\nNo launch chosen, {options.batch} launches back to back:\n")
    print("\n".join(unchosen_table(plain_batch, unchosen)))
    return 1 if verdict.returncode else 0


if __name__ == "__main__":
    sys.exit(main())

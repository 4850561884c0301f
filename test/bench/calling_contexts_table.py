#!/usr/bin/env python3
"""What calling contexts cost: runs calling_contexts.cu as it was built twice, in turns, and prints a table in Markdown. `--before`: built with
`cupr++ --context-sites=0`, where each function has one context, or by another version of the tool.

    calling_contexts_table.py --before PROGRAM --after PROGRAM [--device gpu|cpu] [--repeats 5] [ARGUMENT of the programs...]

Times are of kernels, the least of the repeats' medians: recorded into the null sink; with one block in 64 recorded, where what the hooks' own code takes
shows and not the queue; and not traced, where both must be the same program. The last column is the aim, at most 1.05.

Exit status: 0, 1 when a result was wrong, 2 when a program could not be run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

TIMEOUT = 300
WAYS = {
    "recorded": {"CUPR_SINK": "null", "CUPR_DERIVE": "off"},
    "one block in 64": {"CUPR_SINK": "null", "CUPR_DERIVE": "off", "CUPR_SAMPLE": "64"},
    "not traced": {"CUPR_START": "off"},
}


def times(program, arguments, environment):
    """Milliseconds by kernel."""
    done = subprocess.run([program, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        print(f"{program}: exit status {done.returncode}: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(1 if done.returncode == 1 else 2)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {row["kernel"]: row["ms"] for row in rows}


def least(found):
    return {kernel: min(one[kernel] for one in found) for kernel in found[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--device", default="gpu", choices=["gpu", "cpu"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    for way, settings in WAYS.items():
        found = {"before": [], "after": []}
        for _ in range(options.repeats):
            for which, runs in found.items():
                runs.append(times(getattr(options, which), options.arguments, {"CUPR_DEVICE": options.device, **settings}))
        before, after = least(found["before"]), least(found["after"])
        print(f"\n| {way} | before, ms | after, ms | ratio |\n| --- | ---: | ---: | ---: |")
        for kernel, one in before.items():
            print(f"| {kernel} | {one:.4f} | {after[kernel]:.4f} | {after[kernel] / one:.3f} |")
        print(f"| geometric mean | | | {statistics.geometric_mean(after[k] / before[k] for k in before):.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the program that spaces.cu is, as built at several levels, and compares what its trace holds with what it printed.

    spaces.py --cupranalyze=FILE PROGRAM...

Each thread of block 0 must have made the accesses that it printed, in whatever order, with the variable or the coordinates; and
each variable must lie where the kernel found it, beside the others, and have its type.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LANES = 32


def printed_by(text):
    """By kernel: the accesses of each thread, and the variables."""
    accesses, variables = collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(dict)
    kernel = None
    for line in text.splitlines():
        what, rest = line.split(" ", 1)
        if what == "kernel":
            kernel = rest
        elif what == "thread":
            thread, access = rest.split(" ", 1)
            accesses[kernel][int(thread)].append(access)
        elif what == "variable":
            name, place, size, type_ = rest.split(maxsplit=3)
            variables[kernel][name] = (int(place), int(size), type_)
    return accesses, {kernel: from_first(placed) for kernel, placed in variables.items()}


def from_first(variables):
    """Their places counted from the first one: the CPU device's hardware counts otherwise."""
    first = min(place for place, *_ in variables.values())
    return {name: (place - first, *rest) for name, (place, *rest) in variables.items()}


def recorded_in(analyze, trace):
    """The same, of the trace."""
    accesses, variables = collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(dict)
    dump = subprocess.run([analyze, "dump", "--json", trace], check=True, text=True, stdout=subprocess.PIPE)
    for line in dump.stdout.splitlines():
        record = json.loads(line)
        kernel = record["kernel"].split("(")[0]
        if record["operation"] == "variable" or record["cta"][0] != 0 or record["space"] not in ("shared", "texture"):
            continue
        for i, lane in enumerate(record["lanes"]):
            where = record["places"][i] if record["space"] == "shared" else \
                f"{record['addresses'][i]:x} {record['coordinates'][i]}"
            accesses[kernel][record["warp"] * LANES + lane].append(
                f"{record['operation']} {record['bytes']} {where}")
    info = json.loads(subprocess.run([analyze, "info", "--json", trace], check=True, text=True, stdout=subprocess.PIPE).stdout)
    for launch in info["launches"]:
        for variable in launch["sharedVariables"]:
            variables[launch["kernel"].split("(")[0]][variable["name"]] = \
                (variable["offset"], variable["bytes"], variable["type"])
    return accesses, {kernel: from_first(placed) for kernel, placed in variables.items()}


def is_wrong(analyze, program):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "spaces.cuprtrace"
        run = subprocess.run([program.resolve()], env=os.environ | {"CUPR_TRACE": str(trace)}, text=True,
                             stdout=subprocess.PIPE, check=True)
        subprocess.run([analyze, "verify", trace], check=True, stdout=subprocess.DEVNULL)
        printed, placed = printed_by(run.stdout)
        recorded, found = recorded_in(analyze, trace)
    wrong = compared = 0
    for kernel in printed.keys() | recorded.keys():
        for thread in printed[kernel].keys() | recorded[kernel].keys():
            expected, seen = sorted(printed[kernel][thread]), sorted(recorded[kernel][thread])
            compared += len(expected)
            if expected != seen:
                wrong += 1
                if wrong < 6:
                    print(f"{kernel}, thread {thread}:\n  printed  {expected}\n  recorded {seen}")
    for kernel in placed.keys() | found.keys():
        compared += len(placed.get(kernel, {}))
        if placed.get(kernel) != found.get(kernel):
            wrong += 1
            print(f"{kernel}:\n  lie      {placed.get(kernel)}\n  recorded {found.get(kernel)}")
    print(f"{program.name}: {compared} accesses and variables compared, {wrong} threads and kernels wrong")
    return wrong != 0 or compared < 990


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cupranalyze", required=True)
    arguments.add_argument("programs", type=pathlib.Path, nargs="+")
    options = arguments.parse_args()
    return any([is_wrong(options.cupranalyze, program) for program in options.programs])


if __name__ == "__main__":
    sys.exit(main())

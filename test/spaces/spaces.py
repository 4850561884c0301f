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
    """By kernel: the accesses of each thread, the variables, and the objects that it gets."""
    accesses, variables = collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(dict)
    objects = collections.defaultdict(set)
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
        elif what == "object":
            objects[kernel].add(rest)
    return accesses, {kernel: from_first(placed) for kernel, placed in variables.items()}, objects


def from_first(variables):
    """Their places counted from the first one: the CPU device's hardware counts otherwise."""
    first = min(place for place, *_ in variables.values())
    return {name: (place - first, *rest) for name, (place, *rest) in variables.items()}


def answer(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def comes_back(analyze, trace, folder):
    """Whether an export becomes the same trace again; and whether SQL has an object and an allocation for each fetch."""
    export, again = folder / "spaces.jsonl", folder / "again.cuprtrace"
    answer(analyze, "export", "--format", "json", "-o", export, trace)
    answer(analyze, "import", "-o", again, export)
    query = "SELECT count(*), count(a.image_object), count(i.allocation = a.allocation) FROM accesses a " \
        "LEFT JOIN image_objects i ON i.id = a.image_object AND i.object = a.address WHERE a.space = 'texture'"
    counts = json.loads(answer(analyze, "sql", "--json", trace, query).splitlines()[0])
    return answer(analyze, "dump", "--per-thread", trace) == answer(analyze, "dump", "--per-thread", again) and \
        len(set(counts.values())) == 1 and 0 not in counts.values()


def recorded_in(analyze, trace):
    """The same, of the trace."""
    accesses, variables = collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(dict)
    objects = collections.defaultdict(set)
    info = json.loads(answer(analyze, "info", "--json", trace))
    for line in answer(analyze, "dump", "--json", trace).splitlines():
        record = json.loads(line)
        kernel = record["kernel"].split("(")[0]
        if record["operation"] == "variable" or record["cta"][0] != 0 or record["space"] not in ("shared", "texture"):
            continue
        if record["space"] == "texture":
            objects[kernel] |= {object_text(info, record, at) for at in range(len(record["lanes"]))}
        for i, lane in enumerate(record["lanes"]):
            where = record["places"][i] if record["space"] == "shared" else \
                f"{record['addresses'][i]:x} {record['coordinates'][i]}"
            accesses[kernel][record["warp"] * LANES + lane].append(
                f"{record['operation']} {record['bytes']} {where}")
    for launch in info["launches"]:
        for variable in launch["sharedVariables"]:
            variables[launch["kernel"].split("(")[0]][variable["name"]] = \
                (variable["offset"], variable["bytes"], variable["type"])
    return accesses, {kernel: from_first(placed) for kernel, placed in variables.items()}, objects


def object_text(info, record, at):
    """As the program prints it; what is wrong of it in its place."""
    number = record["imageObjects"][at]
    found = info["imageObjects"][number] if number is not None else None
    if found is None or found["object"] != record["addresses"][at] or record["offsets"][at] is not None:
        return f"no object at {record['addresses'][at]:x}"
    if record["allocation"] is None or record["allocation"] != found["allocation"]:
        return f"object {number} is of allocation {found['allocation']}, its access of {record['allocation']}"
    memory = info["allocations"][found["allocation"]]
    is_array = found["resource"] == "array"
    if (memory["kind"] == "array") != is_array or not 0 <= found["memory"] - memory["address"] < (1 if is_array else memory["bytes"]):
        return f"object {number} does not lie in allocation {memory['id']}"
    return "{kind} {object:x} {resource} {memory:x} {format} {width} {height} {depth}".format(**found)


def is_wrong(analyze, program):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "spaces.cuprtrace"
        run = subprocess.run([program.resolve()], env=os.environ | {"CUPR_TRACE": str(trace)}, text=True,
                             stdout=subprocess.PIPE, check=True)
        subprocess.run([analyze, "verify", trace], check=True, stdout=subprocess.DEVNULL)
        printed, placed, expected_objects = printed_by(run.stdout)
        recorded, found, seen_objects = recorded_in(analyze, trace)
        wrong = 0 if comes_back(analyze, trace, pathlib.Path(folder)) else 1
        if wrong:
            print("an export does not become the same trace again, or SQL does not know what is fetched from")
    compared = 0
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
    for kernel in expected_objects.keys() | seen_objects.keys():
        compared += len(expected_objects[kernel])
        if expected_objects[kernel] != seen_objects[kernel]:
            wrong += 1
            print(f"{kernel}:\n  gets     {expected_objects[kernel]}\n  recorded {seen_objects[kernel]}")
    print(f"{program.name}: {compared} accesses, variables and objects compared, {wrong} threads and kernels wrong")
    return wrong != 0 or compared < 1240


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cupranalyze", required=True)
    arguments.add_argument("programs", type=pathlib.Path, nargs="+")
    options = arguments.parse_args()
    return any([is_wrong(options.cupranalyze, program) for program in options.programs])


if __name__ == "__main__":
    sys.exit(main())

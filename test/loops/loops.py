#!/usr/bin/env python3
"""Loops of every kind in the profile of a program: how many calls and accesses each makes, by arithmetic.

A loop of the sources has a name, `// loop: NAME`. Paths are written as "main kinds [for] [while] set": functions, and loops in brackets.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
CALLS = {  # of cudaMemset
    "main": 1,
    "main kinds setOnce set": 1,  # before the loop
    "main kinds [for] set": 3,
    "main kinds [for] [while] set": 3 * 2 * 2,
    "main kinds [for] [while] [do] set": 3 * 2 * 4,
    "main kinds [range-for] set": 5,
    "main kinds [line] [line] set": 2 * 7,
    "main kinds set": 1,
    "main macros [macro] set": 6,
    "main macros [macro-with-body] set": 3 * 2,
    "main macros [around-macro] [macro-inside] set": 2 * 2,
    "main functions [around-inlined] inlined [inlined] set": 3 * 2,
    "main functions generic<int> [template] set": 3,
    "main functions generic<float> [template] set": 3,
    "main functions [around-lambda] lambda [in-lambda] set": 4 * 2,
    "main functions [around-lambda] lambda set": 4,
    "main functions inHeader [header] set": 2,
    "main functions beside [beside] set": 3,
    "main recurse [recursion] set": 2,
    "main recurse [recursion] recurse [recursion] set": 2 * 2,
    "main recurse [recursion] recurse [recursion] recurse [recursion] set": 2 * 2 * 2,
    "main callbacks [around-foreign] foreign calledBack [called-back] set": 3 * 2 * 2,
    "main fromLibrary [library] set": 3,
}
LAUNCHES = {"main [launches] kernel": 2, "main kernel": 1, "main fromLibrary [library] libraryKernel": 3}
THREADS = 4 * 3  # of the launches of `kernel`
ACCESSES = {  # of a thread
    "kernel": 1,  # before the loop
    "kernel [device-for]": 3,
    "kernel [device-for] [device-while]": 3 * 2 * 2,
    "kernel [device-for] [device-while] [device-do]": 3 * 2 * 4,
    "kernel [device-range-for]": 4,
    "kernel [device-macro]": 6,
    "kernel [device-around] deviceInlined [device-inlined]": 3 * 2,
    "kernel [device-around] instances<3> [device-template]": 3 * 3,
    "kernel instances<5> [device-template]": 5,
    "kernel [device-around-lambda] lambda": 2,
    "kernel [device-around-lambda] lambda [device-in-lambda]": 2 * 3,
    # The cycle, and the function in it.
    "kernel [device-around-recursion] [recursion]deviceRecursion deviceRecursion [device-recursion]": 3 * (2 + 2 * 2 + 2 * 2 * 2),
    "kernel [device-only]": 7,
}
STORES = {"libraryKernel [library-device]": 4 * 3 * 5, "kernel": THREADS}


def names_of_loops():
    names = {}
    for source in HERE.iterdir():
        if source.suffix in (".cu", ".cpp", ".h"):
            for number, line in enumerate(source.read_text().splitlines(), 1):
                if mark := re.search(r"// loop: (\S+)$", line):
                    names[source.name, number] = mark[1]
    return names


def plain(name):
    if "operator()" in name:
        return "lambda"
    return name.split("(")[0].split()[-1].removeprefix("__device_stub__")


def paths_of(nodes, names):
    """Of each node: functions, kernels and loops from main on."""
    paths = {}
    for node in nodes:
        path = () if node["parent"] is None else paths[node["parent"]]
        if node["kind"] == "loop":
            path += (f"[{names[pathlib.Path(node['file']).name, node['line']]}]",)
        elif node["kind"] in ("function", "kernel", "device function") and (path or plain(node["name"]) in ("main", "kernel")):
            if node["kind"] == "kernel" and path[-1:] == (plain(node["name"]),):
                path = path[:-1]  # the function that launches it
            path += (plain(node["name"]),)
        paths[node["id"]] = path
    return paths


def differences(what, expected, found):
    return [f"{what} in '{path}': {expected.get(path, 0)} expected, {found.get(path, 0)} found"
            for path in sorted(expected.keys() | found.keys()) if expected.get(path, 0) != found.get(path, 0)]


def sums_are_wrong(nodes):
    """Totals are what stands at a node and below it."""
    sums = {node["id"]: collections.Counter(node["own"]) for node in nodes}
    for node in reversed(nodes):
        if node["parent"] is not None:
            sums[node["parent"]].update(sums[node["id"]])
    return [f"total of node {node['id']} is not the sum" for node in nodes
            if any(sums[node["id"]][key] != value for key, value in node["total"].items() if key != "apiTime")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("program")
    parser.add_argument("library", nargs="?", default="none", help="none: the program opens no library")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    options = parser.parse_args()
    trace = options.program + ".cuprtrace"
    run = subprocess.run([options.program, options.library], env={**os.environ, "CUPR_TRACE": trace, "CUPR_DEVICE": options.device}, check=False)
    if run.returncode:
        sys.exit(f"the program ended with {run.returncode}")
    profile = json.loads(subprocess.run([options.cupranalyze, "profile", "--json", trace], check=True, stdout=subprocess.PIPE).stdout)
    nodes = profile["profileNodes"]
    paths = paths_of(nodes, names_of_loops())
    found = {name: collections.Counter() for name in ("calls", "launches", "load", "store")}
    for node in nodes:
        path = " ".join(paths[node["id"]])
        if node["kind"] == "call" and node["name"] == "cudaMemset":
            found["calls"][path] += node["own"]["calls"]
        found["launches"][path] += node["own"]["launches"]
        if node["kind"] == "access":
            of_device = path[max(path.rfind(" kernel"), path.rfind(" libraryKernel")) + 1:]
            found[node["name"]][of_device] += node["own"]["accesses"]
    if options.library == "none":
        for expected in (CALLS, LAUNCHES, STORES):
            for path in [path for path in expected if "ibrary" in path]:
                del expected[path]
    wrong = (differences("calls", CALLS, found["calls"]) + differences("launches", LAUNCHES, found["launches"]) +
             differences("loads", {path: count * THREADS for path, count in ACCESSES.items()}, found["load"]) +
             differences("stores", STORES, found["store"]) + sums_are_wrong(nodes))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the program that chase.cu is, as built with each scheme, and compares the times of its loads with what is known of them.

    chase.py --cupranalyze=FILE SCHEME=PROGRAM...

On the CPU device a load takes what its model says, by a table that stands here once more. On a GPU the chains that run untimed say what a load
takes: the program prints their cycles for each hop, and schemes that wait come near it, and `naive` says what a load takes to issue.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MODEL = {"shared": 23, "constant": 30, "l1": 300, "readonly": 300, "texture": 400, "l2": 300, "copy": 300, "memory": 300}
ISSUE = 8
ISSUE_AT_MOST, COPY_ISSUE_AT_MOST = 16, 40  # on a GPU
HOPS = 2048
# Cycles. What the clocks take themselves is taken off; a fence takes time itself. Two launches differ by some cycles in memory.
NEAR = {"dependency": 3, "use": 3, "fence": 24}
NEAR_IN_MEMORY = 12


def run(program, trace):
    """What the program prints: cycles of a hop of each chain."""
    environment = os.environ | {"CUPR_TRACE": trace, "CUPR_LATENCY": "on", "CUPR_KERNELS": "chase_", "CUPR_FORCE": "on"}
    printed = subprocess.run([program], env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout
    return {name: float(cycles) for name, cycles in (line.split() for line in printed.splitlines())}


def answer(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def durations_in(analyze, trace):
    """By chase, those of its hops: of all sites of a chase the one with as many records as there are hops, or more. Of a copy, of what it loads."""
    by_site = {}
    for line in answer(analyze, "dump", "--json", trace).splitlines():
        record = json.loads(line)
        name = record["kernel"].split("chase_")[1].split("(")[0]
        if name == "copy" and (record["operation"], record["space"]) != ("load", "global"):
            continue
        by_site.setdefault((name, record["site"]), []).append(record)
    return {name: records for (name, _), records in by_site.items() if len(records) >= HOPS}


def wrong(name, scheme, chain, durations, is_modelled):
    """What is wrong with a chase; none: nothing."""
    mean = statistics.fmean(durations)
    if is_modelled:
        expected = ISSUE if scheme == "naive" else MODEL[name]
        return None if set(durations) == {expected} else f"{sorted(set(durations))[:5]} instead of {expected}"
    if scheme == "naive":
        return None if mean < (COPY_ISSUE_AT_MOST if name == "copy" else ISSUE_AT_MOST) else f"{mean:.1f}: it waits"
    near = NEAR_IN_MEMORY if name == "memory" else NEAR[scheme]
    return None if round(abs(mean - chain), 1) <= near else f"{mean:.1f}, and the chain {chain:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("programs", nargs="+", metavar="SCHEME=PROGRAM")
    arguments = parser.parse_args()
    analyze, failures = arguments.cupranalyze, []
    for scheme, program in (pair.split("=", 1) for pair in arguments.programs):
        with tempfile.TemporaryDirectory() as folder:
            trace = str(pathlib.Path(folder) / "trace.cuprtrace")
            chains = run(str(pathlib.Path(program).resolve()), trace)
            chains["copy"] -= chains["shared"]  # by which each hop's copy is loaded
            information = json.loads(answer(analyze, "info", "--json", trace))
            answer(analyze, "verify", trace)
            chases = durations_in(analyze, trace)
            is_modelled = information["deviceKind"] == "cpu"
            if chases.keys() != MODEL.keys():
                failures.append(f"{program}: chases of {sorted(chases)}")
            for name, records in chases.items():
                durations = [cycles for record in records for cycles in record["duration"]]
                print(f"{scheme:10} {name:9} chain {chains[name]:7.1f}  timed {statistics.fmean(durations):7.1f}  least {min(durations)}  most {max(durations)}")
                if problem := wrong(name, scheme, chains[name], durations, is_modelled):
                    failures.append(f"{program}: {name}: {problem}")
                clocks = [record["clock"][0] for record in records]
                if clocks != sorted(clocks):
                    failures.append(f"{program}: {name}: its clocks go back")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())

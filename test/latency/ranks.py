#!/usr/bin/env python3
"""Runs the program that ranks.cu is, and compares what its loads cost with the turns and sectors that were planted.

    ranks.py --cupranalyze=FILE PROGRAM...

Each load must have exactly the turns, or sectors, that its launch is for. Their durations must rank as these do: of shared memory
each turn more takes longer; of global memory each doubling of the sectors from 2 on does, and over all of 1 to 32 the rank correlation is at least 0.95.
Of the rounds of launches the fastest counts: each comes to some multiprocessor, near to the cache's lines or less so.
The program is run untimed, too: on a GPU, what a turn or sector more costs must be what it costs there, to 3 cycles. (Two sectors take 3 cycles less than one
on an H200, untimed, too.)
Exit status: 0, or 1 when anything is wrong.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

WAYS, ROUNDS, LOADS, SECTOR, BANKS = 32, 6, 256, 32, 32
NEAR = 3  # cycles


def rank_correlation(values):
    """Of the values with their places, by Spearman's rho; values that are the same share their rank."""
    order = sorted(values)
    ranks = [statistics.fmean([order.index(value), len(order) - 1 - order[::-1].index(value)]) for value in values]
    return statistics.correlation(range(len(values)), ranks)


def turns(addresses):
    """Of a request for 4-byte words: the most different words of one bank."""
    words = {address // 4 for address in addresses}
    return max(sum(word % BANKS == bank for word in words) for bank in range(BANKS))


def untimed(program):
    """By kernel what the program itself says that a load takes, by ways."""
    lines = subprocess.run([program], env=os.environ | {"CUPR_TRACE": "off"}, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    return {name: [float(cycles) for cycles in all_cycles] for name, *all_cycles in map(str.split, lines)}


def durations(analyze, trace):
    """By kernel and launch the cycles of its loads, and how many turns or sectors they have."""
    command = [analyze, "dump", "--json", trace]
    found = {"conflicts": {}, "sectors": {}}
    for line in subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines():
        record = json.loads(line)
        name = record["kernel"].split("::")[-1].split("(")[0]
        if name not in found or record["operation"] != "load" or record["space"] != ("shared" if name == "conflicts" else "global"):
            continue
        cost = turns(record["addresses"]) if name == "conflicts" else len({address // SECTOR for address in record["addresses"]})
        found[name].setdefault(record["launch"], []).append((cost, record["duration"][0]))
    return {name: list(launches.values()) for name, launches in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    wrong = []
    for program in (str(pathlib.Path(each).resolve()) for each in options.programs):
        with tempfile.TemporaryDirectory() as folder:
            trace = str(pathlib.Path(folder) / "trace.cuprtrace")
            subprocess.run([program], env=os.environ | {"CUPR_TRACE": trace, "CUPR_LATENCY": "on"}, check=True, stdout=subprocess.DEVNULL)
            found = durations(options.cupranalyze, trace)
            information = json.loads(subprocess.run([options.cupranalyze, "info", "--json", trace], check=True, text=True, stdout=subprocess.PIPE).stdout)
        alone = untimed(program)
        for name, launches in found.items():
            costs = [sorted({cost for cost, _ in loads}) for loads in launches]
            if costs != [[ways] for ways in range(1, WAYS + 1)] * ROUNDS or {len(loads) for loads in launches} != {LOADS}:
                wrong.append(f"{program}: {name}: loads with {costs}, {[len(loads) for loads in launches]} of them")
                continue
            all_means = [statistics.fmean(cycles for _, cycles in loads) for loads in launches]
            means = [min(all_means[ways::WAYS]) for ways in range(WAYS)]
            print(f"{name:9} cycles by 1 to {WAYS}: {' '.join(f'{mean:.1f}' for mean in means)}")
            rho = rank_correlation(means)
            print(f"{name:9} rank correlation {rho:.4f}")
            steps = means if name == "conflicts" else [means[ways - 1] for ways in (2, 4, 8, 16, 32)]
            if rho < 0.95 or any(later <= before for before, later in zip(steps, steps[1:])):
                wrong.append(f"{program}: {name}: durations do not rank as what was planted")
            if information["deviceKind"] == "cpu":
                continue  # whose clocks are modelled in timed launches alone
            apart = [abs((mean - means[0]) - (cycles - alone[name][0])) for mean, cycles in zip(means, alone[name])]
            print(f"{name:9} untimed {' '.join(f'{cycles:.1f}' for cycles in alone[name])}; at most {max(apart):.1f} apart")
            if max(apart) > NEAR:
                wrong.append(f"{program}: {name}: what more of them cost is {max(apart):.1f} cycles from what that is untimed")
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())

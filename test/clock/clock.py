#!/usr/bin/env python3
"""Runs the program that clock.cu is, as built at several levels, and looks its marks up in the trace.

    clock.py --cupranalyze=FILE PROGRAM...

Each access between two marks of a thread must have a clock between what the thread read there, and each thread's accesses clocks that
never go back. Exports must say the same clocks, and a trace that is made of one again.
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


def marks_in(text):
    """The range of addresses that is marked, and by thread the begins, ends and numbers of accesses."""
    marks, memory = collections.defaultdict(list), None
    for line in text.splitlines():
        what, *numbers = line.split()
        numbers = [int(number) for number in numbers]
        if what == "memory":
            memory = range(*numbers)
        else:
            marks[numbers[0], numbers[1]].append(numbers[2:])
    return memory, marks


def answer(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def recorded_in(analyze, trace):
    """By thread, its accesses: address and clock; and of how many records all lanes have one clock."""
    accesses, together, records = collections.defaultdict(list), 0, 0
    for line in answer(analyze, "dump", "--json", trace).splitlines():
        record = json.loads(line)
        records += 1
        together += len(set(record["clock"])) == 1
        for lane, address, clock in zip(record["lanes"], record["addresses"], record["clock"], strict=True):
            accesses[record["cta"][0], record["warp"] * LANES + lane].append((address, clock))
    return accesses, together, records


def wrong_thread(memory, marks, accesses):
    """What is wrong with a thread's clocks; none: nothing."""
    clocks = [clock for _, clock in accesses]
    if clocks != sorted(clocks):
        return "its clocks go back"
    marked = [clock for address, clock in accesses if address in memory]
    if len(marked) != sum(count for _, _, count in marks):
        return f"{len(marked)} accesses are recorded"
    for begin, end, count in marks:
        now, marked = marked[:count], marked[count:]
        if not all(begin <= clock <= end for clock in now):
            return f"{now} are not between {begin} and {end}"
    return None


def is_wrong(analyze, program):
    with tempfile.TemporaryDirectory() as folder:
        trace, export, again = [pathlib.Path(folder) / name for name in ("a.cuprtrace", "a.jsonl", "b.cuprtrace")]
        run = subprocess.run([program.resolve()], env=os.environ | {"CUPR_TRACE": str(trace)}, text=True,
                             stdout=subprocess.PIPE, check=True)
        answer(analyze, "verify", trace)
        memory, marks = marks_in(run.stdout)
        accesses, together, records = recorded_in(analyze, trace)
        answer(analyze, "export", "--format", "json", "-o", export, trace)
        answer(analyze, "import", "-o", again, export)
        is_same = answer(analyze, "dump", "--per-thread", trace) == answer(analyze, "dump", "--per-thread", again)
        bytes_each = trace.stat().st_size / records
    wrong = 0
    for thread in marks.keys() | accesses.keys():
        if problem := wrong_thread(memory, marks[thread], accesses[thread]):
            wrong += 1
            if wrong < 6:
                print(f"block and thread {thread}: {problem}")
    compared = sum(count for each in marks.values() for _, _, count in each)
    if not is_same:
        print("an export does not become the same trace again")
    print(f"{program.name}: {compared} accesses between marks, {wrong} threads wrong; {together} of {records} records with one "
          f"clock, {bytes_each:.0f} bytes of the file for each record")
    return wrong != 0 or not is_same or compared < 3000


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cupranalyze", required=True)
    arguments.add_argument("programs", type=pathlib.Path, nargs="+")
    options = arguments.parse_args()
    return any([is_wrong(options.cupranalyze, program) for program in options.programs])


if __name__ == "__main__":
    sys.exit(main())

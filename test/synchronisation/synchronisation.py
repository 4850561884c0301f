#!/usr/bin/env python3
"""Runs the program that synchronisation.cu describes, and compares what its trace holds with the marks in the source.

    synchronisation.py --cupranalyze=FILE --device=cpu|gpu PROGRAM [SOURCE]

Each thread of a kernel must have recorded what the marked lines say, in their order, and synchronisation nowhere else. The kernel
`derived` is traced once more with CUPR_DERIVE=off: its barriers must be the same records.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCKS, WARPS, LANES = 6, 4, 32
STEPS = 3  # of the kernel that is derived
ORDERS = ["relaxed", "acquire", "release", "acq_rel", "sc", "volatile"]
SCOPES = ["cta", "cluster", "gpu", "sys"]

Mark = collections.namedtuple("Mark", "line operation order scope address warps lanes written")
Done = collections.namedtuple("Done", "file line operation order scope address written")


def marks_of(source):
    """The marks by kernel, in the order of the lines."""
    marks, kernel = collections.defaultdict(list), None
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if found := re.search(r"__global__ void (?:__cluster_dims__\(\d+\) )?(\w+)\(", line):
            kernel = found[1]
        if "//~" not in line or line.lstrip().startswith("//"):
            continue
        for mark in line.split("//~")[1].split(";"):
            mark, _, lanes = mark.partition(" lanes ")
            mark, _, warps = mark.partition(" warps ")
            mark, _, written = mark.partition(" = ")
            mark, _, address = mark.partition("@")
            words = mark.split()
            scope = words.pop() if words[-1] in SCOPES else ""
            order = words.pop() if words[-1] in ORDERS else ""
            marks[kernel].append(Mark(number, " ".join(words), order, scope, int(address, 16) if address.strip() else None,
                                      numbers(warps, WARPS), numbers(lanes, LANES), written.strip()))
    return marks


def numbers(text, all_of_them):
    first, last = (int(n) for n in text.split("-")) if text else (0, all_of_them - 1)
    return range(first, last + 1)


def fits(mark, done, source):
    """Without optimisation, functions of the toolkit's headers stand for themselves: their lines are not the source's."""
    return (done.operation, done.order, done.scope) == (mark.operation, mark.order, mark.scope) and \
        (done.line == mark.line or not done.file.endswith(source)) and mark.address in (None, done.address) and \
        mark.written == done.written


def records_of(cupranalyze, trace, operations):
    """By kernel and thread (block, warp, lane): what it did of `operations`, and of what has an order, one after the other."""
    threads = collections.defaultdict(lambda: collections.defaultdict(list))
    dump = subprocess.run([cupranalyze, "dump", "--json", trace], check=True, capture_output=True, text=True).stdout
    for line in dump.splitlines():
        record = json.loads(line)
        if record["operation"] not in operations and "order" not in record:
            continue
        kernel = re.match(r"\w+", record["kernel"])[0]
        written = record["written"] if record["operation"].startswith("mbarrier") and "written" in record else [""] * LANES
        for lane, address, figures in zip(record["lanes"], record["addresses"], written):
            threads[kernel][record["cta"][0], record["warp"], lane].append(
                Done(record["file"], record["line"], record["operation"], record.get("order", ""), record.get("scope", ""), address, figures))
    return threads


def run(program, cupranalyze, folder, device, operations, **settings):
    trace = folder / ("trace" + "".join(settings))
    environment = os.environ | {"CUPR_TRACE": str(trace), "CUPR_DEVICE": device} | settings
    output = subprocess.run([program], env=environment, check=True, capture_output=True, text=True).stdout
    subprocess.run([cupranalyze, "verify", trace], check=True, stdout=subprocess.DEVNULL)
    return output, records_of(cupranalyze, trace, operations)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("program")
    parser.add_argument("source", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).with_name("synchronisation.cu"))
    options = parser.parse_args()
    operations = {"barrier", "barrier arrive", "warp barrier", "cluster arrive", "cluster wait", "fence", "proxy fence", "copy commit",
                  "copy wait", "bulk commit", "bulk wait", "mbarrier init", "mbarrier inval", "mbarrier arrive", "mbarrier expect",
                  "mbarrier copy", "mbarrier wait", "grid wait", "grid release", "warp shuffle", "warp vote", "warp match", "warp reduce", "warp elect"}
    wrong, compared = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        output, records = run(options.program, options.cupranalyze, folder, options.device, operations)
        recorded_output, recorded = run(options.program, options.cupranalyze, folder, options.device, operations, CUPR_DERIVE="off")
    if output != recorded_output:
        wrong.append("the program's output differs with CUPR_DERIVE=off")
    derived = records.pop("derived")
    if derived != recorded.pop("derived"):
        wrong.append("derived: its barriers differ from those that are recorded")
    for thread in itertools.product(range(BLOCKS), range(WARPS), range(LANES)):
        if [done.operation for done in derived[thread]] != ["barrier"] * 2 * STEPS:
            wrong.append(f"derived, block, warp and lane {thread}: {derived[thread]}")
    marks = marks_of(options.source)
    for kernel, found in records.items():
        for thread in itertools.product(range(BLOCKS), range(WARPS), range(LANES)):
            _, warp, lane = thread
            expected = [mark for mark in marks[kernel] if warp in mark.warps and lane in mark.lanes]
            compared += len(expected)
            if len(found[thread]) != len(expected) or not all(
                    fits(mark, done, options.source.name) for mark, done in zip(expected, found[thread])):
                wrong.append(f"{kernel}, block, warp and lane {thread}: expected\n  " + "\n  ".join(map(str, expected)) +
                             "\n but there is\n  " + "\n  ".join(map(str, found[thread])))
    if set(records) != set(marks):
        wrong.append(f"kernels with marks: {sorted(marks)}; with records: {sorted(records)}")
    for each in wrong[:2]:
        print(each)
    print(f"{compared} times that a thread synchronised or made an access with an order, {len(wrong)} threads wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the program that mix.cu describes, and compares what `cupranalyze instructions` has with the arithmetic.

    mix.py --cupranalyze=FILE [--schemas=FOLDER] [--device=cpu|gpu] PROGRAM

Of each kernel, the classes below must have so many instructions of warps and of threads; that of what is called, by who calls. And of all
kernels, the instructions that access memory must be the accesses that the trace has, which hooks of their own record.
--schemas: docs/; the documents are as these say. Exit status: 0 all is right, 1 something is not.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BLOCKS, WARPS, THREADS = 3, 3, 96


def each(times, warps=WARPS, threads=THREADS):
    """So many instructions in each warp, and in each thread, of a block."""
    return (BLOCKS * warps * times, BLOCKS * threads * times)


def warp_rounds(times):
    """Of a loop: how often warps go round, with any of their threads, and threads."""
    return (BLOCKS * sum(max(times(32 * w + lane) for lane in range(32)) for w in range(WARPS)), BLOCKS * sum(map(times, range(THREADS))))


def added(*counts):
    return tuple(map(sum, zip(*counts)))


def rounds(count):
    return warp_rounds(lambda t: count if t < 40 else t % 4)


EIGHTHS = (BLOCKS * WARPS, BLOCKS * THREADS // 8)
EXPECTED = {
    "rounds": {"compute.fp32.fma": added(rounds(7), rounds(0)), "memory.global.load.32": each(2), "memory.global.store.32": each(2)},
    "sides": {"compute.fp64.add": each(2), "compute.fp64.multiply": EIGHTHS, "compute.fp64.fma": (BLOCKS * WARPS, BLOCKS * THREADS * 7 // 8),
              "memory.global.load.64": each(1), "memory.global.store.64": added((BLOCKS * WARPS, 0), each(2))},
    "callers": {"compute.fp32.multiply": added(each(5), (BLOCKS * 2, BLOCKS * 10 * 2)), "compute.fp32.add": (BLOCKS, BLOCKS * 10),
                "control.call": added(each(1), (BLOCKS, BLOCKS * 10))},
    "widths": {"memory.global.load.128": each(1), "memory.shared.store.32": each(1), "memory.shared.load.32": each(1), "memory.global.load.16": each(1), "memory.global.store.8": each(1),
               "memory.global.load.32": each(1), "memory.global.store.64": each(1), "memory.global.atomic.32": each(1),
               "control.barrier": each(1)},
    "lanes": {"warp.shuffle": each(5), "warp.vote": each(1), "control.barrier": each(1)},
    "numbers": {"compute.fp16x2.fma": each(1), "compute.fp32.special": each(1)},
    "product": {"compute.tensor.m16n8k16.f32.f16": each(1)},
}
# Of `power`, by the line of the call; None: that of its first call in the kernel, of the second.
FIRST_CALL, SECOND_CALL = each(5), (BLOCKS * 2, BLOCKS * 10 * 2)
FLOATING = {  # operations, a multiply-add being two, of pairs two each, of a product of matrices 2 * 16 * 8 * 16
    "rounds": {"fp32Operations": 2 * (rounds(7)[1] + rounds(0)[1])},
    "sides": {"fp64Operations": 2 * BLOCKS * THREADS + EIGHTHS[1] + 2 * BLOCKS * THREADS * 7 // 8},
    "product": {"tensorOperations": 2 * 16 * 8 * 16 * BLOCKS * WARPS},
    "widths": {"sharedBytes": BLOCKS * THREADS * 8},
}


def name_of(kernel):
    return kernel.split("(anonymous namespace)::")[-1].split("(")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--schemas", type=pathlib.Path)
    parser.add_argument("--device", default="cpu", choices=("cpu", "gpu"))
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    wrong = 0

    def expect(what, found, wanted):
        nonlocal wrong
        if found != wanted:
            wrong += 1
            print(f"{what}: {found}, expected {wanted}")

    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "mix.cuprtrace"
        subprocess.run([options.program.resolve()], check=True, env={**os.environ, "CUPR_DEVICE": options.device, "CUPR_TRACE": str(trace)})

        def document(*words):
            found = json.loads(subprocess.run([options.cupranalyze, *words, trace], check=True, stdout=subprocess.PIPE).stdout)
            if options.schemas:
                validate(options.schemas, words[0], found)
            return found

        mix = document("instructions", "--json")
        roofline = document("roofline", "--json", "--quiet")
        launches = json.loads(subprocess.run([options.cupranalyze, "info", "--json", trace], check=True, stdout=subprocess.PIPE).stdout)["launches"]

    kernels = collections.defaultdict(dict)
    for row in mix["instructionKernels"]:
        kernels[name_of(row["kernel"])][row["class"]] = (row["instructions"], row["threadInstructions"])
    for kernel, classes in EXPECTED.items():
        for name, wanted in classes.items():
            expect(f"{kernel}, {name}", kernels[kernel].get(name, (0, 0)), wanted)

    calls = collections.Counter()
    for row in mix["instructionLines"]:
        if row["class"] == "compute.fp32.multiply" and row["function"].endswith("power"):
            calls[row["callSites"][0]] = (row["instructions"], row["threadInstructions"])
    expect("power, by its calls", [calls[place] for place in sorted(calls, key=lambda place: list(map(int, place.rsplit(":", 2)[1:])))],
           [FIRST_CALL, SECOND_CALL])

    # Each access of memory is recorded for itself, too.
    accesses = collections.Counter()
    for launch in launches:
        for kind in ("loads", "stores", "atomics"):
            accesses[name_of(launch["kernel"]), kind] += launch["global"][kind]
    for kernel, classes in kernels.items():
        for kind, word in (("loads", "load"), ("stores", "store"), ("atomics", "atomic")):
            executed = sum(count[1] for name, count in classes.items() if name.startswith(f"memory.global.{word}"))
            expect(f"{kernel}, {kind} of global memory", executed, accesses[kernel, kind])

    for row in roofline["rooflineKernels"]:
        for name, wanted in FLOATING.get(name_of(row["kernel"]), {}).items():
            expect(f"{name_of(row['kernel'])}, {name}", row[name], wanted)
        lines = [line for line in roofline["rooflineLines"] if line["kernel"] == row["kernel"]]
        for name in ("instructions", "fp32Operations", "sharedBytes", "l1Bytes", "memoryBytes"):
            expect(f"{name_of(row['kernel'])}, {name} of its lines", sum(line[name] for line in lines), row[name])
    print(f"{sum(map(len, EXPECTED.values()))} classes of {len(EXPECTED)} kernels, {wrong} wrong")
    return wrong != 0


def validate(schemas, verb, found):
    import jsonschema

    jsonschema.Draft202012Validator(json.loads((schemas / f"{verb}.schema.json").read_text())).validate(found)


if __name__ == "__main__":
    sys.exit(main())

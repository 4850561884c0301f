#!/usr/bin/env python3
"""Bank wavefronts as `cupranalyze banks` has them, beside a GPU's own counters.

    counters.py build --tools BIN --into DIR [--arch sm_90]      kernels.cu plain and traced, rules.cu, and what is needed to run them there
    counters.py measure DIR > FILE.tsv                           on a machine with a GPU and ncu: both kinds of wavefronts of each kernel
    counters.py table FILE.tsv                                   as a table in Markdown
    counters.py check --tools BIN FILE.tsv                       the same figures come of the CPU device

Exit status: 0 all wavefronts are equal, those of atomics maybe by words (bank_wavefronts.h), 1 some are not, 2 a program could not be run.
"""

import argparse
import collections
import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]  # in a folder for another machine it lies beside this
from hardware_counters import ARCH, FILE, FOLDER, INTO, TOOLS, copy_cupranalyze, copy_scripts, launches_of, main, ncu, run  # noqa: E402

OPERATIONS = ("ld", "st", "atom")
COUNTERS = {
    **{f"wavefronts_{op}": f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in OPERATIONS},
    **{f"conflicts_{op}": f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in (*OPERATIONS, "ldgsts")},
}


def build(options):
    into, tools = options.into, options.tools.resolve()
    copy_cupranalyze(tools, into)
    cuda = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    for source, program in (("kernels.cu", "kernels-plain"), ("rules.cu", "rules")):
        run("clang++-22", "-O2", "-std=c++17", "-Wno-unknown-cuda-version", f"--cuda-path={cuda}", f"--cuda-gpu-arch={options.arch}", HERE / source,
            "-o", into / program, f"-L{cuda}/lib64", "-lcudart_static", "-lpthread", "-ldl", "-lrt")
    run(tools / "cupr++", "-O2", "-std=c++17", f"-arch={options.arch}", "--spaces=global,shared", "-o", into / "kernels-traced", HERE / "kernels.cu")
    (into / "rules.txt").write_text(run(sys.executable, HERE / "rules.py", "write"))
    reference = HERE.parents[1] / "reference"
    copy_scripts(into, *HERE.glob("*.py"), *(reference / f"{name}.py" for name in ("banks", "patterns", "records")))
    return 0


def wavefronts_of(cupranalyze, program, names, device, **environment):
    """By kernel, in the order of `names`, and operation: wavefronts, and those by words."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "kernels.cuprtrace"
        run(program, *names, CUPR_DEVICE=device, CUPR_TRACE=str(trace))
        rows = json.loads(run(cupranalyze, "banks", "--json", "--quiet", trace, **environment))["bankAccesses"]
    kernels = collections.defaultdict(lambda: {operation: [0, 0] for operation in OPERATIONS})
    for row in rows:
        sums = kernels[row["kernel"]][{"load": "ld", "store": "st"}.get(row["operation"], "atom")]
        sums[0] += row["wavefronts"]
        sums[1] += row["wordWavefronts"]
    assert len(kernels) == len(names), (len(kernels), len(names))
    return dict(zip(names, kernels.values()))


def measure(options):
    folder = options.folder.resolve()
    names = run(folder / "kernels-plain").split()
    counted = launches_of(run(*ncu(COUNTERS.values(), "--cache-control", "none"), folder / "kernels-plain", *names), COUNTERS)
    traced = wavefronts_of(folder / "cupranalyze", folder / "kernels-traced", names, "gpu", LD_LIBRARY_PATH=str(folder / "lib"))
    for name, (_, counters) in zip(names, counted, strict=True):
        print(name, *(number for operation in OPERATIONS for number in (counters[f"wavefronts_{operation}"], *traced[name][operation])), sep="\t")
    return 0


def rows_of(file):
    """(kernel, by operation what ncu counted, wavefronts, those by words)"""
    for line in file.read_text().splitlines():
        name, *numbers = line.split("\t")
        numbers = list(map(int, numbers))
        yield name, {operation: tuple(numbers[3 * i:3 * i + 3]) for i, operation in enumerate(OPERATIONS)}


def table(options):
    print("| kernel | loads, ncu | ours | stores, ncu | ours | atomics, ncu | ours | |")
    print("| --- |" + " ---: |" * 6 + " --- |")
    different = 0
    for name, row in rows_of(options.file):
        cells, said = [], "equal"
        for ncu, ours, by_words in row.values():
            cells += [f"{ncu:,}", f"{ours:,}"]
            if ncu != ours:
                said = f"{by_words:,} by words"
                different += ncu != by_words
        print(f"| {name} | " + " | ".join(cells) + f" | {said} |")
    return different != 0


def check(options):
    tools, wrong = options.tools.resolve(), 0
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "kernels"
        run(tools / "cupr++", "-O2", "-std=c++17", "--device=cpu", "--spaces=global,shared", "-o", program, HERE / "kernels.cu")
        measured = dict(rows_of(options.file))
        ours = wavefronts_of(tools / "cupranalyze", program, run(program).split(), "cpu")
    for name in measured.keys() | ours.keys():
        row = {operation: (measured[name][operation][0], *ours[name][operation]) for operation in OPERATIONS}
        if row != measured[name] or any(ncu not in mine for ncu, *mine in row.values()):
            wrong += 1
            print(f"{name}: measured {measured[name]}, on the CPU device {row}")
    print(f"{len(measured)} kernels, {wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter),
                  (build, measure, table, check),
                  {"build": (TOOLS, INTO, ARCH), "measure": (FOLDER,), "table": (FILE,), "check": (TOOLS, FILE)}))

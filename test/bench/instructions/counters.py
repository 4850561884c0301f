#!/usr/bin/env python3
"""What kernels execute as `cupranalyze instructions` has it, beside a GPU's own counters.

    counters.py build --tools BIN --into DIR [--arch sm_90]      everyday/ plain and traced, and what is needed to run them there
    counters.py measure DIR > FILE.tsv                           on a machine with a GPU and ncu: by kernel and kind, ncu's figure and ours
    counters.py table FILE.tsv                                   as a table in Markdown
    counters.py check --tools BIN FILE.tsv                       our figures come of the CPU device, too

Kinds, and their counters, are the list KINDS. A kernel's launches are added up; kernels are matched by the order of their first launches.
Not checked are radix_sort, scan (CUB) and saxpy, whose grids depend on the device, and bfs, which depends on which thread is first.
Exit status: 0, 1 the CPU device has other figures, 2 a program could not be run.
"""

import argparse
import collections
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]  # in a folder for another machine it lies beside this
from hardware_counters import ARCH, FILE, FOLDER, INTO, TOOLS, copy_cupranalyze, copy_scripts, launches_of, main, ncu, run  # noqa: E402

WARPS, THREADS = "instructions", "threadInstructions"

# Kind: the figure of ours and the classes of which it is added up, and ncu's counters that are.
KINDS = {
    "global loads": (WARPS, r"memory\.(global|generic)\.load", ["smsp__sass_inst_executed_op_global_ld.sum"]),
    "global stores": (WARPS, r"memory\.(global|generic)\.store", ["smsp__sass_inst_executed_op_global_st.sum"]),
    "global atomics": (WARPS, r"memory\.(global|generic)\.atomic",
                       ["smsp__inst_executed_op_global_red.sum", "smsp__sass_inst_executed_op_global_atom.sum"]),
    "shared loads": (WARPS, r"memory\.shared\.load", ["smsp__sass_inst_executed_op_shared_ld.sum"]),
    "shared stores": (WARPS, r"memory\.shared\.store", ["smsp__sass_inst_executed_op_shared_st.sum"]),
    "fp32 add": (THREADS, r"compute\.fp32\.add$", ["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"]),
    "fp32 multiply": (THREADS, r"compute\.fp32\.multiply$", ["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"]),
    "fp32 fma": (THREADS, r"compute\.fp32\.fma$", ["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"]),
    "fp64 add": (THREADS, r"compute\.fp64\.add$", ["smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"]),
    "fp64 multiply": (THREADS, r"compute\.fp64\.multiply$", ["smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"]),
    "fp64 fma": (THREADS, r"compute\.fp64\.fma$", ["smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"]),
    "fp32, all": (THREADS, r"compute\.fp32\.", ["smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"]),
    "integer": (THREADS, r"compute\.(int32|int64|address|predicate)", ["smsp__sass_thread_inst_executed_op_integer_pred_on.sum"]),
    "conversion": (THREADS, r"compute\.convert", ["smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"]),
    "control": (THREADS, r"control\.(branch|call|exit|return)", ["smsp__sass_thread_inst_executed_op_control_pred_on.sum"]),
    "between lanes": (THREADS, r"warp\.", ["smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"]),
    "memory": (THREADS, r"memory\.(?!fence|prefetch|mbarrier)", ["smsp__sass_thread_inst_executed_op_memory_pred_on.sum"]),
    "all": (WARPS, r"", ["smsp__inst_executed.sum"]),
}
COUNTERS = {counter: counter for _, _, counters in KINDS.values() for counter in counters}
RUN = ("--small", "--rounds", "1", "--batches", "1", "--batch", "1")


def build(options):
    into, tools = options.into.resolve(), options.tools.resolve()
    for variant, flags in (("plain", ""), ("traced", " --instructions")):
        run("make", "-s", "-C", HERE.parent / "everyday", variant, f"OUT={into}", f"BIN={tools}", f"ARCH={options.arch}", "DEVICE=gpu",
            f"FLAGS=-std=c++17 -O2 -Wno-pass-failed{flags}")
        run("strip", into / variant)
        shutil.rmtree(into / f"{variant}.objects")
    copy_cupranalyze(tools, into)
    copy_scripts(into, __file__)
    return 0


def counted(program, name):
    """By kernel, in the order of first launches: the counters' sums by kind."""
    kernels = collections.defaultdict(collections.Counter)
    for kernel, counters in launches_of(run(*ncu(COUNTERS, "--cache-control", "none"), program, *RUN, name), COUNTERS):
        for kind, (_, _, of) in KINDS.items():
            kernels[kernel][kind] += sum(counters[counter] for counter in of)
    return kernels


def traced(program, cupranalyze, name, **environment):
    """The same as the trace has it."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "app.cuprtrace"
        run(program, *RUN, name, CUPR_TRACE=str(trace))
        rows = json.loads(run(cupranalyze, "instructions", "--json", trace, **environment))
    kernels = collections.defaultdict(collections.Counter)
    for row in rows["instructionKernels"]:
        for kind, (figure, classes, _) in KINDS.items():
            kernels[row["kernel"]][kind] += row[figure] if re.match(classes, row["class"]) else 0
    return kernels


def measure(options):
    folder = options.folder.resolve()
    took = collections.Counter()
    for line in run(folder / "plain", "--list").splitlines():
        name = line.split()[0]
        began = time.monotonic()
        theirs = counted(folder / "plain", name)
        took["ncu"] += time.monotonic() - began
        began = time.monotonic()
        ours = traced(folder / "traced", folder / "cupranalyze", name, LD_LIBRARY_PATH=str(folder / "lib"))
        took["traced and analysed"] += time.monotonic() - began
        if len(theirs) != len(ours):
            print(f"{name}: ncu has {list(theirs)}, the trace {list(ours)}", file=sys.stderr)
        for (kernel, sums), mine in zip(theirs.items(), ours.values()):
            for kind in KINDS:
                print(name, kernel, kind, sums[kind], mine[kind], sep="\t")
    for what, seconds in took.items():
        print(f"{what}: {seconds:.1f} s", file=sys.stderr)
    return 0


def rows_of(file):
    """By program and kernel, by kind: ncu's figure and ours."""
    rows = collections.defaultdict(dict)
    for line in file.read_text().splitlines():
        name, kernel, kind, theirs, ours = line.split("\t")
        rows[name, kernel][kind] = (int(theirs), int(ours))
    return rows


def check(options):
    tools, wrong, checked = options.tools.resolve(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        run("make", "-s", "-C", HERE.parent / "everyday", "traced", f"OUT={folder}", f"BIN={tools}", "DEVICE=cpu",
            "FLAGS=-std=c++17 -O2 -Wno-pass-failed --instructions")
        measured = collections.defaultdict(list)
        for (name, _), kinds in rows_of(options.file).items():
            measured[name].append({kind: ours for kind, (_, ours) in kinds.items()})
        for name, kernels in measured.items():
            if name in ("bfs", "radix_sort", "saxpy", "scan"):
                continue
            checked += len(kernels)
            for there, here in zip(kernels, traced(Path(folder) / "traced", tools / "cupranalyze", name).values(), strict=True):
                differ = {kind: (there[kind], here[kind]) for kind in KINDS if there[kind] != here[kind]}
                wrong += bool(differ)
                if differ:
                    print(f"{name}: on the GPU, on the CPU device: {differ}")
    print(f"{checked} kernels, {wrong} differ")
    return wrong != 0


def table(options):
    rows = rows_of(options.file)
    kinds = [kind for kind in KINDS if any(any(row[kind]) for row in rows.values())]
    print("| program | kernel |" + "".join(f" {kind} |" for kind in kinds))
    print("| --- | --- |" + " ---: |" * len(kinds))
    for (name, kernel), row in rows.items():
        cells = []
        for theirs, ours in map(row.get, kinds):
            cells.append("" if theirs == ours == 0 else "equal" if theirs == ours else f"{ours:,} of 0" if theirs == 0 else f"{100 * (ours / theirs - 1):+.1f} %")
        print(f"| {name} | `{re.sub('<.*', '', kernel.replace('<unnamed>::', '').replace('void ', '').split('(')[0])}` | " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter),
                  (build, measure, table, check),
                  {"build": (TOOLS, INTO, ARCH), "measure": (FOLDER,), "table": (FILE,), "check": (TOOLS, FILE)}))

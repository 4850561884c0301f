#!/usr/bin/env python3
"""Hit rates as `cupranalyze caches` models them, beside a GPU's own counters.

    counters.py build --tools BIN --into DIR [--arch sm_90]     the programs of test/causes and test/bench/everyday, by clang, for a GPU
    counters.py measure DIR > FILE.tsv                          on a machine with a GPU and ncu: sectors and hits of each kernel
    counters.py compare --tools BIN FILE.tsv [NAME...]          the model, from traces of the CPU device, beside them: a table in Markdown

Programs run at the sizes for a GPU, which takes minutes on the CPU device. ncu empties the caches in front of each kernel, and so does
`caches --cold`. Where blocks ran is modelled, too. A kernel's launches are added up, the first 24 of a program.
"""

import argparse
import collections
import json
import re
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TEST = HERE.parents[1]
sys.path[:0] = [str(HERE.parent)]  # in a folder for another machine it lies beside this
from hardware_counters import ARCH, FILE, FOLDER, INTO, TOOLS, copy_scripts, launches_of, main, ncu, run  # noqa: E402

LAUNCHES = 24
L1 = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
L2 = "lts__t_sectors_srcunit_tex"
COUNTERS = {
    "loads": f"{L1}ld.sum", "load_hits": f"{L1}ld_lookup_hit.sum", "stores": f"{L1}st.sum", "store_hits": f"{L1}st_lookup_hit.sum",
    "l2_reads": f"{L2}_op_read.sum", "l2_read_hits": f"{L2}_op_read_lookup_hit.sum", "l2_writes": f"{L2}_op_write.sum",
    "l2_write_hits": f"{L2}_op_write_lookup_hit.sum",
}
EVERYDAY = ("--rounds", "1", "--batches", "1", "--batch", "1")


def programs():
    """(name, folder or source, its arguments)"""
    for source in sorted((TEST / "causes").glob("*.cu")):
        size = re.search(r"for a GPU (\d+)", source.read_text())[1]
        for version in ("slow", "fixed"):
            yield f"{source.stem}.{version}", source, (version, size)
    for name in re.findall(r"^EVERYDAY\((\w+),", (HERE.parent / "everyday/everyday.def").read_text(), re.M):
        yield f"everyday.{name}", HERE.parent / "everyday", (*EVERYDAY, name)


def build(options):
    options.into.mkdir(parents=True, exist_ok=True)
    run(sys.executable, TEST / "causes/run.py", "build", "--arch", options.arch, "--into", options.into)
    run("make", "-C", HERE.parent / "everyday", "plain", f"OUT={options.into.resolve()}", f"ARCH={options.arch}")
    (options.into / "programs.json").write_text(json.dumps(
        [(name, (source.stem if source.suffix else "plain", *arguments)) for name, source, arguments in programs()]))
    copy_scripts(options.into, __file__)
    return 0


def shortName(kernel):
    """of the function alone"""
    return re.match(r"(?:void )?(?:<unnamed>::|\(anonymous namespace\)::)?(?:\w+::)*(\w+)", kernel)[1]


def measure(options):
    for name, (program, *arguments) in json.loads((options.folder / "programs.json").read_text()):
        command = ncu(COUNTERS.values(), "--cache-control", "all", "--launch-count", LAUNCHES)
        sums = collections.defaultdict(collections.Counter)
        for kernel, counters in launches_of(run(*command, options.folder.resolve() / program, *arguments), COUNTERS):
            sums[shortName(kernel)].update(counters)
        for kernel, sum in sums.items():
            print(name, kernel, *(sum[of] for of in COUNTERS), sep="\t", flush=True)
    return 0


def measured(file):
    for line in file.read_text().splitlines():
        name, kernel, *numbers = line.split("\t")
        yield name, kernel, dict(zip(COUNTERS, map(int, numbers), strict=True))


def rate(hits, all):
    return 100 * hits / all if all else None


def modelled(tools, folder, name, source, arguments, built):
    """By kernel, what the model says of a program."""
    program = folder / (source.stem if source.suffix else "traced")
    if program not in built:
        if source.suffix:
            run(tools / "cupr++", "--device=cpu", "-O2", "-o", program, source)
        else:
            run("make", "-C", source, "traced", f"OUT={folder}", f"BIN={tools}", "DEVICE=cpu")
        built.add(program)
    trace = folder / f"{name}.cuprtrace"
    run(program, *arguments, CUPR_DEVICE="cpu", CUPR_TRACE=str(trace))
    text = run(tools / "cupranalyze", "caches", "--any-size", "--device", "H100", "--cold", "--quiet", "--launch-count", LAUNCHES, "--json", trace)
    trace.unlink()
    sums = collections.defaultdict(collections.Counter)
    for row in json.loads(text)["cacheKernels"]:
        sums[shortName(row["kernel"])].update({of: row[of] for of in ("loads", "stores")} | {
            "load_hits": row["loadHits"], "store_hits": row["storeHits"], "l2_reads": row["l2Reads"], "l2_read_hits": row["l2ReadHits"],
            "l2_writes": row["l2Writes"], "l2_write_hits": row["l2Writes"]})
    return sums


def compare(options):
    kernels = collections.defaultdict(dict)
    for name, kernel, counters in measured(options.file):
        kernels[name][kernel] = counters
    errors = {"L1": [], "L2": []}
    built = set()
    print("| kernel | L1, ncu | ours | L2, ncu | ours | |")
    print("| --- |" + " ---: |" * 4 + " --- |")
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        for name, source, arguments in programs():
            if name not in kernels or (options.names and name not in options.names):
                continue
            try:
                ours = modelled(options.tools.resolve(), Path(folder), name, source, arguments, built)
            except RuntimeError as error:
                print(f"| {name} | | | | | {str(error)[-300:]!r} |", flush=True)
                continue
            for kernel, theirs in kernels[name].items():
                cells, said = [], []
                for level, hits, all in (("L1", ("load_hits", "store_hits"), ("loads", "stores")),
                                         ("L2", ("l2_read_hits", "l2_write_hits"), ("l2_reads", "l2_writes"))):
                    both = [rate(sum(of[each] for each in hits), sum(of[each] for each in all)) for of in (theirs, ours[kernel])]
                    cells += ["" if each is None else f"{each:.1f}" for each in both]
                    if None not in both:
                        errors[level].append(abs(both[0] - both[1]))
                        if errors[level][-1] > 5:
                            said.append(f"{level} {both[1] - both[0]:+.1f}")
                if theirs["loads"] + theirs["stores"] != ours[kernel]["loads"] + ours[kernel]["stores"]:
                    said.append(f"sectors {ours[kernel]['loads'] + ours[kernel]['stores']} of {ncu['loads'] + ncu['stores']}")
                print(f"| {name} {kernel} | " + " | ".join(cells) + f" | {', '.join(said)} |", flush=True)
    for level, all in errors.items():
        if all:
            print(f"{level}: {len(all)} kernels, mean absolute error {statistics.mean(all):.1f} points, median {statistics.median(all):.1f}, largest {max(all):.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter),
                  (build, measure, compare),
                  {"build": (TOOLS, INTO, ARCH), "measure": (FOLDER,),
                   "compare": (TOOLS, FILE, (("names",), {"nargs": "*"}), (("--scratch",), {"type": Path, "help": "folder for programs and traces"}))}))

#!/usr/bin/env python3
"""Figures 5 to 11 of Kanda et al. 2011 (docs/references.md) with today's numbers: examples/volume, timed by two schemes.

    kanda_tables.py build --tools BIN --programs FOLDER [--arch sm_90]
    kanda_tables.py run --programs FOLDER --cupranalyze PROGRAM [--size 1024] [--sample 61] [--device gpu|cpu] [--json FILE]

`run` takes the program plain, for the rate of its frames, under ncu, where there is one, for the hit rate of its texture and load accesses in the L1 cache, and timed: naive, and with a
dependency, one block in `--sample`, so that the accesses meet those of the kernel and not what timing itself does to memory. Tables are Markdown; --json keeps the numbers, with the means of the warps of one multiprocessor and the series of one warp.

Exit status: 0; 1 on a GPU where frequencies and rates of frames do not rank alike (0.9); 2 a program failed.
"""

import argparse
import csv
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMES = ("naive", "dependency")
MEMORIES = ("texture", "global")
VIEWS = ("0,0,0", "90,0,90")
SHAPES = ("1x128", "2x64", "4x32", "8x16", "16x8", "32x4", "64x2", "128x1")
KERNEL = "render"
LEAST_RANK_CORRELATION = 0.9
HIT_RATE = "l1tex__t_sector_hit_rate.pct"


def call(arguments, **environment):
    done = subprocess.run(list(map(str, arguments)), env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"kanda_tables: {' '.join(map(str, arguments))}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        sys.exit(2)
    return done.stdout


def build(options):
    options.programs.mkdir(parents=True, exist_ok=True)
    for scheme in SCHEMES:
        call([options.tools / "cupr++", "-O2", "-lineinfo", f"-arch={options.arch}", f"--latency={scheme}", "--spaces=global,texture",
              "-o", options.programs / f"volume.{scheme}", *sorted((ROOT / "examples/volume").glob("*.cu"))])


def ranks(values):
    """From 1; equal ones have their mean."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def rank_correlation(left, right):
    """Spearman's; not a number where one side is all alike."""
    return statistics.correlation(ranks(left), ranks(right)) if len(set(left)) > 1 and len(set(right)) > 1 else float("nan")


class Bench:
    def __init__(self, options):
        self.options = options
        self.trace = options.programs / "volume.cuprtrace"

    def frame(self, scheme, memory, view, shape, frames, **environment):
        """Milliseconds of the fastest frame."""
        text = call([self.options.programs / f"volume.{scheme}", memory, self.options.size, shape, view, frames], CUPR_DEVICE=self.options.device, **environment)
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith("frame")))

    def analyze(self, *arguments):
        return json.loads(call([self.options.cupranalyze, "latency", "--json", "--quiet", "--kernel-name", f"regex:{KERNEL}", *arguments, self.trace]))

    def timed(self, scheme, memory, view, shape):
        # A frame's records fit the buffer, so that the first frame at least does not wait for the file; by the device's clock, since by the program's own
        # the first waits for the queue to be made.
        milliseconds = self.frame(scheme, memory, view, shape, 3, CUPR_LATENCY="on", CUPR_BUFFER="2G", CUPR_STAGE="2K", CUPR_KERNELS=KERNEL, CUPR_SAMPLE=str(self.options.sample), CUPR_TRACE=str(self.trace))
        call([self.options.cupranalyze, "verify", self.trace])
        launches = json.loads(call([self.options.cupranalyze, "info", "--json", self.trace]))["launches"]
        times = [each["ended"] - each["began"] for each in launches if each["timed"] and each.get("began") and each.get("ended")]
        milliseconds = min(times) / 1e6 if times else milliseconds
        results = self.analyze()
        kernel = results["latencyKernels"][0]
        loads = next(each for each in results["latencyAccesses"] if each["operation"] != "store")
        return {"milliseconds": milliseconds, "mean": loads["mean"], "share": kernel["memoryShare"], "samples": loads["samples"]}

    def hit_rate(self, memory, view, shape):
        """Per cent; None: there is no ncu."""
        if self.options.device == "cpu" or not shutil.which("ncu"):
            return None
        text = call(["ncu", "--csv", "--page", "raw", "--metrics", HIT_RATE, "--kernel-name", f"regex:{KERNEL}", self.options.programs / "volume.naive", memory,
                     self.options.size, shape, view, 1], CUPR_TRACE="off")
        return float(next(row[HIT_RATE] for row in csv.DictReader(io.StringIO(text[text.index('"ID",'):])) if row["ID"]))

    def warps(self, memory, view, shape):
        """Of the multiprocessor with the most warps: their means, in their order; and the series of that whose mean is the largest of those with the most accesses."""
        self.timed("dependency", memory, view, shape)
        warps = self.analyze("--warps")["latencyWarps"]
        counts = statistics.multimode(warp["sm"] for warp in warps)
        here = [warp for warp in warps if warp["sm"] == counts[0]]
        most = max(warp["samples"] for warp in here)
        slowest = max((warp for warp in here if warp["samples"] == most), key=lambda warp: warp["mean"])
        block = ",".join(map(str, slowest["cta"]))
        series = self.analyze("--warp", f"{block}:{slowest['warp']}")["latencySeries"]
        return {"means": [warp["mean"] for warp in here], "series": [each["duration"] for each in series if each["operation"] != "store"]}


def table(heading, rows):
    lines = [heading, ["---"] + ["---:"] * (len(heading) - 1), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def measure(bench, memory, view):
    return [{"memory": memory, "view": view, "shape": shape, "plain": bench.frame("naive", memory, view, shape, 5, CUPR_TRACE="off"),
             "hits": bench.hit_rate(memory, view, shape), **{scheme: bench.timed(scheme, memory, view, shape) for scheme in SCHEMES}} for shape in SHAPES]


def report(rows):
    """Prints the table of a view. Whether the ranks are what is claimed."""
    print(f"**{rows[0]['memory']}, view ({rows[0]['view']})**\n")
    print(table(["block", "hits in L1, %", "frames/s", *(f"{scheme}: {what}" for scheme in SCHEMES for what in ("cycles", "share, %", "times plain"))],
                [[row["shape"], "" if row["hits"] is None else f"{row['hits']:.1f}", f"{1000 / row['plain']:.0f}",
                  *(cell for scheme in SCHEMES for cell in (f"{row[scheme]['mean']:.1f}", f"{100 * row[scheme]['share']:.0f}",
                                                            f"{row[scheme]['milliseconds'] / row['plain']:.2f}"))] for row in rows]))
    return correlate(rows)["dependency"] >= LEAST_RANK_CORRELATION


def correlate(rows):
    """Prints how frequencies of accesses and rates of frames rank, by scheme, and gives that."""
    rates = [1 / row["plain"] for row in rows]
    correlations = {}
    for scheme in SCHEMES:
        frequency = [1 / row[scheme]["mean"] for row in rows]
        correlations[scheme] = rank_correlation(frequency, rates)
        by_hits = "" if rows[0]["hits"] is None else f", with the hit rate {rank_correlation(frequency, [row['hits'] for row in rows]):.2f}"
        print(f"{scheme}: rank correlation of the frequency of accesses with the rate of frames {correlations[scheme]:.2f}{by_hits}")
    print(flush=True)
    return correlations


def run(options):
    bench = Bench(options)
    rows, holds = [], True
    for memory in MEMORIES:
        for view in VIEWS:
            rows += measure(bench, memory, view)
            holds &= report(rows[-len(SHAPES):])
        print(f"{memory}, all views:")
        correlate(rows[-len(VIEWS) * len(SHAPES):])
    pictures = {}
    for shape in ("2x64", "8x16"):
        warps = pictures[shape] = bench.warps("texture", VIEWS[1], shape)
        print(f"texture, view ({VIEWS[1]}), {shape}: {len(warps['means'])} warps of one multiprocessor, mean {statistics.fmean(warps['means']):.1f} cycles, deviation "
              f"{statistics.pstdev(warps['means']):.1f}; one warp's {len(warps['series'])} accesses: mean {statistics.fmean(warps['series']):.1f}, deviation {statistics.pstdev(warps['series']):.1f}")
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "warps": pictures}) + "\n")
    return 0 if holds or options.device == "cpu" else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "run"))
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--cupranalyze", type=Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--sample", type=int, default=61)
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    if options.what == "build":
        options.tools = options.tools.resolve()
        return build(options)
    options.cupranalyze = options.cupranalyze.resolve()
    return run(options)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What tracing costs everyday kernels: runs those of everyday/ and the five patterns plain, traced, not chosen and so on, side by side, and prints tables in Markdown.

    everyday_table.py --programs FOLDER --cupranalyze PROGRAM [--device gpu|cpu] [--small] [--json FILE] [NAME...]

FOLDER holds the programs that everyday/Makefile makes: `plain` (or `untraced`, for the CPU device) and `traced`; and, to have the
patterns in the tables, patterns.cu built the same ways: `patterns-plain` and `patterns-traced`.

What is measured, and how, is the list VARIANTS. Each kernel is run in all variants, one after the other, `--repeats` times (memcheck and
files: once); figures are medians. A variant whose setting the traced program does not know, or whose tool is not there, is left out.

1. All kernels in short: geometric means and the worst.
2. Single runs: the kernel's time (CUDA events), each run waited for until its records have been delivered.
3. Runs back to back, by the host's clock from the first until everything has been delivered; bytes of the trace per access.

Exit status: 0, 1 when a result was wrong or a trace is not whole, 2 when a program could not be run.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from patterns_table import geometric, table

TIMEOUT = 500

SINGLE, BACK_TO_BACK = "single", "back to back"


@dataclass(frozen=True, eq=False)
class Variant:
    name: str
    program: str  # "plain" or "traced"
    settings: dict = field(default_factory=dict)
    tool: tuple = ()  # runs the program
    to_file: bool = False
    rounds: int = 0  # single runs, batches: 0 for what the options say
    batches: int = 0
    once: bool = False  # whatever --repeats says
    shown: tuple = (SINGLE, BACK_TO_BACK)  # tables it has a column in


PLAIN = Variant("plain", "plain")
VARIANTS = (
    PLAIN,
    Variant("not chosen", "traced", {"CUPR_SINK": "null", "CUPR_KERNELS": "nosuch"}),
    Variant("traced", "traced", {"CUPR_SINK": "null"}),
    Variant("recorded", "traced", {"CUPR_SINK": "null", "CUPR_DERIVE": "off"}),
    Variant("to a file", "traced", {"CUPR_SINK": "file"}, to_file=True, rounds=1, batches=1, once=True,
            shown=(BACK_TO_BACK,)),
    Variant("recorded to a file", "traced", {"CUPR_SINK": "file", "CUPR_DERIVE": "off"}, to_file=True, rounds=1, batches=1,
            once=True, shown=(BACK_TO_BACK,)),
    Variant("memcheck", "plain", tool=("compute-sanitizer", "--tool", "memcheck"), rounds=3, batches=1, once=True,
            shown=(SINGLE,)),
)


class Failed(RuntimeError):
    pass


def run(command, environment):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=TIMEOUT, check=False)
    if done.returncode not in (0, 1):
        raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()[-2000:]}")
    if done.returncode:
        print(done.stderr.strip(), file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class Everyday:
    """The program everyday.cu, in its builds."""

    def __init__(self, options, plain, traced):
        self.options = options
        self.programs = {"plain": plain, "traced": traced}

    def names(self):
        listed = subprocess.run([self.programs["plain"], "--list"], capture_output=True, text=True, check=True).stdout
        return [line.split("\t")[0] for line in listed.splitlines()]

    def command(self, name, program, rounds, batches):
        small = ["--small"] if self.options.small else []
        return [self.programs[program], *small, "--rounds", rounds, "--batches", batches, "--batch", self.options.batch, name]

    def row(self, name, variant, rounds, batches, environment):
        rows = run([*variant.tool, *self.command(name, variant.program, rounds, batches)], environment)
        if len(rows) != 1:
            raise Failed(f"{name}, {variant.name}: {len(rows)} rows instead of one")
        return rows[0]


class Patterns:
    """The program patterns.cu, which times either single launches or batches."""

    def __init__(self, options, plain, traced):
        self.size = 65536 if options.small else 4194304
        self.batch = options.batch
        self.programs = {"plain": plain, "traced": traced}

    def names(self):
        quiet = {"CUPR_TRACE": "off"}
        return [row["pattern"] for row in run([self.programs["plain"], 1024, 1, 1], quiet)]

    def row(self, name, variant, rounds, batches, environment):
        result = {"right": True, "runs": 0}
        shapes = [("batchMs", "batchDeliveredMs", batches, self.batch)]
        if not variant.to_file:  # a trace holds one process
            shapes.insert(0, ("ms", "deliveredMs", rounds, 1))
        for kernel, delivered, times, batch in shapes:
            [row] = run([*variant.tool, self.programs[variant.program], self.size, times, batch, name], environment)
            result.update({kernel: row["ms"], delivered: row["deliveredMs"]})
            result["runs"] += times * batch + 1
        return result


class Bench:
    def __init__(self, options, work):
        self.options = options
        self.work = Path(work)
        self.good = True
        self.rows = []  # all that was measured, for --json
        self.variants = [variant for variant in VARIANTS if self.possible(variant)]
        self.kernels = {}  # (suite, its name there) by the name in the tables
        for suite in self.suites():
            for name in suite.names():
                self.kernels[f"{name} (pattern)" if name in self.kernels else name] = (suite, name)
        if options.names:
            unknown = set(options.names) - set(self.kernels)
            if unknown:
                raise Failed(f"no such kernel: {', '.join(sorted(unknown))}")
            self.kernels = {label: kernel for label, kernel in self.kernels.items() if label in options.names}

    def program(self, *names):
        """The first of these that is there."""
        paths = [Path(self.options.programs) / name for name in names]
        return next((path for path in paths if path.exists()), None)

    def suites(self):
        on_gpu = self.options.device == "gpu"
        for suite, prefix in ((Everyday, ""), (Patterns, "patterns-")):
            plain = self.program(prefix + ("plain" if on_gpu else "untraced"))
            traced = self.program(prefix + "traced")
            if plain and traced:
                yield suite(self.options, plain, traced)
            elif suite is Everyday:
                raise Failed(f"{self.options.programs} lacks programs: see everyday/Makefile")

    def possible(self, variant):
        if variant.tool:
            return self.options.device == "gpu" and shutil.which(variant.tool[0]) is not None
        traced = self.program("traced")
        known = traced.read_bytes() if traced else b""
        return all(name.encode() in known for name in variant.settings)

    def measure(self, label, variant):
        suite, name = self.kernels[label]
        rounds, batches = variant.rounds or self.options.rounds, variant.batches or self.options.batches
        trace, summary = self.work / "trace", self.work / "summary"
        environment = {"CUPR_DEVICE": self.options.device, "CUPR_FORCE": "on", **variant.settings,
                       "CUPR_TRACE": str(trace), "CUPR_SUMMARY": str(summary)}
        row = suite.row(name, variant, rounds, batches, environment)
        self.good &= row["right"]
        if summary.exists():
            totals = [json.loads(line) for line in summary.read_text().splitlines()]
            row["accesses"] = sum(int(total["accesses"]) for total in totals) / row["runs"]
            row["records"] = sum(int(total["records"]) for total in totals) / row["runs"]
            summary.unlink()
        if variant.to_file:
            row["bytes"] = trace.stat().st_size / row["runs"]
            self.verify(trace, f"{label}, {variant.name}")
        trace.unlink(missing_ok=True)
        self.rows.append({"kernel": label, "variant": variant.name, **row})
        return row

    def verify(self, trace, what):
        done = subprocess.run([self.options.cupranalyze, "verify", str(trace)], capture_output=True, text=True, timeout=TIMEOUT,
                              check=False)
        if done.returncode:
            self.good = False
            print(f"{what}: {(done.stdout + done.stderr).strip()}", file=sys.stderr)

    def run(self):
        """Figures by kernel and variant: medians of the repeats."""
        self.figures = {}
        for name in self.kernels:
            rows = {variant: [] for variant in self.variants}
            for repeat in range(self.options.repeats):
                for variant in self.variants:
                    if not (repeat and variant.once):
                        rows[variant].append(self.measure(name, variant))
            self.figures[name] = {
                variant: {key: statistics.median(row[key] for row in several) for key in several[0]
                          if isinstance(several[0][key], (int, float)) and not isinstance(several[0][key], bool)}
                for variant, several in rows.items()
            }
            print(f"{name}: measured", file=sys.stderr, flush=True)

    def times(self, name, variant, figure):
        return self.figures[name][variant][figure] / self.figures[name][PLAIN][figure]

    def shown(self, where):
        return [variant for variant in self.variants if where in variant.shown and variant is not PLAIN]

    def in_short(self):
        """Geometric means over all kernels and over each suite, and the worst kernel."""
        figures = {SINGLE: "ms", BACK_TO_BACK: "batchDeliveredMs"}
        suites = {type(suite).__name__.lower(): [label for label, (other, _) in self.kernels.items() if other is suite]
                  for suite, _ in self.kernels.values()}
        rows = []
        for where, figure in figures.items():
            for variant in self.shown(where):
                ratios = {name: self.times(name, variant, figure) for name in self.figures}
                worst = max(ratios, key=ratios.get)
                rows.append([f"{variant.name}, {where}", f"{geometric(list(ratios.values())):.3f}",
                             *(f"{geometric([ratios[name] for name in names]):.3f}" for names in suites.values()),
                             f"{ratios[worst]:.2f} ({worst})"])
        yield "Times the plain kernel, geometric means:\n"
        yield from table(["variant", "all", *suites, "worst"], rows)

    def accesses(self, name):
        known = [figures["accesses"] for figures in self.figures[name].values() if figures.get("accesses")]
        return known[0] if known else 0

    def single(self):
        shown = self.shown(SINGLE)
        rows = [[name, f"{self.accesses(name):,.0f}", f"{self.figures[name][PLAIN]['ms']:.4f}",
                 *(f"{self.times(name, variant, 'ms'):.3f}" for variant in shown)] for name in self.figures]
        mean = [f"{geometric([self.times(name, variant, 'ms') for name in self.figures]):.3f}" for variant in shown]
        rows.insert(0, ["geometric mean", "", "", *mean])
        yield "Single runs, kernel time:\n"
        yield from table(["kernel", "accesses", "plain ms", *(f"{variant.name}, times" for variant in shown)], rows)

    def back_to_back(self):
        shown, figure = self.shown(BACK_TO_BACK), "batchDeliveredMs"
        files = [variant for variant in self.variants if variant.to_file]

        def bytes_per_access(name, variant):
            return self.figures[name][variant]["bytes"] / max(self.accesses(name), 1)

        rows = [[name, f"{self.figures[name][PLAIN][figure]:.4f}",
                 *(f"{self.times(name, variant, figure):.2f}" for variant in shown),
                 *(f"{bytes_per_access(name, variant):.5f}" for variant in files)] for name in self.figures]
        means = [f"{geometric([self.times(name, variant, figure) for name in self.figures]):.2f}" for variant in shown]
        means += [f"{sum(self.figures[name][v]['bytes'] for name in self.figures) / max(sum(map(self.accesses, self.figures)), 1):.5f}"
                  for v in files]
        rows.insert(0, ["geometric mean; bytes of all", "", *means])
        yield f"{self.options.batch} runs back to back until all is delivered, per run:\n"
        yield from table(["kernel", "plain ms", *(f"{variant.name}, times" for variant in shown),
                          *(f"{variant.name}, bytes per access" for variant in files)], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, metavar="FOLDER")
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--small", action="store_true", help="small data, for the CPU device")
    parser.add_argument("--rounds", type=int, default=11, help="single runs")
    parser.add_argument("--batches", type=int, default=5)
    parser.add_argument("--batch", type=int, default=20, help="runs back to back")
    parser.add_argument("--repeats", type=int, default=3, help="how often all variants of a kernel are run")
    parser.add_argument("--json", metavar="FILE", help="all that was measured, a line each")
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels; default: all")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as work:
            bench = Bench(options, work)
            bench.run()
    except (Failed, OSError, subprocess.SubprocessError) as error:
        print(f"everyday_table.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        Path(options.json).write_text("".join(json.dumps(row) + "\n" for row in bench.rows))
    for part in (bench.in_short, bench.single, bench.back_to_back):
        print("\n".join(part()) + "\n", flush=True)
    print(f"Device: {options.device}; {len(bench.figures)} kernels, medians of {options.rounds} runs, {options.batches} batches and "
          f"{options.repeats} repeats, {os.cpu_count()} processors.")
    return 0 if bench.good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The property test: random kernels, traced, against a list of accesses that is made below the instrumentation.

    run.py --tools build/release/bin [--seed 1] [--count 1] [--kernels 12] [--levels 0,1,2,3] [--jobs 2]

Each seed gives a program (generate.py). It is built plain, and traced at each optimisation level in a way that the
CPU device also writes down each access to global memory that it executes (`--log-accesses`). The traced programs must print
what the plain one prints, and each thread's accesses in the trace must be those of the list, in the same order.

What fails is kept in the work folder, with the program; the seed and the kernel are printed. CUPR_PROPERTY_SEED
and CUPR_PROPERTY_COUNT stand in for --seed and --count. Exit status: 0 nothing failed, 1 something did.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import comparison
import generate
from trace_reader import AnalysisError, Trace

TIMEOUT = 300
FLAGS = ["--device=cpu", "-fno-strict-aliasing", "-w"]


class Failure(Exception):
    pass


class Program:
    """One seed's program: built, run and compared in a folder of its own."""

    def __init__(self, options, seed, folder):
        self.options = options
        self.seed = seed
        self.folder = folder
        self.source = folder / f"seed{seed}.cu"
        self.source.write_text(generate.program(seed, options.kernels, options.only, options.features))
        self.plain = None

    def _run(self, command, **environment):
        try:
            done = subprocess.run([str(word) for word in command], env={**os.environ, "CUPR_DEVICE": "cpu", **environment},
                                  cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"{Path(command[0]).name}: not finished after {TIMEOUT} s") from None
        if done.returncode:
            raise Failure(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{(done.stderr + done.stdout)[-3000:]}")
        return done.stdout, done.stderr

    def _build(self, name, *flags):
        program = self.folder / name
        _, said = self._run([self.options.tools / "cupr++", *FLAGS, *flags, "-o", program, self.source])
        if "cupr-retarget" in said:  # code that can't run, or accesses that the list does not know
            raise Failure(f"the compiler says: {said[-3000:]}")
        return program

    def build_plain(self):
        self.plain, _ = self._run([self._build("plain", "--no-trace", "-O2")])

    def check(self, level):
        """Returns the number of accesses compared."""
        name = f"O{level}"
        program, log, path = self._build(name, f"-O{level}", "--log-accesses"), self.folder / f"{name}.log", self.folder / f"{name}.cuprtrace"
        output, said = self._run([program], CUPR_TRACE=str(path), CUPR_CPU_ACCESS_LOG=str(log))
        if output != self.plain:
            changed = [f"{a}, not {b}" for a, b in zip(output.splitlines(), self.plain.splitlines()) if a != b]
            raise Failure(f"other results than without tracing: {'; '.join(changed[:4]) or output + said}")
        trace = Trace(self.options.tools / "cupranalyze", path)
        trace.verify()
        with open(log) as lines:
            logged = comparison.read_log(lines)
        traced, kernels, places = comparison.read_trace(trace)
        wrong = comparison.differences(logged, traced)
        if wrong:
            by_kernel = {}
            for thread, text in wrong:
                kernel = kernels.get(thread.launch, "a kernel without any trace").split("(")[0]
                by_kernel.setdefault((thread.launch, kernel), []).append((thread, text))
            lines = [f"launch {launch}, {kernel}: {len(threads)} threads differ; block {threads[0][0].block}, thread {threads[0][0].thread}: {threads[0][1]}"
                     for (launch, kernel), threads in by_kernel.items()]
            raise Failure("\n  ".join(lines))
        return sum(map(len, logged.values()))


def check_seed(options, seed, work):
    """Checks one seed at all levels. Returns the failures, as text."""
    folder = work / f"seed{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    failures, accesses = [], 0
    try:
        program = Program(options, seed, folder)
        program.build_plain()
    except Failure as failure:
        return [f"seed {seed}, plain: {failure}"]
    for level in options.levels:
        try:
            accesses += program.check(level)
        except (Failure, AnalysisError) as failure:
            failures.append(f"seed {seed}, -O{level}: {failure}")
    if not failures:
        shutil.rmtree(folder)
        print(f"pass seed {seed}: {accesses} accesses at -O{', -O'.join(map(str, options.levels))}", flush=True)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=Path, help="folder that holds cupr++ and cupranalyze")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CUPR_PROPERTY_SEED", 1)), help="the first seed (default: %(default)s)")
    parser.add_argument("--count", type=int, default=int(os.environ.get("CUPR_PROPERTY_COUNT", 1)), help="how many seeds (default: %(default)s)")
    parser.add_argument("--kernels", type=int, default=12, help="kernels per program (default: %(default)s)")
    parser.add_argument("--only", type=int, help="only the kernel with this number")
    parser.add_argument("--levels", type=lambda text: [int(level) for level in text.split(",")], default=[0, 1, 2, 3], help="optimisation levels (default: 0,1,2,3)")
    generate.add_features(parser)
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time (default: %(default)s)")
    parser.add_argument("--work", type=Path, help="folder for what fails (default: a new one in the system's for temporary files)")
    options = parser.parse_args()
    options.tools = options.tools.resolve()
    work = options.work.resolve() if options.work else Path(tempfile.mkdtemp(prefix="cupr-property-"))
    seeds = range(options.seed, options.seed + options.count)
    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for failures in pool.map(lambda seed: check_seed(options, seed, work), seeds):
            for failure in failures:
                failed += 1
                print(f"FAIL {failure}", flush=True)
    if failed:
        print(f"{failed} failures; the programs are in {work}; one kernel alone: --seed S --only K")
        return 1
    if not options.work:
        work.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The property test: random kernels, traced, against a list of accesses that is made below the instrumentation.

    run.py --tools build/release/bin [--seed 1] [--count 1] [--kernels 12] [--levels 0,1,2,3] [--jobs 2]

Each seed gives a program (generate.py). It is built plain, and traced at each optimisation level in a way that the
CPU device also writes down each access to global memory that it executes (`--log-accesses`). The traced programs must
print what the plain one prints, and each thread's accesses in the trace must be those of the list, in the same order,
in both modes (CUPR_CPU_MODE). With --values, so must be what memory held before an access that reads, and behind one that writes.

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
import determined
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
        generator = determined if options.determined or options.data or options.shared else generate
        chosen = [name for name in ("data", "shared") if getattr(options, name)]
        features = chosen or options.features
        self.source.write_text(generator.program(seed, options.kernels, options.only, features))
        self.plain = None
        self.without_values = 0  # accesses whose values are not in the trace

    def _run(self, command, **environment):
        words = [str(word) for word in command]
        try:
            done = subprocess.run(
                words,
                env={**os.environ, "CUPR_DEVICE": "cpu", **environment},
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Failure(f"{' '.join(words)}: not finished after {TIMEOUT} s") from None
        if done.returncode:
            said = (done.stderr + done.stdout)[-3000:]
            raise Failure(f"{' '.join(words)}: exit status {done.returncode}\n{said}")
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
        spaces = ["--spaces=global,shared"] if self.options.shared else []
        program = self._build(name, f"-O{level}", "--log-accesses", *spaces, *(["--values"] if self.options.values else []))
        self._run_as_plain(program, CUPR_TRACE="off")
        self._run_as_plain(program, CUPR_TRACE=str(self.folder / f"{name}.none.cuprtrace"), CUPR_KERNELS="^$")
        self._compare(program, f"{name}.block0", {0}, CUPR_CTAS="0-0")
        self._compare(program, f"{name}.fast", None, CUPR_CPU_MODE="fast")
        return self._compare(program, name, None)

    def _run_as_plain(self, program, **environment):
        output, said = self._run([program], **environment)
        if output != self.plain:
            changed = [f"{a}, not {b}" for a, b in zip(output.splitlines(), self.plain.splitlines()) if a != b]
            settings = " ".join(f"{name}={value}" for name, value in environment.items())
            raise Failure(f"{settings}: other results than without tracing: {'; '.join(changed[:4]) or output + said}")

    def _compare(self, program, name, blocks, **environment):
        """Runs the program and compares its trace with the list. `blocks`: those that are recorded; None: all."""
        log, path = self.folder / f"{name}.log", self.folder / f"{name}.cuprtrace"
        self._run_as_plain(program, CUPR_TRACE=str(path), CUPR_CPU_ACCESS_LOG=str(log), **environment)
        trace = Trace(self.options.tools / "cupranalyze", path)
        trace.verify()
        with open(log) as lines:
            logged = comparison.read_log(lines)
        if blocks is not None:
            logged = {thread: accesses for thread, accesses in logged.items() if thread.block in blocks}
        traced, kernels = (comparison.read_values if self.options.values else comparison.read_trace)(trace)
        launches = {}
        for thread, text in comparison.differences(logged, traced):
            launches.setdefault(thread.launch, []).append((thread, text))
        lines = []
        for launch, threads in launches.items():
            kernel = kernels.get(launch, "a kernel without a trace").split("(")[0]
            thread, text = threads[0]
            where = f"block {thread.block}, thread {thread.thread}"
            lines.append(f"{name}: launch {launch}, {kernel}: {len(threads)} threads differ; {where}: {text}")
        if lines:
            raise Failure("\n  ".join(lines))
        if self.options.shared:  # the list has none of them
            self._compare_with_recorded(program, trace, **environment)
        accesses = [access for thread in traced.values() for access in thread]
        self.without_values += sum(access.before is None and access.after is None for access in accesses)
        return sum(map(len, logged.values()))


    def _compare_with_recorded(self, program, trace, **environment):
        """What was derived of shared memory, too, with what is recorded."""
        recorded = Path(trace.path).with_suffix(".recorded.cuprtrace")
        self._run_as_plain(program, CUPR_TRACE=str(recorded), CUPR_DERIVE="off", **environment)
        if trace.difference(recorded)["different"]:
            raise Failure(f"derived is not what is recorded: {trace.difference_text(recorded)}")
        info = trace.info()
        if not self.options.data and not any(launch["derived"] and "shared" in launch for launch in info["launches"]):
            raise Failure("no launch with accesses of shared memory is derived")


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
        said = f", {program.without_values} of them without values" if options.values else ""
        print(f"pass seed {seed}: {accesses} accesses at -O{', -O'.join(map(str, options.levels))}{said}", flush=True)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    first, count = (int(os.environ.get(f"CUPR_PROPERTY_{name}", 1)) for name in ("SEED", "COUNT"))

    def add(name, text, **how):
        parser.add_argument(name, help=text + (" (default: %(default)s)" if "default" in how else ""), **how)

    def levels(text):
        return [int(level) for level in text.split(",")]

    add("--tools", "folder that holds cupr++ and cupranalyze", required=True, type=Path)
    add("--seed", "the first seed", type=int, default=first)
    add("--count", "how many seeds", type=int, default=count)
    add("--kernels", "kernels per program", type=int, default=12)
    add("--only", "only the kernel with this number", type=int)
    add("--determined", "kernels whose accesses follow from their launches (determined.py)", action="store_true")
    add("--data", "the same, but data decides about some of them", action="store_true")
    add("--shared", "the same, of shared memory, too", action="store_true")
    add("--values", "also what is read and written", action="store_true")
    add("--levels", "optimisation levels", type=levels, default="0,1,2,3")
    add("--jobs", "seeds at a time", type=int, default=1)
    add("--work", "folder for what fails; else a new one in the system's for temporary files", type=Path)
    generate.add_features(parser)
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

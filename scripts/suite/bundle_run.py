#!/usr/bin/env python3
"""Runs the bundle of suites' programs in this folder on a machine with a GPU: see bundle.py. Python 3 is all it needs.

A line per program, and in the working folder results.json, results.md (a table) and differences.txt (which accesses of
threads differ, of programs where some do); they are there after each program. Exit status: 0 when tracing changed no
program's output.

Programs are tried a few at once, on both devices at the same time, so seconds tell little of speed.
"""

import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

sys.dont_write_bytecode = True

CPU_DEVICE = "cuprewrite CPU device"
ANALYSIS_SECONDS, TOO_LONG = 30, 124  # of a trace; what timeout(1) returns
# Of NVIDIA's: their kernels are there for GPUs alone.
CLOSED = (b"libcublas", b"libcudnn", b"libcufft", b"libcurand", b"libcusolver", b"libcusparse", b"libnccl", b"libnpp", b"libnvjpeg")


def gpu_name():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return CPU_DEVICE


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", metavar="REGEX", nargs="?", default="", help="programs whose name matches; default: all")
    parser.add_argument("--jobs", type=int, default=4, metavar="N",
                        help="runs on the CPU device at the same time; they share the processors (default: %(default)s)")
    parser.add_argument("--gpu-jobs", type=int, default=2, metavar="N", help="the same for the GPU (default: %(default)s)")
    parser.add_argument("--timeout", type=int, default=20, metavar="S",
                        help="seconds of the clock for each run (default: %(default)s)")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu",
                        help="cpu: take the CPU device for the GPU too, and untraced runs for plain ones, to try the bundle "
                        "without a GPU")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if options.device == "gpu":
        try:
            if ctypes.CDLL("libcuda.so.1").cuInit(0):
                raise OSError
        except OSError:
            sys.exit("run: no GPU here")
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        programs = unpack(Path(__file__).resolve().parent, work)
        sys.path.insert(0, str(work))
        os.environ["LD_LIBRARY_PATH"] = f"{work}/lib:" + os.environ.get("LD_LIBRARY_PATH", "")
        rows = check_all(options, work, [entry for entry in programs if re.search(options.only, entry["program"])])
    good = [row for row in rows if row.tracing == "same"]
    print(f"{len(rows)} programs: {len(good)} with unchanged output when traced on the GPU, "
          f"{sum(row.devices == 'same' for row in rows)} with the same output on both devices, "
          f"{sum(row.threads == 'same' for row in rows)} with the same accesses of all threads on both")
    return 0 if len(good) == len(rows) else 1


def unpack(bundle, work):
    """The programs of all archives, each as programs.json has it."""
    programs = []
    for path in [*sorted(bundle.glob("*.suite.tar.xz")), bundle / "tools.tar.xz"]:
        with tarfile.open(path) as archive:
            archive.extractall(work)
        if path.name != "tools.tar.xz":
            programs += json.loads((work / "programs.json").read_text())
    for suite in {entry["suite"] for entry in programs}:  # both devices run at the same time, and programs write files
        shutil.copytree(work / "suites" / suite / "traced", work / "suites" / suite / "cpu")
    return programs


def check_all(options, work, programs):
    from suite.devices import table

    rows = []
    Path("differences.txt").unlink(missing_ok=True)
    gpu_is = gpu_name()
    trials = [Trial(options, work, entry, number, gpu_is) for number, entry in enumerate(programs)]
    with ThreadPoolExecutor(options.jobs) as cpu, ThreadPoolExecutor(options.gpu_jobs) as gpu:
        coming = [cpu.submit(trial.run_on_cpu) for trial in trials]
        for row in gpu.map(Trial.check, trials, coming):
            rows.append(row)
            Path("results.json").write_text(json.dumps([asdict(row) for row in rows], indent=1))
            Path("results.md").write_text(table(rows))
    return rows


class Trial:
    """One program."""

    def __init__(self, options, work, entry, number, gpu):
        self.options, self.work, self.entry, self.gpu = options, work, entry, gpu
        program = work / "suites" / entry["suite"] / "traced" / entry["folder"] / entry["executable"]
        self.is_closed = any(name in program.read_bytes() for name in CLOSED)
        self.arguments = entry["attempts"][-1]
        self.trace = {device: work / f"{number}.{device}.cuprtrace" for device in ("gpu", "cpu", "again")}

    def _run(self, tree, **environment):
        """(what the run left behind, its seconds). `tree`: plain, traced or cpu."""
        from suite.running import run

        suite = self.work / "suites" / self.entry["suite"]
        if tree == "plain" and self.options.device == "cpu":
            tree, environment = "traced", {"CUPR_DEVICE": "cpu", "CUPR_TRACE": "off", **environment}
        folder = suite / tree / self.entry["folder"]
        start = time.monotonic()
        outcome = run(folder / self.entry["executable"], self.arguments, folder, None, environment,
                      clock=self.options.timeout)
        seconds = round(time.monotonic() - start, 2)
        for name, shown in ((str(suite / tree), "<suite>"), (CPU_DEVICE, "<device>"), (self.gpu, "<device>")):
            outcome.stdout = outcome.stdout.replace(name, shown)
        return outcome, seconds

    def run_on_cpu(self):
        threads = max((os.cpu_count() or 1) // self.options.jobs, 1)
        for self.arguments in self.entry["attempts"]:
            outcome = self._run("cpu", CUPR_DEVICE="cpu", CUPR_CPU_THREADS=str(threads), CUPR_TRACE=str(self.trace["cpu"]))
            if not outcome[0].timed_out:
                break
        return outcome

    def check(self, coming):
        """`coming`: what run_on_cpu will give."""
        from suite.devices import Comparison

        row = Comparison(self.entry["suite"], self.entry["program"])
        on_cpu, row.seconds_cpu = coming.result()  # which finds the arguments
        row.arguments = " ".join(self.arguments)
        first, row.seconds_plain = self._run("plain")
        if first.died:
            row.tracing = f"the plain program: {first.cause()}"
        else:
            plain = [first, self._run("plain")[0]]
            traced, row.seconds_traced = self._run("traced", CUPR_DEVICE=self.options.device,
                                                   CUPR_TRACE=str(self.trace["gpu"]))
            row.tracing = self._tracing(plain, traced, row)
            row.devices = "closed library" if self.is_closed else self._verdict([*plain, traced], on_cpu)
            if not traced.died and not on_cpu.died and not self.is_closed:
                self._compare_threads(row)
        for trace in self.trace.values():
            trace.unlink(missing_ok=True)
        print(f"{row.suite}/{row.program}: {row.tracing}; {row.accesses:,} accesses; CPU device: {row.devices}; "
              f"threads: {row.threads}{row.repeated and '; twice on the GPU: '}{row.repeated}", flush=True)
        return row

    def _verdict(self, plain, other):
        from suite.comparison import Incomparable, compare

        if other.died:
            return other.cause()
        try:
            return compare(plain, other) or "same"
        except Incomparable as problem:
            return f"incomparable: {problem}"

    def _tracing(self, plain, traced, row):
        """The verdict; the trace's figures go to `row`."""
        verdict = self._verdict(plain, traced)
        if verdict != "same" and not traced.died:  # two quick runs may agree by accident
            verdict = self._verdict([*plain, self._run("plain")[0]], traced)
        if verdict != "same":
            return verdict
        if not self.trace["gpu"].exists():
            return "same"  # there is no kernel in it
        done = self._analyze("verify", "--any-size", self.trace["gpu"])
        if done.returncode == TOO_LONG:
            row.threads = "the trace is too long to look at"
        elif done.returncode:
            return "trace: " + (done.stdout + done.stderr).split("\n")[0]
        if count := re.search(r"([\d,]+) thread accesses", done.stdout):
            row.accesses = int(count.group(1).replace(",", ""))
        return "same"

    def _compare_threads(self, row):
        if row.threads or not self.trace["gpu"].exists():
            return
        found, row.threads = self._difference("cpu", "on the CPU device")
        if not found:
            return
        row.launches, row.differing_launches = found["before"]["launches"], found["different"]
        if found["same"]:
            return
        with open("differences.txt", "a", encoding="utf-8") as out:
            said = self._analyze("diff", "--accesses", "--any-size", "--top=12", self.trace["gpu"], self.trace["cpu"]).stdout
            out.write(f"{row.suite}/{row.program}\n{said}\n")
        again, _ = self._run("traced", CUPR_DEVICE=self.options.device, CUPR_TRACE=str(self.trace["again"]))
        row.repeated = again.cause() if again.died else self._difference("again", "in the second run")[1]

    def _difference(self, other, name):
        """(what the analysis found, the verdict) of the GPU's trace and another one."""
        from suite.devices import threads_verdict

        done = self._analyze("diff", "--accesses", "--any-size", "--json", self.trace["gpu"], self.trace[other])
        if done.returncode == TOO_LONG:
            return None, "the traces are too long to compare"
        if done.returncode not in (0, 3):
            return None, "trace: " + done.stderr.split("\n")[0]
        found = json.loads(done.stdout)
        return found, threads_verdict(found, ("on the GPU" if other == "cpu" else "in the first run", name))

    def _analyze(self, *arguments):
        command = [self.work / "cupranalyze", *arguments]
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=ANALYSIS_SECONDS)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, TOO_LONG, "", "")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures the bundle that plain_speed has made, on a machine with a GPU: go.sh [--seconds N] [--meter cupti|ncu].

A program drawn is taken if nvcc's runs to its end within --limit seconds, with the suite's arguments or, failing that, smaller ones, and spends at least 0.2 ms in kernels;
then it is cupr++'s turn, with the same arguments. When there are as many of each group as are wanted, both are run in turn, until --rounds or --seconds are over. The time of a
kernel is the sum of its launches; CUPTI takes it (kernel_times.cpp), or ncu where that finds nothing. cupr++'s programs run with CUPR_TRACE=off.

results.json goes to $OUT, or the working folder, after each round; and sass.tar.xz, the machine code of programs that take more than 1.05 times nvcc's.
"""

import argparse
import csv
import ctypes
import io
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

SHORTEST = 200_000  # nanoseconds in kernels
MOST_LAUNCHES = 300  # that ncu looks at
METRICS = "gpu__time_duration.sum,launch__registers_per_thread,launch__block_size,launch__grid_size,launch__shared_mem_per_block_static"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=135)
    parser.add_argument("--limit", type=float, default=6, help="seconds of a run (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--meter", choices=("cupti", "ncu"))
    return parser.parse_args()


def hold_gpu():
    """A context that stays keeps the GPU's clocks up between runs. Returns the GPU's name."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        sys.exit("plain_speed_run: no GPU here")
    context, name = ctypes.c_void_p(), ctypes.create_string_buffer(100)
    if driver.cuInit(0) or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0):
        sys.exit("plain_speed_run: no GPU here")
    driver.cuDeviceGetName(name, 100, 0)
    return name.value.decode()


def without_trace(name):
    """The trace argument is in front of a kernel's own."""
    for text in ("cupr::argument::Trace, ", "cupr::argument::Trace"):
        name = name.replace(f"({text}", "(", 1)
    return name


class Runner:
    def __init__(self, tree, options, meter, modes=("nvcc", "cupr")):
        self.tree, self.options, self.meter, self.modes = tree, options, meter, modes

    def run(self, program, mode, arguments, limit):
        """(exit status or None at the limit, launches as pairs of a kernel's name and figures, seconds, the end of what was printed)."""
        folder = self.tree / program["suite"] / mode / program["folder"]
        times = self.tree / "times"
        times.unlink(missing_ok=True)
        environment = {**os.environ, "CUPR_TRACE": "off", "CUPR_DEVICE": "gpu", "OMP_NUM_THREADS": "4",
                       "LD_LIBRARY_PATH": f"{self.tree}/lib:" + os.environ.get("LD_LIBRARY_PATH", "")}
        command = [folder / program["executable"], *arguments]
        if self.meter == "cupti":
            environment |= {"CUDA_INJECTION64_PATH": f"{self.tree}/lib/libkernel_times.so", "KERNEL_TIMES": str(times)}
        else:
            command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics", METRICS, "--launch-count", str(MOST_LAUNCHES),
                       "--log-file", str(times), *command]
        start = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            said = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, [], time.monotonic() - start, ""
        seconds = time.monotonic() - start
        text = times.read_text(errors="replace") if times.exists() else ""
        launches = self._of_cupti(text) if self.meter == "cupti" else self._of_ncu(text)
        return process.returncode, launches, seconds, said.decode(errors="replace")[-300:]

    def _of_cupti(self, text):
        for line in text.splitlines():
            words = line.split("\t", 6)
            if len(words) == 7:
                figures = dict(zip(("ns", "registers", "local", "shared", "block", "grid"), map(int, words)))
                yield without_trace(words[6]), figures

    def _of_ncu(self, text):
        start = text.find('"ID",')
        for row in csv.DictReader(io.StringIO(text[start:])) if start >= 0 else ():
            if row["ID"]:
                value = lambda name: int(float(row[name].replace(",", "")))
                ns, registers, block, grid, shared = map(value, METRICS.split(","))
                yield without_trace(row["Kernel Name"]), {"ns": ns, "registers": registers, "local": 0, "shared": shared, "block": block, "grid": grid}


def by_kernel(launches):
    kernels = {}
    for name, figures in launches:
        kernel = kernels.setdefault(name, {**figures, "launches": 0, "sum": 0})
        kernel["launches"] += 1
        kernel["sum"] += figures["ns"]
    return kernels


def whole(kernels):
    return sum(kernel["sum"] for kernel in kernels.values())


class Measurement:
    """One program: its runs by both compilers."""

    def __init__(self, runner, program):
        self.runner, self.program, self.seconds = runner, program, 0
        self.runs = {mode: [] for mode in runner.modes}  # nvcc, cupr, and perhaps also
        self.arguments, self.verdict = [], "measured"

    def begin(self):
        """The first run of each; sets the verdict."""
        limit = self.runner.options.limit
        for self.arguments in self.program["attempts"]:
            status, launches, seconds, said = self.runner.run(self.program, "nvcc", self.arguments, limit)
            if status is not None:
                break
        kernels = by_kernel(launches)
        if status is None:
            self.verdict = f"nvcc's does not end within {limit:.0f} s"
        elif status:
            self.verdict = f"nvcc's ends with status {status}: {' '.join(said.split())[-120:]}"
        elif whole(kernels) < SHORTEST:
            self.verdict = f"{whole(kernels) / 1e6:.4f} ms in kernels"
        else:
            self.runs["nvcc"].append(kernels)
            self.seconds = len(self.runs) * seconds
            self._run_ours(3 * limit)

    def _run_ours(self, limit):
        status, launches, _, said = self.runner.run(self.program, "cupr", self.arguments, limit)
        if status is None or status:
            self.verdict = f"FAILED: cupr++'s ends with status {status}, nvcc's does not: {' '.join(said.split())[-200:]}"
        else:
            self.runs["cupr"].append(by_kernel(launches))
            self.again([mode for mode in self.runs if mode == "also"])

    def again(self, modes):
        for mode in modes:
            status, launches, _, _ = self.runner.run(self.program, mode, self.arguments, 3 * self.runner.options.limit)
            if status == 0:
                self.runs[mode].append(by_kernel(launches))

    def ratio(self):
        ours, nvcc = (statistics.median(map(whole, self.runs[mode])) for mode in ("cupr", "nvcc"))
        return ours / nvcc

    def result(self):
        row = {**self.program, "arguments": self.arguments, "verdict": self.verdict, "runs": min(len(self.runs[mode]) for mode in ("nvcc", "cupr"))}
        del row["attempts"]
        for mode, runs in self.runs.items() if self.verdict == "measured" else ():
            row[mode] = {}
            for name in dict.fromkeys(name for run in runs for name in run):
                there = [run[name] for run in runs if name in run]
                row[mode][name] = {key: there[0][key] for key in ("registers", "local", "shared", "block", "grid", "launches")}
                row[mode][name]["sums"] = [kernel["sum"] for kernel in there]
        return row


def machine_code(tree, measured, out):
    """What ptxas has made of programs that are slower."""
    if not shutil.which("cuobjdump"):
        return
    with tarfile.open(out / "sass.tar.xz", "w:xz") as archive:
        for each in measured:
            if each.ratio() <= 1.05:
                continue
            for mode in ("nvcc", "cupr"):
                program = tree / each.program["suite"] / mode / each.program["folder"] / each.program["executable"]
                done = subprocess.run(["cuobjdump", "-sass", program], capture_output=True, timeout=20, check=False)
                name = f"{each.program['suite']}-{each.program['program'].replace('/', '-')}.{mode}.sass"
                entry = tarfile.TarInfo(name)
                entry.size = len(done.stdout)
                archive.addfile(entry, io.BytesIO(done.stdout))


def main():
    options = parse_arguments()
    begin = time.monotonic()
    gpu = hold_gpu()
    out = Path(os.environ.get("OUT") or ".")
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work)
        with tarfile.open(Path(__file__).resolve().parent / "speed.tar.xz") as archive:
            archive.extractall(tree)
        plan = json.loads((tree / "programs.json").read_text())
        meter = options.meter
        if not meter:
            status, launches, _, said = Runner(tree, options, "cupti").run(plan["programs"][0], "nvcc", plan["programs"][0]["attempts"][0], 20)
            meter = "cupti" if list(launches) else "ncu"
            print(f"measured by {meter}{'' if meter == 'cupti' else f', since CUPTI finds no kernels: {status}, {said}'}", flush=True)
        runner = Runner(tree, options, meter, plan["modes"])
        everything, measured = [], []
        save = lambda: (out / "results.json").write_text(json.dumps(
            {"gpu": gpu, "meter": meter, "seed": plan["seed"], "also": plan["also"], "programs": [each.result() for each in everything]}, indent=1))
        for group, count in plan["wanted"].items():
            for program in (each for each in plan["programs"] if each["suite"] == group):
                if count == 0:
                    break
                everything.append(each := Measurement(runner, program))
                each.begin()
                if each.verdict == "measured":
                    measured.append(each)
                    count -= 1
                said = f"{each.ratio():.3f}" if each.verdict == "measured" else each.verdict
                print(f"{time.monotonic() - begin:5.1f} s: {group}: {program['program']}: {said}", flush=True)
            save()
        measured.sort(key=lambda each: each.seconds)
        for number in range(1, options.rounds):
            for each in measured:
                if time.monotonic() - begin + each.seconds < options.seconds:
                    each.again(list(each.runs)[:: -1 if number % 2 else 1])
            save()
        for each in measured:
            print(f"{each.program['suite']}: {each.program['program']}: {each.ratio():.3f} ({min(map(len, each.runs.values()))} runs)"
                  + (f", also {statistics.median(map(whole, each.runs['also'])) / statistics.median(map(whole, each.runs['nvcc'])):.3f}" if each.runs.get("also") else ""))
        if measured:
            print(f"{len(measured)} programs, geometric mean {statistics.geometric_mean(each.ratio() for each in measured):.3f}, {time.monotonic() - begin:.0f} s")
        machine_code(tree, measured, out)
    return 0 if measured else 1


if __name__ == "__main__":
    sys.exit(main())

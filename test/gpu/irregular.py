#!/usr/bin/env python3
"""Irregular kernels while their records wait for space: nothing is lost that is not counted, nothing faults or hangs.

    irregular.py --programs FOLDER --cupranalyze PROGRAM --device gpu|cpu --work FOLDER [--all] [--scale N] [--only REGEX]

FOLDER holds test/gpu/irregular.cu as `irregular` (hooks called), and as `irregular_1` to `irregular_6` (inlined), with one kernel each. Each kernel runs with
buffers of several sizes, pages of several sizes, pages in device and in host memory, waiting and dropping, one and many streams. The
judge is CUPR_COUNT: what the device counted beside the records; of each launch, what was recorded and what was dropped must add up to
it, and without dropping the trace must be whole. A line for each run; then, on a GPU, how fast records leave that are waited for; the
last line counts the runs. Exit status 1 when something failed.

Without --all, a selection; --scale multiplies the work.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIMIT = 120
# Launches that are derived leave no records that wait, and the mix is one of those.
RECORDED = {"CUPR_DERIVE": "off"}
SPACES = ("global", "shared", "constant", "local")
DROPPED = "accesses were dropped (CUPR_FULL)"
# Sizes that make some ten to thirty million accesses; but those of `tree`, whose threads spin for locks, have no bound where records
# are dropped.
SIZES = {"mix": 1 << 20, "bfs": 1 << 20, "spmv": 1 << 20, "hash": 1 << 22, "sort": 1 << 18, "tree": 1 << 18}
DROPPING_SIZES = {"tree": 1 << 13}
BUFFERS, PAGES, BINS, FULL, STREAMS, HOOKS = ("1M", "16M", ""), ("4K", "16K", "128K", "1M"), ("device", "host"), ("wait", "drop"), (1, 8), ("called", "inlined")


def combinations(is_all):
    """Lists of (kernel, buffer, page, bins, full, streams, hooks)."""
    everything = itertools.product(SIZES, BUFFERS, PAGES, BINS, FULL, STREAMS, HOOKS)
    for number, each in enumerate(everything):
        # 1,152 in all; every 13th has each value of each setting with each kernel.
        if is_all or number % 13 == 0:
            yield each


class Runner:
    def __init__(self, options):
        self.options = options

    def run(self, job):
        number, (kernel, buffer, page, bins, full, streams, hooks) = job
        options = self.options
        program = "irregular" if hooks == "called" else f"irregular_{list(SIZES).index(kernel) + 1}"
        trace = Path(options.work) / f"irregular-{number}.cuprtrace"
        environment = {**os.environ, **RECORDED, "CUPR_DEVICE": options.device, "CUPR_COUNT": "1", "CUPR_TRACE": str(trace), "CUPR_PAGE": page,
                       "CUPR_BINS": bins, "CUPR_FULL": full}
        if buffer:
            environment["CUPR_BUFFER"] = buffer
        sizes = {**SIZES, **DROPPING_SIZES} if full == "drop" else SIZES
        size = max(1024, int(sizes[kernel] * options.scale) // streams)
        name = f"{kernel:5} buffer {buffer or 'default':7} page {page:4} {bins:6} {full:4} {streams} streams, hooks {hooks:7}"
        start = time.monotonic()
        try:
            done = subprocess.run([Path(options.programs).resolve() / program, kernel, str(size), "1", str(streams)], env=environment,
                                  capture_output=True, text=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            trace.unlink(missing_ok=True)
            return name, 0, f"no end in {LIMIT} s"
        seconds = time.monotonic() - start
        said = (done.stdout + done.stderr).strip()
        try:
            accesses, waits, dropped, fault = self.judge(trace, full == "drop")
        finally:
            trace.unlink(missing_ok=True)
        if done.returncode or not done.stdout.startswith("good"):
            fault = f"status {done.returncode}: {said[-300:]}"
        return f"{name}: {accesses:,} accesses, {dropped:,} dropped, {waits:,} waits, {seconds:.1f} s", accesses, fault

    def analyze(self, *arguments):
        return subprocess.run([self.options.cupranalyze, *arguments], capture_output=True, text=True, timeout=LIMIT, check=False)

    def judge(self, trace, may_drop):
        verdict = self.analyze("verify", trace)
        problems = [line for line in verdict.stderr.splitlines() if not (may_drop and (DROPPED in line or re.search(r": and \d+ more$", line)))]
        if problems or verdict.returncode not in (0, 2):
            return 0, 0, 0, "verify says " + "; ".join(problems[:3])
        accesses = waits = dropped = 0
        for launch in json.loads(self.analyze("info", "--json", trace).stdout)["launches"]:
            recorded = sum(launch.get(space, {}).get(kind, 0) for space in SPACES for kind in ("loads", "stores", "atomics"))
            if launch.get("counted") != recorded + launch["dropped"]:
                return 0, 0, 0, f"launch {launch['id']}: {recorded} recorded, {launch['dropped']} dropped, {launch.get('counted')} counted"
            accesses, waits, dropped = accesses + recorded, waits + launch["waits"], dropped + launch["dropped"]
        if accesses + dropped == 0:
            return 0, 0, 0, "nothing was recorded"
        return accesses, waits, dropped, None

    def rate(self):
        """Records of divergent lanes at scattered addresses, some seconds of them, into the null sink: how fast they leave, and
        whether they are as many as launches times those of one launch. Returns a line, accesses, and what is wrong."""
        size, rounds = 1 << 22, self.options.rounds
        trace = Path(self.options.work) / "irregular-one.cuprtrace"
        program = Path(self.options.programs).resolve() / "irregular_1"
        environment = {**os.environ, **RECORDED, "CUPR_DEVICE": self.options.device}
        subprocess.run([program, "mix", str(size)], env={**environment, "CUPR_COUNT": "1", "CUPR_TRACE": str(trace)}, capture_output=True,
                       timeout=LIMIT, check=False)
        one, _, _, fault = self.judge(trace, False)
        trace.unlink(missing_ok=True)
        done = subprocess.run([program, "mix", str(size), str(rounds)], env={**environment, "CUPR_SINK": "null"}, capture_output=True, text=True,
                              timeout=LIMIT, check=False)
        sink, ms = re.search(r"([\d,]+) records of ([\d,]+) accesses, ([\d,]+) bytes", done.stderr), re.search(r"good ([\d.]+) ms", done.stdout)
        if fault or not sink or not ms:
            return "rate under back-pressure", 0, fault or done.stdout + done.stderr
        records, accesses, size = (int(text.replace(",", "")) for text in sink.groups())
        seconds = float(ms[1]) / 1e3
        line = (f"rate under back-pressure, {rounds} launches: {size / seconds / 1e9:.1f} GB/s, {accesses / seconds / 1e9:.2f} G accesses/s, "
                f"{accesses / records:.1f} accesses per record, {accesses:,} accesses")
        return line, accesses, None if accesses == rounds * one else f"{rounds} times {one:,} would be {rounds * one:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--programs", "--cupranalyze", "--work"):
        parser.add_argument(name, required=True)
    parser.add_argument("--device", required=True, choices=["gpu", "cpu"])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    runner = Runner(options)
    tried = failed = total = 0
    jobs = [job for job in enumerate(combinations(options.all)) if re.search(options.only, " ".join(map(str, job[1])))]
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, accesses, fault in pool.map(runner.run, jobs):
            tried += 1
            failed += fault is not None
            total += accesses
            print(f"FAIL {name}: {fault}" if fault else f"pass {name}", flush=True)
    if options.device == "gpu":
        line, accesses, fault = runner.rate()
        tried += 1
        failed += fault is not None
        total += accesses
        print(f"FAIL {line}: {fault}" if fault else f"pass {line}")
    print(f"{total:,} accesses in irregular records; {tried - failed} passed, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""No access is lost, and what is lost on purpose is counted to the last one.

    lossless.py --tools build/release/bin --work FOLDER [--accesses N] [--device cpu|gpu] [WAY...]

Runs lossless.cu with 8 threads and 64 streams, the device counting each access (CUPR_COUNT), and compares three numbers: what arithmetic says, what the
device has counted, and what the trace holds. Where records are lost on purpose (a limit of the trace's size; on a GPU, CUPR_FULL=drop) the
difference must be what the trace says it is, launch by launch. A line for each way; exit status 1 when a number is wrong.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent

WAYS = {
    "default": {},
    "tiny buffer": {"CUPR_BUFFER": "1M", "CUPR_PAGE": "4K"},
    "capped": {"CUPR_MAX_BYTES": "150K"},
    "capped, tiny buffer": {"CUPR_MAX_BYTES": "120K", "CUPR_BUFFER": "1M", "CUPR_PAGE": "4K"},
    "drop": {"CUPR_FULL": "drop", "CUPR_BUFFER": "1M", "CUPR_PAGE": "4K"},
    "drop, capped": {"CUPR_FULL": "drop", "CUPR_BUFFER": "1M", "CUPR_PAGE": "4K", "CUPR_MAX_BYTES": "150K"},
}


# What a launch of each kernel makes, as in lossless.cu.
LANES, TURNS = 32 * 256, 16
ACCESSES = {"regular": 2 * LANES * TURNS, "scattered": 2 * LANES * TURNS, "divergent": LANES * (TURNS + 1) // 2 + LANES}


def made(launch):
    return next(count for name, count in ACCESSES.items() if name + "(" in launch["kernel"])


def recorded(launch):
    return sum(launch["global"][kind] for kind in ("loads", "stores", "atomics"))


def check(options, name, settings):
    trace = options.work / "t.cuprtrace"
    trace.unlink(missing_ok=True)
    environment = {**os.environ, "CUPR_DEVICE": options.device, "CUPR_TRACE": str(trace), "CUPR_COUNT": "1", "CUPR_CPU_MEMORY": "1G", **settings}
    start = time.monotonic()
    done = subprocess.run([options.work / "lossless", str(options.accesses)], env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    if done.returncode:
        return [f"the program ends with {done.returncode}: {done.stderr}"]
    expected = int(done.stdout)
    verdict = subprocess.run([options.tools / "cupranalyze", "verify", trace], capture_output=True, text=True, check=False)
    info = json.loads(subprocess.run([options.tools / "cupranalyze", "info", "--json", trace], capture_output=True, text=True, check=True).stdout)
    traced = [launch for launch in info["launches"] if launch["traced"]]
    untraced = [launch for launch in info["launches"] if not launch["traced"]]
    held, counted, dropped = (sum(map(of, traced)) for of in (recorded, lambda l: l.get("counted", 0), lambda l: l.get("dropped", 0)))
    print(
        f"{name}: {expected:,} accesses in {len(info['launches']):,} launches, {seconds:.1f} s; counted {counted:,}, recorded {held:,}, dropped {dropped:,}, "
        f"{len(untraced):,} launches not traced; {trace.stat().st_size:,} bytes; verify {verdict.returncode}",
        flush=True,
    )
    wrong = [f"launch {launch['id']}: {launch['counted']} counted, not {made(launch)}" for launch in traced if launch["counted"] != made(launch)]
    if sum(map(made, info["launches"])) != expected:
        wrong.append("launches are not listed")
    is_capped, may_drop = "CUPR_MAX_BYTES" in settings, settings.get("CUPR_FULL") == "drop"
    if not is_capped:
        if counted != expected:
            wrong.append(f"{counted} counted, not {expected}")
        if held + dropped != expected:
            wrong.append(f"{held} recorded and {dropped} dropped, not {expected}")
        if dropped and not may_drop:
            wrong.append(f"{dropped} dropped")
        if untraced:
            wrong.append(f"{len(untraced)} launches not traced")
        if bool(verdict.returncode) != bool(dropped):
            wrong.append(f"verify: {verdict.stdout}{verdict.stderr}")
    else:
        if verdict.returncode != 2 or (not untraced and not dropped):
            wrong.append("the limit was not reached")
        if any("size limit" not in launch["reason"] for launch in untraced):
            wrong.append("a launch behind the limit does not give it as its reason")
        for launch in traced:
            lacks = launch["counted"] - recorded(launch) - launch.get("dropped", 0)
            if launch["complete"] and lacks or not launch["complete"] and lacks < 0:
                wrong.append(f"launch {launch['id']}: {lacks} accesses are missing, and it is {'' if launch['complete'] else 'in'}complete")
    return [f"{name}: {line}" for line in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--accesses", type=int, default=1_000_000_000)
    parser.add_argument("--device", default="cpu", choices=["gpu", "cpu"])
    parser.add_argument("--built", action="store_true", help="the program is in the work folder already")
    parser.add_argument("ways", nargs="*", metavar="WAY")
    options = parser.parse_args()
    options.tools, options.work = options.tools.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    if not options.built:
        command = [options.tools / "cupr++", f"--device={options.device}", "-O2", "-o", options.work / "lossless", HERE / "lossless.cu"]
        subprocess.run(command, check=True)
    wrong = []
    for name, settings in WAYS.items():
        if not options.ways or name in options.ways:
            wrong += check(options, name, settings)
    for line in wrong:
        print("FAIL", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

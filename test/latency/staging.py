#!/usr/bin/env python3
"""Runs the program that staging.cu is with stages of several sizes, and compares what is recorded with the same program's accesses untimed.

    staging.py --cupranalyze=FILE [--device gpu|cpu] PROGRAM...

Each thread makes the same accesses in both, whatever a stage holds: compared access by access, and on a GPU with the CPU device, too. On a GPU each launch must say
how much its warps could stage. Exit status: 0, or 1 when anything is wrong.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

STAGES = ("0", "256", "1K", "2K")


def run(program, device, trace, **settings):
    environment = os.environ | {"CUPR_DEVICE": device, "CUPR_TRACE": str(trace), "CUPR_FORCE": "on", "CUPR_DERIVE": "off"} | settings
    done = subprocess.run([program], env=environment, check=False, text=True, capture_output=True)
    return "" if done.returncode == 0 and done.stdout == "right\n" else f"status {done.returncode}: {done.stdout}{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--device", default="cpu", choices=("gpu", "cpu"))
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    wrong, runs = [], 0
    for program in (str(pathlib.Path(each).resolve()) for each in options.programs):
        with tempfile.TemporaryDirectory() as folder:
            untimed, timed = pathlib.Path(folder) / "untimed.cuprtrace", pathlib.Path(folder) / "timed.cuprtrace"
            if said := run(program, "cpu", untimed):
                wrong.append(f"{program}, untimed: {said}")
                continue
            for stage in STAGES:
                runs += 1
                if said := run(program, options.device, timed, CUPR_LATENCY="on", CUPR_STAGE=stage):
                    wrong.append(f"{program}, stages of {stage}: {said}")
                    continue
                for verb in (["verify", timed], ["diff", "--accesses", untimed, timed]):
                    done = subprocess.run([options.cupranalyze, *map(str, verb)], check=False, text=True, capture_output=True)
                    if done.returncode:
                        wrong.append(f"{program}, stages of {stage}: {verb[0]} says {done.stdout}{done.stderr}")
                information = json.loads(subprocess.run([options.cupranalyze, "info", "--json", timed], check=True, text=True, stdout=subprocess.PIPE).stdout)
                asked = int(stage.replace("K", "")) * (1024 if "K" in stage else 1) if options.device == "gpu" else 0
                staged = {launch["stageBytes"] for launch in information["launches"]}
                if staged != {asked}:
                    wrong.append(f"{program}, stages of {stage}: launches had {staged}")
    print(*wrong, sep="\n")
    print(f"{runs} runs, {len(wrong)} wrong")
    return 1 if wrong or not runs else 0


sys.exit(main())

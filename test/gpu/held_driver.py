#!/usr/bin/env python3
"""Whether launches say that their records left the slow way: by warps that copied pages, since the program held the driver.

    held_driver.py --program held_driver --cupranalyze PROGRAM --work FOLDER

test/gpu/held_driver.cu on a GPU, with a record buffer that its launch fills many times over. Behind a copy that the tracer foresees no
page leaves so; behind one that it can't, some do, and `info` says how many. Either way every access is there.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

# 16 loads and stores by each of 4,096 * 256 threads.
ACCESSES = 2 * 16 * 4096 * 256


def launch_of(program, way, analyze, work):
    """The launch as `info --json` has it, the text, and the seconds of the run; or what was wrong."""
    trace = Path(work) / f"held-{way}.cuprtrace"
    environment = {**os.environ, "CUPR_DEVICE": "gpu", "CUPR_DERIVE": "off", "CUPR_BUFFER": "1M", "CUPR_PAGE": "16K", "CUPR_TRACE": str(trace)}
    start = time.monotonic()
    done = subprocess.run([program, way], env=environment, capture_output=True, text=True, timeout=120, check=False)
    seconds = time.monotonic() - start
    if done.returncode or done.stdout != "good\n":
        return f"status {done.returncode}: {done.stdout}{done.stderr}"
    verdict = subprocess.run([analyze, "verify", trace], capture_output=True, text=True, check=False)
    if verdict.returncode:
        return verdict.stdout + verdict.stderr
    text = subprocess.run([analyze, "info", trace], capture_output=True, text=True, check=True).stdout
    (launch,) = json.loads(subprocess.run([analyze, "info", "--json", trace], capture_output=True, text=True, check=True).stdout)["launches"]
    return launch, text, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--program", "--cupranalyze", "--work"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    failed = 0
    for way in ("runtime", "driver"):
        result = launch_of(Path(options.program).resolve(), way, options.cupranalyze, options.work)
        if isinstance(result, str):
            failed += 1
            print(f"FAIL {way}: {result}")
            continue
        launch, text, seconds = result
        pages = launch["evictedPages"]
        accesses = launch["global"]["loads"] + launch["global"]["stores"]
        is_right = accesses == ACCESSES and (pages > 0) == (way == "driver") and ("the slow way" in text) == (way == "driver")
        failed += not is_right
        print(f"{'pass' if is_right else 'FAIL'} copy by the {way}'s call: {accesses:,} accesses, {pages} pages evicted, {launch['waits']:,} waits, {seconds:.1f} s")
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

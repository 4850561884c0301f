#!/usr/bin/env python3
"""However a process ends, its trace can be read, is right, and says whether it is all: on either device. What the device has counted
(CUPR_COUNT) is what the trace of a launch with an end holds.

    process_ends.py --program PROGRAM --cupranalyze PROGRAM --device gpu|cpu --work FOLDER

PROGRAM is test/lit/e2e/Inputs/process_ends.cu. A line for each way of ending; the last one counts them. Exit status 1 when something
failed.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

LIMIT = 60

# Way of ending; the process's status; whether verify must find the trace whole; launches, of which so many
# complete, and records: None where the end does not wait for the GPU.
WAYS = [
    ("return", 0, True, 2, 2, 7),
    ("exit", 3, True, 2, 2, 7),
    ("quick_exit", 3, True, 2, 2, 7),
    ("abort", -signal.SIGABRT, True, 2, 2, 7),
    ("throw", -signal.SIGABRT, True, 2, 2, 7),
    ("crash", -signal.SIGSEGV, True, 2, 2, 7),
    ("signal 15", -signal.SIGTERM, True, 2, 2, 7),
    ("signal 2", -signal.SIGINT, True, 2, 2, 7),
    ("_exit", 3, False, 2, None, None),
    ("signal 9", -signal.SIGKILL, False, 2, None, None),
    ("during 15", -signal.SIGTERM, False, 3, 2, None),
    ("handled", 0, True, 3, 3, 8),
    ("reset", 0, True, 3, 3, 9),
    ("assert", 0, False, 3, None, None),  # after a trap nothing can be copied from the GPU
    ("nothing", 0, True, 12, 12, 7),
    ("many", 0, True, 10002, 10002, 10007),
    ("threads", 0, True, 642, 642, 3207),
    ("fork-idle", 0, True, 3, 3, 8),
]


def problem(options, way, status, whole, launches, complete, records):
    """What is wrong with a process that ends in this way and with its trace; None: nothing."""
    trace = Path(options.work) / "ends.cuprtrace"
    trace.unlink(missing_ok=True)
    environment = {**os.environ, "CUPR_DEVICE": options.device, "CUPR_TRACE": str(trace), "CUPR_COUNT": "1"}
    try:
        done = subprocess.run(
            [options.program, *way.split()],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it had not ended after {LIMIT} s"
    if done.returncode != status:
        return f"status {done.returncode}, not {status}"
    verdict = subprocess.run([options.cupranalyze, "verify", trace], capture_output=True, text=True, check=False)
    if (verdict.returncode == 0) != whole or "damaged" in verdict.stderr or "the device counted" in verdict.stderr:
        return f"verify says {verdict.returncode}: {(verdict.stdout + verdict.stderr).strip()}"
    shown = subprocess.run([options.cupranalyze, "info", "--json", trace], capture_output=True, text=True, check=False)
    if shown.returncode:
        return f"the trace can't be read: {shown.stderr.strip()}"
    total = json.loads(shown.stdout)["total"]
    if total["launches"] != launches:
        return f"{total['launches']} launches, not {launches}"
    if complete is not None and total["launches"] - total["incomplete"] != complete:
        return f"{total['incomplete']} of {launches} launches are incomplete"
    if records is not None and total["records"] != records:
        return f"{total['records']} records, not {records}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--program", "--cupranalyze", "--work"):
        parser.add_argument(name, required=True)
    parser.add_argument("--device", required=True, choices=["gpu", "cpu"])
    options = parser.parse_args()
    failed = 0
    for way, *expected in WAYS:
        found = problem(options, way, *expected)
        failed += found is not None
        print(f"FAIL {way}: {found}" if found else f"pass {way}", flush=True)
    print(f"{len(WAYS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

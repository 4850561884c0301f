#!/usr/bin/env python3
"""Runs a bundle of a suite's programs on a machine with a GPU: see bundle.py. Python 3 is all it needs.

usage: run [REGEX]       programs whose name matches; default: all

A line per program, and results.json in the working folder. Exit status: 0 when each is as it should be.
"""

import ctypes
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TIMEOUT = 120  # seconds of processor time for a run


def main():
    try:
        if ctypes.CDLL("libcuda.so.1").cuInit(0):
            raise OSError
    except OSError:
        sys.exit("run: no GPU here")
    here = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(here / "programs.tar.xz") as archive:
            archive.extractall(work)
        sys.path.insert(0, work)
        os.environ["LD_LIBRARY_PATH"] = f"{work}/lib:" + os.environ.get("LD_LIBRARY_PATH", "")
        rows = [check(Path(work), entry) for entry in json.loads(Path(work, "programs.json").read_text())
                if re.search(sys.argv[1] if len(sys.argv) > 1 else "", entry["program"])]
    Path("results.json").write_text(json.dumps(rows, indent=1))
    good = [row for row in rows if row["tracing"] == "same"]
    alike = [row for row in rows if row["devices"] == "same"]
    print(f"{len(rows)} programs: {len(good)} with unchanged output when traced on the GPU, "
          f"{len(alike)} with the same output on both devices")
    return 0 if len(good) == len(rows) else 1


def check(work, entry):
    from suite.comparison import Incomparable, compare
    from suite.running import run

    folders = {mode: work / "suites" / entry["suite"] / mode / entry["folder"] for mode in ("plain", "traced")}
    trace = work / "trace.cuprtrace"

    def start(mode, **environment):
        folder = folders[mode]
        outcome = run(folder / entry["executable"], entry["arguments"], folder, TIMEOUT, environment)
        outcome.stdout = outcome.stdout.replace(str(work / "suites" / entry["suite"] / mode), "<suite>")
        outcome.files.pop(trace.name, None)
        return outcome

    def verdict(plain, other):
        if other.died:
            return other.cause()
        try:
            return compare(plain, other) or "same"
        except Incomparable as problem:
            return f"incomparable: {problem}"

    row = {"suite": entry["suite"], "program": entry["program"], "tracing": "", "devices": "", "accesses": 0}
    plain = [start("plain"), start("plain")]
    if plain[0].died:
        row["tracing"] = f"the plain program: {plain[0].cause()}"
    else:
        traced = start("traced", CUPR_DEVICE="gpu", CUPR_TRACE=str(trace))
        row["tracing"] = verdict(plain, traced)
        if row["tracing"] != "same" and not traced.died:
            row["tracing"] = verdict([*plain, start("plain")], traced)
        if row["tracing"] == "same":
            done = subprocess.run([work / "cupranalyze", "verify", trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True)
            if done.returncode:
                row["tracing"] = "trace: " + done.stdout.split("\n")[0]
            elif count := re.search(r"(\d+) thread accesses", done.stdout):
                row["accesses"] = int(count.group(1))
        row["devices"] = verdict([*plain, traced], start("traced", CUPR_DEVICE="cpu", CUPR_TRACE="off"))
        trace.unlink(missing_ok=True)
    print(f"{entry['suite']}/{row['program']}: {row['tracing']}; {row['accesses']:,} accesses; CPU device: {row['devices']}",
          flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())

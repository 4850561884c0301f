#!/usr/bin/env python3
"""Threads that launch at the same time: every launch is in the trace once, whole, on its thread's stream, with the call that made it, and each thread has its own calls.

    launching_threads.py --program PROGRAM --cupranalyze PROGRAM --work FOLDER [--threads N] [--launches N]

PROGRAM is launching_threads.cu. Prints how long it took without and with tracing. Exit status 1 when something is wrong.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

LIMIT = 400
# Each thread waits for its stream once, behind its launches.
BY_THREAD = """SELECT stream, count(*) AS launches, count(DISTINCT thread) AS threads, count(DISTINCT host_call) AS calls, min(path) AS path, max(path) AS last,
  sum(traced) AS traced, sum(function = 'cudaLaunchKernel') AS named
  FROM launches JOIN host_calls ON host_calls.id = host_call GROUP BY stream"""
THREADS = "SELECT count(DISTINCT thread) AS threads FROM launches JOIN host_calls ON host_calls.id = host_call"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--launches", type=int, default=10000)
    options = parser.parse_args()
    trace = options.work / "launching_threads.cuprtrace"

    def seconds(**settings):
        environment = {**os.environ, "CUPR_TRACE": str(trace), "CUPR_FORCE": "on", **settings}
        command = [options.program.resolve(), str(options.threads), str(options.launches)]
        return float(subprocess.run(command, env=environment, check=True, timeout=LIMIT, capture_output=True, text=True).stdout)

    def rows(query):
        command = [options.cupranalyze, "sql", "--json", trace, query]
        said = subprocess.run(command, check=True, timeout=LIMIT, capture_output=True, text=True).stdout
        return [json.loads(line) for line in said.splitlines()]

    untraced, traced = seconds(CUPR_KERNELS="nosuch", CUPR_PATHS="off"), seconds()
    count = options.threads * options.launches
    print(f"{count:,} launches by {options.threads} threads: {untraced:.2f} s not chosen, {traced:.2f} s traced, "
          f"{(traced - untraced) / count * 1e6:.2f} us each on top, {trace.stat().st_size / count:.1f} bytes each")
    wrong = []
    verified = subprocess.run([options.cupranalyze, "verify", trace], check=False, timeout=LIMIT, capture_output=True, text=True)
    if verified.returncode:
        wrong.append(f"verify: {verified.stdout}{verified.stderr}")
    streams = rows(BY_THREAD)
    expected = {"launches": options.launches, "threads": 1, "calls": options.launches, "traced": options.launches, "named": options.launches}
    for row in streams:
        if found := {name: row[name] for name, value in expected.items() if row[name] != value}:
            wrong.append(f"stream {row['stream']}: {found}")
        if row["path"] != row["last"] or not all(name in row["path"] for name in ("launchOften", "oneLaunch")):
            wrong.append(f"stream {row['stream']}: paths from {row['path']} to {row['last']}")
    if len(streams) != options.threads or rows(THREADS) != [{"threads": options.threads}]:
        wrong.append(f"{len(streams)} streams and {rows(THREADS)}")
    totals = rows("SELECT operation, sum(accesses) AS accesses FROM site_totals GROUP BY operation ORDER BY operation")
    if totals != [{"operation": name, "accesses": 32 * count} for name in ("load", "store")]:
        wrong.append(f"accesses: {totals}")
    trace.unlink()
    print(*wrong, sep="\n")
    print(f"{len(streams)} streams, {len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())

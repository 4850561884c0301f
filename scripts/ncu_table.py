#!/usr/bin/env python3
"""Sets a trace's warp-level accesses beside the GPU's own counters, launch by launch.

    ncu_table.py --cupranalyze PROGRAM [--ncu ncu] PLAIN TRACED [-- ARGUMENTS]

Runs PLAIN under Nsight Compute and TRACED with tracing, and prints a table in Markdown. The counters are SASS
instructions per warp: one that ptxas cuts in two (a copy of 12 bytes) or a warp that splits counts more than once,
so a difference is a question, not yet a fault: --causes names a file of known causes, a line each: program, kernel
and cause, apart by tabs. They stand in the table's last column. Reductions (atomics whose result is unused) and other atomics are
one column.
Exit status: 0 all equal or explained, 1 some differ without a cause, 2 a program could not be run.
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TIMEOUT = 300

# Class of accesses -> counters that add up to it.
COUNTERS = {
    "loads": ["smsp__sass_inst_executed_op_global_ld.sum"],
    "stores": ["smsp__sass_inst_executed_op_global_st.sum"],
    "atomics": ["smsp__inst_executed_op_global_red.sum", "smsp__sass_inst_executed_op_global_atom.sum"],
}

# Reasons of launches that ncu has no row for: no kernel ran; ncu doesn't profile what a conditional node holds.
NO_ROW = ("the launch failed", "the body of a conditional node")


def run(command, environment=None):
    full = {**os.environ, **(environment or {})}
    done = subprocess.run(command, env=full, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode:
        said = (done.stderr + done.stdout).strip()[-2000:]
        raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}: {said}")
    return done.stdout


def counted(ncu, program, arguments, environment):
    """Per launch: (kernel, {class: warp-level instructions}), as ncu counts."""
    metrics = ",".join(name for names in COUNTERS.values() for name in names)
    command = [ncu, "--clock-control", "none", "--csv", "--page", "raw", "--metrics", metrics, program, *arguments]
    text = run(command, environment)
    # The program's own output comes first; the table starts at its heading.
    start = text.find('"ID",')
    if start < 0:
        raise RuntimeError(f"ncu printed no table: {text[-500:]}")
    launches = []
    for row in csv.DictReader(io.StringIO(text[start:])):
        if not row["ID"]:  # the row of units
            continue
        value = lambda name: int(float(row[name].replace(",", "")))
        launches.append((row["Kernel Name"], {kind: sum(map(value, names)) for kind, names in COUNTERS.items()}))
    return launches


def traced(cupranalyze, program, arguments, environment):
    """Per launch: (kernel, {class: records}), as the trace has them."""
    with tempfile.TemporaryDirectory() as work:
        trace = str(Path(work) / "trace")
        run([program, *arguments], {**environment, "CUPR_TRACE": trace})
        run([cupranalyze, "verify", trace])
        launches = {}
        for launch in json.loads(run([cupranalyze, "info", "--json", trace]))["launches"]:
            if any(text in launch.get("reason", "") for text in NO_ROW):
                continue
            launches[launch["id"]] = launch["kernel"], dict.fromkeys(COUNTERS, 0)
        with subprocess.Popen([cupranalyze, "dump", "--json", trace], stdout=subprocess.PIPE, text=True) as dump:
            for line in dump.stdout:
                record = json.loads(line)
                if record["space"] != "global":
                    continue
                kind = {"load": "loads", "store": "stores"}.get(record["operation"], "atomics")
                launches[record["launch"]][1][kind] += 1
        return list(launches.values())


def rows(name, plain, trace, causes):
    """(Markdown row, equal) per launch; launches of one kernel with the same figures share a row."""
    groups = {}
    for (_, hardware), (kernel, records) in zip(plain, trace):
        key = kernel, tuple(hardware.values()), tuple(records.values())
        groups[key] = groups.get(key, 0) + 1
    for (kernel, hardware, records), times in groups.items():
        difference = [after - before for before, after in zip(hardware, records)]
        cells = " | ".join(f"{before:,} | {after:,}" for before, after in zip(hardware, records))
        words = [f"{kind} {d:+,}" for kind, d in zip(COUNTERS, difference) if d]
        word = ", ".join(words) or "equal"
        short = kernel.split("(")[0]
        cause = causes.get((name, short), "**unexplained**") if words else ""
        yield f"| {name} | {short} | {times} | {cells} | {word} | {cause} |", not words or (name, short) in causes


def heading():
    names = " | ".join(f"{kind} ncu | {kind} trace" for kind in COUNTERS)
    return f"| program | kernel | launches | {names} | difference | cause |\n| --- | --- | ---: |" + " ---: |" * 6 + " --- | --- |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--no-heading", action="store_true", help="print rows only")
    parser.add_argument("--causes", type=Path, help="known causes of differences")
    parser.add_argument("plain")
    parser.add_argument("traced")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    environment = {"CUPR_DEVICE": "gpu"}
    lines = options.causes.read_text().splitlines() if options.causes else []
    causes = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in lines if line and line[0] != "#"}
    name = Path(options.plain).name
    try:
        plain = counted(options.ncu, options.plain, options.arguments, environment)
        trace = traced(options.cupranalyze, options.traced, options.arguments, environment)
    except (RuntimeError, OSError, KeyError, subprocess.TimeoutExpired) as error:
        print(f"ncu_table.py: {name}: {error}", file=sys.stderr)
        return 2
    if not options.no_heading:
        print(heading())
    if len(plain) != len(trace):
        print(f"| {name} | {len(plain)} launches in ncu, {len(trace)} in the trace |")
        return 1
    equal = True
    for text, same in rows(name, plain, trace, causes):
        print(text)
        equal = equal and same
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())

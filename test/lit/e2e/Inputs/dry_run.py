"""Compares the estimate of `cupr-run --dry-run` with the trace that the program writes.

    dry_run.py CUPR_RUN PROGRAM ARGUMENTS...
"""

import json
import subprocess
import sys

cupr_run, *command = sys.argv[1:]
subprocess.run([cupr_run, "-q", "--dry-run", "--summary=estimate.json", *command], check=True)
subprocess.run([cupr_run, "-q", "-f", "-o", "whole.cuprtrace", "--summary=summary.json", *command], check=True)
(estimate,) = json.load(open("estimate.json"))["processes"]
(trace,) = json.load(open("summary.json"))["traces"]
for figure in ("launches", "traced", "records", "accesses", "accessBytes"):
    assert estimate[figure] == trace[figure], f"{figure}: {estimate[figure]} counted, {trace[figure]} in the trace"
size = estimate["traceBytes"]
assert size["low"] <= trace["fileBytes"] <= size["high"], f"{trace['fileBytes']} bytes are outside of {size}"
print(f"{command}: {trace['fileBytes']} bytes, estimated {size}")

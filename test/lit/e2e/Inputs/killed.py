"""Ends a program that launches for ever at random moments: what its trace holds is right to the record.

    killed.py CUPRANALYZE PROGRAM SIGNAL TRIALS

PROGRAM is process_ends.cu. Exit status 1 with a line for each thing that is wrong.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

cupranalyze, program, name, trials = sys.argv[1:]
ending = getattr(signal, name)
# What may be wrong with a trace: after SIGKILL it must be cut, after others there was time to finish it, while a launch
# may have been running.
CUT = re.compile("truncated at message")
FINISHED = re.compile(r"launch \d+ \(.*\) has no end|the program could not write all of the trace")
seed = random.randrange(1 << 32)
random.seed(seed)
wrong = []
launches = 0
for trial in range(int(trials)):
    trace = Path(f"killed.{trial}")
    trace.unlink(missing_ok=True)
    child = subprocess.Popen([program, "forever"], env={**os.environ, "CUPR_TRACE": str(trace)})
    # Once there are some launches, any moment will do.
    while not trace.exists() or trace.stat().st_size < 10000:
        time.sleep(0.001)
    time.sleep(random.uniform(0, 0.1))
    child.send_signal(ending)
    if child.wait() != -ending:
        wrong.append(f"trial {trial}: the program ended with {child.returncode}")
    verdict = subprocess.run([cupranalyze, "verify", str(trace)], capture_output=True, text=True, check=False)
    if ending == signal.SIGKILL:
        expected = verdict.returncode == 2 and CUT.search(verdict.stderr)
    else:
        expected = all(FINISHED.search(line) for line in verdict.stderr.splitlines())
    if not expected:
        wrong.append(f"trial {trial}: verify says {verdict.returncode}: {verdict.stdout}{verdict.stderr}")
    # The first launch has 4 blocks, the second 3, all others 2; a block is a record of 32 stores.
    found = json.loads(subprocess.run([cupranalyze, "info", "--json", str(trace)], capture_output=True, check=True).stdout)
    for launch in found["launches"]:
        blocks = {1: 4, 2: 3}.get(launch["id"], 2)
        figures = launch["records"], launch["global"]["stores"]
        if launch["complete"] and figures != (blocks, 32 * blocks):
            wrong.append(f"trial {trial}: launch {launch['id']}: records and stores are {figures}")
        launches += launch["complete"]
    incomplete = [launch["id"] for launch in found["launches"] if not launch["complete"]]
    if len(incomplete) > 1:
        wrong.append(f"trial {trial}: more than one launch was running: {incomplete}")
print(f"{trials} trials with seed {seed}: {launches} launches looked at")
for line in wrong:
    print(line)
sys.exit(1 if wrong or not launches else 0)

"""Whether a function has a share of the program's own thread's processor time, and all that is not in calls of the API another.

    cupranalyze profile --json TRACE | shares.py FUNCTION PERCENT WITHIN PERCENT_OUTSIDE_OF_CALLS WITHIN
"""
import json
import sys

name, share, within, outside, outside_within = sys.argv[1], *map(float, sys.argv[2:])
profile = json.load(sys.stdin)
thread = max(profile["profileThreads"], key=lambda thread: thread["processorTime"])
time, in_calls = thread["processorTime"], thread["processorTimeInCalls"]
(function,) = [row for row in profile["profileProcedures"] if row["name"].split("(")[0] == name]
of_function, of_host = 100 * function["total"]["processorTime"] / time, 100 * (time - in_calls) / time
print(f"{name}: {of_function:.1f} % of the processor time; outside of calls {of_host:.1f} %")
sys.exit(not (abs(of_function - share) <= within and abs(of_host - outside) <= outside_within))

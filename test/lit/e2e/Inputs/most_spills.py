"""Usage: most_spills.py LIMIT COST.json...    Fails if a kernel gains more bytes of spill stores than the limit when traced."""

import json
import sys

limit = int(sys.argv[1])
gains = {}
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for kernel in json.load(file)["kernels"]:
            gains[kernel["kernel"]] = kernel["traced"]["spillStoreBytes"] - kernel["plain"]["spillStoreBytes"]
assert gains, "no kernels"
for kernel, gain in gains.items():
    if gain > limit:
        sys.exit(f"{kernel}: {gain} bytes of spill stores more than plain, {limit} are allowed")
print(f"{len(gains)} kernels, none gains more than {max(gains.values())} bytes")

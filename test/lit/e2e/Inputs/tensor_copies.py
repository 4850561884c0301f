"""Compares the trace of tensor_copies.cu with what the program says of each copy: the bytes of global memory that it reaches, by loads, stores or
atomic operations, and the box in shared memory, which is written or read whole. What else the kernels do is arithmetic, too.

    tensor_copies.py CUPRANALYZE TRACE OUTPUT
"""

import json
import re
import subprocess
import sys

EVERY_BOX = re.compile(r"(.*): 0 of \d+ differ, (\d+) bytes of memory, (\d+) of the box")


def main(cupranalyze: str, trace: str, output: str) -> int:
    info = json.loads(subprocess.run([cupranalyze, "info", "--json", trace], check=True, capture_output=True).stdout)
    with open(output, encoding="utf-8") as said:
        copies = [match.groups() for match in map(EVERY_BOX.match, said) if match]
    launches = info["launches"]
    wrong = [] if len(copies) == len(launches) > 0 else [f"{len(copies)} copies, {len(launches)} launches"]
    for (name, memory, box), launch in zip(copies, launches):
        of_memory, of_box = int(memory), int(box)
        stores = launch["kernel"].startswith("void stores")
        adds = launch["kernel"].startswith("void stores<2, true>")
        # A load's kernel writes what has come to memory, a store's brings it from there; both by way of shared memory.
        expected = {
            "loadBytes": of_box if stores else of_memory,
            "storeBytes": of_box if not stores else 0 if adds else of_memory,
            "atomicBytes": of_memory if adds else 0,
        }
        found = {key: launch["global"][key] for key in expected}
        if found != expected:
            wrong.append(f"{name}: global memory: {found}, and not {expected}")
        shared = {"loadBytes": of_box, "storeBytes": of_box}
        found = {key: launch["shared"][key] for key in shared}
        if found != shared:
            wrong.append(f"{name}: shared memory: {found}, and not {shared}")
    print("\n".join(wrong) or f"{len(copies)} copies as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

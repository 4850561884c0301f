#!/usr/bin/env python3
"""cuprewrite over sources that stop in the middle: it says what is wrong, and neither crashes nor hangs.

    truncated_sources.py --cuprewrite PROGRAM [--stride BYTES] [--limit SECONDS] SOURCES...

Each source is cut after every BYTES bytes, in a copy of its folder, so that its headers are found. All cuts of a source
are read by one cuprewrite, which must end by itself with 0 or 1 and, in the second case, name an error.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def check(program, source, stride, limit):
    """What went wrong with the cuts of `source`; empty: nothing. And how many there were."""
    text = source.read_bytes()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "cut"
        shutil.copytree(source.parent, folder)
        cuts = []
        for size in range(0, len(text), stride):
            cuts.append(folder / f"{source.stem}.{size}.cu")
            cuts[-1].write_bytes(text[:size])
        command = [program, "--list", *cuts, "--", "-std=c++17", "-fgpu-rdc"]
        try:
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired:
            return f"did not end within {limit} s", len(cuts)
        if result.returncode not in (0, 1):
            return f"ended with {result.returncode}: {result.stderr[-2000:]}", len(cuts)
        if result.returncode == 1 and "error:" not in result.stderr:
            return "failed without an error", len(cuts)
        return "", len(cuts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuprewrite", required=True)
    parser.add_argument("--stride", type=int, default=50)
    parser.add_argument("--limit", type=float, default=1800)
    parser.add_argument("sources", nargs="+", type=Path)
    options = parser.parse_args()
    program = str(Path(options.cuprewrite).resolve())
    failed = 0
    for source in options.sources:
        problem, cuts = check(program, source.resolve(), options.stride, options.limit)
        print(f"{source}: {cuts} cuts: {problem or 'ok'}", flush=True)
        failed += bool(problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

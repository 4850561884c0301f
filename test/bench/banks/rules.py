#!/usr/bin/env python3
"""Holds the rules of bank wavefronts (analysis/engine/bank_wavefronts.h) to what a GPU counts, access by access.

    rules.py write > FILE                    random and regular accesses of one warp, for rules.cu: the same each time
    rules.py metrics                         the counters, as ncu's --metrics takes them
    rules.py counts FILE.csv > FILE.tsv      wavefronts and conflicts of each, of what `ncu --csv --page raw --metrics ... rules FILE` printed
    rules.py compare FILE.tsv                these, beside what test/reference computes

Exit status: 0 all is equal, 1 something is not.
"""

import collections
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reference"))

from banks import request_figures
from counters import COUNTERS, launches_of

FULL = 0xFFFFFFFF
SPACE = 32768


def width_of(operation):
    if operation.startswith(("matrix", "stmatrix")):
        return 16
    return int(operation.lstrip("abcdefghijklmnopqrstuvwxyz"))


def places(choose, width):
    return [choose(lane) * width % SPACE for lane in range(32)]


def regular(width):
    """Strides, broadcasts, rows of narrow blocks, and what two or four lanes may share."""
    for stride in (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33):
        yield FULL, places(lambda lane: stride * lane, width)
    for row in (2, 4, 8, 16):
        for pitch in (1, 2, 4, 16, 17, 32, 33):
            yield FULL, places(lambda lane: lane % row + pitch * (lane // row), width)
    for shift in (1, 2, 4, 8):  # lanes n and n ^ shift share an address, or n and n & shift do
        for stride in (1, 2, 3, 5, 8, 16, 32):
            yield FULL, places(lambda lane: stride * (lane & ~shift), width)
    for shared in (3, 5, 6, 7, 12, 15):
        for stride in (1, 2, 3, 8):
            yield FULL, places(lambda lane: stride * (lane & ~shared), width)
    for mask in (0x0000FFFF, 0xFFFF0000, 0x00FF00FF, 0x0F0F0F0F, 0x55555555, 0x33333333, 0x11111111, 0x000000FF, 0x0000000F, 1, 0x80000001, 0x7FFFFFFF, 0xFFFF, 0x5555):
        for stride in (1, 2, 4, 8, 9, 32):
            yield mask, places(lambda lane: stride * lane, width)
    for mask in (0x0000FFFF, 0x55555555, 0x33333333):
        yield mask, places(lambda lane: 3 * (lane & ~1), width)
        yield mask, places(lambda lane: 3 * (lane & ~2), width)


def scattered(width, rng):
    for few in (2, 4, 8, 16, 32, 64, 256, 1024):
        for _ in range(3):
            yield FULL, places(lambda lane: rng.randrange(few), width)
            yield rng.getrandbits(32) or 1, places(lambda lane: rng.randrange(few), width)
    for shift in (1, 2, 4):  # pairs that share a random address, in all of the warp, or a half, or a quarter
        for few in (4, 16, 64, 512):
            of_pair = [rng.randrange(few) for _ in range(32)]
            yield FULL, places(lambda lane: of_pair[lane & ~shift], width)
            yield 0xFFFF0FFF, places(lambda lane: of_pair[lane & ~shift], width)
            yield FULL, places(lambda lane: of_pair[lane & ~shift if lane < 16 else lane], width)
            yield FULL, places(lambda lane: of_pair[lane & ~shift if lane >= 8 else lane], width)
            yield FULL, places(lambda lane: of_pair[lane & ~shift if lane < 16 else lane & ~(3 - shift) if shift < 3 else lane], width)
            yield rng.getrandbits(32) or 1, places(lambda lane: of_pair[lane & ~shift], width)


def patterns():
    rng = random.Random(20261126)
    for operation in ("ld1", "ld2", "ld4", "ld8", "ld16", "st1", "st2", "st4", "st8", "st16"):
        width = width_of(operation)
        for mask, offsets in (*regular(width), *scattered(width, rng)):
            if width > 2 or rng.random() < 0.4:
                yield operation, mask, offsets
    for operation in ("add4", "min4", "exch4", "cas4", "inc4", "and4", "red4", "count4", "exch8", "cas8", "cp4", "cp8", "cp16"):
        width = width_of(operation)
        for mask, offsets in (*regular(width), *scattered(width, rng)):
            if rng.random() < 0.2:
                yield operation, mask, offsets
    for operation in ("matrix1", "matrix2", "matrix4", "stmatrix1", "stmatrix2", "stmatrix4"):
        for mask, offsets in (*regular(16), *scattered(16, rng)):
            if mask == FULL and rng.random() < 0.3:
                yield operation, mask, offsets


def expected(operation, mask, offsets):
    """(class of the counters, wavefronts, conflicts)"""
    kind, width = operation.rstrip("0123456789"), width_of(operation)
    lanes = {lane: offsets[lane] for lane in range(32) if mask >> lane & 1}
    if kind in ("matrix", "stmatrix"):  # whose phases are never merged
        lanes = {lane: offsets[lane] for lane in range(8 * int(operation[-1]))}
    name = {"ld": "load", "matrix": "store", "st": "store", "stmatrix": "store", "cas": "atomic cas"}.get(kind, "atomic")
    sums = request_figures(lanes, width, name)
    wavefronts = sums["wordWavefronts" if kind == "count" else "wavefronts"]
    conflicts = wavefronts - sums["idealWavefronts"]
    # Of a compare-and-swap, one of two wavefronts counts as a conflict. Copies have no counter of wavefronts.
    return {"ld": "ld", "matrix": "ld", "st": "st", "stmatrix": "st", "cp": "ldgsts"}.get(kind, "atom"), None if kind == "cp" else wavefronts, \
        conflicts // 2 if kind == "cas" else conflicts


def write():
    for operation, mask, offsets in patterns():
        print(operation, f"{mask:x}", *offsets)


def counts(name):
    """cp.async has no counter of wavefronts."""
    launches = launches_of(Path(name).read_text(), COUNTERS)
    for (operation, mask, offsets), (_, counters) in zip(patterns(), launches, strict=True):
        of, _, _ = expected(operation, mask, offsets)
        print(operation, counters.get(f"wavefronts_{of}", "-"), counters[f"conflicts_{of}"], sep="\t")


def compare(name):
    right, wrong = collections.Counter(), collections.Counter()
    for (operation, mask, offsets), line in zip(patterns(), Path(name).read_text().splitlines(), strict=True):
        _, wavefronts, conflicts = expected(operation, mask, offsets)
        computed = "\t".join(map(str, (operation, "-" if wavefronts is None else wavefronts, conflicts)))
        right[operation] += line == computed
        wrong[operation] += line != computed
        if line != computed and wrong[operation] <= 3:
            print(f"{mask:x}: counted {line.split()}, computed {computed.split()}: {offsets}")
    print(", ".join(f"{operation} {right[operation]}" for operation in right if right[operation]))
    print(f"{right.total()} equal, {wrong.total()} not")
    return wrong.total() != 0


def main():
    verb, *arguments = sys.argv[1:] or [""]
    if verb == "write" and not arguments:
        return write()
    if verb == "metrics" and not arguments:
        return print(",".join(COUNTERS.values()))
    if verb in ("counts", "compare") and len(arguments) == 1:
        return {"counts": counts, "compare": compare}[verb](*arguments)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())

"""Compares the floating-point instructions of two PTX files, kernel by kernel: float_operations.py ONE OTHER.

What is compared is which there are and how often: compilers order them differently. Without a rounding, `mul.f32` is
`mul.rn.f32` that may be fused with an addition later; that difference counts."""

import collections
import re
import sys


def operations(path):
    kernels, kernel = {}, None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = re.search(r"\.entry (\w+)\(", line)
            if entry:
                kernel = kernels.setdefault(entry[1], collections.Counter())
            elif re.search(r"\.func\b", line):
                kernel = None
            instruction = re.match(r"\s+(?:@!?%p\d+\s+)?([a-z][a-z0-9_.]*\.f(?:32|64)\S*)\s", line)
            if instruction and kernel is not None and not instruction[1].startswith(("mov", "ld", "st", "selp")):
                kernel[instruction[1]] += 1
    return kernels


def main():
    one, other = map(operations, sys.argv[1:3])
    assert one and one.keys() == other.keys(), (sorted(one), sorted(other))
    different = [name for name in one if one[name] != other[name]]
    for name in different:
        print(f"{name}: {dict(one[name])} against {dict(other[name])}")
    print(f"{len(one) - len(different)} of {len(one)} kernels have the same floating-point instructions")
    return bool(different)


sys.exit(main())

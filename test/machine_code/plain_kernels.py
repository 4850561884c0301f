#!/usr/bin/env python3
"""Compares machine code: a kernel that is not traced must be the one that clang alone makes, with the same flags.

    plain_kernels.py --tools BIN [--arch sm_90] [--flags='-std=c++17 -O2'] [--jobs N] SOURCE...

Each source is compiled by clang++-22 and by cupr++, to objects. For each kernel the instructions must be the same, bit by
bit, and so must the number of registers. One thing is allowed: the plain kernel of augmented sources has the
trace argument in front of its own parameters (96 bytes, a multiple of every alignment), so where an instruction
reads parameters, in the constant bank, the offset may be larger by that, and nothing else may differ.

A line for each kernel that differs, and one in the end. Exit status: 0, 1 when one does, 2 when something can't be compiled.
"""

import argparse
import concurrent.futures
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import cubin

TRACE_BYTES = 96
# An operand c[bank][offset], as sm_70 and later write it: 14 bits of offset in words, from bit 40 on.
OFFSET_SHIFT, OFFSET_BITS = 40, 14


def is_shifted(plain, ours):
    """Whether two instructions differ in an offset of the constant bank, by the trace argument."""
    (low, high), (our_low, our_high) = struct.unpack("<QQ", plain), struct.unpack("<QQ", ours)
    moved = TRACE_BYTES // 4 << OFFSET_SHIFT
    mask = (1 << OFFSET_BITS) - 1 << OFFSET_SHIFT
    return high == our_high and low & ~mask == our_low & ~mask and our_low - low == moved


def difference(plain, ours, takes_trace):
    """What differs, in words; empty: nothing."""
    if plain.registers != ours.registers:
        return f"{plain.registers} registers -> {ours.registers}"
    before, now = plain.instructions(), ours.instructions()
    if len(before) != len(now):
        return f"{len(before)} instructions -> {len(now)}"
    different = [number for number, pair in enumerate(zip(before, now))
                 if pair[0] != pair[1] and not (takes_trace and is_shifted(*pair))]
    return f"{len(different)} of {len(before)} instructions differ, the first is number {different[0]}" if different else ""


def signatures(names):
    """Each kernel's name as its source has it, and whether the trace was added to its parameters."""
    shown = subprocess.run(["c++filt", *names], capture_output=True, text=True, check=True).stdout.splitlines()
    trace = re.compile(r"\(cupr::argument::Trace(, )?")
    return {name: (trace.sub("(", text, count=1), bool(trace.search(text))) for name, text in zip(names, shown)}


def compiled(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env={**os.environ, "CUPR_TRACE": "off"})
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")


class Comparison:
    def __init__(self, options):
        self.options = options
        self.cuda = os.environ.get("CUDA_PATH", "/usr/local/cuda")

    def objects(self, source, folder):
        flags = self.options.flags.split()
        plain, traced = folder / "plain.o", folder / "traced.o"
        # The one flag that cupr++ reads device code with and that makes other code: docs/compatibility.md, values that are not set.
        compiled(["clang++-22", *flags, "-Xclang", "-no-enable-noundef-analysis", "-Wno-unknown-cuda-version", f"--cuda-path={self.cuda}",
                  f"--cuda-gpu-arch={self.options.arch}", "-isystem", f"{self.cuda}/include/cccl", "-c", source, "-o", plain])
        compiled([Path(self.options.tools) / "cupr++", "--device=gpu", *flags, f"-arch={self.options.arch}", "-c", source, "-o",
                  traced])
        return plain, traced

    def compare(self, source):
        """Lines of what differs, and the number of kernels."""
        with tempfile.TemporaryDirectory() as folder:
            plain, traced = ({name: code for elf in cubin.images(path) for name, code in cubin.kernels(elf).items()}
                             for path in self.objects(source, Path(folder)))
        if not plain:
            return [], 0
        ours = {text: (traced[name], takes) for name, (text, takes) in signatures(list(traced)).items()}
        lines = []
        for name, (text, _) in signatures(list(plain)).items():
            what = difference(plain[name], *ours[text]) if text in ours else "is missing"
            if what:
                lines.append(f"different: {source}: {text}: {what}")
        return lines, len(plain)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--flags", default="-std=c++17 -O2 -Wno-pass-failed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("sources", nargs="+", type=Path, metavar="SOURCE")
    options = parser.parse_args()
    comparison = Comparison(options)
    different, kernels = [], 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for lines, count in pool.map(comparison.compare, options.sources):
                print("\n".join(lines), end="\n" if lines else "", flush=True)
                different += lines
                kernels += count
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"plain_kernels.py: {error}", file=sys.stderr)
        return 2
    print(f"{kernels} kernels of {len(options.sources)} sources, {len(different)} of them other code when built with tracing")
    return 1 if different or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())

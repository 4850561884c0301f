#!/usr/bin/env python3
"""Runs scripts/try_suite on a suite that is made here, with one program of each kind of result.

usage: try.py BIN FOLDER
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

TRY_SUITE = Path(__file__).resolve().parents[2] / "scripts/try_suite"

KERNEL = """#include <cstdio>
#include <cstdlib>
__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
int run(int value) {
  int *p, sum = 0, back[32];
  cudaMalloc(&p, sizeof(back));
  fill<<<1, 32>>>(p, value);
  cudaMemcpy(back, p, sizeof(back), cudaMemcpyDefault);
  for (int each : back)
    sum += each;
  return sum;
}
"""

FILES = {
    # The compiler in a variable that names it by a path, an architecture of long ago, arguments of `make run`.
    "made/Makefile": "CC = $(CUDA)/bin/nvcc\nprogram: main.cu\n\t$(CC) -arch=sm_20 -I../include -o $@ $<\n"
                     "run: program\n\t./program 5\n",
    "made/main.cu": '#include "kernel.h"\n'
                    'int main(int n, char **a) { printf("sum %d\\ntook %d ms\\n", run(atoi(a[1])), rand()); }\n',
    "include/kernel.h": KERNEL,
    # No Makefile, a header that lies elsewhere, two sources.
    "direct/main.cu": '#include "kernel.h"\nint three();\nint main() { printf("sum %d\\n", run(three())); }\n',
    "direct/three.cpp": "int three() { return 3; }\n",
    # Clang alone has no such function.
    "lacks/main.cu": '#include <cstdio>\n__global__ void store(int *p) { __stcg(p + threadIdx.x, 7); }\n'
                     "int main() {\n  int *p, last;\n  cudaMalloc(&p, 128);\n  store<<<1, 32>>>(p);\n"
                     '  cudaMemcpy(&last, p + 31, 4, cudaMemcpyDefault);\n  printf("last %d\\n", last);\n}\n',
    # Other accesses with the same output, in what the bundle calls the trace of the CPU device.
    "shifts/main.cu": "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
                      "__global__ void fill(int *p, int shift) { p[threadIdx.x + shift] = 1; }\n"
                      "int main() {\n  const char *trace = getenv(\"CUPR_TRACE\");\n  int *p;\n  cudaMalloc(&p, 256);\n"
                      '  fill<<<1, 32>>>(p, trace && strstr(trace, ".cpu."));\n'
                      '  puts(cudaGetErrorString(cudaDeviceSynchronize()));\n}\n',
    "differs/main.cu": '#include "kernel.h"\n'
                       'int main() { printf("%d %s\\n", run(1), getenv("CUPR_TRACE") ? "traced" : "plain"); }\n',
    "fails/main.cu": '#include "kernel.h"\nint main() { run(1); return 3; }\n',
    "idle/main.cu": '#include "kernel.h"\nint main() { puts("no data"); }\n',
    "broken/main.cu": '#include "kernel.h"\nint main() { return run(missing); }\n',
}

EXPECTED = {
    "made": ("same", 32),
    "direct": ("same", 32),
    "lacks": ("same", 32),
    "shifts": ("same", 32),
    "differs": ("differs", 0),
    "fails": ("plain run failed", 0),
    "idle": ("no kernel", 0),
    "broken": ("not clang's", 0),
}


def main():
    tools, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in FILES.items():
        path = folder / "suite" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    command = [sys.executable, TRY_SUITE, folder / "suite", "--tools", tools, "--out", folder / "out"]
    subprocess.run(command, check=True)
    results = json.loads((folder / "out/results.json").read_text())["programs"]
    found = {each["program"]: (each["status"], each["accesses"]) for each in results}
    table = (folder / "out/results.md").read_text()
    failures = [f"{name}: {found.get(name)}, expected {expected}" for name, expected in EXPECTED.items()
                if found.get(name) != expected]
    failures += [f"{name} is not in the table" for name in EXPECTED if f"| {name} |" not in table]
    if set(found) != set(EXPECTED):
        failures.append(f"programs: {sorted(found)}")
    if subprocess.run([*command, "--rewrite-only"], stdout=subprocess.PIPE, check=True,
                      text=True).stdout.splitlines()[-1] != "8 files: 7 rewritten, 1 does not parse":
        failures.append("--rewrite-only counts other files")
    failures += try_bundle(command, folder)
    if (Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "bin/nvcc").exists():
        failures += try_beside_nvcc(folder, tools)
    print("\n".join(failures) or "all as expected")
    return 1 if failures else 0


def try_bundle(command, folder):
    """What is wrong with a bundle of the programs that were the same, which is run without a GPU here."""
    subprocess.run([*command, "--bundle", folder / "bundle"], check=True)
    subprocess.run([folder / "bundle/run", "--device=cpu"], cwd=folder / "bundle", check=True)
    rows = json.loads((folder / "bundle/results.json").read_text())
    shifts = "1 of 1 launches; launch 1 (fill): 32 of 32 accesses only on the GPU, 32 only on the CPU device, by 1 blocks"
    expected = [{"program": name, "tracing": "same", "devices": "same", "threads": shifts if name == "shifts" else "same",
                 "repeated": "same" if name == "shifts" else "", "launches": 1, "accesses": accesses}
                for name, (status, accesses) in sorted(EXPECTED.items()) if status == "same"]
    found = [{key: row[key] for key in expected[0]} for row in rows]
    if sorted(found, key=lambda row: row["program"]) != expected:
        return [f"bundle: {found}, expected {expected}"]
    total = f"| {len(expected)} same | {len(expected)} same | {len(expected)} | {32 * len(expected)} | {len(expected) - 1} same | 1 same |"
    failures = [] if total in (folder / "bundle/results.md").read_text() else [f"bundle: the table lacks {total!r}"]
    shown = (folder / "bundle/differences.txt").read_text()
    return failures + ([] if "> store 4 B cta (0,0,0) thread 0 a0+0x4\n" in shown else [f"bundle: differences are {shown!r}"])


def try_beside_nvcc(folder, tools):
    """What is wrong with building by nvcc and by cupr++; the bundle of what both build is run without a GPU here."""
    command = [sys.executable, TRY_SUITE, folder / "suite", "--tools", tools, "--out", folder / "beside", "--beside-nvcc", "--only", "^(made|broken)$"]
    subprocess.run(command, check=True)
    subprocess.run([*command, "--bundle", folder / "beside-bundle"], check=True)
    subprocess.run([folder / "beside-bundle/run", "--device=cpu"], cwd=folder / "beside-bundle", check=True)
    table = subprocess.run([*command, "--table", folder / "beside/results.json", "--runs", folder / "beside-bundle/results.json"],
                           check=True, stdout=subprocess.PIPE, text=True).stdout
    expected = ("| suite | 2 | 1 | 1 of 1 (100.0 %) | 1 | 1 of 1 (100.0 %) | 0 | 1 of 1 (100.0 %) | 0 |", "| suite | made | yes | same | same | 32 | 1 |  |")
    return [f"beside nvcc: the table lacks {line!r}: {table}" for line in expected if line not in table]


if __name__ == "__main__":
    sys.exit(main())

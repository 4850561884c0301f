#!/usr/bin/env python3
"""Stands in for nvcc in the builds of a suite's programs.

Modes: `nvcc` itself, `plain` and `untraced` (cupr++ --no-trace: nothing recorded), `traced` and `both` (cupr++), and `clang` (clang++-22
alone, for the GPU: does a program build without us?). Whatever architectures a Makefile asks for, the
program is built for one that the toolkit knows. What is run and what it says is appended to a log.

usage: compiler.py MODE BIN DEVICE ARCH LOG -- NVCC'S FLAGS
"""

import os
import re
import shlex
import subprocess
import sys

ARCHITECTURE = re.compile(r"-{1,2}(arch|gencode|code|gpu-architecture|gpu-code|generate-code|cuda-gpu-arch|offload-arch)(=.*)?$")
# nvcc's flags that clang does not need; those of the second list have a value behind them.
DROPPED = re.compile(r"(-{1,2}(extended-lambda|expt-.*|lineinfo|generate-line-info|cudart(=.*)?|keep|resource-usage|"
                     r"ptxas-options=.*|maxrregcount=.*|default-stream=.*|restrict|forward-unknown.*|device-debug|"
                     r"threads=.*|source-in-ptx|fmad=true|ftz=false|prec-.*|Werror=?.*|disable-warnings|m64|diag-.*=.*|"
                     r"allow-unsupported-compiler|split-compile.*)|-G|-Xptxas=.*)$")
# As cupr++ tells clang (cuprewrite/tool/device_numbers.cpp), as far as it takes no pass of ours.
EXACT_ROOTS = ["-mllvm", "-nvvm-reflect-add=__CUDA_PREC_SQRT=1"]
FAST_MATH = ["-fgpu-flush-denormals-to-zero", "-fapprox-func", "-fgpu-approx-transcendentals",
             *(f"-D__nv_{name}f=__nv_fast_{name}f" for name in ("exp", "exp10", "log10", "pow", "tan", "tanh"))]
DROPPED_WITH_VALUE = {"-Xptxas", "--ptxas-options", "-maxrregcount", "--maxrregcount", "-ccbin", "--default-stream",
                      "-cudart", "--compiler-bindir", "-Xnvlink", "-Xcudafe", "-diag-suppress", "--diag-suppress",
                      "-Xfatbin", "-t", "--threads", "-Werror", "--Werror"}


def without_architectures(flags):
    kept, flags = [], list(flags)
    while flags:
        flag = flags.pop(0)
        match = ARCHITECTURE.match(flag)
        if not match:
            kept.append(flag)
        elif match.group(2) is None and flags:
            flags.pop(0)
    return kept


def for_clang(flags, arch):
    """Of nvcc's flags, what clang understands, in its words."""
    cuda = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    out, flags = [], list(flags)
    fast = {"-use_fast_math", "--use_fast_math"} & set(flags)
    links = not {"-c", "-dc", "--device-c", "-dlink", "-fsyntax-only"} & set(flags)
    while flags:
        flag = flags.pop(0)
        if flag in DROPPED_WITH_VALUE:
            flags[:1] = []
        elif DROPPED.match(flag):
            pass
        elif flag in ("-Xcompiler", "--compiler-options"):
            out += flags.pop(0).split(",") if flags else []
        elif flag.startswith(("-Xcompiler=", "--compiler-options=")):
            out += flag.split("=", 1)[1].split(",")
        elif flag in ("-dc", "--device-c"):
            out += ["-c", "-fgpu-rdc"]
        elif flag in ("-rdc=true", "--relocatable-device-code=true"):
            out.append("-fgpu-rdc")
        elif flag in ("-use_fast_math", "--use_fast_math"):
            out += FAST_MATH
        elif re.fullmatch(r"-{1,2}ftz=true", flag):
            out.append("-fgpu-flush-denormals-to-zero")
        elif re.fullmatch(r"-{1,2}fmad=false", flag):
            out.append("-ffp-contract=off")
        elif flag in ("-std", "--std", "-x"):
            out.append(f"-std={flags.pop(0)}" if flag != "-x" else "-xcuda")
            if flag == "-x":
                flags.pop(0)
        elif flag.startswith("--std="):
            out.append(flag[1:])
        elif flag in ("-rdc=false",):
            pass
        else:
            out.append(flag)
    command = ["clang++-22", "-Wno-unknown-cuda-version", f"--cuda-path={cuda}", f"--cuda-gpu-arch={arch}",
               "-isystem", f"{cuda}/include/cccl", *([] if fast else EXACT_ROOTS), *out]
    if not links:
        return command
    return command + [f"-L{cuda}/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread"]


def main():
    mode, tools, device, arch, log, _, *flags = sys.argv[1:]
    flags = without_architectures(flags)
    if mode == "clang":
        command = for_clang(flags, arch)
    elif mode == "nvcc":
        command = [os.environ.get("CUDA_PATH", "/usr/local/cuda") + "/bin/nvcc", f"-arch={arch}", *flags]
    else:
        command = [f"{tools}/cupr++", f"--device={device}", f"-arch={arch}", "--jobs=1"]
        command += ["--no-trace"] if mode in ("plain", "untraced") else []
        command += flags
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    with open(log, "a", encoding="utf-8") as out:
        out.write(f"$ {shlex.join(command)}\n{done.stdout}")
    sys.stdout.write(done.stdout)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())

# The lit suites: rewriter (text in, text out), pass and retarget (IR in, IR out), e2e
# (the commands as a user types them). Settings come from lit.site.cfg.py, which CMake
# writes.
import glob
import os
import shutil
import sys

import lit.formats

sys.path.insert(0, os.path.dirname(__file__))
import contract_test

config.name = "cuprewrite"
config.test_format = contract_test.ContractTest(config)
config.suffixes = [".ll", ".cu", ".test"]
config.excludes = ["Inputs", "contract_test.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.build_folder + "/test/lit"

programs = config.build_folder + "/bin"
cuda_flags = (
    "--cuda-path=" + config.cuda_path + " --cuda-gpu-arch=sm_75 -Wno-unknown-cuda-version"
    " -isystem " + config.cuda_path + "/include/cccl -isystem " + config.build_folder + "/include"
    " -include cupr/compatibility.h"
)

config.environment["PATH"] = os.pathsep.join([programs, config.llvm_tools, os.environ.get("PATH", "")])
config.environment["CUDA_PATH"] = config.cuda_path
# Tests run where there is no GPU too.
config.environment["CUPR_DEVICE"] = "cpu"
config.environment["CUPR_CPU_THREADS"] = "1"
# Tests leave the user's own alone.
config.environment["CUPREWRITE_CACHE"] = config.build_folder + "/header-cache"

clang_cuda = "clang++-22 -x cuda " + cuda_flags
# Rewrites, checks the copy and compiles it: see the script.
rewritten = (
    "python3 " + config.test_source_root + "/rewriter/Inputs/rewritten.py --cuprewrite=" + programs
    + "/cuprewrite '--compiler=" + clang_cuda + "'"
)

config.substitutions += [
    ("%rewritten", rewritten),
    ("%cuprewrite", programs + "/cuprewrite"),
    ("%cuprxx", programs + "/cupr++"),
    ("%cupranalyze", programs + "/cupranalyze"),
    ("%cuprrun", programs + "/cupr-run"),
    ("%opt_cupr", "opt-22 -load-pass-plugin=" + config.build_folder + "/lib/cupr-pass.so -verify-each"),
    (
        "%opt_spoiled",
        "opt-22 -disable-verify -load-pass-plugin=" + config.build_folder + "/lib/cupr-pass.so -load-pass-plugin="
        + config.build_folder + "/lib/cupr-spoil-atomics.so",
    ),
    (
        "%opt_retarget",
        "opt-22 -load-pass-plugin=" + config.build_folder + "/lib/cupr-retarget.so -verify-each -passes=cupr-retarget"
        " -cupr-module-id=" + "0" * 32,
    ),
    ("%{abi}", config.test_format.version),
    ("%{next_abi}", str(int(config.test_format.version) + 1)),
    ("%filecheck", config.llvm_tools + "/FileCheck"),
    ("%not", config.llvm_tools + "/not"),
    ("%clang_cuda", clang_cuda),
    ("%cuda_path", config.cuda_path),
    ("%source_root", config.source_root),
    ("%builddir", config.build_folder),
    ("%include", config.build_folder + "/include"),
    ("%python", "python3"),
]
nvcc = os.path.join(config.cuda_path, "bin", "nvcc")
# nvcc itself needs a host compiler.
if shutil.which(nvcc) and shutil.which("g++"):
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc + " -isystem " + config.build_folder + "/include"))
# LLVM's library, of whatever version: Debian's packages of several versions exclude each other.
if glob.glob("/usr/lib/llvm-*/lib/libomp.so"):
    config.available_features.add("openmp")
if shutil.which("ccache"):
    config.available_features.add("ccache")

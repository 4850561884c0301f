# The lit suites: rewriter (sources in, copies out), pass (IR), e2e (commands).
import os
import shutil

import lit.formats

config.name = "cuprewrite"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".ll", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test", "lit")

bin_dir = os.path.join(config.build_dir, "bin")
clang_cuda = " ".join([
    os.path.join(config.llvm_bin, "clang++"), "-x", "cuda", "--cuda-path=" + config.cuda_path,
    "--cuda-gpu-arch=sm_75", "-Wno-unknown-cuda-version",
    "-isystem", os.path.join(config.cuda_path, "include", "cccl"),
    "-isystem", os.path.join(config.build_dir, "include")])
rewritten = " ".join([
    config.python, os.path.join(config.test_source_root, "rewriter", "Inputs", "rewritten.py"),
    "--cuprewrite=" + os.path.join(bin_dir, "cuprewrite"), "'--compiler=" + clang_cuda + "'"])

config.substitutions += [
    (r"%rewritten\b", rewritten),
    (r"%cuprewrite\b", os.path.join(bin_dir, "cuprewrite")),
    (r"%cuprxx\b", os.path.join(bin_dir, "cupr++")),
    (r"%cuprrun\b", os.path.join(bin_dir, "cupr-run")),
    (r"%cupranalyze\b", os.path.join(bin_dir, "cupranalyze")),
    (r"%opt_cupr\b", os.path.join(config.llvm_bin, "opt") + " -load-pass-plugin=" +
     os.path.join(config.build_dir, "lib", "cupr-pass.so")),
    (r"%opt\b", os.path.join(config.llvm_bin, "opt")),
    (r"%filecheck\b", os.path.join(config.llvm_bin, "FileCheck")),
    (r"%clang_cuda\b", clang_cuda),
    (r"%nvcc\b", os.path.join(config.cuda_path, "bin", "nvcc")),
    (r"%builddir\b", config.build_dir),
    (r"%include\b", os.path.join(config.build_dir, "include")),
]
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_bin, os.environ["PATH"]])
config.environment["CUDA_PATH"] = config.cuda_path

if os.path.exists(os.path.join(config.cuda_path, "bin", "nvcc")) and shutil.which("g++"):
    config.available_features.add("nvcc")

#!/bin/sh
# Builds one test program for the CPU device, without the project's own driver:
#   build_program.sh SOURCE OPT OUTPUT PLUGIN LIBRARY CUDA [more compiler flags]
# The image is a small file of its own, as hash-image computes its id; calls of the CUDA
# runtime in the host object are renamed to the CPU device's functions.
set -eu
source=$1 opt=$2 output=$3 plugin=$4 library=$5 cuda=$6
shift 6
tools=$(dirname "$output")
work=$output.build
mkdir -p "$work"
flags="-x cuda --cuda-gpu-arch=${CUPR_TEST_ARCH:-sm_75} --cuda-path=$cuda -Wno-unknown-cuda-version -Wno-pass-failed
  -isystem $cuda/include/cccl -std=c++17 -gline-tables-only $opt $*"

id=$("$tools/hash-image" "$work/image" "$output")
clang++-22 $flags --cuda-device-only -emit-llvm -c "$source" -o "$work/device.bc"
opt-22 -load-pass-plugin="$plugin" -passes=cupr-retarget -cupr-module-id="$id" \
  -cupr-host-cpu="${CUPR_TEST_HOST_CPU:-x86-64-v3}" "$work/device.bc" -o "$work/host.bc"
clang++-22 -O2 -Wno-pass-failed -x ir -c "$work/host.bc" -o "$work/device.o"
clang++-22 $flags --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang "$work/image" -c "$source" -o "$work/host.o"
nm "$library" 2>/dev/null | sed -n 's/.* T cupr_cpu_\(.*\)/\1 cupr_cpu_\1/p' >"$work/names"
objcopy --redefine-syms="$work/names" "$work/host.o"
clang++-22 "$work/host.o" "$work/device.o" "$library" ${CUPR_TEST_LINK_FLAGS:-} -lpthread -o "$output"

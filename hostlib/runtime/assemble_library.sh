#!/bin/sh
# Makes libcupr.a, the library that instrumented programs link, and libcupr-runtime.so, which instrumented shared
# libraries link: several of them in one process must have one runtime.
#
# assemble_library.sh OUTPUT SHARED CUDART COMPILER RUNTIME TRACE CPU CAPNP KJ LIBRARIES...
#
# 1. A copy of the toolkit's libcudart_static.a in which every API function f is
#    called cupr_real_f: the library itself defines the API (session/api_table.h).
# 2. The API table, generated from the functions found in that copy, in the CPU device, and
#    among the hooks.
# 3. All of it, and the libraries it uses, linked into one object whose other
#    symbols are local.
# 4. The driver's calls that launch, and those that allocate: objects that are linked only where the program makes them.
#
# The shared library leaves CAPNP and KJ out and needs their shared libraries instead: Debian's archives are compiled
# for programs (their thread-local variables can't be in a shared library). The lane's state, which is read by its
# distance from the thread pointer, lies in a library of its own, libcupr-lane.so: a library that is loaded while the
# program runs can have very little of such memory, and the other thread-local variables need none of it.
set -eu
output=$1 shared=$2 cudart=$3 compiler=$4 runtime=$5 trace=$6 cpu=$7 capnp=$8 kj=$9
shift 9
here=$(dirname "$0")
work=$output.parts
rm -rf "$work"
mkdir -p "$work"

# defined NAME-PATTERN FILE: the global functions of an object whose names match.
defined() {
  nm --defined-only --extern-only "$2" 2>/dev/null | awk -v pattern="$1" '$2 ~ /^[TW]$/ && $3 ~ pattern { print $3 }' | sort -u
}

defined '^(__)?cuda' "$cudart" > "$work/real"
if ! [ -s "$work/real" ]; then
  echo "assemble_library.sh: $cudart defines no CUDA runtime functions: is it CUDA 13's libcudart_static.a?" >&2
  exit 1
fi
defined '^cupr_cpu_(__)?cuda' "$cpu" | sed 's/^cupr_cpu_//' > "$work/cpu.all"
defined '^cupr_hook_(__)?cuda' "$runtime" | sed 's/^cupr_hook_//' > "$work/hook"
# Names that the toolkit lacks are ours by mistake: the table could never lead to them.
for list in cpu.all hook; do
  sort "$work/$list" | comm -23 - "$work/real" > "$work/unknown"
  if [ -s "$work/unknown" ]; then
    echo "assemble_library.sh: not functions of this toolkit's CUDA runtime ($list): $(tr '\n' ' ' < "$work/unknown")" >&2
    [ "$list" = hook ] && exit 1
  fi
done
sort "$work/cpu.all" | comm -12 - "$work/real" > "$work/cpu"

awk '{ print $1, "cupr_real_" $1 }' "$work/real" > "$work/rename"
objcopy --redefine-syms="$work/rename" "$cudart" "$work/libcudart_real.a"
"$here/generate_api_table.sh" "$work/real" "$work/cpu" "$work/hook" > "$work/api_table.S"
"$compiler" -c "$work/api_table.S" -o "$work/api_table.o"

# Section groups are dissolved: a group whose symbols are local must not meet the same group of the program.
# joined OUTPUT CPU LIBRARIES...
joined() {
  to=$1 device=$2
  shift 2
  ld -r --force-group-allocation -o "$to" "$work/api_table.o" --whole-archive "$runtime" "$device" --no-whole-archive \
    --start-group "$trace" "$work/libcudart_real.a" "$@" --end-group
}
joined "$work/all.o" "$cpu" "$capnp" "$kj" "$@"

(cd "$work" && ar x "$cpu" lane_state.cpp.o)
cp "$cpu" "$work/shared_cpu.a"
ar d "$work/shared_cpu.a" lane_state.cpp.o
joined "$work/shared_all.o" "$work/shared_cpu.a" "$@"
{
  cat "$work/real"
  defined '^cupr[A-Z][A-Za-z]*_v[0-9]+$' "$runtime" # CUPR_VERSIONED (devicelib/abi/version.h)
  echo InitializeInjectionNvtx2_fnptr
  defined '^__trunc[sd]fbf2$' "$cpu" # the code generator calls them, for the CPU device's kernels
  nm --defined-only --extern-only "$cpu" "$runtime" 2>/dev/null | awk '$3 ~ /^(__cupr_|cuprCpu|cupr_api_|cupr_driver_)/ { print $3 }' | sort -u
} > "$work/keep"
objcopy --keep-global-symbols="$work/keep" "$work/all.o" "$work/cupr.o"
rm -f "$output"
for calls in driver_launch driver_memory; do
  "$compiler" -c "$here/session/$calls.S" -o "$work/$calls.o"
done
ar rcs "$output" "$work/cupr.o" "$work/driver_launch.o" "$work/driver_memory.o"

lane=$(dirname "$shared")/libcupr-lane.so
"$compiler" -shared -o "$lane" "$work/lane_state.cpp.o" -Wl,-soname=libcupr-lane.so
{ echo '{ global:'; sed 's/$/;/' "$work/keep"; echo 'local: *; };'; } > "$work/exports"
"$compiler" -shared -o "$shared" "$work/shared_all.o" -Wl,-soname="$(basename "$shared")" -Wl,-Bsymbolic \
  -Wl,--version-script="$work/exports" -Wl,-z,defs -Wl,-z,nodelete "$lane" "${capnp%.a}.so" "${kj%.a}.so" -Wl,-rpath,'$ORIGIN' \
  -lpthread -ldl -lrt
rm -f "$work/all.o" "$work/shared_all.o"

#!/bin/sh
# Makes libcupr.a, the library that instrumented programs link.
#
# assemble_library.sh OUTPUT CUDART COMPILER RUNTIME TRACE CPU LIBRARIES...
#
# 1. A copy of the toolkit's libcudart_static.a in which every API function f is
#    called cupr_real_f: the library itself defines the API (api_table.h).
# 2. The API table, generated from the functions found in that copy, in the CPU device, and
#    among the hooks.
# 3. All of it, and the libraries it uses, linked into one object whose other
#    symbols are local.
# 4. The driver's launch calls, an object that is linked only where the program makes them.
set -eu
output=$1 cudart=$2 compiler=$3 runtime=$4 trace=$5 cpu=$6
shift 6
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
ld -r --force-group-allocation -o "$work/all.o" "$work/api_table.o" --whole-archive "$runtime" "$cpu" --no-whole-archive \
  --start-group "$trace" "$work/libcudart_real.a" "$@" --end-group
{
  cat "$work/real"
  echo cuprLaunchBegin_v1
  echo cuprLaunchPlace_v1
  echo cuprLaunchEnd_v1
  echo cuprStartRecording_v1
  echo cuprStopRecording_v1
  echo InitializeInjectionNvtx2_fnptr
  nm --defined-only --extern-only "$cpu" "$runtime" 2>/dev/null | awk '$3 ~ /^(__cupr_|cuprCpu|cupr_api_|cupr_driver_)/ { print $3 }' | sort -u
} > "$work/keep"
objcopy --keep-global-symbols="$work/keep" "$work/all.o" "$work/cupr.o"
rm -f "$output"
"$compiler" -c "$here/driver_launch.S" -o "$work/driver_launch.o"
ar rcs "$output" "$work/cupr.o" "$work/driver_launch.o"
rm -f "$work/all.o"

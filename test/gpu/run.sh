#!/bin/bash
# Runs a GPU bundle (made by `make gpu-bundle`) on a machine with a GPU; no compiler is needed, only Python 3, and ncu
# for one part.
#
#     gpu-bundle/run.sh [PART...]      parts: check, ends, faults, allocations, irregular, held, groups, devices, property, values, instructions, clock, latency, ranks, staging, synchronisation, spaces, ncu, bench, everyday, sanitizer; default: all
#
#     NCU_ONLY=REGEX gpu-bundle/run.sh ncu      only programs whose names match: all take 4 minutes
#     EVERYDAY="--repeats 1 sgemm" gpu-bundle/run.sh everyday      arguments of everyday_table.py
#
# Results go to $OUT, or ./results: one text file per part and results.md, the summary.
# Exit status: 0 when every part passed.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$PWD/results}
parts=${*:-check ends faults allocations irregular held groups devices property values instructions clock latency ranks staging synchronisation spaces bench everyday sanitizer ncu}
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$here/programs.tar.xz" "$work" <<'END' || exit 2
import sys, tarfile
tarfile.open(sys.argv[1]).extractall(sys.argv[2])
END
e2e=$work/e2e
analyze=$e2e/bin/cupranalyze
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

failures=0
{
  echo "# Results on a GPU"
  echo
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  echo "bundle: $(cat "$here/version")"
} >"$out/results.md"

# part NAME TITLE COMMAND...: one part, its output in $out/NAME.txt, its last line in the summary.
part() {
  local name=$1 title=$2 start=$SECONDS status=0
  shift 2
  case " $parts " in *" $name "*) ;; *) return 0 ;; esac
  echo "== $title"
  "$@" >"$out/$name.txt" 2>&1 || status=$?
  [ $status = 0 ] || failures=$((failures + 1))
  grep -E '^(FAIL|different)' "$out/$name.txt" | head -n 20
  tail -n 1 "$out/$name.txt"
  {
    echo
    echo "## $title"
    echo
    echo "exit status $status, $((SECONDS - start)) s"
    echo
    case $name in
    bench | everyday | ncu) cat "$out/$name.txt" ;;
    *)
      grep -E '^(FAIL|different)' "$out/$name.txt" | head -n 40
      tail -n 1 "$out/$name.txt"
      ;;
    esac
  } >>"$out/results.md"
}

run_ncu() {
  command -v ncu >/dev/null || { echo "no ncu on this machine"; return 1; }
  local status=0 first='' name arguments
  while read -r name arguments; do
    # shellcheck disable=SC2086  # lists of words
    "$work/ncu_table.py" --cupranalyze "$analyze" --causes "$work/ncu_causes.tsv" $first "$e2e/plain/$name" "$e2e/traced/$name" \
      -- $arguments || status=1
    first=--no-heading
  done < <(python3 "$work/e2e-driver/programs.py" "$e2e/expect" | grep -E "${NCU_ONLY:-}")
  return $status
}

# What each warp records of barriers, fences and the like, as marks in the source say.
run_synchronisation() {
  local status=0 program
  for program in "$work"/synchronisation/*; do
    python3 "$work/synchronisation.py" --cupranalyze "$analyze" --device gpu "$program" "$work/synchronisation.cu" || status=1
  done
  return $status
}

# What kernels execute, by class of instruction, as arithmetic has it.
run_instructions() {
  local status=0 program
  for program in "$work"/instructions/*; do
    python3 "$work/mix.py" --cupranalyze "$analyze" --device gpu "$program" || status=1
  done
  return $status
}

# Random programs: the output of clang's own build without optimisation, with tracing and without, and each thread's
# accesses as on the CPU device.
run_property() {
  local status=0 program wanted
  for program in "$work"/property/*.traced; do
    program=${program%.traced} wanted=$work/wanted
    echo "$(basename "$program"):"
    # ptxas makes other numbers of one of them at -O2, and so they are compared with clang's of the same level: a plain
    # kernel is what clang makes. Traced ones are compared with what no optimiser has seen.
    "$program.plain" >"$wanted" || status=1
    CUPR_DEVICE=gpu CUPR_TRACE=off "$program.traced" | cmp "$wanted" || { echo "FAIL $program: untraced, another output"; status=1; }
    "${program%.O?}.O0.plain" >"$wanted" || status=1
    for device in gpu cpu; do
      CUPR_DEVICE=$device CUPR_TRACE=$program.$device.cuprtrace "$program.traced" | cmp "$wanted" ||
        { echo "FAIL $program: another output on the $device"; status=1; }
      "$analyze" verify "$program.$device.cuprtrace" || status=1
    done
    python3 "$driver" compare --cupranalyze "$analyze" "$program.gpu.cuprtrace" "$program.cpu.cuprtrace" || status=1
  done
  return $status
}

run_sanitizer() {
  local sanitizer tool status=0 name
  sanitizer=$(command -v compute-sanitizer) || { echo "no compute-sanitizer on this machine"; return 1; }
  for tool in memcheck initcheck; do
    for name in vector_add divergent atomics two_spaces captured_graphs; do
      echo "$tool, $name:"
      CUPR_DEVICE=gpu CUPR_TRACE=$work/sanitizer.cuprtrace "$sanitizer" --tool "$tool" --error-exitcode 7 "$e2e/traced/$name" || status=1
    done
  done
  return $status
}

driver=$work/e2e-driver/run.py
part check "End-to-end programs on the GPU" python3 "$driver" check --bundle "$e2e" --device gpu --work "$work"
part ends "However a process ends" python3 "$work/process_ends.py" --program "$work/ends" --cupranalyze "$analyze" --device gpu \
  --work "$work"
part faults "Whatever goes wrong" python3 "$work/faults.py" --program "$work/faults" --cupranalyze "$analyze" --device gpu --work "$work"
part allocations "Every call that allocates" python3 "$work/allocations.py" --program "$work/allocations" \
  --library "$work/liballocations.so" --source "$work/allocations.cu" "$work/allocations_library.cpp" --cupranalyze "$analyze" --work "$work"
part irregular "Irregular records that wait for space" python3 "$work/irregular.py" --programs "$work" --cupranalyze "$analyze" \
  --device gpu --work "$work"
part held "Copies that hold the driver" python3 "$work/held_driver.py" --program "$work/held_driver" --cupranalyze "$analyze" --work "$work"
part groups "Lanes that wait together" "$work/waiting_groups" together
part devices "GPU against CPU device, access by access" python3 "$driver" devices --bundle "$e2e" --work "$work"
part property "Random programs" run_property
part values "What accesses read and write" python3 "$work/values.py" --cupranalyze "$analyze" --device gpu "$work"/values/values.*
part instructions "What kernels execute" run_instructions
part latency "How long accesses take" env CUPR_DEVICE=gpu python3 "$work/chase.py" --cupranalyze "$analyze" \
  $(for program in "$work"/latency/chase.*; do echo "${program##*.}=$program"; done)
part ranks "What planted costs take" env CUPR_DEVICE=gpu python3 "$work/ranks.py" --cupranalyze "$analyze" "$work/latency_ranks"
part staging "Records that wait on the chip" python3 "$work/staging.py" --cupranalyze "$analyze" --device gpu "$work"/staging/staging.*
part clock "When accesses are made" env CUPR_DEVICE=gpu python3 "$work/clock.py" --cupranalyze "$analyze" "$work"/clock/clock*
part synchronisation "Barriers, fences and the like" run_synchronisation
part spaces "Shared variables, textures and surfaces" python3 "$work/spaces.py" --cupranalyze "$analyze" "$work"/spaces/spaces.*
part bench "What tracing costs" "$work/patterns_table.py" --plain "$work/bench/plain" --traced "$work/bench/traced" \
  --reference "$work/bench/reference" --cupranalyze "$analyze" --device gpu
# shellcheck disable=SC2086  # a list of words
part everyday "What tracing costs everyday kernels" "$work/everyday_table.py" --programs "$work/everyday" --cupranalyze "$analyze" \
  --device gpu --json "$out/everyday.json" ${EVERYDAY:-}
part sanitizer "compute-sanitizer on traced programs" run_sanitizer
part ncu "Warp-level accesses against the hardware's counters" run_ncu

echo "== results in $out, $failures parts failed"
exit $((failures > 0))

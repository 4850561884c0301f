#!/usr/bin/env python3
"""`mpirun cupranalyze comm --mpi` prints what one process prints, to the byte, for any number of processes; where one can't go on, all end."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


class Mpi:
    def __init__(self, options):
        self.cupranalyze = options.cupranalyze
        # Containers may forbid a process to read another's memory, which Open MPI tries with large messages.
        self.mpirun = [options.mpirun, "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"]
        if os.getuid() == 0:
            self.mpirun.append("--allow-run-as-root")

    def comm(self, processes, *words):
        return subprocess.run([*self.mpirun, "-n", str(processes), self.cupranalyze, "comm", "--mpi", *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)

    def alone(self, *words):
        return subprocess.run([self.cupranalyze, "comm", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def check_same(mpi, traces):
    for trace in traces:
        for processes, words in ((1, ["--top=5"]), (2, ["--json"]), (4, ["--json", "--memory=16M", "--threads=3"])):
            together = mpi.comm(processes, *words, trace)
            assert together.returncode == 0, together.stderr
            assert together.stdout == mpi.alone(*words, trace), f"{processes} processes, {words}, {trace}"
    for words in ([], ["--json", "--no-transfers"]):
        assert mpi.comm(2, *words, *traces).stdout == mpi.alone(*words, *traces), f"several traces, {words}"


def check_failures(mpi, trace, folder):
    missing = mpi.comm(2, str(folder / "missing.cuprtrace"))
    assert missing.returncode == 2 and missing.stderr.count("can't open the trace file") == 1, missing.stderr
    # A byte in the middle: the checksum is wrong.
    damaged = folder / "damaged.cuprtrace"
    data = bytearray(pathlib.Path(trace).read_bytes())
    data[len(data) // 2] ^= 0xff
    damaged.write_bytes(data)
    broken = mpi.comm(3, str(damaged))
    assert broken.returncode == 2 and broken.stderr.count("cupranalyze: ") == 1, broken.stderr
    usage = mpi.comm(2, "--memory=1", trace)
    assert usage.returncode == 1 and usage.stdout == "", usage.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("traces", nargs="+")
    options = parser.parse_args()
    mpi = Mpi(options)
    check_same(mpi, options.traces)
    with tempfile.TemporaryDirectory() as folder:
        check_failures(mpi, options.traces[-1], pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())

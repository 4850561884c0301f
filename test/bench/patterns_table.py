#!/usr/bin/env python3
"""What tracing costs on a GPU: runs patterns.cu plain and traced, side by side, and prints tables in Markdown.

    patterns_table.py --plain PROGRAM --traced PROGRAM --cupranalyze PROGRAM [--reference PROGRAM] [--device gpu|cpu] [--size N]

1. Single launches: the median kernel time (CUDA events) plain, under compute-sanitizer memcheck where there is one, and
   traced, with every record waited for between launches.
2. Launches back to back, by the host's clock from the first launch until the last record has been delivered to the null
   sink.
3. The same into a compressed file: rate, and bytes per access.
4. One kernel for seconds (vector add), into the null sink and into a file.
5. The traced program while no launch is chosen (CUPR_START=off).
6. With --reference: our rate, and bytes per access in the file, beside those of the queue in reference_queue/queue.h.

Exit status: 0, 1 when a result was wrong or a trace is not whole, 2 when a program could not be run.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TIMEOUT = 300


def measure(program, arguments, environment=None, before=()):
    """The program's lines, as objects by pattern."""
    done = subprocess.run(
        [*before, program, *map(str, arguments)],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{program}: exit status {done.returncode}: {done.stderr.strip()}")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["pattern"]: line for line in lines}


def table(columns, rows):
    """Lines of a table; the first column is text."""
    yield "| " + " | ".join(columns) + " |"
    yield "| --- |" + " ---: |" * (len(columns) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def geometric(ratios):
    return statistics.geometric_mean(ratios) if ratios else float("nan")


class Bench:
    def __init__(self, options, work):
        self.options = options
        self.work = Path(work)
        self.choice = {"CUPR_DEVICE": options.device}
        self.whole = True

    def plain(self, *arguments, before=()):
        return measure(self.options.plain, arguments, self.choice, before)

    def traced(self, *arguments, **environment):
        return measure(self.options.traced, arguments, {**self.choice, "CUPR_SINK": "null", **environment})

    def traced_to_file(self, *arguments):
        """The lines, and bytes in the file per access in it."""
        trace = self.work / "trace"
        lines = self.traced(*arguments, CUPR_SINK="file", CUPR_TRACE=str(trace))
        verify = [self.options.cupranalyze, "verify", str(trace)]
        done = subprocess.run(verify, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        if done.returncode:
            self.whole = False
            print(f"verify: {(done.stdout + done.stderr).strip()}", file=sys.stderr)
        size = trace.stat().st_size
        trace.unlink()
        return lines, size

    def single(self):
        size, rounds = self.options.size, self.options.rounds
        plain = self.plain(size, rounds, 1)
        sanitizer = shutil.which("compute-sanitizer")
        checked = self.plain(size, rounds, 1, before=[sanitizer, "--tool", "memcheck"]) if sanitizer else {}
        traced = self.traced(size, rounds, 1)
        rows, memcheck, ours = [], [], []
        for name, before in plain.items():
            ours.append(traced[name]["ms"] / before["ms"])
            check = "-"
            if name in checked:
                memcheck.append(checked[name]["ms"] / before["ms"])
                check = f"{memcheck[-1]:.1f}"
            rows.append(
                [name, f"{before['accesses']:,.0f}", f"{before['ms']:.4f}", check, f"{traced[name]['ms']:.4f}", f"{ours[-1]:.1f}"]
            )
        rows.append(["geometric mean", "", "", f"{geometric(memcheck):.1f}", "", f"{geometric(ours):.2f}"])
        yield "Single launches:\n"
        yield from table(["pattern", "accesses", "plain ms", "memcheck, times", "traced ms", "times"], rows)

    def back_to_back(self):
        arguments = (self.options.size, self.options.rounds, self.options.batch)
        plain, traced = self.plain(*arguments), self.traced(*arguments)
        rows, kernels, delivered = [], [], []
        for name, before in plain.items():
            kernels.append(traced[name]["ms"] / before["ms"])
            delivered.append(traced[name]["deliveredMs"] / before["deliveredMs"])
            rate = before["accesses"] / traced[name]["deliveredMs"] / 1e6
            rows.append([name, f"{before['deliveredMs']:.4f}", f"{kernels[-1]:.1f}", f"{traced[name]['deliveredMs']:.4f}",
                         f"{delivered[-1]:.1f}", f"{rate:.1f}"])
        rows.append(["geometric mean", "", f"{geometric(kernels):.2f}", "", f"{geometric(delivered):.2f}", ""])
        yield f"{self.options.batch} launches back to back, per launch, until all is in the null sink:\n"
        yield from table(["pattern", "plain ms", "kernels, times", "delivered ms", "times", "G accesses/s"], rows)

    def to_file(self):
        rows = []
        for name in self.plain(1024, 1, 1):
            launches = self.options.rounds * self.options.batch + 1
            lines, size = self.traced_to_file(self.options.size, self.options.rounds, self.options.batch, name)
            line = lines[name]
            rows.append([name, f"{line['accesses'] / line['deliveredMs'] / 1e6:.2f}", f"{size / line['accesses'] / launches:.3f}"])
        yield f"{self.options.batch} launches back to back into a compressed file:\n"
        yield from table(["pattern", "G accesses/s", "bytes per access"], rows)

    def sustained(self):
        size = self.options.long_size
        name, rounds, batch = "vector add", 1, 28
        rows = []
        for sink in ("null", "file"):
            if sink == "null":
                line, bytes_ = self.traced(size, rounds, batch, name)[name], ""
            else:
                lines, file_bytes = self.traced_to_file(size, rounds, batch, name)
                line = lines[name]
                bytes_ = f"{file_bytes / line['accesses'] / (batch + 1):.4f}"
            accesses = line["accesses"] * batch
            rows.append([sink, f"{accesses:,.0f}", f"{line['deliveredMs'] * batch / 1e3:.2f}",
                         f"{line['accesses'] / line['deliveredMs'] / 1e6:.1f}", bytes_])
        yield f"Vector add of {size:,} elements, {batch} launches:\n"
        yield from table(["sink", "accesses", "s", "G accesses/s", "bytes per access"], rows)

    def unchosen(self):
        arguments = (self.options.size, 4 * self.options.rounds + 1, self.options.batch)
        plain = self.plain(*arguments)
        unchosen = self.traced(*arguments, CUPR_START="off")
        ratios = [unchosen[name]["ms"] / plain[name]["ms"] for name in plain]
        rows = [
            [name, f"{plain[name]['ms']:.4f}", f"{unchosen[name]['ms']:.4f}", f"{ratio:.3f}"]
            for name, ratio in zip(plain, ratios)
        ]
        rows.append(["geometric mean", "", "", f"{geometric(ratios):.3f}"])
        yield f"No launch chosen, {self.options.batch} launches back to back:\n"
        yield from table(["pattern", "plain ms", "not chosen ms", "times"], rows)

    def beside_seed(self):
        if not self.options.reference:
            return
        rows, rates, sizes = [], [], []
        for name in self.plain(1024, 1, 1):
            arguments = (self.options.size, self.options.rounds, self.options.batch, name)
            launches = self.options.rounds * self.options.batch + 1
            ours = self.traced(*arguments)[name]
            reference = measure(self.options.reference, arguments, self.choice)[name]
            rates.append(reference["deliveredMs"] / ours["deliveredMs"])
            few = (self.options.size, 1, 2, name)
            trace = self.work / "reference"
            line = measure(self.options.reference, few, {**self.choice, "REFERENCE_TRACE": str(trace)})[name]
            seed_bytes = trace.stat().st_size / line["accesses"] / 3
            trace.unlink()
            file_bytes = self.traced_to_file(*arguments)[1] / ours["accesses"] / launches
            sizes.append(seed_bytes / file_bytes)
            rows.append([name, f"{ours['accesses'] / reference['deliveredMs'] / 1e6:.2f}", f"{ours['accesses'] / ours['deliveredMs'] / 1e6:.1f}",
                         f"{rates[-1]:.1f}", f"{seed_bytes:.2f}", f"{file_bytes:.4f}", f"{sizes[-1]:,.0f}"])
        rows.append(["geometric mean", "", "", f"{geometric(rates):.1f}", "", "", f"{geometric(sizes):,.0f}"])
        yield f"Beside the reference's queue, {self.options.batch} launches back to back into the null sink, and the file of the same:\n"
        yield from table(["pattern", "reference, G accesses/s", "ours", "times", "reference, bytes per access", "ours", "times less"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--plain", "--traced", "--cupranalyze"):
        parser.add_argument(name, required=True)
    parser.add_argument("--reference", metavar="PROGRAM", help="patterns.cu behind the queue of reference_queue")
    parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--size", type=int, default=4194304)
    parser.add_argument("--long-size", type=int, default=1 << 28, help="elements of the long kernel")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=20, help="launches back to back")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as work:
            bench = Bench(options, work)
            for part in (bench.single, bench.back_to_back, bench.to_file, bench.sustained, bench.unchosen, bench.beside_seed):
                print("\n".join(part()) + "\n", flush=True)
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
        print(f"patterns_table.py: {error}", file=sys.stderr)
        return 2
    print(f"Device: {options.device}; {options.size:,} elements, median of {options.rounds} rounds, {os.cpu_count()} processors.")
    return 0 if bench.whole else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Drives hostile traces through every verb and format of cupranalyze, under limits.

attacks   files of --bytes bytes each that `verify` accepts, one for each way to make much of little
mutated   traces with valid checksums that say what no program says
damaged   traces with bits flipped, parts cut out, cut off, or put in from another

Holds for every run: no signal, no more than --seconds of processor time and --memory MiB, nothing on a terminal that
it would obey, output that its readers take. A file that `verify` accepts is answered, or refused with its name and the
reason. Damage is never accepted. A repaired trace repairs to itself, and is accepted but for what it says is missing.
"""

import argparse
import concurrent.futures
import csv
import glob
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "readers")]
import cubex  # noqa: E402

REFUSED = re.compile(r"--any-size goes on")
# What a terminal obeys: C0 but for line ends, DEL, C1, and what turns the direction of text.
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
CAPTURED = 32 << 20

# Name, words with {trace}, {other} and {out}, and what becomes of stdout and {out}.
TEXT, JSON, JSON_LINES, CSV, PROTOBUF, SQLITE, HTML, FOLDER, CUBE, ANY = range(10)
VERBS = [
    ("verify", "verify {trace}", TEXT, None),
    ("info", "info {trace}", TEXT, None),
    ("info-json", "info --json {trace}", JSON, None),
    ("dump", "dump {trace}", TEXT, None),
    ("dump-json", "dump --json {trace}", JSON_LINES, None),
    ("dump-per-thread", "dump --per-thread {trace}", TEXT, None),
    ("comm", "comm {trace}", TEXT, None),
    ("comm-json", "comm --json {trace}", JSON, None),
    ("findings", "findings {trace}", TEXT, None),
    ("banks", "banks {trace}", TEXT, None),
    ("banks-json", "banks --json {trace}", JSON, None),
    ("caches", "caches --reuse {trace}", TEXT, None),
    ("caches-json", "caches --cold --json {trace}", JSON, None),
    ("latency", "latency --warps {trace}", TEXT, None),
    ("latency-json", "latency --warps --warp=0:0 --json {trace}", JSON, None),
    ("latency-csv", "latency --csv={out} {trace}", TEXT, CSV),
    ("latency-perfetto", "latency --launch=1 --perfetto={out} {trace}", TEXT, JSON),
    ("latency-otf2", "latency --launch=1 --otf2={out} {trace}", TEXT, FOLDER),
    ("profile", "profile {trace}", TEXT, None),
    ("profile-flat", "profile --flat {trace}", TEXT, None),
    ("profile-bottom-up-json", "profile --bottom-up --json {trace}", JSON, None),
    ("profile-speedscope", "profile --speedscope={out} {trace}", TEXT, JSON),
    ("profile-cube", "profile --cube={out} {trace}", TEXT, CUBE),
    ("dump-host", "dump --host {trace}", TEXT, None),
    ("advise", "advise {trace}", TEXT, None),
    ("advise-json", "advise --json {trace}", JSON, None),
    ("diff", "diff {trace} {other}", TEXT, None),
    ("diff-accesses", "diff --accesses {trace} {trace}", TEXT, None),
    ("diff-accesses-json", "diff --accesses --json {trace} {other}", JSON, None),
    ("report", "report --advise -o {out} {trace}", TEXT, HTML),
    ("repair", "repair {trace} -o {out}", TEXT, ANY),
    ("export-json", "export --format=json -o {out} {trace}", TEXT, JSON_LINES),
    ("export-csv", "export --format=csv -o {out} {trace}", TEXT, CSV),
    ("export-csv-launches", "export --format=csv --table=launches -o {out} {trace}", TEXT, CSV),
    ("export-csv-sites", "export --format=csv --table=sites -o {out} {trace}", TEXT, CSV),
    ("export-protobuf", "export --format=protobuf --compress=zstd -o {out} {trace}", TEXT, ANY),
    ("export-sqlite", "export --format=sqlite -o {out} {trace}", TEXT, SQLITE),
    ("export-memtrace", "export --format=memtrace -o {out} {trace}", TEXT, ANY),
    ("export-capnp", "export --format=capnp -o {out} {trace}", TEXT, ANY),
    ("results-sqlite", "results --format=sqlite --advise -o {out} {trace}", TEXT, SQLITE),
    ("results-history", "results --format=csv --history=all -o {out} {trace}", TEXT, FOLDER),
    ("results-communicated", "results --format=csv --history=all --communicated -o {out} {trace}", TEXT, FOLDER),
    ("results-thread-strides", "results --format=csv --thread-strides -o {out} {trace}", TEXT, FOLDER),
    ("results-perfetto", "results --format=perfetto -o {out} {trace}", TEXT, ANY),
    ("results-speedscope", "results --format=speedscope -o {out} {trace}", TEXT, JSON),
]


# What `latency` says of a trace without what it asks for.
NOTHING_TIMED = re.compile(r"no launch (of the trace|that is selected) is timed|there is no launch for launch 1;")


class Failure(Exception):
    pass


def must(holds, what):
    if not holds:
        raise Failure(what)


def text_of(data):
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Failure(f"not UTF-8: {error}") from None


def check_terminal(data, what):
    found = OBEYED.search(text_of(data))
    must(not found, f"{what} holds {found.group()!r}" if found else "")


def no_constant(name):
    raise Failure(f"JSON holds {name}")


def check_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        width = len(next(rows))
        for row in rows:
            must(len(row) == width, f"{path}: a row of {len(row)} cells, not {width}")
            for cell in row:
                if cell.startswith(FORMULA):
                    try:
                        float(cell)
                    except ValueError:
                        raise Failure(f"{path}: a spreadsheet obeys {cell[:40]!r}") from None


def check_html(path):
    page = pathlib.Path(path).read_text(encoding="utf-8")
    start = page.index('type="application/json"')
    data = page[page.index(">", start) + 1 : page.index("</script", start)]
    must(not re.search(r"[<>&\u2028\u2029]", data.strip()), "names reach out of their script")


def check_sqlite(path):
    database = sqlite3.connect(path)
    must(database.execute("PRAGMA quick_check").fetchall() == [("ok",)], "the database is damaged")
    database.close()


def check_output(kind, path, data):
    """Of stdout, given as data, or of a file."""
    if kind in (JSON, JSON_LINES):
        if data is None:
            data = pathlib.Path(path).read_bytes()
        for line in text_of(data).split("\n") if kind == JSON_LINES else [text_of(data)]:
            if line:
                json.loads(line, parse_constant=no_constant)
    elif kind == CSV:
        check_csv(path)
    elif kind == FOLDER:
        for name in glob.glob(os.path.join(glob.escape(path), "*.csv")):
            check_csv(name)
    elif kind == HTML:
        check_html(path)
    elif kind == SQLITE:
        check_sqlite(path)
    elif kind == CUBE:
        cubex.read(path)


class Run:
    """One run of the tool: status, what it said, and what it took."""

    def __init__(self, tool, words, folder, limits):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (limits.address << 20,) * 2)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file << 20,) * 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (2 * limits.seconds + 5,) * 2)

        self.out, err = os.path.join(folder, "stdout"), os.path.join(folder, "stderr")
        with open(self.out, "wb") as stdout, open(err, "wb") as stderr:
            began = time.monotonic()
            process = subprocess.Popen(
                [tool, *words], stdout=stdout, stderr=stderr, preexec_fn=limit, env={**os.environ, "TMPDIR": folder}
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.status = process.returncode
        self.wall = time.monotonic() - began
        self.seconds = used.ru_utime + used.ru_stime
        self.memory = used.ru_maxrss / 1024
        with open(err, "rb") as file:
            self.stderr = file.read(CAPTURED)

    def stdout(self):
        """None: too much to look at."""
        if os.path.getsize(self.out) > CAPTURED:
            return None
        return pathlib.Path(self.out).read_bytes()


class Drive:
    def __init__(self, options):
        self.tool = options.cupranalyze
        self.limits = options
        self.rows = []

    def run_one(self, trace, other, name, words, stdout, output):
        """Checks what holds for every run, and returns it."""
        with tempfile.TemporaryDirectory(dir=self.limits.work) as folder:
            out = os.path.join(folder, "out")
            words = [word.format(trace=trace, other=other, out=out) for word in words.split()]
            run = Run(self.tool, words, folder, self.limits)
            limits = self.limits
            said = run.stderr[-300:].decode(errors="backslashreplace").strip()
            self.rows.append((os.path.basename(trace), name, run.status, run.seconds, run.memory, said))
            must(run.status in (0, 1, 2, 3), f"exit status {run.status}: {said}")
            must(run.seconds <= limits.seconds, f"{run.seconds:.1f} s of processor time")
            must(run.memory <= limits.memory, f"{run.memory:.0f} MiB")
            check_terminal(run.stderr, "stderr")
            must(run.status != 1 or NOTHING_TIMED.search(said), f"a fault of the program: {said}")
            data = run.stdout()
            if run.status in (0, 3):
                if data is not None and stdout in (TEXT, JSON, JSON_LINES):
                    if stdout == TEXT:
                        check_terminal(data, "stdout")
                    else:
                        check_output(stdout, None, data)
                if output is not None:
                    must(os.path.exists(out), "there is no output")
                    if os.path.isdir(out) or os.path.getsize(out) <= CAPTURED:
                        check_output(output, out, None)
            else:
                must(said, "nothing is said")
            if name == "repair" and run.status in (0, 2) and os.path.exists(out):
                self.check_repaired(out, folder)
            return run

    def check_repaired(self, repaired, folder):
        verified = Run(self.tool, ["verify", repaired], folder, self.limits)
        if verified.status != 0 and not REFUSED.search(verified.stderr.decode()):
            for line in verified.stderr.decode().splitlines():
                must(
                    re.search(
                        r"the trace was repaired; missing|is incomplete|could not write all|and \d+ more"
                        r"|the device counted|lacks \d+ accesses",
                        line,
                    ),
                    f"a repaired trace is not accepted: {line[:300]}",
                )
        again = os.path.join(folder, "again")
        run = Run(self.tool, ["repair", repaired, "-o", again], folder, self.limits)
        must(run.status in (0, 2), f"a second repair ends with {run.status}")
        if os.path.exists(again):
            same = pathlib.Path(again).read_bytes() == pathlib.Path(repaired).read_bytes()
            must(same, "a second repair changes the trace")

    def check(self, trace, other, is_damaged, verbs):
        """All verbs on one file. Returns what failed."""
        failures = []
        accepted = False
        for name, words, stdout, output in verbs:
            try:
                run = self.run_one(trace, other, name, words, stdout, output)
                if name == "verify":
                    accepted = run.status == 0
                    must(not (accepted and is_damaged), "damage is accepted")
                elif accepted and run.status == 2:
                    said = run.stderr.decode()
                    must(REFUSED.search(said), f"refused without a limit that is told: {said[-300:]}")
            except Failure as failure:
                failures.append(f"{os.path.basename(trace)}: {name}: {failure}")
        return failures


def make(program, *words):
    subprocess.run([program, *map(str, words)], check=True)


def cases(options, folder):
    """Pairs of a function that makes a trace and whether it is damaged, by name."""
    seeds = sorted(glob.glob(os.path.join(options.seeds, "v*", "*.cuprtrace")))
    for name in options.attack or subprocess.check_output([options.traces, "attacks"], text=True).split():
        if options.attack or not options.no_attacks:
            yield f"attack-{name}", False, ["attack", name, "{}", options.bytes]
    if options.attack:
        return
    for seed in range(options.mutated):
        yield f"mutated-{seed}", False, ["mutate", seeds[seed % len(seeds)], "{}", seed]
    for seed in range(options.damaged):
        of = seeds[seed % len(seeds)], seeds[seed * 7 // 3 % len(seeds)]
        yield f"damaged-{seed}", True, ["damage", *of, "{}", seed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--traces", required=True, help="the program hostile_traces")
    parser.add_argument("--seeds", required=True, help="test/golden")
    parser.add_argument("--work", default=None, help="where files are made")
    parser.add_argument("--bytes", type=int, default=10 << 20, help="of an attack")
    parser.add_argument("--mutated", type=int, default=400)
    parser.add_argument("--damaged", type=int, default=800)
    parser.add_argument("--attack", action="append", help="only these attacks")
    parser.add_argument("--no-attacks", action="store_true")
    parser.add_argument("--verb", action="append", help="only these verbs, and verify")
    parser.add_argument("--spread", type=int, default=1, help="each file goes through every n-th verb, and verify")
    parser.add_argument("--seconds", type=float, default=20, help="of processor time, for a run")
    parser.add_argument("--memory", type=float, default=1024, help="MiB, for a run")
    parser.add_argument("--address", type=int, default=6144, help="MiB of address space")
    parser.add_argument("--file", type=int, default=16384, help="MiB of a file that is written")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the files that failed")
    parser.add_argument("--table", help="a file for what each run took")
    options = parser.parse_args()
    csv.field_size_limit(sys.maxsize)
    drive = Drive(options)
    options.seconds = int(options.seconds)
    failures, files = [], 0
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        options.work = folder

        def work(number, case):
            name, is_damaged, words = case
            trace = os.path.join(folder, name + ".cuprtrace")
            make(options.traces, *(word if word != "{}" else trace for word in words))
            verbs = [v for v in VERBS if not options.verb or v[0] in options.verb + ["verify"]]
            verbs = [v for i, v in enumerate(verbs) if i == 0 or (i + number) % options.spread == 0]
            other = os.path.join(options.seeds, "v3", "stencil.cuprtrace")
            found = drive.check(trace, other, is_damaged, verbs)
            if found and options.keep:
                os.makedirs(options.keep, exist_ok=True)
                shutil.copy(trace, options.keep)
            os.unlink(trace)
            for line in found:
                print(line, flush=True)
            return found

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for found in pool.map(work, itertools.count(), cases(options, folder)):
                failures += found
                files += 1
    if options.table:
        with open(options.table, "w", encoding="utf-8") as table:
            for row in drive.rows:
                table.write("{}\t{}\t{}\t{:.2f}\t{:.0f}\t{}\n".format(*row[:5], row[5].replace("\n", " | ")[:200]))
    slowest = max(drive.rows, key=lambda row: row[3])
    largest = max(drive.rows, key=lambda row: row[4])
    print(
        f"{files} files, {len(drive.rows)} runs: {len(failures)} failed; slowest {slowest[0]} {slowest[1]} "
        f"{slowest[3]:.1f} s, largest {largest[0]} {largest[1]} {largest[4]:.0f} MiB"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

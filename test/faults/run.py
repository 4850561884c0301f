#!/usr/bin/env python3
"""Each planted fault is found at its lines, and nothing in the programs without them.

    run.py check --tools build/release/bin [--into DIR] [--device cpu|gpu] [--jobs N] [CASE...]
    run.py build --tools build/release/bin --into DIR [--device cpu|gpu|both]     only compiles
    run.py check --tools build/release/bin --from DIR [--device cpu|gpu] [CASE...]     programs that have been built so
    run.py live --tools build/release/bin [CASE...]     what programs say with CUPR_CHECK=go, on the CPU device, is what check finds in their traces
    run.py sanitizers [--nvcc nvcc] [--into DIR] [--jobs N] [CASE...]     on a GPU: what compute-sanitizer's four tools find of them, by rule
    run.py list [CASE...]     the cases, with their rules and lines, and how many there are of each rule

check: of a case's `fault`, each line marked `//~ CASE: RULE` is named by a fault of that rule (marked `on gpu`, `on cpu` or `nowhere`
behind that: only there, since no more can be known), and no fault is of another rule or at
another line; of its `fixed` there are none, and the program got no error from CUDA. CASE is a case's name or a file's.
Exit status: 0 all is so, 1 something is not.
"""

import argparse
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODES = ("fault", "fixed")
ARCHITECTURE = "sm_90"  # where barriers in memory and asynchronous copies are instructions
SECONDS = 60  # that a program or a check may take
PATIENCE = 10  # seconds for a faulty program on a GPU, some of which wait for ever: then it is told to end, which its runtime does with its trace first


class Case:
    """A planted fault, and what must be found of it: pairs of a line and a rule, and on which devices; docs/check.md, Limits, says why not elsewhere."""

    def __init__(self, source, name):
        self.source, self.name = source, name
        self.wanted = {}

    def wantedOn(self, device):
        return {place for place, devices in self.wanted.items() if device in devices}

    @property
    def rules(self):
        return sorted({rule for _, rule in self.wanted})


def cases(names=()):
    """In the order of files, and of their marks."""
    found = {}
    for source in sorted(HERE.glob("*.cu")):
        for number, line in enumerate(source.read_text().splitlines(), 1):
            if mark := re.search(r"//~ (.*)", line):
                for part in mark[1].split(";"):
                    name, rule, where = re.fullmatch(r"(\w+): ([\w-]+)(?: (on gpu|on cpu|nowhere))?", part.strip()).groups()
                    case = found.setdefault(name, Case(source, name))
                    assert case.source == source, f"{name} is in two files"
                    case.wanted[number, rule] = {"": {"cpu", "gpu"}, "on gpu": {"gpu"}, "on cpu": {"cpu"}, "nowhere": set()}[where or ""]
    if unknown := set(names) - set(found) - {case.source.stem for case in found.values()}:
        sys.exit(f"run.py: no case {', '.join(sorted(unknown))}")
    return [case for case in found.values() if not names or case.name in names or case.source.stem in names]


def run(*command, seconds=SECONDS, **environment):
    words = [str(word) for word in command]
    with subprocess.Popen(words, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                said = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            if seconds == SECONDS:  # else it may
                raise
    return subprocess.CompletedProcess(words, process.returncode, *said)


def compile_all(chosen, tools, device, into, jobs):
    into.mkdir(parents=True, exist_ok=True)

    def compile_one(source):
        # -g: calls of the host have lines.
        done = run(tools / "cupr++", "-O1", "-g", "-w", "-std=c++17", f"-arch={ARCHITECTURE}", f"--device={device}", "--spaces=global,shared,local",
                   "--synchronisation", "--host-accesses", source, "-o", into / source.stem)
        if done.returncode:
            raise RuntimeError(f"{source.name}: exit status {done.returncode}\n{done.stderr[-4000:]}")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(compile_one, sorted({case.source for case in chosen})))


class Result:
    """What one run of a case did, and what was found in its trace."""

    def __init__(self, case, mode, programs, tools, device, folder):
        self.case, self.mode = case, mode
        self.problems = []
        trace = folder / f"{case.name}.{mode}.cuprtrace"
        mayWait = mode == "fault" and device == "gpu"
        done = self.timed(programs / case.source.stem, case.name, mode, seconds=PATIENCE if mayWait else SECONDS, CUPR_DEVICE=device,
                          CUPR_TRACE=str(trace), CUPR_FORCE="on", CUPR_DERIVE="off",
                          CUPR_BINS="host")  # of what a GPU stops at, that keeps what came before
        if done is None:
            return
        if done.returncode and not (mayWait and done.returncode == -signal.SIGTERM):
            self.problems.append(f"the program ended with exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        found = self.timed(tools / "cupranalyze", "check", "--json", "--any-size", trace)  # threads that go round for ever leave much that is alike
        if found is None:
            return
        try:
            report = json.loads(found.stdout)
        except ValueError:
            self.problems.append(f"check ended with exit status {found.returncode}: {found.stderr.strip()[-300:]}")
            return
        finally:
            trace.unlink(missing_ok=True)
        self.compare(report, device)

    def timed(self, *command, **options):
        try:
            return run(*command, **options)
        except subprocess.TimeoutExpired:
            self.problems.append(f"{Path(command[0]).name} has not ended after {SECONDS} s")
            return None

    def lines(self, access):
        if not access["file"] and access.get("operation") in ("copy", "set"):
            # Without llvm-symbolizer where the program runs, calls of the host have no lines: one of the case's.
            source = self.case.source.read_text().splitlines()
            return [line for line, _ in self.case.wanted if re.search("cudaMem(cpy|set)", source[line - 1])] or [0]
        return [access["line"] if Path(access["file"]).name == self.case.source.name else 0]

    def compare(self, report, device):
        allowed = set(self.case.wanted) if self.mode == "fault" else set()
        wanted = self.case.wantedOn(device) & allowed
        named = collections.defaultdict(list)
        for fault in report["faults"]:
            if not fault["accesses"]:
                named[(0, fault["rule"])].append("no place")
            for access in fault["accesses"]:
                for line in self.lines(access):
                    named[(line, fault["rule"])].append(f"{access.get('operation', '')} at {access['file']}:{access['line']}")
        unchecked = {rule: each["why"] for each in report.get("unchecked", []) for rule in each.get("rules") or [each["rule"]]}
        # Whether a block has ended when another one accesses its memory is chance on a GPU: the kernel stops there, or runs through.
        eitherWay = {"block-ended", "failed-kernel"}
        if self.mode == "fault" and device == "gpu" and eitherWay & set(self.case.rules):
            told = {place for place in named if place[1] in eitherWay}
            allowed |= {place for place in told if place[1] == "failed-kernel"}
            if told:
                wanted = {place for place in wanted if place[1] not in eitherWay}
        for line, rule in sorted(wanted - set(named)):
            reason = f" (not checked: {unchecked[rule]})" if rule in unchecked else ""
            self.problems.append(f"{rule} in line {line} was not found{reason}")
        for line, rule in sorted(set(named) - allowed):
            self.problems.append(f"{rule} in line {line} was found, and is none: {named[(line, rule)][0].strip()}")


def check(options):
    chosen = cases(options.names)
    with tempfile.TemporaryDirectory() as folder:
        programs = options.programs or options.into or Path(folder)
        if not options.programs:
            compile_all(chosen, options.tools, options.device, programs, options.jobs)
        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda each: Result(*each, programs, options.tools, options.device, Path(folder)),
                                    [(case, mode) for case in chosen for mode in MODES]))
    failed = [result for result in results if result.problems]
    for result in failed:
        for problem in result.problems:
            print(f"{result.case.source.name}: {result.case.name} {result.mode}: {problem}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


def told(text):
    """The faults that it names, without how often: that grows while a program runs."""
    return sorted(re.findall(r"(?m)^[a-z-]+: .*\n(?:  .*\n)+(?=\n)", re.sub(r"(?m)^  [\d,]+ times\n", "", text)))


def live(options):
    chosen = cases(options.names)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        programs = options.programs or options.into or Path(folder)
        if not options.programs:
            compile_all(chosen, options.tools, "cpu", programs, options.jobs)
        trace = Path(folder) / "live.cuprtrace"
        for case in chosen:
            # One thread: which of several accesses that race is found first is the same each time.
            ran = run(programs / case.source.stem, case.name, "fault", CUPR_CHECK="go", CUPR_DEVICE="cpu", CUPR_CPU_THREADS="1", CUPR_TRACE=str(trace),
                      PATH=f"{options.tools}{os.pathsep}{os.environ['PATH']}")
            found = run(options.tools / "cupranalyze", "check", "--top", "1000", trace)
            if told(ran.stderr) != told(found.stdout):
                failed += 1
                print(f"{case.source.name}: {case.name}: check says\n{found.stdout}{found.stderr}and the program said\n{ran.stderr}")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return bool(failed)


class Sanitized:
    """Which of compute-sanitizer's tools find something in a case's fault."""

    TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
    SECONDS = 30  # some wait for ever

    def __init__(self, case, programs):
        self.case = case
        self.finders = [tool for tool in self.TOOLS if self.finds(tool, programs)]

    def finds(self, tool, programs):
        options = ("--leak-check", "full", "--report-api-errors", "all") if tool == "memcheck" else ()
        process = subprocess.Popen(["compute-sanitizer", "--tool", tool, *options, programs / self.case.source.stem, self.case.name, "fault"],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            said = process.communicate(timeout=self.SECONDS)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said = process.communicate()[0]
        return re.search(r"=========  *(Error|Warning|Invalid|Leaked|Race|Uninitialized|Barrier|Program hit|Malloc|Host)", said) is not None


def sanitizers(options):
    chosen = cases(options.names)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        programs = options.into or Path(folder)
        programs.mkdir(parents=True, exist_ok=True)
        for done in pool.map(lambda source: run(options.nvcc, "-O1", "-lineinfo", "-w", "-std=c++17", f"-arch={ARCHITECTURE}", source,
                                                "-o", programs / source.stem), sorted({case.source for case in chosen})):
            if done.returncode:
                print(done.stderr[-2000:])
        results = list(pool.map(lambda case: Sanitized(case, programs), [case for case in chosen if (programs / case.source.stem).exists()]))
    print("| rule | cases | by any tool | " + " | ".join(Sanitized.TOOLS) + " |")
    print("| --- | ---: | ---: | " + "---: | " * len(Sanitized.TOOLS))
    for rule in sorted({rule for result in results for rule in result.case.rules}):
        its = [result for result in results if rule in result.case.rules]
        counts = [sum(tool in result.finders for result in its) for tool in Sanitized.TOOLS]
        print(f"| `{rule}` | {len(its)} | {sum(bool(result.finders) for result in its)} | " + " | ".join(map(str, counts)) + " |")
    print(f"{len(results)} cases, {sum(bool(result.finders) for result in results)} found by a tool")
    for result in results:
        if result.finders and not result.case.wantedOn("gpu"):
            print(f"{result.case.source.name}: {result.case.name}: found by {', '.join(result.finders)}, and not by check on a GPU")
    return 0


def build(options):
    compile_all(cases(options.names), options.tools, options.device, options.into, options.jobs)
    return 0


def list_cases(options):
    chosen = cases(options.names)
    for case in chosen:
        print(f"{case.source.name} {case.name}: {', '.join(f'{line} {rule}' for line, rule in sorted(case.wanted))}")
    counts = collections.Counter(rule for case in chosen for rule in case.rules)
    print(f"{len(chosen)} cases:", ", ".join(f"{count} {rule}" for rule, count in sorted(counts.items())))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    for name, verb, device in (("check", check, "cpu"), ("build", build, "both"), ("live", live, "cpu"), ("sanitizers", sanitizers, "gpu"), ("list", list_cases, "cpu")):
        its = verbs.add_parser(name)
        its.set_defaults(verb=verb)
        its.add_argument("names", nargs="*", metavar="CASE")
        its.add_argument("--tools", type=Path, required=name not in ("list", "sanitizers"))
        its.add_argument("--into", type=Path, required=name == "build")
        its.add_argument("--from", dest="programs", type=Path)
        its.add_argument("--device", choices=("cpu", "gpu", "both") if name == "build" else ("cpu", "gpu"), default=device)
        its.add_argument("--jobs", type=int, default=2)
        its.add_argument("--nvcc", default="nvcc")
    options = parser.parse_args()
    for folder in ("into", "programs", "tools"):
        if getattr(options, folder):
            setattr(options, folder, getattr(options, folder).resolve())
    return options.verb(options)


if __name__ == "__main__":
    sys.exit(main())

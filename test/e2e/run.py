#!/usr/bin/env python3
"""End-to-end tests: build small programs, run them traced, and compare the trace with arithmetic.

    run.py build   --tools BIN --out BUNDLE [--build-for both|gpu|cpu] [--arch sm_90] [NAME...]
    run.py check   --bundle BUNDLE --device gpu|cpu [NAME...]
    run.py test    --tools BIN --out BUNDLE [--device cpu] [NAME...]        build and check, and compare the copies
    run.py update  --tools BIN --out BUNDLE [NAME...]          build constructs, and expect the copies as they are now
    run.py devices --bundle BUNDLE [NAME...]       GPU against CPU device, access by access of each thread
    run.py compare --cupranalyze PROGRAM A.cuprtrace B.cuprtrace            the same for two traces

`check` needs no compiler: a bundle that was built elsewhere will do. Each check is one line; the last one counts
them. Exit status: 0 all passed, 1 something failed, 2 it could not be tried.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bundle import EXPECT, Bundle, BuildError
from copies import Copies
from expectation import FIGURES, SiteError, load_all
from trace_reader import AnalysisError, Trace

TIMEOUT = 600
# Traces with more records are not made three times.
REPRODUCED = 50000
# Programs with more loads, stores and bytes than this are compared between devices only when named.
COMPARED = 30_000_000


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, what, problem):
        """One result: `problem` says what is wrong, and is empty or None when nothing is."""
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {what}: {problem}", flush=True)
        else:
            self.passed += 1
            print(f"pass {name}: {what}", flush=True)
        return not problem

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def run_program(program, expectation, environment):
    """(problem or None, sorted lines of its output): threads of several blocks print in any order."""
    try:
        done = subprocess.run(
            [str(program), *expectation.arguments],
            env={**os.environ, **environment},
            cwd=program.parent,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error), []
    if done.returncode:
        return f"exit status {done.returncode}: {(done.stderr + done.stdout).strip()[-2000:]}", []
    return None, sorted(done.stdout.splitlines())


def sample(accesses):
    return "".join(f"\n    {access} x {times}" for access, times in sorted(accesses.items(), key=str)[:5])


def check_launch(tally, name, number, launch, found, trace):
    what = f"launch {number}, {launch.kernel}"
    shape = tuple(found["grid"]), tuple(found["block"])
    wanted = launch.grid, launch.block
    tally.check(name, f"{what}: shape", shape != wanted and f"{shape}, not {wanted}")
    wrong = [
        f"{figure} {found['global'][figure]}, not {launch.figures[figure]}"
        for figure in FIGURES
        if found["global"][figure] != launch.figures[figure]
    ]
    for space, figures in launch.spaces.items():
        has = found.get(space, dict.fromkeys(FIGURES, 0))
        if has != figures:
            wrong.append(f"in {space} memory {has}, not {figures}")
    if launch.waits:
        wrong = []
    whole = launch.fails or launch.untraced or found["complete"]
    tally.check(name, f"{what}: figures", "; ".join(wrong) or (not whole and "not complete"))
    if found["traced"] and found["complete"] and not launch.fails:
        began, ended = found["began"], found["ended"]
        ordered = began and ended and 0 < began <= ended <= found["endTime"]
        tally.check(name, f"{what}: times", not ordered and f"on the device {began} to {ended}, over at {found['endTime']}")
    if launch.untraced is not None:
        reason = "" if found["traced"] else found["reason"]
        tally.check(name, f"{what}: not traced", launch.untraced not in reason and f"'{reason}'")
    if launch.line is not None:
        tally.check(name, f"{what}: place", found["line"] != launch.line and f"line {found['line']}, not {launch.line}")
    if launch.records is not None:
        records = found["records"]
        tally.check(name, f"{what}: warp accesses", records != launch.records and f"{records}, not {launch.records}")
    if launch.after is not None:
        after = found.get("graph", {}).get("after")
        tally.check(name, f"{what}: order in its graph", (after is None or len(after) != launch.after) and f"behind {after}")
    sites = launch.sites()
    if sites is not None:
        traced = trace.sites(found)
        if launch.waits:
            traced = Counter({site: times for site, times in traced.items() if site in sites})
        tally.check(name, f"{what}: {len(sites)} sites", traced != sites and f"{dict(traced)}, not {dict(sites)}")
    contexts = launch.contexts()
    if contexts is not None:
        traced = trace.contexts(found)
        tally.check(name, f"{what}: {len(contexts)} calling contexts", traced != contexts and f"{dict(traced)}, not {dict(contexts)}")
    expected = launch.accesses()
    if expected is None:
        return
    traced = trace.accesses(found, launch.ctas)
    if launch.waits:
        traced = Counter({access: times for access, times in traced.items() if access.of != "unknown"})
    missing, extra = expected - traced, traced - expected
    problem = None
    if missing or extra:
        problem = f"{missing.total()} missing:{sample(missing)}\n  {extra.total()} too many:{sample(extra)}"
    tally.check(name, f"{what}: {expected.total()} accesses, each in its place", problem)


def in_order(expectation, launches, trace):
    """The launches as the expectation lists them; where their order is open, by the accesses they made."""
    if not expectation.any_order:
        return launches
    rest = [(launch, trace.accesses(launch)) for launch in launches]
    ordered = []
    for wanted in expectation.launches:
        at = next((at for at, (_, accesses) in enumerate(rest) if accesses == wanted.accesses()), 0)
        ordered.append(rest.pop(at)[0])
    return ordered


def check_trace(tally, expectation, trace):
    name = expectation.name
    try:
        tally.check(name, f"the trace is whole: {trace.verify()}", None)
    except AnalysisError as error:
        tally.check(name, "the trace is whole", str(error))
    launches = trace.info()["launches"]
    # Template kernels are demangled with their return type: names are compared without it.
    names = [launch["kernel"].removeprefix("void ") for launch in launches]
    wanted = [launch.kernel for launch in expectation.launches]
    if not tally.check(name, f"{len(wanted)} launches", names != wanted and f"{names}, not {wanted}"):
        return
    launches = in_order(expectation, launches, trace)
    streams = [launch["stream"] for launch in launches]
    named = [launch.stream for launch in expectation.launches]
    pairs = [(a, b) for a in range(len(named)) for b in range(a)]
    mixed = any("any" not in (named[a], named[b]) and (streams[a] == streams[b]) != (named[a] == named[b]) for a, b in pairs)
    tally.check(name, "each launch in its stream", mixed and f"{streams} for {named}")
    if expectation.communicated:
        found = trace.communicated()
        different = {key: found[key] for key, bytes_ in expectation.communicated.items() if found[key] != bytes_}
        tally.check(name, "communication", different and f"{different}, not {expectation.communicated}")
    for number, (launch, found) in enumerate(zip(expectation.launches, launches), 1):
        check_launch(tally, name, number, launch, found, trace)


def check_counts(tally, name, trace):
    """CUPR_COUNT: what the device has counted beside the records, site by site."""
    try:
        tally.check(name, f"counted on the device: {trace.verify()}", None)
    except AnalysisError as error:
        tally.check(name, "counted on the device", str(error))
    uncounted = [launch["id"] for launch in trace.info()["launches"] if launch["traced"] and "counted" not in launch]
    tally.check(name, "each traced launch is counted", uncounted and f"not {uncounted}")


def check_program(tally, bundle, expectation, device, work):
    name = expectation.name
    for problem in expectation.contradictions():
        tally.check(name, "the expectation", problem)
    settings = {"CUPR_DEVICE": device, **expectation.environment}
    problem, plain = run_program(bundle.program("plain", name), expectation, settings)
    tally.check(name, "runs without tracing", problem)

    def traced(path, **more):
        return run_program(bundle.program("traced", name), expectation, {**settings, "CUPR_TRACE": str(path), **more})

    path = work / f"{name}.cuprtrace"
    problem, output = traced(path)
    if not tally.check(name, "runs traced", problem):
        return
    tally.check(name, "same output", output != plain and f"{output}, not {plain}")
    trace = Trace(bundle.cupranalyze, path)
    try:
        check_trace(tally, expectation, trace)
        waits = any(launch.waits for launch in expectation.launches)
        counted = work / f"{name}.counted.cuprtrace"
        problem, output = traced(counted, CUPR_COUNT="1")
        if tally.check(name, "runs counted", problem or (output != plain and f"{output}, not {plain}")):
            check_counts(tally, name, Trace(bundle.cupranalyze, counted))
        fixed = not waits and not expectation.any_order
        derived = sum(launch["derived"] for launch in trace.info()["launches"])
        if derived and fixed and not problem:  # what is counted is recorded
            count, differences = difference(bundle.cupranalyze, [path, counted])
            tally.check(name, f"{derived} launches derived: the same {count} accesses as recorded", differences)
        counted.unlink(missing_ok=True)
        if device == "cpu" and fixed and trace.info()["total"]["records"] <= REPRODUCED:
            dumps = []
            for number in range(2):
                again = work / f"{name}.{number}.cuprtrace"
                traced(again, CUPR_CPU_THREADS="1")
                dumps.append(Trace(bundle.cupranalyze, again).dump())
            tally.check(name, "one thread: the same records twice", dumps[0] != dumps[1] and "the dumps differ")
    except AnalysisError as error:
        tally.check(name, "the trace can be read", str(error))
    path.unlink(missing_ok=True)


def build(options):
    expectations = load_all(EXPECT, options.names)
    built = Bundle(options.out).build(options.tools, expectations, options.build_for, options.arch, options.jobs)
    print(f"{built} commands to bring {len(expectations)} programs and their copies up to date")
    return 0


def check(options, tally=None):
    bundle = Bundle(options.bundle)
    tally = tally or Tally()
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for expectation in load_all([bundle.expect], options.names):
            if options.device not in expectation.devices:
                print(f"skip {expectation.name}: not for the {options.device}")
                continue
            check_program(tally, bundle, expectation, options.device, Path(work))
    return tally.finish()


def constructs(options):
    """The constructs that were asked for, each with its copies in the bundle."""
    bundle = Bundle(options.out)
    for expectation in load_all(EXPECT, options.names):
        if expectation.is_construct:
            yield Copies(expectation, bundle.copies(expectation.name))


def test(options):
    options.bundle = options.out
    build(options)
    tally = Tally()
    for copies in constructs(options):
        tally.check(copies.name, "the text of the copies", copies.difference())
        for compiler, problem in copies.compiled(options.tools, options.arch):
            tally.check(copies.name, f"the copies compile with {compiler}", problem)
    return check(options, tally)


def update(options):
    build(options)
    for copies in constructs(options):
        for path in copies.update():
            print(f"written: {path}")
    return 0


def difference(cupranalyze, traces):
    """(number of accesses, what differs as text): two traces, access by access of each thread."""
    one = Trace(cupranalyze, traces[0])
    found = one.difference(traces[1])
    return found["before"]["accesses"], "" if found["same"] else one.difference_text(traces[1])


def compare(options):
    count, differences = difference(options.cupranalyze, options.traces)
    print(f"different: {differences}" if differences else f"the same {count} accesses")
    return 1 if differences else 0


def devices(options):
    bundle = Bundle(options.bundle)
    tally = Tally()
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for expectation in load_all([bundle.expect], options.names):
            name, accesses = expectation.name, sum(sum(launch.figures.values()) for launch in expectation.launches)
            if accesses > COMPARED and not options.names or len(expectation.devices) < 2:
                continue
            if any(launch.waits for launch in expectation.launches) or expectation.any_order:
                continue  # how often a thread looks while it waits is the device's affair; launches are compared in order
            traces, outputs = [], []
            for device in ("gpu", "cpu"):
                path = Path(work) / f"{name}.{device}.cuprtrace"
                settings = {"CUPR_DEVICE": device, **expectation.environment, "CUPR_TRACE": str(path)}
                problem, output = run_program(bundle.program("traced", name), expectation, settings)
                if tally.check(name, f"runs on the {device}", problem):
                    traces.append(path)
                    outputs.append(output)
            if len(traces) < 2:
                continue
            if not expectation.own_output:
                tally.check(name, "same output", outputs[0] != outputs[1] and f"{outputs[0]}, not {outputs[1]}")
            try:
                count, differences = difference(bundle.cupranalyze, traces)
                tally.check(name, f"the same {count} accesses", differences)
            except AnalysisError as error:
                tally.check(name, "the traces can be read", str(error))
    return tally.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(function, text):
        sub = verbs.add_parser(function.__name__, help=text)
        sub.set_defaults(function=function)
        return sub

    def building(sub):
        sub.add_argument("--tools", required=True, help="folder that holds cupr++ and cupranalyze")
        sub.add_argument("--out", required=True, help="folder of the bundle")
        sub.add_argument("--arch", default="sm_90", help="GPU architecture (default: %(default)s)")
        sub.add_argument("--build-for", default="both", choices=["both", "gpu", "cpu"], help="(default: %(default)s)")
        sub.add_argument("--jobs", type=int, default=1, help="programs built at a time (default: %(default)s)")

    one = verb(build, "build the programs")
    building(one)
    one.add_argument("names", nargs="*", metavar="NAME")
    one = verb(check, "run and check a bundle's programs")
    one.add_argument("--bundle", required=True)
    one.add_argument("--device", required=True, choices=["gpu", "cpu"], help="what the programs run on")
    one.add_argument("--work", help="folder for traces (default: the system's for temporary files)")
    one.add_argument("names", nargs="*", metavar="NAME")
    one = verb(devices, "compare the traces of the GPU and of the CPU device")
    one.add_argument("--bundle", required=True)
    one.add_argument("--work", help="folder for traces")
    one.add_argument("names", nargs="*", metavar="NAME")
    one = verb(test, "build and check")
    building(one)
    one.add_argument("--device", default="cpu", choices=["gpu", "cpu"], help="(default: %(default)s)")
    one.add_argument("--work")
    one.add_argument("names", nargs="*", metavar="NAME")
    one = verb(update, "write what the copies of constructs must be: review it with git diff")
    building(one)
    one.add_argument("names", nargs="*", metavar="NAME")
    one = verb(compare, "compare two traces per thread")
    one.add_argument("traces", nargs=2)
    one.add_argument("--cupranalyze", default="cupranalyze")
    options = parser.parse_args()
    try:
        return options.function(options)
    except (BuildError, SiteError, AnalysisError, KeyError, OSError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

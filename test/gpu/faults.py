#!/usr/bin/env python3
"""Whatever goes wrong, no access is lost, or the loss is counted and named: on either device.

    faults.py --program PROGRAM --cupranalyze PROGRAM --device gpu|cpu --work FOLDER [NAME...]

PROGRAM is test/lit/e2e/Inputs/faults.cu. The judge is CUPR_COUNT: what the device has counted beside the records. Of a launch with an
end, what is recorded and what was dropped must add up to that, site by site (cupranalyze verify); every other problem that verify
finds must be one that the fault brings about. A line for each fault; the last one counts them. Exit status 1 when something failed.
"""

import argparse
import array
import fcntl
import json
import os
import re
import resource
import signal
import subprocess
import sys
import termios
import threading
from pathlib import Path

LIMIT = 300
STOPPED = 5  # seconds
SPACES = ("global", "shared", "constant", "local")
SMALLEST = {"CUPR_PAGE": "4K", "CUPR_BUFFER": "1"}
# What verify may say of a trace that ends early.
CUT = ("truncated at message", "has no end")
DROPPED = ("accesses were dropped (CUPR_FULL)",)


class Run:
    """One run of the program under a fault: its trace, its status and what it said."""

    def __init__(self, options, name, arguments, environment):
        self.options, self.name, self.arguments = options, name, arguments
        self.trace = Path(options.work) / f"{name.replace(' ', '-')}.cuprtrace"
        self.trace.unlink(missing_ok=True)
        self.environment = {**os.environ, "CUPR_DEVICE": options.device, "CUPR_COUNT": "1", "CUPR_TRACE": str(self.trace)}
        self.environment.update(environment)
        self.status, self.said = None, ""

    def start(self, **more):
        return subprocess.Popen(
            [self.options.program, *self.arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
        )

    def finish(self, process):
        try:
            _, self.said = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.status = f"no end after {LIMIT} s"
            return
        self.status = process.returncode

    def analyze(self, *arguments):
        return subprocess.run([self.options.cupranalyze, *arguments, self.trace], capture_output=True, text=True, check=False)

    def info(self):
        return json.loads(self.analyze("info", "--json").stdout)

    def dump(self):
        return self.analyze("dump", "--per-thread").stdout.splitlines()


def plain(run):
    run.finish(run.start())


def killed(run):
    process = run.start()
    process.stdout.readline()  # it is in the middle
    process.send_signal(signal.SIGKILL)
    run.finish(process)


def full_disk(run):
    size = 40_000
    run.finish(run.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))))


def through_pipe(run, consume):
    """The trace goes through a pipe, which `consume(pipe, file)` empties."""
    pipe = run.trace.with_suffix(".pipe")
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    run.environment["CUPR_TRACE"] = str(pipe)
    process = run.start()

    def take():
        with open(pipe, "rb", buffering=0) as source, open(run.trace, "wb") as file:
            consume(source, file)

    consumer = threading.Thread(target=take)
    consumer.start()
    run.finish(process)
    try:  # a program that ended early has never opened the pipe
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        pass
    consumer.join()
    pipe.unlink()


def drain(source, file):
    while block := source.read(1 << 20):
        file.write(block)


def stopped(run):
    """Nobody takes anything until the pipe is full, and for 5 s more."""

    def consume(source, file):
        file.write(source.read(1))
        capacity = fcntl.fcntl(source, 1032)  # F_GETPIPE_SZ
        waiting = array.array("i", [0])
        for _ in range(LIMIT * 100):
            fcntl.ioctl(source, termios.FIONREAD, waiting)
            if waiting[0] > capacity // 2:
                break
            threading.Event().wait(0.01)
        threading.Event().wait(STOPPED)
        drain(source, file)

    through_pipe(run, consume)


def slow(run):
    """4 MB/s."""

    def consume(source, file):
        while block := source.read(1 << 16):
            file.write(block)
            threading.Event().wait(1 / 64)

    through_pipe(run, consume)


class Fault:
    def __init__(self, name, arguments, accesses, launches=1, way=plain, status=0, says=(), may=(), devices=("cpu", "gpu"), check=None, **settings):
        self.name, self.arguments, self.way = name, arguments.split(), way
        self.accesses, self.launches = accesses, launches  # that the program makes; None: open
        self.status = status
        self.says = says  # what verify may find, and must find something; empty: nothing
        self.may = may  # what verify may find besides
        self.devices, self.check = devices, check
        self.settings = settings


def last_cta(run):
    ctas = {line.rsplit(" ", 6)[3] for line in run.dump()}
    wanted = ",".join(str(int(extent) - 1) for extent in run.arguments[1:])
    return ctas != {wanted} and f"CTAs {ctas}, not {wanted}"


def some_waited(run):
    return run.info()["launches"][0]["waits"] == 0 and "no warp waited"


def some_dropped(run):
    return run.info()["launches"][0]["dropped"] == 0 and "nothing was dropped"


FAULTS = [
    Fault("kill -9", "forever", None, None, killed, -signal.SIGKILL, CUT),
    Fault("full disk", "gather 16", None, 1, full_disk, 0, CUT),
    Fault("slow disk", "gather 16", 1_114_112, way=slow),
    Fault("consumer stopped", "gather 16", 1_114_112, way=stopped, devices=("cpu",)),
    # More than the host keeps in memory, so that warps do wait.
    Fault("consumer stopped", "gather 1024", 67_174_400, way=stopped, devices=("gpu",)),
    Fault("consumer stopped, smallest bins", "gather 1024", 67_174_400, way=stopped, devices=("gpu",), check=some_waited, **SMALLEST),
    Fault("64 streams", "streams", 327_680, 320),
    Fault("64 streams, smallest bins", "streams", 327_680, 320, **SMALLEST),
    Fault("10000 launches", "tiny", 640_000, 10_000),
    Fault("launches without records", "empty", 0, 100),
    Fault("last CTA in y", "last 1 65535 1", 32, check=last_cta, CUPR_CTAS="65530-"),
    Fault("last CTA in z", "last 3 1 65535", 32, check=last_cta, CUPR_CTAS="196600-"),
    Fault("last CTA in x", "last 2147483647 1 1", 32, check=last_cta, devices=("gpu",), CUPR_CTAS="2147483640-"),
    Fault("smallest bins", "gather 16", 1_114_112, **SMALLEST),
    Fault("smallest bins on the host", "gather 16", 1_114_112, CUPR_BINS="host", **SMALLEST),
    Fault("spin locks", "locked", None, **SMALLEST),
    Fault("spin locks, bins on the host", "locked", None, CUPR_BINS="host", **SMALLEST),
    Fault("drop, consumer stopped", "gather 1024", 67_174_400, way=stopped, says=DROPPED, devices=("gpu",),
          check=some_dropped, CUPR_FULL="drop", **SMALLEST),
    Fault("drop, 64 streams", "streams", 327_680, 320, may=DROPPED, CUPR_FULL="drop"),
    Fault("drop, spin locks", "locked", None, may=DROPPED, CUPR_FULL="drop"),
    Fault("trap", "trap", None, 2, says=("launch 2 (trapping",)),
]


def judge(run, fault):
    """What is wrong; None: nothing."""
    if run.status != fault.status:
        return f"status {run.status}, not {fault.status}: {run.said.strip()[-500:]}"
    verdict = run.analyze("verify")
    allowed = fault.says + fault.may
    found = [line for line in verdict.stderr.splitlines() if not any(each in line for each in allowed)]
    if allowed:  # verify names the first 20; each launch is judged below
        found = [line for line in found if not re.search(r": and \d+ more$", line)]
    if verdict.returncode not in (0, 2) or found:
        return "verify says " + "; ".join(found or [verdict.stderr])
    if verdict.returncode == 0 and fault.says:
        return "verify finds nothing missing"
    info = run.info()
    launches = info["launches"]
    if fault.launches is not None and len(launches) != fault.launches:
        return f"{len(launches)} launches, not {fault.launches}"
    recorded = 0
    for launch in launches:
        accesses = sum(launch.get(space, {}).get(kind, 0) for space in SPACES for kind in ("loads", "stores", "atomics"))
        known = accesses + launch["dropped"]
        if launch.get("counted", None if launch["complete"] else known) != known:
            return f"launch {launch['id']} has {known} accesses, and the device counted {launch.get('counted')}"
        if not launch["complete"] and not fault.says and not (fault.may and launch["dropped"]):
            return f"launch {launch['id']} is incomplete: {launch['reason']}"
        recorded += known
    if fault.accesses is not None and recorded != fault.accesses:
        return f"{recorded} accesses, not {fault.accesses}"
    return fault.check and fault.check(run) or None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--program", "--cupranalyze", "--work"):
        parser.add_argument(name, required=True)
    parser.add_argument("--device", required=True, choices=["gpu", "cpu"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    failed = tried = 0
    for fault in FAULTS:
        if options.device not in fault.devices or (options.names and fault.name not in options.names):
            continue
        run = Run(options, fault.name, fault.arguments, fault.settings)
        fault.way(run)
        found = judge(run, fault)
        tried += 1
        failed += found is not None
        print(f"FAIL {fault.name}: {found}" if found else f"pass {fault.name}", flush=True)
        run.trace.unlink(missing_ok=True)
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())

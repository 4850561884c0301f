#!/usr/bin/env python3
"""However a program ends and misbehaves, it does what it does untraced: the same output, the same status, its files as it wrote them. And
its trace is whole, or says what it lacks, or one line says why there is none.

    ends.py --tools build/release/bin --work FOLDER [--repeat 40] [--device cpu] [--part K/N] [WAY...]

Builds program.cu twice, traced and with --no-trace, and runs both in each way: `--repeat` times the traced one. WAY is a regular expression
for the names that are printed. A line for each way; the last one counts them. Exit status 1 when something differed.
"""

import argparse
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT = 60

# What `cupranalyze verify` must say of the trace.
WHOLE, LACKS, ANY, NONE = "whole", "lacks something", "any", "there is none"

# The part of a way's name that stands for the trace's path.
TRACE = "TRACE"


@dataclass
class Way:
    name: str
    words: list
    verdict: str = WHOLE
    trace: str = "t.cuprtrace"
    settings: dict = field(default_factory=dict)
    said: str = ""  # a line that the runtime must say
    records: int = 0  # at least so many
    before: object = None  # called with the folder of the run
    after: object = None  # the same, when the program has ended; returns what is wrong
    around: object = None  # runs the command: (command, environment, folder) -> result
    unequal: str = ""  # an expression for lines of output that may differ
    build: str = ""  # which of BUILDS runs


def by(name, *words, verdict=WHOLE, **more):
    return Way(name, list(words), verdict, **more)


# --- Surroundings -----------------------------------------------------------------------------------------------------------------


def run(command, environment, folder, **more):
    def undisturbed():
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.umask(0o022)

    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(command, env=environment, cwd=folder, preexec_fn=undisturbed, timeout=LIMIT, check=False, **more)


def in_shell(text):
    """The command stands for $0 and what follows."""
    return lambda command, environment, folder: run(["/bin/bash", "-c", text, *map(str, command)], environment, folder)


def read_one_line(command, environment, folder):
    """As `head -1` does; the status is the program's."""
    ends = os.pipe()
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=ends[1], stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),
    )
    os.close(ends[1])
    with os.fdopen(ends[0], "rb", buffering=0) as source:
        first = b""
        while not first.endswith(b"\n"):
            first += source.read(1)
    error = process.communicate(timeout=LIMIT)[1]
    return subprocess.CompletedProcess(command, process.returncode, first, error)


def as_another_user(command, environment, folder):
    """The program belongs to root, and has its rights whoever starts it."""
    copy = Path(folder) / "program"
    shutil.copy(command[0], copy)
    copy.chmod(0o4755)
    os.chmod(folder, 0o777)
    return run([str(copy), *command[1:]], environment, folder, user=65534, group=65534, extra_groups=[])


def can_set_user(work):
    return os.geteuid() == 0 and not os.statvfs(work).f_flag & os.ST_NOSUID


def as_nobody(limit, most):
    """Without the rights that lift limits, and with a limit."""

    def start(command, environment, folder):
        copy = Path(folder) / "program"
        shutil.copy(command[0], copy)
        copy.chmod(0o755)
        os.chmod(folder, 0o777)
        return run(["/usr/bin/prlimit", f"--{limit}={most}", str(copy), *command[1:]], environment, folder, user=65534, group=65534, extra_groups=[])

    return start


def fifo(folder):
    os.mkfifo(folder / "t.cuprtrace")


def fifo_with_reader(command, environment, folder):
    taken = bytearray()
    pipe = Path(folder) / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)

    def take():
        with open(pipe, "rb", buffering=0) as source:
            while block := source.read(1 << 16):
                taken.extend(block)

    reader = threading.Thread(target=take, daemon=True)
    reader.start()
    done = run(command, environment, folder)
    try:  # a program without a trace has never opened it
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        pass
    reader.join(LIMIT)
    if taken:
        (Path(folder) / "t.cuprtrace").write_bytes(taken)
    return done


def fifo_whose_reader_leaves(command, environment, folder):
    pipe = Path(folder) / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def leave():
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        poll.poll(1000 * LIMIT)
        os.close(reader)

    thread = threading.Thread(target=leave, daemon=True)
    thread.start()
    done = run(command, environment, folder)
    try:  # for a program without a trace
        with open(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "wb", buffering=0) as end:
            end.write(b"x")
    except OSError:
        pass
    thread.join(LIMIT)
    return done


def reached_disk(folder):
    """All of the trace, its end too."""
    noted = folder / "fsyncs"
    notes = [line.split() for line in noted.read_text().splitlines()] if noted.exists() else []
    size = (folder / "t.cuprtrace").stat().st_size
    return None if notes and notes[-1] == [str(size), "0"] else f"{notes} of {size} bytes are on the disk"


PRECIOUS = "what somebody wrote and wants to keep\n"


def precious(folder):
    (folder / "t.cuprtrace").write_text(PRECIOUS)


def still_precious(folder):
    return None if (folder / "t.cuprtrace").read_text() == PRECIOUS else "the file that was there is gone"


def empty(folder):
    (folder / "t.cuprtrace").write_text("")


def has_mode(options, wanted):
    """The trace, and what cupranalyze makes of it."""

    def look(folder):
        environment = {**os.environ, "CUPR_FILE_MODE": f"{wanted:o}"} if wanted != 0o600 else None
        for verb in (["repair", "-o", "repaired"], ["report", "-o", "report.html"], ["export", "--format=json", "-o", "rows"]):
            command = [options.tools / "cupranalyze", *verb, "t.cuprtrace"]
            subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL, umask=0o022)
        for name in ("t.cuprtrace", "repaired", "report.html", "rows"):
            mode = stat.S_IMODE((folder / name).stat().st_mode)
            if mode != wanted:
                return f"the mode of {name} is {mode:o}"
        return None

    return look


def holds(text, wanted):
    def look(folder):
        found = text.encode() in (folder / "t.cuprtrace").read_bytes()
        return None if found == wanted else f"the trace {'holds' if found else 'does not hold'} '{text}'"

    return look


def unwritten(folder):
    left = [file.name for file in folder.iterdir() if file.suffix == ".cuprtrace" or file.name == "totals"]
    return f"{left} written" if left else None


# --- The ways ---------------------------------------------------------------------------------------------------------------------

# What host code is built with, by name.
BUILDS = {"AddressSanitizer": "address", "UndefinedBehaviorSanitizer": "undefined", "ThreadSanitizer": "thread"}

# Lines of a sanitizer's report, with addresses and numbers of processes.
REPORT = r"^=|^ |^$|SUMMARY|Sanitizer|0x|^\*\*\*"

ENDING_SIGNALS = "HUP INT QUIT TERM USR1 USR2 PIPE ALRM IO PROF VTALRM XCPU XFSZ STKFLT PWR SYS TRAP ABRT SEGV BUS FPE ILL".split()


def number(name):
    return str(int(getattr(signal, f"SIG{name}")))


def ways(options):
    library = options.work / "library.so"
    allocator = {"LD_PRELOAD": str(options.work / "allocator.so")}
    result = [
        by("return 0", "return", "0", records=7),
        by("return 3", "return", "3", records=7),
        by("exit", "exit", records=7),
        by("_exit", "_exit", verdict=LACKS, records=7),
        by("quick_exit", "quick_exit", records=7),
        by("quick_exit, with a handler that launches", "quick_exit-handler", records=8),
        by("abort", "abort", records=7),
        by("throw", "throw", records=7),
        by("throw in a thread", "throw-in-thread", records=7),
        by("crash", "crash", records=7),
        by("crash in a thread", "crash-in-thread", records=7),
        by("exec", "exec", verdict=LACKS, records=7),
        by("device reset", "reset", records=9),
        by("SIGKILL", "raise", "9", verdict=LACKS, records=7),
        *(by(f"raise SIG{name}", "raise", number(name), records=7) for name in ENDING_SIGNALS),
        by("raise the first real-time signal", "raise", str(signal.SIGRTMIN), records=7),
        by("raise the last real-time signal", "raise", str(signal.SIGRTMAX), records=7),
        by("kill SIGTERM", "kill", number("TERM"), records=7),
        by("SIGTERM from outside", "other", number("TERM"), verdict=ANY),
        by("SIGTERM twice from outside, as timeout sends it", "other-idle", number("TERM"), records=7,
           settings={"LD_PRELOAD": str(options.work / "fsync.so"), "SIGNAL_AGAIN": number("TERM")}, after=reached_disk),
        by("SIGUSR1 from outside", "other", number("USR1"), verdict=ANY),
        by("SIGTERM from a thread", "thread-signal", number("TERM"), verdict=ANY),
        by("SIGALRM from a timer", "timer", "0", verdict=ANY),
        by("SIGPROF from a timer", "timer", "2", verdict=ANY),
        by("the output's pipe is closed", "closed-pipe", around=read_one_line, records=7),
        by("SIGTERM is handled", "handled", number("TERM"), records=8),
        by("SIGUSR1 is handled", "handled", number("USR1"), records=8),
        by("SIGPIPE is ignored", "ignored", number("PIPE"), records=8),
        by("SIGTERM's default action is set", "restored", number("TERM"), verdict=LACKS, records=7),
        by("a handler calls _exit", "handler-exits", verdict=LACKS, records=7),
        by("sigwait", "sigwait", records=8),
        by("an atexit handler launches", "atexit", records=8),
        by("an older atexit handler launches", "first-atexit", records=3),
        by("a static destructor launches", "static-destructor", records=9),
        by("a static destructor launches first", "first-static-destructor", records=2),
        by("a destructor function launches", "fini", records=8),
        by("destructors of threads launch", "thread-local", records=14),
        by("destructors of keys launch", "thread-key", records=31),
        by("main returns amid launches", "amid-launches", verdict=ANY),
        by("exit amid launches, and in a handler", "exit-amid-launches", verdict=ANY, unequal="launched in an atexit"),
        by("quick_exit amid launches", "quick_exit-amid-launches", verdict=ANY),
        by("a thread calls exit amid launches", "thread-exits", verdict=ANY),
        by("the main thread ends by pthread_exit", "pthread_exit", records=58),
        by("a kernel fails an assertion", "assert", verdict=LACKS, records=7),
        by("a kernel traps", "trap", verdict=LACKS, records=7),
        by("a kernel strays", "stray", verdict=LACKS, records=7),
        by("a kernel is stopped", "timeout", verdict=LACKS, records=7, settings={"CUPR_CPU_TIMEOUT": "1"}),
        by("all descriptors are closed", "close-all", verdict=LACKS, said="the program has closed its descriptor"),
        by("all descriptors are closed, SIGTERM", "close-all", number("TERM"), verdict=LACKS, said="the program has closed"),
        by("each descriptor is closed", "close-each", verdict=LACKS, said="the program has closed its descriptor"),
        by("all descriptors are replaced", "replace-all", verdict=LACKS, said="the program has closed its descriptor"),
        by("all descriptors become eventfds", "replace-by-events", number("TERM"), verdict=LACKS),
        by("descriptors are used up", "use-up", records=87, unequal="descriptors$"),
        by("descriptors are used up before", "first-use-up", verdict=NONE, said="Too many open files"),
        by("numbers of descriptors", "numbers", records=8),
        *(by(f"descriptor {n} is closed", "close-standard", str(n), verdict=ANY) for n in (0, 1, 2)),
        by("16 descriptors", "first-limited", "descriptors", "16", records=1600),
        by("the limit of descriptors is lowered", "limited", "descriptors", "10", records=1607),
        by("files of 4 KiB", "first-limited", "files", "4096", verdict=LACKS, said="File too large"),
        by("no more memory for data", "limited", "core", "0", records=1607),
        by("the folder is gone", "leave-folder", records=9),
        by("the folder is gone before", "first-leave-folder", verdict=NONE, said="No such file or directory"),
        by("the trace is removed", "remove-trace", TRACE, verdict=NONE),
        by("fork, exit", "fork-exit", records=7),
        by("fork, _exit", "fork-_exit", records=7),
        by("fork without a launch", "fork-idle", records=8),
        by("fork before the first call", "first-fork", verdict=ANY),
        by("fork twenty times", "fork-many", records=7),
        by("fork amid launches", "fork-amid-launches", records=407),
        by("fork, SIGTERM to the child", "fork-signal", records=8),
        by("fork, and close all", "daemon", records=7),
        by("posix_spawn", "spawn", records=8),
        by("system", "shell", records=8),
        by("a library with kernels comes and goes", "library", str(library), verdict=ANY),
        by("another signal's action is looked at", "sigaction", records=7),
        by("the trace is private", "return", "0", after=has_mode(options, 0o600)),
        by("the trace is public", "return", "0", settings={"CUPR_FILE_MODE": "644"}, after=has_mode(options, 0o644)),
        by("arguments are recorded", "return", "0", "secret-word", after=holds("secret-word", True)),
        by("arguments are not", "return", "0", "secret-word", settings={"CUPR_ARGUMENTS": "off"}, after=holds("secret-word", False)),
        by("there is a file", "return", "0", verdict=NONE, before=precious, after=still_precious, said="no trace"),
        by("there is a file, and force", "return", "0", before=precious, settings={"CUPR_FORCE": "1"}, records=7),
        by("there is an empty file", "return", "0", before=empty, records=7),
        by("a FIFO that nobody reads", "return", "0", verdict=NONE, before=fifo),
        by("a FIFO with a reader", "return", "0", around=fifo_with_reader, trace="pipe"),
        by("a FIFO whose reader leaves", "limited", "core", "0", around=fifo_whose_reader_leaves, trace="pipe", verdict=NONE),
        by("the trace is on the disk", "return", "0", settings={"LD_PRELOAD": str(options.work / "fsync.so")}, after=reached_disk, records=7),
        by("the trace is on the disk, SIGTERM", "raise", number("TERM"), settings={"LD_PRELOAD": str(options.work / "fsync.so")}, after=reached_disk),
        by("/dev/full", "return", "0", verdict=NONE, trace="/dev/full", said="No space left on device"),
        by("/dev/null", "return", "0", verdict=NONE, trace="/dev/null"),
        by("a folder that is not there", "return", "0", verdict=NONE, trace="nowhere/t", said="No such file or directory"),
        by("a page of 3 bytes", "return", "0", verdict=NONE, settings={"CUPR_PAGE": "3"}, said="power of two"),
        by("a size that is too large", "return", "0", verdict=NONE, settings={"CUPR_MAX_BYTES": "17179869185G"}, said="number of bytes"),
        by("half a second of processor time", "return", "0", around=in_shell('ulimit -t 60; exec "$0" "$@"'), records=7),
        by("a small stack", "return", "0", around=in_shell('ulimit -s 256; exec "$0" "$@"'), records=7),
        by("no descriptor is open", "return", "0", around=in_shell('exec "$0" "$@" <&- >&- 2>&-'), records=7),
        by("address space of 4 GiB", "return", "0", around=in_shell('ulimit -v 4194304; exec "$0" "$@"'), records=7),
        by("memory from one arena", "exit-amid-launches", verdict=ANY, settings={"MALLOC_ARENA_MAX": "1"}, unequal="launched in an atexit"),
        by("freed memory is overwritten", "amid-launches", verdict=ANY, settings={"MALLOC_PERTURB_": "165"}),
    ]
    for n, name in ((0, "input"), (1, "output"), (2, "error")):
        around = in_shell(f'exec "$0" "$@" {n}>&-')
        result.append(by(f"standard {name} is closed before", "return", "0", around=around, records=7))
        result.append(by(f"standard {name} is closed before, and a file gets its number", "first-reopen", around=around, verdict=LACKS))
    result += [
        by("a file gets the number of standard error", "reopen-error", verdict=LACKS),
        by("address space of 512 MiB", "return", "0", around=in_shell('ulimit -v 524288; exec "$0" "$@"'), verdict=ANY, unequal="^$"),
        by("children have children amid launches", "storm", "0", records=107),
        by("children have children, and launch", "storm", "1", records=7),
        by("an allocator that looks", "return", "0", settings=allocator, records=7),
        by("an allocator that looks, threads and exit", "exit-amid-launches", settings=allocator, verdict=ANY, unequal="launched in an atexit"),
        by("an allocator that looks, destructors of keys", "thread-key", settings=allocator, records=31),
        by("an allocator that looks, forks", "fork-many", settings=allocator, records=7),
        by("an allocator that looks, a library", "library", str(library), settings=allocator, verdict=ANY),
        *(by(f"each request for memory of {n} fails", "memory-fails", str(n), settings=allocator, verdict=LACKS) for n in (1, 2, 3, 7, 50)),
    ]
    for build in BUILDS:
        result += [
            by(f"{build}: return", "return", "3", build=build, records=7),
            by(f"{build}: throw", "throw", build=build, records=7, unequal=REPORT),
            by(f"{build}: SIGTERM", "raise", number("TERM"), build=build, records=7),
            by(f"{build}: main returns amid launches", "amid-launches", build=build, verdict=ANY),
            by(f"{build}: an atexit handler launches", "atexit", build=build, records=8),
            by(f"{build}: destructors of threads launch", "thread-local", build=build, records=14),
            # In a child, the stacks of the threads that it has not got are no roots: leaks are not looked for.
            by(f"{build}: fork twenty times", "fork-many", build=build, records=7, unequal=REPORT, settings={"ASAN_OPTIONS": "detect_leaks=0"}),
            by(f"{build}: all descriptors are closed", "close-all", build=build, verdict=LACKS),
        ]
    if os.geteuid() == 0:
        result.append(by("no more threads", "first-limited", "core", "0", around=as_nobody("nproc", 1), verdict=ANY))
    if can_set_user(options.work):
        result.append(by("set-user-ID", "ids", verdict=NONE, around=as_another_user, after=unwritten, settings={"CUPR_SUMMARY": "totals"}))
    return result


# --- Running them -----------------------------------------------------------------------------------------------------------------


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def lines(text, unequal):
    text = text.decode(errors="replace").splitlines()
    return [line for line in text if not unequal or not re.search(unequal, line)]


def execute(options, way, program, folder, trace):
    """The run's status and output, and what the runtime has said."""
    # The plain program's environment has the same length: what lies behind it on the stack is the same.
    environment = {**os.environ, "CUPR_DEVICE": options.device, "CUPR_TRACE": trace, "CUPR_CPU_MEMORY": "256M", **way.settings}
    if way.before:
        way.before(folder)
    words = [trace if word == TRACE else word for word in way.words]
    done = (way.around or run)([str(program), *words], environment, folder)
    own = [line for line in lines(done.stderr or b"", way.unequal) if not line.startswith("cuprewrite:")]
    said = [line for line in lines(done.stderr or b"", "") if line.startswith("cuprewrite:")]
    return (done.returncode, lines(done.stdout or b"", way.unequal), own), said


def verdict_on(options, trace):
    if not trace.is_file() or trace.stat().st_size == 0:
        return NONE, 0, ""
    verdict = subprocess.run([options.tools / "cupranalyze", "verify", trace], capture_output=True, text=True, check=False)
    said = (verdict.stdout + verdict.stderr).strip()
    shown = subprocess.run([options.tools / "cupranalyze", "info", trace], capture_output=True, text=True, check=False)
    found = re.search(r"([\d,]+) warp records", shown.stdout)
    if "damaged" in said or shown.returncode or verdict.returncode not in (0, 2):
        return "damaged", 0, said
    return (LACKS if verdict.returncode else WHOLE), int(found[1].replace(",", "")) if found else 0, said


def problem(options, way, expected):
    """What is wrong with one traced run; None: nothing."""
    folder = fresh(options.work / "traced-run")
    try:
        result, said = execute(options, way, options.work / f"traced{way.build}", folder, way.trace)
    except subprocess.TimeoutExpired:
        return f"it had not ended after {LIMIT} s"
    if result != expected:
        return f"it ends with {result}, the plain program with {expected}; it says {said}"
    if way.said and not any(way.said in line for line in said):
        return f"nothing is said of '{way.said}', but {said}"
    verdict, records, text = verdict_on(options, folder / ("t.cuprtrace" if way.trace.startswith("pipe") else way.trace))
    if way.after and (wrong := way.after(folder)):
        return wrong
    if way.after is still_precious:
        return None
    if verdict == "damaged" or way.verdict not in (ANY, verdict):
        return f"the trace: {verdict}, not {way.verdict}: {text} {said}"
    if records < way.records:
        return f"{records} records, not {way.records}"
    return None


def build(options, builds):
    """`builds`: of BUILDS, and "" for the usual one."""
    compiler = str(options.tools / "cupr++")
    sources = [str(HERE / name) for name in ("program.cu", "endings.cu", "misbehaviours.cu", "shortages.cu")]
    for kind in sorted(builds):
        more = ["-Xcompiler", f"-fsanitize={BUILDS[kind]}"] if kind else []
        for name, flags in (("traced", []), ("plain", ["--no-trace"])):
            output = str(options.work / (name + kind))
            subprocess.run([compiler, *flags, *more, f"--device={options.device}", "-O1", "-o", output, *sources], check=True)
    for name in ("allocator", "fsync"):
        interposer = ["-O1", "-shared", "-fPIC", "-fno-builtin", "-o", str(options.work / f"{name}.so"), str(HERE / f"{name}.cpp")]
        subprocess.run([options.host_compiler, *interposer], check=True)
    library = ["-shared", "-Xcompiler", "-fPIC", "-o", str(options.work / "library.so"), str(HERE / "library.cu")]
    subprocess.run([compiler, f"--device={options.device}", "-O1", *library], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--device", default="cpu", choices=["gpu", "cpu"])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--host-compiler", default="clang++-22")
    parser.add_argument("--built", action="store_true", help="the programs are in the work folder already")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every N-th way, from the K-th on")
    parser.add_argument("ways", nargs="*", metavar="WAY")
    options = parser.parse_args()
    options.tools, options.work = options.tools.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    chosen = [way for way in ways(options) if not options.ways or any(re.search(wanted, way.name) for wanted in options.ways)]
    part, parts = map(int, options.part.split("/"))
    chosen = chosen[part - 1 :: parts]
    if not options.built:
        build(options, {way.build for way in chosen})
    failed = count = 0
    for way in chosen:
        count += 1
        wrong = expected = None
        try:
            expected, _ = execute(options, way, options.work / f"plain{way.build}", fresh(options.work / "plain-run"), way.trace)
        except subprocess.TimeoutExpired:
            wrong = f"the plain program had not ended after {LIMIT} s"
        for attempt in range(0 if wrong else options.repeat):
            if wrong := problem(options, way, expected):
                wrong = f"run {attempt + 1}: {wrong}"
                break
        failed += wrong is not None
        print(f"FAIL {way.name}: {wrong}" if wrong else f"pass {way.name}", flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Tables 1 to 4 of Beránek 2018 (docs/references.md) with today's figures: four of the examples, built, run, exported and looked at.

    beranek_tables.py build --tools BIN --programs FOLDER [--device cpu|gpu] [--arch sm_90]    table 1; the programs are then in FOLDER
    beranek_tables.py run --cupranalyze PROGRAM --programs FOLDER [--device cpu|gpu]           tables 2 and 3; the traces are then there, too
    beranek_tables.py load --programs FOLDER                                                   table 4, in Chromium

In table 1 *first* are builds that have CUDA's headers kept, as nothing was built with these flags before, and *later* those that find them kept (docs/building.md).

Each table is Markdown. Times are medians of `--repeats`: processor time of the whole build, whose steps stand behind each other; by the host's clock those of the whole
process, and until the viewer has read the first launch. Figures of the thesis stand behind ours; its formats are JSON, Protobuf and Cap'n Proto, each also with gzip, written by the program itself. Ours
are written by `cupranalyze export` after the run: the table's times are of both together.

Exit status: 0, or that of the first program that fails.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Program:
    thesis: str  # its name there
    folder: str  # in examples/
    launches: int
    built: tuple  # table 1: seconds, plain and instrumented
    ran: tuple  # table 2: seconds, plain and for each of FORMATS
    bytes: tuple  # table 3: MiB per launch, for each of FORMATS
    loaded: tuple  # table 4: seconds, for each of FORMATS; None: it could not be
    options: tuple = ()  # of cupr++


# As cupranalyze export calls them, and how it compresses.
FORMATS = (("json", None), ("json", "gzip"), ("protobuf", None), ("protobuf", "gzip"), ("capnp", None), ("capnp", "gzip"))
PROGRAMS = (
    Program("vectorAdd", "vectoradd", 1, (1.35, 1.83), (0.02, 0.36, 0.46, 0.36, 0.46, 0.26, 0.36), (14.3, 0.8, 7.4, 0.6, 8.5, 0.6),
            (0.5, 0.8, 0.7, 0.9, 3.3, 3.5)),
    Program("simpleGL", "wave", 50, (2.47, 2.91), (0.003, 4.1, 6.7, 4.6, 6.1, 1.9, 3.6), (24.6, 1, 12.8, 0.9, 15.1, 1),
            (0.9, 1.8, 1.2, 1.4, None, None)),
    Program("mandelbrot", "mandelbrot", 10, (4.12, 4.81), (0.1, 16.7, 31.7, 19.7, 28.1, 6.5, 13.2), (372.6, 16, 192.4, 12.4, 227.5, 14.4),
            (23, 20, 17, 20, None, None)),
    Program("reduction", "reduction", 301, (4.13, 9.5), (0.12, 43, 57, 21.4, 25.9, 12.5, 16), (11.9, 0.38, 5.8, 0.27, 6.7, 0.39),
            (1.5, 2.1, 1.9, 2.6, None, None), ("--spaces=global,shared",)),
)


def table(heading, rows):
    lines = [heading, ["---"] + ["---:"] * (len(heading) - 1), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def processor_time():
    """Seconds, of what has been run so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def call(arguments, environment=None, clock=time.monotonic):
    """Runs it; seconds."""
    begin = clock()
    done = subprocess.run(list(map(str, arguments)), env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"beranek_tables: {' '.join(map(str, arguments))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        sys.exit(done.returncode)
    return clock() - begin


def beside(ours, thesis):
    """Two digits behind the point, or two that count."""
    return f"{f'{ours:.2f}' if ours >= 0.1 else f'{ours:.2g}'} ({thesis:g})"


def build(options):
    """Plain and traced for the GPU, timed; and what `run` takes: for the CPU device that is cupr++'s, with and without tracing."""
    cuda = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    rows = []
    for program in PROGRAMS:
        sources = sorted((ROOT / "examples" / program.folder).glob("*.cu"))
        plain, traced = options.programs / f"{program.folder}.plain", options.programs / f"{program.folder}.traced"
        clang = ["clang++-22", "-O2", "-g", "-Wno-unknown-cuda-version", f"--cuda-path={cuda}", f"--cuda-gpu-arch={options.arch}", "-o", plain, *sources,
                 f"-L{cuda}/lib64", "-lcudart_static", "-lpthread", "-ldl", "-lrt"]
        cupr = [options.tools / "cupr++", "-O2", "-g", "-lineinfo", f"-arch={options.arch}", "--device=gpu", "--jobs=1", *program.options, "-o", traced, *sources]
        cache = options.programs.resolve() / "header-cache"
        kept = {"CUPREWRITE_CACHE": str(cache)}

        def timed(command, is_first=False):
            if is_first:
                shutil.rmtree(cache, ignore_errors=True)
            return call(command, kept, processor_time)

        first, plainly, later = (
            statistics.median(timed(command, is_first) for _ in range(options.repeats))
            for command, is_first in ((cupr, True), (clang, False), (cupr, False))
        )
        rows.append([program.thesis, *map(beside, (plainly, later), program.built), f"{later / plainly:.2f} ({program.built[1] / program.built[0]:.2f})",
                     f"{first:.2f}", f"{first / plainly:.2f}"])
        if options.device == "cpu":
            here = [options.tools / "cupr++", "-O2", "-lineinfo", f"-arch={options.arch}", "--device=cpu", *sources]
            call([*here, "--no-trace", "-o", plain])
            call([*here, *program.options, "-o", traced])
    print(table(["program", "clang, s (thesis)", "cupr++ later, s (thesis)", "later / clang (thesis)", "cupr++ first, s", "first / clang"], rows))


def run(options):
    times, sizes = [], []
    for program in PROGRAMS:
        folder = options.programs
        trace, export = folder / f"{program.folder}.cuprtrace", folder / "export"
        settings = {"CUPR_TRACE": str(trace), "CUPR_DEVICE": options.device}
        plain = statistics.median(call([folder / f"{program.folder}.plain"], {"CUPR_DEVICE": options.device}) for _ in range(options.repeats))
        traced = statistics.median(call([folder / f"{program.folder}.traced"], settings) for _ in range(options.repeats))
        call([options.cupranalyze, "verify", trace])
        exported, written = [], []
        for name, compression in FORMATS:
            how = [f"--format={name}", "--yes", "--any-size", *([f"--compress={compression}"] if compression else []), "-o", export]
            exported.append(traced + statistics.median(call([options.cupranalyze, "export", trace, *how]) for _ in range(options.repeats)))
            written.append(export.stat().st_size)
            export.unlink()
        per_launch = [size / program.launches / (1 << 20) for size in (trace.stat().st_size, *written)]
        times.append([program.thesis, beside(plain, program.ran[0]), beside(traced, min(program.ran[1:])),
                      *map(beside, exported, program.ran[1:])])
        sizes.append([program.thesis, *map(beside, per_launch, (min(program.bytes), *program.bytes))])
    formats = ["JSON", "JSON, gzip", "Protobuf", "Protobuf, gzip", "Cap'n Proto", "Cap'n Proto, gzip"]
    print(table(["program", "plain, s (thesis)", "traced, s (thesis, at best)", *(f"and {name}" for name in formats)], times))
    print(table(["program", "trace, MiB per launch (thesis, at best)", *formats], sizes))


def load(options):
    sys.path.insert(0, str(ROOT / "test/bench"))
    from viewer_speed import VIEWER, browser, opening
    rows = []
    with browser.Browser(browser.find()) as chromium:
        for program in PROGRAMS:
            times = []
            for _ in range(options.repeats):
                with browser.Page(chromium, width=1440) as page:
                    times.append(opening(page, VIEWER, options.programs / f"{program.folder}.cuprtrace"))
            timeline, _, read = map(statistics.median, zip(*times))
            known = [seconds for seconds in program.loaded if seconds is not None]
            failed = "" if len(known) == len(FORMATS) else "; Cap'n Proto failed"
            rows.append([program.thesis, f"{timeline:.2f}", f"{read:.2f}", f"{min(known):g} to {max(known):g}{failed}"])
    print(table(["program", "timeline, s", "first launch read, s", "thesis, s"], rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("build", "run", "load"))
    parser.add_argument("--programs", type=Path, required=True, help="folder of programs and traces")
    parser.add_argument("--tools", type=Path, default=ROOT / "build/release/bin", help="folder of cupr++ (default: %(default)s)")
    parser.add_argument("--cupranalyze", type=Path, default=ROOT / "build/release/bin/cupranalyze", help="default: %(default)s")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="what the programs run on (default: %(default)s)")
    parser.add_argument("--arch", default="sm_90", help="GPU architecture (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=10, help="default: %(default)s")
    options = parser.parse_args()
    options.programs.mkdir(parents=True, exist_ok=True)
    options.programs, options.tools, options.cupranalyze = (path.resolve() for path in (options.programs, options.tools, options.cupranalyze))
    {"build": build, "run": run, "load": load}[options.part](options)


if __name__ == "__main__":
    main()

"""The six programs: where they are, with which arguments they run, and what becomes of one from source to results."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .figures import Figures

TIMEOUT = 1800  # seconds for one command

ROOT = Path(__file__).resolve().parents[2]


class Failure(Exception):
    """A program could not be built, run or analysed; the message says which command said what."""


@dataclass(frozen=True)
class Program:
    name: str  # the thesis's abbreviation
    title: str
    folder: str  # in examples/
    target: str  # of the folder's Makefile, and the program that it makes
    size: str  # as table 6.1 has it
    arguments: tuple
    small: tuple  # arguments of a run that takes a moment
    planar: bool = False  # grids have two dimensions, and exchange is told apart by them


# The size is the thesis's where `small` is the same: most of the six take a second at full size.
PROGRAMS = (
    Program("hs2d", "Hotspot 2D", "hotspot", "hotspot-deep", "512x512, t = 10", ("512", "10"), ("512", "10"),
            planar=True),
    Program("hs3d", "Hotspot 3D", "hotspot3d", "hotspot3d", "512x512x8, t = 10", ("512", "8", "10"),
            ("256", "8", "10"), planar=True),
    Program("hist", "Histogram64", "histogram64", "histogram64", "64MB into 64 Bins", ("65536",), ("4096",)),
    Program("nbody", "NBody", "nbody", "nbody", "512 Bodies, t = 5", ("512", "5"), ("512", "5")),
    Program("path", "Pathfinder", "pathfinder", "pathfinder", "100000x100x20", ("100000", "100", "20"),
            ("100000", "100", "20")),
    Program("bfs", "Breadth First Search", "bfs", "bfs", "10^6 Nodes", ("1000000",), ("30000",)),
)


def command(arguments, environment=None):
    """Runs it; its standard output."""
    said = " ".join(map(str, arguments))
    try:
        done = subprocess.run([str(argument) for argument in arguments], env={**os.environ, **(environment or {})},
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"{said}: {error}") from error
    if done.returncode:
        raise Failure(f"{said}: exit status {done.returncode}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout


class Workshop:
    """Builds, runs and analyses programs in a folder of its own."""

    def __init__(self, tools, out, device, arch):
        self.tools = tools.resolve()
        self.out = out.resolve()
        self.device = device
        self.arch = arch

    def build(self, program):
        """With the example's own Makefile, cupr++ in the place of nvcc; in a copy, so that the sources' folder stays clean."""
        folder = self.out / program.folder
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT / "examples" / program.folder, folder,
                        ignore=shutil.ignore_patterns("*.cuprtrace", "*.o", "augmented", program.target))
        compiler = f"{self.tools}/cupr++ --device={self.device}"
        command(["make", "-C", folder, f"NVCC={compiler}", f"ARCH={self.arch}", program.target])
        return folder / program.target

    def trace(self, program, executable, arguments):
        """Runs it traced; (trace, what the program printed). A program exits non-zero if its answer is wrong.

        On one thread: of several CTAs that write a byte in one launch, the last counts as its writer, and which is the last
        would differ from run to run.
        """
        trace = self.out / f"{program.name}.cuprtrace"
        settings = {"CUPR_TRACE": str(trace), "CUPR_DEVICE": self.device, "CUPR_CPU_THREADS": "1"}
        printed = command([executable, *arguments], settings)
        command([self.tools / "cupranalyze", "verify", trace])
        return trace, printed.strip()

    def analyse(self, program, trace):
        """The figures of cupranalyze comm --json. The list of all transfers can be very long, and few need it."""
        analysis = [self.tools / "cupranalyze", "comm", "--json", "--quiet", trace]
        return Figures.of(json.loads(command(analysis if program.planar else [*analysis, "--no-transfers"])))

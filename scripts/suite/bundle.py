"""Takes programs whose results are good to a machine with a GPU and without compilers.

A bundle is a folder with an archive for each suite. That holds, for every program, two trees that look like the suite:
`plain`, built for the GPU by nvcc, or by clang++-22 alone, or by cupr++ --no-trace where that fails, and `traced`, built by cupr++ for
both devices; beside the executables lie the data files that they read. `run` (see bundle_run.py) compares there:

- plain on the GPU, twice, with traced on the GPU: unchanged output, and the trace is whole;
- traced on the GPU with traced on the CPU device: the same output, and the same accesses of each thread;
- where these accesses differ, traced on the GPU with the same again.

All runs have the first arguments with which the CPU device comes to an end.

Archives have a long compression window: the programs carry much the same libraries.
"""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from .building import elf_type, files_below
from .running import smaller

HERE = Path(__file__).resolve().parent
LARGEST = 2 << 20  # of a data file, in bytes
NOT_DATA = {".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".o", ".a", ".md", ".cmake", ".sln", ".vcxproj", ".pdf",
            ".doc", ".docx", ".txt~"}


class Bundle:
    def __init__(self, folder, suite, tools, limit):
        self.folder = Path(folder).resolve()
        self._suite, self._tools, self._limit = suite, Path(tools).resolve(), limit
        self._tree = self.folder / suite
        shutil.rmtree(self._tree, ignore_errors=True)
        self._tree.mkdir(parents=True)
        self._programs = []

    def add(self, program, result, executable, plain, traced, original, smaller_too=False):
        """`plain`, `traced`: the program's folder in the copies it was built in; `original`: in the suite itself;
        `executable`: relative to these; `smaller_too`: the arguments are those of a GPU. Returns why it can't travel, or None."""
        data = {path for path in files_below(original)
                if path.suffix.lower() not in NOT_DATA and elf_type(path) is None and path.name != "Makefile"}
        arguments = shlex.split(result.arguments)
        for argument in arguments:
            path = Path(os.path.normpath(original / argument))
            if path.is_file():
                data.add(path)
        if any(path.stat().st_size > LARGEST for path in data):
            return "its data files are large"
        above = original
        for _ in program.parts:
            above = above.parent
        for mode, built in (("plain", plain), ("traced", traced)):
            place = self._tree / "suites" / self._suite / mode
            target = place / program / executable
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(built / executable, target)
            subprocess.run(["strip", target], check=True)
            for path in data:
                if above in path.parents:
                    (place / path.relative_to(above)).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, place / path.relative_to(above))
        self._programs.append({"suite": self._suite, "program": result.program, "folder": str(program),
                               "executable": str(executable), "attempts": (list(smaller(arguments)) if smaller_too else []) or [arguments]})
        return None

    def close(self):
        """Writes the archive. Returns the size of the bundle, with the archives of other suites, in MiB."""
        (self._tree / "lib").mkdir()
        (self._tree / "suite").mkdir()
        shutil.copy2(self._tools / "cupranalyze", self._tree)
        libraries = subprocess.run(["ldd", self._tools / "cupranalyze"], stdout=subprocess.PIPE, text=True, check=True)
        for line in libraries.stdout.splitlines():
            words = line.split()
            if len(words) > 2 and words[2].startswith("/") and not words[0].startswith(
                    ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "libstdc++.", "libgcc_s.", "ld-linux")):
                shutil.copy2(words[2], self._tree / "lib")
        for module in ("__init__.py", "building.py", "comparison.py", "devices.py", "running.py", "tree.py"):
            if (HERE / module).exists():
                shutil.copy2(HERE / module, self._tree / "suite")
        (self._tree / "programs.json").write_text(json.dumps(self._programs, indent=1))
        archive = self.folder / f"{self._suite}.tar.xz"
        with open(archive, "wb") as out:
            tar = subprocess.Popen(["tar", "--sort=name", "-C", self._tree, "-cf", "-", "."], stdout=subprocess.PIPE)
            subprocess.run(["xz", "-T1", "--lzma2=preset=6,dict=128MiB"], stdin=tar.stdout, stdout=out, check=True)
            if tar.wait():
                raise OSError(f"tar failed on {self._tree}")
        shutil.copy2(HERE / "bundle_run.py", self.folder / "run")
        shutil.rmtree(self._tree)
        size = sum(path.stat().st_size for path in self.folder.glob("*.tar.xz")) / (1 << 20)
        if size > self._limit:
            raise OSError(f"{self.folder} has {size:.0f} MiB, more than the {self._limit} it may have: name fewer programs (--only)")
        return size

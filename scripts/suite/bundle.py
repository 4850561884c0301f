"""Takes programs whose results are good to a machine with a GPU and without compilers.

A bundle is a folder with an archive of what runs programs and looks at traces, and one for each suite. That holds, for every program, two trees that look like the suite:
`plain`, built for the GPU by nvcc, or by clang++-22 alone, or by cupr++ --no-trace where that fails, and `traced`, built by cupr++ for
both devices; beside the executables lie the data files that they read. `run` (see bundle_run.py) compares there:

- plain on the GPU, twice, with traced on the GPU: unchanged output, and the trace is whole;
- traced on the GPU with traced on the CPU device: the same output, and the same accesses of each thread;
- where these accesses differ, traced on the GPU with the same again.

All runs have the first arguments with which the CPU device comes to an end. Programs of NVIDIA's libraries, which have kernels for GPUs alone, are not compared with it.

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


# Every machine has these, or the machine with the GPU must have its own.
NOT_TAKEN = ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "libstdc++.", "libgcc_s.", "libgomp.", "ld-linux", "libcu", "libnv")


def _libraries(executable):
    """The libraries that the executable needs and that are to travel with it."""
    said = subprocess.run(["ldd", executable], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    lines = [line.split() for line in said.splitlines()]
    return {words[2] for words in lines if len(words) > 2 and words[2].startswith("/") and not words[0].startswith(NOT_TAKEN)}


class Bundle:
    def __init__(self, folder, suite, tools, limit):
        self.folder = Path(folder).resolve()
        self._suite, self._tools, self._limit = suite, Path(tools).resolve(), limit
        self._tree = self.folder / suite
        shutil.rmtree(self._tree, ignore_errors=True)
        self._tree.mkdir(parents=True)
        self.programs, self.libraries = [], set()

    def add(self, program, result, executable, plain, traced, original, smaller_too=False, files=()):
        """`plain`, `traced`: the program's folder in the copies it was built in; `original`: in the suite itself;
        `executable`: relative to these; `smaller_too`: the arguments are those of a GPU; `files`: data that
        the program opens by itself. Returns why it can't travel, or None."""
        data = {path for path in files_below(original)
                if path.suffix.lower() not in NOT_DATA and elf_type(path) is None and path.name != "Makefile" and path.is_file()}
        arguments = shlex.split(result.arguments)
        for name in [*arguments, *files]:
            path = Path(os.path.normpath(original / name))
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
            self.libraries |= _libraries(target)
            for path in data:
                if above in path.parents:
                    (place / path.relative_to(above)).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, place / path.relative_to(above))
        self.programs.append({"suite": self._suite, "program": result.program, "folder": str(program),
                               "executable": str(executable), "attempts": (list(smaller(arguments)) if smaller_too else []) or [arguments]})
        return None

    def close(self):
        """Writes the archive, and that of the tools. Returns the size of the bundle, with the archives of other suites, in MiB."""
        (self._tree / "programs.json").write_text(json.dumps(self.programs, indent=1))
        self._pack(self._tree, f"{self._suite}.suite.tar.xz")
        tools = self.folder / "tools"
        for name in ("lib", "suite"):
            (tools / name).mkdir(parents=True, exist_ok=True)
        shutil.copy2(self._tools / "cupranalyze", tools)
        for library in self.libraries | _libraries(self._tools / "cupranalyze"):
            shutil.copy2(library, tools / "lib")
        for module in ("__init__.py", "building.py", "comparison.py", "devices.py", "running.py", "tree.py"):
            shutil.copy2(HERE / module, tools / "suite")
        self._pack(tools, "tools.tar.xz", keeps=True)
        shutil.copy2(HERE / "bundle_run.py", self.folder / "run")
        size = sum(path.stat().st_size for path in self.folder.glob("*.tar.xz")) / (1 << 20)
        if size > self._limit:
            raise OSError(f"{self.folder} has {size:.0f} MiB, more than the {self._limit} it may have: name fewer programs (--only)")
        return size

    def _pack(self, tree, name, keeps=False):
        """`keeps`: other suites add to the tree."""
        with open(self.folder / name, "wb") as out:
            tar = subprocess.Popen(["tar", "--sort=name", "-C", tree, "-cf", "-", "."], stdout=subprocess.PIPE)
            subprocess.run(["xz", "-T1", "--lzma2=preset=6,dict=128MiB"], stdin=tar.stdout, stdout=out, check=True)
            if tar.wait():
                raise OSError(f"tar failed on {tree}")
        if not keeps:
            shutil.rmtree(tree)

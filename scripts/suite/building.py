"""Builds the programs of a folder, in one of three modes (compiler.py), inside a copy of the suite.

A folder with a Makefile is built by `make`, with nvcc replaced wherever it is named: in the Makefile's variables, and
in the PATH. Where there is none, or where it fails, each source with a `main` is compiled with the folder's other
sources by one command, with the include folders that its #include lines ask for.
"""

import os
import re
import resource
import shlex
import signal
import subprocess
from pathlib import Path

from .tree import defines_main, makefile, read

HERE = Path(__file__).resolve().parent
ELF_EXECUTABLE = {2, 3}  # e_type: ET_EXEC, ET_DYN
ELF_OBJECT = 1
# What clang and nvcc say of a launch by a kernel.
NEEDS_LINKING = (b"relocatable device code", b"requires separate compilation mode")


class Timeout(Exception):
    pass


def run_group(command, timeout, cpu=None, **options):
    """Like subprocess.run, but at the timeout everything that was started goes.

    `cpu`: seconds of processor time that the command and each of its children may use, which says more than the clock on
    a machine that does other things too. At their end there is a Timeout as well."""
    if cpu:
        options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Timeout from None
    if cpu and process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Timeout
    return process.returncode, out or b"", err or b""


def elf_type(path):
    """e_type of an ELF file's header; None for other files."""
    try:
        with open(path, "rb") as file:
            head = file.read(18)
    except OSError:
        return None
    return int.from_bytes(head[16:18], "little") if len(head) == 18 and head[:4] == b"\x7fELF" else None


def files_below(folder):
    return (Path(at) / name for at, _, names in os.walk(folder) for name in names)


class Builder:
    """One mode's compiler and its copy of the suite."""

    def __init__(self, mode, tools, device, arch, tree, work, timeout):
        self.mode, self.tree, self.timeout = mode, tree, timeout
        self._work = Path(work)
        self._bin = self._work / f"{mode}-compiler"
        self._tool = (mode, str(tools), device, arch)

    def build(self, folder):
        """Builds the program folder (a path in the suite's copy). Returns (executables, log).

        The executables are empty when the build failed."""
        name = re.sub(r"\W+", "_", str(folder.relative_to(self.tree.root)))
        bin_folder = self._bin / name
        bin_folder.mkdir(parents=True, exist_ok=True)
        log = bin_folder / "log"
        log.write_text("")
        compiler = bin_folder / "nvcc"
        words = ["python3", str(HERE / "compiler.py"), *self._tool, str(log), "--"]
        compiler.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        compiler.chmod(0o755)
        for path in list(files_below(folder)):
            if elf_type(path) in (*ELF_EXECUTABLE, ELF_OBJECT):
                path.unlink()
        executables, said = [], ""
        if makefile(folder):
            executables, said = self._make(folder, compiler)
            if not log.read_text(errors="replace"):
                executables = []  # nothing of it was compiled by us
        if not executables:
            made = log.read_text(errors="replace")
            executables, direct = self._direct(folder, compiler)
            if not executables and makefile(folder):
                return [], made + said  # what its own way of building says is of more use
            said = direct
        return executables, log.read_text(errors="replace") + said

    def _make(self, folder, compiler):
        environment = {**os.environ, "PATH": f"{compiler.parent}:{os.environ['PATH']}"}
        variables = self.variables(folder, compiler)
        try:
            _, out, _ = run_group(["make", "-j1", *variables], self.timeout, cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except Timeout:
            return [], f"make: no end after {self.timeout} s\n"
        said = out.decode(errors="replace")
        found = [path for path in files_below(folder)
                 if elf_type(path) in ELF_EXECUTABLE and os.access(path, os.X_OK) and path.suffix != ".so"]
        return sorted(found), said

    @staticmethod
    def variables(folder, compiler):
        """NAME=VALUE for each variable of the Makefile whose value names nvcc."""
        try:
            _, out, _ = run_group(["make", "-pnr"], 60, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except Timeout:
            return []
        found = {}
        for line in out.decode(errors="replace").splitlines():
            match = re.match(r"(\w+) :?:?= (.*)", line)
            if match and match.group(1) not in ("PATH", "_") and re.search(r"(^|[\s/\"'])nvcc(\s|$)", match.group(2)):
                found[match.group(1)] = re.sub(r"[^\s\"']*\bnvcc(?=\s|$)", str(compiler), match.group(2))
        return [f"{name}={value}" for name, value in sorted(found.items())]

    def _direct(self, folder, compiler):
        below = [path for path in self.tree.sources if folder in path.parents]
        folders, included, belonging = self.tree.includes(below)
        sources = [path for path in below if path not in included]
        mains = [path for path in sources if defines_main(path)]
        rest = [path for path in sources if path not in mains] + belonging
        executables, said = [], ""
        for main in mains:
            used = [main, *rest]
            output = folder / (main.stem if not (folder / main.stem).exists() else main.stem + ".exe")
            flags = ["-O2", "-std=c++17", *[f"-I{path}" for path in folders]]
            if any("#pragma omp" in read(path) or "omp.h" in read(path) for path in used):
                flags += ["-Xcompiler", "-fopenmp"]
            linked = sum(path.suffix == ".cu" for path in used) > 1
            for more in ([["-rdc=true"]] if linked else [[], ["-rdc=true"]]):
                try:
                    status, out, _ = run_group([compiler, *flags, *more, "-o", output, *used, "-lm"], self.timeout,
                                               cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                except Timeout:
                    said += f"{main.name}: no end after {self.timeout} s\n"
                    break
                said += out.decode(errors="replace")
                if status == 0 and output.exists():
                    executables.append(output)
                if not any(words in out for words in NEEDS_LINKING):
                    break
        return executables, said

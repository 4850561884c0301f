"""Runs a built program: with which arguments, for how long, and what it leaves behind."""

import json
import os
import re
import shlex
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .building import Timeout, elf_type, files_below, run_group
from .tree import makefile, read

# A kernel failed or did not run, which the program may not look for; what a call of the API answers, it has been told.
DEVICE_GAVE_UP = re.compile(r"cuprewrite: CPU device: (?!cuda[A-Z]\w* )")
MAX_TRACE = 6 << 30  # bytes that a program may write into one file
MAX_COMPARED = 16 << 20  # of a file that a program writes


@dataclass
class Run:
    status: int = 0
    timed_out: bool = False
    stdout: str = ""
    stderr: str = ""
    files: dict = field(default_factory=dict)  # name -> bytes: what it wrote below its folder

    @property
    def died(self):
        return self.timed_out or self.status != 0 or bool(DEVICE_GAVE_UP.search(self.stderr))

    def cause(self):
        if self.timed_out:
            return "timeout"
        if gave_up := DEVICE_GAVE_UP.search(self.stderr):
            return re.sub(r"\s+", " ", self.stderr[gave_up.start():])
        lines = [line.strip() for line in (self.stderr + "\n" + self.stdout).splitlines() if line.strip()]
        telling = [line for line in lines if re.search(r"error|fail|cannot|can't|unable|abort|assert|not supported|unknown",
                                                       line, re.IGNORECASE)]
        how = f"signal {-self.status}" if self.status < 0 else f"exit status {self.status}"
        return f"{how}: {(telling or lines or ['no message'])[0]}"


def find_arguments(folder, executable, variables=()):
    """What the suite runs this executable with: from the Makefile's target `run`, a script run*, or a README."""
    texts = []
    if makefile(folder):
        try:
            _, out, _ = run_group(["make", "-n", "run", *variables], 60, cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
            texts.append(out.decode(errors="replace"))
        except Timeout:
            pass
    for pattern in ("run", "run*.sh", "README*", "readme*", "Readme*"):
        texts += [read(path) for path in sorted(folder.glob(pattern))
                  if path.is_file() and elf_type(path) is None]
    name = re.escape(executable.name)
    call = re.compile(rf"^[\s$>]*(?:\.?[\w./]*/)?{name}((?:[ \t]+[^\s`]+)*)[ \t]*$")
    for text in texts:
        for line in text.splitlines():
            match = call.match(re.split(r"[|;&#]|\d?>(?=\s*\S+\s*$)", line)[0])
            if match and not re.search(r"[\[\]<>{}$]|\.\.\.", match.group(1)):
                try:
                    return shlex.split(match.group(1))
                except ValueError:
                    continue
    return []


class Given:
    """What programs are run with by a JSON list of {"folder", "executable", "arguments", "files"} (scripts/rodinia_data
    writes one), in place of what the suite says. Folders and files are relative to the suite; of executables the stems
    are compared, since a program that its Makefile does not build is named after its source."""

    def __init__(self, path=None):
        entries = json.loads(path.read_text()) if path else []
        self._of = {(entry["folder"], Path(entry["executable"]).stem): entry for entry in entries}
        self._folders = Counter(entry["folder"] for entry in entries)
        self._alone = {entry["folder"]: entry for entry in entries if self._folders[entry["folder"]] == 1}

    def _entry(self, folder, executable):
        return self._of.get((str(folder), Path(executable).stem)) or self._alone.get(str(folder))

    def arguments(self, folder, executable):
        """None: nothing is said of it."""
        entry = self._entry(folder, executable)
        return list(entry["arguments"]) if entry else None

    def files(self, folder, executable):
        """Data that the program opens by itself, relative to its folder."""
        entry = self._entry(folder, executable)
        return [os.path.relpath(name, folder) for name in entry.get("files", [])] if entry else []


def smaller(arguments):
    """Shorter runs of the same program, for a device without a GPU's speed: first the last number, which tends to be a
    count of repetitions, becomes 1; then large numbers shrink by sixteen, twice."""
    tried = [list(arguments)]
    numbers = [at for at, text in enumerate(arguments) if text.isdigit()]
    once = list(arguments)
    if numbers:
        once[numbers[-1]] = "1"
    for divisor in (1, 16, 256):
        fewer = [str(int(text) // divisor) if text.isdigit() and int(text) >= 2 * divisor else text for text in once]
        if fewer not in tried:
            tried.append(fewer)
            yield fewer


def run(executable, arguments, folder, timeout, environment, clock=None):
    """Runs it in its folder. Output and files are returned; the copy of the suite is left as the program left it.

    `timeout`: seconds of processor time, or None; `clock`: seconds of the clock, five times as many if not given."""
    before = {path: _stamp(path) for path in files_below(folder)}
    environment = {**os.environ, "CUPR_CPU_THREADS": "1", "OMP_NUM_THREADS": "1", **environment}
    outcome = Run()
    try:
        outcome.status, out, err = run_group(
            ["prlimit", f"--fsize={MAX_TRACE}", "--core=0", executable, *arguments], clock or timeout * 5, timeout,
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except Timeout:
        outcome.timed_out = True
        return outcome
    except OSError as problem:
        outcome.status, outcome.stderr = 127, str(problem)
        return outcome
    outcome.stdout, outcome.stderr = out.decode(errors="replace"), err.decode(errors="replace")
    for path in files_below(folder):
        stamp = _stamp(path)
        if stamp and stamp != before.get(path) and stamp[1] <= MAX_COMPARED and not path.name.startswith("core"):
            outcome.files[str(path.relative_to(folder))] = path.read_bytes()
    return outcome


def _stamp(path):
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size

"""A bundle: the end-to-end programs, built twice, with all that is needed to run and check them elsewhere.

    BUNDLE/plain/NAME       built without tracing
    BUNDLE/traced/NAME      built by cupr++
    BUNDLE/expect/          the expectations, with sites as lines and columns
    BUNDLE/copies/NAME/     the copies of a construct that cuprewrite makes
    BUNDLE/bin/cupranalyze
"""

import json
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONSTRUCTS = HERE.parent / "golden" / "constructs"
# Where expectations lie.
EXPECT = HERE / "expect", CONSTRUCTS


class BuildError(Exception):
    """A program could not be built; the text holds the command and what it said."""


class Bundle:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()

    @property
    def expect(self):
        return self.folder / "expect"

    def copies(self, name):
        return self.folder / "copies" / name

    @property
    def cupranalyze(self):
        return self.folder / "bin" / "cupranalyze"

    def program(self, kind, name):
        """The executable: `kind` is plain or traced."""
        return self.folder / kind / name

    def build(self, tools, expectations, device, arch, jobs):
        """Builds what is older than its sources or the tools; returns how many. `tools`: the folder that holds cupr++."""
        tools = Path(tools).resolve()
        for folder in ("plain", "traced", "copies", "expect", "bin"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        newest = max(path.stat().st_mtime for path in self._product(tools))
        tasks = []
        for expectation in expectations:
            self._write(json.dumps(expectation.resolved(), indent=1), self.expect / f"{expectation.name}.json")
            sources = [expectation.folder / source for source in expectation.sources]
            flags = ["-I", HERE / "kernels", *expectation.flags]
            if expectation.is_construct:
                copies = self.copies(expectation.name)
                command = [tools / "cuprewrite", "-q", "-o", copies, *sources, "--", f"-arch={arch}", *flags]
                if self._stale(copies, sources, newest, command):
                    shutil.rmtree(copies, ignore_errors=True)
                    tasks.append((copies, command))
            for kind, extra in (("plain", ["--no-trace"]), ("traced", [])):
                program = self.program(kind, expectation.name)
                command = [tools / "cupr++", *extra, f"--device={device}", f"-arch={arch}", "-O2", "-lineinfo"]
                command += flags
                command += ["-o", program, *sources]
                if self._stale(program, sources, newest, command):
                    tasks.append((program, command))
        with ThreadPoolExecutor(jobs) as pool:
            for _ in pool.map(lambda task: self._compile(*task), tasks):
                pass
        self._place(tools / "cupranalyze", self.cupranalyze.parent)
        return len(tasks)

    @staticmethod
    def _place(path, folder):
        """Copies a file; others may build into the same bundle, so it appears at once."""
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as copy:
            shutil.copy(path, copy.name)
        os.replace(copy.name, folder / path.name)

    @staticmethod
    def _write(text, path):
        """Writes a file, likewise at once."""
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as copy:
            copy.write(text)
        os.replace(copy.name, path)

    @staticmethod
    def _product(tools):
        """The files of the product that decide what is built."""
        yield from (program for program in (tools / "cupr++", tools / "cuprewrite") if program.exists())
        for folder in (tools.parent / "lib", tools.parent / "include"):
            yield from (path for path in folder.rglob("*") if path.is_file())

    @staticmethod
    def _stale(program, sources, newest, command):
        note = program.with_suffix(".command")
        if not program.exists() or not note.exists() or note.read_text() != repr(list(map(str, command))):
            return True
        headers = {header for source in sources for header in source.parent.glob("*.*h") if ".augmented" not in header.name}
        return program.stat().st_mtime < max([newest] + [path.stat().st_mtime for path in [*sources, *headers]])

    @staticmethod
    def _compile(program, command):
        text = list(map(str, command))
        done = subprocess.run(text, capture_output=True, text=True, cwd=program.parent, check=False)
        if done.returncode or not program.exists():
            raise BuildError(f"{' '.join(text)}\nexit status {done.returncode}\n{(done.stderr + done.stdout).strip()}")
        program.with_suffix(".command").write_text(repr(text))

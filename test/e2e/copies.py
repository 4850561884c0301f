"""The copies that cuprewrite makes of a construct: their text, and that other compilers take them.

What a copy must be stands beside its original: NAME.augmented.cu for NAME.cu. Both name the original's path, and the
edit table a hash of it, which differ from machine to machine; so paths are compared without the folder of the
constructs, and the hash is left out.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path


class Copies:
    def __init__(self, expectation, folder):
        """`folder`: where cuprewrite put them."""
        self.name = expectation.name
        self._expectation = expectation
        # The copies mirror the tree below the deepest folder that holds all sources.
        parents = [str((expectation.folder / source).parent) for source in expectation.sources]
        self._root = Path(os.path.commonpath(parents))
        self._folder = folder

    def difference(self):
        """What differs from the expected text, or empty."""
        problems = []
        for copy, wanted in self._pairs():
            if not wanted.exists():
                problems.append(f"{wanted} is missing: run.py update writes it")
            elif self._text(copy) != wanted.read_bytes():
                made = copy.with_name(copy.name + ".compared")
                made.write_bytes(self._text(copy))
                diff = subprocess.run(["diff", "-u", wanted, made], capture_output=True, check=False)
                problems.append(diff.stdout.decode(errors="replace"))
                made.unlink()
        return "\n".join(problems)

    def update(self):
        """Writes the expected texts; yields the files that changed."""
        for copy, wanted in self._pairs():
            text = self._text(copy)
            if not wanted.exists() or wanted.read_bytes() != text:
                wanted.write_bytes(text)
                yield wanted

    def compiled(self, tools, arch):
        """(compiler, problem or None) for clang without the driver, on both sides, and for nvcc."""
        cuda = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"))
        flags = ["-I", Path(__file__).resolve().parent / "kernels", *self._expectation.flags]
        sources = [self._root_copy(source) for source in self._expectation.sources]
        printed = subprocess.run([tools + "/cuprewrite", "--cxxflags"], capture_output=True, text=True, check=True)
        clang = ["clang++-22", *printed.stdout.split(), f"--cuda-gpu-arch={arch}", "-fsyntax-only", "-Werror"]
        yield "clang", self._compile([*clang, *flags], sources)
        nvcc = cuda / "bin" / "nvcc"
        reason = self._expectation.nvcc or ("" if shutil.which(nvcc) else f"there is no {nvcc}")
        if reason:
            print(f"skip {self.name}: the copies compile with nvcc: {reason}", flush=True)
            return
        include = Path(tools).resolve().parent / "include"
        # The copies are nobody's finished program: warnings are the original's affair.
        command = [nvcc, "-w", "--extended-lambda", f"-arch={arch}", "-isystem", include, "-c", "-o", "/dev/null", *flags]
        yield "nvcc", self._compile(command, sources)

    def _pairs(self):
        """Each copy, with the file that says what it must be."""
        for copy in sorted(path for path in self._folder.rglob("*") if path.is_file()):
            original = self._root / copy.relative_to(self._folder)
            yield copy, original.with_suffix(".augmented" + original.suffix)

    def _text(self, copy):
        text = copy.read_bytes().replace(str(self._root).encode() + b"/", b"")
        text = re.sub(rb"(CUPR_EDITS_)[0-9a-f]{16}", rb"\1HASH", text)
        return re.sub(rb"(CUPR_EDITS\()[0-9a-f]{16}", rb"\1HASH", text)

    def _root_copy(self, source):
        return self._folder / (self._expectation.folder / source).relative_to(self._root)

    @staticmethod
    def _compile(command, sources):
        for source in sources:
            text = [str(part) for part in (*command, source)]
            done = subprocess.run(text, capture_output=True, text=True, check=False)
            if done.returncode:
                return f"{' '.join(text)}\n{done.stderr + done.stdout}"
        return None

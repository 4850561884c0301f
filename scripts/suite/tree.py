"""A suite's folder as text: which files there are, who includes whom, and where the programs are.

A *suite* is a folder with many CUDA programs in it, each of which may have its own way to be built. A *program folder*
is found without knowing the suite:

- a source file that defines `main` belongs to the nearest folder at or above it that has a Makefile, else to its own
  folder;
- that folder is a program folder if a .cu file lies in it or below it.
"""

import os
import re
from functools import cached_property
from pathlib import Path

SOURCES = {".cu", ".cpp", ".cc", ".cxx", ".c"}
HEADERS = {".h", ".hpp", ".hh", ".cuh", ".hxx", ".inl", ".inc"}
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
SKIPPED = {".git", "CMakeFiles", "build"}

MAIN = re.compile(r"^[ \t]*(?:extern\s+\"C\"\s+)?(?:(?:int|void|auto)\s+)?main\s*\(", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def read(path):
    """The text of a file of unknown encoding; empty if it can't be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


class Tree:
    """The files of a suite."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.sources, self._named = [], {}
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(set(folders) - SKIPPED)
            for name in sorted(files):
                path = Path(folder) / name
                extension = path.suffix.lower()
                if extension in SOURCES:
                    self.sources.append(path)
                if extension in SOURCES or extension in HEADERS:
                    self._named.setdefault(name, []).append(path)

    def cuda_sources(self, folder=None):
        below = [path for path in self.sources if path.suffix == ".cu"]
        return below if folder is None else [path for path in below if folder in path.parents]

    @cached_property
    def _folders_with_main(self):
        return {source.parent for source in self.sources if defines_main(source)}

    def program_folders(self):
        found = set()
        for own in self._folders_with_main:
            folder = next((above for above in (own, *own.parents) if self.root in (above, *above.parents) and makefile(above)),
                          own)
            if self.root in folder.parents:
                found.add(folder)
        with_cuda = {above for source in self.cuda_sources() for above in source.parents}
        return sorted(found & with_cuda)

    def includes(self, sources):
        """The folders that must be searched for the headers which `sources` name, the sources that they include, and
        the sources elsewhere that belong to such headers (helper.cpp beside helper.h).

        A name that is neither beside the file nor the toolkit's nor the system's is looked for in the whole suite; the
        file nearest to the includer wins."""
        folders, included, belonging, seen, waiting = [], set(), set(), set(), list(sources)
        while waiting:
            file = waiting.pop()
            if file in seen:
                continue
            seen.add(file)
            for _, name in INCLUDE.findall(read(file)):
                target = Path(os.path.normpath(file.parent / name))
                if not target.is_file():
                    target = self._found(file, name, folders)
                    if target:
                        belonging |= {path for path in map(target.with_suffix, (".cpp", ".cu")) if path.is_file()} - {target}
                if target:
                    waiting.append(target)
                    if target.suffix in SOURCES:
                        included.add(target)
        return folders, included, sorted(belonging - included)

    def _found(self, file, name, folders):
        """The file that an #include of `name` in `file` means; its folder is added to `folders` if it is not among them."""
        for folder in folders:
            if (folder / name).is_file():
                return Path(os.path.normpath(folder / name))
        if _is_system(name):
            return None
        found = self._nearest(file, name)
        if found:
            folders.append(found.parents[len(Path(name).parts) - 1])
        return found

    def _nearest(self, file, name):
        parts = Path(name).parts
        if ".." in parts:
            return None
        found = [path for path in self._named.get(parts[-1], []) if path.parts[-len(parts):] == parts]
        others = self._folders_with_main - set(file.parents)  # other programs' folders: theirs may be another header
        return max(found, key=lambda path: (not others & set(path.parents), len(os.path.commonpath([path, file])),
                                            -len(path.parts)), default=None)


def defines_main(source):
    text = read(source)
    return "main" in text and bool(MAIN.search(COMMENT.sub("", text)))


def makefile(folder):
    return next((folder / name for name in MAKEFILES if (folder / name).is_file()), None)


def _is_system(name):
    cuda = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"))
    return "." not in name or any((folder / name).exists() for folder in (
        cuda / "include", cuda / "include/cccl", Path("/usr/include"), Path("/usr/include/x86_64-linux-gnu")))

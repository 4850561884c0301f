#!/usr/bin/env python3
"""Runs clang-tidy, with the checks of .clang-tidy, over the product's sources; for each complaint a line, exit status 1.

usage: tidy.py FOLDER_OF_THE_BUILD [--each] [FILE...]      default: all sources of the product that are compiled

Three quarters of the time are for reading headers: of sources that are compiled alike, several are read at once. With --each, and
files that are named, each is read by itself, so a file that lacks an include is a complaint, too: headers that the build has
precompiled are read as the files name them. So are those that can't be read behind each other, since names in them are the same.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

AT_ONCE = 24
ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCT = ("analysis", "cuprewrite", "devicelib", "hostlib", "launcher")
PRECOMPILED = ("-include-pch", "-include")  # as CMake says it: -Xclang OPTION -Xclang FILE


def without_precompiled(words):
    kept = []
    while words:
        if len(words) >= 4 and words[0] == words[2] == "-Xclang" and words[1] in PRECOMPILED:
            words = words[4:]
        else:
            kept.append(words[0])
            words = words[1:]
    return kept


@functools.cache
def asks_for_sanitizers(file):
    """Whether a source, or the header of its name, has lines for builds with sanitizers."""
    return any(path.exists() and "__has_feature" in path.read_text() for path in (file, file.with_suffix(".h")))


def joined(file):
    """The sources that a file of CMake's, which joins several (CMAKE_UNITY_BUILD), includes; of any other, itself."""
    if file.name.startswith("unity_") and file.parent.name == "Unity":
        return [pathlib.Path(path).resolve() for path in re.findall(r'^#include "(.+)"$', file.read_text(), re.MULTILINE)]
    return [file.resolve()]


def compilations(build):
    """{source: how it is compiled}. Of a file's compilations that is the first; of a file that looks at sanitizers, the first with each,
    too: tests compile sources of the product again, the same text with other flags."""
    found = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        compiled = command["file"]
        words = without_precompiled(shlex.split(command["command"]))
        for file in joined(pathlib.Path(compiled)):
            if file.suffix != ".cpp":
                continue
            sanitizers = tuple(word for word in words if word.startswith("-fsanitize=") and asks_for_sanitizers(file))
            arguments = [str(file) if word == compiled else word for word in words]
            found.setdefault(file, {}).setdefault(
                sanitizers, {"directory": command["directory"], "file": str(file), "arguments": arguments})
    return {file: list(of_file.values()) for file, of_file in sorted(found.items())}


def alike(compiled, files):
    """[(how they are compiled, [source, ...])]: at most AT_ONCE sources."""
    found = {}
    for file in files:
        for command in compiled[file]:
            words = command["arguments"]
            output = words.index("-o")
            words = [word for word in words[:output] + words[output + 2:] if word != str(file)]
            found.setdefault((command["directory"], *words), []).append(file)
    return [({"directory": directory, "arguments": words}, files[at:at + AT_ONCE])
            for (directory, *words), files in found.items() for at in range(0, len(files), AT_ONCE)]


def complaints(database, file, *options):
    run = subprocess.run(["clang-tidy-22", "-p", str(database), f"--config-file={ROOT / '.clang-tidy'}", "--quiet", *options, str(file)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = [line for line in run.stdout.splitlines() if " error: " in line or " warning: " in line]
    return said if said or run.returncode == 0 else [f"{file}: {run.stderr.strip()}"]


def complaints_of_several(database, how, sources):
    """Of sources that are read behind each other; where anything is said of them then, of each half, at last of each by itself."""
    if len(sources) > 1:
        with tempfile.TemporaryDirectory() as folder:
            several = pathlib.Path(folder) / "several.cpp"
            several.write_text("".join(f'#include "{source}" // NOLINT\n' for source in sources))
            (several.parent / "compile_commands.json").write_text(
                json.dumps([{**how, "file": str(several), "arguments": [*how["arguments"], str(several)]}]))
            if not complaints(folder, several, f"--header-filter=/({'|'.join(PRODUCT)})/[^ ]*[.](h|def|cpp)$"):
                return []
        middle = len(sources) // 2
        return complaints_of_several(database, how, sources[:middle]) + complaints_of_several(database, how, sources[middle:])
    return complaints(database, sources[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--each", action="store_true", help="read each source by itself")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the folder that has the product's (default: this project's)")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which("clang-tidy-22"):
        sys.exit("no clang-tidy-22 here: scripts/setup test installs it")
    compiled = compilations(options.build)
    files = [file.resolve() for file in options.files] or [
        file for file in compiled if file.is_relative_to(options.root) and file.relative_to(options.root).parts[0] in PRODUCT]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        database = pathlib.Path(folder)
        (database / "compile_commands.json").write_text(json.dumps([command for of_file in compiled.values() for command in of_file]))
        read = alike(compiled, files) if not options.each and not options.files else [(None, [file]) for file in files]
        found = {line for lines in pool.map(lambda group: complaints_of_several(database, *group), read) for line in lines}
    print("\n".join(sorted(found)), f"\n{len(files)} files, {len(found)} complaints")
    return bool(found) or not files


if __name__ == "__main__":
    sys.exit(main())

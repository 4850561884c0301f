#!/usr/bin/env python3
"""Whether each folder includes only what docs/architecture.md lets it, and no folders include each other in a circle.

    rooms.py ROOT

The page's table has a row for each folder with sources: `| folder | what it holds | what it may include |`. A folder
there is named by the end of its path (`abi` is devicelib/abi), "all of X" is X and all folders in it, and `-` or
nothing means none. Exit status: 0 it is so; 1 it is not, and each place is a line.
"""
import os
import re
import sys
from pathlib import Path

SOURCES = (".h", ".cpp", ".cu", ".cuh", ".S", ".def")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def table(page):
    """{folder: names of what it may include}"""
    rows = {}
    for folder, allowed in re.findall(r"^\| `([^`]+)` \|.*\|([^|]*)\|$", page, re.MULTILINE):
        rows[folder] = [name for name in (part.strip() for part in allowed.split(",")) if name not in ("", "-")]
    return rows


def meant(name, folders):
    """The folders that a name in the table stands for."""
    if name.startswith("all of "):
        top = name[len("all of "):]
        return {folder for folder in folders if folder == top or folder.startswith(top + "/")}
    return {folder for folder in folders if folder == name or folder.endswith("/" + name)}


def includes(root, tops):
    """{(from folder, to folder): a file that includes the other's}, for our own files alone."""
    found = {}
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            here = path.parent.relative_to(root).as_posix()
            for name in INCLUDE.findall(path.read_text()):
                beside = os.path.normpath(f"{here}/{name}")
                target = beside if (root / beside).exists() else name
                if (root / target).exists() and os.path.dirname(target) != here:
                    found.setdefault((here, os.path.dirname(target)), path.relative_to(root).as_posix())
    return found


def faults(root):
    rows = table((root / "docs/architecture.md").read_text())
    tops = sorted({folder.split("/")[0] for folder in rows} - {"report"})
    found = includes(root, tops)
    told = []
    for (here, there), path in sorted(found.items()):
        if here not in rows:
            told.append(f"{path}: docs/architecture.md has no row for {here}")
            continue
        allowed = set()
        for name in rows[here]:
            of_name = meant(name, rows)
            if not of_name:
                told.append(f"docs/architecture.md: {here} may include {name}, which is no folder of the table")
            allowed |= of_name
        if there not in allowed:
            told.append(f"{path}: includes {there}, which docs/architecture.md doesn't let {here}")
    beyond = {here: {there for start, there in found if start == here} for here, _ in found}
    for here in sorted(beyond):
        seen, waiting = set(), list(beyond[here])
        while waiting:
            there = waiting.pop()
            if there not in seen:
                seen.add(there)
                waiting.extend(beyond.get(there, ()))
        if here in seen:
            told.append(f"{here}: includes what includes it")
    return sorted(set(told))


def main():
    told = faults(Path(sys.argv[1]))
    for line in told:
        print(line)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())

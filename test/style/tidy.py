#!/usr/bin/env python3
"""Runs clang-tidy, with the checks of .clang-tidy, over the product's sources; for each complaint a line, exit status 1.

usage: tidy.py FOLDER_OF_THE_BUILD [FILE...]      default: all sources of the product that are compiled
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

PRODUCT = ("analysis", "cuprewrite", "devicelib", "hostlib", "launcher")


def sources(build, root):
    """Of several compilations of a file, clang-tidy looks at the first."""
    commands = json.loads((build / "compile_commands.json").read_text())
    files = {pathlib.Path(command["file"]).resolve() for command in commands}
    return sorted(file for file in files
                  if file.suffix == ".cpp" and file.is_relative_to(root) and file.relative_to(root).parts[0] in PRODUCT)


def complaints(build, file):
    run = subprocess.run(["clang-tidy-22", "-p", str(build), "--quiet", str(file)], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    said = [line for line in run.stdout.splitlines() if " error: " in line or " warning: " in line]
    return said if said or run.returncode == 0 else [f"{file}: {run.stderr.strip()}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which("clang-tidy-22"):
        sys.exit("no clang-tidy-22 here: scripts/setup test installs it")
    root = pathlib.Path(__file__).resolve().parents[2]
    files = options.files or sources(options.build, root)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {line for lines in pool.map(lambda file: complaints(options.build, file), files) for line in lines}
    print("\n".join(sorted(found)), f"\n{len(files)} files, {len(found)} complaints")
    return bool(found) or not files


if __name__ == "__main__":
    sys.exit(main())

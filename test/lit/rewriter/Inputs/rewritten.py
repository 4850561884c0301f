"""Rewrites one source and proves what must hold for every copy: it compiles on both sides, and
taking out what the edit table lists gives back the original, byte for byte. Prints the copy
without the lines that hold FileCheck's directives.

    rewritten.py --cuprewrite=PROGRAM --compiler=COMMAND SOURCE FOLDER [compiler flags]
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys


def original_of(copy):
    """The original bytes of a copy, from its edit table."""
    mark = b""
    if copy.startswith(b"\xef\xbb\xbf"):
        mark, copy = copy[:3], copy[3:]
    prologue = re.match(rb'[^\n]*// augmented by cuprewrite\r?\n#line 1 "[^\n]*"\r?\n', copy)
    assert prologue, "the copy does not start with the prologue"
    body = copy[prologue.end():]
    end = re.search(rb'#ifndef CUPR_EDITS_\w+\r?\n#define CUPR_EDITS_\w+\r?\n'
                    rb'CUPR_EDITS\(\w+, ".*", "(.*)"\)\r?\n#endif\r?\n\Z', body)
    if not end:
        return mark + body, b""
    body = body[:end.start()]
    lines = body.split(b"\n")
    taken = {}
    for entry in end.group(1).split():
        line, column, length = map(int, re.fullmatch(rb"(\d+):(\d+)\+(\d+)", entry).groups())
        text = lines[line - 1]
        lines[line - 1] = text[:column - 1] + text[column - 1 + length:]
        taken[line] = taken.get(line, 0) + length
    return mark + b"\n".join(lines), end.group(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuprewrite", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("source")
    parser.add_argument("folder")
    options, flags = parser.parse_known_args()

    shutil.rmtree(options.folder, ignore_errors=True)
    folder = os.path.dirname(options.source)
    result = subprocess.run([options.cuprewrite, "-q", "-o", options.folder, "--root", folder, "--list-outputs",
                             "--print-flags", options.source, "--"] + flags, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(result.returncode)
    *outputs, include = result.stdout.split("\n")[:-1]
    for line in outputs:
        original, copy = line.split("\t")
        with open(original, "rb") as file:
            wanted = file.read()
        with open(copy, "rb") as file:
            found, table = original_of(file.read())
        # A file without a newline at its end gets one, in front of the table.
        if table and not wanted.endswith(b"\n"):
            found = found[:-1] if not found.endswith(b"\r\n") else found[:-2]
        if found != wanted:
            sys.exit(f"{copy}: without its insertions, this is not {original}")
    copy = os.path.join(options.folder, os.path.basename(options.source))
    for side in ("--cuda-host-only", "--cuda-device-only"):
        command = shlex.split(options.compiler) + [side, "-fsyntax-only", "-Werror"] + include.split() + flags + [copy]
        if subprocess.run(command).returncode:
            sys.exit("the copy does not compile: " + " ".join(command))
    with open(copy, encoding="utf-8") as file:
        sys.stdout.write("".join(line for line in file if "CHECK" not in line))


if __name__ == "__main__":
    main()

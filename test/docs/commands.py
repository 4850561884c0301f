#!/usr/bin/env python3
"""Runs the shell commands of a page as a reader would who pastes them, one after the other, in a clean folder.

    commands.py --tools build/release/bin --copy FOLDER[:NAME] PAGE

A page's commands stand in fenced blocks that begin with ```sh. All blocks of a page run in one shell, on the CPU device,
from the folder that --copy fills (FOLDER's content, or FOLDER itself under NAME); a command that fails ends the page. A
word behind `sh`, which no renderer shows, says why a block does not run here: SKIPPED. Everything else that is set as code
must name its language, so that no command is left out by accident. Exit status: 0 all ran, 1 something failed, or a block
is neither.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = {
    "builds": "installs packages, builds the project itself or installs it",
    "needs-gpu": "needs a GPU",
}
OTHER_LANGUAGES = {"text", "cuda", "cpp", "cmake", "make", "json", "python", "sql"}


class BadPage(Exception):
    pass


@dataclasses.dataclass
class Block:
    line: int  # of its first line of text
    language: str
    words: list
    text: str

    def skip_reason(self):
        return next((SKIPPED[word] for word in self.words), None)


def blocks(page, text):
    """All blocks of code, each checked to be of a known kind."""
    found, lines, at = [], text.split("\n"), 0
    before = ""
    while at < len(lines):
        line = lines[at]
        fence = re.match(r"^( {0,3})(`{3,}|~{3,})\s*(.*)$", line)
        if fence:
            first = at + 1
            at = first
            while at < len(lines) and not re.match(rf"^ {{0,3}}{fence[2]}\s*$", lines[at]):
                at += 1
            if at == len(lines):
                raise BadPage(f"{page}:{first}: the block has no end")
            language, *words = fence[3].split() or [""]
            if language == "sh":
                for word in words:
                    if word not in SKIPPED:
                        raise BadPage(f"{page}:{first}: '{word}' is none of {', '.join(SKIPPED)}")
            elif language not in OTHER_LANGUAGES:
                raise BadPage(f"{page}:{first}: a block of '{language}' is neither commands (sh) nor one of {', '.join(sorted(OTHER_LANGUAGES))}")
            found.append(Block(first + 1, language, words, "\n".join(lines[first:at])))
        elif line.startswith("    ") and line.strip() and not before.strip():
            raise BadPage(f"{page}:{at + 1}: an indented block is neither commands nor anything else: begin it with ```sh or ```text")
        before = line
        at += 1
    return found


def script(page, commands):
    """A shell script that stops at the first command that fails, and names it."""
    parts = [
        "set -Ee",
        "trap 'echo \"$here: failed with $?: $BASH_COMMAND\" >&2' ERR",
        # It is there to show a difference, and then ends with 1.
        'diff() { command diff "$@" || [ $? = 1 ]; }',
    ]
    for block in commands:
        parts += [f"here={page}:{block.line}", f'echo "== $here"', block.text]
    return "\n".join(parts) + "\n"


def fill(folder, copied):
    """Makes the folder in which the commands run. Returns where they start."""
    source, _, name = copied.partition(":")
    shutil.copytree(source, folder / name if name else folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.traced", "augmented", "*.cuprtrace", "*.o"))
    if (folder / "src").is_dir():  # as `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` leaves it
        units = [{"directory": str(folder), "file": str(source), "command": f"nvcc -Iinclude -O2 -c {source}"} for source in sorted((folder / "src").glob("*.cu"))]
        (folder / "build").mkdir()
        (folder / "build" / "compile_commands.json").write_text(json.dumps(units))
    return folder


def run(name, text, tools, copied, work):
    """Returns (blocks run, blocks skipped by reason, exit status, output)."""
    commands = [block for block in blocks(name, text) if block.language == "sh"]
    chosen = [block for block in commands if not block.skip_reason()]
    skipped = {}
    for block in commands:
        if block.skip_reason():
            skipped[block.skip_reason()] = skipped.get(block.skip_reason(), 0) + 1
    if not chosen:
        raise BadPage(f"{name}: no block of commands runs")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUPR_")}
    environment |= {"PATH": f"{pathlib.Path(tools).resolve()}:{environment['PATH']}", "CUPR_DEVICE": "cpu", "HOME": str(work)}
    result = subprocess.run(["bash", "-c", script(name, chosen)], cwd=fill(work, copied), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return len(chosen), skipped, result.returncode, result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--copy", required=True, metavar="FOLDER[:NAME]")
    parser.add_argument("page", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cupr-commands.") as folder:
        try:
            ran, skipped, status, output = run(options.page.name, options.page.read_text(), options.tools, options.copy, pathlib.Path(folder))
        except BadPage as error:
            print(error)
            return 1
    print(output if status else f"{options.page}: as said")
    print(f"{ran} blocks {'to run, one failed' if status else 'ran'}" + "".join(f", {count} skipped ({reason})" for reason, count in skipped.items()))
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())

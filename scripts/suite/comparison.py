"""Is the output of a traced run that of the plain program?

A program's output holds things that differ from run to run: times, rates, process ids, the results of races. What may
differ is found out, not guessed: the plain program runs twice (and once more where the traced run differs from both), and

- a number that differs between the plain runs is *masked*: the traced run may have another number there;
- numbers beside a word of time or speed (`TIMING`) are masked as well, with the blanks that make columns of them, because
  two quick runs can agree by accident and a traced run is slower by its nature.

Everything else must be equal, line by line and character by character: standard output, the exit status, and the files
that the program writes. If the plain runs differ by more than numbers, there is nothing to compare with, and the answer
says so.
"""

import re

NUMBER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\bnan\b|\binf\b)")
TIMING = re.compile(r"time|elapsed|second|duration|latency|throughput|bandwidth|speed|perform|clock|cycles|overhead|"
                    r"flop|\btook\b|\b[gmk]i?b(ytes)?/s|/s(ec)?\b|\b(ns|us|ms|usecs?|msecs?|secs?)\b|\d ?(ns|us|ms|s)\b|\bfps\b|hz\b|µs",
                    re.IGNORECASE)
MASK = "#"


class Incomparable(Exception):
    """The plain runs differ by more than numbers."""


def _numbers(line):
    return NUMBER.findall(line)


def _skeleton(line):
    return NUMBER.sub(MASK, re.sub(r"[ \t]+", " ", line) if TIMING.search(line) else line)


class Expected:
    """What plain runs agree on. `texts`: the same output of two or more of them."""

    def __init__(self, texts):
        self._lines = []  # None: anything may stand there; else the skeleton, and for each number its text or None
        runs = [text.splitlines() for text in texts]
        if len({len(lines) for lines in runs}) > 1:
            raise Incomparable("the plain program's output differs from run to run in its number of lines")
        for same in zip(*runs):
            skeletons = {_skeleton(line) for line in same}
            if len(skeletons) > 1:
                if not all(TIMING.search(line) for line in same):
                    raise Incomparable(f"the plain program's output differs from run to run: {same[0][:80]!r}")
                self._lines.append(None)  # a line about time that says another thing each time
                continue
            columns = zip(*(_numbers(line) for line in same))
            masked = TIMING.search(same[0])
            self._lines.append((skeletons.pop(), [None if masked or len(set(column)) > 1 else column[0]
                                                  for column in columns]))

    def difference(self, text):
        """None, or the first line of `text` that is not as expected."""
        lines = text.splitlines()
        for number, expected in enumerate(self._lines):
            if number >= len(lines):
                return f"line {number + 1} is missing"
            if expected is None:
                continue
            skeleton, values = expected
            found = _numbers(lines[number])
            if _skeleton(lines[number]) != skeleton or any(
                    value is not None and value != there for value, there in zip(values, found)):
                return f"line {number + 1}: {lines[number][:100]!r}"
        if len(lines) > len(self._lines):
            return f"line {len(self._lines) + 1} is more: {lines[len(self._lines)][:100]!r}"
        return None


def compare(plain, other):
    """None if `other` is a run of the same program as the plain runs, else what differs."""
    if len({run.status for run in plain}) > 1:
        raise Incomparable("the plain program's exit status differs from run to run")
    if other.status != plain[0].status:
        return f"exit status {other.status}, not {plain[0].status}"
    what = Expected([run.stdout for run in plain]).difference(other.stdout)
    if what:
        return what
    names = set(plain[0].files)
    if any(set(run.files) != names for run in plain):
        raise Incomparable("the plain program's files differ from run to run")
    if set(other.files) != names:
        return f"files written: {', '.join(sorted(names ^ set(other.files)))}"
    for name in sorted(names):
        contents = [run.files[name] for run in plain]
        if all(content == other.files[name] for content in contents):
            continue
        if b"\0" in contents[0]:
            if len(set(contents)) == 1:
                return f"file {name}"
            raise Incomparable(f"the plain program's file {name} differs from run to run")
        what = Expected([content.decode(errors="replace") for content in contents]).difference(
            other.files[name].decode(errors="replace"))
        if what:
            return f"file {name}, {what}"
    return None

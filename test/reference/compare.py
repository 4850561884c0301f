#!/usr/bin/env python3
"""What `cupranalyze comm`, `results` and `findings` print is what the definitions give, for programs that arithmetic
knows and random ones.

The definitions are programmed twice: in C++ for traces of any size, and in definitions.py byte by byte, from nothing
but `export --format=json`. A number that differs names its program and its member. For the programs that arithmetic
knows, the numbers stand in known.py as well.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from definitions import analyse
from document import Document
from known import KNOWN
from tables import tables
from texts import communication_text, findings_text


def member(document, path):
    for name in path.split("."):
        document = document[int(name)] if name.isdigit() else document[name]
    return document


def canonical(value):
    """Rows of a table have no order; the last digits of a quotient may differ."""
    if isinstance(value, float):
        rounded = float(f"{value:.9g}")
        return int(rounded) if rounded.is_integer() else rounded
    if isinstance(value, dict):
        return {name: canonical(inner) for name, inner in sorted(value.items())}
    if isinstance(value, list):
        return [canonical(inner) for inner in value]
    return None if value == "" else value


def numbers_in(value):
    if isinstance(value, dict):
        return sum(map(numbers_in, value.values()))
    if isinstance(value, list):
        return sum(map(numbers_in, value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def only(said, defined):
    """`said`, with those members of objects alone that are defined."""
    if isinstance(said, dict) and isinstance(defined, dict):
        return {name: only(said[name], inner) for name, inner in defined.items() if name in said}
    if isinstance(said, list) and defined and isinstance(defined, list):
        return [only(row, defined[0]) for row in said]
    return said


def differences(name, said, defined):
    """Of tables, the rows that only one side has."""
    said, defined = canonical(only(said, defined)), canonical(defined)
    if isinstance(said, dict) and isinstance(defined, dict):
        for key in sorted(said.keys() | defined.keys()):
            yield from differences(f"{name}.{key}", said.get(key), defined.get(key))
    elif isinstance(said, list) and isinstance(defined, list) and name.rpartition(".")[2] != "findings":
        rows = [collections.Counter(map(json.dumps, side)) for side in (said, defined)]
        for row in rows[0] - rows[1]:
            yield f"{name}: said, not defined: {row}"
        for row in rows[1] - rows[0]:
            yield f"{name}: defined, not said: {row}"
    elif said != defined:
        yield f"{name}: said {said}, defined {defined}"


def check(cupranalyze, path, folder):
    """The number of figures, and what differs."""
    def output(verb, *options):
        return subprocess.run([cupranalyze, verb, path, *options], check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    said = json.loads(output("comm", "--json", "--threads=1"))
    analysis = analyse(map(json.loads, output("export", "--format=json").splitlines()))
    document = Document(analysis)
    defined = document.make()
    different = list(differences("comm", said, defined))
    for name, value in KNOWN.get(path.stem, {}).items():
        if member(said, name) != value:
            different.append(f"comm.{name}: said {member(said, name)}, known {value}")

    defined_tables, into = tables(document, defined), pathlib.Path(folder) / (path.stem + ".results")
    output("results", "--format=csv", f"--output={into}", "--history=all")
    for name, rows in defined_tables.items():
        different += differences(name, read_table(into / f"{name}.csv"), rows)

    defined_texts = {"comm": communication_text(document, defined), "findings": findings_text(defined)}
    said_texts = {"comm": output("comm", "--top=1000000"), "findings": output("findings", "--top=1000000")}
    for name, lines in defined_texts.items():
        different += differences(f"text of {name}", [line for line in lines_of(said_texts[name])
                                                      if any(c.isdigit() for c in line)], lines)
    figures = numbers_in(defined) + sum(numbers_in(rows) for rows in defined_tables.values())
    figures += sum(sum(word[:1].isdigit() for word in line.split()) for lines in defined_texts.values()
                   for line in lines)
    return figures, [f"{path.stem}: {line}" for line in different]


def lines_of(text):
    """Columns are as wide as they need to be."""
    return [" ".join(line.split()) for line in text.splitlines()]


def cell(text):
    if text in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def read_table(path):
    with path.open(newline="") as file:
        return [{name: cell(text) for name, text in row.items()} for row in csv.DictReader(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--programs", required=True, help="the program that writes the traces")
    parser.add_argument("--random", type=int, default=20, help="how many random programs")
    parser.add_argument("traces", nargs="*", type=pathlib.Path, help="further traces")
    options = parser.parse_args()
    figures, different = 0, []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.programs, folder, str(options.random)], check=True)
        made = sorted(pathlib.Path(folder).glob("*.cuprtrace"))
        assert len(made) == len(KNOWN) + options.random and KNOWN.keys() <= {path.stem for path in made}
        for path in made + options.traces:
            count, found = check(options.cupranalyze, path, folder)
            figures += count
            different += found
    for line in different[:50]:
        print(line)
    print(f"{len(made) + len(options.traces)} programs, {figures} figures, {len(different)} differ")
    return different != []


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What `cupranalyze comm`, `results`, `findings` and `advise` print is what the definitions give, for programs that arithmetic
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

from advisor import Settings, advice_text, advise
from definitions import analyse
from document import Document
from known import KNOWN
from calling_contexts import by_path, profile_tables
from tables import advisor_tables, history, tables
from texts import communication_text, findings_text


# What is said and not computed twice: texts of the trace and of the tool. All else must be.
NOT_COMPUTED = {
    "accesses.call_sites",
    "accesses.callers",
    "advise.assumptions",
    "advise.kernelSeconds",
    "advise.link",
    "advise.multiprocessors",
    "advise.notes",
    "advise.text",
    "bank_accesses.call_sites",
    "bank_accesses.callers",
    "bank_accesses.variables",
    "bank_kernels.variables",
    "comm.advisor",
    "comm.arguments",
    "comm.device",
    "comm.findings.advice",
    "comm.findings.expression",
    "comm.findings.title",
    "comm.launches.reason",
    "comm.program",
    "comm.sources",
    "comm.truncated",
    "comm.version",
    "findings.advice",
    "findings.expression",
    "findings.title",
    "lines.functions",
    "profile_nodes.object",
    "profile_procedures.object",
    "programs.arguments",
    "programs.device_kind",
    "programs.device_name",
    "programs.not_whole",
    "programs.program",
}
TABLES_NOT_COMPUTED = {"advisor_parts", "profile_samplings"}  # the latter: texts and settings of the trace alone
SETTINGS = (Settings(), Settings(gpus=(2, 3, 6), topology="ring", link=1e9, latency=0, packet=1, multiprocessors=2,
                                 kernel_time=1e-3),
            Settings(gpus=(4, 5), topology="tree", link=25e9, packet=256, multiprocessors=4, kernel_time=1e-5, overlap=True))
# Addresses whose communication is asked for: options, and which bytes they are of an allocation.
HISTORIES = ((("--history=all", "--threads=1"), lambda first: range(2 ** 64)),
             (("--history=a0+0x21:50", "--memory=16M"), lambda first: range(first + 0x21, first + 0x21 + 50)),
             (("--history=a0+0xf01:255",), lambda first: range(first + 0xf01, first + 0x1000)))


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


def only(name, said, defined):
    """`said`, without those members of objects that need not be defined."""
    if isinstance(said, dict) and isinstance(defined, dict):
        return {
            key: only(f"{name}.{key}", inner, defined.get(key))
            for key, inner in said.items()
            if key in defined or f"{name}.{key}" not in NOT_COMPUTED
        }
    if isinstance(said, list) and defined and isinstance(defined, list):
        return [only(name, row, defined[0]) for row in said]
    return said


def differences(name, said, defined):
    """Of tables, the rows that only one side has."""
    yield from differences_of(name, canonical(only(name, said, defined)), canonical(defined))


def differences_of(name, said, defined):
    if isinstance(said, dict) and isinstance(defined, dict):
        for key in sorted(said.keys() | defined.keys()):
            yield from differences_of(f"{name}.{key}", said.get(key), defined.get(key))
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
    rows = [json.loads(line) for line in output("export", "--format=json").splitlines()]
    # What is executed is no access: the profile alone has it.
    regions = {row["id"] for row in rows if row["type"] == "site" and row["operation"] == "instructions"}
    accesses = [row for row in rows if row["type"] != "record" or row["site"] not in regions]
    analysis = analyse(accesses)
    document = Document(analysis)
    defined = document.make()
    different = list(differences("comm", said, defined))
    for name, value in KNOWN.get(path.stem, {}).items():
        if member(said, name) != value:
            different.append(f"comm.{name}: said {member(said, name)}, known {value}")

    if any(row["type"] == "copy" and row["kind"] == "device to device" for row in rows):
        said_of_readers = json.loads(output("comm", "--json", "--device-copies=read"))
        different += differences("comm", said_of_readers, Document(analyse(accesses, "read")).make())

    defined_tables, into = tables(document, defined), pathlib.Path(folder) / (path.stem + ".results")
    output("results", "--format=csv", f"--output={into}", "--history=all", "--thread-strides", "--parts", "--gpus=2,3,4,5,6,8")
    parts = {(row["devices"], (row["grid_x"], row["grid_y"], row["grid_z"]), row["cta"]): row["device"]
             for row in read_table(into / "advisor_parts.csv")}
    defined_tables |= advisor_tables(advise(document, Settings(gpus=(2, 3, 4, 5, 6, 8)), parts))
    defined_tables |= profile_tables(rows)
    written = {path.stem for path in into.glob("*.csv")}
    different += [f"table {name} is not computed twice" for name in written - defined_tables.keys() - TABLES_NOT_COMPUTED]
    for name, rows in defined_tables.items():
        said_rows = read_table(into / f"{name}.csv")
        different += differences(name, list(by_path(said_rows)) if name == "profile_nodes" else said_rows, rows)
    histories = {}
    for number, (words, chosen) in enumerate(HISTORIES):
        rows = history(analysis, analysis.history.communicated(chosen(analysis.allocations.all[0]["address"]), analysis.sites))
        into = pathlib.Path(folder) / f"{path.stem}.history{number}"
        output("results", "--format=csv", f"--output={into}", "--communicated", *words)
        name = "address_history" + "".join(words)
        different += differences(name, read_table(into / "address_history.csv"), rows)
        histories[name] = rows

    advices = 0
    for settings in SETTINGS:
        advice = advise(document, settings, parts)
        options = settings.options()
        said_advice = json.loads(output("advise", "--json", *options))["advisor"]
        said_text = output("advise", *options)
        # Not what a reader is told beside the figures.
        said_text = said_text.split("\nThis takes for granted:")[0].splitlines()
        said_text = [line for line in said_text if not line.startswith(("Best for", "The graph of CTAs"))]
        different += differences("advise", said_advice, advice)
        different += differences("text of advise", numbered(said_text), advice_text(advice) if advice else [])
        advices += numbers_in(advice)
    defined_texts = {"comm": communication_text(document, defined), "findings": findings_text(defined)}
    said_texts = {"comm": output("comm", "--top=1000000"), "findings": output("findings", "--top=1000000")}
    said_texts["findings"] = without_titles(said_texts["findings"])
    for name, lines in defined_texts.items():
        different += differences(f"text of {name}", numbered(said_texts[name].splitlines()), lines)
    figures = advices + numbers_in(defined) + numbers_in(list(histories.values())) + sum(numbers_in(rows) for rows in defined_tables.values())
    figures += sum(sum(word[:1].isdigit() for word in line.split()) for lines in defined_texts.values()
                   for line in lines)
    return figures, [f"{path.stem}: {line}" for line in different]


def without_titles(text):
    """Rule, place, kernel and amounts of each finding."""
    return "\n".join(line.partition(": ")[0] if not line.startswith(" ") else line
                     for finding in text.split("\n\n") for line in finding.splitlines()[:-1])


def numbered(lines):
    """Those with a number. Columns are as wide as they need to be."""
    return [" ".join(line.split()) for line in lines if any(c.isdigit() for c in line)]


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
    parser.add_argument("--random", type=int, default=20, help="how many random programs, and how many of what the host does")
    parser.add_argument("traces", nargs="*", type=pathlib.Path, help="further traces")
    options = parser.parse_args()
    figures, different = 0, []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.programs, folder, str(options.random)], check=True)
        made = sorted(pathlib.Path(folder).glob("*.cuprtrace"))
        assert len(made) == len(KNOWN) + 2 * options.random and KNOWN.keys() <= {path.stem for path in made}
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

#!/usr/bin/env python3
"""What `cupranalyze comm --json` prints is what the definitions give, for programs that arithmetic knows and random ones.

The definitions are programmed twice: in C++ for traces of any size, and in definitions.py byte by byte. A number that
differs names its program and its member. For some programs, the numbers stand here as well.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from definitions import HOST, Analysis

# Program -> member of `comm --json` -> its value.
KNOWN = {
    "ring": {"communicated.bytes": 512, "communicated.share": 1, "communicated.otherIndexBytes": 512,
             "volume.uniqueWrittenBytes": 512, "transferSizes.transfers": 4},
    "structures": {"lines.0.requests": 3, "lines.0.sectors": 36, "lines.0.leastSectors": 12,
                   "lines.1.requests": 3, "lines.1.sectors": 36, "volume.loads": 32, "volume.stores": 32},
    "scratch": {"volume.uniqueWrittenBytes": 3 * 192, "communicated.bytes": 2 * 64, "volume.uniqueReadBytes": 3 * 192},
    "set_without_order": {"dependences.0.order": "concurrent", "communicated.fromHostBytes": 0},
    "copied_twice": {"communicated.toHostBytes": 128, "pairs.0.bytes": 128, "pairs.0.operations": 3},
    "inside_a_launch": {"dependences.0.kind": "RAW", "dependences.0.bytes": 3 * 128, "dependences.1.kind": "WAR",
                        "dependences.1.bytes": 32},
    # The first thread has no lower address, three are 8 bytes apart.
    "strides": {"communicated.bytes": 32, "strides.loads": [{"stride": 8, "bytes": 24}]},
    "diamond": {"launches.0.superstep": 0, "launches.1.superstep": 1, "launches.2.superstep": 1,
                "communicated.bytes": 128},
}


def member(document, path):
    for name in path.split("."):
        document = document[int(name)] if name.isdigit() else document[name]
    return document


def figures_of_results(results):
    """What both have, by name; zeros are left out."""
    figures = collections.Counter()
    for name, value in results["volume"].items():
        figures["volume", name] += value
    for name, value in results["communicated"].items():
        if name != "share":
            figures["communicated", name] += value
    for launch in results["launches"]:
        for name in ("superstep", "uniqueReadBytes", "uniqueWrittenBytes", "readFromLaunchesBytes", "readFromHostBytes",
                     "readByLaunchesBytes", "readByHostBytes"):
            figures["launch", launch["id"], name] += launch[name]
    for pair in results["pairs"]:
        for name in ("bytes", "sameIndexBytes", "otherIndexBytes", "operations", "ctaPairs"):
            figures["pair", pair["source"], pair["destination"], name] += pair[name]
    for transfer in results["transfers"]:
        ends = (transfer["source"], transfer["sourceCta"]), (transfer["destination"], transfer["destinationCta"])
        figures["transfer", *ends, "bytes"] += transfer["bytes"]
        figures["transfer", *ends, "operations"] += transfer["operations"]
    for density in results["density"]["maps"]:
        level = density["levels"][0]
        assert level["ctasPerCell"] == 1
        for cell in zip(level["source"], level["destination"], level["bytes"], level["transfers"]):
            figures["density", density["kind"], density["order"], *cell[:2], "bytes"] += cell[2]
            figures["density", density["kind"], density["order"], *cell[:2], "transfers"] += cell[3]
    for row in results["dependences"]:
        places = [tuple(row[end][name] for name in ("kernel", "file", "line", "column", "operation"))
                  for end in ("first", "second")]
        key = ("dependence", row["kind"], row["order"], *places)
        assert (*key, "bytes") not in figures, f"two rows of {key}"
        for name in ("bytes", "sameIndexBytes", "otherIndexBytes"):
            figures[(*key, name)] += row[name]
    for line in results["lines"]:
        for name in ("loads", "stores", "atomics", "loadBytes", "storeBytes", "atomicBytes", "requests", "sectors",
                     "leastSectors", "communicatedBytes", "readCommunicatedBytes"):
            figures["line", line["file"], line["line"], name] += line[name]
        for stride in line["strides"]:
            figures["line", line["file"], line["line"], "stride", stride["stride"]] += stride["bytes"]
    for stride in results["strides"]["loads"]:
        figures["stride", stride["stride"]] += stride["bytes"]
    for allocation in results["allocations"]:
        for name in ("uniqueReadBytes", "uniqueWrittenBytes", "communicatedBytes"):
            figures["allocation", allocation["ordinal"], name] += allocation[name]
    for kind, entries in results["degrees"].items():
        for entry in entries:
            figures["degree", kind, entry["partners"]] += entry["ctas"]
    for size in results["transferSizes"]["sizes"]:
        figures["transfers of", size["bytes"]] += size["transfers"]
    for distance in results["distances"]:
        figures["distance", distance["distance"]] += distance["bytes"]
    return {key: value for key, value in figures.items() if value}


def figures_of_definitions(analysis):
    figures = collections.Counter()
    totals = analysis.totals
    for what in ("load", "store", "atomic"):
        figures["volume", what + "s"] = totals[what + "s"]
        figures["volume", what + "Bytes"] = totals[what + "Bytes"]
    figures["volume", "hostWrittenBytes"] = totals["hostWrittenBytes"]
    for launch, step in analysis.supersteps.items():
        figures["launch", launch, "superstep"] = step
        for name, value in analysis.of_launch[launch].items():
            figures["launch", launch, name] += value
            if name in ("uniqueReadBytes", "uniqueWrittenBytes"):
                figures["volume", name] += value
            if name == "readByHostBytes":
                figures["communicated", "toHostBytes"] += value
    figures["communicated", "bytes"] = totals["communicatedBytes"]
    for name in ("sameIndexBytes", "otherIndexBytes", "handedOnBytes", "fromHostBytes", "concurrentBytes"):
        figures["communicated", name] = totals[name]
    for (source, destination), pair in analysis.pairs.items():
        for name, value in pair.items():
            figures["pair", source, destination, name] += value
        if HOST not in (source, destination):
            figures["distance", analysis.supersteps[destination] - analysis.supersteps[source] - 1] += pair["bytes"]
    partners = {name: collections.defaultdict(set) for name in ("in", "out")}
    for (kind, order, first, second), transfer in analysis.transfers.items():
        if (kind, order) == ("RAW", "ordered"):
            for name in ("bytes", "operations"):
                figures["transfer", first, second, name] += transfer[name]
            figures["pair", first[0], second[0], "operations"] += transfer["operations"]
            figures["pair", first[0], second[0], "ctaPairs"] += 1
        if HOST in (first[0], second[0]) or not transfer["bytes"]:
            continue
        figures["density", kind, order, first[1], second[1], "bytes"] += transfer["bytes"]
        figures["density", kind, order, first[1], second[1], "transfers"] += 1
        if (kind, order) == ("RAW", "ordered"):
            figures["transfers of", transfer["bytes"]] += 1
            partners["in"][second].add(first)
            partners["out"][first].add(second)
    for name, ctas in partners.items():
        for cta, others in ctas.items():
            figures["degree", name, len(others)] += 1
            different = sum(other[1] != cta[1] for other in others)
            figures["degree", {"in": "otherIn", "out": "otherOut"}[name], different] += different != 0
    for key, row in analysis.dependences.items():
        for name, value in row.items():
            figures[("dependence", *key, name)] += value
    for line, values in analysis.of_line.items():
        for name, value in values.items():
            figures[("line", *line, name)] += value
        for stride, value in analysis.line_strides[line].items():
            figures[("line", *line, "stride", stride)] += value
    for stride, value in analysis.load_strides.items():
        figures["stride", stride] += value
    for ordinal, values in analysis.of_allocation.items():
        for name, value in values.items():
            figures["allocation", ordinal, name] += value
    return {key: value for key, value in figures.items() if value}


def check(cupranalyze, path):
    """The number of figures, and what differs."""
    def output(*words):
        return subprocess.run([cupranalyze, *words, path], check=True, stdout=subprocess.PIPE, text=True).stdout

    results = json.loads(output("comm", "--json", "--threads=1"))
    said = figures_of_results(results)
    expected = figures_of_definitions(Analysis(map(json.loads, output("export", "--format=json").splitlines())))
    different = [f"{path.stem}: {key}: said {said.get(key, 0)}, defined {expected.get(key, 0)}"
                 for key in sorted(said.keys() | expected.keys(), key=repr) if said.get(key) != expected.get(key)]
    for name, value in KNOWN.get(path.stem, {}).items():
        if member(results, name) != value:
            different.append(f"{path.stem}: {name}: said {member(results, name)}, known {value}")
    return len(expected), different


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
            count, found = check(options.cupranalyze, path)
            figures += count
            different += found
    for line in different[:50]:
        print(line)
    print(f"{len(made) + len(options.traces)} programs, {figures} figures, {len(different)} differ")
    return different != []


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Exports results in every format and reads them with programs that are not ours.

What they read must be what `comm --json` and `dump --json` say, which do not share the exporters' code.
"""
import argparse
import collections
import csv
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import cubex
import jsonschema

HISTORY = ["--history=a0", "--history=a1+0x40:64"]


class Exports:
    def __init__(self, options, trace, folder):
        self.options, self.trace, self.folder = options, trace, pathlib.Path(folder)

    def run(self, *words, stdin=None):
        return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, input=stdin).stdout

    def json(self, *words):
        return json.loads(self.run(self.options.cupranalyze, *words, self.trace))

    def export(self, name, *words):
        path = self.folder / name
        self.run(self.options.cupranalyze, "results", self.trace, "--gpus=2,3", "-o", path, *words)
        return path


def check_database(exports, results, history):
    base = sqlite3.connect(exports.export("r.db", "--format=sqlite", *history))
    assert base.execute("pragma integrity_check").fetchall() == [("ok",)]

    def one(query):
        (row,) = base.execute(query).fetchall()
        return row

    def listed(query):
        return sorted(base.execute(query).fetchall(), key=repr)

    names = lambda end: None if end == "host" else end  # noqa: E731
    transfers = [t for t in results["transfers"]]
    assert listed("select source, source_cta, destination, destination_cta, bytes, operations from transfers"
                  " where kind = 'RAW' and dependence_order = 'ordered'") == \
        sorted(((names(t["source"]), t["sourceCta"], names(t["destination"]), t["destinationCta"], t["bytes"],
                 t["operations"]) for t in transfers), key=repr), "transfers"
    assert listed("select source, destination, bytes, cta_pairs from launch_pairs") == \
        sorted(((names(p["source"]), names(p["destination"]), p["bytes"], p["ctaPairs"]) for p in results["pairs"]), key=repr)
    assert listed("select id, kernel, superstep, load_bytes, unique_written_bytes, read_by_launches_bytes from launches") == \
        sorted(((x["id"], x["kernel"], x["superstep"], x["loadBytes"], x["uniqueWrittenBytes"], x["readByLaunchesBytes"])
                for x in results["launches"]), key=repr)
    volume = results["volume"]
    assert one("select loads, atomic_bytes, communicated_bytes from programs") == \
        (volume["loads"], volume["atomicBytes"], results["communicated"]["bytes"])

    # Volumes by kernel, CTA and SM: the same sums, cut in different ways.
    loaded, stored = volume["loadBytes"] + volume["atomicBytes"], volume["storeBytes"] + volume["atomicBytes"]
    sums = "coalesce(sum(load_bytes), 0), coalesce(sum(store_bytes), 0)"
    for table in ("kernel_volumes", "cta_volumes", "sm_volumes"):
        assert one(f"select {sums} from {table}") == (loaded, stored), table
    between = [t for t in transfers if "host" not in (t["source"], t["destination"])]
    received, sent = collections.Counter(), collections.Counter()
    for t in between:
        received[t["destination"], t["destinationCta"]] += t["bytes"]
        sent[t["source"], t["sourceCta"]] += t["bytes"]
    for launch, cta, got, gave in base.execute("select launch, cta, received_bytes, sent_bytes from cta_volumes"):
        assert (got, gave) == (received[launch, cta], sent[launch, cta]), (launch, cta)
    assert listed("select launch, sm, count(*), sum(accesses), sum(received_bytes), sum(sent_bytes) from cta_volumes group by launch, sm") == \
        listed("select launch, sm, ctas, accesses, received_bytes, sent_bytes from sm_volumes")
    for kernel, step, read, written in base.execute(
            "select kernel, superstep, communicated_load_bytes, communicated_store_bytes from kernel_volumes"):
        mine = [x for x in results["launches"] if (x["kernel"], x["superstep"]) == (kernel, step)]
        assert (read, written) == (sum(x["readFromLaunchesBytes"] for x in mine), sum(x["readByLaunchesBytes"] for x in mine))

    strides = collections.Counter()
    for direction, stride, size in base.execute("select direction, stride, bytes from strides"):
        strides[direction, stride] = size
    assert strides == collections.Counter({(direction, stride): size for direction, stride, size in base.execute(
        "select direction, stride, sum(bytes) from cta_strides group by 1, 2")}), "strides by CTA"
    assert one("select count(*) from (select distinct launch, cta from cta_strides)") == (len(results["ctaStrides"]),)

    cuts = (results["advisor"] or {"cuts": []})["cuts"]
    assert base.execute("select devices, cut, crossing_bytes, seconds from advisor_cuts order by id").fetchall() == \
        [(c["devices"], c["cut"], c["crossingBytes"], c["seconds"]) for c in cuts]
    for table, member in [("supersteps", "supersteps"), ("distances", "distances"), ("dependences", "dependences"),
                          ("allocations", "allocations"), ("lines", "lines"), ("accesses", "accesses"), ("findings", "findings"),
                          ("bank_accesses", "bankAccesses"), ("bank_kernels", "bankKernels")]:
        assert one(f"select count(*) from {table}") == (len(results[member]),), table
    assert listed("select title, share from findings") == sorted(((f["title"], f["share"]) for f in results["findings"]), key=repr)
    return base


def check_history(exports, base):
    """Accesses of the first allocation, and of 64 bytes of the second."""
    allocations = exports.json("info", "--json")["allocations"]
    ranges = [(int(a["address"], 16) if isinstance(a["address"], str) else a["address"], a["bytes"]) for a in allocations[:2]]
    ranges[1] = (ranges[1][0] + 0x40, 64)
    expected = collections.Counter()
    lines = exports.run(exports.options.cupranalyze, "dump", "--json", exports.trace).decode().splitlines()
    grids = {x["id"]: x["grid"] for x in exports.json("info", "--json")["launches"]}
    for record in map(json.loads, lines):
        if record["space"] != "global":
            continue
        x, y, z = record["cta"]
        width, height, _ = grids[record["launch"]]
        for rank, address in enumerate(record["addresses"]):
            size = record["bytes"][rank] if isinstance(record["bytes"], list) else record["bytes"]
            if any(address < begin + length and begin < address + size for begin, length in ranges):
                expected[record["launch"], x + width * (y + height * z), record["operation"], record["line"], address, size] += 1
    read = collections.Counter()
    for row in base.execute("select launch, cta, operation, line, address, bytes, accesses from address_history"):
        read[tuple(value % 2**64 if i == 4 else value for i, value in enumerate(row[:-1]))] += row[-1]
    assert read == expected, "history"
    order = base.execute("select address, superstep from address_history order by rowid").fetchall()
    assert order == sorted(order, key=lambda row: (row[0] % 2**64, row[1])), "history's order"
    return len(expected)


def check_csv(exports, base, history):
    folder = exports.export("tables", "--format=csv", *history)
    tables = [name for (name,) in base.execute("select name from sqlite_master where type = 'table'")]
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.csv" for name in tables)
    for name in tables:
        with open(folder / f"{name}.csv", newline="") as file:
            heading, *rows = csv.reader(file)
        assert heading == [column[1] for column in base.execute(f"pragma table_info({name})")], name
        stored = base.execute(f"select * from {name} order by rowid").fetchall()
        assert len(rows) == len(stored), name
        for row, values in zip(rows, stored):
            for cell, value in zip(row, values, strict=True):
                if cell in ("true", "false"):
                    assert value == (cell == "true"), name
                elif isinstance(value, float):
                    assert float(cell) == value, name
                elif isinstance(value, int) and value < 0:
                    assert int(cell) == value + 2**64, name
                else:
                    assert cell == ("" if value is None else str(value)), (name, cell, value)


def packets(text):
    """What `protoc --decode` prints, as dictionaries of lists."""
    root = collections.defaultdict(list)
    stack = [root]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith("{"):
            message = collections.defaultdict(list)
            stack[-1][line.split()[0]].append(message)
            stack.append(message)
        else:
            name, value = line.split(": ", 1)
            stack[-1][name].append(json.loads(value) if value[0] in '"-0123456789' else value)
    return root["packet"]


def check_perfetto(exports, results):
    schema = pathlib.Path(__file__).with_name("perfetto.proto")
    message = exports.export("r.pftrace", "--format=perfetto").read_bytes()
    text = exports.run(exports.options.protoc, f"--proto_path={schema.parent}", "--decode=perfetto.protos.Trace", schema.name,
                       stdin=message).decode()
    assert not re.search(r"^\s*\d+[:{ ]", text, re.M), "a field that is not Perfetto's"
    tracks, events = {}, []
    for packet in packets(text):
        for track in packet["track_descriptor"]:
            tracks[track["uuid"][0]] = track
        for event in packet["track_event"]:
            assert event["track_uuid"][0] in tracks, "an event before its track"
            events.append((packet["timestamp"][0], event))
    assert tracks[1]["process"][0]["process_name"] == [results["program"]]

    begins, open_slices, last, calls = {}, {}, collections.Counter(), []
    starts, ends, counters = {}, {}, collections.defaultdict(list)
    for time, event in events:
        track, kind = event["track_uuid"][0], event["type"][0]
        notes = {note["name"][0]: (note["uint_value"] or note["string_value"])[0] for note in event["debug_annotations"]}
        if kind == "TYPE_SLICE_BEGIN":
            assert track not in open_slices and time >= last[track], "slices overlap"
            open_slices[track] = notes
            if event["categories"] == ["host"]:
                assert tracks[track]["name"][0].startswith("thread ")
                calls.append((event["name"][0], time, notes.get("path", "")))
                continue
            begins[notes["launch"]] = notes
            for flow in event["flow_ids"]:
                assert starts.setdefault(flow, notes["launch"]) == notes["launch"]
            for flow in event["terminating_flow_ids"]:
                assert ends.setdefault(flow, notes["launch"]) == notes["launch"]
        elif kind == "TYPE_SLICE_END":
            del open_slices[track]
            last[track] = time
        elif kind == "TYPE_COUNTER":
            counters[tracks[track]["name"][0].rsplit(": ")[1]].append(event["counter_value"][0])
    assert not open_slices
    said = [json.loads(line) for line in exports.run(exports.options.cupranalyze, "dump", "--host", "--json", exports.trace).splitlines()]
    assert sorted(calls) == sorted((call["function"], call["began"], call["path"]) for call in said if call["row"] == "host_call")
    assert {launch: notes["superstep"] for launch, notes in begins.items()} == \
        {x["id"]: x["superstep"] for x in results["launches"]}
    assert set(starts) == set(ends), "a flow without an end"
    between = [p for p in results["pairs"] if "host" not in (p["source"], p["destination"])]
    assert sorted((starts[flow], ends[flow]) for flow in starts) == sorted((p["source"], p["destination"]) for p in between)
    assert sum(counters["bytes loaded"]) == results["volume"]["loadBytes"] + results["volume"]["atomicBytes"]
    assert sum(counters["bytes read of earlier launches"]) == sum(x["readFromLaunchesBytes"] for x in results["launches"])
    return len(between)


def check_speedscope(exports, results):
    profile = json.loads(exports.export("r.speedscope.json", "--format=speedscope").read_text())
    schema = json.loads(pathlib.Path(__file__).with_name("speedscope.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(profile)
    frames = profile["shared"]["frames"]
    for one in profile["profiles"]:
        assert len(one["samples"]) == len(one["weights"]) and sum(one["weights"]) == one["endValue"]
        assert all(index < len(frames) for stack in one["samples"] for index in stack)
    by_context = exports.folder / "profile.json"
    exports.run(exports.options.cupranalyze, "profile", "--speedscope", by_context, exports.trace)
    stacks = json.loads(by_context.read_text())
    by_context.unlink()
    jsonschema.Draft202012Validator(schema).validate(stacks)
    for one in stacks["profiles"]:
        assert len(one["samples"]) == len(one["weights"]) and sum(one["weights"]) == one["endValue"] > 0
        assert all(index < len(stacks["shared"]["frames"]) for stack in one["samples"] for index in stack)
    volume = results["volume"]
    accessed, communicated, excess = profile["profiles"]
    assert accessed["endValue"] == volume["loadBytes"] + volume["storeBytes"] + volume["atomicBytes"]
    assert communicated["endValue"] == sum(line["readCommunicatedBytes"] for line in results["lines"])
    assert excess["endValue"] == 32 * sum(line["excessSectors"] for line in results["lines"])
    by_line = collections.Counter()
    for stack, weight in zip(accessed["samples"], accessed["weights"]):
        leaf = frames[stack[-1]]
        by_line[leaf.get("file", ""), leaf.get("line", 0)] += weight
    assert by_line == collections.Counter({(line["file"], line["line"]): line["loadBytes"] + line["storeBytes"] + line["atomicBytes"]
                                           for line in results["lines"] if line["loads"] + line["stores"] + line["atomics"]})


def check_cube(exports):
    path = exports.folder / "profile.cubex"
    exports.run(exports.options.cupranalyze, "profile", "--cube", path, exports.trace)
    units, nodes = cubex.read(path)
    path.unlink()
    said = exports.json("profile", "--json")["profileNodes"]
    assert sorted(nodes) == [node["id"] for node in said]
    field_of = {"host": "hostTime", "calls": "calls", "call-time": "callTime", "wait": "waitTime", "launches": "launches", "device": "deviceTime",
                "accesses": "accesses", "bytes": "accessBytes", "sectors": "sectors"}
    assert units.keys() & field_of.keys()
    for node in said:
        read = nodes[node["id"]]
        assert (read.parent, read.kind, read.line) == (node["parent"], node["kind"], node["line"])
        assert node["kind"] == "program" or node["name"] in read.name or node["kind"] in ("loop", "access")
        for metric, field in field_of.items():
            number = node["own"][field]
            assert round(read.own.get(metric, 0) * (1e9 if units.get(metric) == "sec" else 1)) == number, (node["id"], metric)


def check(exports):
    results = exports.json("comm", "--json", "--advise", "--gpus=2,3")
    history = HISTORY if len(results["allocations"]) > 1 and results["allocations"][1]["bytes"] >= 128 else []
    base = check_database(exports, results, history)
    seen = check_history(exports, base) if history else 0
    check_csv(exports, base, history)
    base.close()
    arrows = check_perfetto(exports, results)
    check_speedscope(exports, results)
    check_cube(exports)
    assert sorted(path.name for path in exports.folder.iterdir()) == ["r.db", "r.pftrace", "r.speedscope.json", "tables"]
    return seen, arrows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cupranalyze", "protoc"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("traces", nargs="+")
    options = parser.parse_args()
    seen = arrows = 0
    for trace in options.traces:
        print(trace)
        with tempfile.TemporaryDirectory() as folder:
            more = check(Exports(options, trace, folder))
            seen, arrows = seen + more[0], arrows + more[1]
    assert seen > 100 and arrows > 5, (seen, arrows)


if __name__ == "__main__":
    sys.exit(main())

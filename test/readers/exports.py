#!/usr/bin/env python3
"""Exports traces in every format and reads them with programs that are not ours.

Each reader gives the accesses of threads as tuples; all must be those of `cupranalyze dump --json`, which does not
share the exporters' code.
"""
import argparse
import codecs
import collections
import csv
import gzip
import io
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import jsonschema

FIELDS = ["launch", "operation", "space", "address", "bytes", "cta_x", "cta_y", "cta_z", "warp", "lane", "sm",
          "file", "line", "column", "function", "thread_x", "thread_y", "thread_z"]


class Exporter:
    def __init__(self, options, trace, folder):
        self.options, self.trace, self.folder = options, trace, pathlib.Path(folder)

    def run(self, *words, stdin=None):
        return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, input=stdin).stdout

    def export(self, *words):
        return self.run(self.options.cupranalyze, "export", self.trace, *words)


def dumped(exporter):
    """What `dump --json` says, per thread."""
    accesses = collections.Counter()
    launches = csv.DictReader(io.StringIO(exporter.export("--format=csv", "--table=launches").decode(), newline=""))
    blocks = {int(row["id"]): [int(row[f"block_{axis}"]) for axis in "xyz"] for row in launches}
    lines = exporter.run(exporter.options.cupranalyze, "dump", "--json", exporter.trace).decode().splitlines()
    for record in map(json.loads, lines):
        if record["operation"] == "variable":
            continue
        for rank, (lane, address) in enumerate(zip(record["lanes"], record["addresses"])):
            size = record["bytes"][rank] if isinstance(record["bytes"], list) else record["bytes"]
            (x, y, _), thread = blocks[record["launch"]], 32 * record["warp"] + lane
            accesses[(record["launch"], record["operation"], record["space"], address, size, *record["cta"],
                      record["warp"], lane, record["sm"], record["file"], record["line"], record["column"],
                      record["function"], thread % x, thread // x % y, thread // x // y)] += 1
    return accesses


def joined(rows):
    """Accesses from the rows of a stream of records: dictionaries with snake_case keys and "type"."""
    sites, accesses = {}, collections.Counter()
    for row in rows:
        if row["type"] == "site":
            sites[row["id"]] = row
        if row["type"] != "record":
            continue
        site = sites[row["site"]]
        sizes = row["bytes"] or [site["bytes"]] * len(row["lanes"])
        threads = [row[f"thread_{axis}"] for axis in "xyz"]
        assert len(row["lanes"]) == len(row["addresses"]) == len(sizes) == len(threads[0]) == len(threads[1]) == len(threads[2])
        for lane, address, size, *thread in zip(row["lanes"], row["addresses"], sizes, *threads):
            accesses[(row["launch"], site["operation"], site["space"], address, size, row["cta_x"], row["cta_y"],
                      row["cta_z"], row["warp"], lane, row["sm"], site["file"], site["line"], site["column"],
                      site["function"], *thread)] += 1
    assert [row["type"] for row in rows][0] == "header" and rows[-1]["type"] == "end"
    assert rows[-1]["accesses"] == sum(accesses.values())
    return accesses


def snake(name):
    return re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name)


def from_json(exporter, text):
    schema = json.loads((exporter.options.source / "analysis/export/schema/cuprewrite.schema.json").read_text())
    whole = jsonschema.Draft202012Validator(schema)
    by_type = {kind["properties"]["type"]["const"]: jsonschema.Draft202012Validator(kind) for kind in schema["oneOf"]}
    rows, seen = [], collections.Counter()
    for line in text.decode().splitlines():
        row = json.loads(line)
        seen[row["type"]] += 1
        if seen[row["type"]] <= 100:  # jsonschema takes its time
            by_type[row["type"]].validate(row)
        if seen[row["type"]] <= 3:
            whole.validate(row)
        rows.append({snake(name): value for name, value in row.items()})
    for row in rows:
        row["type"] = snake(row["type"])
    return rows


def values_in(text):
    """The values of JSON that stand one after the other."""
    decoder, values, at = json.JSONDecoder(), [], 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        values.append(value)
        at += 1
    return values


def from_proto_text(text):
    """The rows in what `protoc --decode` prints."""
    rows = []
    for line in text.splitlines():
        words = line.split()
        depth = len(line) - len(line.lstrip())
        if depth == 2 and words[-1] == "{":
            rows.append(collections.defaultdict(lambda: 0, type=words[0], lanes=[], addresses=[], file="",
                                                function="", bytes=[] if words[0] == "record" else 0,
                                                thread_x=[], thread_y=[], thread_z=[]))
        elif depth == 4:
            name, value = line.strip().split(": ", 1)
            # Bytes beyond ASCII stand there as octal escapes.
            value = codecs.escape_decode(value[1:-1])[0].decode() if value[0] == '"' else json.loads(value)
            if isinstance(rows[-1].get(name), list):
                rows[-1][name].append(value)
            else:
                rows[-1][name] = value
    return rows


def check(exporter):
    expected = dumped(exporter)
    json_bytes = exporter.export("--format=json")
    rows = from_json(exporter, json_bytes)
    assert joined(rows) == expected, "json"

    assert values_in(exporter.export("--format=json", "--indent").decode()) == list(map(json.loads, json_bytes.splitlines())), "json, indented"
    assert gzip.decompress(exporter.export("--format=json", "--compress=gzip")) == json_bytes, "gzip"
    packed = exporter.export("--format=json", "--compress=zstd")
    assert exporter.run(exporter.options.zstd, "-dc", stdin=packed) == json_bytes, "zstd"

    table = csv.DictReader(io.StringIO(exporter.export("--format=csv").decode(), newline=""))
    numbers = set(FIELDS) - {"operation", "space", "file", "function"}
    read = collections.Counter(tuple(int(row[name]) if name in numbers else row[name] for name in FIELDS)
                               for row in table)
    assert read == expected, "csv"
    launches = list(csv.DictReader(io.StringIO(exporter.export("--format=csv", "--table=launches").decode(), newline="")))
    of_json = [row for row in rows if row["type"] == "launch"]
    assert [row["kernel"] for row in launches] == [row["kernel"] for row in of_json], "csv launches"

    message = exporter.export("--format=protobuf")
    schema = exporter.options.source / "analysis/export/schema"
    text = exporter.run(exporter.options.protoc, f"--proto_path={schema}", "--decode=cuprewrite.Trace", "cuprewrite.proto",
                        stdin=message).decode()
    assert not re.search(r"^\s*\d+:", text, re.M), "protobuf: a field that the schema has not got"
    of_proto = from_proto_text(text)
    assert joined(of_proto) == expected, "protobuf"
    assert [row["type"] for row in of_proto] == [row["type"] for row in rows], "protobuf rows"

    for words in ([], ["--compress=zstd"]):
        path = exporter.folder / "export.db"
        exporter.export("--format=sqlite", "-o", path, *words)
        if words:
            path.write_bytes(exporter.run(exporter.options.zstd, "-dc", path))
        base = sqlite3.connect(path)
        columns = ", ".join(f'"{name}"' for name in FIELDS)
        # SQLite's integers have a sign: addresses from 2^63 on are negative.
        read = collections.Counter(tuple(value % 2**64 if name == "address" else value for name, value in zip(FIELDS, row))
                                   for row in base.execute(f"select {columns} from all_accesses"))
        assert read == expected, "sqlite"
        assert base.execute("pragma integrity_check").fetchall() == [("ok",)]
        kinds = collections.Counter(row["type"] for row in rows)
        for kind, name in [("launch", "launches"), ("allocation", "allocations"), ("copy", "copies"), ("set", "sets"),
                           ("synchronisation", "synchronisations"), ("site", "sites"), ("count", "counts")]:
            assert base.execute(f"select count(*) from {name}").fetchone() == (kinds[kind],), name
        base.close()
        path.unlink()
    assert [path.name for path in exporter.folder.iterdir()] == [], "something is left over"

    messages = exporter.run(exporter.options.capnp, "decode", exporter.options.source / "hostlib/trace/trace.capnp", "Message",
                            stdin=exporter.export("--format=capnp")).decode()
    kinds = collections.Counter(re.findall(r"^\( (\w+) = ", messages, re.M))
    for batch in re.split(r"^(?=\( \w+ = )", messages, flags=re.M):
        if batch.startswith("( acts = "):  # each launch there has a number, and each allocation its bytes
            kinds["launch"] += len(re.findall(r"\bnumber = ", batch))
            kinds["allocation"] += len(re.findall(r"\bbytes = ", batch))
    names = [row["type"] for row in rows]
    for kind in ("launch", "allocation", "copy", "set", "synchronisation"):
        assert kinds[kind] == names.count(kind), f"capnp {kind}: {kinds}"
    assert kinds["header"] == kinds["end"] == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cupranalyze", "protoc", "zstd", "capnp"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("traces", nargs="+")
    options = parser.parse_args()
    for trace in options.traces:
        with tempfile.TemporaryDirectory() as folder:
            print(trace)
            check(Exporter(options, trace, folder))


if __name__ == "__main__":
    sys.exit(main())

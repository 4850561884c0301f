#!/usr/bin/env python3
"""What `comm --json` prints is what docs/results.schema.json says, and its sums agree with each other."""
import argparse
import json
import pathlib
import subprocess
import sys

import jsonschema


def strict(schema):
    """The schema, but objects may only have members that it names, or that a part which it refers to names."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "required" in schema:
        result["unevaluatedProperties"] = False
    return result


def union(intervals):
    """How many cycles lie in one interval or more."""
    length, behind = 0, 0
    for start, end in sorted(intervals):
        length += max(0, end - max(start, behind))
        behind = max(behind, end)
    return length


def check_latency(options, trace):
    """`latency --json` beside what `dump --json` says of each record. Returns whether the trace has timed launches."""
    def output(*words):
        return subprocess.run([options.cupranalyze, *words, trace], check=True, stdout=subprocess.PIPE).stdout

    timed = {launch["id"] for launch in json.loads(output("info", "--json"))["launches"] if launch["timed"]}
    if not timed:
        run = subprocess.run([options.cupranalyze, "latency", "--json", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert run.returncode == 1 and not run.stdout and b"--latency" in run.stderr, trace
        return False
    found = json.loads(output("latency", "--json", "--warps", "--warp=0:0"))
    schema = json.loads((options.source / "docs/latency.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(found)
    accesses, warps = {}, {}
    for line in output("dump", "--json").splitlines():
        record = json.loads(line)
        if "duration" not in record:
            continue
        assert record["launch"] in timed
        start, duration = min(record["clock"]), max(record["duration"])
        place = tuple(record[name] for name in ("kernel", "file", "line", "column", "operation", "space"))
        accesses.setdefault(place, []).append(duration)
        warps.setdefault((record["launch"], *record["cta"], record["warp"]), []).append((start, start + duration))
    assert len(found["latencyAccesses"]) == len(accesses)
    for row in found["latencyAccesses"]:
        durations = sorted(accesses[tuple(row[name] for name in ("kernel", "file", "line", "column", "operation", "space"))])
        assert (row["samples"], row["cycles"], row["min"], row["max"]) == (len(durations), sum(durations), durations[0], durations[-1])
        for percent in (50, 90, 99):
            exact = durations[-(-len(durations) * percent // 100) - 1]
            assert exact <= row[f"p{percent}"] <= exact * 257 / 256, (row, percent)
    assert len(found["latencyWarps"]) == len(warps)
    for row in found["latencyWarps"]:
        intervals = warps[row["launch"], *row["cta"], row["warp"]]
        assert row["memoryCycles"] == union(intervals), row
        assert (row["start"], row["end"]) == (min(start for start, _ in intervals), max(end for _, end in intervals)), row
    series = warps[min(timed), 0, 0, 0, 0]
    assert [row["clock"] for row in found["latencySeries"] if row["launch"] == min(timed)] == sorted(start for start, _ in series)
    for rows in ("Accesses", "Lines", "Kernels", "Multiprocessors", "Warps"):
        assert sum(row["cycles"] for row in found[f"latency{rows}"]) == found["cycles"], rows
    for rows in ("Histogram", "Shapes"):
        assert sum(row["samples"] for row in found[f"latency{rows}"]) == sum(map(len, accesses.values())), rows
    return True


def check_profile(options, trace):
    """`profile --json` beside what `dump --host --json` says of each call and sample. Returns whether the trace says anything of the host."""
    def output(*words):
        return subprocess.run([options.cupranalyze, *words, trace], check=True, stdout=subprocess.PIPE).stdout

    schema = json.loads((options.source / "docs/profile.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    found = json.loads(output("profile", "--json"))
    validator.validate(found)
    nodes = found["profileNodes"]
    rows = [json.loads(line) for line in output("dump", "--host", "--json").splitlines()]
    calls = [row for row in rows if row["row"] == "host_call"]
    samples = [row for row in rows if row["row"] == "host_sample"]
    total = nodes[0]["total"]
    assert (total["calls"], total["callTime"]) == (len(calls), sum(call["ended"] - call["began"] for call in calls)), trace
    assert (total["samples"], total["processorTime"]) == (len(samples), sum(sample["weight"] for sample in samples)), trace
    # A total is what a node has of its own, and the totals below it.
    for name in ("calls", "callTime", "deviceTime", "accesses", "sectors", "samples", "copiedBytes"):
        below = [0] * len(nodes)
        for node in nodes[1:]:
            below[node["parent"]] += node["total"][name]
        assert all(node["total"][name] == node["own"][name] + below[node["id"]] for node in nodes), name
    # The calls of each path, by the names of the functions alone.
    by_path, found_by_path = {}, {}
    for call in calls:
        key = call["path"] or "[path not known]", call["function"]
        by_path[key] = by_path.get(key, 0) + 1
    for node in nodes:
        if node["kind"] == "call" and node["own"]["calls"]:
            path, at = [], node["parent"]
            while at != 0:
                if nodes[at]["kind"] != "loop":
                    path.insert(0, nodes[at]["name"])
                at = nodes[at]["parent"]
            key = " > ".join(path), node["name"]
            found_by_path[key] = found_by_path.get(key, 0) + node["own"]["calls"]
    assert by_path == found_by_path, trace
    turned = json.loads(output("profile", "--bottom-up", "--json"))
    validator.validate(turned)
    assert turned["profileNodes"][0]["total"] == total, trace
    for name in ("profileProcedures", "profileKinds", "profileThreads", "profileSamplings"):
        assert turned[name] == found[name], name
    shares = [kind["apiImportance"] for kind in found["profileKinds"] if kind["apiImportance"] is not None]
    assert not shares or abs(sum(shares) - 1) < 1e-9, trace
    return bool(calls)


def check(options, trace):
    def results(*words):
        out = subprocess.run([options.cupranalyze, *words, trace], check=True, stdout=subprocess.PIPE).stdout
        return json.loads(out)

    schema = json.loads((options.source / "docs/results.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    # Shared definitions are parts of objects: only what uses them can say that there is nothing else.
    definitions = schema.pop("$defs")
    validator = jsonschema.Draft202012Validator({**strict(schema), "$defs": definitions})
    plain = results("comm", "--json")
    assert plain["advisor"] is None
    short = results("comm", "--json", "--no-transfers")
    transfers, cta_strides = plain.pop("transfers"), plain.pop("ctaStrides")
    assert short == plain, "--no-transfers"
    advised = results("comm", "--json", "--advise", "--gpus=2,3", "--kernel-time=1")
    for document in (short, advised):
        validator.validate(document)
    assert results("advise", "--json", "--gpus=2,3", "--kernel-time=1") == {"advisor": advised["advisor"]}

    banks = results("banks", "--json")
    assert banks == {"version": 1, "bankWidth": 4, **{name: plain[name] for name in ("bankAccesses", "bankKernels")}}, "banks"
    assert banks.keys() == set(json.loads((options.source / "docs/banks.schema.json").read_text())["required"])

    caches = results("caches", "--json")
    assert caches["cacheReuse"] == [] and caches["cacheAllocationReuse"] == []
    caches = results("caches", "--json", "--reuse")
    jsonschema.Draft202012Validator(json.loads((options.source / "docs/caches.schema.json").read_text())).validate(caches)
    for level, asked in (("l1", ("loads",)), ("l2", ("l2Reads", "l2Atomics"))):
        for reuse, made in (("cacheReuse", "cacheAccesses"), ("cacheAllocationReuse", "cacheAllocations")):
            used = sum(row[f"{level}First"] + sum(row[f"{level}Again"]) for row in caches[reuse])
            assert used == sum(row[name] for row in caches[made] for name in asked), (level, reuse)
    by_kernel = {row["kernel"]: row for row in caches["cacheKernels"]}
    for name in ("loads", "loadHits", "stores", "l2Reads", "memoryReadBytes", "memoryWriteBytes"):
        for kernel, row in by_kernel.items():
            assert row[name] == sum(of[name] for of in caches["cacheAccesses"] if of["kernel"] == kernel), (kernel, name)
        assert sum(of[name] for of in caches["cacheAllocations"]) == sum(row[name] for row in by_kernel.values()), name

    between = [t for t in transfers if "host" not in (t["source"], t["destination"])]
    assert len({(row["launch"], row["cta"]) for row in cta_strides}) == len(cta_strides)
    for name, strides in plain["strides"].items():
        assert sum(s["bytes"] for row in cta_strides for s in row[name]) == sum(s["bytes"] for s in strides), name
    step_of = {launch["id"]: launch["superstep"] for launch in plain["launches"]}
    for number, step in enumerate(plain["supersteps"]):
        expected = sum(t["bytes"] for t in between if step_of[t["destination"]] == number)
        assert step["transferBytes"] == expected, f"superstep {number}"
    advisor = advised["advisor"]
    if advisor is None:
        return 0
    assert [advisor["cuts"][i]["devices"] for i in advisor["best"]] == [2, 3]
    for cut in advisor["cuts"]:
        assert cut["crossingOnceBytes"] <= cut["crossingBytes"] == sum(cut["supersteps"])
        assert cut["crossingBytes"] <= sum(t["bytes"] for t in between)
        assert 1 <= cut["parallelism"] <= cut["devices"] and 1 <= cut["balance"] <= cut["devices"]
    return 1


def check_several(options):
    """Of several traces, each has the results that it has alone, and sums are sums."""
    def printed(*words):
        return json.loads(subprocess.run([options.cupranalyze, "comm", "--json", *words], check=True, stdout=subprocess.PIPE).stdout)

    together = printed(*options.traces)
    schema = json.loads((options.source / "docs/results.schema.json").read_text())
    whole = jsonschema.Draft202012Validator(schema)
    whole.evolve(schema=strict(schema["$defs"]["severalTraces"])).validate(together)
    for trace, path in zip(together["traces"], options.traces, strict=True):
        assert trace == {"trace": path, "results": printed(path)}, path
    for group in ("volume", "communicated"):
        for key, sum_ in together["sum"][group].items():
            if key not in ("share", "handedOnShare"):
                assert sum_ == sum(trace["results"][group][key] for trace in together["traces"]), key
    written = together["sum"]["volume"]["uniqueWrittenBytes"]
    communicated = together["sum"]["communicated"]
    assert communicated["share"] == communicated["bytes"] / written
    assert communicated["handedOnShare"] == communicated["handedOnBytes"] / written


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("traces", nargs="+")
    options = parser.parse_args()
    check_several(options)
    assert sum(check_latency(options, trace) for trace in options.traces) >= 1, "no trace has timed launches"
    assert sum(check_profile(options, trace) for trace in options.traces) >= 1, "no trace says anything of the host"
    assert sum(check(options, trace) for trace in options.traces) >= 2, "too few traces have something to advise on"


if __name__ == "__main__":
    sys.exit(main())

"""The tables of `cupranalyze results`, from the document of `comm --json` and the sums behind it."""
import collections

from definitions import HOST
from document import COUNTS

# Column -> member of the document.
LAUNCH = {"id": "id", "kernel": "kernel", "stream": "stream", "device": "device", "superstep": "superstep",
          "traced": "traced", "complete": "complete", "time": "time", "end_time": "endTime",
          "unique_read_bytes": "uniqueReadBytes", "unique_written_bytes": "uniqueWrittenBytes",
          "read_from_launches_bytes": "readFromLaunchesBytes", "read_from_host_bytes": "readFromHostBytes",
          "read_by_launches_bytes": "readByLaunchesBytes", "read_by_host_bytes": "readByHostBytes",
          "stream_superstep": "streamSuperstep", "read_handed_on_bytes": "readHandedOnBytes",
          "handed_on_bytes": "handedOnBytes", "read_by_threads_bytes": "readByThreadsBytes",
          "read_possibly_overwritten_bytes": "readPossiblyOverwrittenBytes",
          "possibly_overwritten_bytes": "possiblyOverwrittenBytes", "copied_bytes": "copiedBytes",
          "number": "number", "phase": "phase"}
ALLOCATION = {"ordinal": "ordinal", "name": "name", "call": "call", "kind": "kind", "bytes": "bytes",
              "freed": "freed", "unique_read_bytes": "uniqueReadBytes", "unique_written_bytes": "uniqueWrittenBytes",
              "communicated_bytes": "communicatedBytes", "copied_bytes": "copiedBytes",
              "element_type": "elementType", "file": "file", "line": "line", "column": "column"}
LINE = {"file": "file", "line": "line", "requests": "requests", "sectors": "sectors",
        "least_sectors": "leastSectors", "sectors_per_request": "sectorsPerRequest", "communicated_bytes": "communicatedBytes",
        "read_communicated_bytes": "readCommunicatedBytes"}
FINDING = {name: name for name in ("id", "kernel", "file", "line", "amount", "unit", "share", "column",
                                   "operation", "severity", "seconds", "measured", "path")}
FINDING |= {"lost_cycles": "lostCycles", "lost_cycles_error": "lostCyclesError", "lost_cycles_share": "lostCyclesShare"}


def snake(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def take(row, columns):
    return {column: row[name] for column, name in columns.items()}


def counts(row):
    return {snake(name): row[name] for name in COUNTS}


def null(end):
    return None if end == HOST else end


def tables(document, defined):
    a = document.a
    volume, communicated = defined["volume"], defined["communicated"]
    program = {"incomplete_launches": defined["incompleteLaunches"], **counts(volume)}
    for name in ("uniqueReadBytes", "uniqueWrittenBytes", "copiedBytes", "hostWrittenBytes"):
        program[snake(name)] = volume[name]
    for name, value in communicated.items():
        program["communicated_bytes" if name == "bytes" else snake(name)] = value
    shown = defined["shown"]
    program.update(shown=shown["what"], shown_launches=shown["launches"], all_launches=shown["of"])

    return {
        "programs": [program],
        "kernel_volumes": kernel_volumes(document),
        "launches": [{**take(row, LAUNCH), **counts(row),
                      **{f"{what}_{axis}": row[what][i] for what in ("grid", "block")
                         for i, axis in enumerate("xyz")}} for row in defined["launches"]],
        "supersteps": [{"superstep": step, "launches": len(row["launches"]), "load_bytes": row["loadBytes"],
                        "store_bytes": row["storeBytes"], "transfer_bytes": row["transferBytes"],
                        **{snake(name): row[name] for name in ("readByThreadsBytes", "handedOnLoadBytes",
                                                               "handedOnStoreBytes", "readPossiblyOverwrittenBytes")},
                        **{f"{way}_{name}": row[way + "Degree"][name] for way in ("in", "out")
                           for name in ("ctas", "mean", "deviation")}}
                       for step, row in enumerate(defined["supersteps"])],
        "cta_volumes": cta_volumes(document),
        "sm_volumes": sm_volumes(cta_volumes(document)),
        "transfers": [{"kind": kind, "dependence_order": order, "source": null(first[0]), "source_cta": first[1],
                       "destination": null(second[0]), "destination_cta": second[1], "bytes": transfer["bytes"],
                       "operations": transfer["operations"]}
                      for (kind, order, first, second), transfer in a.transfers.items()],
        "launch_pairs": [{"source": null(row["source"]), "destination": null(row["destination"]),
                          "bytes": row["bytes"], "same_index_bytes": row["sameIndexBytes"],
                          "other_index_bytes": row["otherIndexBytes"], "operations": row["operations"],
                          "cta_pairs": row["ctaPairs"],
                          "possibly_overwritten_bytes": row["possiblyOverwrittenBytes"]} for row in defined["pairs"]],
        "distances": [take(row, {name: name for name in row}) for row in
                      ({"operations": 0, **row} for row in defined["distances"])],
        "transfer_sizes": defined["transferSizes"]["sizes"],
        "degrees": [{"direction": name, **row} for name, rows in defined["degrees"].items() for row in rows],
        "bisections": [{"dimension": name, **row} for name, row in defined["bisection"].items() if row],
        "dependences": [{"kind": row["kind"], "dependence_order": row["order"], "bytes": row["bytes"],
                         "same_index_bytes": row["sameIndexBytes"], "other_index_bytes": row["otherIndexBytes"],
                         **{f"{end}_{name}": row[end][name] for end in ("first", "second")
                            for name in ("kernel", "file", "line", "column", "operation")}}
                        for row in defined["dependences"]],
        "allocations": [{**take(row, ALLOCATION), "address": int(row["address"], 16), **counts(row)}
                        for row in defined["allocations"]],
        "lines": [{**take(row, LINE), **counts(row)} for row in defined["lines"]],
        "accesses": [{snake(name): value for name, value in row.items() if name not in ("callers", "callSites")}
                     for row in defined["accesses"]],
        "bank_accesses": [{snake(name): value for name, value in row.items() if name not in ("callers", "callSites", "variables")}
                          for row in defined["bankAccesses"]],
        "bank_kernels": [{snake(name): value for name, value in row.items() if name != "variables"} for row in defined["bankKernels"]],
        "findings": [take(row, FINDING) for row in defined["findings"]],
        "address_history": history(a, a.history.accesses),
        "thread_strides": [{**dict(zip(("kernel", "file", "line", "column", "operation"), place)),
                            "backwards": backwards, "stride": stride, **sums}
                           for (place, backwards, stride), sums in a.thread_strides.sums.items()],
        "cta_strides": [{"launch": launch, "cta": cta, "direction": name, "stride": stride, "bytes": size}
                        for (launch, cta), kinds in a.cta_strides.items() for name, strides in kinds.items()
                        for stride, size in strides.items() if stride is not None],
        "strides": [{"direction": name, "stride": stride, "bytes": size} for name, strides in a.strides.items()
                    for stride, size in strides.items() if stride is not None],
    }


def kernel_volumes(document):
    a = document.a
    groups = collections.defaultdict(list)
    for launch, row in a.launches.items():
        groups[row["kernel"], a.supersteps[launch]].append(launch)
    rows = []
    for (kernel, superstep), launches in groups.items():
        volume = document.launch_volume(launches)
        rows.append({"kernel": kernel, "superstep": superstep, "launches": len(launches),
                     "load_bytes": volume["loadBytes"] + volume["atomicBytes"],
                     "store_bytes": volume["storeBytes"] + volume["atomicBytes"],
                     "communicated_load_bytes": volume["readFromLaunchesBytes"],
                     "communicated_store_bytes": volume["readByLaunchesBytes"],
                     "handed_on_load_bytes": volume["readHandedOnBytes"],
                     "handed_on_store_bytes": volume["handedOnBytes"],
                     "read_by_threads_bytes": volume["readByThreadsBytes"]})
    return rows


def cta_volumes(document):
    received, sent = collections.Counter(), collections.Counter()
    for (first, second), size in document.between_launches.items():
        received[second] += size
        sent[first] += size
    rows = []
    for cta, volume in document.a.of_cta.items():
        x, y, z = document.coordinates(*cta)
        rows.append({"launch": cta[0], "cta": cta[1], "cta_x": x, "cta_y": y, "cta_z": z, "sm": volume["sm"],
                     "accesses": volume["accesses"], "load_bytes": volume["loadBytes"],
                     "store_bytes": volume["storeBytes"], "received_bytes": received[cta], "sent_bytes": sent[cta],
                     "communicated_store_bytes": volume["communicatedStoreBytes"]})
    return rows


def sm_volumes(ctas):
    sums = collections.defaultdict(collections.Counter)
    for row in ctas:
        sums[row["launch"], row["sm"]]["ctas"] += 1
        for name, value in row.items():
            if name not in ("launch", "sm") and not name.startswith("cta"):
                sums[row["launch"], row["sm"]][name] += value
    names = ("ctas", "accesses", "load_bytes", "store_bytes", "received_bytes", "sent_bytes",
             "communicated_store_bytes")
    return [{"launch": launch, "sm": sm, **{name: row[name] for name in names}} for (launch, sm), row in sums.items()]


def history(a, accesses):
    """Of accesses by (address, superstep, launch, cta, site, bytes)."""
    return [{"address": address, "superstep": superstep, "launch": launch, "cta": cta,
             "operation": a.sites[site]["operation"], "file": a.sites[site]["file"], "line": a.sites[site]["line"],
             "bytes": size, "accesses": number}
            for (address, superstep, launch, cta, site, size), number in accesses.items()]


def advisor_tables(advice):
    cuts = advice["cuts"] if advice else []
    same = {"devices": "devices", "cut": "cut", "crossing_bytes": "crossingBytes",
            "crossing_once_bytes": "crossingOnceBytes", "crossing_share": "crossingShare",
            "read_from_host_bytes": "readFromHostBytes", "inside_launches_bytes": "insideLaunchesBytes",
            "memory_bytes": "memoryBytes", "balance": "balance", "access_balance": "accessBalance",
            "parallelism": "parallelism", "seconds": "seconds", "speedup": "speedup"}
    return {
        "advisor_cuts": [{"id": number, "best": number in advice["best"],
                          **{f"tiles_{axis}": row["tiles"][i] for i, axis in enumerate("xyz")}, **take(row, same)}
                         for number, row in enumerate(cuts)],
        "advisor_supersteps": [{"cut": number, "superstep": step, "crossing_bytes": size}
                               for number, row in enumerate(cuts) for step, size in enumerate(row["supersteps"])],
        "advisor_inside": [{"cut": number, **inside} for number, row in enumerate(cuts) for inside in row["inside"]],
        "advisor_atomics": advice["atomics"] if advice else [],
    }

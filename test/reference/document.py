"""The document that `cupranalyze comm --json` prints, from the sums of definitions.py.

Texts without numbers, and the sources, are left out.
"""
import collections
import math
import re

from banks import total
from definitions import HOST
from findings import findings

COUNTS = ("loads", "stores", "atomics", "loadBytes", "storeBytes", "atomicBytes")
LAUNCH_VOLUMES = ("uniqueReadBytes", "uniqueWrittenBytes", "readFromLaunchesBytes", "readFromHostBytes",
                  "readByLaunchesBytes", "readByHostBytes", "readHandedOnBytes", "handedOnBytes", "readByThreadsBytes",
                  "readPossiblyOverwrittenBytes", "copiedBytes")
MOST_STRIDES = 64
MOST_SIZES = 4096
MOST_CELLS = 1 << 18
COARSEST = 64


def ratio(part, whole):
    return part / whole if whole else 0


def chosen(names, counter):
    return {name: counter[name] for name in names}


def spread(numbers):
    if not numbers:
        return {"ctas": 0, "mean": 0, "deviation": 0}
    mean = sum(numbers) / len(numbers)
    return {"ctas": len(numbers), "mean": mean,
            "deviation": math.sqrt(sum((number - mean) ** 2 for number in numbers) / len(numbers))}


def largest_strides(strides):
    ordered = sorted(((stride, size) for stride, size in strides.items() if stride is not None), key=lambda s: (-s[1], s[0]))
    rows = [{"stride": stride, "bytes": size} for stride, size in ordered[:MOST_STRIDES]]
    others = sum(size for _, size in ordered[MOST_STRIDES:])
    return rows + ([{"stride": None, "bytes": others}] if others else [])


def caller_name(call):
    """The function that a call stands in; of calls that nobody can name, what they are."""
    if call["kind"] == "recursive":
        return f"[recursion]{re.sub('<.*>', '', call['function'].split('(')[0]).split(' ')[-1]}"
    return f"[{call['kind']}]" if call["kind"] in ("indirect", "merged") else call["function"]


def call_place(call):
    if call["kind"] in ("indirect", "merged"):
        return ""
    return f"{call['file']}:{call['line']}" + (f":{call['column']}" if call["kind"] != "recursive" else "")


class Document:
    """Each method makes a member."""

    def __init__(self, analysis):
        self.a = analysis
        self.kernel_names = list(dict.fromkeys(row["kernel"] for row in analysis.launches.values()))
        # What one CTA read, in order, of what another wrote.
        self.transfers = {ends[2:]: transfer for ends, transfer in analysis.transfers.items()
                          if ends[:2] == ("RAW", "ordered")}
        self.between_launches = {ends: transfer["bytes"] for ends, transfer in self.transfers.items()
                                 if HOST not in (ends[0][0], ends[1][0]) and transfer["bytes"]}
        self.partners = {"in": collections.defaultdict(set), "out": collections.defaultdict(set)}
        for first, second in self.between_launches:
            self.partners["in"][second].add(first)
            self.partners["out"][first].add(second)
        self.unseen = sum(analysis.launches[analysis.launch_of_act[act]]["phase"] == 0 for act in analysis.unseen())

    def make(self):
        names = ("shown", "notes", "volume", "communicated", "otherMemory", "kernels", "launches", "supersteps", "distances",
                 "transferSizes", "degrees", "bisection", "strides", "ctaStrides", "kernelMatrix", "pairs", "transferList",
                 "density", "dependences", "allocations", "lines", "accesses", "bankAccesses", "bankKernels", "findings")
        document = {{"transferList": "transfers"}.get(name, name): getattr(self, name)() for name in names}
        document |= {name: [] for name in ("latencyKernels", "latencyAccesses", "latencyLines", "latencyClasses", "latencyExcerpts")}  # nothing is timed
        document["incompleteLaunches"] = self.unseen
        return document

    def total(self, name):
        return sum(volume[name] for volume in self.a.of_launch.values())

    def shown(self):
        calls = len({row["number"] for row in self.a.launches.values()})
        return {"what": None, "launches": calls, "of": calls}

    def notes(self):
        totals, notes, communicated = self.a.totals, [], self.communicated()
        phases = [row["phase"] for row in self.a.launches.values() if row["apart"]]
        if phases:
            notes.append(f"Launches taken apart at the barriers of their grids: {phases.count(0)}. Their {len(phases)} "
                         "phases count as launches, one behind the other.")
        if self.unseen:
            notes.append(f"{self.unseen} launches are not traced or incomplete: what they wrote and read is not in "
                         "these figures.")
        doubts = [communicated[name] for name in ("possiblyOverwrittenBytes", "fromHostPossiblyOverwrittenBytes",
                                                   "toHostPossiblyOverwrittenBytes")]
        if any(doubts):
            notes.append(f"{doubts[0]} communicated bytes, {doubts[1]} from the host and {doubts[2]} to it were "
                         "possibly overwritten, by launches of which not all was seen or by the host without a call: all "
                         "figures of communication may be too high by as much, and name the wrong writer.")
        if communicated["ofLastProducerBytes"]:
            notes.append(f"{communicated['ofLastProducerBytes']} bytes have so many producers that the last writer "
                         "stands for all of them in transfers between CTAs.")
        if totals["concurrentBytes"]:
            notes.append(f"{totals['concurrentBytes']} bytes were read by launches that nothing orders after their "
                         "writers; they do not count as communication.")
        if not totals["communicatedBytes"]:
            notes.append("No launch read what an earlier one wrote.")
        return notes

    def volume(self):
        return {**chosen(COUNTS, self.a.totals), "uniqueReadBytes": self.total("uniqueReadBytes"),
                "uniqueWrittenBytes": self.total("uniqueWrittenBytes"), "copiedBytes": self.total("copiedBytes"),
                "hostWrittenBytes": self.a.totals["hostWrittenBytes"]}

    def communicated(self):
        totals = self.a.totals
        written = self.total("uniqueWrittenBytes") + self.total("copiedBytes")
        return {"bytes": totals["communicatedBytes"],
                "share": ratio(totals["communicatedBytes"], written),
                **chosen(("sameIndexBytes", "otherIndexBytes", "fromHostBytes", "concurrentBytes",
                          "toHostPossiblyOverwrittenBytes", "ofLastProducerBytes"), totals),
                "toHostBytes": self.total("readByHostBytes"), "handedOnBytes": self.total("handedOnBytes"),
                "handedOnShare": ratio(self.total("handedOnBytes"), written),
                "possiblyOverwrittenBytes": totals["communicatedBytes"] - self.total("surely"),
                "fromHostPossiblyOverwrittenBytes": totals["fromHostBytes"] - totals["fromHostSurely"]}

    def otherMemory(self):
        return [{"space": space, **chosen(COUNTS, self.a.other_memory[space])}
                for space in ("shared", "constant", "local") if self.a.other_memory[space]["loads"]
                or self.a.other_memory[space]["stores"] or self.a.other_memory[space]["atomics"]]

    def kernels(self):
        rows = []
        for kernel in self.kernel_names:
            launches = [launch for launch, row in self.a.launches.items() if row["kernel"] == kernel]
            rows.append({"name": kernel, "launches": sum(self.a.launches[launch]["phase"] == 0 for launch in launches),
                         "time": sum(self.device_time(launch) or 0 for launch in launches),
                         **self.launch_volume(launches)})
        return rows

    def launch_volume(self, launches):
        def total(name):
            return sum(self.a.of_launch[launch][name] for launch in launches)
        return {**{name: total(name) for name in COUNTS + LAUNCH_VOLUMES},
                "possiblyOverwrittenBytes": total("readByLaunchesBytes") - total("surely")}

    def device_time(self, launch):
        return self.a.ends[launch]["deviceTime"] if launch in self.a.ends else None

    def launches(self):
        rows, streams = [], collections.Counter()
        for launch, row in self.a.launches.items():
            streams[row["stream"]] += 1
            end = self.a.ends.get(launch)
            rows.append({"id": launch, "number": row["number"], "phase": row["phase"], "kernel": row["kernel"], "grid": [row["gridX"], row["gridY"], row["gridZ"]],
                         "block": [row["blockX"], row["blockY"], row["blockZ"]], "stream": row["stream"],
                         "device": row["device"], "superstep": self.a.supersteps[launch],
                         "streamSuperstep": streams[row["stream"]] - 1, "traced": row["traced"],
                         "complete": bool(end and end["complete"]), "time": row["time"],
                         "endTime": end["time"] if end else None, "deviceTime": self.device_time(launch),
                         **self.launch_volume([launch])})
        return rows

    def supersteps(self):
        rows = []
        for step in range(max(self.a.supersteps.values(), default=-1) + 1):
            launches = [launch for launch, at in self.a.supersteps.items() if at == step]
            volume = self.launch_volume(launches)
            rows.append({"launches": launches, "loadBytes": volume["readFromLaunchesBytes"],
                         "storeBytes": volume["readByLaunchesBytes"],
                         "handedOnLoadBytes": volume["readHandedOnBytes"],
                         "handedOnStoreBytes": volume["handedOnBytes"],
                         **chosen(("readByThreadsBytes", "readPossiblyOverwrittenBytes"), volume),
                         "transferBytes": sum(size for ends, size in self.between_launches.items()
                                              if ends[1][0] in launches)})
            for name, partners in self.partners.items():
                rows[-1][name + "Degree"] = spread([len(others) for cta, others in partners.items()
                                                    if cta[0] in launches])
        return rows

    def pair_between_launches(self):
        for row in self.pairs():
            if HOST not in (row["source"], row["destination"]):
                yield row

    def distances(self):
        distances = collections.defaultdict(collections.Counter)
        for row in self.pair_between_launches():
            at = self.a.supersteps[row["destination"]] - self.a.supersteps[row["source"]] - 1
            for name in ("bytes", "operations"):
                distances[at][name] += row[name]
        return [{"distance": at, **row} for at, row in distances.items()]

    def transferSizes(self):
        sizes = collections.Counter(self.between_launches.values())
        exact = len(sizes) <= MOST_SIZES
        if not exact:  # of each power of two, 64 classes; the largest size stands for its class
            classes = collections.Counter()
            for size, transfers in sizes.items():
                shift = max(0, size.bit_length() - 7)
                classes[((size >> shift) + 1 << shift) - 1] += transfers
            sizes = classes
        return {"transfers": len(self.between_launches), "bytes": sum(self.between_launches.values()), "exact": exact,
                "sizes": [{"bytes": size, "transfers": transfers} for size, transfers in sizes.items()]}

    def degrees(self):
        result = {}
        for name, ctas in self.partners.items():
            numbers = {name: collections.Counter(len(others) for others in ctas.values()),
                       "other" + name.capitalize(): collections.Counter(
                           sum(other[1] != cta[1] for other in others) for cta, others in ctas.items()),
                       "handedOn" + name.capitalize(): collections.Counter(
                           sum(other[1] != cta[1] or self.kernel(other) != self.kernel(cta) for other in others)
                           for cta, others in ctas.items())}
            for key, counter in numbers.items():
                result[key] = [{"partners": number, "ctas": count} for number, count in counter.items() if number]
        return result

    def kernel(self, cta):
        return self.a.launches[cta[0]]["kernel"]

    def grid(self, launch):
        row = self.a.launches[launch]
        return row["gridX"], row["gridY"], row["gridZ"]

    def coordinates(self, launch, cta):
        x, y, _ = self.grid(launch)
        return cta % x, cta // x % y, cta // (x * y)

    def bisection(self):
        result, all_bytes = {}, sum(self.between_launches.values())
        for dimension, name in enumerate("xyz"):
            result[name] = None
            if any(self.grid(launch)[dimension] > 1 for launch in self.a.launches):
                def half(cta):
                    size = self.grid(cta[0])[dimension]
                    return size > 1 and self.coordinates(*cta)[dimension] >= -(-size // 2)
                size = sum(size for (first, second), size in self.between_launches.items()
                           if half(first) != half(second))
                result[name] = {"bytes": size, "relative": ratio(size, all_bytes)}
        return result

    def strides(self):
        return {name: largest_strides(strides) for name, strides in self.a.strides.items()}

    def ctaStrides(self):
        rows = [{"launch": launch, "cta": cta, **{name: largest_strides(sums) for name, sums in strides.items()}}
                for (launch, cta), strides in self.a.cta_strides.items()]
        return [row for row in rows if any(row[name] for name in self.a.strides)]

    def kernelMatrix(self):
        pairs = self.pairs()
        names = (["host"] if any(HOST in (row["source"], row["destination"]) for row in pairs) else []) + self.kernel_names
        cells = {}
        for row in pairs:
            key = tuple(names.index("host" if end == HOST else self.a.launches[end]["kernel"])
                        for end in (row["source"], row["destination"]))
            cell = cells.setdefault(key, {"bytes": 0, "operations": 0, "supersteps": collections.Counter()})
            for name in ("bytes", "operations"):
                cell[name] += row[name]
            if row["destination"] != HOST:
                cell["supersteps"][self.a.supersteps[row["destination"]]] += row["bytes"]
        return {"names": names, "cells": [{"source": key[0], "destination": key[1], **cell,
                                           "supersteps": sorted(map(list, cell["supersteps"].items()))}
                                          for key, cell in cells.items()]}

    def pairs(self):
        rows = collections.defaultdict(collections.Counter)
        for ends, pair in self.a.pairs.items():
            rows[ends].update(pair)
        for (first, second), transfer in self.transfers.items():
            rows[first[0], second[0]]["operations"] += transfer["operations"]
            rows[first[0], second[0]]["ctaPairs"] += 1
        return [{"source": source, "destination": destination,
                 **chosen(("bytes", "sameIndexBytes", "otherIndexBytes", "operations", "ctaPairs",
                          "possiblyOverwrittenBytes"), row)}
                for (source, destination), row in rows.items()]

    def transferList(self):
        return [{"source": first[0], "sourceCta": first[1], "destination": second[0], "destinationCta": second[1],
                 "bytes": transfer["bytes"], "operations": transfer["operations"]}
                for (first, second), transfer in self.transfers.items()]

    def density(self):
        maps, ctas = collections.defaultdict(dict), 0
        for (kind, order, first, second), transfer in self.a.transfers.items():
            if HOST not in (first[0], second[0]) and transfer["bytes"]:
                cell = maps[kind, order].setdefault((first[1], second[1]), [0, 0])
                cell[0] += transfer["bytes"]
                cell[1] += 1
                ctas = max(ctas, first[1] + 1, second[1] + 1)
        rows = []
        for (kind, order), cells in maps.items():
            levels, size = [], 1
            while True:
                if len(cells) <= MOST_CELLS:
                    at = sorted(cells)
                    levels.append({"ctasPerCell": size, "cells": -(-ctas // size), "source": [c[0] for c in at],
                                   "destination": [c[1] for c in at], "bytes": [cells[c][0] for c in at],
                                   "transfers": [cells[c][1] for c in at]})
                    if levels[-1]["cells"] <= COARSEST:
                        break
                size *= 2
                joined = {}
                for (source, destination), values in cells.items():
                    cell = joined.setdefault((source // 2, destination // 2), [0, 0])
                    cell[0] += values[0]
                    cell[1] += values[1]
                cells = joined
            rows.append({"kind": kind, "order": order, "levels": levels})
        return {"ctas": ctas, "maps": rows}

    def dependences(self):
        def place(end):
            return dict(zip(("kernel", "file", "line", "column", "operation"), end))
        return [{"kind": key[0], "order": key[1], "guaranteed": key[1] == "ordered", "directed": key[1] == "ordered",
                 "first": place(key[2]), "second": place(key[3]),
                 **chosen(("bytes", "sameIndexBytes", "otherIndexBytes"), row)}
                for key, row in self.a.dependences.items() if row["bytes"]]

    def allocations(self):
        names = COUNTS + ("uniqueReadBytes", "uniqueWrittenBytes", "copiedBytes", "communicatedBytes")
        rows = [{"ordinal": row["id"], "name": row["name"], "call": row["call"], "kind": row["kind"],
                 "address": hex(row["address"]), "bytes": row["bytes"], "freed": row["freedOrder"] is not None,
                 **chosen(("elementType", "file", "line", "column"), row), **chosen(names, self.a.of_allocation[row["id"]])} for row in self.a.allocations.all]
        unknown = self.a.of_allocation[None]
        if unknown["loads"] + unknown["stores"] + unknown["atomics"]:
            rows.append({"ordinal": None, "name": "", "call": "", "kind": "unknown", "address": "0x0", "bytes": 0,
                         "freed": False, "elementType": "", "file": "", "line": 0, "column": 0, **chosen(names, unknown)})
        return rows

    def lines(self):
        lines = {}
        for (file, line, _, _), access in self.a.accesses.items():
            sums, strides, functions = lines.setdefault((file, line), (collections.Counter(), collections.Counter(),
                                                                        set()))
            sums.update(access.sums)
            strides.update(access.strides)
            functions |= access.functions
        return [{"file": file, "line": line, "functions": sorted(functions),
                 **chosen(COUNTS + ("requests", "sectors", "leastSectors", "communicatedBytes",
                                    "readCommunicatedBytes"), sums),
                 "sectorsPerRequest": ratio(sums["sectors"], sums["requests"]),
                 "excessSectors": sums["sectors"] - sums["leastSectors"], "strides": largest_strides(strides)}
                for (file, line), (sums, strides, functions) in lines.items()]

    def accesses(self):
        rows = {}
        for (kernel, _), part in self.a.patterns.parts.items():
            if part.requests[0].site["space"] != "global":
                continue
            place = self.access_place(kernel, part.requests[0].site)
            _, sums = rows.setdefault(repr(place), (place, collections.Counter()))
            sums.update(accesses=sum(len(request.lanes) for request in part.requests), requests=part.sum("requests"),
                        sectors=part.sum("sectors"), leastSectors=part.sum("least"))
        return [{**place, **sums} for place, sums in rows.values()]

    def access_place(self, kernel, site):
        calls, frame = [], site["frame"]
        while frame is not None:
            calls.append(self.a.frames[frame])
            frame = calls[-1]["parent"]
        return {"kernel": self.a.launches[kernel]["kernel"],
                **chosen(("file", "line", "column", "operation", "function"), site),
                "callers": [caller_name(call) for call in calls],
                "callSites": [call_place(call) for call in calls],
                "bytes": site["bytes"] or 0}

    def bankAccesses(self):
        rows = {}
        for (kernel, _), part in self.a.banks.parts.items():
            place = self.access_place(kernel, part.site)
            rows.setdefault(repr(place), (place, kernel, []))[2].append(part)
        return [{**place, **total(parts), "variables": self.a.banks.names(kernel, parts)}
                for place, kernel, parts in rows.values()]

    def bankKernels(self):
        rows = collections.defaultdict(list)
        for (kernel, _), part in self.a.banks.parts.items():
            rows[kernel].append(part)
        return [{"kernel": self.a.launches[kernel]["kernel"], **total(parts), "variables": self.a.banks.names(kernel, parts)}
                for kernel, parts in rows.items()]

    def findings(self):
        return findings(self.a, self.unseen)


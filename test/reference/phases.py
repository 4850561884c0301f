"""Launches taken apart at the barriers of their grids: docs/analysis.md, "comm"."""
import collections

from records import operation_class


def taken_apart(rows):
    """The rows, with a launch of its own for each phase; every launch has its number and its phase."""
    rows = list(rows)
    sites = {row["id"]: row for row in rows if row["type"] == "site"}
    records = collections.defaultdict(list)
    for row in rows:
        if row["type"] == "record":
            records[row["launch"]].append(row)
    ends = {row["launch"]: row for row in rows if row["type"] == "launchEnd"}
    spare = max((row["id"] for row in rows if row["type"] == "launch"), default=0)
    for row in rows:
        if row["type"] == "launch":
            parts = phases_of(row, records[row["id"]], ends.get(row["id"]), sites)
            began = 0
            for phase, part in enumerate(parts):
                spare += phase != 0
                number = spare if phase else row["id"]
                yield {**row, "id": number, "number": row["id"], "phase": phase, "apart": len(parts) > 1}
                yield from ({**record, "launch": number} for record in part)
                if row["id"] in ends:
                    end = ends[row["id"]]
                    yield {**end, "launch": number,
                           "deviceTime": part_of_time(end["deviceTime"], began, began + len(part),
                                                      len(records[row["id"]]))}
                    began += len(part)
        elif row["type"] not in ("record", "launchEnd"):
            yield row


def part_of_time(time, first, last, records):
    if time is None or first == 0 and last == records:
        return time
    return time * last // records - time * first // records


def phases_of(launch, records, end, sites):
    """Its records, by phase."""
    arrivals, phases = collections.Counter(), collections.defaultdict(list)
    for row in records:
        cta = tuple(row[name] for name in ("ctaX", "ctaY", "ctaZ"))
        arrivals[cta] += 0
        site = sites[row["site"]]
        waits = site["gridBarrier"] and operation_class(site) == "load"
        phases[max(arrivals[cta] - waits, 0)].append(row)
        arrivals[cta] += site["gridBarrier"] and not waits
    if not end or not end["complete"] or len(set(arrivals.values())) != 1:
        return [records]
    return [phases[number] for number in range(max(phases) + 1)]

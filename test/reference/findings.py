"""The rules of docs/analysis.md, "findings", on the sums of definitions.py."""
import collections

from host_advice import HostAdvice
from patterns import HOST_BANDWIDTH, MEMORY_BANDWIDTH, SEVERITIES

# Traces that are compared have no timed launches: test/unit/analysis/lost_cycles_test.cpp has.
NOT_TIMED = dict.fromkeys(("lostCycles", "lostCyclesError", "lostCyclesShare"))


def findings(analysis, unseen):
    """In their order; texts are left out."""
    found = []

    advice = HostAdvice(analysis)

    def add(rule, kernel, amount, unit, of, place=("", 0, 0, ""), seconds=0, path="", measured=False):
        found.append({"id": rule, "kernel": kernel, "file": place[0], "line": place[1], "column": place[2],
                      "operation": place[3], "amount": amount, "unit": unit, "share": amount / of if of else 0,
                      "severity": SEVERITIES.get(rule, "cost"), "seconds": seconds, "measured": measured, "path": path, **NOT_TIMED})

    accessed = sum(analysis.totals[name] for name in ("loadBytes", "storeBytes", "atomicBytes"))
    analysis.patterns.findings(add, analysis.allocations)
    analysis.banks.findings(analysis.launches, add)
    never_read(analysis, add)
    dead_stores(analysis, add)
    loaded_again(analysis, add)
    copies(analysis, advice, add)
    advice.findings(add)
    for (kind, order, first, second), row in analysis.dependences.items():
        for_others = all(place[4].startswith("atomic") or analysis.is_volatile(place) for place in (first, second))
        if order == "ordered" or second[0] == "host" or for_others:
            continue
        inside = order == "insideLaunch"
        add("shared-inside-launch" if inside else "shared-without-order", second[0], row["bytes"], "bytes", accessed,
            (*second[1:4], "atomic" if second[4].startswith("atomic") else second[4]))
    if unseen:
        add("unseen-launches", "", unseen, "launches",
            sum(launch["phase"] == 0 for launch in analysis.launches.values()))
    severities = ("correctness", "cost", "coverage")
    return sorted(found, key=lambda f: (severities.index(f["severity"]), -f["seconds"], -f["share"], f["id"], f["file"], f["line"], f["column"], f["operation"],
                                        f["kernel"], -f["amount"], f["path"]))


def never_read(analysis, add):
    unseen = list(analysis.unseen())
    acts, amounts = analysis.act_of_launch, collections.Counter()
    for launch, volume in analysis.of_launch.items():
        may_be_read = volume["mayBeRead"] or any(
            act != acts[launch] and act not in analysis.before[acts[launch]] for act in unseen)
        if not (volume["readByLaunchesBytes"] or volume["readByHostBytes"] or may_be_read):
            amounts[analysis.launches[launch]["kernel"]] += volume["uniqueWrittenBytes"]
    for (kernel, _), dead in analysis.dead.items():
        amounts[kernel] = max(0, amounts[kernel] - dead)
    for kernel, amount in amounts.items():
        if amount:
            add("never-read", kernel, amount, "bytes", sum(volume["uniqueWrittenBytes"] for volume in analysis.of_launch.values()),
                seconds=amount / MEMORY_BANDWIDTH)


def dead_stores(analysis, add):
    written = sum(volume["uniqueWrittenBytes"] for volume in analysis.of_launch.values())
    by_access = collections.defaultdict(collections.Counter)
    for (kernel, access), amount in analysis.dead.items():
        by_access[access][kernel] += amount
    for access, kernels in by_access.items():
        amount, sums = sum(kernels.values()), analysis.accesses[access].sums
        if 2 * amount >= sums["storeBytes"] + sums["atomicBytes"] and 100 * amount >= written:
            names = [row["kernel"] for row in analysis.launches.values()]
            most = max(kernels, key=lambda kernel: (kernels[kernel], -names.index(kernel)))
            is_repeated = 2 * analysis.dead_of_repeats[access] > amount
            add("dead-store", most, amount, "bytes", written, access, 0 if is_repeated else amount / MEMORY_BANDWIDTH)


def loaded_again(analysis, add):
    again, read, written, dead, dependent = (collections.Counter() for _ in range(5))
    kernel_of = {number: launch["kernel"] for number, launch in analysis.launches.items()}
    for (first, second), amount in analysis.loaded_again.items():
        again[first[0], second[0]] += amount
    for launch, volume in analysis.of_launch.items():
        read[kernel_of[launch]] += volume["uniqueReadBytes"]
        written[kernel_of[launch]] += volume["uniqueWrittenBytes"]
    for (kernel, _), amount in analysis.dead.items():
        dead[kernel] += amount
    for (_, order, first, second), row in analysis.dependences.items():
        if order == "ordered":
            dependent[first[0], second[0]] += row["otherIndexBytes"]
    of_first, of_second, afresh = (collections.Counter() for _ in range(3))
    order = sorted(analysis.turns, key=analysis.turns.get)
    for before, launch in zip(order, order[1:]):
        kernels = kernel_of[before], kernel_of[launch]
        of_first[kernels] += analysis.of_launch[before]["uniqueWrittenBytes"]
        of_second[kernels] += analysis.of_launch[launch]["uniqueWrittenBytes"]
        afresh[kernels] += analysis.written_afresh[launch]
    def are_variants(*kernels):
        return afresh[kernels] and 2 * afresh[kernels] >= min(of_first[kernels], of_second[kernels])

    seconds = collections.Counter()
    for (first, second), amount in analysis.loaded_again.items():
        kernels = first[0], second[0]
        is_in_vain = dead[kernels[0]] and 2 * dead[kernels[0]] >= written[kernels[0]]
        if 2 * again[kernels] >= read[kernels[1]] and not dependent[kernels] and not is_in_vain and not are_variants(*kernels) and not are_variants(*kernels[::-1]):
            seconds[second] += amount
    both = sum(read.values()) + sum(written.values())
    for (kernel, access), amount in seconds.items():
        if 20 * amount >= sum(read.values()) and 100 * amount >= both:
            add("loaded-again", kernel, amount, "bytes", sum(read.values()), access, amount / MEMORY_BANDWIDTH)


def copies(analysis, advice, add):
    unseen = list(analysis.unseen())
    sums, moved = {}, 0
    for act, row, allocation in analysis.copies:
        size = row["rowBytes"] * row["rows"]
        moved += size
        if not allocation or allocation["call"] == "__constant__" or allocation["kind"] not in ("device", "pitched", "pool", "symbol") or any(
                other != act and other not in analysis.before[act] for other in unseen):
            continue
        sum_, unread_by, unchanged_by, again_by = sums.setdefault(id(allocation), tuple(collections.Counter() for _ in range(4)))
        site = advice.site(row["order"])
        if row["kind"] == "host to device":
            sum_["written"] += size
            sum_["read"] += analysis.read_of_copy[act]
            unread_by[site] += max(0, size - analysis.read_of_copy[act])
            sum_["unchanged"] += analysis.unchanged[act]
            unchanged_by[site] += analysis.unchanged[act]
        else:
            sum_["again"] += analysis.fetched_again[act]
            again_by[site] += analysis.fetched_again[act]

    def by(calls):
        path, file, line = min(calls, key=lambda site: (-calls[site], site))
        return {"place": (file, line, 0, ""), "path": path}

    for sum_, unread_by, unchanged_by, again_by in sums.values():
        unread = max(0, sum_["written"] - sum_["read"])
        if unread and 2 * unread >= sum_["written"]:
            add("copied-unread", "", unread, "bytes", moved, seconds=unread / HOST_BANDWIDTH, **by(unread_by))
        if sum_["unchanged"]:
            add("copied-unchanged", "", sum_["unchanged"], "bytes", moved, seconds=sum_["unchanged"] / HOST_BANDWIDTH, **by(unchanged_by))
        if sum_["again"]:
            add("copied-again", "", sum_["again"], "bytes", moved, seconds=sum_["again"] / HOST_BANDWIDTH, **by(again_by))

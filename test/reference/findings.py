"""The rules of docs/analysis.md, "findings", on the sums of definitions.py."""
import collections


def findings(analysis, unseen):
    """Dearest first; advice is left out."""
    found = []

    def add(rule, title, kernel, amount, unit, of, place=("", 0, 0, "")):
        found.append({"id": rule, "title": title, "kernel": kernel, "file": place[0], "line": place[1],
                      "column": place[2], "operation": place[3], "amount": amount, "unit": unit,
                      "share": amount / of if of else 0})

    sectors = sum(access.sums["sectors"] for access in analysis.accesses.values())
    threads = sum(analysis.totals[name] for name in ("loads", "stores", "atomics"))
    accessed = sum(analysis.totals[name] for name in ("loadBytes", "storeBytes", "atomicBytes"))
    for place, access in analysis.accesses.items():
        sums, kernel = access.sums, min(access.functions)
        excess = sums["sectors"] - sums["leastSectors"]
        if sums["sectors"] and 10 * excess >= sums["sectors"]:
            add("excess-sectors", "%.1f sectors per request, where %.1f would hold the data"
                % (sums["sectors"] / sums["requests"], sums["leastSectors"] / sums["requests"]),
                kernel, excess, "sectors", sectors, place)
        shared = sums["sharedAtomics"]
        if sums["atomics"] and 2 * shared >= sums["atomics"]:
            add("atomics-on-one-address", "%.0f %% of the atomics could be spared: another thread of their warp has "
                "the same address" % (100 * shared / sums["atomics"]), kernel, shared, "accesses", threads, place)

    never_read(analysis, add)
    for (kind, order, first, second), row in analysis.dependences.items():
        atomics = all(place[4].startswith("atomic") for place in (first, second))
        if order == "ordered" or second[0] == "host" or atomics:
            continue
        inside = order == "insideLaunch"
        verb = "write" if kind == "WAW" else "read"
        add("shared-inside-launch" if inside else "shared-without-order",
            f"Blocks of one launch {verb} the same bytes, which another block writes" if inside
            else "Launches that nothing orders access the same bytes, and one of them writes",
            second[0], row["bytes"], "bytes", accessed,
            (*second[1:4], "atomic" if second[4].startswith("atomic") else second[4]))
    if unseen:
        add("unseen-launches", "Launches are not traced, or not completely", "", unseen, "launches",
            sum(launch["phase"] == 0 for launch in analysis.launches.values()))
    return sorted(found, key=lambda f: (-f["share"], f["id"], f["file"], f["line"], f["column"], f["operation"],
                                        f["kernel"], -f["amount"], f["title"]))


def never_read(analysis, add):
    unseen = list(analysis.unseen())
    acts, amounts = analysis.act_of_launch, collections.Counter()
    for launch, volume in analysis.of_launch.items():
        may_be_read = volume["mayBeRead"] or any(
            act != acts[launch] and act not in analysis.before[acts[launch]] for act in unseen)
        if not (volume["readByLaunchesBytes"] or volume["readByHostBytes"] or may_be_read):
            amounts[analysis.launches[launch]["kernel"]] += volume["uniqueWrittenBytes"]
    for kernel, amount in amounts.items():
        if amount:
            add("never-read", "Launches wrote data that neither a later launch nor a copy read", kernel, amount,
                "bytes", sum(volume["uniqueWrittenBytes"] for volume in analysis.of_launch.values()))

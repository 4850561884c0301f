"""Banks of shared memory, lane by lane and wavefront by wavefront: the rules of docs/analysis.md, "Banks"."""
import collections

from patterns import CACHE_BANDWIDTH
from records import operation_class, parts_of

BANKS = 32


def are_pairs(lanes, apart):
    return all(lanes[n] == lanes[n ^ apart] for n in lanes if n ^ apart in lanes)


def phases_of(lanes, size, kind, width):
    """The lanes that go together: a list for each phase."""
    count = max(1, size // width)
    if kind == "load" and width == 4 and count > 1 and (are_pairs(lanes, 1) or are_pairs(lanes, 2)):
        count //= 2
    phases = collections.defaultdict(list)
    for lane in sorted(lanes):
        phases[lane * count // 32].append(lane)
    return phases.values()


def wavefronts_of(wanted, together):
    """How many it takes until each of `wanted`, pairs of lane and word, had its turn. In each, a bank serves one word: all lanes that
    want it, if they go `together`, or one of them."""
    waiting, wavefronts = sorted(wanted), 0
    while waiting:
        served = {}
        for lane, word in waiting:
            served.setdefault(word % BANKS, (lane, word))
        waiting = [(lane, word) for lane, word in waiting if served[word % BANKS][1] != word or not (together or served[word % BANKS][0] == lane)]
        wavefronts += 1
    return wavefronts


def request_figures(lanes, size, operation, width=4):
    """Of one instruction: `lanes` says where each active lane's `size` bytes begin."""
    kind = operation if operation in ("load", "store") else "atomic"
    turns = 2 if operation == "atomic cas" else 1
    sums = collections.Counter(requests=1)
    for phase in phases_of(lanes, size, kind, width):
        wanted = {(lane, at // width) for lane in phase for at in range(lanes[lane], lanes[lane] + size)}
        taken = wavefronts_of(wanted, kind != "atomic")
        sums.update(wavefronts=taken * turns, wordWavefronts=wavefronts_of(wanted, True) * turns, idealWavefronts=turns)
        sums["worstConflict"] = max(sums["worstConflict"], taken)
    sums["conflictedRequests"] = sums["wavefronts"] > sums["idealWavefronts"]
    return sums


def access_figures(site, row):
    figures = []
    for offset, size in parts_of(site, row, row["addresses"]):
        if size is None and not row["bytes"] and 0 < site["bytes"] <= 16:
            size = site["bytes"]
        if size is not None:
            lanes = {lane: address + offset for lane, address in zip(row["lanes"], row["addresses"])}
            figures.append(request_figures(lanes, size, site["operation"]))
    return figures


FIGURES = ("requests", "wavefronts", "idealWavefronts", "excessWavefronts", "wordWavefronts", "conflictedRequests", "worstConflict")


class Part:
    """A site as one kernel reaches it."""

    def __init__(self, site):
        self.site, self.threads, self.figures = site, 0, collections.Counter()
        self.places = set()  # (bytes of dynamic shared memory, address)

    def add(self, row, dynamic):
        self.threads += len(row["lanes"])
        self.places.update((dynamic, address) for address in row["addresses"])
        for figures in access_figures(self.site, row):
            worst = max(self.figures["worstConflict"], figures["worstConflict"])
            self.figures.update(figures)
            self.figures["worstConflict"] = worst

    @property
    def waste(self):
        may_count = self.site["operation"] == "atomic add" and self.site["valueType"] == "i32"
        return self.figures["wordWavefronts" if may_count else "wavefronts"] - self.figures["idealWavefronts"]


def total(parts):
    """Of several parts, as a row has it."""
    sums = {name: sum(part.figures[name] for part in parts) for name in FIGURES}
    sums["worstConflict"] = max(part.figures["worstConflict"] for part in parts)
    sums["excessWavefronts"] = sums["wavefronts"] - sums["idealWavefronts"]
    return {"accesses": sum(part.threads for part in parts), **sums}


class Banks:
    def __init__(self):
        self.parts, self.kernels = {}, {}
        self.variables = collections.defaultdict(dict)  # kernel -> site -> (address, bytes, name)

    def kernel(self, row, launch):
        return self.kernels.setdefault(launch["kernel"], row["launch"])

    def record(self, row, site, launch):
        self.parts.setdefault((self.kernel(row, launch), row["site"]), Part(site)).add(row, launch["dynamicShared"])

    def variable(self, row, site, launch):
        self.variables[self.kernel(row, launch)][row["site"]] = (row["addresses"][0], site["bytes"], site["name"])

    def names(self, kernel, parts):
        """Of the variables that the parts access: what is behind an address begins last before it."""
        known = sorted((place, site, size, name) for site, (place, size, name) in self.variables[kernel].items())
        names = set()
        for dynamic, address in set().union(*(part.places for part in parts)):
            before = [variable for variable in known if variable[0] <= address]
            if before and address - before[-1][0] < (before[-1][2] or dynamic):
                names.add(before[-1][3])
        return sorted(names)

    def findings(self, launches, add):
        of_program = sum(part.figures["wavefronts"] for part in self.parts.values())
        accesses = collections.defaultdict(list)
        for key in sorted(self.parts):
            site = self.parts[key].site
            place = site["file"], site["line"], site["column"], operation_class(site)
            accesses[place, key[1] if site["line"] == 0 else None].append(key)
        for (place, _), keys in accesses.items():
            waste, its = (sum(values) for values in zip(*((self.parts[key].waste, self.parts[key].figures["wavefronts"]) for key in keys)))
            if waste and 10 * waste >= its and 1000 * waste >= of_program:
                most = max(keys, key=lambda key: (self.parts[key].waste, -keys.index(key)))
                add("bank-conflict", launches[most[0]]["kernel"], waste, "wavefronts", of_program, place, waste * 128 / CACHE_BANDWIDTH)

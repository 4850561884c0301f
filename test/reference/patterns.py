"""What requests look like, and the causes of waste: docs/analysis.md, "findings", record by record."""
import collections

from records import operation_class, parts_of, sizes_of

# Of an H100.
MEMORY_BANDWIDTH, ATOMICS_PER_SECOND, CACHE_BANDWIDTH, HOST_BANDWIDTH = 3.35e12, 1.7e9, 30e12, 50e9
SEVERITIES = {"shared-inside-launch": "correctness", "shared-without-order": "correctness", "unseen-launches": "coverage"}


def mostly(counter):
    """The value of more than half; 0 if there is none."""
    return next((value for value, times in counter.items() if 2 * times > sum(counter.values())), 0)


def in_planes(lanes, width, thread):
    """(stride, pitch) if lane n lies at stride * column + pitch * row; `width` threads are a row. No stride: no two lanes are of one."""
    column, row = (lambda n: (thread + n) % width), (lambda n: (thread + n) // width)
    order = sorted(lanes)
    first = order[0]
    pairs = [(a, b) for a, b in zip(order, order[1:]) if row(a) == row(b) and (lanes[b] - lanes[a]) % (b - a) == 0]
    if not pairs and not one_of_each_row(lanes, width, thread):
        return None
    a, b = pairs[0] if pairs else (None, None)
    stride, pitch = (lanes[b] - lanes[a]) // (b - a) if pairs else 0, None
    for n in order:
        rest = lanes[n] - lanes[first] - stride * (column(n) - column(first))
        if pitch is None and row(n) != row(first) and rest % (row(n) - row(first)) == 0:
            pitch = rest // (row(n) - row(first))
    if pitch is None and row(order[-1]) != row(first):
        return None
    pitch = pitch or 0
    fits = all(lanes[n] - lanes[first] == stride * (column(n) - column(first)) + pitch * (row(n) - row(first)) for n in order)
    return (stride if pairs else None, pitch) if fits else None


def one_of_each_row(lanes, width, thread):
    return width > 1 and len({(thread + n) // width for n in lanes}) == len(lanes)


def is_affine(lanes):
    order = sorted(lanes)
    steps = order[1] - order[0]
    stride = (lanes[order[1]] - lanes[order[0]]) // steps
    return -2**31 <= stride < 2**31 and all(lanes[n] - lanes[order[0]] == stride * (n - order[0]) for n in order)


class Request:
    """One access of a warp."""

    def __init__(self, row, site, launch):
        self.kernel, self.site, self.launch = launch["kernel"], site, row["launch"]
        self.block = (launch["blockX"], launch["blockY"], launch["blockZ"])
        self.cta = row["ctaX"] + launch["gridX"] * (row["ctaY"] + launch["gridY"] * row["ctaZ"])
        self.warp = row["warp"]
        self.lanes = dict(zip(row["lanes"], row["addresses"]))
        self.mask = tuple(row["lanes"])
        threads = list(zip(row["addresses"], sizes_of(site, row)))
        self.size = None if row["bytes"] else site["bytes"]
        self.blocks = launch["gridX"] * launch["gridY"] * launch["gridZ"]
        self.requests = self.sectors = self.least = 0
        if site["space"] == "local":
            self.find_words(site, row)
            self.affine, self.plane, self.pattern = False, None, ("scattered" if self.sectors > self.least else "packed", 0, 0)
            return
        for offset, size in parts_of(site, row, row["addresses"]):
            touched = {at for address, bytes_ in threads
                       for at in range(address + offset, address + (bytes_ if size is None else offset + size))}
            self.requests += 1
            self.sectors += len({at // 32 for at in touched})
            self.least += -(-len(touched) // 32)
        self.affine = len(self.lanes) > 1 and not row["bytes"] and is_affine(self.lanes)
        self.plane = self.find_plane()
        self.pattern = self.find_pattern(threads)

    def find_words(self, site, row):
        """Of local memory: word n of all threads of a warp is a row of 128 bytes."""
        for offset, size in parts_of(site, row, row["addresses"]):
            words = {(at // 4, lane // 8) for lane, address in self.lanes.items() for at in range(address + offset, address + offset + size)}
            self.requests += 1
            self.sectors += len(words)
            self.least += len({lane // 8 for lane in self.lanes}) * -(-size // 4)

    @property
    def threads(self):
        return len(self.lanes)

    @property
    def has_one_address(self):
        return self.size is not None and len(set(self.lanes.values())) == 1

    @property
    def address(self):
        return self.lanes[min(self.lanes)]

    def find_plane(self):
        if len(self.lanes) == 1 or self.size is None:
            return None
        width, thread = self.block[0], 32 * self.warp
        if self.affine and not one_of_each_row(self.lanes, width, thread):
            order = sorted(self.lanes)
            stride = (self.lanes[order[1]] - self.lanes[order[0]]) // (order[1] - order[0])
            return stride, 0 if thread // width == (thread + 31) // width else stride * width
        own = in_planes(self.lanes, width, thread)
        return own or next((p for p in (in_planes(self.lanes, w, thread) for w in (16, 8, 4)) if p and p[0] is not None), None)

    def find_pattern(self, threads):
        if self.sectors == self.least:
            return ("packed", 0, 0)
        if self.requests > 1:
            return ("structures", *(distance or 0 for distance in self.plane or (0, 0)))
        sharers = collections.Counter(threads)
        runs, end, last = 0, None, None
        for (address, size), times in sorted(sharers.items()):
            runs += (address, (size, times)) != (end, last)
            end, last = address + size, (size, times)
        if runs == 1:
            return ("shifted", 0, 0)
        if self.plane:
            if self.plane[0] is None or abs(self.plane[0]) > self.size:
                return ("strided", self.plane[0] or 0, self.plane[1])
            return ("rows", *self.plane) if self.plane[1] and not self.affine else ("sparse", 0, 0)
        if 4 * runs <= len(self.lanes):
            return ("pieces", 0, 0)
        arrays = {address - (self.size or 0) * lane for lane, address in self.lanes.items()}
        return ("sparse" if len(arrays) <= 2 else "scattered", 0, 0)


class Meeting:
    """Where requests of one site and launch come to: atomics, and those with one address."""

    MOST = 4096

    def __init__(self, blocks):
        self.threads, self.blocks, self.turns, self.grid = collections.Counter(), collections.defaultdict(set), collections.Counter(), blocks

    def add(self, request):
        for address in request.lanes.values():
            self.threads[address] += 1
            self.blocks[address].add(request.cta)
        for sector in {address // 32 for address in request.lanes.values()}:
            self.turns[sector] += 1

    @property
    def is_given_up(self):
        return len(self.threads) > self.MOST

    def sum(self):
        if self.is_given_up:
            return collections.Counter()
        of_sector = collections.defaultdict(set)
        for address, blocks in self.blocks.items():
            of_sector[address // 32] |= blocks
        beside = [address for address, blocks in self.blocks.items() if len(blocks) == 1 and len(of_sector[address // 32]) > 1]
        return collections.Counter(
            threads=sum(self.threads.values()), turns=sum(self.turns.values()), places=len(self.threads), busiest=max(self.turns.values()),
            of_blocks=sum(min(self.threads[address], self.grid if len(blocks) > 1 else 1) for address, blocks in self.blocks.items()),
            beside_places=len(beside), beside_threads=sum(self.threads[address] for address in beside))


class Part:
    """A site as one kernel reaches it."""

    def __init__(self):
        self.requests = []
        self.next, self.across, self.along, self.block, self.warp = (collections.Counter() for _ in range(5))
        self.last, self.firsts, self.meetings = {}, {}, {}

    def add(self, request):
        self.requests.append(request)
        if request.site["space"] == "global" and (operation_class(request.site) == "atomic" or request.has_one_address):
            self.meetings.setdefault(request.launch, Meeting(request.blocks)).add(request)
        warp = (request.launch, request.cta, request.warp)
        if warp in self.last:
            address, mask = self.last[warp]
            if mask == request.mask:
                self.next[request.address - address] += 1
        else:
            if request.plane:
                if request.plane[0] is not None:
                    self.across[request.plane[0]] += 1
                if request.plane[1]:
                    self.along[request.plane[1]] += 1
            if request.block[0] % 32 == 0:
                for apart, sign in ((-(request.block[0] // 32), 1), (request.block[0] // 32, -1)):
                    other = self.firsts.get((*warp[:2], request.warp + apart))
                    if other is not None:
                        self.along[sign * (request.address - other)] += 1
            for apart, sign in ((-1, 1), (1, -1)):
                for distances, other in ((self.block, self.firsts.get((request.launch, request.cta + apart, request.warp))),
                                         (self.warp, self.firsts.get((request.launch, request.cta, request.warp + apart)))):
                    if other is not None:
                        distances[sign * (request.address - other)] += 1
            self.firsts[warp] = request.address
        self.last[warp] = (request.address, request.mask)

    def sum(self, name):
        return sum(getattr(request, name) for request in self.requests)

    @property
    def met(self):
        return sum((meeting.sum() for meeting in self.meetings.values()), collections.Counter())

    @property
    def addresses(self):
        """That all launches meet at, together."""
        return set().union(*(meeting.threads for meeting in self.meetings.values() if not meeting.is_given_up))

    @property
    def distinct_bytes(self):
        return sum(len(set(request.lanes.values())) for request in self.requests) * self.size

    @property
    def waste(self):
        return self.sum("sectors") - self.sum("least")

    @property
    def size(self):
        return self.requests[0].site["bytes"]

    @property
    def first(self):
        return self.requests[0].address

    @property
    def reach(self):
        """By the first and last threads of requests."""
        ends = [request.lanes[lane] for request in self.requests for lane in (request.mask[0], request.mask[-1])]
        return min(ends), max(ends)


class Patterns:
    def __init__(self):
        self.parts = collections.defaultdict(Part)  # by kernel's first launch and site
        self.kernels, self.totals = {}, {}

    def record(self, row, site, launch):
        kernel = self.kernels.setdefault(launch["kernel"], row["launch"])
        self.parts[kernel, row["site"]].add(Request(row, site, launch))

    def findings(self, add, allocations):
        self.totals = {}
        accesses = collections.defaultdict(list)
        for key in sorted(self.parts):
            site = self.parts[key].requests[0].site
            place = site["file"], site["line"], site["column"], operation_class(site)
            accesses[place, key[1] if site["line"] == 0 else None].append(key)
        for (place, _), keys in accesses.items():
            space = self.parts[keys[0]].requests[0].site["space"]
            if space == "global" and not self.is_table_of_library(keys, allocations):
                self.judge(place, keys, add)
            elif space == "local":
                self.judge_local(place, keys, add)

    def is_table_of_library(self, keys, allocations):
        """It lies in the code, and no type is known."""
        parts = [self.parts[key] for key in keys]
        known = any(row["kind"] != "array" for row in allocations.all)
        return known and all(operation_class(part.requests[0].site) == "load" and not part.requests[0].site["sourceType"] and not allocations.was_ever_in_one(part.first)
                   for part in parts)

    def total(self, name, *spaces):
        if (name, spaces) not in self.totals:
            parts = [part for part in self.parts.values() if part.requests[0].site["space"] in spaces]
            self.totals[name, spaces] = sum(part.sum(name) for part in parts)
        return self.totals[name, spaces]

    def judge_local(self, place, keys, add):
        parts = [self.parts[key] for key in keys]
        mine, waste, sectors = sum(part.sum("sectors") for part in parts), sum(part.waste for part in parts), self.total("sectors", "global", "local")
        if mine and 10 * waste >= mine and 1000 * waste >= sectors:
            add("local-scatter", self.parts[self.largest(keys)].requests[0].kernel, waste, "sectors", sectors, place, waste * 32 / CACHE_BANDWIDTH)

    def largest(self, keys):
        return max(keys, key=lambda key: (self.parts[key].waste, self.parts[key].sum("requests"), -keys.index(key)))

    def judge(self, place, keys, add):
        parts = [self.parts[key] for key in keys]
        requests = [request for part in parts for request in part.requests]
        kernel = self.parts[self.largest(keys)].requests[0].kernel
        meeting = self.meeting(place, parts, requests)
        contended = meeting and meeting[0] == "contended-atomics"
        wasted = not contended and self.wasted(place, keys, requests, kernel, add)
        again = place[3] != "atomic" and self.repeated(place, parts, requests, kernel, add)
        if meeting and (not again or place[3] == "atomic"):
            rule, amount, unit, of, seconds = meeting
            add(rule, kernel, amount, unit, of, place, seconds)
        elif not wasted and not again and not meeting and place[3] != "atomic":
            self.small(place, parts, kernel, add)

    def wasted(self, place, keys, requests, kernel, add):
        mine, waste = sum(r.sectors for r in requests), sum(r.sectors - r.least for r in requests)
        sectors, most_key = self.total("sectors", "global"), self.largest(keys)
        if not mine or 10 * waste < mine or 1000 * waste < sectors:
            return False
        rule = self.cause(place, keys, most_key, requests)
        if rule:
            add(rule, kernel, waste, "sectors", sectors, place,
                waste * 32 / (CACHE_BANDWIDTH if self.is_cached(rule, keys, most_key, requests) else MEMORY_BANDWIDTH))
        return bool(rule)

    def repeated(self, place, parts, requests, kernel, add):
        again = sum(part.next[0] for part in parts)
        repeated, sectors = sum(int(part.sum("sectors") * (part.next[0] / len(part.requests))) for part in parts), self.total("sectors", "global")
        found = 2 * again >= len(requests) and 100 * repeated >= sectors
        if found:
            add(f"repeated-{place[3]}", kernel, repeated, "sectors", sectors, place, repeated * 32 / MEMORY_BANDWIDTH)
        return found

    def meeting(self, place, parts, requests):
        """(rule, amount, unit, of, seconds)"""
        met = sum((part.met for part in parts), collections.Counter())
        lanes, made = sum(len(r.lanes) for r in requests), self.total("requests", "global")
        threads = self.total("threads", "global")
        if place[3] == "load":
            of_one = sum(r.requests for r in requests if r.has_one_address and len(r.lanes) > 1)
            volatile = any(part.requests[0].site["isVolatile"] for part in parts)
            if (10 * of_one >= 9 * sum(r.requests for r in requests) and met["threads"] == lanes and lanes >= 24 * len(requests)
                    and met["turns"] >= 32 * met["places"] and self.is_constant(parts) and not volatile):
                spared, sectors = met["turns"] - met["places"], self.total("sectors", "global")
                seconds, others = spared * 128 / CACHE_BANDWIDTH, sectors - sum(r.sectors for r in requests)
                if 2 * seconds >= others * 32 / MEMORY_BANDWIDTH:
                    return "broadcast", spared, "sectors", sectors, seconds
            return None
        shared = sum(len(r.lanes) - len(set(r.lanes.values())) for r in requests)
        if place[3] == "atomic" and 2 * shared >= lanes:
            return "atomics-on-one-address", shared, "accesses", threads, shared / ATOMICS_PER_SECOND
        if 100 * met["turns"] < made:
            return None
        if met["beside_places"] and 2 * met["beside_threads"] >= lanes and met["beside_threads"] >= 8 * met["beside_places"]:
            return "false-sharing", met["beside_threads"] - met["beside_places"], "accesses", threads, met["busiest"] / ATOMICS_PER_SECOND
        spared = met["threads"] - met["of_blocks"]
        if place[3] == "atomic" and 2 * spared >= lanes:
            return "contended-atomics", spared, "accesses", threads, met["busiest"] / ATOMICS_PER_SECOND
        return None

    @staticmethod
    def is_constant(parts):
        """Constant memory has room for it, and it is not too much to be told apart."""
        addresses = set().union(*(part.addresses for part in parts))
        return len(addresses) <= 16384 and len(addresses) * parts[0].size <= 65536

    def small(self, place, parts, kernel, add):
        near = [part for part in parts if any(0 < abs(mostly(distances)) < 32 for distances in (part.warp, part.block))]
        sectors, least = sum(part.sum("sectors") for part in near), -(-sum(part.distinct_bytes for part in near) // 32)
        of = self.total("sectors", "global")
        if place[3] == "store" and 2 * least < sectors and 20 * (sectors - least) >= of:
            add("partial-sectors", kernel, sectors - least, "sectors", of, place, (sectors - least) * 32 / CACHE_BANDWIDTH)
            return
        narrow = [part for part in parts if part.size == 1 and abs(mostly(part.across)) == 1 and not self.is_few(part.requests)]
        made, least = sum(part.sum("requests") for part in narrow), -(-sum(part.distinct_bytes for part in narrow) // 128)
        of = self.total("requests", "global")
        if 2 * least < made and 10 * (made - least) >= of:
            add("narrow-elements", kernel, made - least, "requests", of, place, (made - least) * 128 / CACHE_BANDWIDTH)

    def cause(self, place, keys, most_key, requests):
        by_kind, by_pattern = collections.Counter(), collections.Counter()
        for request in requests:
            by_kind[request.pattern[0]] += request.sectors - request.least
            by_pattern[request.pattern] += request.sectors - request.least
        kinds = ("packed", "shifted", "sparse", "rows", "strided", "structures", "pieces", "scattered")
        kind = max(by_kind, key=lambda k: (by_kind[k], -kinds.index(k)))
        pattern = max((p for p in by_pattern if p[0] == kind), key=lambda p: (by_pattern[p], [-n for n in p[1:]]))
        most = self.parts[most_key]
        width = most.requests[0].block[0]
        if kind == "rows" and pattern[1] == 0:
            return None
        if kind in ("rows", "pieces") and width < 32 and width * most.size % 32:
            return "narrow-rows"
        if kind in ("shifted", "rows"):
            return self.misaligned(keys, most_key, requests)
        if kind == "pieces" and 2 * sum(r.sectors - r.least for r in requests) <= sum(r.sectors for r in requests):
            return None
        if kind == "strided":
            return self.strided(keys, most_key, pattern, self.is_few([r for r in requests if r.pattern == pattern]))
        if kind in ("pieces", "scattered"):
            step = abs(mostly(most.next))
            if 0 < step <= 32 and most.size and step % most.size == 0:
                return "thread-rows"
            return "gather" if place[3] == "load" else "scatter"
        return {"sparse": "inactive-threads", "structures": "structure-access"}[kind]

    def is_cached(self, rule, keys, most_key, requests):
        """Whether all bytes of the sectors are used by the same threads, one after the other."""
        if rule not in ("structure-stride", "thread-rows"):
            return rule == "structure-access"
        wasted = collections.Counter()
        for request in requests:
            if request.pattern[0] == "strided":
                wasted[request.pattern] += request.sectors - request.least
        if not wasted:
            return False
        stride = abs(max(wasted, key=lambda p: (wasted[p], [-n for n in p[1:]]))[1])
        if rule == "structure-stride":
            return sum(self.fields(self.beside(most_key), most_key, stride).values()) >= stride
        fields = self.unrolled(keys, most_key, stride)
        return len(fields) > 1 and sum(fields.values()) >= stride

    def fields(self, parts, most_key, stride):
        """By offset: how long they are."""
        fields = {}
        for part in parts:
            if abs(mostly(part.across)) == stride:
                offset = (part.first - self.parts[most_key].first) % stride
                fields[offset] = max(fields.get(offset, 0), part.size)
        return fields

    def unrolled(self, keys, most_key, stride):
        return self.fields([self.parts[key] for key in keys if key[0] == most_key[0]], most_key, stride)

    def beside(self, most_key):
        return [part for key, part in self.parts.items() if key[0] == most_key[0] and part.requests[0].site["space"] == "global"]

    def misaligned(self, keys, most_key, requests):
        return None if self.is_few(requests) or self.is_halo(most_key) or self.is_window(keys, most_key) else "misaligned"

    @staticmethod
    def is_few(requests):
        return sum(len(r.lanes) for r in requests) < 24 * len(requests)

    def is_halo(self, most_key):
        """Near one that is as it should be."""
        most = self.parts[most_key]
        return any(abs(part.first - most.first) <= 256 for part in self.good_beside(most_key))

    def is_halo_of_tile(self, most_key):
        return self.is_halo(most_key) or any(self.covers(part, self.parts[most_key]) for part in self.good_beside(most_key))

    def is_window(self, keys, most_key):
        """Shifted from turn to turn, of a loop or of one that was unrolled."""
        most, of_access = self.parts[most_key], [self.parts[key] for key in keys]
        shifts = 64 * sum(times for distance, times in most.next.items() if distance % 32) >= len(most.requests)
        return any(self.covers(part, most) and (shifts or any(part is other for other in of_access)) for part in self.good_beside(most_key))

    def good_beside(self, most_key):
        return [part for part in self.beside(most_key) if part is not self.parts[most_key] and 10 * part.waste < part.sum("sectors")]

    def covers(self, part, most):
        return not self.is_few(part.requests) and part.reach[0] - 256 <= most.reach[0] and most.reach[1] <= part.reach[1] + 256

    def strided(self, keys, most_key, pattern, is_few):
        most = self.parts[most_key]
        stride = abs(pattern[1])
        if stride == 0:
            return None if is_few and self.is_halo_of_tile(most_key) else "strided"
        unrolled = self.unrolled(keys, most_key, stride)
        offsets = sorted(unrolled)
        step = min(b - a for a, b in zip(offsets, [*offsets[1:], offsets[0] + stride])) if len(offsets) > 1 else abs(mostly(most.next))
        along, block = abs(pattern[2] or mostly(most.along)), abs(mostly(most.block))
        near = next((distance for distance in (along, block) if 0 < distance <= 32 and distance < stride), stride)
        if 0 < step < stride and step % most.size == 0 and step <= near:
            whole = len(unrolled) > 1 and sum(unrolled.values()) >= stride
            return "structure-stride" if whole and stride & (stride - 1) else "thread-rows"
        for way, distance in (("along", along), ("block", block)):
            if 0 < distance <= 32 and distance < stride:
                other_grain = any(
                    4 * part.sum("requests") >= most.sum("requests") and abs(mostly(part.across)) == part.size
                    and abs(mostly(getattr(part, way))) > part.size and abs(mostly(getattr(part, way))) >= min(stride, 33)
                    for part in self.beside(most_key))
                return "transposed" if other_grain else "swapped-axes"
        if is_few and self.is_halo_of_tile(most_key):
            return None
        return "structure-stride" if stride <= 512 else "strided"

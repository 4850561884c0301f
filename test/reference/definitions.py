"""The definitions of docs/analysis.md, byte by byte and in the order of the calls, from `cupranalyze export --format=json`.

Written from the document, for clearness alone: no shards, no runs, no clocks. `Analysis(rows)` goes through an export;
its members then hold sums under the names that `cupranalyze comm --json` uses.
"""
import collections

HOST = "host"
CLASSES = {"load": "load", "store": "store"}  # all else is an atomic


def operation_class(site):
    return CLASSES.get(site["operation"], "atomic")


class Ordering:
    """Which act happens before which: for each, the set of those that are done before it starts."""

    def __init__(self):
        self.calls = []  # (row, set of acts before it, id of the act or None)
        self.host = set()  # what the host has waited for
        self.events = {}

    @staticmethod
    def streams_meet(a, b):
        kinds = {a["streamKind"], b["streamKind"]}
        return (a["stream"] == b["stream"] or "unknown" in kinds
                or ("legacy" in kinds and "non-blocking" not in kinds))

    def awaited(self, row):
        """Earlier calls that the stream, or the graph, lets this one wait for."""
        graph = row.get("graph", 0)
        in_graph = [call for call in self.calls if graph and call[0].get("graph") == graph]
        if in_graph:
            known = {call[0]["node"] for call in in_graph}
            nodes = [int(node) for node in row["after"].split()] + [row["node"]]
            for call in in_graph:
                if call[0]["node"] in nodes or any(node not in known and node != row["node"] for node in nodes):
                    yield call
        for call in self.calls:
            if not (graph and call[0].get("graph") == graph) and self.streams_meet(call[0], row):
                yield call

    def add(self, row, act=None, host_waits="nothing"):
        before = set(self.host)
        for _, earlier, earlier_act in self.awaited(row):
            before |= earlier
            if earlier_act is not None:
                before.add(earlier_act)
        if host_waits != "nothing":
            self.host |= before
        if host_waits == "all":
            self.host.add(act)
        self.calls.append((row, before, act))
        return before

    def synchronise(self, row):
        kind = row["kind"]
        if kind == "device":
            for _, before, act in self.calls:
                self.host |= before | ({act} if act is not None else set())
        elif kind == "event":
            self.host |= self.events.get(row["event"], set())
        elif kind == "stream":
            self.host |= self.add(row)
        elif kind == "event record":
            self.events[row["event"]] = set(self.add(row))
        else:  # a stream waits for an event; what was never recorded is no wait
            before = self.add(row)
            before |= self.events.get(row["event"], set())


def host_waits(row, is_copy, memory_from, memory_to):
    """What a copy or set makes the host wait for; memory is "pageable", "pinned", "managed" or "device"."""
    if row["graph"]:
        return "nothing"
    if not is_copy:
        return "all" if not row["asynchronous"] and memory_to in ("pinned", "managed") else "nothing"
    from_host, to_host = memory_from in ("pageable", "pinned"), memory_to in ("pageable", "pinned")
    if from_host and to_host:
        return "all"
    if row["asynchronous"] or not (from_host or to_host):
        return "nothing"
    return "before" if memory_from == "pageable" else "all"


class Byte:
    """What one byte of memory holds, since the last write: who wrote it, who read it."""

    __slots__ = ("writer", "reader", "seen")

    def __init__(self, writer=None):
        self.writer = writer  # (act, launch or HOST, cta, site)
        self.reader = None  # likewise, of the last act that read it
        self.seen = set()  # kinds of readers


class Launch:
    """What a launch has done so far, by byte."""

    def __init__(self):
        self.reads = {}  # byte -> CTA -> lowest site, without reads of the CTA's own data
        self.read_back = set()
        self.writes = {}  # byte -> its last writer
        self.late = {}  # byte -> (writer, site, reader, site) of the first read behind another CTA's write, CTAs
        self.overwritten = set()


class Analysis:
    def __init__(self, rows):
        self.memory = collections.defaultdict(Byte)
        self.live = {}  # address -> allocation
        self.frees = []
        self.sites, self.launches, self.allocations = {}, {}, []
        self.ordering = Ordering()
        self.before = {}  # act -> acts
        self.acts = 0
        self.totals = collections.Counter()
        self.of_launch = collections.defaultdict(collections.Counter)
        self.pairs = collections.defaultdict(collections.Counter)
        self.transfers = collections.defaultdict(collections.Counter)  # (kind, order, first, second)
        self.dependences = collections.defaultdict(collections.Counter)
        self.of_allocation = collections.defaultdict(collections.Counter)
        self.of_line = collections.defaultdict(collections.Counter)
        self.line_strides = collections.defaultdict(collections.Counter)
        self.load_strides = collections.Counter()
        self.supersteps = {}
        self.launch_of_act = {}
        self.present = None
        for row in rows:
            self.take(row)

    # The calls, one after the other.

    def take(self, row):
        kind = row["type"]
        if kind == "site":
            self.sites[row["id"]] = row
        elif kind == "record":
            if self.sites[row["site"]]["space"] == "global":
                self.record(row)
        elif kind == "launchEnd":
            self.end_launch()
        elif kind in ("launch", "copy", "set", "allocation"):
            self.free_until(row["order"])
            getattr(self, kind)(row)
        elif kind == "synchronisation":
            self.ordering.synchronise(row)

    def free_until(self, order):
        for free in sorted(f for f in self.frees if f[0] < order):
            self.frees.remove(free)
            address, size = free[1:]
            self.forget(address, size)
            self.live.pop(address, None)

    def forget(self, address, size):
        for at in [at for at in self.memory if address <= at < address + size]:
            del self.memory[at]

    def allocation(self, row):
        self.forget(row["address"], row["bytes"])
        self.live[row["address"]] = row
        self.allocations.append(row)
        if row["freedOrder"] is not None:
            self.frees.append((row["freedOrder"], row["address"], row["bytes"]))

    def allocation_at(self, at):
        below = [address for address in self.live if address <= at]
        row = self.live[max(below)] if below else None
        return row if row and at < row["address"] + row["bytes"] else None

    def memory_at(self, at, is_host):
        row = self.allocation_at(at)
        if row:
            return {"host": "pinned", "managed": "managed"}.get(row["kind"], "device")
        return "pageable" if is_host else "device"

    def act(self, row, launch, waits="nothing"):
        self.acts += 1
        self.before[self.acts] = self.ordering.add(row, self.acts, waits)
        self.launch_of_act[self.acts] = launch
        return self.acts

    @staticmethod
    def rows_of(address, size, rows, pitch):
        if rows == 1 or pitch in (0, size):
            return [(address, size * rows)]
        return [(address + i * pitch, size) for i in range(rows)]

    def copy(self, row):
        source, destination = row["kind"].split(" to ")
        waits = host_waits(row, True, self.memory_at(row["source"], source == "host"),
                           self.memory_at(row["destination"], destination == "host"))
        act = self.act(row, HOST, waits)
        met = set()
        for address, size in self.rows_of(row["source"], row["rowBytes"], row["rows"], row["sourcePitch"]):
            for at in range(address, address + size):
                self.host_reads(act, at, met)
        if destination == "device" or self.allocation_at(row["destination"]):
            self.host_writes(act, self.rows_of(row["destination"], row["rowBytes"], row["rows"], row["destinationPitch"]))

    def set(self, row):
        act = self.act(row, HOST, host_waits(row, False, None, self.memory_at(row["destination"], False)))
        self.host_writes(act, self.rows_of(row["destination"], row["rowBytes"], row["rows"], row["pitch"]))

    def host_reads(self, act, at, met):
        byte = self.memory.get(at)
        if not byte or not byte.writer:
            return
        writer, byte.reader = byte.writer, (act, HOST, 0, None)
        if writer[1] == HOST:
            return
        order = self.order(writer[0], act)
        fresh = ("host", order) not in byte.seen
        byte.seen.add(("host", order))
        self.depend("RAW", order, writer, byte.reader, 1, fresh)
        if (writer[1:3], order) not in met:
            met.add((writer[1:3], order))
            self.transfers["RAW", order, writer[1:3], (HOST, 0)]["operations"] += 1
        if order == "ordered":
            self.of_launch[writer[1]]["readByHostBytes"] += fresh
            self.pairs[writer[1], HOST]["bytes"] += fresh

    def host_writes(self, act, rows):
        for address, size in rows:
            self.totals["hostWrittenBytes"] += size
            for at in range(address, address + size):
                self.overwrite(at, (act, HOST, 0, None))

    # Dependences and versions.

    def order(self, earlier, later):
        return "ordered" if earlier in self.before[later] else "concurrent"

    def place(self, access):
        if access[1] == HOST:
            return (HOST, "", 0, 0, "copy or set")
        site = self.sites[access[3]]
        return (self.launches[access[1]]["kernel"], site["file"], site["line"], site["column"], site["operation"])

    def depend(self, kind, order, first, second, row_bytes, transfer_bytes):
        if first[1] == HOST and second[1] == HOST:
            return
        row = self.dependences[kind, order, self.place(first), self.place(second)]
        row["bytes"] += row_bytes
        if HOST not in (first[1], second[1]):
            same = first[2] == second[2] and order != "insideLaunch"
            row["sameIndexBytes" if same else "otherIndexBytes"] += row_bytes
        if transfer_bytes:
            self.transfers[kind, order, first[1:3], second[1:3]]["bytes"] += transfer_bytes

    def overwrite(self, at, writer):
        byte = self.memory[at]
        if byte.reader:
            self.depend("WAR", self.order(byte.reader[0], writer[0]), byte.reader, writer, 1, 1)
        if byte.writer:
            self.depend("WAW", self.order(byte.writer[0], writer[0]), byte.writer, writer, 1, 1)
        self.memory[at] = Byte(writer)

    # Launches.

    def launch(self, row):
        self.launches[row["id"]] = row
        self.present_act = self.act(row, row["id"])
        chain = [self.supersteps[self.launch_of_act[a]] + 1 for a in self.before[self.present_act]
                 if self.launch_of_act[a] != HOST]
        self.supersteps[row["id"]] = max(chain, default=0)
        self.present = Launch()

    def record(self, row):
        site, launch = self.sites[row["site"]], self.launches[row["launch"]]
        cta = row["ctaX"] + launch["gridX"] * (row["ctaY"] + launch["gridY"] * row["ctaZ"])
        sizes = row["bytes"] or [site["bytes"]] * len(row["lanes"])
        threads = sorted(zip(row["addresses"], sizes))
        me = (self.present_act, row["launch"], cta, row["site"])
        what = operation_class(site)
        self.count(site, what, threads)
        self.requests(site, row, threads)
        below, strides = None, []
        for address, size in threads:
            stride = None if below is None else rounded(address - below)
            strides.append(stride)
            below = address
            if stride is not None:
                self.line_strides[site["file"], site["line"]][stride] += size
        if what != "store":
            for (address, size), stride in zip(threads, strides):
                self.read(me, address, size, stride)
        if what != "load":
            for address, size in threads:
                for at in range(address, address + size):
                    self.write(me, at)

    def count(self, site, what, threads):
        size = sum(bytes_ for _, bytes_ in threads)
        for counts in (self.totals, self.of_line[site["file"], site["line"]]):
            counts[what + "s"] += len(threads)
            counts[what + "Bytes"] += size

    def requests(self, site, row, threads):
        line = self.of_line[site["file"], site["line"]]
        for offset, size in parts_of(site, row, [address for address, _ in threads]):
            touched = {at for address, bytes_ in threads
                       for at in range(address + offset, address + (bytes_ if size is None else offset + size))}
            sectors, least = len({at // 32 for at in touched}), -(-len(touched) // 32)
            for name, value in (("requests", 1), ("sectors", sectors), ("leastSectors", least)):
                line[name] += value

    def read(self, me, address, size, stride):
        """Of one thread. All threads of a warp's atomic read before any of them writes."""
        state, met = self.present, set()
        for at in range(address, address + size):
            written = state.writes.get(at)
            if written:
                if written[2] == me[2]:
                    state.read_back.add(at)
                    continue
                state.late.setdefault(at, (written, me, set()))[2].add(me[2])
            ctas = state.reads.setdefault(at, {})
            ctas[me[2]] = min(ctas.get(me[2], me[3]), me[3])
            byte = self.memory.get(at)
            if not byte or not byte.writer:
                continue
            writer = byte.writer
            order = self.order(writer[0], me[0])
            self.depend("RAW", order, writer, me, 1, 0)
            if (writer[1:3], order) not in met:
                met.add((writer[1:3], order))
                self.transfers["RAW", order, writer[1:3], me[1:3]]["operations"] += 1
            if writer[1] != HOST and order == "ordered":
                self.of_line[self.sites[me[3]]["file"], self.sites[me[3]]["line"]]["readCommunicatedBytes"] += 1
                if stride is not None:
                    self.load_strides[stride] += 1

    def write(self, me, at):
        state = self.present
        before = state.writes.get(at)
        if before and before[2] != me[2]:
            self.depend("WAW", "insideLaunch", before, me, 1, 1)
        state.writes[at] = me
        readers = [cta for cta in state.reads.get(at, {}) if cta != me[2]]
        if readers and at not in state.overwritten:
            state.overwritten.add(at)
            cta = min(readers)
            self.depend("WAR", "insideLaunch", (*me[:2], cta, state.reads[at][cta]), me, 1, 1)

    def end_launch(self):
        state, act = self.present, self.present_act
        launch = self.launch_of_act[act]
        for writer, reader, ctas in state.late.values():
            for cta in ctas:
                self.depend("RAW", "insideLaunch", writer, reader, 1, 0)
                source = writer if writer[2] != cta else reader
                self.transfers["RAW", "insideLaunch", source[1:3], (launch, cta)]["bytes"] += 1
        for at in state.reads.keys() | state.read_back:
            self.of_launch[launch]["uniqueReadBytes"] += 1
            self.of_allocation[self.ordinal(at)]["uniqueReadBytes"] += 1
        for at, ctas in state.reads.items():
            self.version_read(launch, act, at, ctas)
        for at, writer in state.writes.items():
            self.of_launch[launch]["uniqueWrittenBytes"] += 1
            self.of_allocation[self.ordinal(at)]["uniqueWrittenBytes"] += 1
            self.overwrite(at, writer)
        for at, ctas in state.reads.items():
            if at not in state.writes:
                self.memory[at].reader = (act, launch, min(ctas), ctas[min(ctas)])
        self.present = None

    def ordinal(self, at):
        row = self.allocation_at(at)
        return row["id"] if row else None

    def version_read(self, launch, act, at, ctas):
        """What a launch reads of the version that a byte holds."""
        byte = self.memory.get(at)
        if not byte or not byte.writer:
            return
        writer = byte.writer
        order = self.order(writer[0], act)
        for cta in ctas:
            self.transfers["RAW", order, writer[1:3], (launch, cta)]["bytes"] += 1
        seen = {("launch", order)}
        if order == "ordered":
            pair = self.pairs[writer[1], launch]
            pair["bytes"] += 1
            self.of_launch[launch]["readFromHostBytes" if writer[1] == HOST else "readFromLaunchesBytes"] += 1
            if writer[1] != HOST:
                same, other = writer[2] in ctas, any(cta != writer[2] for cta in ctas)
                pair["sameIndexBytes"] += same
                pair["otherIndexBytes"] += other
                seen |= {"same"} if same else set()
                seen |= {"other"} if other else set()
                if other or self.launches[writer[1]]["kernel"] != self.launches[launch]["kernel"]:
                    seen.add("handed on")
        for kind in seen - byte.seen:
            self.first_read(kind, writer, at)
        byte.seen |= seen

    def first_read(self, kind, writer, at):
        names = {"same": "sameIndexBytes", "other": "otherIndexBytes", "handed on": "handedOnBytes"}
        if writer[1] == HOST:
            self.totals["fromHostBytes"] += kind == ("launch", "ordered")
        elif kind == ("launch", "concurrent"):
            self.totals["concurrentBytes"] += 1
        elif kind == ("launch", "ordered"):
            self.totals["communicatedBytes"] += 1
            self.of_launch[writer[1]]["readByLaunchesBytes"] += 1
            self.of_allocation[self.ordinal(at)]["communicatedBytes"] += 1
            site = self.sites[writer[3]]
            self.of_line[site["file"], site["line"]]["communicatedBytes"] += 1
        else:
            self.totals[names[kind]] += 1


def rounded(stride):
    return stride if stride <= 65536 else 1 << (stride.bit_length() - 1)


def parts_of(site, row, addresses):
    """(offset, bytes) of the requests that the machine makes of an access; bytes None: all of each thread's."""
    size, limit = site["bytes"], site["part"]
    if row["bytes"] or size > 4096 or limit == 0:
        return [(0, None)]
    if limit is None:
        limit = max(n for n in (1, 2, 4, 8, 16) if all(address % n == 0 for address in addresses))
    parts, offset = [], 0
    while offset < size:
        part = max(n for n in (1, 2, 4, 8, 16) if n <= min(limit, size - offset))
        parts.append((offset, part))
        offset += part
    return parts

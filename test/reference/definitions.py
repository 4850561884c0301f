"""The definitions of docs/analysis.md, byte by byte and in the order of the calls, from `cupranalyze export --format=json`.

Written from the document, for clearness alone: no shards, no runs, no clocks. `Analysis(rows)` goes through an export;
its members then hold sums under the names that `cupranalyze comm --json` uses.
"""
import collections

from accesses import History, ThreadStrides
from allocations import Allocations
from ordering import Ordering, host_waits
from banks import Banks
from patterns import Patterns
from phases import taken_apart
from records import count, operation_class, parts_of, rounded, sizes_of

HOST = "host"


def analyse(rows, device_copies="hand-on"):
    rows = list(taken_apart(rows))
    first = Analysis(rows, None, device_copies)
    return Analysis(rows, first, device_copies) if any(first.unseen()) else first


class Byte:
    """What one byte of memory holds, since the last write: who wrote it, who read it."""

    __slots__ = ("writer", "stride", "reader", "lowest_readers", "replaced", "seen", "copied_by", "doubtful", "ctas")

    def __init__(self, writer=None, stride=None, ctas=None):
        self.ctas = ctas or {writer[2] if writer else 0}  # all that produced it
        self.stride = stride  # of the thread that wrote it; None: it has none
        self.writer = writer  # (act, launch or HOST, cta, site)
        self.copied_by = None  # the act that brought it here from where it was written
        self.doubtful = False  # that act may have found something else
        self.reader = None  # likewise, of the last act that read it
        self.lowest_readers = ()  # of that act: two CTAs at most, unless they are far apart
        self.replaced = None  # what the host wrote: the launch whose data was there before
        self.seen = set()  # kinds of readers

    def act(self):
        """That wrote it here."""
        return self.copied_by or self.writer[0]


class Launch:
    """What a launch has done so far, by byte."""

    def __init__(self):
        self.reads = {}  # byte -> CTA -> lowest site, without reads of the CTA's own data
        self.read_back = set()
        self.writes = {}  # byte -> its last writer
        self.writers = collections.defaultdict(set)  # byte -> CTAs
        self.producers = {}  # byte -> CTAs that its value comes from
        self.write_strides = {}  # byte -> of the thread that wrote it last
        self.late = {}  # byte -> (writer, site, reader, site) of the first read behind another CTA's write, CTAs
        self.overwritten = set()


class Access:
    """What one access of the source did: a line and column, and whether it loads, stores or does an atomic."""

    def __init__(self):
        self.sums = collections.Counter()
        self.strides = collections.Counter()
        self.functions = set()


class Analysis:
    def __init__(self, rows, whole, device_copies):
        """`whole`: the same, gone through before: what may have happened in between is asked of it."""
        self.whole, self.device_copies = whole, device_copies
        self.memory = collections.defaultdict(Byte)
        self.allocations = Allocations()
        self.sites, self.frames, self.launches = {}, {}, {}
        self.ordering = Ordering()
        self.before = {}  # act -> acts
        self.acts = 0
        self.totals = collections.Counter()
        self.of_launch = collections.defaultdict(collections.Counter)
        self.pairs = collections.defaultdict(collections.Counter)
        self.transfers = collections.defaultdict(collections.Counter)  # (kind, order, first, second)
        self.dependences = collections.defaultdict(collections.Counter)
        self.of_allocation = collections.defaultdict(collections.Counter)
        self.dead = collections.Counter()  # (kernel, access) -> bytes that were written again before anything read them
        self.dead_of_repeats = collections.Counter()  # access -> of these, by a later launch of the same kernel
        self.read_of_copy, self.fetched_again = collections.Counter(), collections.Counter()  # act -> bytes
        self.unchanged = collections.Counter()  # act -> bytes that were there already
        self.copy_of_order = {}  # order -> act, from the host to the device
        self.copies = []  # (act, row, allocation)
        self.accesses = collections.defaultdict(Access)  # (file, line, column, class)
        self.of_cta = collections.defaultdict(collections.Counter)  # (launch, cta)
        self.other_memory = collections.defaultdict(collections.Counter)  # by space
        self.strides = {name: collections.Counter()
                        for name in ("loads", "stores", "handedOnLoads", "handedOnStores")}
        self.cta_strides = {}  # (launch, cta) -> the same
        self.loaded_again, self.turns = collections.Counter(), {}  # launches by their turn
        self.written_afresh = collections.Counter()  # launch -> bytes
        self.history, self.thread_strides, self.patterns, self.banks = History(), ThreadStrides(), Patterns(), Banks()
        # What happened to bytes, in order: ("forgotten", first, end), ("host writes", byte), ("handed on", {byte: from
        # where}), and of what a launch
        # accessed ("launch", launch, byte, allocation, CTAs that read it, who had written it, CTAs that write it, the
        # last of them). Who had written it: HOST, or (launch, cta); None if nothing orders that before the launch.
        self.story = []
        self.supersteps = {}
        self.dependence_of = {}  # (kind, order, launches and sites) -> its row in dependences
        self.ends = {}
        self.act_of_launch = {}
        self.header = None
        self.doubts = {}
        self.launch_of_act = {}
        self.present = None
        self.rows = list(rows)
        for row in self.rows:
            self.take(row)

    def take(self, row):
        kind = row["type"]
        if kind == "header":
            self.header = row
        elif kind == "site":
            self.sites[row["id"]] = row
        elif kind == "frame":
            self.frames[row["id"]] = row
        elif kind == "record":
            site = self.sites[row["site"]]
            if site["operation"] == "variable":
                self.banks.variable(row, site, self.launches[row["launch"]])
            elif site["operation"] == "local variable":
                pass  # where an array of a thread begins
            elif site["space"] == "global":
                self.record(row)
            else:
                count(self.other_memory[site["space"]], operation_class(site), sizes_of(site, row))
                if site["space"] == "shared":
                    self.banks.record(row, site, self.launches[row["launch"]])
                elif site["space"] == "local":
                    self.patterns.record(row, site, self.launches[row["launch"]])
        elif kind == "launchEnd":
            self.ends[row["launch"]] = row
            self.end_launch()
        elif kind in ("launch", "copy", "set", "allocation"):
            for address, size in self.allocations.end_until(row["order"]):
                self.forget(address, size)
            getattr(self, kind)(row)
        elif kind == "synchronisation":
            self.ordering.synchronise(row)

    def forget(self, address, size):
        self.story.append(("forgotten", address, address + size))
        for at in [at for at in self.memory if address <= at < address + size]:
            del self.memory[at]

    def allocation(self, row):
        self.forget(row["address"], row["bytes"])
        self.allocations.begin(row)

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
        waits = host_waits(row, True, self.allocations.memory_at(row["source"], source == "host"),
                           self.allocations.memory_at(row["destination"], destination == "host"))
        act = self.act(row, HOST, waits)
        at = {"host to device": "destination", "device to host": "source"}.get(row["kind"])
        if at:
            self.copies.append((act, row, self.allocations.at(row[at])))
        met = set()
        if row["kind"] == "device to device" and self.device_copies == "hand-on":
            rows = [(row["source"] + i * (row["sourcePitch"] or row["rowBytes"]),
                     row["destination"] + i * (row["destinationPitch"] or row["rowBytes"]), row["rowBytes"])
                    for i in range(row["rows"])]
            if all(pitch in (0, row["rowBytes"]) for pitch in (row["sourcePitch"], row["destinationPitch"])):
                rows = [(row["source"], row["destination"], row["rows"] * row["rowBytes"])]
            for source, destination, size in rows:
                self.hand_on(act, source, destination, size, met)
            return
        for address, size in self.rows_of(row["source"], row["rowBytes"], row["rows"], row["sourcePitch"]):
            for at in range(address, address + size):
                self.host_reads(act, at, met)
        if destination == "device" or self.allocations.at(row["destination"]):
            same = None
            if row["kind"] == "host to device":
                same = self.copy_of_order.get(row["sameAs"])
                self.copy_of_order[row["order"]] = act
            self.host_writes(act, self.rows_of(row["destination"], row["rowBytes"], row["rows"], row["destinationPitch"]), same)

    def hand_on(self, act, source, destination, size, met):
        """All of a row is read before any of it is written."""
        moved = [self.read_to_hand_on(act, at, met) for at in range(source, source + size)]
        self.story.append(("handed on", {destination + i: source + i for i in range(size)}))
        self.totals["hostWrittenBytes"] += size
        for at in range(destination, destination + size):
            self.overwrite(at, (act, HOST, 0, None))
        for at, byte in enumerate(moved, destination):
            if byte:
                self.memory[at] = byte
                self.of_allocation[self.allocations.ordinal(at)]["copiedBytes"] += 1

    def read_to_hand_on(self, act, at, met):
        """What a launch wrote, as it is behind the copy."""
        byte = self.memory.get(at)
        if not byte or not byte.writer or byte.writer[1] == HOST or self.order(byte.act(), act) != "ordered":
            self.host_reads(act, at, met)
            return None
        of_launch = self.of_launch[byte.writer[1]]
        of_launch["copiedBytes"] += 1
        of_launch["mayBeRead"] += "copied" not in byte.seen
        byte.seen.add("copied")
        byte.reader = (act, HOST, 0, None)
        copy = Byte(byte.writer, byte.stride, byte.ctas)
        copy.copied_by = act
        copy.doubtful = self.is_doubtful(byte, at, act)
        return copy

    def set(self, row):
        act = self.act(row, HOST, host_waits(row, False, None, self.allocations.memory_at(row["destination"], False)))
        self.host_writes(act, self.rows_of(row["destination"], row["rowBytes"], row["rows"], row["pitch"]))

    def host_reads(self, act, at, met):
        byte = self.memory.get(at)
        if not byte or not byte.writer:
            return
        writer, byte.reader = byte.writer, (act, HOST, 0, None)
        if writer[1] == HOST:
            self.copy_is_read(byte)
            byte.seen.add("copy")
            return
        order = self.order(byte.act(), act)
        fresh = ("host", order) not in byte.seen
        self.fetched_again[act] += order == "ordered" and not fresh and not self.is_doubtful(byte, at, act)
        byte.seen.add(("host", order))
        self.depend("RAW", order, writer, byte.reader, 1, 0)
        for producer in self.producers_of(byte, HOST):
            if fresh:
                self.transfers["RAW", order, producer, (HOST, 0)]["bytes"] += 1
            if (producer, order) not in met:
                met.add((producer, order))
                self.transfers["RAW", order, producer, (HOST, 0)]["operations"] += 1
        if order == "concurrent":
            self.of_launch[writer[1]]["mayBeRead"] += fresh
        else:
            self.of_launch[writer[1]]["readByHostBytes"] += fresh
            if self.is_doubtful(byte, at, act):
                self.totals["toHostPossiblyOverwrittenBytes"] += fresh
            self.pairs[writer[1], HOST]["bytes"] += fresh
            self.totals["ofLastProducerBytes"] += fresh and self.lacks_producers(byte, HOST)

    def copy_is_read(self, byte):
        if byte.writer[1] == HOST and not byte.seen & {("launch", "ordered"), ("launch", "concurrent"), "copy"}:
            self.read_of_copy[byte.act()] += 1

    def host_writes(self, act, rows, same=None):
        """`same`: the earlier copy that brought the same."""
        for address, size in rows:
            self.totals["hostWrittenBytes"] += size
            for at in range(address, address + size):
                self.story.append(("host writes", at))
                byte = self.memory.get(at)
                self.unchanged[act] += bool(same is not None and byte and byte.writer and not byte.copied_by
                                            and byte.writer[:2] == (same, HOST) and not self.is_doubtful(byte, at, act))
                self.overwrite(at, (act, HOST, 0, None))

    # Dependences and versions.

    def order(self, earlier, later):
        return "ordered" if earlier in self.before[later] else "concurrent"

    def place(self, access):
        if access[1] == HOST:
            return (HOST, "", 0, 0, "copy or set")
        site = self.sites[access[3]]
        return (self.launches[access[1]]["kernel"], site["file"], site["line"], site["column"], site["operation"])

    def is_volatile(self, place):
        """Whether the accesses there tell that other threads' come in between."""
        return place[0] != HOST and any(
            site["isVolatile"] and (site["file"], site["line"], site["column"], site["operation"]) == place[1:]
            for site in self.sites.values()
        )

    def depend(self, kind, order, first, second, row_bytes, transfer_bytes):
        if first[1] == HOST and second[1] == HOST:
            return
        who = (kind, order, first[1], first[3], second[1], second[3])
        row = self.dependence_of.get(who)  # asked for each byte
        if row is None:
            row = self.dependence_of[who] = self.dependences[kind, order, self.place(first), self.place(second)]
        row["bytes"] += row_bytes
        if HOST not in (first[1], second[1]):
            same = first[2] == second[2] and order != "insideLaunch"
            row["sameIndexBytes" if same else "otherIndexBytes"] += row_bytes
        if transfer_bytes:
            self.transfers[kind, order, first[1:3], second[1:3]]["bytes"] += transfer_bytes

    def overwrite(self, at, writer, stride=None, ctas=None):
        byte = self.memory[at]
        if byte.reader:
            self.depend("WAR", self.order(byte.reader[0], writer[0]), byte.reader, writer, 1, 1)
        if byte.writer:
            before = (byte.copied_by, HOST, 0, None) if byte.copied_by else byte.writer
            self.depend("WAW", self.order(before[0], writer[0]), before, writer, 1, 1)
            if writer[0] != byte.act() and not byte.copied_by and byte.writer[1] != HOST and self.is_unread(byte, at, writer[0]):
                kernel, access = self.launches[byte.writer[1]]["kernel"], self.access_of(self.sites[byte.writer[3]])
                self.dead[kernel, access] += 1
                if writer[1] != HOST and self.launches[writer[1]]["kernel"] == kernel:
                    self.dead_of_repeats[access] += 1
        self.memory[at] = Byte(writer, stride, ctas)
        if writer[1] == HOST:
            self.memory[at].replaced = byte.replaced if not byte.writer or byte.writer[1] == HOST else None if byte.copied_by else byte.writer[1]

    def is_unread(self, byte, at, act):
        """For certain."""
        return not (byte.reader or byte.seen or self.order(byte.act(), act) != "ordered" or self.is_doubtful(byte, at, act)
                    or self.allocations.open_to_host(at))

    # Launches.

    def launch(self, row):
        self.launches[row["id"]] = row
        self.turns.setdefault(row["id"], len(self.turns))
        self.present_act = self.act_of_launch[row["id"]] = self.act(row, row["id"])
        chain = [self.supersteps[self.launch_of_act[a]] + 1 for a in self.before[self.present_act]
                 if self.launch_of_act[a] != HOST]
        self.supersteps[row["id"]] = max(chain, default=0)
        self.present = Launch()

    def record(self, row):
        site, launch = self.sites[row["site"]], self.launches[row["launch"]]
        cta = row["ctaX"] + launch["gridX"] * (row["ctaY"] + launch["gridY"] * row["ctaZ"])
        threads = sorted(zip(row["addresses"], sizes_of(site, row)))
        me = (self.present_act, row["launch"], cta, row["site"])
        what = operation_class(site)
        access = self.accesses[self.access_of(site)]
        access.functions.add(site["function"])
        self.count(row, cta, what, threads, access)
        self.requests(site, row, threads, access)
        self.thread_strides.record(row, site, launch["number"], cta, self.place(me))
        below, strides = None, []
        for address, size in threads:
            stride = None if below is None else rounded(address - below)
            strides.append(stride)
            below = address
            if stride is not None:
                access.strides[stride] += size
        if site["gridBarrier"]:
            return  # no data
        self.patterns.record(row, site, launch)
        if what != "store":
            for (address, size), stride in zip(threads, strides):
                self.read(me, address, size, stride)
        if what != "load":
            for (address, size), stride in zip(threads, strides):
                for at in range(address, address + size):
                    self.write(me, at, stride)

    @staticmethod
    def access_of(site):
        what = operation_class(site)
        return (site["file"], site["line"], site["column"], what)

    def count(self, row, cta, what, threads, access):
        sizes = [size for _, size in threads]
        for counts in (self.totals, self.of_launch[row["launch"]], access.sums):
            count(counts, what, sizes)
        for address, size in threads:
            count(self.of_allocation[self.allocations.ordinal(address)], what, [size])
            self.history.accesses[address, self.supersteps[row["launch"]], row["launch"], cta, row["site"], size] += 1
        of_cta = self.of_cta[row["launch"], cta]
        of_cta["sm"] = row["sm"]
        of_cta["accesses"] += len(threads)
        of_cta["bytes"] += sum(sizes)
        of_cta["loadBytes"] += sum(sizes) if what != "store" else 0
        of_cta["storeBytes"] += sum(sizes) if what != "load" else 0
        if what == "atomic":
            access.sums["sharedAtomics"] += len(threads) - len({address for address, _ in threads})

    def requests(self, site, row, threads, access):
        for offset, size in parts_of(site, row, [address for address, _ in threads]):
            touched = {at for address, bytes_ in threads
                       for at in range(address + offset, address + (bytes_ if size is None else offset + size))}
            sectors, least = len({at // 32 for at in touched}), -(-len(touched) // 32)
            for name, value in (("requests", 1), ("sectors", sectors), ("leastSectors", least)):
                access.sums[name] += value

    def read(self, me, address, size, stride):
        """Of one thread. All threads of a warp's atomic read before any of them writes."""
        state, met, of_launches = self.present, set(), set()
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
            order = self.order(byte.act(), me[0])
            self.depend("RAW", order, writer, me, 1, 0)
            for producer in self.producers_of(byte, me[1]):
                if (producer, order) not in met:
                    met.add((producer, order))
                    self.transfers["RAW", order, producer, me[1:3]]["operations"] += 1
            if writer[1] != HOST and order == "ordered":
                of_launches.add(at)
                self.accesses[self.access_of(self.sites[me[3]])].sums["readCommunicatedBytes"] += 1
                self.of_launch[me[1]]["readByThreadsBytes"] += 1
                self.count_stride(me, "loads", stride)
                if self.handed_on(byte, me[1], me[2]):
                    self.count_stride(me, "handedOnLoads", stride)
        if of_launches:
            self.history.met.append(((address, self.supersteps[me[1]], *me[1:], size), of_launches))

    def count_stride(self, who, name, stride):
        of_cta = self.cta_strides.setdefault(who[1:3], {each: collections.Counter() for each in self.strides})
        for strides in (self.strides, of_cta):
            strides[name][stride] += 1

    def write(self, me, at, stride):
        state = self.present
        before = state.writes.get(at)
        if before and before[2] != me[2]:
            self.depend("WAW", "insideLaunch", before, me, 1, 1)
        state.writes[at], state.write_strides[at] = me, stride
        state.writers[at].add(me[2])
        site = self.sites[me[3]]
        replaces = operation_class(site) == "store" or site["operation"] == "atomic exch"
        state.producers[at] = {me[2]} | (set() if replaces else state.producers.get(at, set()))
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
            self.of_allocation[self.allocations.ordinal(at)]["uniqueReadBytes"] += 1
        self.tell(launch, act)
        for at, ctas in state.reads.items():
            self.load_again(launch, at, ctas)
            self.version_read(launch, act, at, ctas)
        for at, writer in state.writes.items():
            self.written_afresh[launch] += self.is_written_afresh(launch, at, at in state.reads)
            self.of_launch[launch]["uniqueWrittenBytes"] += 1
            if self.allocations.open_to_host(at):
                self.of_launch[launch]["mayBeRead"] += 1
            self.of_allocation[self.allocations.ordinal(at)]["uniqueWrittenBytes"] += 1
            self.overwrite(at, writer, state.write_strides[at], state.producers[at])
        for at, ctas in state.reads.items():
            if at not in state.writes:
                self.memory[at].reader = (act, launch, min(ctas), ctas[min(ctas)])
                self.memory[at].lowest_readers = self.lowest(ctas)
        self.present = None

    def tell(self, launch, act):
        state = self.present
        for at in state.reads.keys() | state.writes.keys():
            byte, source = self.memory.get(at), None
            if at in state.reads and byte and byte.writer and self.order(byte.act(), act) == "ordered":
                source = HOST if byte.writer[1] == HOST else byte.writer[1:3]
            last = state.writes[at][2] if at in state.writes else None
            self.story.append(("launch", launch, at, self.allocations.ordinal(at), set(state.reads.get(at, ())), source,
                               state.writers.get(at, set()), last))

    def load_again(self, launch, at, ctas):
        """What the launch before, of another kernel, had loaded."""
        byte = self.memory.get(at)
        if not byte or not byte.reader or byte.reader[1] == HOST or self.turns[launch] != self.turns[byte.reader[1]] + 1:
            return
        first, second = ((self.launches[number]["kernel"], self.access_of(self.sites[site]))
                         for number, site in ((byte.reader[1], byte.reader[3]), (launch, ctas[min(ctas)])))
        shapes = [[self.launches[number][part + way] for part in ("grid", "block") for way in "XYZ"] for number in (byte.reader[1], launch)]
        if first[0] != second[0] and shapes[0] == shapes[1] and set(byte.lowest_readers) & set(sorted(ctas)[:2]) and self.allocations.at(at):
            self.loaded_again[first, second] += 1

    @staticmethod
    def lowest(ctas):
        lowest = sorted(ctas)[:2]
        return lowest if lowest[-1] - lowest[0] < 1 << 20 else lowest[:1]

    def is_written_afresh(self, launch, at, is_read):
        """The launch before, of another kernel, had written it, and this one doesn't go on with that."""
        byte = self.memory.get(at)
        if not byte or not byte.writer or byte.copied_by:
            return False
        before = byte.replaced if byte.writer[1] == HOST else None if is_read else byte.writer[1]
        return before is not None and self.turns[launch] == self.turns[before] + 1 and self.launches[before]["kernel"] != self.launches[launch]["kernel"]

    def version_read(self, launch, act, at, ctas):
        """What a launch reads of the version that a byte holds."""
        byte = self.memory.get(at)
        if not byte or not byte.writer:
            return
        writer = byte.writer
        order = self.order(byte.act(), act)
        producers = self.producers_of(byte, launch)
        for cta in ctas:
            for producer in producers:
                self.transfers["RAW", order, producer, (launch, cta)]["bytes"] += 1
        seen = {("launch", order)}
        if order == "ordered":
            pair = self.pairs[writer[1], launch]
            pair["bytes"] += 1
            self.totals["ofLastProducerBytes"] += self.lacks_producers(byte, launch)
            if self.is_doubtful(byte, at, act):
                pair["possiblyOverwrittenBytes"] += 1
                self.of_launch[launch]["readPossiblyOverwrittenBytes"] += 1
            else:
                seen.add("surely")
            self.of_launch[launch]["readFromHostBytes" if writer[1] == HOST else "readFromLaunchesBytes"] += 1
            if writer[1] != HOST:
                same = any((writer[1], cta) in producers for cta in ctas)
                other = any(cta != producer for cta in ctas for _, producer in producers)
                pair["sameIndexBytes"] += same
                pair["otherIndexBytes"] += other
                seen |= {"same"} if same else set()
                seen |= {"other"} if other else set()
                if any(self.handed_on(byte, launch, cta) for cta in ctas):
                    seen.add("handed on")
                    self.of_launch[launch]["readHandedOnBytes"] += 1
        self.copy_is_read(byte)
        for kind in seen - byte.seen:
            self.first_read(kind, writer, at, byte.stride, producers)
        byte.seen |= seen
        if ("launch", "ordered") in seen and writer[1] != HOST and not byte.copied_by:
            self.history.versions_read.add((writer[1], at))

    def producers_of(self, byte, launch):
        """(launch, CTA), as many as there are; where that makes too many pairs with who may read, the last writer."""
        writer = byte.writer
        if writer[1] == HOST:
            return {(HOST, 0)}
        grid = self.launches[launch] if launch != HOST else None
        readers = grid["gridX"] * grid["gridY"] * grid["gridZ"] if grid else 1
        ctas = byte.ctas if len(byte.ctas) * readers <= 1 << 16 and len(byte.ctas) <= 4096 else {writer[2]}
        return {(writer[1], cta) for cta in ctas}

    def lacks_producers(self, byte, launch):
        return len(self.producers_of(byte, launch)) < len(byte.ctas)

    def handed_on(self, byte, launch, cta):
        writer = byte.writer
        return any(producer != cta for _, producer in self.producers_of(byte, launch)) or self.launches[writer[1]]["kernel"] != self.launches[launch]["kernel"]

    def is_doubtful(self, byte, at, act):
        """Whether what an act finds may have been written again by what the trace doesn't hold."""
        by_host = (byte.writer[1] != HOST and self.allocations.open_to_host(at)
                   and byte.act() in self.ordering.known_at_call[act])
        return byte.doubtful or by_host or self.possibly_overwritten(byte.act(), act)

    def possibly_overwritten(self, writer, reader):
        """A launch of which not all was seen may have run behind the writer, or beside it, and not behind the reader."""
        if (writer, reader) not in self.doubts:
            before = self.before if self.whole is None else self.whole.before
            self.doubts[writer, reader] = self.whole is not None and any(
                unseen != reader and unseen not in before[writer] and reader not in before[unseen]
                for unseen in self.whole.unseen())
        return self.doubts[writer, reader]

    def unseen(self):
        """Acts that are launches which are not traced, recorded in part, or lack records."""
        for launch, row in self.launches.items():
            end = self.ends.get(launch)
            whole = row["ctaFirst"] == 0 and row["ctaEnd"] == 2 ** 64 - 1 and row["ctaPeriod"] == 1
            if not (row["traced"] and end and end["complete"] and whole):
                yield self.act_of_launch[launch]

    def first_read(self, kind, writer, at, stride, producers):
        names = {"same": "sameIndexBytes", "other": "otherIndexBytes"}
        if writer[1] == HOST:
            self.totals["fromHostBytes"] += kind == ("launch", "ordered")
            self.totals["fromHostSurely"] += kind == "surely"
        elif kind == "surely":
            self.of_launch[writer[1]]["surely"] += 1
        elif kind == "handed on":
            self.of_launch[writer[1]]["handedOnBytes"] += 1
            self.count_stride(writer, "handedOnStores", stride)
        elif kind == ("launch", "concurrent"):
            self.totals["concurrentBytes"] += 1
            self.of_launch[writer[1]]["mayBeRead"] += 1
        elif kind == ("launch", "ordered"):
            self.totals["communicatedBytes"] += 1
            self.of_launch[writer[1]]["readByLaunchesBytes"] += 1
            for producer in producers:
                self.of_cta[producer]["communicatedStoreBytes"] += 1
            self.count_stride(writer, "stores", stride)
            self.of_allocation[self.allocations.ordinal(at)]["communicatedBytes"] += 1
            self.accesses[self.access_of(self.sites[writer[3]])].sums["communicatedBytes"] += 1
        else:
            self.totals[names[kind]] += 1

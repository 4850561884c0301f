"""How a program copies and launches: docs/findings.md, "Copies and launches", from the rows of an export.

Where the calls stand in the source is told by the rows as far as the user's own functions go: places in CUDA's headers are not.
"""
import collections
import itertools

from patterns import HOST_BANDWIDTH, MEMORY_BANDWIDTH

PAGEABLE_BANDWIDTH, COPY, LAUNCH, GRAPH, GRAPH_NODE, MULTIPROCESSORS = 10e9, 8e-6, 2.5e-6, 5e-6, 1e-6, 132
LEAST_GAIN = 50e-6
UP, DOWN, WITHIN = "host to device", "device to host", "device to device"


def added(numbers):
    """One by one: the order of findings whose times are equal but for rounding is that of their rounding."""
    total = 0
    for number in numbers:
        total += number
    return total


def user_path(path):
    """From main on, without what clang makes of a launch."""
    names = path.split(" > ")
    names = names[names.index("main"):] if "main" in names else names
    if len(names) > 1 and "__device_stub__" in names[-1]:
        names.pop()
    return " > ".join(names)


class HostAdvice:
    def __init__(self, analysis):
        self.rows = collections.defaultdict(list)
        for row in analysis.rows:
            if row["type"] != "launch" or row["phase"] == 0:
                self.rows[row["type"]].append(row)
        self.is_gpu = analysis.header["deviceKind"] == "gpu"
        self.calls = {row["id"]: row for row in self.rows["hostCall"]}
        self.call_of = {order: row for row in self.calls.values() for order in row["orders"]}
        self.times = collections.Counter()  # launch -> ns on the device; phases are added up
        self.not_known = set()
        numbers = {row["id"]: row["number"] for row in analysis.rows if row["type"] == "launch"}
        ended = {}
        for row in self.rows["launchEnd"]:
            number = numbers[row["launch"]]
            if row["deviceTime"] is None:
                self.not_known.add(number)
            else:
                self.times[number] += row["deviceTime"]
                ended[number] = max(ended.get(number, 0), row["ended"])
        self.not_known |= {row["number"] for row in self.rows["launch"]} - self.times.keys()
        self.done = [(row["order"], ended.get(row["number"]) if row["number"] not in self.not_known else None)
                     for row in self.rows["launch"]]
        self.work_behind = self.works()
        acts = [row for kind in ("allocation", "copy", "set", "launch", "synchronisation") for row in self.rows[kind]]
        self.acts = sorted(acts, key=lambda row: row["order"])

    def site(self, order):
        row = self.call_of.get(order)
        if row is None or not row["path"]:
            return ("", "", 0)
        return (user_path(row["path"]), row["file"], row["line"])

    def launch_site(self, row):
        path, file, line = self.site(row["order"])
        return (path, row["file"], row["line"]) if row["file"] else (path, file, line)

    def works(self):
        """call -> seconds outside of calls up to the thread's next one that is no launch, asynchronous copy or set."""
        goes_on = {row["order"] for row in self.rows["launch"] + self.rows["set"] + [r for r in self.rows["copy"] if r["asynchronous"]]}
        work = {}
        for thread in {row["thread"] for row in self.calls.values()}:
            calls = sorted((row for row in self.calls.values() if row["thread"] == thread), key=lambda row: row["began"])
            for i, first in enumerate(calls):
                total, before = 0, first
                for call in calls[i + 1:]:
                    total += max(0, call["began"] - before["ended"])
                    before = call
                    if not goes_on.intersection(call["orders"]):
                        work[first["id"]] = total * 1e-9 if total >= 20000 else 0
                        break
        return work

    def took(self, order):
        call = self.call_of.get(order)
        if not self.is_gpu or call is None or len(call["orders"]) != 1:
            return None
        return (call["ended"] - call["began"]) * 1e-9

    def took_itself(self, row):
        if row["asynchronous"] or self.took(row["order"]) is None:
            return None
        done = [ended for order, ended in self.done if order < row["order"]]
        if None in done:
            return None
        call = self.call_of[row["order"]]
        return (call["ended"] - min(max([call["began"], *done]), call["ended"])) * 1e-9

    def findings(self, add):
        def say(rule, site, amount, unit, of, pieces, kernel="", part=1):
            """`pieces`: lists of pairs of what was measured, or None, and what figures say."""
            measured = all(gain is not None for gains in pieces for gain, _ in gains)
            seconds = part * added(added(gain if measured else figure for gain, figure in gains) for gains in pieces)
            if seconds >= LEAST_GAIN:
                add(rule, kernel, amount, unit, of, (site[1], site[2], 0, ""), seconds, site[0], measured)

        self.copies(say)
        self.launches(lambda rule, kernel, site, amount, seconds: say(
            rule, site, amount, "launches", len(self.rows["launch"]), [[(None, seconds)]], kernel))

    def copies(self, say):
        live, copies, before = {}, [], None  # `before`: the last act that is no allocation
        frees = sorted((row["freedOrder"], row["address"]) for row in self.rows["allocation"] if row["freedOrder"] is not None)
        for row in self.acts:
            while frees and frees[0][0] < row["order"]:
                live.pop(frees.pop(0)[1], None)
            if row["type"] == "allocation":
                if row["kind"] != "array":
                    live[row["address"]] = row["bytes"]
                continue
            if row["type"] == "synchronisation":
                continue
            if row["type"] == "copy" and row["kind"] != "host to host" and not row["graph"]:
                at = row["source" if row["kind"] == UP else "destination"]
                is_known = any(address <= at < address + size for address, size in live.items())
                copies.append({**row, "bytes": row["rowBytes"] * row["rows"], "site": self.site(row["order"]),
                               "pageable": row["kind"] != WITHIN and not is_known, "itself": self.took_itself(row),
                               "behind": before is not None and before["type"] == "copy" and bool(copies) and before["order"] == copies[-1]["order"],
                               "by launch": before is not None and before["type"] == "launch"})
            elif row["type"] == "launch" and before is not None and copies and before["order"] == copies[-1]["order"]:
                copies[-1]["by launch"] = True
            before = row
        moved = sum(copy["bytes"] for copy in copies if copy["kind"] != WITHIN)
        self.pageable(copies, moved, say)
        self.synchronous(copies, moved, say)
        self.small(copies, say)

    @staticmethod
    def pageable(copies, moved, say):
        places = collections.defaultdict(lambda: collections.defaultdict(list))
        for copy in copies:
            if copy["pageable"] and copy["bytes"] >= 65536:
                places[copy["site"], copy["kind"]][copy["source" if copy["kind"] == UP else "destination"]].append(copy)
        for (site, _), pieces in places.items():
            repeated = [piece for _, piece in sorted(pieces.items()) if len(piece) >= 4]
            if repeated:
                say("copy-pageable", site, sum(copy["bytes"] for piece in repeated for copy in piece), "bytes", moved,
                    [[(None if copy["itself"] is None else max(0, copy["itself"] - copy["bytes"] / HOST_BANDWIDTH),
                       copy["bytes"] / PAGEABLE_BANDWIDTH - copy["bytes"] / HOST_BANDWIDTH) for copy in piece] for piece in repeated])

    def synchronous(self, copies, moved, say):
        def gain(copy):
            call, took = self.call_of.get(copy["order"]), self.took(copy["order"])
            work = self.work_behind.get(call["id"], 0) if call else 0
            figure = copy["bytes"] / (PAGEABLE_BANDWIDTH if copy["pageable"] else HOST_BANDWIDTH)
            return None if took is None else min(took, work), min(figure, work)

        places = collections.defaultdict(lambda: collections.defaultdict(list))
        for copy in copies:
            if copy["kind"] == UP and not copy["asynchronous"]:
                places[copy["site"]][copy["source"]].append(copy)
        for site, pieces in places.items():
            repeated = [piece for _, piece in sorted(pieces.items()) if len(piece) >= 4]
            if repeated:
                say("copy-synchronous", site, sum(copy["bytes"] for piece in repeated for copy in piece), "bytes", moved,
                    [[gain(copy) for copy in piece] for piece in repeated])

    @staticmethod
    def small(copies, say):
        def is_small(copy):
            size = copy["bytes"]
            return (2 * size / MEMORY_BANDWIDTH if copy["kind"] == WITHIN else size / HOST_BANDWIDTH) < COPY

        def goes_on(row, copy):
            last = row[-1]
            if (not copy["behind"] or copy["kind"] != last["kind"] or copy["stream"] != last["stream"]
                    or copy["site"][0] != last["site"][0] or not is_small(copy)):
                return False
            if copy["kind"] == UP:
                return True
            step = copy["source"] - last["source"]
            return (copy["kind"] == DOWN and copy["rowBytes"] == last["rowBytes"] and copy["rows"] == last["rows"] == 1 and step > 0
                    and (len(row) == 1 or step == row[1]["source"] - row[0]["source"]))

        rows = []
        for copy in copies:
            if rows and is_small(rows[-1][0]) and goes_on(rows[-1], copy):
                rows[-1].append(copy)
            else:
                rows.append([copy])

        def gain(copy):
            return copy["itself"], LAUNCH if copy["asynchronous"] else COPY

        together, single = collections.defaultdict(list), collections.defaultdict(list)
        for row in rows:
            if len(row) >= 4:
                together[row[0]["site"], row[0]["kind"]].append(row)
            else:
                for copy in row:
                    if copy["by launch"] and is_small(copy) and (copy["kind"] == WITHIN or copy["kind"] == UP and copy["bytes"] <= 4096):
                        single[copy["site"], copy["kind"]].append(copy)
        for (site, _), of in together.items():
            every = list(itertools.chain.from_iterable(of))
            spared = len(every) - len(of)
            say("copies-small", site, spared, "copies", len(copies), [[gain(copy) for copy in every]], part=spared / len(every))
        for (site, _), of in single.items():
            if len(of) >= 16:
                say("copies-small", site, len(of), "copies", len(copies), [[gain(copy) for copy in of]])

    def seconds(self, row):
        return self.times[row["number"]] * 1e-9 if self.is_gpu and row["number"] not in self.not_known else None

    @staticmethod
    def blocks(row):
        return row["gridX"] * row["gridY"] * row["gridZ"]

    def shape(self, row):
        return row["kernel"], self.blocks(row), self.blocks(row) * row["blockX"] * row["blockY"] * row["blockZ"]

    def launches(self, say):
        places = collections.Counter()
        for row in self.rows["launch"]:
            seconds = self.seconds(row)
            if not row["graph"] and (self.blocks(row) < MULTIPROCESSORS or (seconds is not None and seconds < LAUNCH)):
                places[row["kernel"], self.launch_site(row)] += 1
        for (kernel, site), count in places.items():
            if count >= 16:
                say("launch-small", kernel, site, count, count * LAUNCH)
        self.graphs(say)

    def graphs(self, say):
        shapes = collections.defaultdict(list)
        for row in self.rows["launch"]:
            shapes[self.shape(row)].append(self.seconds(row))
        is_short = {shape: shape[2] <= MULTIPROCESSORS * 2048 if None in times else sum(times) <= 20e-6 * len(times)
                    for shape, times in shapes.items()}
        streams, unlike = collections.defaultdict(list), itertools.count()

        def wait(steps):
            if steps and steps[-1] is not None:
                steps.append(None)

        for row in self.acts:
            if row["type"] == "synchronisation":
                if row["kind"] in ("device", "stream", "event"):
                    for stream in ([row["stream"]] if row["kind"] == "stream" else list(streams)):
                        wait(streams[stream])
            elif row["type"] == "launch":
                shape = tuple(row[axis + name] for axis in ("grid", "block") for name in "XYZ") + (row["dynamicShared"],)
                is_one = not row["graph"] and is_short[self.shape(row)]
                site = self.launch_site(row)
                streams[row["stream"]].append(("launch", row["kernel"], site, shape) if is_one else ("launch", row["kernel"], site, next(unlike), "alone"))
            elif row["type"] == "copy" and not row["graph"] and not row["asynchronous"] and row["kind"] != WITHIN:
                for steps in streams.values():
                    wait(steps)
            elif row["type"] in ("copy", "set"):
                what = (row["type"], row["kind"] if row["type"] == "copy" else "", self.site(row["order"]), row["rowBytes"] * row["rows"])
                streams[row["stream"]].append(what if not row["graph"] else (*what, next(unlike)))
        turns = collections.defaultdict(lambda: [0, 0, None])
        for steps in streams.values():
            for turn, count in repeated(steps, 32, 8):
                if None in turn:
                    at = turn.index(None) + 1
                    turn = turn[at:] + turn[:at]
                launches, seconds = gain_of(turn)
                found = turns[rotations(turn)]
                found[0] += count * launches
                found[1] += count * seconds
                found[2] = turn
        for amount, seconds, turn in turns.values():
            first = next((step for step in turn if step and step[0] == "launch"), None)
            if first:
                say("launches-as-graph", first[1], first[2], amount, seconds)


def repeated(steps, longest, least):
    """Turns and how often they come, from the first place on where the shortest has enough of them."""
    at = 0
    while at < len(steps):
        for length in range(1, longest + 1):
            turn, count = steps[at:at + length], 1
            while len(turn) == length and steps[at + count * length:at + (count + 1) * length] == turn:
                count += 1
            if count >= least:
                yield turn, count
                at += count * length
                break
        else:
            at += 1


def gain_of(turn):
    """Launches of one turn that graphs would hold, and seconds."""
    def launches_of(steps):
        return sum(step is not None and step[0] == "launch" for step in steps)

    if None not in turn:
        launches = launches_of(turn)
        return launches, launches * (LAUNCH - GRAPH_NODE) - launches / max(16, launches) * GRAPH
    parts = [list(part) for is_wait, part in itertools.groupby(turn, lambda step: step is None) if not is_wait]
    held = [count for count in map(launches_of, parts) if count >= 4 and count * (LAUNCH - GRAPH_NODE) > GRAPH]
    return sum(held), sum(count * (LAUNCH - GRAPH_NODE) - GRAPH for count in held)


def rotations(turn):
    """The same for all turns that are alike but for where they begin."""
    return frozenset(tuple(turn[at:] + turn[:at]) for at in range(len(turn)))

"""The profile of `cupranalyze results` a second time: calling contexts of host and device, from the rows of an export.

Of functions the rows tell names and places; in which file they lie (`object`) is a text of the trace. Loops follow from the places, by sets of
extents.
"""
import collections

from records import operation_class, parts_of, sizes_of

KINDS = ("launch", "copy", "set", "synchronisation", "allocation", "free", "other")
# Of calls that made no act, by what stands in their names.
NAMES = (("Launch", "launch"), ("Memcpy", "copy"), ("Memset", "set"), ("Synchronize", "synchronisation"), ("WaitEvent", "synchronisation"),
         ("EventRecord", "synchronisation"), ("EventQuery", "synchronisation"), ("StreamQuery", "synchronisation"), ("Malloc", "allocation"),
         ("MemAlloc", "allocation"), ("HostAlloc", "allocation"), ("Free", "free"))
ADDED = ("wait_time", "launches", "device_time", "copied_bytes", "set_bytes", "allocated_bytes", "accesses", "access_bytes", "requests", "sectors",
         "least_sectors", "samples", "processor_time", "processor_time_in_calls", "instructions", "thread_instructions")


def function_kind(name):
    return {"[signal]": "signal", "[path not known further out]": "cut", "[path not known]": "cut"}.get(
        name, "unknown code" if name.startswith("[code at ") else "function")


def points(extent):
    return (extent["line"], extent["column"]), (extent["endLine"], extent["endColumn"])


def holds(outer, inner):
    return points(outer)[0] <= points(inner)[0] and points(inner)[1] <= points(outer)[1]


def loops_around(extents, line, column):
    """The loops of its function that a place lies in, outermost first."""
    around = [extent for extent in extents if points(extent)[0] <= (line, column) <= points(extent)[1]] if line else []
    loops = {points(extent): extent for extent in reversed(around) if extent["kind"] not in ("function", "entry")}
    for extent in around:
        outside = [loop for loop in loops.values() if holds(loop, extent)]
        if extent["kind"] == "function":
            outside = [loop for loop in outside if points(loop) != points(extent)]
        elif extent["kind"] == "entry":
            outside = sorted(outside, key=lambda loop: (points(loop)[0], [-number for number in points(loop)[1]]))[-1:]
        else:
            outside = []
        for loop in outside:
            loops.pop(points(loop))
    ordered = sorted(loops.values(), key=lambda loop: (points(loop)[0], [-number for number in points(loop)[1]]))
    return tuple(("loop", loop["kind"], loop["file"], loop["line"], loop["column"]) for loop in ordered)


def figures(sums):
    """All figures of a node, by what was added up."""
    calls = {kind: (sums[f"{kind}_calls"], sums[f"{kind}_time"]) for kind in KINDS}
    call_time = sum(time for _, time in calls.values())
    row = {"calls": sum(number for number, _ in calls.values()), "call_time": call_time,
           "host_time": call_time + sums["processor_time"] - sums["processor_time_in_calls"],
           "api_time": sum(api_time(sums, kind) for kind in KINDS)}
    for kind, (number, time) in calls.items():
        row |= {f"{kind}_calls": number, f"{kind}_time": time}
    return row | {name: sums[name] for name in ADDED}


def api_time(sums, kind):
    return sums["device_time"] if kind == "launch" and sums["device_time"] else sums[f"{kind}_time"]


class Profile:
    def __init__(self, rows):
        self.rows = collections.defaultdict(list)
        for row in rows:
            self.rows[row["type"]].append(row)
        self.own = collections.defaultdict(collections.Counter)  # path of (kind, name, file, line, column) -> sums
        self.threads = collections.defaultdict(collections.Counter)
        self.end = 0
        self.sites = {row["id"]: row for row in self.rows["site"]}
        self.frames = {row["id"]: row for row in self.rows["frame"]}
        self.host_frames = {row["id"]: row for row in self.rows["hostFrame"]}
        self.loops = collections.defaultdict(list)
        for row in self.rows["loop"]:
            self.loops[bool(row["ofDevice"]), row["file"]].append(row)
        self.launch_ends = {row["launch"]: row for row in self.rows["launchEnd"]}
        self.calls()
        self.samples()
        self.launches()
        for path in list(self.own):
            for depth in range(len(path)):
                self.own[path[:depth]] += collections.Counter()
        self.total = collections.defaultdict(collections.Counter)
        for path, sums in self.own.items():
            for depth in range(len(path) + 1):
                self.total[path[:depth]].update(sums)

    def loops_at(self, of_device, place):
        return loops_around(self.loops[of_device, place["file"]], place["line"], place["column"])

    def host_path(self, row):
        path, number = (), row["frame"]
        while number is not None:
            frame = self.host_frames[number]
            path = ((function_kind(frame["function"]), frame["function"], "", 0, 0), *self.loops_at(False, frame), *path)
            number = frame["caller"]
        names = [part[1] for part in path if part[0] != "loop"]
        if " > ".join(names) != row["path"]:
            raise ValueError(f"the frames {names} are not the path {row['path']}")
        return path or (("cut", "[path not known]", "", 0, 0),)

    def add(self, path, thread, **sums):
        self.own[path].update(sums)
        if thread:
            self.threads[thread].update(sums)

    def calls(self):
        acts = {}  # order -> (kind, name of a sum, bytes)
        for kind, bytes_of, name in (("copy", lambda row: row["rowBytes"] * row["rows"], "copied_bytes"),
                                     ("set", lambda row: row["rowBytes"] * row["rows"], "set_bytes"),
                                     ("allocation", lambda row: row["bytes"], "allocated_bytes"),
                                     ("synchronisation", lambda row: 0, None), ("launch", lambda row: 0, None)):
            for row in self.rows[kind]:
                acts[row["order"]] = (kind, name, bytes_of(row))
                self.end = max(self.end, row["time"])
                if row.get("freedOrder") is not None:
                    acts[row["freedOrder"]] = ("free", None, 0)
        device = [(row["order"], self.launch_ends[row["id"]]["ended"]) for row in self.rows["launch"]
                  if row["id"] in self.launch_ends and self.launch_ends[row["id"]]["deviceTime"] is not None]
        self.end = max([self.end, *(ended for _, ended in device)])
        self.intervals, self.of_call = collections.defaultdict(list), {}
        for row in self.rows["hostCall"]:
            made = [acts[order] for order in row["orders"] if order in acts]
            kinds = [kind for kind, _, _ in made]
            kind = min(kinds, key=KINDS.index) if kinds else next((kind for part, kind in NAMES if part in row["function"]), "other")
            sums = collections.Counter({f"{kind}_calls": 1, f"{kind}_time": row["ended"] - row["began"]})
            for _, name, bytes_ in made:
                if name:
                    sums[name] += bytes_
            done = max((ended for order, ended in device if made and order < min(row["orders"])), default=0)
            if kind != "synchronisation" and row["began"] < done <= row["ended"]:
                sums["wait_time"] = done - row["began"]
            path = (*self.host_path(row), ("call", row["function"], row["file"], row["line"], 0))
            self.add(path, (row["thread"], row["threadName"]), **sums)
            self.of_call[row["id"]] = path
            self.intervals[row["thread"]].append((row["began"], row["ended"]))
            self.end = max(self.end, row["ended"])

    def samples(self):
        for row in self.rows["hostSample"]:
            in_call = any(began <= row["time"] <= ended for began, ended in self.intervals[row["thread"]])
            self.add(self.host_path(row), (row["thread"], row["threadName"]), samples=1, processor_time=row["weight"],
                     processor_time_in_calls=row["weight"] if in_call else 0)
            self.end = max(self.end, row["time"])

    def device_loops(self, place):
        return () if place.get("kind") == "recursive" else self.loops_at(True, place)

    def way_to(self, kernel, site):
        """The path to the innermost function, or loop, that a site is in."""
        inner, place = (), site  # of the functions further in
        while place["frame" if place is site else "parent"] is not None:
            inner = (("device function", place["function"], "", 0, 0), *self.device_loops(place), *inner)
            place = self.frames[place["frame" if place is site else "parent"]]
        return (*kernel, *self.device_loops(place), *inner)

    def executed(self, kernel, row):
        """A record of a region's first site stands for those that follow it, too."""
        number = row["site"]
        while number == row["site"] or (number in self.sites and self.sites[number]["follows"]):
            count = sum(int(one.split("=")[1]) for one in self.sites[number]["name"].split())
            self.add(self.way_to(kernel, self.sites[number]), None, instructions=count, thread_instructions=count * len(row["addresses"]))
            number += 1

    def launches(self):
        kernels = {}
        for row in self.rows["launch"]:
            call = self.of_call.get(row["hostCall"]) if row["hostCall"] is not None else None
            path = call or (("cut", "[path not known]", "", 0, 0), ("call", "launch", row["file"], row["line"], 0))
            kernels[row["id"]] = (*path, ("kernel", row["kernel"], "", 0, 0))
            ended = self.launch_ends.get(row["id"])
            self.add(kernels[row["id"]], None, launches=1, device_time=(ended and ended["deviceTime"]) or 0)
        for row in self.rows["record"]:
            site, kernel = self.sites[row["site"]], kernels[row["launch"]]
            if site["operation"] == "instructions":
                self.executed(kernel, row)
                continue
            path = (*self.way_to(kernel, site), ("access", site["operation"], site["file"], site["line"], 0))
            sums = collections.Counter(accesses=len(row["addresses"]), access_bytes=sum(sizes_of(site, row)))
            if site["space"] == "global":
                threads = list(zip(row["addresses"], sizes_of(site, row)))
                for offset, size in parts_of(site, row, row["addresses"]):
                    touched = {at for address, bytes_ in threads
                               for at in range(address + offset, address + (bytes_ if size is None else offset + size))}
                    sums += collections.Counter(requests=1, sectors=len({at // 32 for at in touched}), least_sectors=-(-len(touched) // 32))
            self.add(path, None, **sums)

    def nodes(self):
        """Rows by path, where the table has numbers of nodes."""
        for path, own in self.own.items():
            kind, name, file, line, column = path[-1] if path else ("program", "", "", 0, 0)
            yield {"path": path_text(path), "depth": len(path), "kind": kind, "name": name, "file": file, "line": line, "column": column,
                   **{f"own_{key}": value for key, value in figures(own).items()},
                   **{f"total_{key}": value for key, value in figures(self.total[path]).items()}}

    def procedures(self):
        """Functions, calls, kernels and loops, wherever they are called. What a function accesses is its own, and what is a loop's own. What a
        call of itself did counts once."""
        own, total = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        for path, sums in self.own.items():
            named = [part if part[0] == "loop" else (*part[:2], "", 0, 0) for part in path if part[0] != "access"]
            for procedure in set(named):
                total[procedure].update(sums)
            if named:
                own[named[-1]].update(sums)
                if named[-1][0] == "loop":
                    own[next(part for part in reversed(named) if part[0] != "loop")].update(sums)
        all_api = figures(self.total[()])["api_time"]
        for (kind, name, file, line, column), sums in total.items():
            api = figures(sums)["api_time"]
            processor = sums["processor_time"]
            yield {"kind": kind, "name": name, "file": file, "line": line, "column": column, "cpu_importance": (processor - api) / self.end if processor > api and self.end else 0,
                   "api_importance": api / all_api if all_api else None,
                   **{f"own_{key}": value for key, value in figures(own[kind, name, file, line, column]).items()},
                   **{f"total_{key}": value for key, value in figures(sums).items()}}

    def kinds(self):
        everything = self.total[()]
        all_api = figures(everything)["api_time"]
        for kind in KINDS:
            api = api_time(everything, kind)
            yield {"kind": kind, "calls": everything[f"{kind}_calls"], "call_time": everything[f"{kind}_time"], "api_time": api,
                   "api_importance": api / all_api if all_api else None}

    def tables(self):
        return {"profile_nodes": list(self.nodes()), "profile_procedures": list(self.procedures()), "profile_kinds": list(self.kinds()),
                "profile_threads": [{"id": number, "name": name, **figures(sums)} for (number, name), sums in self.threads.items()]}


def path_text(path):
    return " > ".join(f"{kind} {name} {file}:{line}:{column}" for kind, name, file, line, column in path)


def by_path(rows):
    """Of nodes as the table has them: their paths in place of their numbers and their parents'."""
    paths = {}
    for row in rows:
        part = (row["kind"], row["name"] or "", row["file"] or "", row["line"], row["column"])
        paths[row["id"]] = (*paths[row["parent"]], part) if row["parent"] is not None else ()
        yield {"path": path_text(paths[row["id"]]), **{key: value for key, value in row.items() if key not in ("id", "parent")}}


def profile_tables(rows):
    """A trace that has nothing of the host has no rows in these tables."""
    if not any(row["type"] in ("hostCall", "hostSample") for row in rows):
        return dict.fromkeys(("profile_nodes", "profile_procedures", "profile_kinds", "profile_threads"), [])
    return Profile(rows).tables()

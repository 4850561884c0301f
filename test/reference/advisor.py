"""What `cupranalyze advise` prints, by the definitions of docs/analysis.md: byte by byte, for each way to cut the grids.

The partition of the graph of CTAs is METIS's: `results --parts` tells it, and all else is computed.
"""
import collections
import itertools

KINDS = ("x", "y", "z", "block", "cyclic", "graph")


class Settings:
    """As the options of `advise`; the defaults of a device of which nothing is known."""

    def __init__(self, gpus=(2, 4, 8), topology="switch", link=450e9, latency=5e-6, packet=32, overlap=False,
                 multiprocessors=132, kernel_time=None):
        self.gpus, self.topology, self.link, self.latency = gpus, topology, link, latency
        self.packet, self.overlap, self.multiprocessors, self.kernel_time = packet, overlap, multiprocessors, kernel_time

    def options(self):
        words = [f"--gpus={','.join(map(str, self.gpus))}", f"--topology={self.topology}", f"--link={self.link / 1e9}",
                 f"--latency={self.latency * 1e6}", f"--packet={self.packet}", f"--multiprocessors={self.multiprocessors}"]
        words += ["--overlap"] if self.overlap else []
        return words + ([f"--kernel-time={self.kernel_time * 1e3}"] if self.kernel_time else [])


class Cut:
    """`device(grid, cta)`: where a CTA runs."""

    def __init__(self, kind, devices, tiles=(1, 1, 1), parts=None):
        self.kind, self.devices, self.tiles, self.parts = kind, devices, tiles, parts

    def device(self, grid, cta):
        if self.kind == "cyclic":
            return cta % self.devices
        if self.kind == "graph":
            return self.parts[self.devices, grid, cta]
        place = (cta % grid[0], cta // grid[0] % grid[1], cta // grid[0] // grid[1])
        x, y, z = (at * parts // size for at, parts, size in zip(place, self.tiles, grid))
        return (z * self.tiles[1] + y) * self.tiles[0] + x


def cuts_for(grids, devices, parts):
    largest = [max(grid[i] for grid in grids) for i in range(3)]
    for kind, tiles in (("x", (devices, 1, 1)), ("y", (1, devices, 1)), ("z", (1, 1, devices))):
        if all(n <= most for n, most in zip(tiles, largest)):
            yield Cut(kind, devices, tiles)
    blocks = [tiles for tiles in itertools.product(range(1, devices + 1), repeat=3)
              if tiles[0] * tiles[1] * tiles[2] == devices and sum(n > 1 for n in tiles) > 1
              and all(n <= most for n, most in zip(tiles, largest))]
    yield from (Cut("block", devices, tiles) for tiles in sorted(blocks, key=lambda t: t[::-1]))
    if max(largest) > 1:
        yield Cut("cyclic", devices)
    if any(key[0] == devices for key in parts):
        yield Cut("graph", devices, parts=parts)


def route(topology, devices, start, end):
    """Names of the links on the way."""
    if topology == "ring":
        up = (end - start) % devices
        if up <= devices - up:
            return [("up", (start + i) % devices) for i in range(up)]
        return [("down", (start - i) % devices) for i in range(devices - up)]
    way = [("out", start)]
    if topology == "tree" and start // 2 != end // 2:
        way += [("to root", start // 2), ("from root", end // 2)]
    return way + [("into", end)]


class Evaluation:
    """Of one cut."""

    def __init__(self, document, cut, settings, transferred):
        self.document, self.a, self.cut, self.settings = document, document.a, cut, settings
        self.steps = max(self.a.supersteps.values()) + 1
        self.flows = collections.Counter()  # (destination, source, from, to)
        self.once = self.from_host = 0
        self.memory = self.follow()
        self.row = self.figures(transferred)

    def device(self, launch, cta):
        return self.cut.device(tuple(self.document.grid(launch)), cta)

    def follow(self):
        """Goes through what happened to memory; gives the bytes that the GPU which needs most needs."""
        holders, touched = {}, {}  # byte -> GPUs
        needed = collections.defaultdict(collections.Counter)  # GPU -> allocation -> bytes
        for what, *rest in self.a.story:
            if what == "forgotten":
                for at in [at for at in touched.keys() | holders.keys() if rest[0] <= at < rest[1]]:
                    holders.pop(at, None)
                    touched.pop(at, None)
            elif what == "host writes":
                holders[rest[0]] = set()
            elif what == "handed on":
                holders.update({to: set(holders.get(start, ())) for to, start in rest[0].items()})
            else:
                launch, at, allocation, readers, source, writers, last = rest
                gpus = {self.device(launch, cta) for cta in readers}
                if source is not None:
                    fresh = gpus - holders.setdefault(at, set())
                    holders[at] |= gpus
                    if source == "host":
                        self.from_host += len(fresh)
                    else:
                        self.once += len(fresh)
                        writer = self.device(*source)
                        for gpu in gpus - {writer}:
                            self.flows[launch, source[0], writer, gpu] += 1
                gpus |= {self.device(launch, cta) for cta in writers}
                if last is not None:
                    holders[at] = {self.device(launch, last)}
                for gpu in gpus - touched.setdefault(at, set()):
                    needed[gpu][allocation] += 1
                touched[at] |= gpus
        return max((self.peak(bytes_) for bytes_ in needed.values()), default=0)

    def peak(self, by_allocation):
        most = now = sum(size for allocation, size in by_allocation.items() if allocation is None)
        changes = []
        for row in self.a.allocations.all:
            changes.append((row["order"], by_allocation[row["id"]]))
            if row["freedOrder"] is not None:
                changes.append((row["freedOrder"], -by_allocation[row["id"]]))
        for _, size in sorted(changes, key=lambda change: change[0]):
            now += size
            most = max(most, now)
        return most

    def figures(self, transferred):
        crossing, loads = [0] * self.steps, collections.defaultdict(collections.Counter)
        for (launch, _, start, end), size in self.flows.items():
            step = self.a.supersteps[launch]
            crossing[step] += size
            for link in route(self.settings.topology, self.cut.devices, start, end):
                loads[step][link] += -(-size // self.settings.packet) * self.settings.packet
        seconds = [self.settings.latency + max(loads[step].values()) / self.settings.link if crossing[step] else 0
                   for step in range(self.steps)]
        one, several = self.work()
        parallelism = min(sum(one) / sum(several), self.cut.devices) if sum(several) else 1
        return {"devices": self.cut.devices, "cut": self.cut.kind, "tiles": list(self.cut.tiles),
                "crossingBytes": sum(crossing), "crossingOnceBytes": self.once,
                "crossingShare": sum(crossing) / transferred if transferred else 0,
                "readFromHostBytes": self.from_host, "memoryBytes": self.memory, "supersteps": crossing,
                "balance": self.balance("bytes"), "accessBalance": self.balance("accesses"), "parallelism": parallelism,
                "seconds": sum(seconds), "speedup": self.speedup(one, several, parallelism, seconds), **self.inside()}

    def balance(self, what):
        sums = collections.Counter()
        for (launch, cta), volume in self.a.of_cta.items():
            sums[self.device(launch, cta)] += volume[what]
        return max(sums.values()) * self.cut.devices / sum(sums.values()) if sum(sums.values()) else 1

    def work(self):
        """By superstep, in bytes of one multiprocessor: on one GPU, and on the busiest of several."""
        ctas = collections.defaultdict(list)  # (superstep, GPU) -> bytes
        for (launch, cta), volume in self.a.of_cta.items():
            ctas[self.a.supersteps[launch], self.device(launch, cta)].append(volume["bytes"])
        one, several = [], []
        for step in range(self.steps):
            by_gpu = [ctas[step, gpu] for gpu in range(self.cut.devices)]
            several.append(max(map(self.time, by_gpu)))
            one.append(self.time(sum(by_gpu, [])))
        return one, several

    def time(self, sizes):
        return max(sum(sizes) / self.settings.multiprocessors, max(sizes, default=0))

    def speedup(self, one, several, parallelism, seconds):
        kernels = self.settings.kernel_time
        if not kernels:
            return None
        whole = sum(one)
        if not self.settings.overlap or not whole:
            return kernels / (kernels / parallelism + sum(seconds))
        return kernels / sum(max(kernels * most / whole, link) for most, link in zip(several, seconds))

    def inside(self):
        kernels = collections.Counter()
        for (_, order, first, second), transfer in self.a.transfers.items():
            if order == "insideLaunch" and self.device(*first) != self.device(*second) and transfer["bytes"]:
                kernels[self.a.launches[second[0]]["kernel"]] += transfer["bytes"]
        rows = [{"kernel": kernel, "bytes": size} for kernel, size in kernels.items()]
        return {"insideLaunchesBytes": sum(kernels.values()),
                "inside": sorted(rows, key=lambda row: (-row["bytes"], row["kernel"]))}


def best_of(rows):
    most = max(row["parallelism"] for row in rows)
    return min(range(len(rows)), key=lambda i: (
        -round((rows[i]["speedup"] or 0) * 1e12), rows[i]["speedup"] is None and rows[i]["parallelism"] < 0.9 * most,
        round(rows[i]["seconds"] * 1e15), rows[i]["crossingBytes"]))


def atomics(analysis):
    sums = collections.Counter()
    for (_, order, first, second), row in analysis.dependences.items():
        if order == "insideLaunch":
            for place in {first, second}:
                if place[4].startswith("atomic"):
                    sums[place[:4]] += row["otherIndexBytes"]
    rows = [{"kernel": kernel, "file": file, "line": line, "column": column, "bytes": size}
            for (kernel, file, line, column), size in sums.items() if size]
    return sorted(rows, key=lambda row: (-row["bytes"], row["kernel"], row["file"], row["line"], row["column"]))


def advise(document, settings, parts):
    """`parts`: (GPUs, grid, CTA) -> GPU. None: there is nothing to share."""
    a = document.a
    if not any(cta for _, cta in a.of_cta):
        return None
    grids = {tuple(document.grid(launch)) for launch in a.launches}
    transferred = sum(document.between_launches.values())
    result = {"cuts": [], "best": [], "atomics": atomics(a)}
    for devices in settings.gpus:
        rows = []
        for _, cuts in itertools.groupby(cuts_for(grids, devices, parts), key=lambda cut: cut.kind):
            same = [Evaluation(document, cut, settings, transferred).row for cut in cuts]
            rows.append(same[best_of(same)])
        result["best"].append(len(result["cuts"]) + best_of(rows))
        result["cuts"] += rows
    return result


def seconds_text(seconds):
    if 0 < seconds < 1e-9:
        return "<1 ns"
    value, unit = round(seconds * 1e9), "ns"
    if value < 1000:
        return f"{value} ns"
    for unit in ("us", "ms", "s"):
        value /= 1000
        if value < 999.95:
            break
    return f"{value:.1f} {unit}"


def bytes_text(size):
    if size < 1024:
        return f"{size} B"
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1023.95:
            break
    return f"{size:.1f} {unit}"


def cut_text(row):
    if row["cut"] == "block":
        x, y, z = row["tiles"]
        return f"{x}x{y}{'' if z == 1 else f'x{z}'} blocks"
    return {"cyclic": "cyclic", "graph": "graph partition"}.get(row["cut"], f"cut in {row['cut']}")


def advice_text(advice):
    """The lines of the table, and of what is below it with numbers but for the assumptions."""
    lines = []
    for number, row in enumerate(advice["cuts"]):
        words = [row["devices"], cut_text(row), f"{row['crossingBytes']:,}", f"{row['crossingOnceBytes']:,}",
                 f"{100 * row['crossingShare']:.1f} %"]
        words += [f"{row['insideLaunchesBytes']:,}"] if row["insideLaunchesBytes"] else []
        words += [f"{row['readFromHostBytes']:,}", bytes_text(row["memoryBytes"]), f"{row['balance']:.2f}",
                  f"{row['accessBalance']:.2f}", f"{row['parallelism']:.2f}", seconds_text(row["seconds"])]
        words += [f"{row['speedup']:.2f}"] if row["speedup"] is not None else []
        words += ["best"] if number in advice["best"] else []
        lines.append(" ".join(map(str, words)))
    kernels = collections.Counter()
    for row in advice["cuts"]:
        for inside in row["inside"]:
            kernels[inside["kernel"]] = max(kernels[inside["kernel"]], inside["bytes"])
    lines += [f"{kernel}: {bytes_text(size)} at most" for kernel, size in kernels.items()]
    if kernels:
        lines += [f"{row['file']}:{row['line']}:{row['column']} {row['kernel']}: {bytes_text(row['bytes'])}"
                  for row in advice["atomics"]]
    return lines

"""What the statements are about, computed from the results of one program (docs/results.schema.json).

Terms are those of docs/analysis.md; a transfer is what one CTA wrote and another one read in a later launch.

The thesis counts as communication what is "accessed by another CTA or another kernel" (6.2.1): `handed_on`.
"""

import math
from dataclasses import asdict, dataclass

DOMINANT = 0.05  # of all transfers: a size that more of them have is dominant


@dataclass(frozen=True)
class Spread:
    """Of a number of partners over the CTAs that have any."""

    mean: float
    deviation: float

    @property
    def variation(self):
        return self.deviation / self.mean if self.mean else 0.0

    @staticmethod
    def of(histogram):
        """Of entries {"partners", "ctas"}."""
        ctas = sum(entry["ctas"] for entry in histogram)
        if not ctas:
            return Spread(0.0, 0.0)
        mean = sum(entry["partners"] * entry["ctas"] for entry in histogram) / ctas
        variance = sum((entry["partners"] - mean) ** 2 * entry["ctas"] for entry in histogram) / ctas
        return Spread(mean, math.sqrt(variance))


@dataclass(frozen=True)
class Slope:
    """A stretch of the transfer sizes' cumulative distribution between two dominant sizes."""

    smallest: int  # bytes
    largest: int
    sizes: int  # different ones
    share: float  # of all transfers
    straightness: float  # R^2 of a straight line through the cumulative numbers


@dataclass(frozen=True)
class Figures:
    launches: int
    accesses: int
    blocks: int  # CTAs of the largest launch
    load_bytes: int
    store_bytes: int
    written: int  # distinct bytes
    share: float  # of what is written: a later launch read it
    handed_on: float  # the same, by another CTA or another kernel
    sizes: tuple  # (bytes, share of the transfers), most frequent first
    slopes: tuple
    in_degree: Spread
    out_degree: Spread
    bisection: dict  # dimension -> (bytes, share of the volume of transfers)
    along: dict | None  # dimension -> bytes of the transfers between CTAs that differ in it, if they are listed
    load_strides: tuple  # (stride in bytes or None: all others, share of the bytes), largest share first
    distances: tuple  # (superstep distance, bytes)
    loads: tuple  # by superstep: distinct bytes read that earlier launches wrote
    stores: tuple  # by superstep: distinct bytes written that later launches read
    transferred: tuple  # by superstep: bytes of transfers to its launches
    read_by_threads: tuple  # by superstep: of threads' reads of what earlier launches wrote
    degrees: tuple  # by superstep whose stores are read: mean number of partners that read from a CTA
    deviations: tuple  # likewise: its standard deviation

    @property
    def loads_per_store(self):
        return self.load_bytes / self.store_bytes

    @property
    def sizes_for_most(self):
        """How many sizes it takes to cover nine of ten transfers."""
        covered = 0.0
        for number, (_, share) in enumerate(self.sizes, 1):
            covered += share
            if covered >= 0.9:
                return number
        return len(self.sizes)

    def plain(self):
        return asdict(self)

    @staticmethod
    def of(results):
        volume, launches = results["volume"], {launch["id"]: launch for launch in results["launches"]}
        read_later = [step for step in results["supersteps"] if step["storeBytes"]]
        sizes = results["transferSizes"]
        loads = results["strides"]["loads"]
        read = sum(entry["bytes"] for entry in loads)
        return Figures(
            launches=len(launches),
            accesses=volume["loads"] + volume["stores"] + volume["atomics"],
            blocks=max(math.prod(launch["grid"]) for launch in launches.values()),
            load_bytes=volume["loadBytes"],
            store_bytes=volume["storeBytes"],
            written=volume["uniqueWrittenBytes"],
            share=results["communicated"]["share"],
            handed_on=results["communicated"]["handedOnBytes"] / volume["uniqueWrittenBytes"],
            sizes=tuple(sorted(((entry["bytes"], entry["transfers"] / sizes["transfers"]) for entry in sizes["sizes"]),
                               key=lambda entry: -entry[1])),
            slopes=slopes(sizes["sizes"]),
            in_degree=Spread.of(results["degrees"]["in"]),
            out_degree=Spread.of(results["degrees"]["out"]),
            bisection={name: (cut["bytes"], cut["relative"]) for name, cut in results["bisection"].items() if cut},
            along=exchange(results["transfers"], launches) if "transfers" in results else None,
            load_strides=tuple((entry["stride"], entry["bytes"] / read) for entry in loads),
            distances=tuple((entry["distance"], entry["bytes"]) for entry in results["distances"]),
            loads=tuple(step["loadBytes"] for step in results["supersteps"]),
            stores=tuple(step["storeBytes"] for step in results["supersteps"]),
            transferred=tuple(step["transferBytes"] for step in results["supersteps"]),
            read_by_threads=tuple(step["readByThreadsBytes"] for step in results["supersteps"]),
            degrees=tuple(step["outDegree"]["mean"] for step in read_later),
            deviations=tuple(step["outDegree"]["deviation"] for step in read_later),
        )


def exchange(transfers, launches):
    """Bytes of transfers by the dimensions in which the coordinates of writer and reader differ."""
    along = dict.fromkeys("xyz", 0)
    for transfer in transfers:
        if "host" in (transfer["source"], transfer["destination"]):
            continue
        source = place(transfer["sourceCta"], launches[transfer["source"]]["grid"])
        destination = place(transfer["destinationCta"], launches[transfer["destination"]]["grid"])
        for dimension, a, b in zip("xyz", source, destination):
            if a != b:
                along[dimension] += transfer["bytes"]
    return along


def place(cta, grid):
    """Coordinates of a CTA from its linear number."""
    return cta % grid[0], cta // grid[0] % grid[1], cta // (grid[0] * grid[1])


def slopes(sizes):
    """Stretches of many rare sizes below, between and above the dominant ones."""
    total = sum(entry["transfers"] for entry in sizes)
    found, stretch = [], []
    for entry in [*sizes, None]:
        if entry is not None and entry["transfers"] < DOMINANT * total:
            stretch.append((entry["bytes"], entry["transfers"]))
            continue
        if len(stretch) >= 5:
            found.append(Slope(stretch[0][0], stretch[-1][0], len(stretch),
                               sum(transfers for _, transfers in stretch) / total, straightness(stretch)))
        stretch = []
    return tuple(found)


def straightness(stretch):
    """R^2 of the line that fits (size, transfers up to this size) best."""
    points, sum_ = [], 0
    for size, transfers in stretch:
        sum_ += transfers
        points.append((size, sum_))
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in points)
    xx = sum((x - mean_x) ** 2 for x, _ in points)
    yy = sum((y - mean_y) ** 2 for _, y in points)
    return xy * xy / (xx * yy) if xx and yy else 0.0

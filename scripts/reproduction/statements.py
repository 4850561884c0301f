"""The thesis's qualitative results (chapter 6), each as a rule over the figures of the programs that it speaks of."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Callable

REGULAR = ("hs2d", "hs3d", "hist", "nbody")
IRREGULAR = ("path", "bfs")
ALL = REGULAR + IRREGULAR


@dataclass(frozen=True)
class Judgement:
    program: str
    measured: str
    holds: bool


@dataclass(frozen=True)
class Statement:
    key: str
    section: str
    says: str  # the thesis, in short
    rule: str  # when it holds
    judge: Callable  # dictionary of Figures -> list of Judgement


def percent(share):
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return f"{100 * share:.2f} %" if share >= 0.9995 or share < 0.0095 else f"{100 * share:.1f} %"


def each(programs, measured, holds):
    """A judge that looks at one program at a time."""
    return lambda figures: [Judgement(name, measured(figures[name]), holds(figures[name])) for name in programs]


def irregular_less(figures):
    least = min(figures[name].handed_on for name in REGULAR)
    return [Judgement(name, f"{percent(figures[name].handed_on)}; the regular ones from {percent(least)}",
                      figures[name].handed_on < least) for name in IRREGULAR]


def two_slopes(figures):
    path = figures["path"].slopes
    text = " and ".join(f"{slope.smallest} to {slope.largest} bytes ({slope.sizes} sizes, {percent(slope.share)} of the"
                        f" transfers, R² {slope.straightness:.4f})" for slope in path)
    return [Judgement("path", text or "none", len(path) == 2 and all(slope.straightness > 0.99 for slope in path))]


def gathers(figures):
    def of(name):
        return figures[name].in_degree.mean, figures[name].load_strides[0][0] or 0

    degree, stride = of("hist")
    others = [of(name) for name in ALL if name != "hist"]
    most_degree, most_stride = max(other[0] for other in others), max(other[1] for other in others)
    return [Judgement("hist", f"mean in-degree {degree:,.0f}, load stride {stride} bytes; the others at most {most_degree:,.0f}"
                              f" and {most_stride}", degree > most_degree and stride > most_stride)]


def varies_most(figures):
    def of(name):
        return min(figures[name].in_degree.variation, figures[name].out_degree.variation)

    bfs = figures["bfs"]
    most = max(max(figures[name].in_degree.variation, figures[name].out_degree.variation) for name in ALL if name != "bfs")
    text = (f"deviation / mean {bfs.in_degree.variation:.2f} (in), {bfs.out_degree.variation:.2f} (out);"
            f" the others at most {most:.2f}")
    return [Judgement("bfs", text, of("bfs") > most)]


def suffers_in_y(figures):
    (x, _), (y, _) = figures["hs3d"].bisection["x"], figures["hs3d"].bisection["y"]
    return [Judgement("hs3d", f"{y:,} bytes over a cut in y, {x:,} in x", y > 1.1 * x)]


def lowest_bisection(figures):
    def of(name):
        return max(share for _, share in figures[name].bisection.values())

    least = min(of(name) for name in ALL if name != "path")
    return [Judgement("path", f"{percent(of('path'))} of the transfers' volume; the others from {percent(least)}",
                      of("path") < least)]


def reach(figures):
    """The largest superstep distance, and the share of the longer ones."""
    total = sum(bytes_ for _, bytes_ in figures.distances)
    later = sum(bytes_ for distance, bytes_ in figures.distances if distance)
    return f"distance up to {max(distance for distance, _ in figures.distances)}, {percent(later / total)} beyond 0"


def inner(volumes):
    """Without supersteps that can't take part: the first reads nothing from launches, what the last writes nobody reads."""
    return [volume for volume in volumes if volume]


def constant(figures):
    loads, stores = set(inner(figures.loads)), set(inner(figures.stores))
    return len(loads) == 1 and len(stores) == 1


def constant_text(figures):
    def text(volumes):
        least, most = min(volumes), max(volumes)
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    return f"loads {text(inner(figures.loads))}, stores {text(inner(figures.stores))} bytes per superstep"


def zigzags(volumes):
    ups = [b > a for a, b in pairwise(volumes)]
    return len(ups) > 2 and all(a != b for a, b in pairwise(ups)) and all(a != b for a, b in pairwise(volumes))


def zigzag(figures):
    nbody = figures["nbody"]
    # From the first superstep that reads what both kernels have written.
    read, stored = nbody.read_by_threads[2:], set(inner(nbody.stores))
    return [Judgement("nbody", f"{', '.join(f'{volume:,}' for volume in read[:4])} ... bytes read by threads;"
                               f" stores {', '.join(f'{volume:,}' for volume in stored)}", zigzags(read) and len(stored) == 1)]


def halves(volumes):
    """Means of the earlier and of the later half."""
    middle = len(volumes) // 2
    early, late = volumes[:middle], volumes[len(volumes) - middle:]
    return sum(early) / middle, sum(late) / middle


def fluctuation(figures):
    early, late = halves(figures.deviations)
    peak = max(range(len(figures.deviations)), key=figures.deviations.__getitem__)
    return (f"mean deviation {early:.2f} in the earlier half of the supersteps, {late:.2f} in the later; largest"
            f" {figures.deviations[peak]:.2f} in number {peak + 1} of {len(figures.deviations)}, last {figures.deviations[-1]:.2f}")


STATEMENTS = (
    Statement("at-least-30", "6.2.1", "At least 30 % of any application's writes are read by another CTA or another kernel",
              "at least 30 %", each(ALL, lambda f: percent(f.handed_on), lambda f: f.handed_on >= 0.3)),
    Statement("very-high", "6.2.1", "N-body and histogram show a very high ratio of communication", "at least 80 %",
              each(("nbody", "hist"), lambda f: percent(f.handed_on), lambda f: f.handed_on >= 0.8)),
    Statement("near-half", "6.2.1", "Both hotspots show almost 50 %", "40 to 60 %",
              each(("hs2d", "hs3d"), lambda f: percent(f.handed_on),
                   lambda f: 0.4 <= f.handed_on <= 0.6)),
    Statement("irregular-less", "6.2.1", "The irregular applications communicate less than the four regular ones",
              "less than each regular one", irregular_less),
    Statement("order-of-magnitude", "6.2.1", "Loads exceed stores by at least an order of magnitude",
              "at least ten bytes loaded for one stored",
              each(ALL, lambda f: f"{f.loads_per_store:.1f} : 1", lambda f: f.loads_per_store >= 10)),
    Statement("few-sizes", "6.2.2", "One or few transfer sizes dominate, except in pathfinder",
              "at most four sizes make nine of ten transfers",
              each(REGULAR + ("bfs",), lambda f: f"{f.sizes_for_most} of {len(f.sizes)}", lambda f: f.sizes_for_most <= 4)),
    Statement("two-slopes", "6.2.2", "Pathfinder's distribution of sizes has two slopes of linearly rising probability",
              "two stretches of the distribution between dominant sizes are straight (R² > 0.99)", two_slopes),
    Statement("gathers", "6.2.3, 6.2.5", "Histogram gathers: large in-degree and large load stride",
              "both larger than in any other program", gathers),
    Statement("varies-most", "6.2.3", "BFS has the highest variation of in- and out-degree",
              "deviation / mean above any other program's", varies_most),
    Statement("cut-in-y", "6.2.4", "A cut in y is not favourable for hotspot 3D", "a tenth more bytes over a cut in y than in x",
              suffers_in_y),
    Statement("low-bisection", "6.2.4", "Pathfinder has a very low bisection volume", "less of its volume than in any other program",
              lowest_bisection),
    Statement("several-supersteps", "6.3.2", "BFS reads what was written several supersteps ago", "distances beyond 1",
              each(("bfs",), reach, lambda f: any(distance > 1 for distance, _ in f.distances))),
    Statement("next-superstep", "6.3.2", "All others read in the superstep that follows the write", "distance 0 only",
              each(tuple(name for name in ALL if name != "bfs"), reach, lambda f: all(not distance for distance, _ in f.distances))),
    Statement("stencils-constant", "6.3.1", "The stencils do not vary their volumes from superstep to superstep",
              "one volume of loads and one of stores", each(("hs2d", "hs3d"), constant_text, constant)),
    Statement("zig-zag", "6.3.1", "N-body's loads zig-zag, its stores are constant",
              "bytes that threads load rise and fall in turn, stored bytes are the same in each", zigzag),
    Statement("fluctuates", "6.4.1", "The out-degree of pathfinder and BFS fluctuates more as iterations go on",
              "larger deviation in the later half",
              each(IRREGULAR, fluctuation, lambda f: halves(f.deviations)[1] > halves(f.deviations)[0])),
)

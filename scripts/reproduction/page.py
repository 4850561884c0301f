"""The page docs/reproduction.md."""

from .causes import CAUSES
from .statements import STATEMENTS, percent

HEAD = """# Reproduction of Rieber 2017

D. S. Rieber's master thesis *Characterization of GPU Communication* ([Rieber 2017](references.md#rieber-2017)) evaluated six programs. `make reproduce` runs
programs of the same kind and size, written for this project ([examples](../examples)), computes a figure for each of the
thesis's qualitative results, and writes this page. The figures are those of `cupranalyze comm --json`
([analysis](analysis.md)); all else of a run is in `build/reproduce/results.json`.
[Another page](reproduction-beranek.md) does so for the study that recording and the viewer follow.

    make reproduce                                  # on the CPU device, as below
    scripts/reproduce --device=gpu --arch=sm_90     # on a GPU
    scripts/reproduce --small                       # a moment: the test `reproduce`
"""

CHOICES = """The thesis took the programs of Rodinia, the CUDA SDK and a course; these here are written anew from its description. Where it says
nothing, we chose before measuring: blocks of 16 x 16 threads (hs2d), 64 x 4 (hs3d), 256 (path, bfs, the second kernel of hist), 64 (hist) and 32 (nbody: 16
blocks; its density map speaks of 15); halos of two steps, the least that is deep; random weights and graphs of our own, with a mean
degree of 6.
"""

COUNTING = """## What is counted

Chapter 4 of the thesis defines communication as data that is written in one superstep and read in a later one. Its chapter 6 counts what
is read \"by another CTA or another kernel\": data that a CTA keeps for itself, from a launch to the next of the same kernel, is left
out. `comm` gives both. Below, *communicated* follows chapter 4 and *handed on* chapter 6; the statements on shares are about
the latter.

Bytes count once per launch that writes them. Loads per store are bytes accessed by threads, as in `info`.
"""


CHARTS = """Sizes of transfers, as the share of all transfers that are not larger (figure 6.2 of the thesis):

![Cumulative distribution of transfer sizes](images/reproduction-sizes.svg)

Bytes that CTAs read of earlier launches, and bytes stored that later launches read, by superstep (figure 6.7):

![Volumes by superstep](images/reproduction-volumes.svg)

How many CTAs read from a CTA, by superstep (figure 6.9):

![Out-degree by superstep](images/reproduction-degrees.svg)
"""


def verdict(judgements):
    held = sum(judgement.holds for judgement in judgements)
    if held == len(judgements):
        return "holds"
    failed = ", ".join(judgement.program for judgement in judgements if not judgement.holds)
    return f"not for {failed}" if held else "does not hold"


def table(heading, rows):
    lines = [f"| {' | '.join(heading)} |", f"| {' | '.join('---' for _ in heading)} |"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def programs_table(runs):
    rows = []
    for program, run in runs.items():
        figures = run.figures
        rows.append([f"{program.name}", f"[{program.folder}](../examples/{program.folder})", program.size,
                     f"`{program.target} {' '.join(run.arguments)}`", f"{figures.launches}", f"{figures.blocks:,}",
                     f"{figures.accesses:,}", f"{run.trace_bytes / 1024:,.0f} KiB"])
    return table(["program", "example", "size in the thesis", "run", "launches", "CTAs", "accesses", "trace"], rows)


def statements_table(judged):
    rows = []
    for statement in STATEMENTS:
        judgements = judged[statement.key]
        measured = "<br>".join(f"{judgement.program}: {judgement.measured}" for judgement in judgements)
        rows.append([f"{statement.says} ({statement.section})", statement.rule, measured, f"**{verdict(judgements)}**"])
    return table(["the thesis", "holds if", "measured", "verdict"], rows)


def deviations(judged):
    parts = []
    for statement in STATEMENTS:
        failed = [judgement.program for judgement in judged[statement.key] if not judgement.holds]
        if not failed:
            continue
        parts.append(f"**{statement.says}.**\n")
        for program in failed:
            cause = CAUSES.get((statement.key, program), "The cause is not known.")
            parts.append(f"- {program}: {cause}")
        parts.append("")
    return "\n".join(parts)


def figures_table(runs):
    def row(name, value):
        return [name, *(value(run.figures) for run in runs.values())]

    def spread(of):
        return f"{of.mean:,.2f} ± {of.deviation:,.2f}"

    def cut(figures, dimension):
        if dimension not in figures.bisection:
            return "-"
        bytes_, share = figures.bisection[dimension]
        return f"{bytes_:,} ({percent(share)})"

    def exchanged(figures, dimension):
        return f"{figures.along[dimension]:,}" if figures.along else "-"

    def strides(figures):
        return ", ".join(f"{'others' if stride is None else stride} ({percent(share)})" for stride, share in figures.load_strides[:3])

    def sizes(figures):
        return "<br>".join(f"{bytes_:,} ({percent(share)})" for bytes_, share in figures.sizes[:3])

    rows = [
        row("communicated, of written bytes", lambda f: percent(f.share)),
        row("handed on, of written bytes", lambda f: percent(f.handed_on)),
        row("bytes loaded per byte stored", lambda f: f"{f.loads_per_store:.2f}"),
        row("most frequent transfer sizes, bytes", sizes),
        row("different transfer sizes", lambda f: f"{len(f.sizes):,}"),
        row("in-degree, mean ± deviation", lambda f: spread(f.in_degree)),
        row("out-degree, mean ± deviation", lambda f: spread(f.out_degree)),
        row("cut in x, bytes", lambda f: cut(f, "x")),
        row("cut in y, bytes", lambda f: cut(f, "y")),
        row("between CTAs that differ in x, bytes", lambda f: exchanged(f, "x")),
        row("between CTAs that differ in y, bytes", lambda f: exchanged(f, "y")),
        row("load strides, bytes", strides),
        row("largest superstep distance", lambda f: f"{max(distance for distance, _ in f.distances)}"),
    ]
    return table(["", *(program.name for program in runs)], rows)


def page(runs, judged, device, size):
    return "\n".join([
        HEAD, f"The figures below come from a run on {device}{size}.\n",
        "## Programs\n", programs_table(runs), CHOICES, COUNTING,
        "## Statements\n", statements_table(judged),
        "## What does not hold, and why\n", deviations(judged),
        "## Figures\n", figures_table(runs), CHARTS,
    ])

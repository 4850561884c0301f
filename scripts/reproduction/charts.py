"""Small line charts side by side, one per program, as SVG: the thesis's figures 6.2, 6.7 and 6.9."""

from html import escape

WIDTH, HEIGHT = 250, 150  # of a chart
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 26, 30  # room around the plot
COLUMNS = 3
MARKED = 25  # points at most
STYLE = "font-family:sans-serif;font-size:10px"
LINES = ("#1f6fb2", "#c4571a")


def short(value):
    """A label of an axis: 4,194,304 is 4.2M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def chart(title, lines, x_label, left, top):
    """`lines`: lists of points; axes begin at zero. Few points are marked."""
    largest_x = max((x for points in lines for x, _ in points), default=1) or 1
    largest_y = max((y for points in lines for _, y in points), default=1) or 1
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    x0, y0 = left + LEFT, top + TOP + height

    def at(x, y):
        return f"{x0 + width * x / largest_x:.1f},{y0 - height * y / largest_y:.1f}"

    parts = [f'<text x="{x0}" y="{top + TOP - 10}" font-weight="bold">{escape(title)}</text>',
             f'<path d="M{x0},{top + TOP} V{y0} H{x0 + width}" fill="none" stroke="#888"/>']
    for share in (0, 0.5, 1):
        parts.append(f'<text x="{x0 - 4}" y="{y0 - height * share + 3:.1f}" text-anchor="end">{short(largest_y * share)}</text>')
    parts.append(f'<text x="{x0}" y="{y0 + 12}">0</text>')
    parts.append(f'<text x="{x0 + width}" y="{y0 + 12}" text-anchor="end">{short(largest_x)}</text>')
    parts.append(f'<text x="{x0 + width / 2}" y="{y0 + 24}" text-anchor="middle">{escape(x_label)}</text>')
    for colour, points in zip(LINES, lines):
        if points:
            path = " ".join(at(x, y) for x, y in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        if len(points) <= MARKED:
            for point in points:
                x, y = at(*point).split(",")
                parts.append(f'<circle cx="{x}" cy="{y}" r="2" fill="{colour}"/>')
    return "\n".join(parts)


def charts(entries, x_label, legend=()):
    """`entries`: (title, lines) of each chart."""
    rows = (len(entries) + COLUMNS - 1) // COLUMNS
    full = rows * HEIGHT + (16 if legend else 0)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {full}" width="{COLUMNS * WIDTH}"'
             f' height="{full}" style="{STYLE}">', f'<rect width="{COLUMNS * WIDTH}" height="{full}" fill="white"/>']
    for number, (title, lines) in enumerate(entries):
        parts.append(chart(title, lines, x_label, number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT))
    for number, (name, colour) in enumerate(zip(legend, LINES)):
        parts.append(f'<text x="{LEFT + 90 * number}" y="{full - 6}" fill="{colour}">{escape(name)}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def cumulative(sizes):
    """Steps of the distribution of transfer sizes: (bytes, percent of the transfers that are not larger)."""
    points, sum_ = [(0, 0.0)], 0.0
    for bytes_, share in sorted(sizes):
        points.append((bytes_, 100 * sum_))
        sum_ += share
        points.append((bytes_, 100 * sum_))
    return points


def by_superstep(values):
    """Without supersteps that can't take part: nothing is there to read in the first, what the last stores is not read."""
    return [(superstep, value) for superstep, value in enumerate(values) if value]


def pictures(runs):
    """File name -> SVG."""
    figures = [(program.name, run.figures) for program, run in runs.items()]
    return {
        "reproduction-sizes.svg": charts([(f"{name}: % of transfers", [cumulative(f.sizes)]) for name, f in figures],
                                         "bytes of a transfer"),
        "reproduction-volumes.svg": charts(
            [(f"{name}: bytes", [by_superstep(f.transferred), by_superstep(f.stores)]) for name, f in figures],
            "superstep", ("read by CTAs", "stored")),
        "reproduction-degrees.svg": charts(
            [(f"{name}: partners", [list(enumerate(f.degrees)), list(enumerate(f.deviations))]) for name, f in figures],
            "superstep", ("mean out-degree", "deviation")),
    }

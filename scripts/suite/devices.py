"""What a GPU and the CPU device made of one program, and the table of many."""

from dataclasses import dataclass


@dataclass
class Comparison:
    """Texts: "same", or what is not; empty: it was not tried."""

    suite: str
    program: str
    tracing: str = ""  # traced on the GPU beside plain there
    devices: str = ""  # the output of the CPU device beside the GPU's
    threads: str = ""  # the accesses of each thread in both traces
    repeated: str = ""  # the same for two traces of the GPU, if these differ: does the program do the same again?
    launches: int = 0  # traced on the GPU
    accesses: int = 0  # likewise
    differing_launches: int = 0
    seconds_plain: float = 0  # on the GPU
    seconds_traced: float = 0  # on the GPU
    seconds_cpu: float = 0  # the CPU device, traced
    arguments: str = ""


def threads_verdict(found, names=("on the GPU", "on the CPU device")):
    """What `cupranalyze diff --accesses --json` says, in a line: of launches that differ, the first one. `names`: where
    the two traces were made."""
    if found["same"]:
        return "same"
    many = f"{found['different']:,} of {max(found['before']['launches'], found['after']['launches']):,} launches"
    first = found["launches"][0]
    one, other, one_sided = first["before"], first["after"], first["oneSided"]
    if not one or not other:
        return f"{many}; launch {(one or other)['id']} only {names[0 if one else 1]}"
    place = f"{many}; launch {one['id']} ({_short(one['kernel'])})"
    if one_sided:
        least = "" if one_sided["all"] else "at least "
        return (f"{place}: {least}{one_sided['before']:,} of {sum(one['accesses'].values()):,} accesses only {names[0]}, "
                f"{one_sided['after']:,} only {names[1]}, by {one_sided['ctas']:,} blocks")
    return (f"{place} is another {names[1]}: {_short(other['kernel'])}, grid {other['grid']}, block {other['block']}, "
            f"not {one['grid']}, {one['block']}")


def _short(kernel):
    return kernel.split("(")[0].split("<")[0].split(" ")[-1]


def table(rows):
    """Markdown: sums, and a row for each program."""
    def cell(text):
        text = str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
        return text if len(text) <= 200 else text[:197] + "..."

    def same(column):
        return sum(getattr(row, column) == "same" for row in rows)

    def seconds(column):
        return f"{sum(getattr(row, column) for row in rows):.1f}"

    lines = ["| suite | program | traced on the GPU | output of the CPU device | launches | accesses | threads' accesses | "
             "twice on the GPU | s, GPU, plain | s, GPU, traced | s, CPU device, traced |",
             "| --- | --- | --- | --- | ---: | ---: | --- | --- | ---: | ---: | ---: |"]
    for row in sorted(rows, key=lambda row: (row.suite, row.program)):
        lines.append(f"| {row.suite} | {cell(row.program)} | {cell(row.tracing)} | {cell(row.devices)} | {row.launches:,} | "
                     f"{row.accesses:,} | {cell(row.threads)} | {cell(row.repeated)} | {row.seconds_plain:.1f} | {row.seconds_traced:.1f} | "
                     f"{row.seconds_cpu:.1f} |")
    lines.append(f"| | **{len(rows)} programs** | {same('tracing')} same | {same('devices')} same | "
                 f"{sum(row.launches for row in rows):,} | {sum(row.accesses for row in rows):,} | {same('threads')} same | "
                 f"{same('repeated')} same | {seconds('seconds_plain')} | {seconds('seconds_traced')} | {seconds('seconds_cpu')} |")
    return "\n".join(lines) + "\n"

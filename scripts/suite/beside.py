"""Of programs that nvcc and cupr++ were given: what became of each, beside nvcc's on a GPU."""

from collections import Counter

from .outcome import shorten

NOT_RUN = "not run"


def _percent(part, of):
    return f"{part} of {of}" + (f" ({100 * part / of:.1f} %)" if of else "")


def _cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


class _Program:
    """`outcome`: of building; `run`: of its bundle (devices.Comparison as a dictionary); None: it was in none."""

    def __init__(self, outcome, run):
        self.outcome, self.run = outcome, run
        self.is_built = outcome.status == "built"
        #: nvcc's program runs on the GPU, alike each time
        self.runs = bool(run) and not run["tracing"].startswith(("the plain program:", "incomparable:"))
        self.on_gpu = run["tracing"] if self.runs else NOT_RUN
        self.on_cpu = run["devices"] if self.runs else NOT_RUN
        self.is_closed = self.on_cpu == "closed library"

    def cause(self):
        if not self.is_built:
            return self.outcome.cause
        if not self.run:
            return "its data files are large"
        if not self.runs:
            return self.run["tracing"]
        return "; ".join(f"{where}: {said}" for where, said in (("GPU", self.on_gpu), ("CPU device", self.on_cpu)) if said not in ("same", "closed library"))

    def cells(self):
        short = {"same": "same", NOT_RUN: "", "closed library": "closed library", "timeout": "no end"}
        figures = [f"{self.run['accesses']:,}", self.run["arguments"]] if self.runs else ["", ""]
        return ["yes" if self.is_built else "no", short.get(self.on_gpu, "differs"), short.get(self.on_cpu, "differs"), *figures,
                shorten(self.cause())]


def beside_nvcc(suites, runs):
    """Markdown: sums by suite, then a row per program that nvcc builds. `suites`: pairs of a name and outcomes; `runs`: rows of bundles."""
    run_of = {(row["suite"], row["program"]): row for row in runs}
    lines = ["| suite | tried | nvcc builds | of these, `cupr++` builds | nvcc's run on the GPU | traced on the GPU: same, of those that end | no end | "
             "CPU device, without closed libraries: same, of those that end | no end |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    sums, rows = Counter(), []
    for suite, outcomes in suites:
        programs = [_Program(each, run_of.get((suite, each.program))) for each in outcomes if each.status != "not nvcc's"]
        counts = Counter(tried=len(outcomes), nvcc=len(programs), built=sum(each.is_built for each in programs),
                         run=sum(each.runs for each in programs), gpu=sum(each.on_gpu == "same" for each in programs),
                         cpu=sum(each.on_cpu == "same" for each in programs),
                         gpu_late=sum(each.on_gpu == "timeout" for each in programs),
                         cpu_late=sum(each.on_cpu == "timeout" for each in programs),
                         open=sum(each.runs and not each.is_closed for each in programs))
        lines.append(_sums(suite, counts))
        sums += counts
        rows += [[suite, each.outcome.program, *each.cells()] for each in programs]
    lines += [_sums("**all**", sums), "",
              "| suite | program | built | traced on the GPU | CPU device | accesses | arguments | cause |",
              "| --- | --- | --- | --- | --- | ---: | --- | --- |"]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in sorted(rows)]
    return "\n".join(lines) + "\n"


def _sums(name, counts):
    return (f"| {name} | {counts['tried']} | {counts['nvcc']} | {_percent(counts['built'], counts['nvcc'])} | {counts['run']} | "
            f"{_percent(counts['gpu'], counts['run'] - counts['gpu_late'])} | {counts['gpu_late']} | "
            f"{_percent(counts['cpu'], counts['open'] - counts['cpu_late'])} | {counts['cpu_late']} |")

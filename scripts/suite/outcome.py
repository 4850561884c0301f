"""What came of one program, and the tables of many."""

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass

# In the order of a table's totals.
STATUSES = {
    "same": "output, exit status and files are the plain program's; the trace verifies",
    "differs": "the traced program's output is another",
    "trace": "the output is the same, but the trace is not whole",
    "traced run failed": "the plain program runs, the traced one fails",
    "timeout": "no end within the time limit, plain or traced",
    "rewrite failed": "cuprewrite gave up",
    "traced build failed": "the plain program builds, the traced one does not",
    "plain run failed": "the program fails untraced on this device (or lacks its data)",
    "no kernel": "the program ends without a launch (most lack their data)",
    "incomparable": "two runs of the plain program differ by more than numbers",
    "build failed": "plain clang++-22 builds it, cupr++ --no-trace does not; with --beside-nvcc: nvcc builds it, cupr++ does not",
    "not clang's": "does not build with plain clang++-22 either",
    "built": "nvcc and cupr++ build it",
    "not nvcc's": "nvcc does not build it either",
}


@dataclass
class Outcome:
    program: str
    status: str
    cause: str = ""
    arguments: str = ""
    folder: str = ""  # the program's, relative to the suite
    executable: str = ""  # relative to the folder
    launches: int = 0
    accesses: int = 0
    library: int = 0  # kernels of libraries (namespaces cub, thrust) that made accesses
    seconds: float = 0  # the traced run's


ERROR = re.compile(r"error:|error :|undefined reference|undefined symbol|no such file|cannot find|can't|PLEASE submit|"
                   r"No rule to make|Stop\.|no end after|ptxas fatal", re.IGNORECASE)


def first_error(log):
    """The line of a build's log that tells most."""
    lines = [line.strip() for line in log.splitlines()]
    found = next((line for line in lines if ERROR.search(line) and not line.startswith("$ ")), None)
    return found or next((line for line in reversed(lines) if line and not line.startswith("$ ")), "no message")


def shorten(cause, length=150):
    cause = cause.replace("cuprewrite: CPU device: kernel ", "CPU device: ")
    cause = re.sub(r"/\S*/(?=[^/\s]+)", "", cause)
    return cause if len(cause) <= length else cause[:length - 3] + "..."


def save(outcomes, path, suite, settings):
    data = {"suite": suite, "settings": settings, "programs": [asdict(each) for each in outcomes]}
    path.write_text(json.dumps(data, indent=1) + "\n")


def load(path):
    """The suite's name and the outcomes that `save` wrote."""
    data = json.loads(path.read_text())
    return data["suite"], [Outcome(**each) for each in data["programs"]]


def table(suites):
    """Markdown: totals, then a row per program. `suites`: pairs of a name and outcomes."""
    def cell(text):
        return str(text).replace("|", "\\|").replace("<", "&lt;")

    rows = {(name, each.program): each for name, outcomes in suites for each in outcomes}  # the last result counts
    names = list(dict.fromkeys(name for name, _ in suites))
    counts = Counter((name, each.status) for (name, _), each in rows.items())
    lines = [f"| {' | '.join(names)} | result | meaning |", "| ---: " * len(names) + "| --- | --- |"]
    for status, meaning in STATUSES.items():
        if any(counts[name, status] for name in names):
            lines.append("| " + " | ".join(str(counts[name, status]) for name in names) + f" | {status} | {meaning} |")
    library = [each for each in rows.values() if each.library and each.status == "same"]
    lines += ["", f"{len(rows)} programs. In {len(library)} of those that are the same, kernels of CUB or Thrust are traced (*).",
              "", "| suite | program | result | launches | accesses | cause |", "| --- | --- | --- | ---: | ---: | --- |"]
    for (name, program), each in sorted(rows.items()):
        figures = (f"{each.launches:,}", f"{each.accesses:,}" + ("*" if each.library else "")) if each.status == "same" else ("", "")
        lines.append(f"| {name} | {cell(program)} | {each.status} | {figures[0]} | {figures[1]} | {cell(shorten(each.cause))} |")
    return "\n".join(lines) + "\n"

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
    "build failed": "plain clang++-22 builds it, cupr++ --no-trace does not",
    "not clang's": "does not build with plain clang++-22 either",
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
    return [Outcome(**each) for each in json.loads(path.read_text())["programs"]]


def table(outcomes, suite):
    """Markdown: totals, then a row per program."""
    def cell(text):
        return str(text).replace("|", "\\|").replace("<", "&lt;")

    counts = Counter(each.status for each in outcomes)
    lines = [f"## {suite}: {len(outcomes)} programs", "", "| programs | result | meaning |", "| ---: | --- | --- |"]
    lines += [f"| {counts[status]} | {status} | {meaning} |" for status, meaning in STATUSES.items() if counts[status]]
    lines += ["", "| program | arguments | result | launches | accesses | cause |", "| --- | --- | --- | ---: | ---: | --- |"]
    for each in sorted(outcomes, key=lambda outcome: outcome.program):
        figures = (f"{each.launches:,}", f"{each.accesses:,}") if each.status == "same" else ("", "")
        lines.append(f"| {cell(each.program)} | {cell(each.arguments)} | {each.status} | {figures[0]} | {figures[1]} | "
                     f"{cell(shorten(each.cause))} |")
    return "\n".join(lines) + "\n"

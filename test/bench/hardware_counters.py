"""What the scripts have in common that set figures of ours beside a GPU's own: they build a folder here, which is taken to a machine that
has a GPU and ncu, and nothing of this tree."""

import csv
import io
import os
import re
import shutil
import subprocess
from pathlib import Path


def run(*command, **environment):
    """What the command prints. RuntimeError: it failed."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command[:3]))}: exit status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def ncu(metrics, *words):
    """The command that prints these metrics of each launch."""
    return ("ncu", "--clock-control", "none", *words, "--csv", "--page", "raw", "--metrics", ",".join(metrics))


def launches_of(text, counters):
    """(kernel, {name: count}) of each launch, in what ncu prints. `counters`: name -> metric."""
    rows = csv.DictReader(io.StringIO(text[text.index('"ID",'):]))
    return [(row["Kernel Name"], {name: int(float(row[metric].replace(",", ""))) for name, metric in counters.items()})
            for row in rows if row["ID"]]


def copy_cupranalyze(tools, into):
    """With its libraries, less what every system with a C++ compiler has, in `lib`."""
    (into / "lib").mkdir(parents=True, exist_ok=True)
    shutil.copy(tools / "cupranalyze", into)
    for name, path in re.findall(r"(\S+) => (/\S+)", run("ldd", tools / "cupranalyze")):
        if not re.match(r"(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so", name):
            shutil.copy(path, into / "lib" / name)


def copy_scripts(into, *scripts):
    for script in (Path(__file__), *scripts):
        shutil.copy(script, into)


def main(parser, verbs, arguments):
    """Runs one of `verbs`, functions of the options. `arguments`: of each, by name, what add_argument takes."""
    of = parser.add_subparsers(required=True)
    for verb in verbs:
        its = of.add_parser(verb.__name__)
        its.set_defaults(verb=verb)
        for names, keywords in arguments[verb.__name__]:
            its.add_argument(*names, **keywords)
    options = parser.parse_args()
    try:
        return options.verb(options)
    except (RuntimeError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


TOOLS = (("--tools",), {"type": Path, "required": True})
INTO = (("--into",), {"type": Path, "required": True})
ARCH = (("--arch",), {"default": "sm_90"})
FOLDER = (("folder",), {"type": Path})
FILE = (("file",), {"type": Path})

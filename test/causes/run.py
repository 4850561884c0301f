#!/usr/bin/env python3
"""Each cause of wasted bandwidth is found in the kernel that people write, and not in the fixed one.

    run.py check --tools build/release/bin [NAME...]            on the CPU device
    run.py build --tools build/release/bin --into DIR [--arch sm_90]      plain programs for a GPU, by clang
    run.py time --from DIR --json FILE                          on a machine with a GPU: both kernels of each, at full size
    run.py table --tools build/release/bin [--times FILE]       the table of docs/findings.md

check: each marked line of the slow kernel has a finding of the file's cause, at its first place; of the fixed one nothing is found, and it
moves fewer sectors, or, of pairs about bank conflicts, takes fewer wavefronts of shared memory. Of what COUNTED lists, and of copies and
launches, what the findings count is less instead; those of copies and launches have the call path to the marked line. At the smallest size, what is found is also what test/reference finds by the definitions. Exit status: 0 all is so,
1 something is not.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "reference"))

from definitions import analyse
from document import Document

TEXTS = ("title", "advice", "expression")  # which the reference leaves out
REPEATS = 20
# Of what the host does: built with -g, so that its calls have lines.
HOST_CAUSES = {"copied-unread": "bytes", "copied-again": "bytes", "copied-unchanged": "bytes", "copy-pageable": "bytes", "copies-small": "copies", "copy-synchronous": "bytes",
               "launch-small": "launches", "launches-as-graph": "launches"}
# What their findings say is all that tells how much it is; no sectors of global memory are spared, or few.
COUNTED = {"never-read": "bytes", "contended-atomics": "accesses", "false-sharing": "accesses", "local-scatter": "sectors", "narrow-elements": "requests"}
# Their findings are of a kernel and have no line: the mark stands in front of its definition.
OF_KERNELS = {"never-read"}
SPACES = {"bank-conflict": "global,shared", "local-scatter": "global,local"}


class Pair:
    def __init__(self, source):
        text = source.read_text()
        self.source, self.name = source, source.stem
        self.cause = re.search(r"^/// cause: (\S+)", text, re.M)[1]
        self.size = re.search(r"for a GPU (\d+)", text)[1]
        self.least = re.search(r"a multiple of (\d+)", text)[1]
        self.algorithm = text.splitlines()[0].removeprefix("/// ").rstrip(".")
        self.is_host = self.cause in HOST_CAUSES
        self.unit = HOST_CAUSES.get(self.cause) or COUNTED.get(self.cause) or ("wavefronts" if self.cause == "bank-conflict" else "sectors")
        self.lines = [number for number, line in enumerate(text.splitlines(), 1) if "// <- waste:" in line]
        self.kernels = re.findall(r"// <- waste:.*\n__global__ void (\w+)\(", text) if self.cause in OF_KERNELS else []

    def __lt__(self, other):
        return self.name < other.name


def pairs(names=()):
    found = sorted(map(Pair, HERE.glob("*.cu")))
    return [pair for pair in found if not names or pair.name in names]


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


class Measured:
    """A pair on the CPU device."""

    def __init__(self, pair, tools, folder):
        self.pair = pair
        program = folder / pair.name
        options = [f"--spaces={SPACES[pair.cause]}"] if pair.cause in SPACES else ["-g"] if pair.is_host else []
        run(tools / "cupr++", "--device=cpu", "-O2", *options, "-o", program, pair.source)
        self.output, self.findings, self.cost = {}, {}, {}
        for version in ("slow", "fixed"):
            trace = folder / f"{pair.name}.{version}.cuprtrace"
            self.output[version] = run(program, version, CUPR_DEVICE="cpu", CUPR_TRACE=str(trace))
            found = json.loads(run(tools / "cupranalyze", "findings", "--json", trace))["findings"]
            # The program brings the data of both kernels to the device, and runs one.
            self.findings[version] = [finding for finding in found if finding["id"] != "copied-unread" or pair.cause == "copied-unread"]
            if pair.is_host or pair.cause in COUNTED:
                self.cost[version] = sum(finding["amount"] for finding in found if finding["id"] == pair.cause)
                continue
            results = json.loads(run(tools / "cupranalyze", "comm", "--json", trace))
            self.cost[version] = sum(row[pair.unit] for row in results["bankKernels" if pair.unit == "wavefronts" else "lines"])
        trace = folder / f"{pair.name}.least.cuprtrace"
        run(program, "slow", pair.least, CUPR_DEVICE="cpu", CUPR_TRACE=str(trace))
        found = json.loads(run(tools / "cupranalyze", "findings", "--json", trace))["findings"]
        rows = map(json.loads, run(tools / "cupranalyze", "export", "--format=json", trace).splitlines())
        self.defined = Document(analyse(rows)).findings()
        self.said = [{name: value for name, value in finding.items() if name not in TEXTS} for finding in found]
        for finding in self.said + self.defined:
            finding["seconds"] = float(f"{finding['seconds']:.9g}")  # sums, in whatever order
        if pair.kernels:
            self.here = {kernel: [f for f in self.findings["slow"] if re.search(rf"\b{kernel}\(", f["kernel"])] for kernel in pair.kernels}
        else:
            self.here = {line: [f for f in self.findings["slow"] if f["line"] == line and Path(f["file"]).name == pair.source.name] for line in pair.lines}
        self.spared = sum(f["amount"] for f in self.findings["slow"] if f["unit"] == pair.unit)

    def problems(self):
        for line, here in self.here.items():
            if not here:
                yield f"nothing was found in {'line ' * (not self.pair.kernels)}{line}: {[(f['id'], f['line']) for f in self.findings['slow']]}"
            elif here[0]["id"] != self.pair.cause:
                yield f"line {line} has the cause {here[0]['id']}, and should have {self.pair.cause}"
            elif self.pair.is_host and not re.match(r"main > .*::slow\(\)", here[0]["path"]):
                yield f"the call path is {here[0]['path']}"
        for finding in self.findings["slow"]:
            if all(finding not in here for here in self.here.values()):
                yield f"the slow kernel has another finding: {finding['id']} in line {finding['line']}"
        for finding in self.findings["fixed"]:
            yield f"the fixed kernel has a finding: {finding['id']} in line {finding['line']}"
        if self.cost["fixed"] >= self.cost["slow"]:
            yield f"the fixed kernel takes {self.cost['fixed']} {self.pair.unit}, and the slow one {self.cost['slow']}"
        if self.said != self.defined:
            yield f"at size {self.pair.least}, said: {self.said}\n        defined: {self.defined}"
        if self.output["slow"] != self.output["fixed"]:
            yield "the two have different results"


def measure(options):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(lambda pair: Measured(pair, options.tools, Path(folder)), pairs(options.names)))


def check(options):
    failures = 0
    for measured in measure(options):
        problems = list(measured.problems())
        failures += bool(problems)
        print(f"{'FAIL' if problems else 'pass'} {measured.pair.name}", *problems, sep="\n    ")
    print(f"{len(pairs(options.names)) - failures} passed, {failures} failed")
    return failures != 0


def build(options):
    options.into.mkdir(parents=True, exist_ok=True)
    cuda = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    for pair in pairs(options.names):
        run("clang++-22", "-O2", "-Wno-unknown-cuda-version", f"--cuda-path={cuda}", f"--cuda-gpu-arch={options.arch}", pair.source,
            "-o", options.into / pair.name, f"-L{cuda}/lib64", "-lcudart_static", "-lpthread", "-ldl", "-lrt")
    return 0


def time(options):
    times = {}
    for pair in pairs(options.names):
        said = {version: run(options.programs / pair.name, version, pair.size, "--repeats", REPEATS) for version in ("slow", "fixed")}
        times[pair.name] = {version: float(re.search(r"time: (\S+)", text)[1]) for version, text in said.items()}
        print(pair.name, times[pair.name], flush=True)
    ratios = [each["slow"] / each["fixed"] for each in times.values()]
    product = 1.0
    for ratio in ratios:
        product *= ratio ** (1 / len(ratios))
    print(f"geometric mean {product:.2f}, least {min(ratios):.2f}")
    options.json.write_text(json.dumps(times, indent=1) + "\n")
    return 0


def table(options):
    """Of pairs about bank conflicts, wavefronts of shared memory stand in the columns of sectors, of those about copies and launches what their
    causes are counted in."""
    times = json.loads(options.times.read_text()) if options.times else {}
    print("| cause | algorithm | sectors | predicted | fixed |" + (" ms | fixed | times as fast |" if times else ""))
    print("| --- | --- | --- | --- | --- |" + (" --- | --- | --- |" if times else ""))
    for measured in sorted(measure(options), key=lambda m: (m.pair.is_host, m.pair.cause, m.pair.name)):
        pair, slow, fixed = measured.pair, measured.cost["slow"], measured.cost["fixed"]
        row = f"| `{pair.cause}` | {pair.algorithm} | {slow:,} | {slow - measured.spared:,} | {fixed:,} |"
        if pair.name in times:
            ms = times[pair.name]
            row += f" {ms['slow']:.3f} | {ms['fixed']:.3f} | {ms['slow'] / ms['fixed']:.2f} |"
        print(row)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    for verb in (check, build, time, table):
        its = verbs.add_parser(verb.__name__)
        its.set_defaults(verb=verb)
        its.add_argument("names", nargs="*")
        its.add_argument("--tools", type=Path)
        its.add_argument("--jobs", type=int, default=2)
        its.add_argument("--into", type=Path)
        its.add_argument("--arch", default="sm_90")
        its.add_argument("--from", dest="programs", type=Path)
        its.add_argument("--json", type=Path)
        its.add_argument("--times", type=Path)
    options = parser.parse_args()
    return options.verb(options)


if __name__ == "__main__":
    sys.exit(main())

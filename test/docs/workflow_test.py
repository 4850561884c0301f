#!/usr/bin/env python3
"""The workflow of docs/check.md does what the page says: its steps run as they stand, in a checkout of a small project.

    workflow_test.py --tools build/release/bin

Steps that install cuprewrite (workflow.INSTALL) are read by the shell alone, and the tools lie where they would have put them.
"""

import argparse
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import workflow

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs/check.md").read_text()
MAKEFILE = """NVCC ?= nvcc

tests: src/tests.cu
\t$(NVCC) -O2 -o $@ $<
"""
PROGRAM = """#include <cuda_runtime.h>
#include <cstdio>

__global__ void reverse(int *out, const int *in) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];         //~ store
  BARRIER
  out[t] = tile[127 - t];  //~ load
}

__global__ void fill(int *out) {
  out[threadIdx.x + BEYOND] = 1;  //~ beyond
}

int main() {
  int host[128], *in, *out;
  for (int &value : host)
    value = 1;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  reverse<<<1, 128>>>(out, in);
  fill<<<1, 32>>>(in);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return cudaGetLastError() != cudaSuccess;
}
"""
LINES = {mark[1]: number for number, line in enumerate(PROGRAM.splitlines(), 1) if (mark := re.search(r"//~ (\w+)", line))}
ORDERED = "__syncthreads();"
STEPS = [
    "actions/checkout", "actions/checkout", "Install packages", "actions/cache/restore", "Build cuprewrite", "actions/cache/save", "Find cuprewrite",
    "Build", "Run", "Check", "github/codeql-action/upload-sarif", "actions/upload-artifact",
]


class Tools:
    """What the steps that install would have left."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.environment = {name: os.environ[name] for name in ("CUDA_PATH",) if name in os.environ}  # no package of Debian's

    def put_into(self, checkout):
        built = checkout / "cuprewrite/build/release"
        built.mkdir(parents=True)
        (built / "bin").symlink_to(self.folder)


def not_for_code_scanning(document, checkout):
    """What GitHub's page on SARIF asks for and the document lacks: 'SARIF support for code scanning', 'Supported properties'."""
    wrong = []

    def text(where, of, *names):
        for name in names:
            of = of.get(name, {}) if isinstance(of, dict) else {}
        if not isinstance(of, str) or not of:
            wrong.append(f"{where}: no {'.'.join(names)}")
        return of

    def place(where, location):
        uri = text(where, location, "physicalLocation", "artifactLocation", "uri")
        if uri and (re.match(r"/|[A-Za-z][A-Za-z+.-]*:", uri) or ".." in uri.split("/") or not (checkout / uri).is_file()):
            wrong.append(f"{where}: {uri} is no file of the checkout, relative to it")
        region = location.get("physicalLocation", {}).get("region", {})
        for name in ("startLine", "startColumn", "endLine", "endColumn"):
            if not isinstance(region.get(name), int) or region[name] < 1:
                wrong.append(f"{where}: {name} is {region.get(name)}")

    text("document", document, "$schema")
    if document.get("version") != "2.1.0":
        wrong.append("version")
    if len(document.get("runs", [])) != 1:
        return [*wrong, "runs"]
    (run,) = document["runs"]
    text("run", run, "tool", "driver", "name")
    rules = run.get("tool", {}).get("driver", {}).get("rules", [])
    for rule in rules:
        for names in (("id",), ("shortDescription", "text"), ("fullDescription", "text"), ("help", "text")):
            text(f"rule {rule.get('id')}", rule, *names)
    if "results" not in run:
        wrong.append("results")
    for number, result in enumerate(run.get("results", [])):
        where = f"result {number}"
        if result.get("ruleId") not in [rule["id"] for rule in rules]:
            wrong.append(f"{where}: {result.get('ruleId')} is no rule")
        text(where, result, "message", "text")
        if not result.get("partialFingerprints"):
            wrong.append(f"{where}: no partialFingerprints")
        if not 1 <= len(result.get("locations", [])) <= 10:
            wrong.append(f"{where}: {len(result.get('locations', []))} locations")
        for location in [*result.get("locations", []), *result.get("relatedLocations", [])]:
            place(where, location)
    return wrong


def faults(document):
    """Of each result its rule and its lines, the other access's last."""
    return [(result["ruleId"], [location["physicalLocation"]["region"]["startLine"] for location in [*result["locations"], *result.get("relatedLocations", [])]])
            for result in document["runs"][0]["results"]]


class Workflow(unittest.TestCase):
    tools = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cupr-workflow.")
        cls.root = pathlib.Path(cls.folder.name).resolve()
        cls.home = cls.root / "home"
        cls.home.mkdir()
        cls.workflow = workflow.read(PAGE)
        cls.job = workflow.look_at(cls.workflow)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def checkout(self, barrier, beyond=0, baseline=""):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="checkout.", dir=self.root))
        (folder / "src").mkdir()
        (folder / "src/tests.cu").write_text(PROGRAM.replace("BARRIER", barrier).replace("BEYOND", str(beyond)))
        (folder / "Makefile").write_text(MAKEFILE)
        (folder / "check.known").write_text(baseline)
        return folder

    def run_in(self, checkout, job=None):
        return workflow.Run(job or self.job, checkout, self.home, self.tools)

    def uploaded(self, run):
        """The SARIF document, which GitHub takes; the trace is whole, too."""
        upload = run.of("github/codeql-action/upload-sarif")
        self.assertEqual(upload.outcome, "success", upload.output)
        document = json.loads(upload.file)
        self.assertEqual(not_for_code_scanning(document, run.checkout), [])
        self.assertNotIn(str(run.checkout), upload.file.decode())
        trace = run.of("actions/upload-artifact")
        self.assertEqual(trace.outcome, "success", trace.output)
        return document

    def known(self):
        """The baseline of the race, made in a checkout of its own by the command of the page."""
        command = re.search(r"`(cupranalyze check --write-baseline [^`]+)`", PAGE)[1]
        run = self.run_in(self.checkout(""))
        made = subprocess.run(command.split(), executable=self.tools.folder / "cupranalyze", cwd=run.checkout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(made.returncode, 4, made.stdout)
        return (run.checkout / "check.known").read_text()

    def test_steps(self):
        steps = self.job["steps"]
        self.assertEqual([workflow.action_of(step) or step["name"] for step in steps], STEPS)
        self.assertEqual(steps[3]["with"], steps[5]["with"], "what is kept is what was built")
        self.assertIn(" --device=cpu ", next(step["run"] for step in steps if step.get("name") == "Build"), "passes without it, too, and takes longer")
        # What the steps that don't run speak of is there.
        install = next(step["run"] for step in steps if step.get("name") == "Install packages")
        for file in re.findall(r"^cuprewrite/(\S+)$", install, re.MULTILINE):
            self.assertTrue(os.access(SOURCE / file, os.X_OK), file)
        build = next(step["run"] for step in steps if step.get("name") == "Build cuprewrite")
        target = re.fullmatch(r"make -C cuprewrite (\w+) JOBS=\$\(nproc\)", build)[1]
        makefile = (SOURCE / "Makefile").read_text()
        self.assertRegex(makefile, rf"(?m)^{target}:")
        self.assertIn(f"\nBUILD := {steps[3]['with']['path'].split()[0].removeprefix('cuprewrite/').removesuffix('/bin')}\n", makefile)

    def test_a_race_fails_the_job_and_is_shown_at_its_line(self):
        run = self.run_in(self.checkout(""))
        self.assertEqual(run.of("Run").outcome, "success", run.of("Build").output + run.of("Run").output)
        self.assertEqual(run.of("Check").status, 4, run.of("Check").output)
        self.assertFalse(run.succeeded)
        document = self.uploaded(run)
        self.assertEqual(faults(document), [("race-warps", [LINES["load"], LINES["store"]])])
        result = document["runs"][0]["results"][0]
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/tests.cu")
        self.assertIn(f"src/tests.cu:{LINES['load']}:", run.of("Check").output)

    def test_without_the_race_it_passes(self):
        run = self.run_in(self.checkout(ORDERED))
        self.assertEqual([result.output for result in run.results if result.outcome != "success"], [])
        self.assertEqual(faults(self.uploaded(run)), [])

    def test_a_known_race_passes(self):
        run = self.run_in(self.checkout("", baseline=self.known()))
        self.assertEqual([result.output for result in run.results if result.outcome != "success"], [])
        self.assertEqual(faults(self.uploaded(run)), [])

    def test_a_new_fault_beside_a_known_one_fails_also_where_the_program_fails(self):
        run = self.run_in(self.checkout("", beyond=128, baseline=self.known()))
        self.assertEqual(run.of("Run").outcome, "failure")
        self.assertEqual(run.of("Check").status, 4, run.of("Check").output)
        self.assertEqual(faults(self.uploaded(run)), [("out-of-bounds", [LINES["beyond"]])])

    def test_a_program_that_does_not_build_is_not_checked(self):
        run = self.run_in(self.checkout("nothing that compiles"))
        self.assertEqual([run.of(name).outcome for name in ("Build", "Run", "Check", "actions/upload-artifact")], ["failure", "skipped", "skipped", "skipped"])
        self.assertFalse(run.succeeded)

    def test_no_step_can_be_left_out(self):
        def look(job):
            run = self.run_in(self.checkout(""), job)
            self.assertEqual(run.of("Check").status, 4)
            self.assertEqual(len(faults(self.uploaded(run))), 1)

        look(self.job)
        for name in STEPS[6:]:
            with self.subTest(name):
                job = copy.deepcopy(self.job)
                job["steps"] = [step for step in job["steps"] if name not in (workflow.action_of(step), step.get("name"))]
                with self.assertRaises((AssertionError, workflow.BadWorkflow)):
                    look(job)

    def test_conditions(self):
        def outcome(condition, command="true"):
            steps = [{"name": "first", "id": "first", "run": command}, {"name": "second", "if": condition, "run": "true"}]
            with tempfile.TemporaryDirectory(dir=self.root) as checkout:
                return self.run_in(pathlib.Path(checkout), {"steps": steps}).of("second").outcome

        for condition, after_success, after_failure in [
            ("success()", "success", "skipped"),
            ("failure()", "skipped", "success"),
            ("always()", "success", "success"),
            ("${{ !cancelled() }}", "success", "success"),
            ("${{ !cancelled() && steps.first.outcome == 'failure' }}", "skipped", "success"),
            ("steps.first.outcome == 'failure'", "skipped", "skipped"),  # success() is meant
            ("steps.first.outputs.hit != 'true'", "success", "skipped"),
            ("always() && (steps.first.outcome == 'failure' || steps.first.outcome == 'success')", "success", "success"),
        ]:
            with self.subTest(condition):
                self.assertEqual((outcome(condition), outcome(condition, "false")), (after_success, after_failure))
        for condition in ("steps.second.outcome == 'success'", "github.ref == 'main'", "success"):
            with self.subTest(condition), self.assertRaises(workflow.BadWorkflow):
                outcome(condition)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    options, rest = parser.parse_known_args()
    Workflow.tools = Tools(options.tools)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()

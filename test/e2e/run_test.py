"""The driver notices what it has to notice: tried with a stand-in for the product."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bundle import CONSTRUCTS, EXPECT, HERE
from copies import Copies
from expectation import Expectation, load_all

COMPILER = """#!/bin/sh
# Stands in for cupr++: "builds" a script that prints its source's text and copies its trace.
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
cat >"$out" <<END
#!/bin/sh
[ -z "\\$CUPR_TRACE" ] || cp "$1.trace" "\\$CUPR_TRACE"
cat "$1"
END
chmod +x "$out"
"""

ANALYZER = f"""#!{sys.executable}
# Stands in for cupranalyze: a "trace" is a JSON object with the answers.
import json, sys
trace = json.load(open(sys.argv[-1]))
if sys.argv[1] == "verify":
    print(trace["verify"])
    sys.exit(0 if trace["verify"] == "whole" else 2)
if sys.argv[1] == "diff":
    same = trace.get("same", True)
    print(json.dumps(dict(same=same, before=dict(accesses=4))) if "--json" in sys.argv else "1 access only before")
    sys.exit(0 if same else 3)
form = "lines" if "--json" in sys.argv else "dump"
print(json.dumps(trace["info"]) if sys.argv[1] == "info" else "\\n".join(trace[form]))
"""

EXPECTED = {
    "sources": ["program.cu"],
    "launches": [
        {
            "kernel": "put(int*)", "grid": [2, 1, 1], "block": [2, 1, 1],
            "loads": 0, "stores": 4, "atomics": 0, "loadBytes": 0, "storeBytes": 16, "atomicBytes": 0, "records": 2,
            "accesses": [{"op": "store", "bytes": 4, "of": 0, "at": "4 * i"}],
        }
    ],
}  # fmt: skip

GOOD = {
    "verify": "whole",
    "info": {
        "allocations": [{"id": 3, "call": "__device__", "name": "s"}, {"id": 5, "call": "cudaMalloc", "name": ""}],
        "launches": [
            {
                "id": 1, "kernel": "put(int*)", "grid": [2, 1, 1], "block": [2, 1, 1], "stream": 1, "complete": True,
                "traced": True, "derived": False, "counted": 4, "began": 5, "ended": 6, "endTime": 7,
                "records": 2, "file": "/somewhere/program.cu", "line": 2,
                "global": {"loads": 0, "stores": 4, "atomics": 0, "loadBytes": 0, "storeBytes": 16, "atomicBytes": 0},
            }
        ],
        "total": {"records": 2},
    },
    "lines": [json.dumps({"file": "/somewhere/program.cu", "line": 1, "column": 6, "operation": "store", "lanes": [0, 1]})] * 2,
    "dump": [f"1 put store 4 {i // 2},0,0 {i % 2} 5 {4 * i}" for i in range(4)],
}  # fmt: skip


class Driver(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        for name in ("run.py", "bundle.py", "copies.py", "expectation.py", "trace_reader.py"):
            (self.folder / name).write_text((HERE / name).read_text())
        for path, text in (("bin/cupr++", COMPILER), ("bin/cupranalyze", ANALYZER)):
            (self.folder / "bin").mkdir(exist_ok=True)
            (self.folder / path).write_text(text)
            (self.folder / path).chmod(0o755)
        (self.folder / "expect").mkdir()
        (self.folder / "program.cu").write_text("put: right\n")

    def tearDown(self):
        self._folder.cleanup()

    def outcome(self, expected, trace):
        """(exit status, last line, failures) of the driver."""
        (self.folder / "expect" / "put.json").write_text(json.dumps(expected))
        (self.folder / "program.cu.trace").write_text(json.dumps(trace))
        done = subprocess.run(
            [sys.executable, "run.py", "test", "--tools", "bin", "--out", "out", "put"],
            cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        lines = (done.stdout + done.stderr).splitlines()
        return done.returncode, lines[-1], [line for line in lines if line.startswith("FAIL")]

    def changed(self, change):
        copy = json.loads(json.dumps(GOOD))
        change(copy)
        return self.outcome(EXPECTED, copy)

    def test_good_trace_passes(self):
        status, last, failures = self.outcome(EXPECTED, GOOD)
        self.assertEqual((status, failures), (0, []))
        self.assertRegex(last, r"^\d+ passed, 0 failed$")

    def test_wrong_count(self):
        status, last, failures = self.changed(lambda t: t["info"]["launches"][0]["global"].update(stores=5))
        self.assertEqual(status, 1)
        self.assertIn("stores 5, not 4", failures[0])
        self.assertIn("1 failed", last)

    def test_memory_that_nobody_expects(self):
        shared = dict.fromkeys(("loads", "stores", "atomics", "loadBytes", "storeBytes", "atomicBytes"), 1)
        status, _, failures = self.changed(lambda t: t["info"]["launches"][0].update(shared=shared))
        self.assertEqual(status, 1)
        self.assertIn("in shared memory", failures[0])

    def test_wrong_place(self):
        status, _, failures = self.changed(lambda t: t["dump"].append(t["dump"].pop()[:-2] + "16"))
        self.assertEqual(status, 1)
        self.assertIn("1 missing", failures[0])

    def test_wrong_allocation(self):
        self.assertEqual(self.changed(lambda t: t["dump"].append(t["dump"].pop().replace(" 5 ", " 3 ")))[0], 1)

    def test_wrong_time(self):
        self.assertEqual(self.changed(lambda t: t["info"]["launches"][0].update(began=7))[0], 1)

    def test_wrong_lane(self):
        self.assertEqual(self.changed(lambda t: t["dump"].append(t["dump"].pop().replace("0 1 5", "0 7 5")))[0], 1)

    def test_damaged_trace(self):
        status, _, failures = self.changed(lambda t: t.update(verify="chunk 3: wrong hash"))
        self.assertEqual(status, 1)
        self.assertIn("wrong hash", failures[0])

    def test_missing_launch(self):
        self.assertEqual(self.changed(lambda t: t["info"].update(launches=[]))[0], 1)

    def test_incomplete_launch(self):
        self.assertEqual(self.changed(lambda t: t["info"]["launches"][0].update(complete=False))[0], 1)

    def test_launch_that_is_not_counted(self):
        _, _, failures = self.changed(lambda t: t["info"]["launches"][0].pop("counted"))
        self.assertEqual(failures, ["FAIL put: each traced launch is counted: not [1]"])

    def test_derived_launch(self):
        self.assertEqual(self.changed(lambda t: t["info"]["launches"][0].update(derived=True))[2], [])

    def test_derived_launch_that_differs_from_the_recorded_one(self):
        def change(trace):
            trace["info"]["launches"][0].update(derived=True)
            trace["same"] = False

        status, _, failures = self.changed(change)
        self.assertEqual(status, 1)
        self.assertIn("1 launches derived: the same 4 accesses as recorded: 1 access only before", failures[0])

    def test_split_records(self):
        self.assertEqual(self.changed(lambda t: t["info"]["launches"][0].update(records=3))[0], 1)

    def test_figures_that_contradict_the_rules(self):
        wrong = json.loads(json.dumps(EXPECTED))
        wrong["launches"][0]["accesses"][0]["if"] = "i < 3"
        _, _, failures = self.outcome(wrong, GOOD)
        self.assertIn("the rules add up to", failures[0])

    def with_site(self, site, from_="program.cu:2:1"):
        expected = json.loads(json.dumps(EXPECTED))
        launch = expected["launches"][0]
        launch["accesses"][0]["site"] = site
        launch["from"] = from_
        return self.outcome(expected, GOOD)

    def test_sites(self):
        for site in ("program.cu:1:6", "put: ^right"):
            self.assertEqual(self.with_site(site)[2], [])

    def test_wrong_column(self):
        self.assertIn("1 sites", self.with_site("put^: right")[2][0])

    def test_wrong_place_of_a_launch(self):
        self.assertIn("line 2, not 1", self.with_site("put: ^right", "put: right")[2][0])

    def test_site_that_is_not_in_the_source(self):
        status, last, _ = self.with_site("wrong")
        self.assertEqual(status, 2)
        self.assertIn("'wrong' stands in none of the files", last)

    def test_figures_by_rules_alone(self):
        without = json.loads(json.dumps(EXPECTED))
        for figure in ("loads", "stores", "atomics", "loadBytes", "storeBytes", "atomicBytes"):
            del without["launches"][0][figure]
        self.assertEqual(self.outcome(without, GOOD)[2], [])
        without["launches"][0]["accesses"][0]["if"] = "i < 3"
        self.assertIn("stores 4, not 3", self.outcome(without, GOOD)[2][0])

    def test_broken_compiler(self):
        (self.folder / "bin" / "cupr++").write_text("#!/bin/sh\necho no >&2\nexit 3\n")
        status, last, _ = self.outcome(EXPECTED, GOOD)
        self.assertEqual((status, last), (2, "no"))


class Text(unittest.TestCase):
    """The text of copies against what stands beside the original."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        root = Path(self._folder.name)
        for path, text in (
            ("constructs/put.json", '{"launches": []}'),
            ("constructs/put.cu", ""),
            ("constructs/put.augmented.cu", 'CUPR_EDITS(HASH, "put.cu", "1:1+2")\n'),
            ("copies/put.cu", f'CUPR_EDITS(0123456789abcdef, "{root}/constructs/put.cu", "1:1+2")\n'),
        ):
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text)
        self.root = root
        self.copies = Copies(Expectation(root / "constructs" / "put.json"), root / "copies")

    def test_path_and_hash_do_not_matter(self):
        self.assertEqual(self.copies.difference(), "")
        self.assertEqual(list(self.copies.update()), [])

    def test_text_matters(self):
        with (self.root / "copies/put.cu").open("a") as copy:
            copy.write("more\n")
        self.assertIn("+more", self.copies.difference())
        self.assertEqual([path.name for path in self.copies.update()], ["put.augmented.cu"])
        self.assertEqual(self.copies.difference(), "")

    def test_copy_that_nobody_expects(self):
        (self.root / "copies/other.cuh").write_text("")
        self.assertIn("other.augmented.cuh is missing", self.copies.difference())


class Committed(unittest.TestCase):
    def test_rules_add_up(self):
        for expectation in load_all(EXPECT):
            with self.subTest(expectation.name):
                self.assertEqual(expectation.contradictions(), [])

    def test_every_kernel_has_its_expectation(self):
        folders = (HERE / "kernels", CONSTRUCTS)
        sources = {path for folder in folders for path in folder.rglob("*.cu") if ".augmented" not in path.name}
        programs = load_all(EXPECT)
        used = {(program.folder / name).resolve() for program in programs for name in (*program.sources, *program.headers)}
        self.assertEqual(sources - used, set())

    def test_every_expected_copy_has_its_original(self):
        for copy in CONSTRUCTS.rglob("*.augmented.*"):
            self.assertTrue(copy.with_name(copy.name.replace(".augmented", "")).exists(), copy)


if __name__ == "__main__":
    unittest.main()

"""The figures of scripts/reproduce, from results whose figures arithmetic gives, and what its rules must notice."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.dont_write_bytecode = True
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from reproduction import statements
from reproduction.causes import CAUSES
from reproduction.charts import charts, cumulative, short
from reproduction.figures import Spread, exchange, slopes, straightness
from reproduction.page import deviations, verdict
from reproduction.program import PROGRAMS
from reproduction.statements import STATEMENTS, Judgement, percent, zigzags

loader = importlib.machinery.SourceFileLoader("reproduce", str(SCRIPTS / "reproduce"))
reproduce = importlib.util.module_from_spec(importlib.util.spec_from_loader("reproduce", loader))
loader.exec_module(reproduce)


def launch(kernel, read=0, grid=(1, 1, 1)):
    return {"kernel": kernel, "readByLaunchesBytes": read, "grid": list(grid)}


class Transfers(unittest.TestCase):
    def test_exchange(self):
        launches = {1: launch("k", grid=(4, 2, 1)), 2: launch("k", grid=(4, 2, 1))}

        def transfer(source, a, destination, b, bytes_):
            return {"source": source, "sourceCta": a, "destination": destination, "destinationCta": b, "bytes": bytes_}

        found = exchange(
            [transfer("host", 0, 1, 0, 1000), transfer(1, 0, 2, 0, 1), transfer(1, 0, 2, 1, 20), transfer(1, 1, 2, 5, 300),
             transfer(1, 0, 2, 7, 4000), transfer(1, 0, "host", 0, 50000)], launches)
        self.assertEqual(found, {"x": 4020, "y": 4300, "z": 0})

    def test_spread(self):
        spread = Spread.of([{"partners": 2, "ctas": 1}, {"partners": 4, "ctas": 3}])
        self.assertEqual((spread.mean, spread.deviation), (3.5, 0.75**0.5))
        self.assertEqual(Spread.of([]).variation, 0)


class Slopes(unittest.TestCase):
    def sizes(self, *entries):
        return [{"bytes": bytes_, "transfers": transfers} for bytes_, transfers in entries]

    def test_rare_sizes_between_dominant_ones(self):
        found = slopes(self.sizes(*((n, 1) for n in range(10, 20)), (20, 200), *((n, 1) for n in range(30, 50)), (50, 100)))
        self.assertEqual([(slope.smallest, slope.largest, slope.sizes) for slope in found], [(10, 19, 10), (30, 49, 20)])
        self.assertTrue(all(slope.straightness > 0.999 for slope in found))

    def test_dominant_sizes_have_none(self):
        self.assertEqual(slopes(self.sizes((4, 10), (8, 10), (16, 10))), ())

    def test_a_tail_is_not_straight(self):
        self.assertLess(straightness([(n, 2 ** (10 - n)) for n in range(10)]), 0.9)


class Charts(unittest.TestCase):
    def test_distribution_rises_to_all(self):
        self.assertEqual(cumulative(((80, 0.75), (4, 0.25))), [(0, 0), (4, 0), (4, 25), (80, 25), (80, 100)])

    def test_svg(self):
        drawn = ElementTree.fromstring(charts([("a < b", [[(0, 0), (10, 4)], []]), ("empty", [[]])], "x", ("one", "two")))
        lines = [element.get("points") for element in drawn.iter() if element.tag.endswith("polyline")]
        self.assertEqual(lines, ["46.0,120.0 238.0,26.0"])

    def test_labels(self):
        self.assertEqual([short(value) for value in (0, 0.5, 864, 8388608)], ["0", "0.5", "864", "8.39M"])


class Rules(unittest.TestCase):
    def test_zigzag(self):
        self.assertTrue(zigzags([9, 1, 9, 1]))
        self.assertFalse(zigzags([9, 1, 2, 9]))
        self.assertFalse(zigzags([5, 5, 5, 5]))
        self.assertFalse(zigzags([1, 5, 5, 1]))

    def test_percentages(self):
        self.assertEqual([percent(share) for share in (0, 1, 0.439, 0.9998, 0.0004)], ["0 %", "100 %", "43.9 %", "99.98 %", "0.04 %"])

    def test_every_rule_names_known_programs(self):
        self.assertEqual({program.name for program in PROGRAMS}, set(statements.ALL))
        keys = {statement.key for statement in STATEMENTS}
        self.assertEqual(len(keys), len(STATEMENTS))
        for key, name in CAUSES:
            self.assertIn(key, keys)
            self.assertIn(name, statements.ALL)

    def test_list_of_what_held(self):
        self.assertEqual(set(json.loads(reproduce.HELD.read_text())), {statement.key for statement in STATEMENTS})

    def test_verdicts(self):
        good, bad = Judgement("bfs", "1", True), Judgement("path", "2", False)
        self.assertEqual([verdict([good]), verdict([good, bad]), verdict([bad])], ["holds", "not for path", "does not hold"])

    def test_a_deviation_without_a_cause_is_said(self):
        judged = {statement.key: [] for statement in STATEMENTS}
        judged["gathers"] = [Judgement("hist", "1", False)]
        self.assertIn("hist: The cause is not known", deviations(judged))


class WhatHeld(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, reproduce, "HELD", reproduce.HELD)
        reproduce.HELD = Path(folder.name) / "held.json"

    def compare(self, accept=False, **programs):
        """Of one statement; (good, what was said)."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            good = reproduce.compare({"s": [Judgement(name, "", holds) for name, holds in programs.items()]}, accept)
        return good, said.getvalue()

    def test_accepted(self):
        self.assertTrue(self.compare(accept=True, bfs=True, path=False)[0])
        self.assertEqual(self.compare(bfs=True, path=False), (True, ""))

    def test_lost(self):
        self.compare(accept=True, bfs=True, path=True)
        good, said = self.compare(bfs=True, path=False)
        self.assertFalse(good)
        self.assertIn("s for path held before", said)

    def test_new(self):
        self.compare(accept=True, bfs=True, path=False)
        good, said = self.compare(bfs=True, path=True)
        self.assertTrue(good)
        self.assertIn("s for path holds now", said)


if __name__ == "__main__":
    unittest.main()

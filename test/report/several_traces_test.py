"""The page of several traces, as ranks of a program write them: the sums, a line for each, and each trace's own page in the same file.

    several_traces_test.py --tools build/release/bin

What the first view says is compared with what `comm --json` says of each trace alone.
"""
import argparse
import base64
import copy
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from report_page import SAMPLE, SIZES, SOURCE, TEMPLATE, ReportTest

# Ranks with little in common, so that no figure is right by chance.
RANKS = ["stencil", "small", "spaces", "forms"]
THEMES = "light", "dark"
tools = None


def size_text(size):
    """As the page writes bytes."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1023.95 or unit == "GiB":
            return f"{size:,.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024


def share_text(part, whole):
    share = part / whole if whole else None
    if share is None:
        return "-"
    return ">99.9 %" if 0.9995 <= share < 1 else "<0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def many(count, results):
    """A page of as many traces as that, each with the same results: built by the rules of analysis/render/report.cpp."""
    packed = base64.b64encode(gzip.compress(json.dumps(results).encode(), 1)).decode()
    row = {"program": "./app", "device": "NVIDIA H200", "launches": 20, "incompleteLaunches": 0, "truncated": False, "loads": 9, "stores": 3, "atomics": 0,
           "loadBytes": 36, "storeBytes": 12, "atomicBytes": 0, "deviceTime": None, "requests": 10, "sectors": 400, "leastSectors": 100, "excessSeconds": 1e-6,
           "writtenBytes": 100, "communicatedBytes": 50, "handedOnBytes": 20, "toHostBytes": 0, "fromHostBytes": 0, "worstKernel": "step(float*)",
           "worstKernelExcessSectors": 300, "worstFile": "step.cu", "worstLine": 31, "worstOperation": "load", "worstExcessSectors": 300, "faults": None}
    rows = [{"trace": f"out/app.rank{i}.cuprtrace", "rank": i, **row, "sectors": 400 + 10 * i} for i in range(count)]
    elements = [f'<script type="application/json" id="results-{i}">{packed}</script>\n' for i in range(count)]
    elements.append(f'<script type="application/json" id="traces">{json.dumps({"version": 1, "traces": rows})}</script>\n')
    page = TEMPLATE.read_text()
    for mark in ("@RESULTS@", "@EARLIER@", "@PROFILE@", "@ROOFLINE@", "@CHECK@"):
        page = page.replace(mark, "")
    return page.replace("<!--@TRACES@-->", "".join(elements))


class SeveralTraces(ReportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.traces = []
        for rank, name in enumerate(RANKS):
            cls.traces.append(cls.folder / f"app.rank{rank}.cuprtrace")
            shutil.copy(SOURCE / f"test/golden/v4/{name}.cuprtrace", cls.traces[-1])
        cls.file = cls.folder / "ranks.html"
        cls.report(cls.file, *cls.traces)
        cls.alone = [json.loads(subprocess.run([tools / "cupranalyze", "comm", "--json", trace], check=True, capture_output=True).stdout)
                     for trace in cls.traces]

    @classmethod
    def report(cls, file, *words, code=0):
        made = subprocess.run([tools / "cupranalyze", "report", "--quiet", "-o", file, *words], capture_output=True, text=True)
        assert made.returncode == code, made.stderr
        return made.stderr

    def sectors(self, results):
        return sum(a["sectors"] for a in results["accesses"]), sum(a["leastSectors"] for a in results["accesses"])

    def launches(self, results):
        return sum(launch["phase"] == 0 for launch in results["launches"])

    def at(self, page, place, heading):
        """Follows the address to `place`, until the page with this heading is drawn."""
        page.evaluate(f"location.hash = {json.dumps(place)}")
        page.wait(f"document.querySelector('h1')?.textContent.includes({json.dumps(heading)})")
        self.drawn(page)

    def assert_first_view(self, page):
        self.assertEqual(self.text(page, "h1"), f"app: {len(RANKS)} traces")
        sectors, least = (sum(sums) for sums in zip(*map(self.sectors, self.alone)))
        tiles = dict(zip(page.evaluate("[...document.querySelectorAll('#sums .tile dt')].map(t => t.textContent)"),
                         page.evaluate("[...document.querySelectorAll('#sums .tile b')].map(t => t.textContent)")))
        moved = [32 * self.sectors(results)[0] for results in self.alone]
        written = [results["volume"]["uniqueWrittenBytes"] + results["volume"]["copiedBytes"] for results in self.alone]
        communicated = [results["communicated"]["bytes"] for results in self.alone]
        self.assertEqual(tiles, {
            "Traces": str(len(RANKS)), "Sectors moved": size_text(sum(moved)), "Of use": share_text(least, sectors),
            "Estimated waste": f"{32 * (sectors - least) / 3.35e12 * 1e9:.0f} ns", "Imbalance": f"{max(moved) / (sum(moved) / len(moved)):.2f} ×",
            "Communicated": share_text(sum(communicated), sum(written))})
        self.assertIn(f"{sum(map(self.launches, self.alone))} launches", self.text(page, "#sums .tile span"))
        self.assertIn("what they send each other is not in these figures", self.text(page, "#sums"))
        heads = page.evaluate("[...document.querySelectorAll('#traces-list th')].map(h => h.textContent)")
        for rank, (cells, results) in enumerate(zip(self.rows(page, "#traces-list"), self.alone, strict=True)):
            with self.subTest(rank=rank):
                row = dict(zip(heads, cells))
                sectors, least = self.sectors(results)
                self.assertEqual(row["Trace"], f"rank\xa0{rank}")
                self.assertEqual(row["Launches"], str(self.launches(results)))
                self.assertEqual(row["Bytes moved"], size_text(32 * sectors))
                self.assertEqual(row["Of use"], share_text(least, sectors))
                self.assertEqual(row["Communicated"], size_text(results["communicated"]["bytes"]))
                self.assertEqual(row["Of writes"], share_text(communicated[rank], written[rank]))
                self.assertEqual(row["To the host"], size_text(results["communicated"]["toHostBytes"]))
                self.assert_worst(row, results["accesses"])

    def assert_worst(self, row, accesses):
        excess = {}
        for access in accesses:
            excess[access["kernel"]] = excess.get(access["kernel"], 0) + access["sectors"] - access["leastSectors"]
        if not any(excess.values()):
            self.assertEqual([row[name] for name in ("Worst kernel", "Its excess", "Its worst access", "Of its excess")], ["-", "0", "-", "-"])
            return
        kernel = max(excess, key=excess.get)
        worst = max((a for a in accesses if a["kernel"] == kernel), key=lambda a: a["sectors"] - a["leastSectors"])
        self.assertIn(row["Worst kernel"], kernel)
        self.assertEqual(row["Its excess"], f"{excess[kernel]:,}")
        place = f"{pathlib.Path(worst['file']).name}:{worst['line']} " if worst["file"] else ""
        self.assertEqual(row["Its worst access"], f"{place}{worst['operation']}")
        self.assertEqual(row["Of its excess"], share_text(worst["sectors"] - worst["leastSectors"], excess[kernel]))

    def test_the_first_view_has_the_sums_and_a_line_for_each(self):
        for size in SIZES:
            for theme in THEMES:
                page = self.open(self.file, theme=theme, **size)
                self.assert_first_view(page)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                self.assert_axe_finds_nothing(page)
                self.picture(page, f"several-{size['width']}-{theme}")

    def test_traces_are_compared_by_any_measure_from_zero_on(self):
        for size in SIZES:
            for theme in THEMES:
                page = self.open(self.file, theme=theme, **size)
                options = page.evaluate("[...document.querySelectorAll('#balance option')].map(o => o.textContent)")
                self.assertEqual(options, ["Bytes moved", "Accesses", "Communicated bytes"])  # no device said its times
                for index, of in enumerate((lambda r: 32 * self.sectors(r)[0], lambda r: sum(r["volume"][n] for n in ("loads", "stores", "atomics")),
                                            lambda r: r["communicated"]["bytes"])):
                    page.evaluate(f"(() => {{ const list = document.querySelector('#balance select'); list.selectedIndex = {index}; list.dispatchEvent(new Event('change')); }})()")
                    page.wait(f"document.querySelector('#balance h3').textContent === {json.dumps(options[index])}")
                    self.drawn(page)
                    values = [of(results) for results in self.alone]
                    self.assertIn(f"is {max(values) / (sum(values) / len(values)):.2f} times that", self.text(page, "#balance figcaption p"))
                    # Nothing is cut off: the axis begins at 0, its last mark is no less than the most, and marks have units or are counts.
                    marks = page.evaluate("[...document.querySelectorAll('#balance .chart text')].map(t => t.textContent)")
                    self.assertTrue(any(re.fullmatch(r"0( B)?", mark) for mark in marks), marks)
                    self.open_tables(page)
                    table = self.rows(page, "#balance .as-table")
                    self.assertEqual([row[0] for row in table], [f"rank {rank}" for rank in range(len(RANKS))])
                    self.assertEqual([row[-1] for row in table], [f"{value / (sum(values) / len(values)):.2f}" for value in values])
                    bars = page.evaluate("[...document.querySelectorAll('#balance .chart path')].map(p => p.getBoundingClientRect()).filter(r => r.height > 0).map(r => r.top)")
                    self.assertGreaterEqual(min(bars), page.evaluate("document.querySelector('#balance .chart').getBoundingClientRect().top"))
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                self.assert_axe_finds_nothing(page)

    def test_a_line_opens_the_page_of_its_trace_and_the_way_back_is_there(self):
        for size in SIZES:
            page = self.open(self.file, **size)
            page.evaluate("document.querySelector('#traces-list tbody tr a').click()")
            page.wait("document.querySelector('#source')")
            self.drawn(page)
            self.assertEqual(page.evaluate("location.hash"), "#trace-0")
            self.assertEqual(self.count(page, "#launches tbody tr"), len(self.alone[0]["launches"]))
            self.assertEqual(page.evaluate("document.title"), "rank 0, app: memory report")
            self.assertEqual(page.evaluate("[...document.querySelectorAll('header option')].slice(0, 3).map(o => o.textContent)"), ["All 4", "rank 0", "rank 1"])
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
            self.assert_axe_finds_nothing(page)
            page.evaluate("(() => { const list = document.querySelector('header select'); list.selectedIndex = 2; list.dispatchEvent(new Event('change')); })()")
            page.wait("location.hash === '#trace-1' && document.querySelector('#launches')")
            self.drawn(page)
            self.assertEqual(self.count(page, "#launches tbody tr"), len(self.alone[1]["launches"]))
            page.evaluate("history.back()")
            page.wait("document.title.startsWith('rank 0') && document.querySelector('#launches')")
            page.evaluate("history.back()")
            page.wait("document.querySelector('#traces-list')")
            self.drawn(page)
            self.assert_first_view(page)

    def test_the_address_keeps_the_trace_and_the_place(self):
        page = self.open(self.file)
        self.at(page, "#trace-0", "app")
        page.wait("document.querySelector('#source')")
        links = page.evaluate("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'))")
        self.assertIn("#trace-0/launches", links)
        self.assertEqual([link for link in links if not link.startswith("#trace-0/")], [])
        line = page.evaluate("document.querySelector('#source tr.cost').id")
        page.evaluate(f"location.hash = '#trace-0/{line}'")
        page.wait("document.querySelector('.current')")
        address = page.evaluate("location.href")
        page.reload()
        self.drawn(page)
        self.assertEqual(page.evaluate("location.href"), address)
        self.assertEqual(page.evaluate("document.querySelector('.current').id"), line)
        # Of a trace that isn't there, all are shown.
        other = self.enterContext(self.tab())
        other.open(f"{self.file.as_uri()}#trace-9")
        self.drawn(other)
        self.assert_first_view(other)
        # The first link of a page leads to its figures.
        page.evaluate("document.querySelector('.skip').click()")
        page.wait("document.activeElement.id === 'main'")

    def test_only_the_trace_that_is_opened_is_parsed(self):
        page = self.open(self.file)
        # What can't be parsed hurts nobody who does not ask for it.
        file = self.folder / "broken.html"
        file.write_text(re.sub(r'(id="results-1">)[^<]*', r"\1{broken", self.file.read_text()))
        page.open(file.as_uri())
        self.drawn(page)
        self.assert_first_view(page)
        self.at(page, "#trace-2", "app")
        page.wait("document.querySelector('#launches')")
        other = self.enterContext(self.tab())
        other.open(f"{file.as_uri()}#trace-1")
        other.wait("document.querySelector('[role=alert]')")
        self.assertIn("can't be read", self.text(other, "[role=alert]"))

    def test_filters_hold_for_each_and_what_does_not_go_together_is_refused(self):
        file = self.folder / "part.html"
        stderr = self.report(file, "--before", self.traces[0], *self.traces, code=1)
        self.assertIn("--before: one trace is compared with an earlier one, and here are several", stderr)
        self.assertIn("there is no launch for kernel stencil", self.report(file, "-k", "stencil", *self.traces, code=1))
        self.assertFalse(file.exists())
        self.report(file, "--launch", "1", *self.traces)
        page = self.open(file)
        self.assertEqual([row[1] for row in self.rows(page, "#traces-list")], ["1"] * len(RANKS))
        self.at(page, "#trace-0", "app")
        page.wait("document.querySelector('header .shown')")
        self.assertIn("Shown: launch 1, 1 of 7 launches.", self.text(page, "header .shown"))

    def test_faults_are_counted_and_stand_in_the_page_of_their_trace(self):
        self.assertEqual(self.count(self.open(self.file), ".faults-found"), 0)
        file, traces = self.folder / "checked.html", [*self.traces, SOURCE / "test/golden/v4/host.cuprtrace"]
        self.report(file, "--check", *traces)
        found = [json.loads(subprocess.run([tools / "cupranalyze", "check", "--json", trace], capture_output=True).stdout)["faults"] for trace in traces]
        faulty = [rank for rank, faults in enumerate(found) if faults]
        self.assertTrue(0 < len(faulty) < len(found))
        count = sum(map(len, found))
        for size in SIZES:
            page = self.open(file, **size)
            self.assertEqual(self.text(page, ".faults-found"), f"{count} {'fault' if count == 1 else 'faults'} found in {len(faulty)} of {len(found)} traces")
            heads = page.evaluate("[...document.querySelectorAll('#traces-list th')].map(h => h.textContent)")
            self.assertEqual([cells[heads.index("Faults")] for cells in self.rows(page, "#traces-list")], [str(len(faults)) for faults in found])
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
            self.assert_axe_finds_nothing(page)
            for rank, faults in enumerate(found):
                page.evaluate(f"location.hash = 'trace-{rank}/faults'")
                page.wait(f"document.querySelector('h1')?.textContent !== '' && document.querySelector('header select')?.selectedIndex === {rank + 1}")
                self.drawn(page)
                self.assertEqual(page.evaluate("[...document.querySelectorAll('#faults h3')].map(h => h.textContent)"), [fault["title"] for fault in faults])
                self.assertEqual(self.count(page, "main > div > .faults-found"), bool(faults))

    def test_traces_without_ranks_are_called_by_their_names(self):
        file = self.folder / "names.html"
        self.report(file, *(SOURCE / f"test/golden/v4/{name}.cuprtrace" for name in RANKS))
        page = self.open(file)
        self.assertEqual([row[0] for row in self.rows(page, "#traces-list")], [f"{name}.cuprtrace" for name in RANKS])


class Speed(ReportTest):
    def test_64_traces_stay_interactive(self):
        results = copy.deepcopy(SAMPLE)
        results["sources"][0]["text"] += "// filler of a long source\n" * 20_000
        file = self.folder / "many.html"
        file.write_text(many(64, results))
        page = self.open(file, **SIZES[0])
        self.assertEqual(self.count(page, "#traces-list tbody tr"), 64)
        self.assertLess(self.drawing_time(page), 2000)
        for rank in (63, 7):
            began = page.evaluate("performance.now()")
            page.evaluate(f"location.hash = '#trace-{rank}'")
            page.wait(f"document.title.startsWith('rank {rank},')")
            self.drawn(page)
            taken = page.evaluate("performance.now()") - began
            print(f"rank {rank} drawn after {taken:.0f} ms")
            self.assertLess(taken, 2000)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), SIZES[0]["width"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    tools = options.tools.resolve()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)

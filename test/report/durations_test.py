"""The report of made-up timed launches: durations beside sectors, the histogram of an access, and warps over time."""
import itertools
import json
import unittest

from report_page import AXE, SAMPLE, SIZES, ReportTest

FILE = SAMPLE["sources"][0]["path"]
STEP, PEAK = SAMPLE["kernels"][1]["name"], SAMPLE["kernels"][2]["name"]
SHARED_LINE = 14  # has no access of global memory


def moments(samples, mean, error=1.5):
    return {"samples": samples, "cycles": samples * mean, "mean": mean, "meanError": error, "min": mean - 50, "max": mean + 900,
            "p50": mean - 12, "p90": mean + 100, "p99": mean + 800}


def access(kernel, line, column, operation, space, durations, **more):
    return {"kernel": kernel, "file": FILE, "line": line, "column": column, "operation": operation, "function": kernel, "callers": [],
            "callSites": [], "bytes": 4, "space": space, **durations, "share": 0, "threads": 32 * durations["samples"],
            "widthOf": {"global": "sectors", "shared": "wavefronts"}[space], "width": 8 * durations["samples"], "leastWidth": 4 * durations["samples"],
            "patternReference": None, "patternSamples": 0, "patternCycles": 0, "patternError": None, **more}


# 60, 20, 10 and 10 % of all cycles.
ACCESSES = [
    access(STEP, 12, 15, "load", "global", moments(1200, 500)),
    access(STEP, 12, 23, "load", "global", moments(200, 1000), patternReference="access", patternSamples=150, patternCycles=75000.4, patternError=321.2),
    access(STEP, SHARED_LINE, 7, "load", "shared", moments(2500, 40)),
    access(PEAK, 31, 24, "load", "global", moments(100, 1000)),
]
CLASSES = [(0, 256, 287, 700), (0, 288, 319, 300), (0, 416, 447, 199), (0, 1048576, 1179647, 1), (1, 960, 1023, 200), (2, 15, 15, 2000), (2, 40, 43, 500),
           (3, 960, 1023, 100)]


def kernel(name, durations):
    return {"kernel": name, "scheme": "dependency", "launches": 2, "untimed": 3, **durations, "warps": 64, "memoryCycles": 900, "spanCycles": 1000, "memoryShare": 0.9}


def line(number, durations, name=STEP):
    return {"kernel": name, "file": FILE, "line": number, **durations, "share": 0}


def track(sm, block, warp, slices):
    return {"sm": sm, "block": [block, 0, 0], "warp": warp, **{name: list(part) for name, part in zip(("starts", "durations", "accesses"), zip(*slices))}}


TIMED = {
    **SAMPLE,
    "latencyKernels": [kernel(STEP, moments(3900, 900000 / 3900)), kernel(PEAK, moments(100, 1000))],
    "latencyAccesses": ACCESSES,
    "latencyLines": [line(12, moments(1400, 800000 / 1400)), line(SHARED_LINE, moments(2500, 40)), line(31, moments(100, 1000), PEAK)],
    "latencyClasses": [dict(zip(("access", "first", "last", "samples"), row)) for row in CLASSES],
    "latencyExcerpts": [
        {"launch": 2, "kernel": STEP, "end": 4000, "samples": 900, "warps": 64, "multiprocessors": 8, "tracks": [
            track(3, 5, 0, [(0, 500, 0), (520, 1000, 1), (3900, 40, 2)]),
            track(3, 5, 1, [(100, 500, 0), (200, 1000, 1)]),  # the second one begins while the first one is under way
            track(7, 6, 0, [(0, 500, 0)])]},
        {"launch": 20, "kernel": PEAK, "end": None, "samples": 1, "warps": 1, "multiprocessors": 1, "tracks": [track(0, 0, 0, [(0, 1000, 3)])]},
    ],
}
TIMED["findings"] = [{**SAMPLE["findings"][0], "lostCycles": 75000.4, "lostCyclesError": 321.2, "lostCyclesShare": 0.75}, *SAMPLE["findings"][1:]]


class Durations(ReportTest):
    def figures(self, page, row):
        return page.evaluate(f"[...document.querySelectorAll({json.dumps(row + ' td.figure')})].map(c => c.title || c.textContent)")

    def heads(self, page, of):
        return page.evaluate(f"[...document.querySelectorAll({json.dumps(of + ' thead th')})].map(h => h.textContent)")

    def choose(self, page, label, option):
        page.evaluate(f"""(() => {{
            const list = [...document.querySelectorAll('.choice')].find(c => c.textContent.startsWith({json.dumps(label)})).querySelector('select');
            list.selectedIndex = [...list.options].findIndex(o => o.textContent.includes({json.dumps(option)}));
            list.dispatchEvent(new Event('change')); }})()""")

    def test_nothing_is_shown_where_nothing_is_timed(self):
        page = self.show(SAMPLE)
        self.assertEqual(self.count(page, "#durations, #excerpt, #source button.tag"), 0)
        self.assertNotIn("cycles", page.evaluate("document.querySelector('main').textContent + document.querySelector('footer').textContent"))

    def test_lines_and_accesses_have_durations_beside_their_sectors(self):
        for size in SIZES:
            page = self.show(TIMED, **size)
            self.assertEqual(self.heads(page, "#source .source")[8:12], ["Mean cycles", "p50, cycles", "p99, cycles", "Of memory time"])
            self.assertEqual(self.figures(page, "#line-0-12")[3:], ["5.600", "414,720", "165,888", "71.4 %", "13,271,040", "571.429", "559", "1,371", "80.0 %"])
            # Of shared memory: no sectors.
            self.assertEqual(self.figures(page, f"#line-0-{SHARED_LINE}"), ["-"] * 8 + ["40.000", "28", "840", "10.0 %"])
            # What was not timed has none.
            self.assertEqual(self.figures(page, "#line-0-24")[8:], ["-"] * 4)
            # Of the five accesses of line 12 two were timed.
            below = page.evaluate("""(() => { const found = [];
                for (let row = document.getElementById('line-0-12').nextElementSibling; row.classList.contains('access'); row = row.nextElementSibling)
                  found.push([...row.cells].map(c => c.title || c.textContent));
                return found.filter(r => r[8] !== '-').map(r => [r.at(-1), ...r.slice(8, 12)]); })()""")
            self.assertEqual(sorted(below), [[f"load of 4 B, column {column}durations, of heatStep", *of] for column, of in (
                (15, ["500.000", "488", "1,300", "60.0 %"]), (23, ["1000.000", "988", "1,800", "20.0 %"]))])
            page.evaluate(f"document.querySelector('#line-0-{SHARED_LINE} .fold').click()")
            self.assertIn("load of 4 B, shared memory, column 7", page.evaluate(f"document.querySelector('#line-0-{SHARED_LINE} + tr').textContent"))

    def test_heat_and_hotspots_by_cycles(self):
        page = self.show(TIMED)
        self.choose(page, "Heat", "Of memory time")
        weights = dict(page.evaluate("[...document.querySelectorAll('#source tr.cost')].map(r => [r.id, r.style.getPropertyValue('--weight')])"))
        self.assertEqual([weights[f"line-0-{n}"] for n in (12, SHARED_LINE, 31, 24)], ["100%", "13%", "13%", "0%"])
        page.evaluate("[...document.querySelectorAll('#source button')].find(b => b.textContent === 'Next hotspot').click()")
        self.assertEqual(page.evaluate("document.querySelector('#source output').textContent"), "1 of 3: step.cu:12, of memory time 80.0 %")
        # Loads of both memories are loads.
        self.choose(page, "Operations", "loads")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#source tr.cost th')].map(h => Number(h.textContent))"), [12, SHARED_LINE, 18, 31])
        # Percentiles of several accesses don't add up.
        self.assertEqual(self.figures(page, "#line-0-12")[8:], ["571.429", "-", "-", "80.0 %"])
        self.choose(page, "Operations", "stores")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#source tr.cost th')].map(h => Number(h.textContent))"), [5, 24])

    def test_all_timed_accesses_sort(self):
        page = self.show(TIMED)
        rows = self.rows(page, "#timed-accesses")
        self.assertEqual([row[0] for row in rows], ["step.cu:12", "step.cu:12", f"step.cu:{SHARED_LINE}", "step.cu:31"])
        self.assertEqual(rows[1][6:15], ["200", "20.0 %", "1000.0 ± 1.5", "988", "1,800", "1,900", "8.0 sectors", "4.0 sectors", "75,000 ± 321"])
        page.evaluate("[...document.querySelectorAll('#timed-accesses thead button')].find(b => b.textContent === 'p99').click()")
        self.assertEqual([row[10] for row in self.rows(page, "#timed-accesses")], ["1,800", "1,800", "1,300", "840"])
        page.evaluate("[...document.querySelectorAll('#accesses thead button')].find(b => b.textContent === 'Mean cycles').click()")
        self.assertEqual([row[14] for row in self.rows(page, "#accesses")][:4], ["1,000", "1,000", "500", "-"])
        self.assertEqual(self.rows(page, "#timed-kernels")[0][1:], ["2", "64", "3,900", "3", "230.8 ± 1.5", "90.0 %"])

    def test_a_histogram_of_the_access_that_is_chosen(self):
        page = self.show(TIMED)
        of = "#duration-histogram"
        self.assertEqual(self.text(page, f"{of} h3"), "Durations of load step.cu:12:15")
        self.assertNotIn("modelled", self.text(page, f"{of} figcaption"))
        self.open_tables(page)
        self.assertEqual(self.rows(page, of), [["256", "287", "700"], ["288", "319", "300"], ["416", "447", "199"], ["1,048,576", "1,179,647", "1"]])
        page.evaluate(f"document.querySelector('{of} .chart').focus()")
        spoken = []
        for _ in range(8):
            page.press("ArrowRight")
            spoken.append(self.text(page, f"{of} [role=status]"))
        # Empty classes between near ones are there, those between far ones are not.
        self.assertEqual([text.split(" cycles")[0] for text in spoken], ["256–287", "288–319", "320–351", "352–383", "384–415", "416–447", "…", "1,048,576–1,179,647"])
        self.choose(page, "Access", f":{SHARED_LINE}:")
        self.assertEqual(self.text(page, f"{of} h3"), f"Durations of load step.cu:{SHARED_LINE}:7, shared")
        self.drawn(page)
        # From an access in its line, and from the table.
        page.evaluate("[...document.querySelectorAll('#source .access')].find(r => r.textContent.includes('column 23')).querySelector('button.tag').click()")
        self.assertEqual(self.text(page, f"{of} h3"), "Durations of load step.cu:12:23")
        self.assertEqual(page.evaluate("document.activeElement.closest('#duration-histogram') !== null"), True)
        page.evaluate("[...document.querySelectorAll('#timed-accesses button.tag')].at(-1).click()")
        self.assertEqual(self.text(page, f"{of} h3"), "Durations of load step.cu:31:24")
        self.drawn(page)

    def slices(self, page):
        """Of each row: name, and left, width and top of what is drawn in it."""
        return page.evaluate("""[...document.querySelectorAll('#excerpt .warp:not(.axis)')].map(w => [w.firstChild.textContent,
            ...[...w.querySelectorAll('i')].map(i => [parseFloat(i.style.left), parseFloat(i.style.width), parseInt(i.style.top)])])""")

    def test_warps_over_time(self):
        page = self.show(TIMED)
        note = self.text(page, "#excerpt figcaption")
        self.assertIn("2 of 8 multiprocessors, 3 of 64 warps, 6 of 900 accesses; what begins behind cycle 4,000 is left out.", note)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#excerpt .multiprocessor')].map(p => p.textContent)"), ["Multiprocessor 3", "Multiprocessor 7"])
        self.assertEqual(self.slices(page), [
            ["block 5, 0, 0, warp 0", [0, 12.5, 0], [13, 25, 0], [97.5, 1, 0]],
            ["block 5, 0, 0, warp 1", [2.5, 12.5, 0], [5, 25, 12]],  # beside each other
            ["block 6, 0, 0, warp 0", [0, 12.5, 0]]])
        self.assertEqual(page.evaluate("document.querySelectorAll('#excerpt i')[1].title"), "load step.cu:12:23: 1,000 cycles from 520")
        # Windows: by a press, and by keys.
        page.evaluate("document.querySelector('#excerpt [aria-label=\"Zoom in\"]').click()")
        window = "(d => [d.from, d.to])(document.querySelector('.gantt').dataset)"
        self.assertEqual(page.evaluate(window), ["1000", "3000"])
        self.assertEqual(self.slices(page)[0][1:], [[0, 26, 0]])
        page.evaluate("document.querySelector('.gantt-box').focus()")
        for key, to in (("ArrowLeft", ["500", "2500"]), ("ArrowRight", ["1000", "3000"]), ("+", ["1500", "2500"]), ("-", ["1000", "3000"]), ("0", ["0", "4000"])):
            page.press(key)
            self.assertEqual(page.evaluate(window), to, key)
        self.open_tables(page)
        self.assertEqual(self.rows(page, "#excerpt")[1], ["3", "block 5, 0, 0, warp 0", "520", "1,000", "load step.cu:12:23"])
        self.choose(page, "Launch", "peak")
        self.assertIn("all 1 multiprocessors, all 1 warps, all 1 accesses.", self.text(page, "#excerpt figcaption"))

    def test_a_kernel_has_its_own_durations(self):
        page = self.show(TIMED)
        page.evaluate(f"""(() => {{ const list = document.querySelector('header select');
            list.selectedIndex = [...list.options].findIndex(o => o.textContent.startsWith('peak')); list.dispatchEvent(new Event('change')); }})()""")
        self.drawn(page)
        self.assertEqual([row[0] for row in self.rows(page, "#timed-accesses")], ["step.cu:31"])
        self.assertEqual(self.rows(page, "#timed-accesses")[0][7], "100.0 %")
        self.assertEqual(self.text(page, "#duration-histogram h3"), "Durations of load step.cu:31:24")
        self.assertIn("Launch 20 of peak", self.text(page, "#excerpt figcaption"))
        page.evaluate(f"""(() => {{ const list = document.querySelector('header select');
            list.selectedIndex = [...list.options].findIndex(o => o.textContent.startsWith('seed')); list.dispatchEvent(new Event('change')); }})()""")
        self.assertEqual(self.text(page, "#durations div").strip(), "No launch of this kernel was timed.")

    def test_findings_say_the_cycles_that_were_lost(self):
        page = self.show(TIMED)
        self.assertIn("75,000 ± 321 cycles lost in timed launches, known of 75.0 % of its accesses", self.text(page, "#finding-1 .where"))
        self.assertNotIn("cycles", self.text(page, "#finding-2 .where"))
        self.assertIn("First come those that lost cycles", self.text(page, "#findings .note:not([hidden])"))

    def test_a_model_is_said_to_be_one(self):
        page = self.show({**TIMED, "device": {"kind": "cpu", "name": "CPU"}})
        for place in ("#source .note:not([hidden])", "#durations .note:not([hidden])", "#duration-histogram figcaption", "#excerpt figcaption", "#findings .note:not([hidden])"):
            self.assertIn("modelled", self.text(page, place), place)
        page = self.show(TIMED)
        self.assertNotIn("modelled", self.text(page, "main"))

    def test_much_is_drawn_soon(self):
        tracks = [track(n // 16, n, n % 16, [(50 * i + n, 40, i % 4) for i in range(64)]) for n in range(64)]
        excerpt = {**TIMED["latencyExcerpts"][0], "tracks": tracks}
        page = self.show({**TIMED, "latencyExcerpts": [{**excerpt, "kernel": STEP}] * 8})
        self.assertEqual(self.count(page, "#excerpt i"), 64 * 64)
        self.assertLess(self.drawing_time(page), 2000)

    @unittest.skipUnless(AXE.exists(), "axe-core is not there: npm ci in test/report")
    def test_axe_finds_nothing(self):
        for theme, size in itertools.product(("light", "dark"), SIZES):
            page = self.show(TIMED, theme=theme, **size)
            self.open_tables(page)
            page.evaluate("document.querySelectorAll('.fold[aria-expanded=false]').forEach(f => f.click())")
            self.assert_axe_finds_nothing(page)
            self.picture(page, f"durations-{theme}-{size['width']}")

    def test_paper_has_no_controls(self):
        page = self.show(TIMED, **SIZES[0])
        page.call("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#durations button:not(.name, thead button), #source button.tag, select')]"
                                       ".filter(e => e.checkVisibility()).length"), 0)
        self.assertTrue(page.evaluate("document.querySelector('#excerpt i').checkVisibility()"))

    def test_360_pixels_are_wide_enough(self):
        page = self.show(TIMED, **SIZES[1])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)


if __name__ == "__main__":
    unittest.main(verbosity=2)

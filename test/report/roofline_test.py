"""The roofline of made-up kernels: where they stand by arithmetic, by level and by kernel."""
import copy
import json
import unittest

from report_page import SAMPLE, SIZES, ReportTest

FILE = SAMPLE["sources"][0]["path"]
SEED, HEAT, PEAK = (k["name"] for k in SAMPLE["kernels"])


def work(fp32, l1, l2, memory, limit, least, fp64=0):
    return {"instructions": 1000, "threadInstructions": 32000, "fp64Operations": fp64, "fp32Operations": fp32, "fp16Operations": 0, "tensorOperations": 0,
            "integerOperations": 7, "sharedBytes": 0, "l1Bytes": l1, "l2Bytes": l2, "memoryBytes": memory, "limit": limit, "leastTime": least}


def kernel(name, time, of):
    return {"kernel": name, **of, "occupancy": 0.5, "activeMultiprocessors": 1, "time": time, "issueRate": None if time is None else 0.25}


def line(name, number, of):
    return {"kernel": name, "file": FILE, "line": number, "function": name, "callers": [], "callSites": [], **of}


# Of 10^9 operations and 4 x 10^9 bytes in 2 ms, and of 8 x 10^9 and 10^9 in 1 ms: 0.5 and 8 Tflop/s. The third computes nothing.
ROOFLINE = {
    "version": 1, "device": "H200", "ceilings": "NVIDIA H200",
    "rooflineKernels": [
        kernel(HEAT, 2_000_000, work(1e9, 16e9, 8e9, 4e9, "dram", 1e-3)),
        kernel(PEAK, 1_000_000, work(6e9, 2e9, 1e9, 1e9, "fp64", 5e-4, fp64=2e9)),
        kernel(SEED, 250_000, work(0, 1e8, 1e8, 1e8, "dram", 2.5e-5)),
    ],
    "rooflineLines": [line(HEAT, 12, work(1e9, 16e9, 8e9, 4e9, "dram", 1e-3)), line(PEAK, 31, work(6e9, 2e9, 1e9, 1e9, "fp64", 5e-4, fp64=2e9))],
    "rooflineCeilings": [
        *({"limit": limit, "unit": "bytes", "rate": rate} for limit, rate in (("dram", 4e12), ("l2", 8e12), ("shared", 32e12))),
        *({"limit": limit, "unit": "operations", "rate": rate} for limit, rate in (("fp32", 64e12), ("fp64", 32e12), ("fp16", 128e12), ("tensor.f16", 600e12))),
    ],
}
BOX = "#limits .chart"


def untimed():
    made = copy.deepcopy(ROOFLINE)
    for of in made["rooflineKernels"]:
        of.update(time=None, issueRate=None)
    return made


class RooflineTest(ReportTest):
    def choose(self, page, within, option):
        page.evaluate(f"""(() => {{ const list = document.querySelector({json.dumps(within + ' select')});
            list.selectedIndex = [...list.options].findIndex(o => o.text.startsWith({json.dumps(option)})); list.dispatchEvent(new Event('change')); }})()""")
        self.drawn(page)

    def points(self, page):
        self.open_tables(page)
        return self.rows(page, "#limits .as-table")

    def texts(self, page):
        return page.evaluate(f"[...document.querySelectorAll('{BOX} text')].map(t => t.textContent)")

    def marks(self, page):
        """Of the kernels' marks: where their middles are, and whether they are filled."""
        return page.evaluate(f"""[...document.querySelectorAll('{BOX} path')].filter(p => p.getAttribute('d').startsWith('M1 0A1 1 '))
            .map(p => {{ const b = p.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2, p.getAttribute('fill')]; }})""")

    def test_there_is_none_where_nobody_asked(self):
        self.assertEqual(self.count(self.show(SAMPLE), "#limits div, nav a[href='#limits']"), 0)

    def test_kernels_stand_by_their_operations_and_bytes(self):
        page = self.show(SAMPLE, roofline=ROOFLINE)
        self.assertEqual([row[1:] for row in self.points(page)], [
            ["0.25", "500 Gflop/s", "memory", "1.00 ms", "50.0 %"], ["8", "8 Tflop/s", "fp64", "500.0 µs", "50.0 %"]])
        self.assertIn("2 kernels; the one that takes longest is heatStep: 500 Gflop/s of 1 Tflop/s at 0.25 flop/B.", page.evaluate(f"document.querySelector('{BOX}').ariaLabel"))
        # Peaks of what the kernels compute, and no others.
        shown = self.texts(page)
        self.assertEqual([name for name in ("memory", "L2", "fp32", "fp64", "fp16", "tensor.f16") if name in shown], ["memory", "fp32", "fp64"])
        self.assertTrue({"heatStep", "peak"} <= set(shown), shown)
        (x1, y1, _), (x2, y2, _) = self.marks(page)
        self.assertGreater(x2, x1)
        self.assertGreater(y1, y2)

    def test_marks_are_on_their_axes(self):
        """A kernel that does what its memory allows is on the roof; a decade is a decade."""
        made = copy.deepcopy(ROOFLINE)
        first, second, _ = made["rooflineKernels"]
        first.update(time=1_000_000)  # 10^12 at 0.25 flop/B: on the slope
        second.update(work(2.5e9, 1e9, 1e9, 1e9, "dram", 1e-3), time=250_000)  # 10^13 at 2.5: a decade further in both
        page = self.show(SAMPLE, roofline=made)
        (x1, y1, _), (x2, y2, _) = self.marks(page)
        slope = page.evaluate(f"""[...document.querySelectorAll('{BOX} path')].filter(p => p.getAttribute('fill') === 'none' && /^M[-\\d. ]+L[-\\d. ]+$/.test(p.getAttribute('d')))
            .map(p => p.getBoundingClientRect()).map(b => [b.left, b.bottom, b.right, b.top]).find(([l, b, r, t]) => r - l > 40 && b - t > 40)""")
        left, bottom, right, top = slope
        self.assertAlmostEqual((y1 - y2) / (x2 - x1), (bottom - top) / (right - left), delta=0.02)
        for x, y in ((x1, y1), (x2, y2)):
            self.assertAlmostEqual(y, bottom - (x - left) / (right - left) * (bottom - top), delta=2)

    def test_levels_of_memory(self):
        page = self.show(SAMPLE, roofline=ROOFLINE)
        self.choose(page, "#limits", "L2")
        self.assertEqual([row[1] for row in self.points(page)], ["0.125", "8"])
        self.assertIn("L2", self.texts(page))
        # A level whose bandwidth nobody measured has peaks alone.
        self.choose(page, "#limits", "L1")
        self.assertEqual([row[1] for row in self.points(page)], ["0.0625", "4"])
        self.assertNotIn("L1", self.texts(page))

    def test_kernels_of_unknown_times_are_hollow(self):
        page = self.show(SAMPLE, roofline=ROOFLINE)
        filled = {fill for *_, fill in self.marks(page)}
        page = self.show(SAMPLE, roofline=untimed())
        self.assertEqual([row[1:] for row in self.points(page)], [
            ["0.25", "1 Tflop/s", "memory", "1.00 ms", "-"], ["8", "16 Tflop/s", "fp64", "500.0 µs", "-"]])
        hollow = {fill for *_, fill in self.marks(page)}
        self.assertEqual((len(filled), len(hollow)), (1, 1))
        self.assertNotEqual(filled, hollow)
        self.assertIn("hollow", self.text(page, "#limits figcaption"))

    def test_tables_have_all_kernels_and_lines(self):
        page = self.show(SAMPLE, roofline=ROOFLINE)
        kernels, lines = page.evaluate("[...document.querySelectorAll('#limits > div > .card')].filter(c => !c.querySelector('.chart')).map(c => [...c.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent)))")
        self.assertEqual(kernels[0][1:], ["1,000,000,000", "0.25", "0.125", "0.0625", "memory", "1.00 ms", "2.00 ms", "50.0 %", "0.25", "50.0 %"])
        self.assertEqual(kernels[2][1:], ["0", "0", "0", "0", "memory", "25.0 µs", "250.0 µs", "10.0 %", "0.25", "50.0 %"])
        self.assertEqual([row[0] for row in lines], ["step.cu:12", "step.cu:31"])
        page.evaluate("document.querySelector('#limits a[href^=\"#line-\"]').click()")
        self.assertEqual(page.evaluate("location.hash"), "#line-0-12")

    def test_a_kernel_has_its_own(self):
        page = self.show(SAMPLE, roofline=ROOFLINE)
        self.choose(page, "header", "peak")
        self.assertEqual([row[1] for row in self.points(page)], ["8"])
        self.choose(page, "header", "seed")  # computes nothing
        self.assertEqual(self.count(page, BOX), 0)
        self.assertIn("compute no floating-point numbers", self.text(page, "#limits"))

    def test_by_keys_and_for_everybody(self):
        for size in SIZES:
            page = self.show(SAMPLE, roofline=ROOFLINE, **size)
            page.evaluate(f"document.querySelector('{BOX}').focus()")
            page.press("ArrowRight")
            self.assertIn("heatStep", self.text(page, "#limits [role=status]"))
            self.assertIn("500 Gflop/s", self.text(page, "#limits [role=status]"))
            self.assert_axe_finds_nothing(page)
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True)
            page.evaluate("document.querySelector('#limits').scrollIntoView({ behavior: 'instant' })")
            self.picture(page, f"roofline-{size['width']}")
        page.evaluate("document.documentElement.dataset.theme === 'dark' || document.querySelector('header button[aria-label=\"Dark theme\"]').click()")
        self.assert_axe_finds_nothing(page)
        self.picture(page, "roofline-dark")


if __name__ == "__main__":
    unittest.main()

"""cupranalyze report from end to end: hotspot on the CPU device, its trace, the page, what a reader sees.

    page_test.py --tools build/release/bin

The figures are those that arithmetic gives: 512 x 512 cells in 32 x 32 CTAs, 10 steps, six loads and one store each.
"""
import argparse
import math
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from report_page import SOURCE, ReportTest

CELLS, STEPS = 512 * 512, 10
MIB = CELLS * 4  # what a step stores
ACROSS = 238_576  # bytes of it that other CTAs read: examples/hotspot/README.md
tools = None


class Hotspot(ReportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program, trace, cls.file = cls.folder / "hotspot", cls.folder / "hotspot.cuprtrace", cls.folder / "hotspot.html"
        sources = [SOURCE / "examples/hotspot" / name for name in ("main.cu", "step.cu")]
        subprocess.run([tools / "cupr++", "--device=cpu", "-O2", "-o", cls.program, *sources], check=True)
        subprocess.run([cls.program], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "CUPR_TRACE": str(trace), "CUPR_DEVICE": "cpu"})
        cls.trace = trace
        made = subprocess.run([tools / "cupranalyze", "report", "--advise", "--quiet", "--threads=2", "--memory=1G", "-o", cls.file, trace],
                              check=True, capture_output=True, text=True)
        assert made.stdout == f"{cls.file}\n", made.stdout

    def test_the_page_shows_the_program(self):
        page = self.open(self.file)
        self.picture(page, "hotspot")
        self.assertEqual(page.evaluate("document.title"), "hotspot: memory report")
        self.assertEqual(self.text(page, "h1"), "hotspot")
        self.assertIn("CPU device", self.text(page, "header"))
        tiles = page.evaluate("[...document.querySelectorAll('.tile b')].map(t => t.textContent)")
        # 7 x 2^18 x 10 = 18.35 M accesses; nine of ten steps are read by a later one, their edges by other CTAs; the last one by the host.
        handed_on = f"{9 * ACROSS / (STEPS * MIB):.1%}".replace("%", " %")
        # The neighbours left and right begin a cell beside a sector's: a halo, which findings leave alone.
        self.assertEqual(tiles[:3], ["79.6 MiB", "87.8 %", "none"])
        self.assertEqual(tiles[3:], ["18.4 M", "60.0 MiB", "10.0 MiB", handed_on, "90.0 %", f"{9 * ACROSS / 2**20:.1f} MiB", "1.0 MiB"])

    def test_several_gpus(self):
        page = self.open(self.file)
        best = {row[0]: row[1] for row in self.rows(page, "#advisor") if row[-1] == "best"}
        self.assertEqual(set(best), {"2", "4", "8"})
        # A cut through the middle: 512 cells on either side of it are read by the other one, in nine steps.
        halves = [row[2:4] for row in self.rows(page, "#advisor") if row[:2] == ["2", "cut in x"]]
        self.assertEqual(halves, [[f"{2 * 512 * 4 * 9:,}"] * 2])

    def test_launches_and_dependences(self):
        page = self.open(self.file)
        launches = self.rows(page, "#launches")
        self.assertEqual(len(launches), STEPS)
        for step, row in enumerate(launches):
            read, kept = (MIB if step else 0), (MIB if step < STEPS - 1 else 0)
            self.assertEqual([row[n] for n in (1, 2, 6, 8, 9, 10)],
                             ["heatStep", str(step), *map("{:,}".format, (7 * CELLS, MIB, read, kept))])
        # Of five loads in one line, one row: what a step stored, the next one reads.
        raw = [r for r in self.rows(page, "#dependences") if r[0] == "RAW" and r[3] == "step.cu:9" and r[5] == "heat.cuh:11"]
        self.assertEqual([r[6] for r in raw], [f"{5 * 9 * MIB:,}"])
        self.assertEqual(self.text(page, ".kernels tr:last-child td:last-child"), "9.0 MiB")

    def test_each_line_has_its_costs_and_its_finding(self):
        page = self.open(self.file)
        page.evaluate("document.querySelectorAll('.file').forEach(f => f.open = true)")
        page.wait("[...document.querySelectorAll('.file')].every(f => f.querySelector('.source'))")
        lines = page.evaluate("[...document.querySelectorAll('#source tr.cost')].map(r => [...r.cells].map(c => c.title || c.textContent))")
        self.assertEqual(len(lines), 3)  # heat.cuh:11 and 28, step.cu:9
        costs = {line[-1].strip(): (line[0], line[4]) for line in lines}
        ideal = MIB // 32 * STEPS
        # The first row is its own neighbour in the north, and the last one in the south. A warp is two rows of 16: there it has half of its bytes.
        twice = 2 * (512 // 16) * 2 * STEPS
        self.assertEqual(costs["return temperature[row * edge + column];"], (f"{5 * CELLS * STEPS:,}", f"{5 * ideal - twice:,}"))
        self.assertEqual(costs["return afterStep(here, (north + south) + (west + east), chip.power[y * chip.edge + x]);"], (f"{CELLS * STEPS:,}", f"{ideal:,}"))
        # One line in five inlined copies: each has a row that says where it was called.
        calls = page.evaluate("[...document.querySelectorAll('#source tr.access .code')].map(c => c.textContent)")
        self.assertEqual(len([c for c in calls if "load of 4 B" in c and "called at heat.cuh:" in c and ", at step.cu:9" in c]), 5, calls)
        self.assertIn("Nothing was found", self.text(page, "#findings"))

    def test_before_and_after(self):
        before, file = self.folder / "before.cuprtrace", self.folder / "compared.html"
        subprocess.run([self.program, "512", str(2 * STEPS)], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "CUPR_TRACE": str(before), "CUPR_DEVICE": "cpu"})
        subprocess.run([tools / "cupranalyze", "report", "-q", "-o", file, "--before", before, self.trace], check=True, stdout=subprocess.DEVNULL)
        page = self.open(file)
        sums = {row[0]: row[1:] for row in page.evaluate("[...document.querySelectorAll('#compared-sums tbody tr')].map(r => [...r.cells].map(c => c.textContent))")}
        self.assertEqual(sums["Accesses"], [f"{7 * CELLS * 2 * STEPS:,}", f"{7 * CELLS * STEPS:,}", "−50.0 %"])
        self.assertEqual(sums["Of use"], ["87.8 %", "87.8 %", "0"])
        lines = self.rows(page, "#compared-lines")
        self.assertEqual(sorted(row[0] for row in lines), ["heat.cuh:11", "heat.cuh:28", "step.cu:9"])
        self.assertEqual({row[5] for row in lines}, {"−50.0 %"})

    def test_it_opens_in_less_than_two_seconds(self):
        self.assertLess(self.drawing_time(self.open(self.file)), 2000)

    def test_an_interrupt_leaves_what_was_there(self):
        kept = self.folder / "kept.html"
        kept.write_text("precious")
        before = set(os.listdir(self.folder))
        for _ in range(20):
            process = subprocess.Popen([tools / "cupranalyze", "report", "-q", "-o", kept, self.trace], stdout=subprocess.DEVNULL)
            while process.poll() is None and set(os.listdir(self.folder)) == before:
                time.sleep(0.0002)  # until it writes
            process.send_signal(signal.SIGINT)
            process.wait()
            self.assertEqual(set(os.listdir(self.folder)), before)
            if kept.read_text() == "precious":
                self.assertEqual(process.returncode, -signal.SIGINT)
                return
            kept.write_text("precious")  # the page was done before the signal came
        self.fail("no page was interrupted while it was written")


class TimedProgram(ReportTest):
    """Fields of structures by 64 warps: the model takes 300 cycles, 4 for each further sector, and of a row of floats 312."""

    def test_durations_are_those_of_the_model(self):
        program, trace, file = (self.folder / name for name in ("timed", "timed.cuprtrace", "timed.html"))
        subprocess.run([tools / "cupr++", "--device=cpu", "-O2", "--latency", "-o", program, SOURCE / "test/lit/e2e/Inputs/lost_cycles.cu"], check=True)
        subprocess.run([program], check=True, env={**os.environ, "CUPR_TRACE": str(trace), "CUPR_DEVICE": "cpu", "CUPR_LATENCY": "on"})
        subprocess.run([tools / "cupranalyze", "report", "--quiet", "-o", file, trace], check=True, capture_output=True)
        page = self.open(file)
        narrow, wide = 300 + 4 * 3, 300 + 4 * 11  # scale and the store; three fields, of 12 sectors
        mean = (2 * narrow + 3 * wide) / 5
        error = 1.96 * math.sqrt(6 / 25 * (wide - narrow) ** 2 * 320 / 319 / 320)
        self.assertEqual(self.rows(page, "#timed-kernels")[0][:6], ["lengths", "1", "64", "320", "0", f"{mean:.1f} ± {error:.1f}"])
        figures = page.evaluate("[...document.querySelectorAll('#line-0-9 td.figure')].map(c => c.title || c.textContent)")
        self.assertEqual(figures[8:11], [f"{mean:.3f}", "344", "344"])
        self.assertIn("64 warps, 80 of 320 accesses", self.text(page, "#excerpt figcaption"))
        self.assertIn("2,048 ± 0 cycles lost", self.text(page, "#finding-1 .where"))
        for section in ("source", "durations", "findings"):
            self.assertIn("modelled", self.text(page, f"#{section} .note:not([hidden])"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="folder of cupr++ and cupranalyze")
    arguments, rest = parser.parse_known_args()
    tools = arguments.tools.resolve()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)

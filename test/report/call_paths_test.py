"""The flame graph of made-up results: frames as wide as what they move, by mouse and by keys."""
import json
import unittest

from report_page import SAMPLE, SIZES, ReportTest

SEED, HEAT, PEAK = (kernel["name"] for kernel in SAMPLE["kernels"])
ALL = sum(a["sectors"] for a in SAMPLE["accesses"])


def sectors(**of):
    return sum(a["sectors"] for a in SAMPLE["accesses"] if all(a[name] == value for name, value in of.items()))


class CallPaths(ReportTest):
    def frames(self, page):
        """By full name: parts of the drawing's width and left side, and the row."""
        return {name: (width, left, round(top / 26)) for name, width, left, top in page.evaluate(
            """(() => { const all = document.querySelector('.flame'), box = all.getBoundingClientRect();
              return [...all.children].map(f => { const r = f.getBoundingClientRect();
                return [f.title.split(': ')[0], r.width / box.width, (r.left - box.left) / box.width, r.top - box.top]; }); })()""")}

    def assert_frames(self, found, expected):
        for name, width, row in expected:
            self.assertAlmostEqual(found[name][0], width, 3, name)
            self.assertEqual(found[name][2], row, name)

    def test_frames_are_as_wide_as_what_they_move(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            found = self.frames(page)
            file = SAMPLE["sources"][0]["path"]
            self.assert_frames(found, [
                ("all that is shown", 1, 0), (HEAT, sectors(kernel=HEAT) / ALL, 1), (PEAK, sectors(kernel=PEAK) / ALL, 1),
                # The kernel's own lines are right below it, those of inlined functions below these.
                (f"load {file}:12", sectors(line=12) / ALL, 2), ("power(Chip const&, int)", sectors(line=18) / ALL, 2),
                (f"load {file}:18", sectors(line=18) / ALL, 3)])
            self.assertAlmostEqual(found[f"load {file}:18"][1], found["power(Chip const&, int)"][1], 3)
            self.assertIn(f"{sectors(kernel=HEAT) / ALL:.1%}".replace("%", " %"), page.evaluate(f"document.querySelector('.flame [title^={json.dumps(HEAT)}]').title"))
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
            self.assert_axe_finds_nothing(page)

    def test_a_press_shows_a_frame_alone_and_escape_all(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            page.evaluate(f"document.querySelector('.flame [title^={json.dumps(PEAK)}]').click()")
            found = self.frames(page)
            self.assert_frames(found, [("all that is shown", 1, 0), (PEAK, 1, 1)])
            self.assertNotIn(HEAT, found)
            page.press("Escape")
            self.assertIn(HEAT, self.frames(page))

    def test_a_frame_leads_to_its_line(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            page.evaluate("[...document.querySelectorAll('.flame button')].find(b => b.textContent === 'load step.cu:18').click()")
            page.evaluate("document.querySelector('#call-paths output.note a').click()")
            page.wait("document.querySelector('.current')?.id === 'line-0-18'")

    def test_keys(self):
        page = self.show(SAMPLE)
        page.evaluate("document.querySelector('.flame button').focus()")
        at = "document.activeElement.title.split(': ')[0]"
        for key, name in (("ArrowDown", HEAT), ("ArrowRight", PEAK), ("ArrowLeft", HEAT), ("ArrowUp", "all that is shown"), ("ArrowDown", HEAT)):
            page.press(key)
            self.assertEqual(page.evaluate(at), name)
            self.assertTrue(self.text(page, "#call-paths output.note").startswith(name))
        page.press("Enter")
        self.assert_frames(self.frames(page), [(HEAT, 1, 1)])
        self.assertEqual(page.evaluate(at), HEAT)

    def test_widths_of_excess(self):
        page = self.show(SAMPLE)
        page.evaluate("const list = document.querySelector('#call-paths select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change'))")
        waste = {kernel: sum(a["sectors"] - a["leastSectors"] for a in SAMPLE["accesses"] if a["kernel"] == kernel) for kernel in (SEED, HEAT, PEAK)}
        found = self.frames(page)
        self.assert_frames(found, [(kernel, waste[kernel] / sum(waste.values()), 1) for kernel in (HEAT, PEAK)])
        self.assertNotIn(SEED, found)

    def test_search(self):
        page = self.show(SAMPLE)
        page.evaluate("(() => { const field = document.querySelector('#call-paths input'); field.value = 'POWER'; field.dispatchEvent(new Event('input')); })()")
        share = f"{sectors(line=18) / ALL:.1%}".replace("%", " %")
        self.assertEqual(self.text(page, "#call-paths .search output"), f"1 frame, {share} of the width. Enter shows the next one.")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.flame .found')].map(f => f.textContent)"), ["power"])

    def test_the_table_has_every_path(self):
        page = self.show(SAMPLE)
        self.open_tables(page)
        rows = self.rows(page, "#call-paths .as-table")
        self.assertEqual(len(rows), len(SAMPLE["accesses"]))
        self.assertIn("heatStep › power › load step.cu:18", [row[0] for row in rows])

    def test_a_page_without_waste_has_no_widths_of_it(self):
        page = self.show({**SAMPLE, "accesses": [{**a, "sectors": a["leastSectors"]} for a in SAMPLE["accesses"]]})
        page.evaluate("const list = document.querySelector('#call-paths select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change'))")
        self.assertEqual(self.count(page, ".flame button"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

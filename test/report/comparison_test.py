"""Before and after: what is gone, new and left, by lines that have moved."""
import copy
import unittest

from report_page import SAMPLE, SIZES, ReportTest

MOVED = 3  # lines that were added in front


def earlier():
    """The sample before a change: three lines fewer on top, another folder, an access that moved four times as much, a kernel more."""
    before = {name: copy.deepcopy(SAMPLE[name]) for name in ("shown", "volume", "kernels", "accesses", "sources", "findings")}
    before["sources"][0]["path"] = "old/step.cu"
    before["sources"][0]["text"] = "\n".join(SAMPLE["sources"][0]["text"].split("\n")[MOVED:])
    for access in before["accesses"]:
        access["line"] -= MOVED
        access["file"] = "old/step.cu"
        access["callSites"] = []
    wide = next(a for a in before["accesses"] if a["line"] == 18 - MOVED)
    wide["sectors"] *= 4
    gone = {**SAMPLE["findings"][0], "line": 18, "title": "four times as much", "kernel": SAMPLE["kernels"][1]["name"], "amount": 248_832}
    before["findings"] = [{**f, "line": f["line"] - MOVED, "file": "old/step.cu"} for f in (gone, SAMPLE["findings"][0])]
    before["accesses"].append({**wide, "kernel": "old(int*)", "function": "old(int*)", "line": 2, "sectors": 100, "leastSectors": 100})
    return before


class Comparison(ReportTest):
    def table(self, page, selector):
        return {row[0]: row[1:] for row in page.evaluate(
            f"[...document.querySelectorAll('{selector} tbody tr')].map(r => [...r.cells].map(c => c.textContent))")}

    def test_sums_findings_kernels_and_lines(self):
        before = earlier()
        sectors = [sum(a["sectors"] for a in side["accesses"]) for side in (before, SAMPLE)]
        for size in SIZES:
            page = self.show(SAMPLE, before, **size)
            self.assertEqual(page.evaluate("document.querySelector('main section[id]').id"), "change")
            sums = self.table(page, "#compared-sums")
            down = f"−{(sectors[0] - sectors[1]) / sectors[0]:.1%}".replace("%", " %")
            self.assertEqual(sums["Sectors"], [*map("{:,}".format, sectors), down])
            self.assertEqual(sums["Accesses"][2], f"−{before['accesses'][-1]['accesses'] / sum(a['accesses'] for a in before['accesses']):.1%}".replace("%", " %"))
            self.assertEqual(sums["Findings"], ["2", "2", "0"])
            # The one that moved is still the same, the other two are not.
            lists = page.evaluate("[...document.querySelectorAll('#change .three .card')].map(c => [c.querySelector('h3').textContent, ...[...c.querySelectorAll('li')].map(l => l.textContent)])")
            self.assertEqual([entry[0] for entry in lists], ["Gone: 1 finding", "New: 1 finding", "Remaining: 1 finding"])
            self.assertEqual(lists[0][1], "step.cu:15: four times as much, 248,832 sectors")
            self.assertTrue(lists[1][1].startswith("step.cu:33: 8,192 atomics on one address"), lists[1])
            self.assertTrue(lists[2][1].startswith("step.cu:31: ") and lists[2][1].endswith(", as before"), lists[2])
            kernels = self.table(page, "#compared-kernels")
            self.assertEqual(kernels["old"][:3], ["100", "0", "gone"])
            self.assertEqual(kernels["heatStep"][:2], ["995,328", "746,496"])
            lines = self.table(page, "#compared-lines")
            self.assertEqual(lines["step.cu:18"][:5], ["power", "float p = chip.power[i];", "331,776", "82,944", "−75.0 %"])
            self.assertEqual(lines["step.cu:31"][2:5], ["36,864", "36,864", "0"])
            self.assertEqual(len(lines), 7)
            page.evaluate("document.querySelector('#compared-lines a').click()")
            page.wait("document.querySelector('.current')?.id === 'line-0-18'")
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
            self.assert_axe_finds_nothing(page)

    def test_the_same_twice_changes_nothing(self):
        page = self.show(SAMPLE, {name: SAMPLE[name] for name in earlier()})
        self.assertEqual({row[2] for row in self.table(page, "#compared-sums").values()}, {"0"})
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#change .three h3')].map(h => h.textContent)"),
                         ["Gone: 0 findings", "New: 0 findings", "Remaining: 2 findings"])

    def test_without_an_earlier_trace_there_is_no_section(self):
        self.assertEqual(self.count(self.show(SAMPLE), "#change"), 0)

    def test_one_kernel_leaves_the_comparison_whole(self):
        page = self.show(SAMPLE, earlier())
        page.evaluate("const list = document.querySelector('header select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change'))")
        self.assertEqual(page.evaluate("document.querySelector('#change > .note').hidden"), False)
        self.assertEqual(len(self.table(page, "#compared-lines")), 7)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""The page of one kernel: everything that is known by kernel follows the choice, the rest says that it doesn't."""
import urllib.parse
import unittest

from report_page import SAMPLE, SIZES, ReportTest

HEAT, PEAK = (kernel["name"] for kernel in SAMPLE["kernels"][1:3])


class KernelFilter(ReportTest):
    def choose(self, page, option):
        page.evaluate(f"""(() => {{ const list = document.querySelector('header select');
            list.selectedIndex = {option}; list.dispatchEvent(new Event('change')); }})()""")
        self.drawn(page)

    def assert_only(self, page, kernel):
        mine = [a for a in SAMPLE["accesses"] if a["kernel"] == kernel]
        self.assertEqual(self.text(page, ".only"), f"Only kernel {kernel}")
        self.assertEqual(self.count(page, "#findings li.card"), len([f for f in SAMPLE["findings"] if f["kernel"] == kernel]))
        self.assertEqual(self.count(page, "#accesses tbody tr"), len(mine))
        self.assertEqual(self.count(page, "#source tr.cost"), len({a["line"] for a in mine}))
        self.assertEqual(self.count(page, "#launches tbody tr"), len([l for l in SAMPLE["launches"] if l["kernel"] == kernel]))
        sectors, least = (sum(a[name] for a in mine) for name in ("sectors", "leastSectors"))
        self.assertEqual(page.evaluate("document.querySelectorAll('#overview .tile b')[1].textContent"), f"{least / sectors:.1%}".replace("%", " %"))
        # What isn't known of a kernel says so.
        self.assertEqual(page.evaluate("[...document.querySelectorAll('section > .note:not([hidden])')].map(n => n.parentElement.id)"),
                         ["communication", "ctas", "supersteps", "allocations", "other-memory"])

    def test_everything_that_can_follows_the_choice(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            options = page.evaluate("[...document.querySelectorAll('header option')].map(o => o.textContent)")
            all_sectors = sum(a["sectors"] for a in SAMPLE["accesses"])
            share = sum(a["sectors"] for a in SAMPLE["accesses"] if a["kernel"] == HEAT) / all_sectors
            self.assertEqual(options[:2], ["All kernels", f"heatStep: {share:.1%} of sectors".replace("%", " %")])
            self.choose(page, 1)
            self.assert_only(page, HEAT)
            self.choose(page, 2)
            self.assert_only(page, PEAK)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
            self.assert_axe_finds_nothing(page)
            self.choose(page, 0)
            self.assertEqual(self.text(page, ".only"), "")
            self.assertEqual(self.count(page, "#accesses tbody tr"), len(SAMPLE["accesses"]))
            self.assertEqual(self.count(page, "section > .note:not([hidden])"), 0)

    def test_a_link_shows_the_same(self):
        page = self.show(SAMPLE)
        self.choose(page, 2)
        address = page.evaluate("location.href")
        self.assertEqual(urllib.parse.parse_qs(urllib.parse.urlsplit(address).query), {"kernel": [PEAK]})
        page.evaluate("document.querySelector('#finding-1 .where a').click()")
        page.reload()
        self.drawn(page)
        self.assert_only(page, PEAK)
        self.assertEqual(page.evaluate("document.querySelector('header select').selectedIndex"), 2)
        self.assertEqual(page.evaluate("document.querySelector('.current').id"), f"line-0-{SAMPLE['findings'][0]['line']}")
        # One that isn't there shows all.
        other = self.enterContext(self.tab())
        other.open(address.replace("peak", "nothing"))
        self.drawn(other)
        self.assertEqual(self.count(other, "#accesses tbody tr"), len(SAMPLE["accesses"]))

    def test_lines_lead_to_findings_that_are_there(self):
        page = self.show(SAMPLE)
        for option, tags in ((1, 0), (2, 2), (0, 2)):
            self.choose(page, option)
            for line in (31, 33):
                page.evaluate(f"location.hash = 'line-0-{line}'")
                page.wait(f"document.querySelector('.current')?.id === 'line-0-{line}'")
            self.assertEqual(page.evaluate("[...document.querySelectorAll('#source .tag.warn')].map(t => Boolean(document.querySelector(t.hash)))"), [True] * tags)

    def test_drawings_follow_the_theme_after_the_choice(self):
        page = self.show(SAMPLE)
        self.choose(page, 1)
        fills = "[...document.querySelectorAll('#volumes svg path')].map(p => p.getAttribute('fill')).join()"
        light = page.evaluate(fills)
        page.evaluate("document.querySelector('[aria-label=\"Dark theme\"]').click()")
        page.wait(f"{fills} !== {light!r}")


if __name__ == "__main__":
    unittest.main(verbosity=2)

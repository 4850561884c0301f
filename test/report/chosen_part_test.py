"""The page of a part that was chosen when it was made: it says so in its head, and of each section that is of the whole program."""
import copy
import unittest

from report_page import SAMPLE, SIZES, ReportTest

HEAT = SAMPLE["kernels"][1]
WHOLE = ["communication", "ctas", "supersteps", "allocations", "other-memory"]


def chosen(launches):
    """What cupranalyze writes of one kernel's first launches."""
    part = copy.deepcopy(SAMPLE)
    of_kernel = [launch for launch in part["launches"] if launch["kernel"] == HEAT["name"]]
    part["shown"] = {"what": f"kernel {HEAT['name']}", "launches": launches, "of": SAMPLE["shown"]["of"]}
    part["kernels"] = [HEAT]
    part["launches"] = of_kernel[:launches]
    for name in ("accesses", "findings"):
        part[name] = [row for row in part[name] if row["kernel"] == HEAT["name"]]
    return part


class ChosenPart(ReportTest):
    def whole_sections(self, page):
        return page.evaluate("""[...document.querySelectorAll('section > .note:not([hidden])')]
            .filter(n => n.textContent === 'Of the whole program: these figures are not known of a part.').map(n => n.parentElement.id)""")

    def communicated(self, page):
        """What stands in this column of the source, line by line."""
        return page.evaluate("""(() => { const at = [...document.querySelectorAll('#source thead th')].findIndex(h => h.textContent.startsWith('Communi'));
            return [...document.querySelectorAll('#source tr.cost')].map(r => r.cells[at].textContent); })()""")

    def test_the_head_and_the_sections_say_what_is_shown(self):
        for size in SIZES:
            for theme in ("light", "dark"):
                page = self.show(chosen(2), theme=theme, **size)
                self.assertEqual(self.text(page, "header .shown"),
                                 f"Shown: kernel {HEAT['name']}, 2 of {SAMPLE['shown']['of']} launches. Memory was followed for all of them.")
                self.assertEqual(self.whole_sections(page), WHOLE)
                self.assertEqual(self.text(page, "#dependences .note:not([hidden])"), "Of all launches of these kernels.")
                self.assertEqual(self.count(page, "#launches tbody tr"), 2)
                self.assertIn("No access that is shown wastes", self.text(page, "#findings"))
                # Sums are those of the kernels that are there.
                tiles = page.evaluate("[...document.querySelectorAll('#overview .tile')].map(t => t.textContent)")
                mebibytes = f"{HEAT['loadBytes'] / 2**20:.1f} MiB"
                self.assertTrue(any(tile.startswith(f"Loaded{mebibytes}") for tile in tiles), (mebibytes, tiles))
                # What is communicated is known of lines in all launches only.
                self.assertEqual(set(self.communicated(page)), {"-"})
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                self.assert_axe_finds_nothing(page)
                self.picture(page, f"chosen-{size['width']}-{theme}")

    def test_all_launches_of_what_is_chosen_keep_their_lines_figures(self):
        part = chosen(SAMPLE["shown"]["of"])
        page = self.show(part)
        self.assertTrue(any("B" in text for text in self.communicated(page)), self.communicated(page))
        self.assertEqual(self.count(page, "#dependences .note:not([hidden])"), 0)

    def test_where_a_part_has_no_findings_nothing_is_said_of_the_rest(self):
        for shown, said in (chosen(2)["shown"], "No access that is shown wastes"), (SAMPLE["shown"], "nothing is accessed without an order"):
            page = self.show({**SAMPLE, "shown": shown, "findings": []})
            self.assertIn(said, self.text(page, "#findings .soft"))
            self.assertEqual("in vain" in self.text(page, "#findings"), shown["what"] is None)

    def test_the_whole_program_says_nothing_of_a_part(self):
        page = self.show(SAMPLE)
        self.assertEqual(self.count(page, "header .shown"), 0)
        self.assertEqual(self.whole_sections(page), [])

    def test_the_page_of_one_kernel_of_the_part(self):
        part = chosen(2)
        part["kernels"].append(SAMPLE["kernels"][2])
        part["findings"] = SAMPLE["findings"]
        page = self.show(part)
        self.assertIn("only what their single accesses waste was looked for", self.text(page, "#findings div .note"))
        page.evaluate("""(() => { const list = document.querySelector('header select');
            list.selectedIndex = 1; list.dispatchEvent(new Event('change')); })()""")
        self.drawn(page)
        self.assertEqual(self.whole_sections(page), WHOLE)


if __name__ == "__main__":
    unittest.main(verbosity=2)

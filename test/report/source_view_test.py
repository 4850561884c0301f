"""The source view of made-up results: costs of lines and accesses, heat, search, and the way to a line of any file."""
import json
import unittest

from report_page import SAMPLE, SIZES, ReportTest

FILE = SAMPLE["sources"][0]["path"]
CODE = SAMPLE["sources"][0]["text"].split("\n")
KERNEL = "void deep::inside<float, std::integral_constant<int, 4>>(float*, unsigned long)"
LONG = 20_000


def long_file():
    """A file of 20,000 lines, of which every fourth of the second half has accesses, and the dearest is in the middle."""
    path, middle = "examples/long.cu", LONG // 2
    text = "\n".join(f"line({number});" for number in range(1, LONG + 1))
    accesses = [{"kernel": KERNEL, "file": path, "line": line, "column": 3, "operation": "load", "function": KERNEL,
                 "callers": [], "callSites": [], "bytes": 4, "accesses": 32, "requests": 1,
                 "sectors": 32 if line == middle else 5, "leastSectors": 4} for line in range(middle, LONG, 4)]
    found = {**SAMPLE["findings"][0], "kernel": KERNEL, "file": path}
    return {**SAMPLE, "sources": [{"path": path, "text": text}], "accesses": accesses, "lines": [],
            "findings": [{**found, "line": line} for line in (middle, 3_001, LONG - 1)]}


class SourceView(ReportTest):
    def figures(self, page, row):
        """Exact figures of a row."""
        return page.evaluate(f"[...document.querySelectorAll({json.dumps(row + ' td.figure')})].map(c => c.title || c.textContent)")

    def assert_in_view(self, page, line):
        """The row of the first file's line is where a reader sees it: nothing is above it."""
        self.assertTrue(page.evaluate(f"""(() => {{
            const row = document.getElementById('line-0-{line}'), box = row.querySelector('th').getBoundingClientRect();
            const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return row.contains(seen); }})()"""), line)
        self.assertEqual(page.evaluate("document.querySelector('.current')?.id"), f"line-0-{line}")

    def press(self, page, label):
        page.evaluate(f"[...document.querySelectorAll('#source button')].find(b => b.textContent === {json.dumps(label)}).click()")

    def choose(self, page, label, option):
        page.evaluate(f"""(() => {{
            const list = [...document.querySelectorAll('.choice')].find(c => c.textContent.startsWith({json.dumps(label)})).querySelector('select');
            list.selectedIndex = [...list.options].findIndex(o => o.textContent.startsWith({json.dumps(option)}));
            list.dispatchEvent(new Event('change')); }})()""")

    def below(self, page, line):
        """The rows of a line's accesses, which come right behind it."""
        return page.evaluate(f"""(() => {{ const found = [];
            for (let row = document.getElementById('line-0-{line}').nextElementSibling; row?.classList.contains('access'); row = row.nextElementSibling)
              if (!row.hidden) found.push([...row.cells].filter(c => c.textContent).map(c => c.title || c.textContent));
            return found; }})()""")

    def test_lines_and_their_accesses_have_their_figures(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            self.assertEqual(self.figures(page, "#line-0-12"), ["3,317,760", "103,680", "580,608", "5.600", "414,720", "165,888", "71.4 %", "13,271,040"])
            accesses = self.below(page, 12)
            self.assertEqual(len(accesses), 5)
            # The dearest first; what is communicated isn't known of each.
            self.assertEqual(accesses[0], ["663,552", "20,736", "165,888", "8.000", "82,944", "82,944", "50.0 %", "-", "load of 4 B, column 23, of heatStep"])
            # One access stands in its line, and its row comes on request.
            self.assertEqual(self.below(page, 18), [])
            page.evaluate("document.querySelector('#line-0-18 .fold').click()")
            self.assertEqual([row[-1] for row in self.below(page, 18)], ["load of 4 B, column 13, called at step.cu:18:13 in heatStep; of power"])
            page.evaluate("document.querySelector('#line-0-18 .fold').click()")
            self.assertEqual(self.below(page, 18), [])

    def test_names_are_short_and_the_full_one_is_at_hand(self):
        page = self.show({**SAMPLE, "accesses": [{**a, "function": KERNEL} for a in SAMPLE["accesses"]]})
        name = "document.querySelector('#source .access .name')"
        self.assertEqual(page.evaluate(f"[{name}.textContent, {name}.title]"), ["inside<float, std::integral_constant<int, 4>>", KERNEL])
        page.evaluate(f"{name}.focus()")
        page.press("Enter")
        self.assertEqual(page.evaluate(f"[{name}.textContent, {name}.getAttribute('aria-expanded')]"), [KERNEL, "true"])

    def test_heat_by_any_column_and_hotspots_by_it(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            self.press(page, "Next hotspot")
            self.assert_in_view(page, 12)
            self.choose(page, "Heat", "Of use")
            weights = page.evaluate("[...document.querySelectorAll('#source tr.cost')].map(r => [r.id, r.style.getPropertyValue('--weight')])")
            self.assertEqual(dict(weights)["line-0-31"], "100%")
            self.assertEqual(dict(weights)["line-0-24"], "0%")
            self.assertEqual(page.evaluate("document.querySelector('#source thead .heat').textContent"), "Of use")
            # Where nothing is wasted there is no hotspot.
            for line in (31, 12, 31):
                self.press(page, "Next hotspot")
                self.assert_in_view(page, line)
            self.press(page, "Previous hotspot")
            self.assert_in_view(page, 12)
            self.assertEqual(page.evaluate("document.querySelector('#source output').textContent"), "2 of 2: step.cu:12, of use 71.4 %")

    def test_loads_stores_and_atomics_apart(self):
        page = self.show(SAMPLE)
        for operation, lines in (("stores", [5, 24]), ("atomics", [33]), ("loads", [12, 18, 31]), ("all", [5, 12, 18, 24, 31, 33])):
            self.choose(page, "Operations", operation)
            self.assertEqual(page.evaluate("[...document.querySelectorAll('#source tr.cost th')].map(h => Number(h.textContent))"), lines)

    def test_search(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            lines = [number for number, text in enumerate(CODE, 1) if "chip" in text.lower()]
            page.evaluate("document.querySelector('#source input').focus()")
            for key in "ChIp":
                page.press(key)
            self.assertEqual(page.evaluate("document.querySelectorAll('#source output')[1].textContent"), f"{len(lines)} lines")
            for line in [*lines, lines[0]]:
                page.press("Enter")
                self.assert_in_view(page, line)
            self.press(page, "Previous match")
            self.assert_in_view(page, lines[-1])

    def test_all_accesses_sort(self):
        page = self.show(SAMPLE)
        self.assertEqual([row[9] for row in self.rows(page, "#accesses")][:3], ["165,888", "165,888", "82,944"])
        page.evaluate("[...document.querySelectorAll('#accesses thead button')].find(b => b.textContent === 'Sectors per request').click()")
        self.assertEqual(self.rows(page, "#accesses")[0][:3], ["step.cu:31", "24", "load"])

    def test_a_link_leads_to_a_line_of_a_file_of_any_length(self):
        results = long_file()
        for size in SIZES:
            page = self.show(results, **size)
            self.assertLess(self.drawing_time(page), 2000)
            self.assertLess(self.count(page, "#source .source tr"), 5000)
            for index, finding in enumerate(results["findings"]):
                page.evaluate(f"document.querySelector('#finding-{index + 1} .where a').click()")
                page.wait(f"document.querySelector('.current')?.id === 'line-0-{finding['line']}'")
                self.assert_in_view(page, finding["line"])
            # Twice the same, from elsewhere; and from the address.
            page.evaluate("window.scrollTo(0, 0)")
            page.evaluate("document.querySelector('#finding-3 .where a').click()")
            self.assert_in_view(page, LONG - 1)
            page.reload()
            self.drawn(page)
            self.assert_in_view(page, LONG - 1)
            # A closed file is opened, and what is folded unfolds in parts.
            page.evaluate("document.querySelector('#source details').open = false; location.hash = 'line-0-5000'")
            page.wait("document.querySelector('.current')?.id === 'line-0-5000'")
            self.assert_in_view(page, 5000)
            rows = self.count(page, "#source .source tr")
            page.evaluate("document.querySelector('.gap button').click()")
            self.assertLessEqual(self.count(page, "#source .source tr"), rows + 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)

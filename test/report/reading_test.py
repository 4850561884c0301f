"""What helps to read: words are explained where they stand, and on paper."""
import json
import re
import unittest

from report_page import SAMPLE, SIZES, ReportTest

OPEN = "document.querySelector(':popover-open')"


def crowded():
    """Fifteen lines with two findings each."""
    first = SAMPLE["findings"][0]
    return {**SAMPLE, "findings": [{**first, "line": line, "title": f"{name} of line {line}", "share": share}
                                   for name, share in (("dear", 0.1), ("cheap", 0.01)) for line in range(40, 55)]}


class Terms(ReportTest):
    def test_a_press_explains_a_word(self):
        for size in SIZES:
            page = self.show(SAMPLE, **size)
            words = page.evaluate("[...new Set([...document.querySelectorAll('.term')].map(t => t.getAttribute('popovertarget')))]")
            self.assertGreaterEqual(len(words), 8)
            for word in words:
                page.evaluate(f"""(() => {{
                    const word = [...document.querySelectorAll('.term[popovertarget={word}]')].find(t => t.checkVisibility());
                    word.scrollIntoView({{block: 'center', behavior: 'instant'}});
                    word.focus(); }})()""")
                page.press("Enter")
                self.assertEqual(page.evaluate(f"{OPEN}.id"), word)
                box = page.evaluate(f"(r => [r.left, r.top, r.right, r.bottom])({OPEN}.getBoundingClientRect())")
                self.assertTrue(box[0] >= 0 and box[1] >= 0 and box[2] <= size["width"] and box[3] <= size["height"], (word, box))
            self.assert_axe_finds_nothing(page)
            page.press("Escape")
            self.assertFalse(page.evaluate(f"Boolean({OPEN})"))

    def test_a_finger_explains_a_word(self):
        page = self.show(SAMPLE, **SIZES[1])
        x, y = page.evaluate("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('#overview .term').getBoundingClientRect())")
        page.call("Emulation.setTouchEmulationEnabled", enabled=True)
        page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        page.wait(OPEN)

    def test_all_words_are_in_the_list(self):
        page = self.show(SAMPLE)
        listed = set(page.evaluate("[...document.querySelectorAll('.terms dt')].map(d => d.textContent)"))
        self.assertEqual(listed, set(page.evaluate("[...document.querySelectorAll('.meaning b')].map(b => b.textContent)")))


class Paper(ReportTest):
    # What the page is while it is printed; listeners of the page come before this one.
    WATCH = """void addEventListener('beforeprint', () => { window.printed = {
        theme: document.documentElement.dataset.theme,
        open: [...document.querySelectorAll('#findings > div > ol details')].map(d => d.open),
        cheaper: document.querySelector('#findings > div > details').open,
        terms: document.querySelector('.terms').open,
        ink: [...document.querySelectorAll('.chart svg text')].map(t => t.getAttribute('fill')) }; })"""

    def test_paper_is_light_and_open(self):
        for theme in ("light", "dark"):
            page = self.show(crowded(), theme=theme, **SIZES[0])
            page.evaluate(self.WATCH)
            ink = "[...document.querySelectorAll('.chart svg text')].map(t => t.getAttribute('fill'))"
            on_screen = page.evaluate(ink)
            sheet = page.pdf()
            self.assertGreater(len(re.findall(rb"/Type\s*/Page\b", sheet)), 3)
            printed = page.evaluate("window.printed")
            self.assertEqual(printed["theme"], "light")
            self.assertEqual(printed["open"], [True] * 12)
            self.assertEqual([printed["cheaper"], printed["terms"]], [False, True])
            if theme == "light":
                light = set(printed["ink"])
            self.assertEqual(set(printed["ink"]), light)
            # And then all is as it was.
            page.wait(f"document.documentElement.dataset.theme === '{theme}'")
            page.wait(f"JSON.stringify({ink}) === JSON.stringify({json.dumps(on_screen)})")
            self.assertEqual(self.count(page, "#findings details[open], .terms[open]"), 0)

    def test_paper_has_no_controls_and_nothing_is_cut(self):
        page = self.show(crowded(), **SIZES[0])
        page.call("Emulation.setEmulatedMedia", media="print")
        page.call("Emulation.setDeviceMetricsOverride", width=690, height=1000, deviceScaleFactor=1, mobile=False)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('nav, button:not(.term, .name, thead button, .flame button), select, input')].filter(e => e.checkVisibility()).length"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.source')].filter(t => t.getBoundingClientRect().right > 690).length"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.table')].filter(t => t.scrollHeight > t.clientHeight + 1).length"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

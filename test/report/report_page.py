"""Pages of the report, in a browser: what both tests ask of them."""
import base64
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import browser

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TEMPLATE = SOURCE / "report/dist/report.html"
SAMPLE = json.loads((SOURCE / "test/report/sample.json").read_text())
AXE = SOURCE / "test/report/node_modules/axe-core/axe.min.js"
SIZES = {"width": 1440, "height": 900}, {"width": 360, "height": 740}
PACK_FROM = 256 << 10
DRAWINGS = "[...document.querySelectorAll('.chart, canvas, .flame')]"


def page_of(results, earlier=None, profile=None, roofline=None, check=None):
    """The page with made-up results. Real ones come from cupranalyze: analysis/render/report.cpp has the rules."""
    page = TEMPLATE.read_text()
    for mark, value in (("@RESULTS@", results), ("@EARLIER@", earlier), ("@PROFILE@", profile), ("@ROOFLINE@", roofline), ("@CHECK@", check)):
        text = json.dumps(value) if value else ""  # ASCII
        if len(text) > PACK_FROM:
            text = base64.b64encode(gzip.compress(text.encode(), 1)).decode()
        for character in "<>&":
            text = text.replace(character, f"\\u{ord(character):04x}")
        before, after = page.split(mark)
        page = before + text + after
    return page


def folded_calls(tools, folder, kind):
    """An export of the golden trace with a host, whose kernel calls visit, and that walk; outermost stands what nobody can name. A recursion
    is entered by walk."""
    file = folder / f"{kind}.json"
    subprocess.run([tools / "cupranalyze", "export", SOURCE / "test/golden/v4/host.cuprtrace", "--format=json", "-o", file], check=True, stdout=subprocess.DEVNULL)
    frame = {"type": "frame", "file": "a.cu", "column": 3, "kind": "called", "function": "kernel(int*)"}
    outermost = {**frame, "id": 7, "line": 30, "parent": None}
    if kind != "recursive":
        outermost.update(kind=kind, file="", line=0, column=0, function="")
    inner = {**frame, "id": 8, "line": 25, "parent": 7, "function": "visit(int*)"}
    if kind == "recursive":
        inner.update(kind=kind, function="walk(int*)")
    rows = []
    for row in map(json.loads, file.read_text().splitlines()):
        if row["type"] == "site" and row["id"] == 0:
            rows += [outermost, inner]
            row.update(frame=8, function="walk(int*)")
        rows.append(row)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


class ReportTest(unittest.TestCase):
    """One browser for all tests of a class. PICTURES in the environment is a folder for screenshots."""

    @classmethod
    def setUpClass(cls):
        program = browser.find()
        if not program:
            raise AssertionError("no Chromium: scripts/setup test installs one; or name one in CHROMIUM")
        cls.browser = cls.enterClassContext(browser.Browser(program))
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="report-")))

    def tab(self, **window):
        return browser.Page(self.browser, **window)

    def open(self, file, **window):
        """Opens a page that is wholly drawn; the test fails if the page complains of anything, or loads anything."""
        page = self.enterContext(self.tab(**window))
        self.addCleanup(lambda: self.assertEqual(page.complaints(), []))
        page.open(pathlib.Path(file).as_uri())
        self.drawn(page)
        return page

    def show(self, results, earlier=None, profile=None, roofline=None, check=None, **window):
        """Opens the page of made-up results."""
        file = self.folder / "page.html"
        file.write_text(page_of(results, earlier, profile, roofline, check))
        return self.open(file, **window)

    def drawn(self, page):
        page.wait("document.querySelector('footer')")
        page.wait(f"{DRAWINGS}.every(c => c.dataset.drawn === 'yes')")

    def drawing_time(self, page):
        """Milliseconds from the navigation to the last drawing: the best of three, for other work on the machine counts, too."""
        times = []
        for _ in range(3):
            page.reload()
            self.drawn(page)
            times.append(round(page.evaluate("performance.now()")))
        print(f"drawn after {min(times)} ms ({', '.join(map(str, times))})")
        return min(times)

    def assert_axe_finds_nothing(self, page, within="html"):
        """In the theme that is shown, and in the other one. With axe-core: npm ci in test/report."""
        if not AXE.exists():
            return
        page.evaluate(AXE.read_text() + ";0")
        for _ in range(2):
            theme = page.evaluate("document.documentElement.dataset.theme")
            with self.subTest(theme=theme):
                self.assertEqual(page.evaluate(
                    f"axe.run({json.dumps(within)}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 4).map(n => n.html.slice(0, 160)).join(' | ')))"), [])
            page.evaluate("document.querySelector('[aria-label=\"Dark theme\"]').click()")
            page.wait(f"document.documentElement.dataset.theme !== {json.dumps(theme)}")

    def frame_times(self, page, setup, step, frames=90):
        """Milliseconds from frame to frame, sorted, while JavaScript does `step` with `i`, the frame's number, in each of them; `setup` makes what it needs.
        Of five rounds the best, for other work on the machine counts, too."""
        rounds = [page.evaluate(f"""new Promise(done => {{ {setup};
            const times = []; let i = 0, last = null;
            const frame = now => {{
                if (last !== null) times.push(now - last);
                last = now;
                if (i === {frames}) return done(times.sort((a, b) => a - b));
                {step};
                ++i;
                requestAnimationFrame(frame);
            }};
            requestAnimationFrame(frame); }})""") for _ in range(5)]
        return min(rounds, key=lambda times: times[len(times) * 95 // 100])

    def count(self, page, selector):
        return page.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def text(self, page, selector):
        return page.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def rows(self, page, selector):
        """The cells of a table's rows, as text."""
        return page.evaluate(f"[...document.querySelectorAll({json.dumps(selector + ' tbody tr')})]"
                             ".map(r => [...r.cells].map(c => c.textContent))")

    def open_tables(self, page):
        page.evaluate("document.querySelectorAll('.as-table summary').forEach(s => s.click())")
        page.wait("[...document.querySelectorAll('.as-table')].every(d => d.childElementCount === 2)")

    def picture(self, page, name):
        if folder := os.environ.get("PICTURES"):
            page.picture(os.path.join(folder, f"{name}.png"))

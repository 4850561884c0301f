#!/usr/bin/env python3
"""Figures 5 to 10 of Beránek 2018 (docs/references.md), as the viewer shows the like: docs/images/beranek-*.png.

    beranek_pictures.py [--tools build/release/bin] [--out docs/images]

Builds and runs examples on the CPU device, opens their traces in Chromium, and takes what matters of the page. docs/reproduction-beranek.md has the pictures.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "test/report"))
import browser  # noqa: E402

# Name of a trace: folder of the example or source, options of cupr++, arguments of the program.
PROGRAMS = {
    "vectoradd": (ROOT / "examples/vectoradd", [], []),
    "particles": (ROOT / "examples/particles", [], []),
    "reduction": (ROOT / "examples/reduction", ["--spaces=global,shared"], ["65536", "1"]),
    "one_block": (ROOT / "examples/reduction", ["--spaces=global,shared"], ["512", "1", "2", "512", "int"]),
    "meeting_threads": (ROOT / "test/report/meeting_threads.cu", ["--spaces=shared", "-O1"], []),
}


class Pictures:
    def __init__(self, chromium, tools, folder, out):
        self.chromium, self.tools, self.folder, self.out = chromium, tools, folder, out

    def trace(self, name):
        made = self.folder / f"{name}.cuprtrace"
        if not made.exists():
            place, options, arguments = PROGRAMS[name]
            program = self.folder / place.stem
            if not program.exists():
                subprocess.run([self.tools / "cupr++", "-O2", "--device=cpu", *options, "-o", program, *(sorted(place.glob("*.cu")) if place.is_dir() else [place])], check=True)
            subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "CUPR_TRACE": str(made), "CUPR_DEVICE": "cpu", "CUPR_CPU_THREADS": "1"})
        return made

    def open(self, page, name, shown):
        page.open((ROOT / "viewer/dist/viewer.html").as_uri() + f"#{shown}")
        page.wait("document.querySelector('footer')")
        page.choose_file("#file", self.trace(name))
        page.wait("document.querySelector('#launch')?.dataset.counted && document.querySelector('.rows .row')")

    def access(self, name, chosen, row=0):
        """What a link calls the access in this row of those that the filter `chosen` lets pass."""
        with browser.Page(self.chromium, width=1440) as page:
            self.open(page, name, chosen)
            page.evaluate("document.querySelector('.accesses').focus({ preventScroll: true })")
            page.press("Home")
            for _ in range(row):
                page.press("ArrowDown")
            page.wait(f"document.querySelector('.row.current')?.id === 'row-{row}' && document.querySelector('#launch').dataset.access")
            return re.search(r"access=([\d.]+)", page.evaluate("location.hash"))[1]

    def take(self, picture, name, shown, first, last):
        """The page from the element `first` to `last`, with a margin."""
        with browser.Page(self.chromium, width=1440) as page:
            self.open(page, name, shown)
            page.wait("document.querySelector('.over-time').dataset.drawn && document.querySelector('canvas.timeline').dataset.drawn")
            if "access=" in shown:
                page.wait("document.querySelector('.excerpt pre')")
                page.wait("!document.querySelector('.banks') || document.querySelector('.banks').dataset.width")
            box = page.evaluate("(() => { const margin = 4, [a, b] = [%r, %r].map(s => document.querySelector(s).getBoundingClientRect());"
                                " const x = Math.min(a.left, b.left), y = a.top + scrollY, right = Math.max(a.right, b.right);"
                                " return [x - margin, y - margin, right - x + 2 * margin, b.bottom + scrollY - y + 2 * margin]; })()" % (first, last))
            page.picture(self.out / f"beranek-{picture}.png", box)
            assert page.complaints() == [], page.complaints()

    def take_all(self):
        launch = "launch={}&x=0&warp=0&op={}".format
        head, lanes, cells = ".access .head", ".access .lanes", ".access .map"
        # Figure 5: a store of all lanes, and a load of shared memory by half of them, when 16 numbers are left on either side.
        self.take("lanes-store", "vectoradd", f"access={self.access('vectoradd', 'launch=1&x=3&warp=2&op=store')}", head, lanes)
        half = self.access("reduction", launch(2, "load") + "&space=shared", 2)
        self.take("lanes-shared", "reduction", f"launch=2&access={half}", head, lanes)
        # Figure 6.
        self.take("banks", "meeting_threads", f"access={self.access('meeting_threads', launch(1, 'load'))}", ".banks", ".banks")
        # Figures 7 and 10: one field of 32 structures, beside the same field in an array; all fields of 32 structures.
        structures, array = self.access("particles", launch(3, "load")), self.access("particles", launch(6, "load"))
        self.take("map", "particles", f"launch=3&access={structures}&pins={structures},{array}", head, cells)
        fields = [self.access("particles", launch(1, "load"), row) for row in range(6)]
        self.take("sectors", "particles", f"launch=1&access={fields[0]}&pins={','.join(fields)}", head, cells)
        # Figures 8 and 9: addresses over time, and what a warp does in all of memory.
        self.take("over-time", "one_block", "launch=2&space=shared", "canvas.over-time", "canvas.over-time + .note")
        warp = [self.access("vectoradd", "launch=1&x=0&warp=0", row) for row in range(3)]
        self.take("memory", "vectoradd", f"access={warp[2]}&pins={','.join(warp)}", ".pinned", cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, default=ROOT / "build/release/bin", help="folder of cupr++ (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images", help="default: %(default)s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, browser.Browser(browser.find()) as chromium:
        Pictures(chromium, options.tools.resolve(), Path(folder), options.out).take_all()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How long the viewer takes with a trace, in Chromium: from choosing the file to the timeline, to all accesses of a warp, and to a frame
while the timeline is moved; and how much memory the page's process takes.

    viewer_speed.py [--page viewer/dist/viewer.html] TRACE
"""
import argparse
import json
import pathlib
import random
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/report"))
import browser  # noqa: E402

VIEWER = ROOT / "viewer/dist/viewer.html"
COUNTED = "document.querySelector('#launch')?.dataset.counted"
# Fills in fields of the filter at once, and waits for the first rows.
WARP = """(async () => {
  const field = (name) => [...document.querySelectorAll('.filters label')].find((l) => l.textContent.startsWith(name))?.querySelector('input');
  const choose = (name, value) => { const f = field(name); if (f) { f.value = value; f.dispatchEvent(new Event('change')); } };
  const begin = performance.now();
  for (const [name, value] of Object.entries(%s)) choose(name, value);
  while (document.querySelector('#launch').dataset.counted === undefined || !document.querySelector('.rows .row')) await new Promise(requestAnimationFrame);
  return performance.now() - begin;
})()"""
FRAMES = """(async () => {
  const timeline = document.querySelector('canvas.timeline');
  timeline.focus();
  for (let n = 0; n < 6; ++n) timeline.dispatchEvent(new KeyboardEvent('keydown', { key: '+' }));
  const times = [];
  let before = await new Promise(requestAnimationFrame);
  for (let n = 0; n < 60; ++n) {
    timeline.dispatchEvent(new KeyboardEvent('keydown', { key: n < 30 ? 'ArrowRight' : 'ArrowLeft' }));
    const now = await new Promise(requestAnimationFrame);
    times.push(now - before);
    before = now;
  }
  return times.sort((a, b) => a - b);
})()"""


def largest_process(parent):
    """MiB that the largest process below this one keeps in memory."""
    children, sizes = {}, {}
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        number = int(status.parent.name)
        children.setdefault(int(re.search(r"PPid:\s*(\d+)", text)[1]), []).append(number)
        sizes[number] = int(found[1]) if (found := re.search(r"RssAnon:\s*(\d+)", text)) else 0
    below, waiting = [], [parent]
    while waiting:
        below.append(waiting.pop())
        waiting.extend(children.get(below[-1], []))
    return max(sizes.get(number, 0) for number in below) / 1024


def opening(page, viewer, trace):
    """Seconds from choosing the trace's file to the timeline, to the first accesses, and until the first launch is read."""
    page.open(viewer.resolve().as_uri())
    page.wait("document.querySelector('.drop')")
    begin = time.monotonic()
    page.choose_file("#file", trace.resolve())
    times = []
    for shown in ("document.querySelector('canvas.timeline')?.dataset.drawn || document.querySelector('[role=alert]')", "document.querySelector('.rows .row')", COUNTED):
        page.wait(shown, patience=600)
        times.append(time.monotonic() - begin)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, default=VIEWER)
    options = parser.parse_args()
    chosen = random.Random(1)
    with browser.Browser(browser.find()) as chromium, browser.Page(chromium, width=1440) as page:
        timeline, first, read = opening(page, options.page, options.trace)
        print(f"timeline: {timeline:.2f} s")
        print(f"first accesses: {first:.2f} s")
        print(f"first launch read: {read:.2f} s, {int(page.evaluate(COUNTED)):,} accesses of warps")
        sizes = page.evaluate("Object.fromEntries([...document.querySelectorAll('.filters input')].map(f => [f.parentElement.textContent, Number(f.max) + 1]))")
        places = [{name: chosen.randrange(size) for name, size in sizes.items()} for _ in range(11)]
        times = sorted(page.evaluate(WARP % json.dumps(place)) for place in places)
        print(f"a warp: median {times[5]:.0f} ms, worst of 11 {times[-1]:.0f} ms")
        frames = page.evaluate(FRAMES)
        print(f"a frame while the timeline moves: median {frames[30]:.1f} ms, worst of 60 {frames[-1]:.1f} ms")
        print(f"memory: {largest_process(chromium.process.pid):.0f} MiB")
        assert page.complaints() == [], page.complaints()


if __name__ == "__main__":
    main()

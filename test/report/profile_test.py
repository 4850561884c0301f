"""Where the time went: the tree of calling contexts, as a flame graph and as a table, against what `cupranalyze profile` says of the same trace."""
import argparse
import copy
import json
import pathlib
import re
import subprocess
import sys
import unittest

from report_page import SAMPLE, SIZES, SOURCE, ReportTest, folded_calls

GOLDEN = SOURCE / "test/golden/v4"
PARTS = {"host": GOLDEN / "host.cuprtrace", "none": GOLDEN / "stencil.cuprtrace"}  # with a host, and without
# Members of the figures that a metric of `profile --metric` reads.
METRICS = {
    "host time": "hostTime", "processor": "processorTime", "calls": "calls", "in calls": "callTime", "waiting": "waitTime", "on the api": "apiTime",
    "launches": "launches", "device": "deviceTime", "copied": "copiedBytes", "allocated": "allocatedBytes", "accesses": "accesses",
    "bytes accessed": "accessBytes", "sectors": "sectors",
}
EXCESS = "excess sectors"
SHOWN = ["host time", "processor", "calls", "in calls", "waiting", "device", "copied", "accesses", "sectors"]  # those in the table

tools = None


def profile(trace, *options):
    return json.loads(subprocess.run([tools / "cupranalyze", "profile", "--json", *options, trace], check=True, capture_output=True, text=True).stdout)


def time(ns):
    """As format.ts shows it."""
    if ns == 0:
        return ""
    s = ns / 1e9
    return f"{ns} ns" if s < 1e-6 else f"{s * 1e6:.1f} µs" if s < 1e-3 else f"{s * 1e3:.2f} ms" if s < 1 else f"{s:.2f} s"


def figure(metric, figures):
    return figures["sectors"] - figures["leastSectors"] if metric == EXCESS else figures[METRICS[metric]]


def exactly(metric, n):
    """As the titles of cells have it."""
    if metric == EXCESS:
        return f"{n:,}" if n else ""
    return f"{n:,}" + (" ns" if METRICS[metric].endswith("Time") else " B" if METRICS[metric].endswith("Bytes") else "") if n else ""


def with_news():
    """With a kind of context that this page has never heard of, around the kernel's access."""
    made = profile(PARTS["host"])
    nodes = made["profileNodes"]
    access = next(n for n in nodes if n["kind"] == "access")
    nodes.insert(access["id"], {**copy.deepcopy(access), "kind": "region", "name": "region", "file": "", "line": 0})
    for number, node in enumerate(nodes):
        if number > access["id"]:
            node.update(id=number, parent=node["parent"] + (node["parent"] >= access["id"]))
    nodes[access["id"]].update(parent=access["id"] - 1, depth=access["depth"] + 1)
    return made


class ProfileTest(ReportTest):
    def choose(self, page, label, option):
        page.evaluate(f"""(() => {{ const list = [...document.querySelectorAll('#time label')].find(l => l.textContent.startsWith({json.dumps(label)})).querySelector('select');
            list.selectedIndex = [...list.options].findIndex(o => o.text === {json.dumps(option)}); list.dispatchEvent(new Event('change')); }})()""")

    def options(self, page, label):
        return page.evaluate(f"[...[...document.querySelectorAll('#time label')].find(l => l.textContent.startsWith({json.dumps(label)})).querySelectorAll('option')].map(o => o.text)")

    def unfold_all(self, page):
        page.evaluate("""(() => { for (let fold; (fold = document.querySelector('.unfold[aria-expanded=false], .more-rows button'));) fold.click(); })()""")

    def tree(self, page):
        """Of all of the table's rows: name, depth, exact figures."""
        self.unfold_all(page)
        return page.evaluate("""[...document.querySelectorAll('.contexts tbody tr')].map(row => [
            row.cells[0].querySelector('code, .name').title || row.cells[0].querySelector('code, .name').textContent,
            Number(row.cells[0].style.getPropertyValue('--depth')), [...row.cells].slice(1).map(c => c.title)])""")

    def frames(self, page, within="#time"):
        """By what follows the name: part of the width, left side, and row."""
        return page.evaluate(f"""(() => {{ const box = document.querySelector('{within} .flame').getBoundingClientRect();
            return [...document.querySelectorAll('{within} .flame button')].map(f => {{ const r = f.getBoundingClientRect();
              return [f.ariaLabel, r.width / box.width, (r.left - box.left) / box.width, Math.round((r.top - box.top) / 26)]; }}); }})()""")

    def report(self, trace):
        page = self.folder / f"{trace.stem}.html"
        subprocess.run([tools / "cupranalyze", "report", "--quiet", "-o", page, trace], check=True, capture_output=True)
        return page


class Sums(ProfileTest):
    def assert_tree(self, page, said, metric):
        """Every context of what cupranalyze says stands in the table, below the same ones, with the same figures."""
        nodes, all_ = said["profileNodes"], said["profileNodes"][0]["total"]
        beside = [m for m in SHOWN if all_[METRICS[m]] and m != metric]
        expected = []

        def path(node):
            return (*path(nodes[node["parent"]]), ("loop at" if node["kind"] == "loop" else node["name"], node["file"].split("/")[-1], node["line"])) if node["parent"] is not None else ()
        for node in nodes:
            total, own = (figure(metric, node[of]) for of in ("total", "own"))
            expected.append((tuple(name for name, _, _ in path(node)),
                             [exactly(metric, total), exactly(metric, own), *(exactly(m, node["total"][METRICS[m]]) for m in beside)]))
        found, at = [], []
        for name, depth, cells in self.tree(page):
            at = [*at[:round(depth)], name]
            found.append((tuple(at[1:]), [cells[0], *cells[2:]]))
        self.assertEqual(sorted(found), sorted(expected))

    def test_all_metrics_at_all_contexts_from_either_end(self):
        for trace in PARTS.values():
            page = self.open(self.report(trace), **SIZES[0])
            for view, option in (("top-down", "--top-down"), ("bottom-up", "--bottom-up")):
                said = profile(trace, option)
                self.choose(page, "View", view)
                known = [m for m in (*METRICS, EXCESS) if figure(m, said["profileNodes"][0]["total"])]
                self.assertEqual(self.options(page, "By"), known)
                for metric in known:
                    self.choose(page, "By", metric)
                    self.assert_tree(page, said, metric)

    def test_metrics_are_those_of_the_command(self):
        refused = subprocess.run([tools / "cupranalyze", "profile", "--metric=?", PARTS["host"]], capture_output=True, text=True).stderr
        source = (SOURCE / "report/src/profile/figures.ts").read_text()
        for name in re.findall(r'name: "([a-z-]+)"', source):
            self.assertIn(name, refused)

    def test_procedures_and_importance(self):
        said = profile(PARTS["host"])
        page = self.open(self.report(PARTS["host"]), **SIZES[0])
        self.choose(page, "View", "flat")
        rows = {row[0]: row for row in self.rows(page, "#time .card > div > .table")}
        self.assertEqual(len(said["profileProcedures"]), self.count(page, "#time .card > div > .table tbody tr"))
        for procedure in said["profileProcedures"]:
            name = procedure["name"] if procedure["name"].startswith("[") else procedure["name"].split("(")[0]
            if procedure["kind"] == "loop":
                name = f"loop at {procedure['file'].split('/')[-1]}:{procedure['line']}"
            row = rows[name]
            self.assertEqual([row[1], row[2], row[4]], [procedure["kind"], time(procedure["total"]["hostTime"]), time(procedure["own"]["hostTime"])], name)
            cpu = procedure["cpuImportance"]
            self.assertEqual(row[-2], f"{cpu:.1%}".replace("%", " %") if cpu else "")
        kinds = self.rows(page, "#time .table[aria-label='Kinds of calls']")
        self.assertEqual(sorted(row[0] for row in kinds), sorted(k["kind"] for k in said["profileKinds"] if k["calls"]))
        for row in kinds:
            kind = next(k for k in said["profileKinds"] if k["kind"] == row[0])
            self.assertEqual(row[1:], [str(kind["calls"]), time(kind["callTime"]), time(kind["apiTime"]), f"{kind['apiImportance']:.1%}".replace("%", " %")])
        threads = self.rows(page, "#time .table[aria-label='Threads of the host']")
        self.assertEqual(threads, [[str(t["id"]), t["name"], time(t["hostTime"]), time(t["processorTime"]), str(t["calls"]), time(t["callTime"]), "", str(t["samples"])]
                                   for t in sorted(said["profileThreads"], key=lambda t: -t["hostTime"])])
        self.assertIn("10 samples came, by perf_event_open, which was asked for one each 1.00 ms; 1 was lost", self.text(page, "#time .lead"))

    def test_a_trace_without_a_host_says_so(self):
        page = self.open(self.report(PARTS["none"]), **SIZES[1])
        self.assertEqual(self.text(page, "#time .lead"), "The trace says nothing of the host's calls: launches stand by their places in the source.")
        self.assertEqual(self.count(page, "#time [aria-label='Threads of the host']"), 0)
        self.assertTrue(any(label.startswith("stencil: ") for label, *_ in self.frames(page)))
        self.assert_axe_finds_nothing(page)


class Flame(ProfileTest):
    def made(self, **window):
        return self.show(SAMPLE, profile=profile(PARTS["host"]), **window)

    def test_frames_are_as_wide_as_their_part(self):
        nodes = profile(PARTS["host"])["profileNodes"]
        for size in SIZES:
            page = self.made(**size)
            for metric in ("hostTime", "processorTime", "deviceTime", "sectors"):
                self.choose(page, "By", next(m for m, name in METRICS.items() if name == metric))
                found = [(row, round(width, 2)) for _, width, _, row in self.frames(page) if width > 0.02]
                expected = [(n["depth"], round(n["total"][metric] / nodes[0]["total"][metric], 2)) for n in nodes if n["total"][metric] > 0.02 * nodes[0]["total"][metric]]
                if metric == "deviceTime":  # no access has time
                    self.assertNotIn("load", str(found))
                self.assertEqual(sorted(found)[:len(expected)] if metric == "hostTime" else sorted(found), sorted(expected), metric)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])

    def test_by_the_hosts_time_the_device_shares_its_calls_width(self):
        page = self.made(**SIZES[0])
        page.evaluate("[...document.querySelectorAll('#time .flame button')].find(b => b.ariaLabel.startsWith('cudaLaunchKernel')).click()")
        found = {label.split(": ")[0]: (width, row) for label, width, _, row in self.frames(page)}
        self.assertAlmostEqual(found["kernel"][0], 1, 3)
        self.assertAlmostEqual(found["load a.cu:10"][0], 1, 3)
        self.assertEqual([found["loop at a.cu:9"][1], found["load a.cu:10"][1]], [found["kernel"][1] + 1, found["kernel"][1] + 2])

    def test_keys_zoom_and_say(self):
        page = self.made(**SIZES[0])
        page.evaluate("document.querySelector('#time .flame button').focus()")
        at = "document.activeElement.ariaLabel.split(': ')[0]"
        for key, name in (("ArrowDown", "main"), ("ArrowRight", "[path not known further out]"), ("ArrowLeft", "main"), ("ArrowDown", "loop at app.cpp:11"), ("ArrowDown", "step"), ("ArrowDown", "smooth")):
            page.press(key)
            self.assertEqual(page.evaluate(at), name)
        self.assertIn("smooth(double*): host time 1.01 ms, 19.3 %", self.text(page, "#time output.note"))
        tip = "document.querySelector('#time .tip')"
        self.assertEqual(page.evaluate(f"[...{tip}.querySelectorAll('.facts > div')].map(r => r.textContent)"),
                         ["Kindfunction", "Host time1.01 ms", "Processor6.00 ms", "Calls1", "In calls9.0 µs", "On the API9.0 µs", "Copied16 B"])
        page.press("Enter")
        found = {label.split(": ")[0]: width for label, width, *_ in self.frames(page)}
        self.assertAlmostEqual(found["smooth"], 1, 3)
        self.assertNotIn("cudaMalloc app.cpp:10", found)
        page.press("Escape")
        self.assertIn("cudaMalloc app.cpp:10", [label.split(": ")[0] for label, *_ in self.frames(page)])

    def test_the_mouse_shows_all_figures(self):
        page = self.made(**SIZES[0])
        page.hover("#time .flame button", 40, 10)
        page.wait("!document.querySelector('#time .tip').hidden")
        self.assertIn("Host time5.23 ms", self.text(page, "#time .tip"))

    def search(self, page, text):
        page.evaluate(f"(() => {{ const field = document.querySelector('#time input'); field.focus(); field.value = {json.dumps(text)}; field.dispatchEvent(new Event('input')); }})()")

    def test_search(self):
        page = self.made(**SIZES[0])
        self.search(page, "CUDAMEMCPY")
        self.assert_axe_finds_nothing(page)
        self.assertEqual(self.text(page, "#time .search output"), "2 frames, 0.9 % of the width. Enter shows the next one.")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#time .flame .found')].map(f => f.ariaLabel.split(': ')[0]).sort()"), ["cudaMemcpy app.cpp:50", "cudaMemcpy copy.h:7"])
        page.press("Enter")
        self.assertTrue(self.text(page, "#time output.note").startswith("cudaMemcpy copy.h:7"))
        page.press("Enter")
        self.assertTrue(self.text(page, "#time output.note").startswith("cudaMemcpy app.cpp:50"))
        self.search(page, "nothing of the kind")
        self.assertEqual(self.text(page, "#time .search output"), "No frame has that in its name.")
        self.search(page, "")
        self.assertEqual(self.count(page, "#time .flame .other"), 0)

    def test_bottom_up_frames_are_procedures_and_who_called_them(self):
        page = self.made(**SIZES[0])
        self.choose(page, "View", "bottom-up")
        self.choose(page, "By", "copied")
        found = {(label.split(": ")[0], row): round(width, 3) for label, width, _, row in self.frames(page)}
        self.assertEqual({name: width for (name, row), width in found.items() if row == 1}, {"cudaMemcpy copy.h:7": round(512 / 528, 3), "cudaMemcpy app.cpp:50": round(16 / 528, 3)})
        self.assertEqual(found["copyIn", 2], round(512 / 528, 3))
        self.assertEqual(found["main", 7], round(512 / 528, 3))
        self.search(page, "cudaMemcpy")
        self.assertIn("2 frames, 100.0 % of the width", self.text(page, "#time .search output"))

    def test_an_access_leads_to_its_line(self):
        made = profile(PARTS["host"])
        access = next(n for n in made["profileNodes"] if n["kind"] == "access")
        access.update(file=SAMPLE["sources"][0]["path"], line=18)
        for size in SIZES:
            page = self.show(SAMPLE, profile=made, **size)
            self.choose(page, "By", "sectors")
            page.evaluate("[...document.querySelectorAll('#time .flame button')].find(b => b.ariaLabel.startsWith('load')).click()")
            page.evaluate("document.querySelector('#time output.note a').click()")
            page.wait("document.querySelector('.current')?.id === 'line-0-18'")
            self.unfold_all(page)
            self.assertEqual(page.evaluate("[...document.querySelectorAll('.contexts a')].map(a => a.getAttribute('href'))"), ["#line-0-18"])

    def test_calls_that_nobody_can_name(self):
        for kind, names in (("recursive", ["kernel", "[recursion]walk", "walk", "loop at a.cu:9", "load a.cu:10"]), ("indirect", ["kernel", "[indirect]", "visit", "walk", "loop at a.cu:9", "load a.cu:10"]),
                            ("merged", ["kernel", "[merged]", "visit", "walk", "loop at a.cu:9", "load a.cu:10"])):
            trace = self.folder / f"{kind}.cuprtrace"
            subprocess.run([tools / "cupranalyze", "import", "-o", trace, folded_calls(tools, self.folder, kind)], check=True, stdout=subprocess.DEVNULL)
            page = self.open(self.report(trace), **SIZES[0])
            self.choose(page, "By", "sectors")
            self.assertEqual(page.evaluate("[...document.querySelectorAll('#time .flame .device')].map(f => f.ariaLabel.split(': ')[0])"), names)
            for flame in ("#time .flame", "#call-paths .flame"):
                self.assertEqual(page.evaluate(f"[...document.querySelectorAll('{flame} .folded')].map(f => f.ariaLabel.split(': ')[0])"), [names[1]])
            page.evaluate("document.querySelector('#time .flame .folded').focus()")
            self.assertIn({"recursive": "it was entered here, and went round any number of times", "indirect": "a call through a pointer", "merged": "too many"}[kind],
                          self.text(page, "#time output.note").lower())
            self.unfold_all(page)
            self.assertEqual(self.count(page, ".contexts .tag"), 1)
            self.picture(page, kind)

    def test_kinds_that_are_new(self):
        page = self.show(SAMPLE, profile=with_news(), **SIZES[0])
        for metric in ("host time", "sectors"):
            self.choose(page, "By", metric)
            page.evaluate("[...document.querySelectorAll('#time .flame button')].find(b => b.ariaLabel.startsWith('cudaLaunchKernel') || b.ariaLabel.startsWith('step')).click()")
            self.assertEqual(page.evaluate("[...document.querySelectorAll('#time .flame .device')].map(f => f.ariaLabel.split(': ')[0])"), ["kernel", "loop at a.cu:9", "region", "load a.cu:10"])
        self.assertIn("region", [name for name, *_ in self.tree(page)])

    def test_hostile_names_do_nothing(self):
        hostile = "<img src=x onerror=\"document.title='broken'\"></script><b>f</b>(int)"
        made = profile(PARTS["host"])
        for node in made["profileNodes"]:
            node["name"] = hostile
        for procedure in made["profileProcedures"]:
            procedure["name"] = hostile
        for thread in made["profileThreads"]:
            thread["name"] = hostile
        page = self.show(SAMPLE, profile=made, **SIZES[1])
        title = page.evaluate("document.title")
        page.hover("#time .flame button", 40, 10)
        for view in ("bottom-up", "flat", "top-down"):
            self.choose(page, "View", view)
        self.unfold_all(page)
        page.evaluate("document.querySelectorAll('#time .name').forEach(n => n.click())")
        self.assertEqual([page.evaluate("document.title"), self.count(page, "#time img, #time b b")], [title, 0])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), SIZES[1]["width"])


class Page(ProfileTest):
    def test_both_sizes_and_themes(self):
        for size in SIZES:
            for theme in ("light", "dark"):
                page = self.show(SAMPLE, profile=profile(PARTS["host"]), theme=theme, **size)
                for view in ("bottom-up", "flat", "top-down"):
                    self.choose(page, "View", view)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                    self.assert_axe_finds_nothing(page, "#time")  # in which a view is all that changes
                self.assert_axe_finds_nothing(page)
                self.assertIn("Where the time went", page.evaluate("[...document.querySelectorAll('nav a')].map(a => a.textContent)"))
                self.picture(page, f"profile-{size['width']}-{theme}")

    def test_a_page_without_a_profile_has_no_such_section(self):
        self.assertEqual(self.count(self.show(SAMPLE), "#time"), 0)

    def test_columns_sort_what_is_below_each_context(self):
        page = self.show(SAMPLE, profile=profile(PARTS["host"]), **SIZES[0])
        calls = "[...document.querySelectorAll('.contexts thead button')].find(b => b.textContent === 'Calls')"
        below_main = "[...document.querySelectorAll('.contexts tbody tr')].filter(r => r.cells[0].style.getPropertyValue('--depth') === '2').map(r => r.cells[5].textContent)"
        page.evaluate(f"{calls}.click()")
        self.assertEqual(page.evaluate(below_main)[0], "7")
        page.evaluate(f"{calls}.click()")
        self.assertEqual(page.evaluate(f"{calls}.parentElement.ariaSort"), "ascending")
        self.assertEqual(page.evaluate(below_main)[-1], "7")

    def test_keys_of_the_table(self):
        page = self.show(SAMPLE, profile=profile(PARTS["host"]), **SIZES[0])
        page.evaluate("document.querySelector('.unfold').focus()")
        at = "document.activeElement.ariaLabel"
        for key, label in (("ArrowDown", "Fold main"), ("ArrowDown", "Fold loop at app.cpp:11"), ("ArrowLeft", "Unfold loop at app.cpp:11"),
                           ("ArrowRight", "Fold loop at app.cpp:11"), ("ArrowLeft", "Unfold loop at app.cpp:11"),
                           ("ArrowLeft", "Fold main"), ("ArrowUp", "Fold hotspot.traced")):
            page.press(key)
            self.assertEqual(page.evaluate(at), label)

    def test_the_page_of_a_kernel_has_its_calls(self):
        made = profile(PARTS["host"])
        kernel = SAMPLE["kernels"][1]["name"]
        next(n for n in made["profileNodes"] if n["kind"] == "kernel")["name"] = kernel
        page = self.show(SAMPLE, profile=made, **SIZES[0])
        page.evaluate("(() => { const list = document.querySelector('header select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change')); })()")
        self.drawn(page)
        rows = self.tree(page)
        self.assertEqual([name for name, *_ in rows], ["hotspot.traced", "main", "loop at", "step(int)", "cudaLaunchKernel", kernel, "loop at", "load"])
        self.assertEqual({cells[0] for _, _, cells in rows[:5]}, {"20,000 ns"})
        self.choose(page, "By", "on the api")  # of launches the device's time, not also the calls'
        self.assertEqual({cells[0] for _, _, cells in self.tree(page)[:6]}, {"100,000 ns"})
        self.assertEqual(self.options(page, "View"), ["top-down", "bottom-up"])
        self.assertEqual(self.count(page, "#time [aria-label='Threads of the host']"), 0)

    def deep(self, functions):
        """The page of a program whose main calls so many functions, each of the one before."""
        made = profile(PARTS["host"])
        nodes = made["profileNodes"]
        own = next(n["own"] for n in nodes if n["kind"] == "function" and n["own"]["hostTime"])
        for number in range(functions):
            nodes.append({**copy.deepcopy(nodes[1]), "own": own, "id": len(nodes), "parent": len(nodes) - 1 if number else 1, "depth": 2 + number, "name": "deep"})
        return self.show(SAMPLE, profile=made, **SIZES[0])

    DEEP = "[...document.querySelectorAll('#time .flame button')].filter(f => f.ariaLabel.startsWith('deep')).length"

    def test_paper_shows_all_rows(self):
        page = self.deep(60)  # the drawing has 23
        page.evaluate(f"void addEventListener('beforeprint', () => {{ window.printed = {self.DEEP} }})")
        self.assertLess(page.evaluate(self.DEEP), 40)
        page.pdf()
        self.assertEqual(page.evaluate("window.printed"), 60)
        page.wait(f"{self.DEEP} < 40")

    def test_paths_of_4096_functions(self):
        page = self.deep(4096)
        self.assertLess(page.evaluate(self.DEEP), 40)
        page.evaluate("document.querySelector('#time .flame-box').scrollTop = 26 * 4096")
        page.wait("[...document.querySelectorAll('#time .flame button')].at(-1).style.getPropertyValue('--row') === '4097'")
        began = page.evaluate("performance.now()")
        self.choose(page, "View", "bottom-up")
        print(f"bottom-up after {page.evaluate('performance.now()') - began:.0f} ms")
        page.evaluate("(() => { const field = document.querySelector('#time input'); field.value = 'deep'; field.dispatchEvent(new Event('input')); })()")
        self.assertTrue(self.text(page, "#time .search output").startswith("1 frame, "))

    def test_paper_has_no_controls_and_nothing_is_cut(self):
        page = self.show(SAMPLE, profile=profile(PARTS["host"]), **SIZES[0])
        page.call("Emulation.setEmulatedMedia", media="print")
        page.call("Emulation.setDeviceMetricsOverride", width=690, height=1000, deviceScaleFactor=1, mobile=False)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#time :is(button:not(.term, .name, thead button, .flame button), select, input)')].filter(e => e.checkVisibility()).length"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#time table')].filter(t => t.getBoundingClientRect().right > 690).length"), 0)


class Speed(ProfileTest):
    """With nothing run beside it."""

    def test_20000_contexts_come_in_two_seconds(self):
        made = profile(PARTS["host"])
        first = made["profileNodes"][0]
        leaf = next(n for n in made["profileNodes"] if n["kind"] == "call")
        nodes = made["profileNodes"] = [first]
        for i in range(1, 20000):
            parent = (i - 1) // 3
            nodes.append({**leaf, "id": i, "parent": parent, "depth": nodes[parent]["depth"] + 1, "kind": "function", "name": f"step{i}(int)", "file": "", "line": 0})
        sums = [dict(n["own"]) for n in nodes]
        for i in range(len(nodes) - 1, 0, -1):
            for name, n in sums[i].items():
                sums[nodes[i]["parent"]][name] += n
        for node, total in zip(nodes, sums):
            node["total"] = total
        page = self.show(SAMPLE, profile=made, **SIZES[0])
        self.assertLess(self.drawing_time(page), 2000)
        self.assertLess(self.count(page, "#time .flame button"), 3000)
        for view in ("bottom-up", "flat", "top-down"):
            began = page.evaluate("performance.now()")
            self.choose(page, "View", view)
            taken = page.evaluate("performance.now()") - began
            print(f"{view} after {taken:.0f} ms")
            self.assertLess(taken, 2000)
        self.search(page, "step19999(")
        self.assertIn("1 frame, ", self.text(page, "#time .search output"))
        page.press("Enter")
        self.assertIn("step19999", page.evaluate("[...document.querySelectorAll('#time .flame button')].at(-1).ariaLabel"))

    search = Flame.search


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    tools = given.tools
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)

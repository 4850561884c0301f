"""The viewer in a browser: what it shows of frozen traces is what cupranalyze dump prints.

    viewer_test.py --tools build/release/bin
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import unittest

from report_page import SIZES, SOURCE, ReportTest, folded_calls

PAGE = SOURCE / "viewer/dist/viewer.html"
GOLDEN = SOURCE / "test/golden"
MEETING = SOURCE / "test/report/meeting_threads.cu"
ORDERED = SOURCE / "test/report/ordered_threads.cu"
SYNCHRONISATION = {"barrier", "warp barrier", "fence", "copy commit", "copy wait"}
# Each thread writes another value; no neighbour of a lane has its index less one.
VALUES = """
__global__ void move(const float *in, float *out, unsigned *word) {
  const unsigned i = threadIdx.x;
  if (i % 5 == 3) return;
  out[i] = in[i * 7 % 32] + 0.5f;
  atomicCAS(word + i, i % 2, i);
}
int main() {
  float *in, *out;
  unsigned *word;
  cudaMalloc(&in, 128), cudaMalloc(&out, 128), cudaMalloc(&word, 128);
  cudaMemset(word, 0, 128), cudaMemset(in, 0x3f, 128);
  move<<<2, 32>>>(in, out, word);
  return cudaDeviceSynchronize();
}
"""
# The second allocation is not there yet in the first launch.
TWO = """
__global__ void clear(int *out) { out[threadIdx.x] = 0; }
int main() {
  int *first, *second;
  cudaMalloc(&first, 128);
  clear<<<1, 32>>>(first);
  cudaMalloc(&second, 128);
  clear<<<1, 32>>>(second);
  return cudaDeviceSynchronize();
}
"""
CHOSEN = "document.querySelector('#launch').dataset.access"
tools = None


def dump(trace):
    """{launch: its records, as cupranalyze dump --json has them}"""
    text = subprocess.run([tools / "cupranalyze", "dump", "--json", trace], check=True, capture_output=True, text=True).stdout
    launches = collections.defaultdict(list)
    for line in text.splitlines():
        record = json.loads(line)
        launches[record["launch"]].append(record)
    return launches


class Viewer(ReportTest):
    def show_page(self, hash="", page=PAGE, complains=False, **window):
        tab = self.enterContext(self.tab(**window))
        if not complains:
            self.addCleanup(lambda: self.assertEqual(tab.complaints(), []))
        tab.open(pathlib.Path(page).as_uri() + (f"#{hash}" if hash else ""))
        tab.wait("document.querySelector('footer')")
        return tab

    def open_trace(self, trace, hash="", **window):
        page = self.show_page(hash, **window)
        page.choose_file("#file", trace)
        page.wait("document.querySelector('main').dataset.open || document.querySelector('[role=alert]')")
        self.assertEqual(page.evaluate("document.querySelector('[role=alert]')?.textContent ?? ''"), "")
        return page

    def refused(self, trace):
        page = self.show_page()
        page.choose_file("#file", trace)
        page.wait("document.querySelector('[role=alert]')")
        return self.text(page, "[role=alert]")

    def counted(self, page):
        """How many accesses pass, as soon as that is known."""
        page.wait("document.querySelector('#launch').dataset.counted")
        return int(page.evaluate("document.querySelector('#launch').dataset.counted"))

    def set(self, page, label, value):
        """Fills in a field of the filter; the selection is counted anew before this returns."""
        page.evaluate(f"(() => {{ const f = [...document.querySelectorAll('.filters label')].find(l => l.textContent.startsWith({json.dumps(label)}))"
                      f".querySelector('input, select'); f.value = {json.dumps(str(value))}; f.dispatchEvent(new Event('change')); }})()")

    def choose_row(self, page, number):
        page.evaluate("document.querySelector('.accesses').focus({ preventScroll: true })")  # scrolling is smooth, and goes on
        page.press("Home")
        for _ in range(number):
            page.press("ArrowDown")
        page.wait(f"document.querySelector('.row.current')?.id === 'row-{number}' && {CHOSEN}")

    def lanes(self, page):
        """{lane: its address}, of the access that is shown."""
        titles = page.evaluate("[...document.querySelectorAll('.lane')].map((l, n) => [n, l.classList.contains('active'), l.title])")
        return {lane: int(title.splitlines()[-1], 16) for lane, active, title in titles if active}

    def test_every_frozen_trace_opens_with_all_its_accesses(self):
        page = self.show_page()
        for trace in sorted(GOLDEN.glob("v*/*.cuprtrace")):
            with self.subTest(trace=f"{trace.parent.name}/{trace.name}"):
                page.choose_file("#file", trace)
                page.wait(f"document.querySelector('main').dataset.open === '{trace.name}'")
                shown = 0
                for launch in range(page.evaluate("document.querySelectorAll('#timeline .controls select option').length - 2")):
                    page.evaluate(f"(() => {{ const s = document.querySelector('#timeline select'); s.selectedIndex = {launch}; s.dispatchEvent(new Event('change')); }})()")
                    shown += self.counted(page)
                self.assertEqual(shown, sum(map(len, dump(trace).values())))

    def test_lanes_have_the_addresses_of_the_dump(self):
        chosen = random.Random(4)
        for name in ("forms", "spaces", "derived", "stencil"):
            records = dump(GOLDEN / f"v4/{name}.cuprtrace")
            launch = chosen.choice(sorted(records))
            page = self.open_trace(GOLDEN / f"v4/{name}.cuprtrace", f"launch={launch}")
            self.assertEqual(self.counted(page), len(records[launch]))
            for number in sorted(chosen.sample(range(min(40, len(records[launch]))), min(4, len(records[launch])))):
                self.choose_row(page, number)
                record = records[launch][number]
                page.wait(f"document.querySelector('.access .note').textContent.includes('warp {record['warp']};')")
                with self.subTest(trace=name, number=number):
                    self.assertEqual(self.lanes(page), dict(zip(record["lanes"], record["addresses"])))

    def test_lanes_have_the_values_of_the_dump(self):
        source = self.folder / "values.cu"
        source.write_text(VALUES)
        trace = self.built(source, "--values")
        page = self.open_trace(trace)
        operations = set()
        for number, record in enumerate(dump(trace)[1][:6]):
            self.choose_row(page, number)
            titles = page.evaluate("[...document.querySelectorAll('.lane.active')].map(l => l.title.split('\\n')[0])")
            operations.add(record["operation"])
            for at, title in enumerate(titles):
                said = "".join(f", {role} {record[role][at]}" for role in ("read", "written", "compared") if role in record)
                self.assertNotEqual(said, "")
                self.assertTrue(title.endswith(said), (title, said))
        self.assertEqual(operations, {"load", "store", "atomic cas"})

    def test_timed_launches_have_clocks_and_cycles(self):
        trace = GOLDEN / "v4/timed.cuprtrace"
        launches = dump(trace)
        # From the first lane's start, and as long as the longest; the largest number stands for more.
        times = [(f"{min(r['clock']):,}", f"{max(r['duration']):,}" + (" or more" if max(r["duration"]) == 2**32 - 1 else "")) for r in launches[1]]
        self.assertEqual(len({cycles for _, cycles in times}), 5)
        page = self.open_trace(trace)
        self.assertEqual(self.counted(page), len(times))
        ends = "[...document.querySelectorAll('.accesses .row')].map(r => [...r.children].slice(-2).map(c => c.textContent))"
        page.wait(f"{ends}.length === {1 + len(times)}")
        self.assertEqual(page.evaluate(ends), [["Clock", "Cycles"], *map(list, times)])
        self.assertIn("by the scheme dependency", self.text(page, "#launch .note"))
        for number, (record, (clock, cycles)) in enumerate(zip(launches[1], times)):
            self.choose_row(page, number)
            page.wait(f"document.querySelector('.access .times')?.textContent === 'Began at {clock} by the clock of multiprocessor 2, and took {cycles} cycles (modelled).'")
            titles = page.evaluate("[...document.querySelectorAll('.lane.active')].map(l => l.title.split('\\n')[0])")
            for at, title in enumerate(titles):
                said = f", clock {record['clock'][at]}, duration {record['duration'][at]}"
                self.assertTrue(title.endswith(said), (title, said))
        # The same launch, untimed.
        page = self.open_trace(trace, "launch=2&access=2.0.0")
        page.wait(f"{ends}.length === {1 + len(launches[2])}")
        self.assertEqual(page.evaluate(ends)[0], ["Address", "Lanes"])
        page.wait("document.querySelector('.access h3')")
        self.assertEqual(self.count(page, ".times"), 0)
        self.assertNotIn("cycles", self.text(page, "main"))

    def built(self, source, *options):
        """The trace of a program, on the CPU device."""
        program = self.folder / source.stem
        trace = program.with_suffix(".cuprtrace")
        if not trace.exists():
            subprocess.run([tools / "cupr++", "--device=cpu", *options, "-o", program, source], check=True)
            subprocess.run([program], check=True, env={**os.environ, "CUPR_TRACE": str(trace), "CUPR_DEVICE": "cpu"})
        return trace

    def banks(self, page, width=4):
        """[(bank, [lanes of a turn, for each], whether it is marked as a conflict)] of those that have something to do, by phase."""
        page.wait(f"document.querySelector('.banks')?.dataset.width === '{width}'")
        phases = page.evaluate("[...document.querySelectorAll('.bank-row')].map(r => [...r.querySelectorAll('.bank')].map(b => [b.querySelector('.hidden').textContent, b.classList.contains('conflict')]))")
        self.assertTrue(all(len(phase) == 32 for phase in phases))
        parts = [[(re.fullmatch(r"Bank (\d+): (.*?)(, \d+-way conflict)?", text), conflict) for text, conflict in phase] for phase in phases]
        self.assertTrue(all((match[3] is not None) == conflict for phase in parts for match, conflict in phase))
        return [[(int(match[1]), [[int(n) for n in re.findall(r"\d+", turn)] for turn in match[2].split(" | ")], conflict)
                 for match, conflict in phase if match[2] != "no lane"] for phase in parts]

    def test_banks_are_those_of_the_bank_table(self):
        trace = self.built(MEETING, "--spaces=shared")
        page = self.open_trace(trace)
        records = dump(trace)[1]
        self.assertEqual(self.counted(page), len(records))
        seen = set()
        for number, record in enumerate(records):
            if record["line"] in seen or record["operation"] == "variable":
                continue
            seen.add(record["line"])
            self.choose_row(page, number)
            page.wait(f"document.querySelector('.access .where').textContent.includes(':{record['line']}')")
            for width in (4, 8):
                page.evaluate(f"(() => {{ const s = document.querySelector('.banks select'); s.selectedIndex = {width // 4 - 1}; s.dispatchEvent(new Event('change')); }})()")
                of = json.loads(subprocess.run([tools / "cupranalyze", "banks", "--table", "--json", f"--bank-width={width}", "--line", str(record["line"]), "--top", "1", trace],
                                               check=True, capture_output=True, text=True).stdout.splitlines()[0])
                is_atomic = record["operation"].startswith("atomic")
                expected = [[(bank["bank"], [[n] for word in bank["words"] for n in word["threads"]] if is_atomic else [word["threads"] for word in bank["words"]], bank["turns"] > 1)
                             for bank in phase["banks"]] for phase in of["phases"]]
                with self.subTest(line=record["line"], width=width):
                    self.assertEqual(self.banks(page, width), expected)
                    self.assertTrue(self.text(page, ".banks .note").startswith(f"{of['wavefronts']} wavefront"))
        self.assertEqual(len(seen), 6)

    def test_threads_that_meet_in_a_bank(self):
        trace = self.built(MEETING, "--spaces=shared")
        page = self.open_trace(trace)
        self.counted(page)
        self.choose_row(page, next(n for n, r in enumerate(dump(trace)[1]) if r["operation"] == "load"))
        phase, = self.banks(page)
        self.assertEqual(phase, [(bank, [[bank], [bank + 16]] if bank < 4 else [[bank]], bank < 4) for bank in range(32) if bank // 4 != 4])
        self.assertIn("2 wavefronts, where 1 would do: bank conflicts in wide.", self.text(page, ".banks .note"))
        page.hover(".bank:nth-child(2) i:last-of-type", 3, 6)
        page.wait("document.querySelector('.lane.marked b')?.textContent === '17'")
        page.hover(".lane:nth-child(3)", 10, 10)
        page.wait("document.querySelectorAll('.bank i.marked').length === 1")
        self.assertEqual(page.evaluate("document.querySelector('.bank i.marked').title"), "word 258 (wide[1]): lane 2")
        self.assertEqual(page.evaluate("document.querySelector('.bank:nth-child(2) i').title"), "word 257 (wide[0]+0x4): lane 1")

    def test_accesses_of_other_memory_have_no_banks(self):
        page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace")
        self.counted(page)
        self.choose_row(page, 0)
        self.assertEqual(self.count(page, ".banks"), 0)

    def test_filters(self):
        records = dump(GOLDEN / "v4/stencil.cuprtrace")[2]
        page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace", "launch=2")
        self.assertEqual(self.counted(page), len(records))
        some = records[100]
        for filled, passes in (
                ({"Block x": some["cta"][0]}, lambda r: r["cta"] == some["cta"]),
                ({"Warp": some["warp"]}, lambda r: r["cta"] == some["cta"] and r["warp"] == some["warp"]),
                ({"Operation": "store"}, lambda r: r["cta"] == some["cta"] and r["warp"] == some["warp"] and r["operation"] == "store"),
                ({"Block x": "", "Warp": "", "Operation": "", "Site": 2}, lambda r: r["site"] == 2)):
            for label, value in filled.items():
                self.set(page, label, value)
            self.assertEqual(self.counted(page), sum(map(passes, records)), filled)

    def test_all_of_a_warp(self):
        records = dump(GOLDEN / "v4/stencil.cuprtrace")[1]
        page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace")
        self.counted(page)
        self.choose_row(page, 7)
        page.wait("document.querySelector('.access .note').textContent.includes('warp 1')")
        page.evaluate("[...document.querySelectorAll('.access .tools button')].at(-1).click()")
        warp = [r for r in records if (r["cta"], r["warp"]) == (records[7]["cta"], records[7]["warp"])]
        self.assertEqual(self.counted(page), len(warp))
        page.wait(f"document.querySelectorAll('.rows .row').length === {len(warp)}")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.rows .c3')].map(c => c.textContent)"), [f"{r['operation']} {r['bytes']} B" for r in warp])
        self.assertIn("warp=1", page.evaluate("location.hash"))

    def test_synchronisation_stands_between_the_accesses_of_its_warp(self):
        trace = self.built(ORDERED, "--synchronisation", "--spaces=global,shared")
        records = dump(trace)[1]
        self.assertEqual({r["operation"] for r in records if r["operation"] in SYNCHRONISATION}, SYNCHRONISATION)
        page = self.open_trace(trace)
        self.assertEqual(self.counted(page), len(records))
        self.assertIn("accesses of warps and records between them", self.text(page, ".counted"))
        first = records[0]
        block, warp = first["cta"][0], first["warp"]
        self.choose_row(page, 0)
        page.evaluate("[...document.querySelectorAll('.access .tools button')].at(-1).click()")
        steps = [r for r in records if (r["cta"][0], r["warp"]) == (block, warp)]
        self.assertEqual(self.counted(page), len(steps))
        page.wait(f"document.querySelectorAll('.rows .row').length === {len(steps)}")
        said = [" ".join(filter(None, [r["operation"], r.get("order"), r.get("scope"), None if r["operation"] in SYNCHRONISATION | {"variable"} else f"{r['bytes']} B"])) for r in steps]
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.rows .c3')].map(c => c.textContent)"), said)
        self.assertTrue({"barrier", "fence sc gpu", "store release gpu 4 B"} <= set(re.sub("^barrier.*", "barrier", text) for text in said), said)
        places = page.evaluate("[...document.querySelectorAll('.rows .c5')].map(c => c.textContent)")
        of = {r["operation"]: place for r, place in zip(steps, places)}
        self.assertEqual({name: of[name] for name in SYNCHRONISATION},
                         {"barrier": "barrier 0", "warp barrier": "lanes 0xffffffff", "fence": "", "copy commit": "", "copy wait": "for all groups but the newest 1"})
        self.choose_row(page, next(n for n, r in enumerate(steps) if r["operation"] == "fence"))
        page.wait("document.querySelector('.access h3').textContent.startsWith('fence')")
        self.assertEqual((self.count(page, ".map"), self.count(page, ".banks"), self.count(page, ".lane.active")), (0, 0, 32))
        self.assert_axe_finds_nothing(page)
        self.set(page, "Operation", "synchronisation")
        self.assertEqual(self.counted(page), sum(r["operation"] in SYNCHRONISATION for r in steps))
        page.wait("document.querySelector('.over-time').dataset.drawn")
        self.assertTrue(self.text(page, ".over-time + .note").startswith("0 accesses of threads"))

    def test_lanes_and_cells_mark_each_other(self):
        page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace")
        self.counted(page)
        self.choose_row(page, 1)
        marked = "[...document.querySelectorAll('.sector i.marked')].map(c => c.textContent)"
        page.hover(".lane:nth-child(6)", 10, 10)
        page.wait(f"{marked}.length === 1")
        self.assertEqual(page.evaluate(marked), ["5"])
        page.hover(".sector i.touched", 3, 6)
        page.wait("document.querySelectorAll('.lane.marked').length === 1")
        self.assertEqual(page.evaluate("document.querySelector('.lane.marked b').textContent"), page.evaluate("document.querySelector('.sector i.touched').textContent"))
        page.evaluate("document.querySelector('.map').focus()")
        page.press("ArrowRight")
        page.press("ArrowRight")
        self.assertRegex(self.text(page, ".map + .note"), r"^a\d \+ 0x[0-9a-f]+: lane")

    def test_pins_are_lettered_and_a_link_keeps_them(self):
        page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace")
        self.counted(page)
        for number in (0, 2):
            self.choose_row(page, number)
            page.press("p")
            page.wait(f"document.querySelector('#row-{number} .pin.set')")
        page.wait("document.querySelectorAll('.chip').length === 2")
        pinned = "[...document.querySelectorAll('.sector i[data-pins]')].map(c => c.dataset.pins)"
        # Neighbours of one cell: the first access and the third are two cells apart.
        here = collections.Counter(page.evaluate(pinned))
        self.assertEqual(set(here), {"A", "B", "AB"})
        link = page.evaluate("location.hash.slice(1)")
        again = self.open_trace(GOLDEN / "v4/stencil.cuprtrace", link)
        again.wait("document.querySelectorAll('.chip').length === 2")
        self.assertEqual(collections.Counter(again.evaluate(pinned)), here)
        self.assertEqual(again.evaluate("[...document.querySelectorAll('.rows .pin')].slice(0, 3).map(p => p.textContent)"), ["A", "+", "B"])
        self.assertEqual(self.lanes(again), self.lanes(page))
        again.evaluate("document.querySelector('#row-0 .pin').click()")
        again.wait("document.querySelectorAll('.chip').length === 1")

    def test_lines_of_a_pinned_access_have_the_names_of_its_launch(self):
        source = self.folder / "two.cu"
        source.write_text(TWO)
        page = self.open_trace(self.built(source), "access=1.0.0&pins=2.0.0")
        page.wait("document.querySelector('.chip')")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.line-name')].map(n => n.textContent)"), ["first + 0x0", "second + 0x0"])

    def test_addresses_over_time(self):
        records = dump(GOLDEN / "v4/stencil.cuprtrace")[1]
        page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace")
        page.wait("document.querySelector('.over-time').dataset.drawn")
        inside = sum(sum(1 for _ in r["lanes"]) for r in records if r["allocation"] == records[0]["allocation"])
        self.assertIn(f"{inside:,} accesses of threads", self.text(page, ".over-time + .note"))

    def test_the_timeline_is_moved_by_keys_and_chosen_by_a_click(self):
        page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace")
        page.wait("document.querySelector('canvas.timeline').dataset.drawn")
        box = page.evaluate("(() => { const r = document.querySelector('canvas.timeline').getBoundingClientRect(); return [r.x, r.y, r.width]; })()")
        page.evaluate("document.querySelector('canvas.timeline').focus()")
        page.click(box[0] + box[2] * 3.5 / 7, box[1] + 12)
        page.wait("document.querySelector('#launch h2').textContent === 'Launch 4'")
        for key in "++0":
            page.press(key)
        page.evaluate("document.querySelector('#timeline .controls button:last-child').click()")
        page.wait("document.querySelector('#launch h2').textContent === 'Launch 5'")
        self.assertIn("launch=5", page.evaluate("location.hash"))

    def refusal(self, file, *command):
        """What cupranalyze says of it, but for its own name and the folder."""
        said = subprocess.run([tools / "cupranalyze", *command, file], capture_output=True, text=True)
        self.assertEqual(said.returncode, 2)
        return said.stderr.strip().removeprefix("cupranalyze: ").replace(f"{self.folder}/", "")

    def test_what_is_no_trace_is_refused_with_the_readers_words(self):
        whole = (GOLDEN / "v4/stencil.cuprtrace").read_bytes()
        for name, content in (("empty", b""), ("damaged", whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:])):
            file = self.folder / f"{name}.cuprtrace"
            file.write_bytes(content)
            self.assertEqual(self.refused(file).removeprefix("This file can't be shown. "), self.refusal(file, "dump"))

    def exported(self, trace, format, compression="none"):
        file = self.folder / f"{trace.stem}.{format}.{compression}"
        subprocess.run([tools / "cupranalyze", "export", trace, f"--format={format}", f"--compress={compression}", "-o", file], check=True)
        return file

    def seen(self, page):
        """What the page shows of a trace: its launches, sites and, of some records, the lanes with addresses and values."""
        launches = page.evaluate("[...document.querySelectorAll('#timeline .controls select option')].map(o => o.textContent)")
        seen = [launches]
        for launch in range(len(launches) - 2):
            page.evaluate(f"(() => {{ const s = document.querySelector('#timeline select'); s.selectedIndex = {launch}; s.dispatchEvent(new Event('change')); }})()")
            seen.append(self.counted(page))
            seen.append(self.text(page, "#launch dl"))
            seen.append(page.evaluate("[...document.querySelectorAll('.filters option')].map(o => o.textContent)"))
            if seen[-3] == 0:
                continue
            page.wait("document.querySelectorAll('.rows .row').length > 0")
            seen.append(page.evaluate("[...document.querySelectorAll('.rows .row')].map(r => r.textContent)"))
            self.choose_row(page, min(seen[-4], 3) - 1)
            page.wait("document.querySelector('.access')")
            seen.append(page.evaluate("[...document.querySelectorAll('.lane')].map(l => l.title)"))
            seen.append(self.text(page, ".access .where"))
        return seen

    def test_exports_show_what_their_trace_shows(self):
        page = self.show_page()
        for name in ("small", "values"):
            trace = GOLDEN / f"v4/{name}.cuprtrace"
            seen = {}
            for file in (trace, *(self.exported(trace, format, compression) for format in ("json", "protobuf", "capnp") for compression in ("none", "gzip", "zstd"))):
                page.choose_file("#file", file)
                page.wait(f"document.querySelector('main').dataset.open === '{file.name}'")
                seen[file.name] = self.seen(page)
            for file, of in seen.items():
                with self.subTest(file=file):
                    self.assertEqual(of, seen[trace.name])
            self.assertGreater(len(seen[trace.name]), 5)

    def test_calls_that_nobody_can_name_say_so(self):
        for kind, words in (("recursive", "a.cu:10, of walk, in a cycle of calls that began with walk (a.cu:25) and went round any number of times, called at a.cu:30 in kernel"),
                            ("indirect", "a.cu:10, of walk, called at a.cu:25 in visit, called through a pointer, the trace does not say where"),
                            ("merged", "a.cu:10, of walk, called at a.cu:25 in visit, called from more places than the trace tells apart")):
            page = self.open_trace(folded_calls(tools, self.folder, kind))
            self.counted(page)
            page.wait("document.querySelectorAll('.rows .row').length > 0")
            self.choose_row(page, 1)
            self.assertEqual(self.text(page, ".access .where"), words)

    def test_a_compressed_trace_opens(self):
        packed = self.folder / "small.cuprtrace.gz"
        packed.write_bytes(gzip.compress((GOLDEN / "v4/small.cuprtrace").read_bytes()))
        page = self.open_trace(packed)
        self.assertEqual(self.counted(page), len(dump(GOLDEN / "v4/small.cuprtrace")[1]))
        self.assertIn("small.cuprtrace.gz, format 4", self.text(page, "main"))

    def test_what_an_export_has_not_got_is_said(self):
        page = self.open_trace(self.exported(GOLDEN / "v4/stencil.cuprtrace", "json"))
        self.counted(page)
        self.choose_row(page, 0)
        page.wait("document.querySelector('.access')?.textContent.includes('The text of the source is not in this format (JSON).')")
        few = self.folder / "few.json"
        subprocess.run([tools / "cupranalyze", "export", GOLDEN / "v4/small.cuprtrace", "--format=json", "--limit=3", "-o", few], check=True)
        page = self.open_trace(few)
        self.assertEqual(self.text(page, ".notices"), "The export holds a selection: at most 3 records")
        self.assertEqual(self.counted(page), 3)
        self.assertIn("the export has 3 of its 8 records", self.text(page, "#launch"))

    def test_damaged_exports_are_refused_with_the_importers_words(self):
        trace = GOLDEN / "v4/small.cuprtrace"
        json_text, packed, protobuf, capnp = (self.exported(trace, *of).read_bytes() for of in (("json",), ("json", "zstd"), ("protobuf",), ("capnp",)))
        made = self.folder / "made.cuprtrace"
        for name, content in (("text", b"hello, world, this is no trace"), ("cut.json", json_text[:3000]), ("cut.zst", packed[:-3]),
                              ("lane.json", json_text.replace(b'"lanes":[0,1,', b'"lanes":[0,0,', 1)), ("site.json", json_text.replace(b'"site":0', b'"site":7', 1)),
                              ("deep.json", b'{"a":' + b"[" * 100000), ("cut.pb", protobuf[:-1]), ("long.pb", b"\x0a\xff\xff\xff\x7f"),
                              ("cut.capnp", capnp[:-8]), ("gzip", gzip.compress(json_text)[:-9])):
            file = self.folder / name
            file.write_bytes(content)
            with self.subTest(name=name):
                said = self.refused(file).removeprefix("This file can't be shown. ")
                self.assertEqual(said, self.refusal(file, "import", "-o", made))
                self.assertIn(name, said)

    def test_a_trace_that_stops_early_shows_what_is_there(self):
        whole = (GOLDEN / "v4/stencil.cuprtrace").read_bytes()
        cut = self.folder / "cut.cuprtrace"
        cut.write_bytes(whole[:len(whole) * 2 // 3])
        page = self.open_trace(cut)
        self.assertIn("truncated", self.text(page, ".notices"))
        self.assertEqual(self.counted(page), len(dump(cut)[1]))

    def test_view_puts_a_small_trace_into_the_page(self):
        made = self.folder / "made.html"
        trace = self.folder / 'a"><img src=x onerror=alert(1)>.cuprtrace'
        trace.write_bytes((GOLDEN / "v4/stencil.cuprtrace").read_bytes())
        subprocess.run([tools / "cupranalyze", "view", trace, "-o", made], check=True, capture_output=True)
        page = self.show_page(page=made)
        page.wait("document.querySelector('main').dataset.open")
        self.assertEqual(page.evaluate("document.querySelector('main').dataset.open"), trace.name)
        self.assertEqual(self.counted(page), len(dump(trace)[1]))
        self.assertEqual(self.count(page, "img"), 0)

    def test_view_leaves_a_large_trace_on_disk_and_refuses_what_is_none(self):
        large, made = self.folder / "large.cuprtrace", self.folder / "large.html"
        large.write_bytes((GOLDEN / "v4/stencil.cuprtrace").read_bytes() + bytes(5 << 20))
        said = subprocess.run([tools / "cupranalyze", "view", large, "-o", made], check=True, capture_output=True, text=True)
        self.assertIn("too large to stand in the page", said.stderr)
        self.assertLess(made.stat().st_size, 1 << 20)
        self.show_page(page=made).wait("document.querySelector('.drop')")
        for wrong in (self.folder / "none", PAGE):
            self.assertEqual(subprocess.run([tools / "cupranalyze", "view", wrong, "-o", made], capture_output=True).returncode, 2)

    def test_axe_and_narrow_windows(self):
        for size in SIZES:
            for theme in ("light", "dark"):
                with self.subTest(width=size["width"], theme=theme):
                    page = self.open_trace(GOLDEN / "v4/stencil.cuprtrace", "pins=1.0.0&access=1.0.1", theme=theme, **size)
                    page.wait("document.querySelector('.chip') && document.querySelector('.excerpt pre')")
                    page.wait("document.querySelector('.over-time').dataset.drawn && document.querySelector('canvas.timeline').dataset.drawn")
                    self.picture(page, f"viewer-{size['width']}-{theme}")
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                    self.assert_axe_finds_nothing(page)
                    page = self.open_trace(GOLDEN / "v4/timed.cuprtrace", "access=1.0.1", theme=theme, **size)
                    page.wait("document.querySelector('.times')")
                    page.wait("document.querySelector('.over-time').dataset.drawn && document.querySelector('canvas.timeline').dataset.drawn")
                    self.picture(page, f"viewer-timed-{size['width']}-{theme}")
                    self.assertEqual(page.evaluate("[...document.querySelectorAll('.accesses .row')].filter(r => r.scrollWidth > r.clientWidth).length"), 0)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                    self.assert_axe_finds_nothing(page)
                    page = self.open_trace(self.built(MEETING, "--spaces=shared"), "access=1.0.4", theme=theme, **size)
                    self.banks(page)
                    page.wait("document.querySelector('.over-time').dataset.drawn && document.querySelector('canvas.timeline').dataset.drawn")
                    self.picture(page, f"viewer-banks-{size['width']}-{theme}")
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                    self.assert_axe_finds_nothing(page)
        self.assert_axe_finds_nothing(self.show_page())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="folder of cupranalyze")
    arguments, rest = parser.parse_known_args()
    tools = arguments.tools.resolve()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)

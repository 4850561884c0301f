"""What the check found, in the page: each fault with its lines side by side, the way to them, and what could not be looked for."""
import copy
import json
import unittest

import jsonschema

from report_page import SAMPLE, SIZES, SOURCE, ReportTest

SCHEMA = json.loads((SOURCE / "docs/check.schema.json").read_text())
RULES = SCHEMA["$defs"]["rule"]["enum"]
STEP = SAMPLE["sources"][0]["path"]
LINES = SAMPLE["sources"][0]["text"].splitlines()
SEED, HEAT, PEAK = (kernel["name"] for kernel in SAMPLE["kernels"])
LOOKED_FOR = f"looked for: {', '.join(RULES)}."


def access(operation, line, column, expression="", expression_column=0, **more):
    return {"act": "launch", "operation": operation, "file": STEP, "line": line, "column": column, "function": "heatStep", "expression": expression,
            "expression_column": expression_column, "callers": [], "launch": 2, "kernel": HEAT, "block": [0, 1, 0], "thread": [3, 0, 0],
            "host_path": "main > simulate(int)", **more}


def host(act, operation, line, column, **more):
    place = access(operation, line, column, **{"host_path": "main", "function": "main", **more})
    for name in ("launch", "kernel", "block", "thread"):
        del place[name]
    return {**place, "act": act}


def fault(rule, *accesses, **more):
    return {"rule": rule, "title": f"Title of {rule}", "advice": f"Advice of {rule}.", "space": "global", "count": 1, "bytes": 4, "address": "0x7f0000000010",
            "memory": "byte 16 of out (64 bytes, cudaMalloc)", "accesses": list(accesses), **more}


def check(*faults, unchecked=()):
    document = {"format": "cupr-check", "version": 1, "program": SAMPLE["program"], "model": "ptx", "launches": 20, "accesses": 1234567, "checked": RULES,
                "rules": [{"id": rule, "meaning": f"meaning of {rule}", "severity": "warning" if rule == "leak" else "error"} for rule in RULES],
                "unchecked": list(unchecked), "faults": list(faults)}
    jsonschema.validate(document, SCHEMA)
    return document


RACE = fault("race-warps",
             access("store", 24, 10, "out[i]", 3),
             access("load", 12, 23, "in[left(i)]", 23, function="left(int)", thread=[40, 0, 0],
                    callers=[{"function": "heatStep(float*, float const*, Chip)", "place": f"{STEP}:15:3"}, {"function": "outer(int)", "place": ""}]),
             count=1024, cause="unordered")
OTHER_RACE = fault("race-blocks", access("atomic max", 33, 3, kernel=PEAK), access("load", 31, 23, "t[i]", 23, kernel=PEAK))
BOUNDS = fault("out-of-bounds", access("load", 5, 17, "power[at(chip)]", 17, kernel=SEED, function="seed"))
LEAK = fault("leak", host("allocation", "cudaMalloc", 10, 3, expression="chip"), bytes=0, memory="chip (64 bytes, cudaMalloc)")
ERROR = fault("unchecked-error", host("call", "cudaMemcpy", 11, 3), bytes=0, memory="")
FOUR = check(RACE, OTHER_RACE, BOUNDS, LEAK)

# Of an element, by its fault's number: what a reader sees of each access.
SIDES = """(number => [...document.querySelectorAll(`#fault-${number} .side`)].map(s => ({
    title: s.querySelector('h4').textContent, where: [...s.querySelectorAll('.where')].map(w => w.textContent),
    notes: [...s.querySelectorAll('.note')].map(n => n.textContent),
    lines: [...s.querySelectorAll('.excerpt tr')].map(r => [Number(r.cells[0].textContent), r.cells[1].textContent]),
    current: [...s.querySelectorAll('.excerpt [aria-current]')].map(r => Number(r.cells[0].textContent)),
    marks: [...s.querySelectorAll('mark')].map(m => m.textContent),
    box: (r => [r.left, r.top, r.right, r.bottom])(s.getBoundingClientRect()) })))"""


class Faults(ReportTest):
    def sides(self, page, number=1):
        return page.evaluate(f"{SIDES}({number})")

    def excerpt_of(self, line):
        return [[n, LINES[n - 1] or " "] for n in range(max(1, line - 3), min(len(LINES), line + 3) + 1)]

    def goes_to(self, page, link, line):
        """A press on the link brings the line of the source view into sight."""
        page.evaluate(f"{link}.click()")
        page.wait(f"document.querySelector('#source .current')?.id === 'line-0-{line}'")
        top, bottom = page.evaluate("(r => [r.top, r.bottom])(document.querySelector('#source .current').getBoundingClientRect())")
        self.assertTrue(top >= 0 and bottom <= page.evaluate("innerHeight"))

    def test_two_accesses_stand_side_by_side_and_below_each_other_on_a_phone(self):
        for size in SIZES:
            for theme in ("light", "dark"):
                page = self.show(SAMPLE, check=FOUR, theme=theme, **size)
                self.picture(page, f"faults-{size['width']}-{theme}")
                first, second = (side["box"] for side in self.sides(page))
                if size["width"] > 800:
                    self.assertEqual(first[1], second[1])
                    self.assertLess(first[2], second[0])
                    self.assertAlmostEqual(first[2] - first[0], second[2] - second[0], delta=1)
                else:
                    self.assertEqual(first[0], second[0])
                    self.assertLess(first[3], second[1])
                self.assertEqual(len(self.sides(page, 3)), 1)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size["width"])
                # The words are in sight, however long their line is.
                self.assertEqual(page.evaluate("""[...document.querySelectorAll('#faults mark')].filter(m => {
                    const box = m.closest('li').getBoundingClientRect(); return [...m.getClientRects()].some(r => r.left < box.left || r.right > box.right); }).length"""), 0)
                self.assert_axe_finds_nothing(page)

    def test_an_entry_says_what_is_wrong_and_what_would_mend_it(self):
        page = self.show(SAMPLE, check=FOUR)
        self.assertEqual(self.count(page, "#faults .faults > li"), 4)
        entry = "#fault-1"
        self.assertEqual(self.text(page, f"{entry} h3"), "Title of race-warps")
        self.assertEqual(page.evaluate(f"[...document.querySelectorAll('{entry} .tag')].map(t => t.textContent)"), ["error", "1,024 times"])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#fault-4 .tag')].map(t => t.textContent)"), ["warning", "once"])
        self.assertEqual(page.evaluate(f"[...document.querySelectorAll('{entry} > p')].map(t => t.textContent)"),
                         ["race-warps: meaning of race-warps.", "Advice of race-warps.",
                          "Memory: byte 16 of out (64 bytes, cudaMalloc), 4 bytes of global memory, at 0x7f0000000010"])
        first, second = self.sides(page)
        self.assertEqual(first["title"], "One: store of out[i]")
        self.assertEqual(first["where"], ["step.cu:24:10 in heatStep", "Thread (3,0,0) of block (0,1,0), launch 2 of heatStep", "From main > simulate(int)"])
        self.assertEqual(second["title"], "The other: load of in[left(i)]")
        self.assertEqual(second["where"], ["step.cu:12:23 in left, called by heatStep at step.cu:15:3, called by outer",
                                           "Thread (40,0,0) of block (0,1,0), launch 2 of heatStep", "From main > simulate(int)"])
        for side, line, marked in ((first, 24, "out[i]"), (second, 12, "in[left(i)]")):
            self.assertEqual(side["lines"], self.excerpt_of(line))
            self.assertEqual((side["current"], side["marks"], side["notes"]), ([line], [marked], []))
        # One access alone has no number, and what the host does has no thread.
        self.assertEqual(self.sides(page, 3)[0]["title"], "load of power[at(chip)]")
        leak, = self.sides(page, 4)
        self.assertEqual((leak["title"], leak["where"]), ("cudaMalloc of chip", ["step.cu:10:3 in main", "From main"]))
        self.assertEqual(self.text(page, "#fault-4 > .where"), "Memory: chip (64 bytes, cudaMalloc), at 0x7f0000000010")

    def test_a_block_of_shared_memory_and_the_allocation_are_named(self):
        results = copy.deepcopy(SAMPLE)
        results["allocations"][0].update(ordinal=0, file="step.cu", line=15)
        page = self.show(results, check=check({**RACE, "space": "shared", "bytes": 1, "memory": "tile[0]"}, {**OTHER_RACE, "allocation": 0}, {**OTHER_RACE, "memory": ""}))
        self.assertEqual(self.text(page, "#fault-1 > .where"), "Memory: tile[0], 1 byte of shared memory, offset 0x7f0000000010")
        self.assertTrue(self.text(page, "#fault-2 > .where").endswith(", allocated at step.cu:15"))
        self.goes_to(page, "document.querySelector('#fault-2 > .where a')", 15)
        self.assertEqual(self.count(page, "#fault-3 > .where"), 0)

    def test_the_first_screen_counts_them(self):
        for faults, text, error in (
                (FOUR, "4 faults found: 2 races, 1 out of bounds, 1 leak", True),
                (check(LEAK), "1 fault found: 1 leak", False),
                (check(ERROR), "1 fault found: 1 unchecked error", True),
                (check(*(fault(rule, access("load", 12, 3)) for rule in RULES for _ in range(2))),
                 "34 faults found: 10 races, 2 uninitialised reads, 2 out of bounds, 2 ended blocks, 2 uses after free, 2 misaligned, 2 divergent barriers, 2 wrong masks, 2 failed kernels, 2 double frees, 2 invalid frees, 2 unchecked errors, 2 leaks", True),
                (check(*(fault(rule, access("load", 12, 3)) for rule in RULES[5:10])),
                 "5 faults found: 1 uninitialised read, 1 out of bounds, 1 ended block, 1 use after free, 1 misaligned", True)):
            for size in SIZES:
                page = self.show(SAMPLE, check=faults, **size)
                self.assertEqual(self.text(page, ".faults-found"), text)
                self.assertEqual(self.count(page, ".faults-found.error"), error)
                self.assertLess(page.evaluate("document.querySelector('.faults-found').getBoundingClientRect().bottom"), size["height"])
                page.evaluate("document.querySelector('.faults-found a').click()")
                page.wait("Math.abs(document.querySelector('#faults').getBoundingClientRect().top) < 200")

    def test_what_was_looked_for_stands_there_also_where_nothing_was_found(self):
        for faults, text in ((check(), "Nothing found"), (check(LEAK), "1 fault"), (FOUR, "4 faults")):
            page = self.show(SAMPLE, check=faults)
            self.assertEqual(self.text(page, "#faults > div > p"), f"{text} in 1,234,567 accesses of 20 launches; {LOOKED_FOR}")
            self.assertEqual(self.count(page, "nav a[href='#faults']"), 1)
            self.assertEqual(self.count(page, "#faults .notices"), 0)
        page = self.show(SAMPLE, check={**check(), "accesses": 1, "launches": 1})
        self.assertEqual(self.text(page, "#faults > div"), f"Nothing found in 1 access of 1 launch; {LOOKED_FOR}")
        self.assertEqual(self.count(page, ".faults-found, .faults"), 0)
        self.assert_axe_finds_nothing(page)

    def test_what_could_not_be_looked_for_is_said(self):
        unchecked = [{"rules": ["race-lanes", "race-warps"], "why": "k(int*) did not record what orders threads of a block: cupr++ --synchronisation"},
                     {"rules": ["leak"], "why": "<b>another</b> reason"}]
        for size in SIZES:
            page = self.show(SAMPLE, check=check(unchecked=unchecked), **size)
            self.assertEqual(page.evaluate("[...document.querySelectorAll('#faults .notices li')].map(l => l.textContent)"),
                             [f"Not checked: {', '.join(u['rules'])}: {u['why']}" for u in unchecked])
            self.assert_axe_finds_nothing(page)

    def test_without_a_check_nothing_is_said_of_faults(self):
        page = self.show(SAMPLE)
        self.assertEqual(self.count(page, "#faults, .faults-found, nav a[href='#faults'], #source .tag.bad"), 0)
        self.assertNotIn("fault", page.evaluate("document.body.innerText.toLowerCase()").replace("default", ""))

    def test_links_lead_to_the_lines_and_back(self):
        for size in SIZES:
            page = self.show(SAMPLE, check=FOUR, **size)
            for selector, line in (("#fault-1 .side:first-child a", 24), ("#fault-1 .side:last-child a", 12), ("#fault-1 .side:last-child a:last-of-type", 15),
                                   ("#fault-3 .side a", 5)):
                self.goes_to(page, f"document.querySelector('{selector}')", line)
            tags = "[...document.querySelectorAll('#source .tag.bad')].map(t => [Number(t.closest('tr').cells[t.closest('tr').cells.length - 2].textContent), t.textContent])"
            self.assertEqual(sorted(page.evaluate(tags)), [[5, "fault 3"], [10, "fault 4"], [12, "fault 1"], [24, "fault 1"], [31, "fault 2"], [33, "fault 2"]])
            page.evaluate("document.querySelector('#line-0-33 .tag.bad').click()")
            page.wait("(r => r.top < innerHeight && r.bottom > 0)(document.querySelector('#fault-2').getBoundingClientRect())")
            self.assertEqual(page.evaluate("document.querySelector(':target').id"), "fault-2")
            self.assert_axe_finds_nothing(page, "#source")

    def test_a_line_of_several_faults_leads_to_the_first(self):
        page = self.show(SAMPLE, check=check(BOUNDS, RACE, {**RACE, "rule": "race-lanes"}))
        self.assertEqual(self.text(page, "#line-0-24 .tag.bad"), "fault 2 and 1 more")
        self.assertEqual(page.evaluate("document.querySelector('#line-0-24 .tag.bad').hash"), "#fault-2")

    def test_lines_with_faults_alone_are_in_sight(self):
        results = {**SAMPLE, "sources": [*SAMPLE["sources"], {"path": "/src/tile.cuh", "text": "// a line\n" * 50 + "  wait();\n" + "// a line\n" * 50}]}
        page = self.show(results, check=check(fault("divergent-barrier", access("barrier", 51, 3, file="/src/tile.cuh"), access("barrier", 5, 3), memory="", bytes=0)))
        page.evaluate("[...document.querySelectorAll('#source .file')].at(-1).open = true")
        page.wait("document.querySelector('#line-1-51')")
        self.assertEqual(self.text(page, "#line-1-51 .tag.bad"), "fault 1")
        self.assertEqual(self.sides(page)[0]["lines"], [[n, "  wait();" if n == 51 else "// a line"] for n in range(48, 55)])
        self.assertEqual(self.sides(page)[0]["marks"], ["wait"])

    def test_a_page_without_accesses_of_global_memory_has_the_sources_of_faults(self):
        results = {**SAMPLE, "accesses": [], "findings": [], "lines": []}
        page = self.show(results, check=check(RACE))
        self.goes_to(page, "document.querySelector('#fault-1 .side a')", 24)
        self.assertEqual(self.count(self.show(results, check=check()), "#source"), 0)

    def test_the_words_are_marked_by_bytes_and_without_words_the_one_at_the_column(self):
        text = "  /* größer als */ out[ä] = ring[i]; wait_for(x);\n"
        results = {**SAMPLE, "sources": [{"path": "/src/a.cu", "text": text}]}
        byte = lambda words: len(text[:text.index(words)].encode()) + 1
        marks = []
        for place in (access("store", 1, byte("="), "out[ä]", byte("out")), access("load", 1, byte("ring"), "ring[i]", byte("ring")), access("barrier", 1, byte("wait")),
                      access("store", 1, byte("=")), access("load", 1, byte("[i]"), "elsewhere[i]", byte("wait")), access("load", 1, 0), access("load", 1, 500)):
            page = self.show(results, check=check(fault("out-of-bounds", {**place, "file": "/src/a.cu"})))
            side, = self.sides(page)
            self.assertEqual(side["lines"], [[1, text[:-1]]])
            marks.append(side["marks"])
        self.assertEqual(marks, [["out[ä]"], ["ring[i]"], ["wait_for"], ["="], ["["], [], []])

    def test_places_that_are_not_in_the_page_are_said_to_be_so(self):
        page = self.show(SAMPLE, check=check(fault("race-launches", access("load", 7, 3, file="/other/far.cuh"), access("load", 999, 3)),
                                             fault("race-launches", host("copy", "copy", 0, 0, file="", function="", host_path=""), access("load", 4, 1, file="step.cu"))))
        far, behind = self.sides(page)
        self.assertEqual((far["lines"], far["notes"], far["where"][0]), ([], ["The trace has no text of far.cuh."], "far.cuh:7:3 in heatStep"))
        self.assertEqual(self.count(page, "#fault-1 .side:first-child a"), 0)
        self.assertEqual((behind["lines"], behind["notes"]), ([], ["The trace has no text of step.cu."]))
        nowhere, relative = self.sides(page, 2)
        self.assertEqual(nowhere["title"], "One: copy")
        self.assertEqual(nowhere["where"], ["Its place is not known"])
        # The host's debug information may name a file from the folder of the build.
        self.assertEqual(relative["current"], [4])
        self.goes_to(page, "document.querySelector('#fault-2 .side:last-child a')", 4)

    def test_an_access_of_the_host_has_its_thread(self):
        page = self.show(SAMPLE, check=check(fault("race-host", access("store", 12, 3), host("host", "load", 4, 1, host_thread="17 (app)"))))
        device, code = self.sides(page)
        self.assertNotIn("Host thread", " ".join(device["where"]))
        self.assertEqual(code["title"], "The other: load")
        self.assertIn("Host thread 17 (app)", code["where"])

    def test_the_choice_of_a_kernel_leaves_its_faults(self):
        for size in SIZES:
            page = self.show(SAMPLE, check=FOUR, **size)
            shown = "[...document.querySelectorAll('#faults .faults > li')].map(l => l.id)"
            note = "[...document.querySelectorAll('#faults > div > .note')].map(n => n.textContent)"
            options = page.evaluate("[...document.querySelectorAll('header option')].map(o => o.textContent.split(':')[0])")
            for kernel, ids, line in (("heatStep", ["fault-1"], "1 fault found: 1 race"), ("peak", ["fault-2"], "1 fault found: 1 race"),
                                      ("seed", ["fault-3"], "1 fault found: 1 out of bounds")):
                page.evaluate(f"""(() => {{ const list = document.querySelector('header select');
                    list.selectedIndex = {options.index(kernel)}; list.dispatchEvent(new Event('change')); }})()""")
                self.drawn(page)
                self.assertEqual(page.evaluate(shown), ids)
                self.assertEqual(self.text(page, ".faults-found"), line)
                self.assertEqual(page.evaluate(note), ["Faults with an access of this kernel; 3 of others, or of no kernel, are left out."])
                self.assertEqual(set(page.evaluate("[...document.querySelectorAll('#source .tag.bad')].map(t => t.hash.slice(1))")), set(ids))
            page.evaluate("(() => { const list = document.querySelector('header select'); list.selectedIndex = 0; list.dispatchEvent(new Event('change')); })()")
            self.drawn(page)
            self.assertEqual((len(page.evaluate(shown)), page.evaluate(note)), (4, []))
        page = self.show(SAMPLE, check=check(LEAK))
        page.evaluate("(() => { const list = document.querySelector('header select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change')); })()")
        self.assertEqual(self.count(page, ".faults-found, .faults"), 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#faults > div > .note')].map(n => n.textContent)"),
                         ["Faults with an access of this kernel; 1 of others, or of no kernel, are left out."])

    def test_the_page_of_a_part_says_that_all_was_checked(self):
        page = self.show({**SAMPLE, "shown": {"what": "kernel heat", "launches": 3, "of": 20}}, check=FOUR)
        self.assertIn("Faults of what is shown; all launches were checked.", page.evaluate("[...document.querySelectorAll('#faults .note')].map(n => n.textContent)"))

    def test_very_many_are_folded_and_a_link_unfolds_them(self):
        page = self.show(SAMPLE, check=check(*[{**RACE, "title": f"Race {i}"} for i in range(1, 30)], BOUNDS))
        self.assertEqual(self.count(page, "#faults > div > .faults > li"), 12)
        self.assertEqual(self.text(page, "#faults > div > details > summary"), "18 more")
        self.assertFalse(page.evaluate("document.querySelector('#fault-30').checkVisibility()"))
        page.evaluate("document.querySelector('#line-0-5 .tag.bad').click()")
        page.wait("document.querySelector('#fault-30').checkVisibility()")
        self.assert_axe_finds_nothing(page, "#faults")

    def test_names_and_texts_are_no_markup(self):
        evil = "<img src=x onerror=alert(1)></script><!--"
        place = access("load", 1, 1, evil, 1, function=evil, host_path=evil, kernel=evil, callers=[{"function": evil, "place": evil}], file=evil)
        page = self.show({**SAMPLE, "sources": [{"path": evil, "text": evil}]},
                         check=check(fault("race-lanes", place, place, title=evil, advice=evil, memory=evil), unchecked=[{"rules": [], "why": evil}]))
        self.assertEqual(self.count(page, "#faults img, #faults script"), 0)
        self.assertEqual(self.text(page, "#fault-1 h3"), evil)
        self.assertEqual(self.sides(page)[0]["marks"], [evil])

    def test_paper_has_both_lines(self):
        page = self.show(SAMPLE, check=FOUR)
        page.call("Emulation.setEmulatedMedia", media="print")
        first, second = (side["box"] for side in self.sides(page))
        self.assertEqual(first[1], second[1])
        self.assertLess(first[2], second[0])
        self.assertGreater(len(page.pdf()), 1000)


if __name__ == "__main__":
    unittest.main(verbosity=2)

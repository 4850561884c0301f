"""What a program's trace must say: the files in expect/ and in ../golden/constructs/, as objects.

A file NAME.json is

    {
      "sources":     files of the program, from test/e2e or from the constructs' folder (default: kernels/NAME.cu, NAME.cu)
      "headers":     other files of the program in which sites lie (default: none)
      "flags":       of the compiler, after the usual -O2 (default: none)
      "nvcc":        why nvcc does not take the program, for a construct that is clang's alone (default: it does)
      "arguments":   of the program (default: none)
      "environment": variables to set for the traced run (default: none)
      "ownOutput":   true when devices legitimately print different things (default: false)
      "anyOrder":    true when the order of the launches is not fixed (default: false)
      "devices":     that it can run on (default: ["gpu", "cpu"])
      "communicated": figures of `cupranalyze comm --json`, in bytes (optional)
      "launches":    one object per launch, in order
    }

and a launch is

    {
      "kernel", "grid", "block":  as `cupranalyze info --json` gives them
      "loads", "stores", "atomics", "loadBytes", "storeBytes", "atomicBytes":  of global memory, per thread, summed up
      "times":    how many such launches there are, one behind the other (default: 1)
      "spaces":   the same figures of "shared", "constant" and "local" memory (default: none of them is traced)
                  (where there are rules and no figures at all, the figures are what the rules add up to)
      "fails":    true for a launch that the program makes fail (default: false)
      "untraced": a part of the reason why the launch is not traced (default: it is)
      "line":     of the source, where the launch stands (optional)
      "from":     the same, as a site
      "waits":    true when threads wait in loops for others: their accesses of what is in no allocation are not counted,
                  so there are no figures, and sites are those of the rules (default: false)
      "records":  warp accesses, where every device must form the same ones (optional)
      "after":    of a node of a graph: of how many other nodes it waits for the end (optional)
      "stream":   a name; launches share a stream exactly if they share the name (optional); "any" may share it with any
      "ctas":     the CTAs whose accesses are compared one by one (default: all)
      "accesses": all accesses of the launch, as rules (optional)
    }

A rule describes one access of every thread for which `if` holds, once for each turn of `for`:

    {"op": "load", "bytes": 4, "of": 0, "at": "4 * i", "if": "i < 50000", "for": "for k in range(3)"}

`bytes` may be a formula too. `of` is an allocation (its number in the order of the program's allocation calls, from 0), the name of a
device variable, "shared", or "unknown" for what is in no allocation; `at` is the offset in it (0 in the unknown). A rule for a constant variable says "space": "constant".
`site` says where the access is written: as a piece of text that the program's files hold once, with a ^ in front of the
letter that is meant where that is not the first (`"out[i] ^= in[i]"`), or as FILE:LINE:COLUMN. When one rule of a launch
has a site, all of them must. `calls` are the places of the calls that led to the function, innermost first, written as sites are; "[recursion]FUNCTION" stands for a cycle of calls
that was entered at that function, "[indirect]" for a call through a pointer. Rules of a launch that has any have them all.
A bundle holds sites and calls in their second form, since it travels without the sources.
Accesses of local memory have figures only: where the compiler puts a variable is its own affair. Formulas are Python, over

    cta, bx, by, bz     the block: linear number and position
    thread, tx, ty, tz  the thread in its block, likewise
    x, y, z             the thread in the grid: bx * blockDim.x + tx ...
    i                   cta * threads per block + thread
    lane                thread % 32
"""

import json
import re
from collections import Counter, namedtuple
from itertools import product
from pathlib import Path

BYTE_ORDER_MARK = "\ufeff"

FIGURES = ("loads", "stores", "atomics", "loadBytes", "storeBytes", "atomicBytes")
OTHER_SPACES = ("shared", "constant", "local")

# One thread's access. `of`: as in a rule.
Access = namedtuple("Access", "op bytes cta thread of at")


class Launch:
    def __init__(self, data):
        self.kernel = data["kernel"]
        self.grid = tuple(data["grid"])
        self.block = tuple(data["block"])
        self.fails = data.get("fails", False)
        self.untraced = data.get("untraced")
        self.line = data.get("line")
        self.waits = data.get("waits", False)
        self.records = data.get("records")
        self.after = data.get("after")
        self.stream = data.get("stream")
        self.ctas = data.get("ctas")
        self.rules = data.get("accesses")
        if self.rules is not None and not {*FIGURES, "spaces"} & data.keys():
            self.figures = self.added_up("global")
            self.spaces = {space: self.added_up(space) for space in OTHER_SPACES}
            return
        self.figures = {name: data[name] for name in FIGURES}
        self.spaces = {
            space: {name: data.get("spaces", {}).get(space, {}).get(name, 0) for name in FIGURES}
            for space in OTHER_SPACES
        }

    def added_up(self, space):
        """The figures of the rules in a space."""
        sums = dict.fromkeys(FIGURES, 0)
        for access, times in self.accesses((space,)).items():
            kind = access.op if access.op in ("load", "store") else "atomic"
            sums[kind + "s"] += times
            sums[kind + "Bytes"] += times * access.bytes
        return sums

    def sites(self):
        """(operation, FILE:LINE:COLUMN) of all accesses, as a Counter; None when the rules tell of no sites."""
        if not any("site" in rule for rule in self.rules or ()):
            return None
        found = Counter()
        for rule in self.rules:
            found[rule["op"], rule["site"]] += sum(self.accesses(rules=[rule]).values())
        return +found

    def contexts(self):
        """(operation, FILE:LINE:COLUMN, calls) of all accesses, as a Counter; None when the rules tell of no calls."""
        if not any("calls" in rule for rule in self.rules or ()):
            return None
        found = Counter()
        for rule in self.rules:
            found[rule["op"], rule["site"], tuple(rule["calls"])] += sum(self.accesses(rules=[rule]).values())
        return +found

    @staticmethod
    def space(rule):
        return rule.get("space", "shared" if rule["of"] == "shared" else "global")

    def accesses(self, spaces=("global", *OTHER_SPACES), rules=None):
        """The accesses of the CTAs in `ctas` (all: None), as a Counter; None when no rules are given."""
        if self.rules is None:
            return None
        found = Counter()
        rules = [rule for rule in rules or self.rules if self.space(rule) in spaces]
        places = [self._places(rule) for rule in rules]
        threads = self.block[0] * self.block[1] * self.block[2]
        for cta, (bz, by, bx) in enumerate(product(*(range(n) for n in reversed(self.grid)))):
            if self.ctas is not None and cta not in self.ctas:
                continue
            for thread, (tz, ty, tx) in enumerate(product(*(range(n) for n in reversed(self.block)))):
                position = (
                    cta, bx, by, bz, thread, tx, ty, tz,
                    bx * self.block[0] + tx, by * self.block[1] + ty, bz * self.block[2] + tz,
                    cta * threads + thread, thread % 32,
                )  # fmt: skip
                for rule, place in zip(rules, places):
                    for at, bytes_ in place(*position):
                        found[Access(rule["op"], bytes_, cta, thread, rule["of"], at)] += 1
        return found

    @staticmethod
    def _places(rule):
        """A function from a thread's position to the list of its (offset, bytes) by this rule."""
        turns = rule.get("for", "for _ in (0,)")
        text = f"[({rule['at']}, {rule['bytes']}) {turns} if {rule.get('if', 'True')}]"
        return eval(f"lambda cta, bx, by, bz, thread, tx, ty, tz, x, y, z, i, lane: {text}")


class SiteError(Exception):
    """A site's text is not in the program's files exactly once."""


def resolved(site, files):
    """`site` as FILE:LINE:COLUMN, FILE without its folders; `files`: paths in which its text may stand."""
    if re.fullmatch(r".+:\d+:\d+", site):
        return site
    before, mark, behind = site.rpartition("^")
    wanted = before + behind
    found = []
    for path in files:
        text = path.read_bytes().decode().removeprefix(BYTE_ORDER_MARK)
        at = text.find(wanted)
        while at >= 0:
            head = text[: at + len(before)]
            column = len(head[head.rfind("\n") + 1 :].encode()) + 1
            found.append(f"{path.name}:{head.count(chr(10)) + 1}:{column}")
            at = text.find(wanted, at + 1)
    if len(found) != 1:
        raise SiteError(f"the site '{site}' stands in {', '.join(found) or 'none of the files'}: it must stand in one place")
    return found[0]


class Expectation:
    def __init__(self, path):
        path = Path(path)
        data = json.loads(path.read_text())
        self.name = path.stem
        folder = path.parent.resolve()
        # The text of a construct's copies is expected too: see copies.py.
        self.is_construct = folder.name == "constructs"
        self.folder = folder if self.is_construct else folder.parent
        self.sources = data.get("sources", [f"{self.name}.cu" if self.is_construct else f"kernels/{self.name}.cu"])
        self.headers = data.get("headers", [])
        self.nvcc = data.get("nvcc", "")
        self.flags = data.get("flags", [])
        self.arguments = data.get("arguments", [])
        self.environment = data.get("environment", {})
        self.own_output = data.get("ownOutput", False)
        self.any_order = data.get("anyOrder", False)
        self.devices = data.get("devices", ["gpu", "cpu"])
        self.communicated = data.get("communicated", {})
        self.data = data
        self.launches = [Launch(launch) for launch in data["launches"] for _ in range(launch.get("times", 1))]

    def resolved(self):
        """The file's contents with all sites as FILE:LINE:COLUMN; raises SiteError."""
        files = [self.folder / name for name in (*self.sources, *self.headers)]
        data = json.loads(json.dumps(self.data))
        for launch in data["launches"]:
            if "from" in launch:
                launch["line"] = int(resolved(launch.pop("from"), files).split(":")[1])
            for rule in launch.get("accesses", ()):
                if "site" in rule:
                    rule["site"] = resolved(rule["site"], files)
                if "calls" in rule:
                    rule["calls"] = [call if call.startswith("[") else resolved(call, files) for call in rule["calls"]]
        return data

    def contradictions(self):
        """Launches whose rules do not add up to their figures, as texts: a mistake in the file itself."""
        wrong = []
        for number, launch in enumerate(self.launches, 1):
            if launch.rules is None or launch.ctas is not None:
                continue
            for space, figures in (("global", launch.figures), *launch.spaces.items()):
                sums = launch.added_up(space)
                if space != "local" and sums != figures:
                    wrong.append(f"launch {number}: the rules add up to {sums} in {space} memory, the figures are {figures}")
        return wrong


def load_all(folders, names=()):
    """The expectations in `folders`, all or those named, by name. Raises KeyError for an unknown name."""
    paths = {path.stem: path for folder in folders for path in sorted(Path(folder).glob("*.json"))}
    for name in names:
        if name not in paths:
            raise KeyError(f"no program {name}: there are {', '.join(paths)}")
    return [Expectation(paths[name]) for name in (names or paths)]

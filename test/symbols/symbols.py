#!/usr/bin/env python3
"""The names, files and lines that the runtime finds for places in code are those that llvm-symbolizer and addr2line find.

    symbols.py --tool describe_places --work FOLDER

Builds program.cpp and plain.c, as a program and as a library, with clang and gcc in many ways, and asks for each instruction of their functions. Without debug
information, the names must be those of nm. A file that is another one than was loaded must say nothing, files that are damaged must not end the process, and a budget
must be kept to. Exit status 1 when something differs.
"""

import argparse
import bisect
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILERS = {"clang": ("clang-22", "clang++-22"), "gcc": ("gcc", "g++")}
# What the compilers are told, and what is done to the file afterwards.
WAYS = {
    "O2": (["-O2", "-g"], None),
    "O0": (["-O0", "-g"], None),
    "dwarf4": (["-O2", "-gdwarf-4"], None),
    "split": (["-O2", "-g", "-gsplit-dwarf"], None),
    "packed": (["-O1", "-g", "-gz"], None),
    "fixed": (["-O2", "-g", "-no-pie", "-fno-pie"], None),
    "plain": (["-O2"], None),
    "detached": (["-O2", "-g"], "detach"),
    "stripped": (["-O2"], "strip"),
}


def output(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def build(work, compiler, way, kind):
    """The file, and the one that has its debug information and symbols."""
    flags, after = WAYS[way]
    folder = work / f"{compiler}-{way}-{kind}"
    folder.mkdir(parents=True)
    c, cxx = COMPILERS[compiler]
    extra = [] if kind == "program" else ["-fPIC"]
    for command, source in ((c, "plain.c"), (cxx, "program.cpp")):
        output(command, *flags, *extra, "-w", "-c", HERE / source, "-o", folder / f"{Path(source).stem}.o", cwd=folder)
    linked = folder / kind
    output(cxx, *[flag for flag in flags if flag != "-fno-pie"], *(["-shared"] if kind != "program" else []), "-Wl,--build-id", *sorted(folder.glob("*.o")), "-o", linked, cwd=folder)
    whole = folder / "whole"
    shutil.copy(linked, whole)
    if after == "detach":
        (folder / ".debug").mkdir()
        output("objcopy", "--only-keep-debug", linked, folder / ".debug" / "part.debug")
        output("objcopy", "--strip-all", f"--add-gnu-debuglink={folder}/.debug/part.debug", linked)
    elif after == "strip":
        output("strip", linked)
    return linked, whole


def build_id(path):
    found = re.search(r"Build ID: ([0-9a-f]+)", output("readelf", "-n", path))
    return found[1] if found else "-"


def functions(path):
    """(begin, end, linked names) of the functions of the test's sources, by beginning."""
    found = {}
    for line in output("nm", "--defined-only", "-S", path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW" and re.search(r"weather|alone|main|plain|^f$|inner", words[3]):
            found.setdefault((int(words[0], 16), int(words[0], 16) + int(words[1], 16)), []).append(words[3])
    return sorted((begin, end, names) for (begin, end), names in found.items())


def instructions(path, among):
    """The addresses of all instructions of these functions."""
    begins = [begin for begin, _, _ in among]
    addresses = []
    for text in re.findall(r"^ *([0-9a-f]+):\t", output("objdump", "-d", "--no-show-raw-insn", path), re.MULTILINE):
        address = int(text, 16)
        at = bisect.bisect_right(begins, address) - 1
        if at >= 0 and address < among[at][1]:
            addresses.append(address)
    return addresses


def described(tool, places, budget=20000, since=2**64 - 1, stuck=()):
    """{offset: frames} as the runtime finds them. `places`: (path, build ID, offset)."""
    text = "".join(f"{path} {identity} {offset:x}\n" for path, identity, offset in places)
    done = subprocess.run([tool, str(budget), str(since), *stuck], input=text, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"symbols.py: describe_places ended with {done.returncode}: {done.stderr}")
    frames = {}
    for line in done.stdout.split("\n")[:-1]:
        offset, function, file, number, column = line.split("\t")
        frames.setdefault(int(offset, 16), []).append((function, file, int(number), int(column)))
    return frames


@functools.cache
def demangled(linked):
    """Without what tells parts and copies of a function apart (_Z1fv.cold): the runtime does not."""
    return output("c++filt", re.sub(r"^(_Z[^.]*|main)\..*", r"\1", linked)).strip()


def by_symbolizer(path, addresses):
    text = "".join(f"{address:#x}\n" for address in addresses)
    found = {}
    said = output("llvm-symbolizer-22", "--output-style=JSON", "--inlines", "--no-demangle", f"--obj={path}", input=text)
    for entry in map(json.loads, said.splitlines()):
        found[int(entry["Address"], 16)] = [
            (demangled(frame["FunctionName"]), frame["FileName"], frame["Line"], frame["Column"]) for frame in entry["Symbol"]]
    return found


def by_addr2line(path, addresses):
    text = "".join(f"{address:#x}\n" for address in addresses)
    found, frames = {}, None
    lines = iter(output("addr2line", "-a", "-i", "-f", "-C", "-e", path, input=text).splitlines())
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            frames = found.setdefault(int(line, 16), [])
        else:
            place = re.sub(r" \(discriminator \d+\)$", "", next(lines))
            file, _, number = place.rpartition(":")
            frames.append((line, file, int(number) if number.isdigit() else 0))
    return found


def name(function):
    """Without spaces, and without what addr2line says of copies."""
    return re.sub(r" \[clone [^\]]*\]|\s", "", function)


def place(file):
    return os.path.normpath(file) if file not in ("", "??") else ""


def compare_debugged(tool, linked, whole, label, reads_it):
    """`reads_it`: addr2line does."""
    addresses = instructions(whole, functions(whole))
    ours = described(tool, [(linked, build_id(linked), address) for address in addresses])
    llvm, gnu = by_symbolizer(whole, addresses), by_addr2line(whole, addresses)
    wrong, inlined = [], 0
    for address in addresses:
        found = [(name(function), place(file), line, column) for function, file, line, column in ours.get(address, [])]
        expected = [(name(function), place(file), line, column) for function, file, line, column in llvm[address]]
        # Of code that is of no line llvm-symbolizer still tells the file.
        expected = [frame if frame[2] else (frame[0], "", 0, 0) for frame in expected]
        inlined += len(expected) > 1
        if found != expected:
            wrong.append(f"{label}: {address:#x}: {found}, but llvm-symbolizer says {expected}")
        lines = [(name(function), line) for function, file, line in gnu[address]]
        if reads_it and all(frame[2] for frame in found) and [line for _, line in lines] != [frame[2] for frame in found]:
            wrong.append(f"{label}: {address:#x}: {found}, but addr2line says {lines}")
    print(f"{label}: {len(addresses)} instructions, {inlined} of them inlined, {len(wrong)} differ", flush=True)
    return wrong, len(addresses), inlined


def compare_named(tool, linked, whole, label, is_stripped):
    """Names alone: of all functions, or of those that others can call where the file is stripped."""
    among = functions(whole)
    addresses = instructions(whole, among)
    ours = described(tool, [(linked, build_id(linked), address) for address in addresses])
    dynamic = set(output("nm", "-D", "--defined-only", linked).split()) if is_stripped else None
    begins, wrong, named = [begin for begin, _, _ in among], [], 0
    for address in addresses:
        linked_names = among[bisect.bisect_right(begins, address) - 1][2]
        allowed = [one for one in linked_names if dynamic is None or one in dynamic]
        names = {name(demangled(one)) for one in allowed}
        found = ours.get(address, [])
        named += bool(found)
        if (found and (len(found) != 1 or name(found[0][0]) not in names or found[0][1:] != ("", 0, 0))) or bool(found) != bool(allowed):
            wrong.append(f"{label}: {address:#x}: {found}, but nm says {allowed}")
    print(f"{label}: {len(addresses)} instructions, {named} of them named, {len(wrong)} differ", flush=True)
    return wrong


def check_changed(tool, linked, work):
    """Another file says nothing; without a build ID, one that was changed since."""
    begin, _, _ = functions(linked)[0]
    wrong = []
    if described(tool, [(linked, "00" * 20, begin)]):
        wrong.append("a file with another build ID is believed")
    if described(tool, [(linked, "-", begin)]):
        wrong.append("a file with a build ID is taken for one without")
    if described(tool, [(work / "is not there", "-", begin), (work, "-", begin), ("/dev/zero", "-", begin), ("[heap]", "-", begin)]):
        wrong.append("what is no file has functions")
    nameless = work / "nameless"
    output("objcopy", "--remove-section=.note.gnu.build-id", linked, nameless)
    changed = nameless.stat().st_ctime_ns
    for since, is_believed in ((changed + 1, True), (changed, False)):
        if bool(described(tool, [(nameless, "-", begin)], since=since)) != is_believed:
            wrong.append(f"a file without a build ID, changed before {since - changed:+d} ns: believed or not, the wrong way")
    return wrong


def check_damaged(tool, linked, work):
    """Bytes that are not as they were: whatever is said, the process lives. The ID stays, else nothing would be read."""
    addresses = instructions(linked, functions(linked))[::7]
    whole, identity = linked.read_bytes(), bytes.fromhex(build_id(linked))
    note = whole.index(identity)
    chance = random.Random(4)
    damaged = work / "damaged"
    for round_ in range(60):
        data = bytearray(whole)
        if round_ % 3 == 0:
            del data[chance.randrange(note + 20, len(data)):]
        for _ in range(chance.choice((1, 20, 400))):
            # The sections' table is at the end.
            at = chance.randrange(len(data)) if round_ % 2 else chance.randrange(max(len(data) - 3000, 0), len(data))
            if not note - 800 <= at < note + 20:
                data[at] = chance.randrange(256)
        damaged.write_bytes(data)
        described(tool, [(damaged, identity.hex(), address) for address in addresses])
    return []


def check_budget(tool, linked, work):
    """Without time for debug information there are names, and no lines; likewise where another thread has the loader's lock, for ever."""
    addresses = instructions(linked, functions(linked))
    places = [(linked, build_id(linked), address) for address in addresses]
    stuck = work / "stuck.so"
    output("gcc", "-shared", "-fPIC", HERE / "stuck.c", "-o", stuck)
    wrong = []
    for label, budget, libraries in (("no budget", 0, ()), ("no loader", 1000, (stuck,))):
        began = time.monotonic()
        frames = described(tool, places, budget=budget, stuck=libraries)
        if time.monotonic() - began > 10:
            wrong.append(f"{label}, and {time.monotonic() - began:.1f} s")
        if any(frame[2] for found in frames.values() for frame in found):
            wrong.append(f"{label}, and lines")
        if len(frames) != len(addresses) and budget:
            wrong.append(f"{label}: only {len(frames)} of {len(addresses)} instructions are named")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work = options.work.resolve()
    options.work.mkdir(parents=True)
    wrong, count, inlined, example = [], 0, 0, None
    for compiler in COMPILERS:
        for way, (flags, _) in WAYS.items():
            for kind in ("program", "library"):
                if way == "fixed" and kind == "library":
                    continue
                linked, whole = build(options.work, compiler, way, kind)
                label = f"{compiler} {way} {kind}"
                if any(flag.startswith("-g") for flag in flags):
                    example = example or linked
                    # addr2line finds no units that were split off, and not all lists of ranges that clang writes in DWARF 5.
                    reads_it = way == "dwarf4" or (compiler == "gcc" and way != "split")
                    found, more, deep = compare_debugged(options.tool, linked, whole, label, reads_it)
                    wrong, count, inlined = wrong + found, count + more, inlined + deep
                else:
                    wrong += compare_named(options.tool, linked, whole, label, way == "stripped")
    wrong += check_changed(options.tool, example, options.work) + check_damaged(options.tool, example, options.work)
    wrong += check_budget(options.tool, example, options.work)
    if count < 1000 or inlined < 100:
        wrong.append(f"only {count} instructions were looked at, {inlined} of them inlined")
    for line in wrong[:40]:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

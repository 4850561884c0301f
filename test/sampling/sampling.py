#!/usr/bin/env python3
"""Samples say where a program's processor time went: shares that are planted in its functions, and what each thread used.

    sampling.py [--overhead PER CENT] PROGRAM...

A program is sampled.cpp, compiled in some way. It burns known shares of its time in functions, in threads that begin later and end earlier than others, once for each source of
samples that the machine allows: perf_event_open and timers. Shares, of functions and of their callers, must be within 3 points of what was planted; what a thread's samples stand for must
be what its clock says, but for a 50th and some rounds of the sampler; as many samples as were asked for must be delivered or counted as lost, within a tenth; and the process may use so much
more time than without. Exit status 1 when something is wrong.
"""

import argparse
import subprocess
import sys

POINTS, PART, ROUNDS_US = 30, 0.02, 60_000
SECONDS = {"perf": 4, "timer": 10}  # a timer ticks as seldom as every 10 ms


def run(program, source, rounds):
    done = subprocess.run([program, source, str(rounds)], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()], done.stderr


def faults(label, lines):
    """What of these figures is wrong."""
    wrong, used, counted = [], 0, 0
    for kind, name, *figures in (line for line in lines if line[0] != "processor"):
        if kind in ("share", "caller"):
            planted, found = float(figures[0]), float(figures[1])
            if abs(planted - found) > POINTS:
                wrong.append(f"{label}: {kind} {name}: {found / 10:.1f} % of the samples, planted {planted / 10:.1f} %")
        elif kind == "thread":
            clock, found = map(int, figures)
            used += clock
            if abs(clock - found) > PART * clock + ROUNDS_US:
                wrong.append(f"{label}: thread {name} used {clock} us, its samples say {found} us")
        elif kind == "sampling":
            period, delivered, lost = map(int, figures)
            counted += (delivered + lost) * period / 1000
            print(f"{label}: {name}: {delivered} delivered, {lost} lost of one each {period} ns", flush=True)
    if not 0.9 * used < counted < 1.1 * used:
        wrong.append(f"{label}: {counted:.0f} us of ticks in {used} us")
    return wrong


def overhead(program, source, rounds):
    """The least of some runs, of the time with samples and without, in per cent."""
    least = {}
    for _ in range(5):
        for which in ("none", source):
            time = int(next(line[1] for line in run(program, which, rounds)[0] if line[0] == "processor"))
            least[which] = min(time, least.get(which, time))
    return 100 * (least[source] / least["none"] - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--overhead", type=float, default=2)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    second = int(run(options.programs[0], "none", 0)[0][0][1])
    wrong, tried = [], 0
    for program in options.programs:
        for source, seconds in SECONDS.items():
            label = f"{program.rsplit('/', 1)[-1]}, {source}"
            lines, said = run(program, source, second * seconds)
            if "there are no samples" in said:
                print(f"{label}: not allowed here", flush=True)
                continue
            tried += 1
            wrong += faults(label, lines)
    for source in SECONDS:
        if tried:
            more = overhead(options.programs[0], source, second)
            print(f"{source}: {more:+.1f} % of processor time", flush=True)
            if more > options.overhead:
                wrong.append(f"{source}: {more:.1f} % more processor time, allowed are {options.overhead} %")
    if not tried:
        wrong.append("neither source could be tried")
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

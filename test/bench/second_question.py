#!/usr/bin/env python3
"""What the second question about a trace costs: each verb with nothing kept, and once more with what the first left.

    second_question.py --cupranalyze PROGRAM [--rounds N] TRACE

Prints a table of seconds, the best of so many rounds of each. What is said must be the same, to the byte. Exit status: 1 where it is not. A trace of 200 M
accesses: comm_speed --elements=4194304 --launches=8 --only=stencil --keep=TRACE.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

VERBS = {
    "comm": ["comm", "-q"],
    "findings": ["findings", "-q"],
    "profile": ["profile"],
    "report": ["report", "-q", "-o", "{}"],
    "results, SQLite": ["results", "-q", "--format=sqlite", "-o", "{}"],
    "advise": ["advise", "-q"],
    "caches": ["caches", "-q", "--device=H100"],
    "caches, reuse": ["caches", "-q", "--device=H100", "--reuse"],
}


def ask(program, words, trace, output, cache):
    """Seconds, and what was said."""
    words = [word.replace("{}", str(output)) for word in words]
    start = time.monotonic()
    said = subprocess.run([program, "--any-size", *words, trace], check=True, capture_output=True,
                          env={**os.environ, "CUPREWRITE_CACHE": str(cache)}).stdout
    took = time.monotonic() - start
    if output.exists():
        said += output.read_bytes()
        output.unlink()
    return took, said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("trace")
    options = parser.parse_args()
    same = True
    print("| verb | first, s | second, s | of it |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        cache, output = pathlib.Path(folder) / "cache", pathlib.Path(folder) / "output"
        for name, words in VERBS.items():
            first, second = [], []
            for _ in range(options.rounds):
                shutil.rmtree(cache, ignore_errors=True)
                took, said = ask(options.cupranalyze, words, options.trace, output, cache)
                again, said_again = ask(options.cupranalyze, words, options.trace, output, cache)
                first.append(took)
                second.append(again)
                same = same and said == said_again
            print(f"| {name} | {min(first):.2f} | {min(second):.2f} | {min(second) / min(first):.1%} |", flush=True)
    if not same:
        print("what was kept says something else", file=sys.stderr)
    return not same


if __name__ == "__main__":
    sys.exit(main())

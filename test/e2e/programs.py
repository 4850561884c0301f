#!/usr/bin/env python3
"""Lists the programs of folders of expectations for a shell: a line each, NAME ARGUMENTS...

    programs.py EXPECT...

Left out: those whose launches are too large to be counted again record by record.
"""

import sys

from expectation import load_all

LARGEST = 30_000_000


def main():
    for expectation in load_all(sys.argv[1:]):
        if any(sum(launch.figures.values()) > LARGEST for launch in expectation.launches):
            continue
        print(expectation.name, *expectation.arguments)


if __name__ == "__main__":
    main()

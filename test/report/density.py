"""The density of a program as a stencil has it: each CTA is read by its neighbours in a square.

By the format of docs/results.schema.json: levels from the finest with at most 2^18 cells to one of at most 64 x 64.
"""
import math
from collections import Counter

MOST_CELLS = 2 ** 18
BYTES = 256


def _finest(ctas, width):
    """Transfers by (source, destination)."""
    return Counter((source, source + step) for source in range(ctas) for step in (-width, -1, 0, 1, width)
                   if 0 <= source + step < ctas)


def _coarser(transfers):
    joined = Counter()
    for (source, destination), number in transfers.items():
        joined[source // 2, destination // 2] += number
    return joined


def _level(ctas, per, transfers):
    places = sorted(transfers)
    return {"ctasPerCell": per, "cells": math.ceil(ctas / per),
            "source": [s for s, _ in places], "destination": [d for _, d in places],
            "bytes": [transfers[p] * BYTES for p in places], "transfers": [transfers[p] for p in places]}


def big_density(ctas):
    levels, per, transfers = [], 1, _finest(ctas, round(math.sqrt(ctas)))
    while not levels or levels[-1]["cells"] > 64:
        if len(transfers) <= MOST_CELLS:
            levels.append(_level(ctas, per, transfers))
        transfers, per = _coarser(transfers), 2 * per
    return {"ctas": ctas, "maps": [{"kind": "RAW", "order": "ordered", "levels": levels}]}

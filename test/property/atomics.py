"""What atomic operations leave in memory.

An operation's kind says nothing of its type: an addition may be one of integers or of floating-point numbers of several sizes,
a minimum one of signed numbers or not. So there are several results, and one of them must be in memory.
"""

import math
import struct

FLOATS = {2: "<e", 4: "<f", 8: "<d"}


class Results:
    """Equals the bytes of each possible result."""

    def __init__(self, kind, read, operand, compared):
        self.all = {bytes(result) for result in results(kind, read, operand, compared)}

    def __eq__(self, other):
        return other in self.all

    def __hash__(self):  # in counters, where what differs is counted: by what is equal
        return 0

    def hex(self):
        return " or ".join(sorted(result.hex() for result in self.all))


def results(kind, read, operand, compared):
    if kind == "exch":
        return [operand]
    if kind == "cas":
        return [operand if read == compared else read]
    size = len(read)
    old, new = (int.from_bytes(value, "little") for value in (read, operand))
    bits = 8 * size

    def signed(number):
        return number - (1 << bits) if number >> (bits - 1) else number

    numbers = {
        "add": [old + new, old - new],
        "sub": [old - new, old + new],
        "and": [old & new, ~(old & new)],  # nand is counted among them
        "or": [old | new],
        "xor": [old ^ new],
        "inc": [0 if old >= new else old + 1],
        "dec": [new if old == 0 or old > new else old - 1],
        "min": [min(old, new), min(signed(old), signed(new))],
        "max": [max(old, new), max(signed(old), signed(new))],
    }[kind]
    found = [(number % (1 << bits)).to_bytes(size, "little") for number in numbers]
    if kind in ("add", "sub", "min", "max"):
        found += float_results(kind, read, operand)
    return found


def float_results(kind, read, operand):
    """Of one number, and of as many as fit (`half2`)."""
    for size, form in FLOATS.items():
        if len(read) % size:
            continue
        sums = []
        for at in range(0, len(read), size):
            (old,), (new,) = (struct.unpack(form, value[at : at + size]) for value in (read, operand))
            try:
                if kind in ("add", "sub"):
                    sums.append(struct.pack(form, old + new if kind == "add" else old - new))
                elif math.isnan(old) or math.isnan(new):
                    sums.append(struct.pack(form, new if math.isnan(old) else old))
                else:
                    sums.append(struct.pack(form, min(old, new) if kind == "min" else max(old, new)))
            except OverflowError:
                sums.append(struct.pack(form, math.copysign(math.inf, old + new)))
        yield b"".join(sums)

"""What one record says: kinds, sizes, requests."""

CLASSES = {"load": "load", "store": "store"}  # all else is an atomic


def operation_class(site):
    return CLASSES.get(site["operation"], "atomic")


def sizes_of(site, row):
    return row["bytes"] or [site["bytes"]] * len(row["lanes"])


def count(counts, what, sizes):
    counts[what + "s"] += len(sizes)
    counts[what + "Bytes"] += sum(sizes)


def rounded(stride):
    return stride if stride <= 65536 else 1 << (stride.bit_length() - 1)


def parts_of(site, row, addresses):
    """(offset, bytes) of the requests that the machine makes of an access; bytes None: all of each thread's."""
    size, limit = site["bytes"], site["part"]
    if row["bytes"] or size > 4096 or limit == 0:
        return [(0, None)]
    if limit is None:
        limit = max(n for n in (1, 2, 4, 8, 16) if all(address % n == 0 for address in addresses))
    parts, offset = [], 0
    while offset < size:
        part = max(n for n in (1, 2, 4, 8, 16) if n <= min(limit, size - offset))
        parts.append((offset, part))
        offset += part
    return parts

"""What becomes of single accesses of threads: the history of addresses, and strides of threads."""
import collections

from records import operation_class, rounded, sizes_of


class History:
    def __init__(self):
        self.accesses = collections.Counter()  # by (address, superstep, launch, cta, site, bytes)
        self.met = []  # of each read of what an earlier launch wrote: the same, and which bytes it met
        self.versions_read = set()  # (launch, byte): a later launch read what it wrote

    def communicated(self, chosen, sites):
        """Only accesses by which bytes of `chosen`, a range, are communicated."""
        reads = collections.Counter(key for key, met in self.met if any(at in chosen for at in met))
        history = {}
        for key, accesses in self.accesses.items():
            address, _, launch, _, site, size = key
            writes = operation_class(sites[site]) != "load"
            if writes and any(at in chosen and (launch, at) in self.versions_read for at in range(address, address + size)):
                history[key] = accesses
            elif reads[key]:
                history[key] = reads[key]
        return history


class ThreadStrides:
    def __init__(self):
        self.last = {}  # (launch, cta, warp, lane, place) -> the address of the access before
        self.sums = collections.defaultdict(collections.Counter)  # (place, backwards, stride)

    def record(self, row, site, launch, cta, place):
        for lane, address, size in zip(row["lanes"], row["addresses"], sizes_of(site, row)):
            thread = (launch, cta, row["warp"], lane, place)
            if thread in self.last:
                distance = address - self.last[thread]
                sums = self.sums[place, distance < 0, rounded(abs(distance))]
                sums["accesses"] += 1
                sums["bytes"] += size
            self.last[thread] = address

"""The program's allocations, those that live and all that there were, from an export's rows."""


class Allocations:
    def __init__(self):
        self.all = []  # rows
        self.live = {}  # address -> row
        self.frees = []  # (order, address, bytes)
        self.last = None  # that was asked for; while it lives

    def begin(self, row):
        self.last = None
        self.live[row["address"]] = row
        self.all.append(row)
        if row["freedOrder"] is not None:
            self.frees.append((row["freedOrder"], row["address"], row["bytes"]))

    def end_until(self, order):
        """(address, bytes) of those that are freed before that; each is gone behind it."""
        for free in sorted(f for f in self.frees if f[0] < order):
            self.frees.remove(free)
            yield free[1:]
            self.live.pop(free[1], None)
            self.last = None

    def at(self, at):
        if self.last is None or not self.last["address"] <= at < self.last["address"] + self.last["bytes"]:
            self.last = self.find(at)
        return self.last

    def find(self, at):
        below = [address for address in self.live if address <= at]
        row = self.live[max(below)] if below else None
        return row if row and at < row["address"] + row["bytes"] else None

    def memory_at(self, at, is_host):
        row = self.at(at)
        if row:
            return {"host": "pinned", "managed": "managed"}.get(row["kind"], "device")
        return "pageable" if is_host else "device"

    def ordinal(self, at):
        row = self.at(at)
        return row["id"] if row else None

    def was_ever_in_one(self, at):
        return any(row["kind"] != "array" and row["address"] <= at < row["address"] + row["bytes"] for row in self.all)

    def open_to_host(self, at):
        """Whether the host may read and write it without a call."""
        row = self.at(at)
        return row is None or row["kind"] in ("host", "managed")

"""Which act happens before which, and what the host waits for: docs/analysis.md, "comm"."""


class Ordering:
    """Which act happens before which: for each, the set of those that are done before it starts."""

    def __init__(self):
        self.calls = []  # (row, set of acts before it, id of the act or None)
        self.host = set()  # what the host has waited for
        self.events = {}
        self.known_at_call = {}  # act -> acts that the host had waited for when it called it

    @staticmethod
    def streams_meet(a, b):
        kinds = {a["streamKind"], b["streamKind"]}
        return (a["stream"] == b["stream"] or "unknown" in kinds
                or ("legacy" in kinds and "non-blocking" not in kinds))

    def awaited(self, row):
        """Earlier calls that the stream, or the graph, lets this one wait for."""
        graph = row.get("graph", 0)
        in_graph = [call for call in self.calls if graph and call[0].get("graph") == graph]
        if in_graph:
            known = {call[0]["node"] for call in in_graph}
            nodes = [int(node) for node in row["after"].split()] + [row["node"]]
            for call in in_graph:
                if call[0]["node"] in nodes or any(node not in known and node != row["node"] for node in nodes):
                    yield call
        for call in self.calls:
            if not (graph and call[0].get("graph") == graph) and self.streams_meet(call[0], row):
                yield call

    def add(self, row, act=None, host_waits="nothing"):
        before = set(self.host)
        self.known_at_call[act] = before.copy()
        for _, earlier, earlier_act in self.awaited(row):
            before |= earlier
            if earlier_act is not None:
                before.add(earlier_act)
        if host_waits != "nothing":
            self.host |= before
        if host_waits == "all":
            self.host.add(act)
        self.calls.append((row, before, act))
        return before

    def synchronise(self, row):
        kind = row["kind"]
        if kind == "device":
            for _, before, act in self.calls:
                self.host |= before | ({act} if act is not None else set())
        elif kind == "event":
            self.host |= self.events.get(row["event"], set())
        elif kind == "stream":
            self.host |= self.add(row)
        elif kind == "event record":
            self.events[row["event"]] = set(self.add(row))
        else:  # a stream waits for an event; what was never recorded is no wait
            before = self.add(row)
            before |= self.events.get(row["event"], set())


def host_waits(row, is_copy, memory_from, memory_to):
    """What a copy or set makes the host wait for; memory is "pageable", "pinned", "managed" or "device"."""
    if row["graph"]:
        return "nothing"
    if not is_copy:
        return "all" if not row["asynchronous"] and memory_to in ("pinned", "managed") else "nothing"
    from_host, to_host = memory_from in ("pageable", "pinned"), memory_to in ("pageable", "pinned")
    if from_host and to_host:
        return "all"
    if row["asynchronous"] or not (from_host or to_host):
        return "nothing"
    return "before" if memory_from == "pageable" else "all"

"""Two lists of every thread's accesses: the trace's, and the one that the CPU device made below the instrumentation."""

from collections import Counter, defaultdict
from typing import NamedTuple


class Thread(NamedTuple):
    launch: int
    block: int
    thread: int


class Access(NamedTuple):
    operation: str
    address: int
    bytes: int

    def __str__(self):
        return f"{self.operation} of {self.bytes} bytes at {self.address:#x}"


def operation(name):
    """`atomicSub(p, v)` is an addition of -v to the compiler; only the trace knows what the source says."""
    name = name.replace("_", " ")
    return "atomic add" if name == "atomic sub" else name


def read_log(lines):
    """The lines of a CUPR_CPU_ACCESS_LOG file as {Thread: [Access]}."""
    threads = defaultdict(list)
    for line in lines:
        launch, block, thread, name, address, bytes_ = line.split()
        access = Access(operation(name), int(address, 16), int(bytes_))
        threads[Thread(int(launch), int(block), int(thread))].append(access)
    return threads


def read_trace(trace):
    """({Thread: [Access]}, {launch: kernel}) of a Trace."""
    threads, kernels = defaultdict(list), {}
    for launch, kernel, cta, thread, name, address, bytes_ in trace.lane_accesses():
        threads[Thread(launch, cta, thread)].append(Access(operation(name), address, bytes_))
        kernels[launch] = kernel
    return threads, kernels


def differences(logged, traced):
    """What is wrong, thread by thread: [(Thread, text)]."""
    result = []
    for thread in sorted(set(logged) | set(traced)):
        left, right = logged.get(thread, []), traced.get(thread, [])
        if left == right:
            continue
        missed, extra = Counter(left) - Counter(right), Counter(right) - Counter(left)
        parts = [f"not traced, {times} x: {access}" for access, times in missed.items()]
        parts += [f"traced too often, {times} x: {access}" for access, times in extra.items()]
        if not parts:
            at = next(i for i, (a, b) in enumerate(zip(left, right)) if a != b)
            parts = [f"out of order: access {at} is a {left[at]}, in the trace a {right[at]}"]
        result.append((thread, "; ".join(parts[:4])))
    return result

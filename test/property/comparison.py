"""Two lists of every thread's accesses: the trace's, and the one that the CPU device made below the instrumentation."""

from collections import Counter, defaultdict
from typing import NamedTuple

import atomics


class Thread(NamedTuple):
    launch: int
    block: int
    thread: int


class Access(NamedTuple):
    """`before` and `after` are what memory held, where an access reads and writes; None: that was not looked at."""

    operation: str
    address: int
    bytes: int
    before: bytes | None = None
    after: bytes | None = None

    def __str__(self):
        said = f"{self.operation} of {self.bytes} bytes at {self.address:#x}"
        for name, value in (("before", self.before), ("after", self.after)):
            said += f", {name} {value.hex()}" if value is not None else ""
        return said


def operation(name):
    """`atomicSub(p, v)` is an addition of -v to the compiler; only the trace knows what the source says."""
    name = name.replace("_", " ")
    return "atomic add" if name == "atomic sub" else name


def read_log(lines):
    """The lines of a CUPR_CPU_ACCESS_LOG file as {Thread: [Access]}."""
    threads, before = defaultdict(list), {}
    for line in lines:
        launch, block, number, name, address, *rest = line.split()
        thread = Thread(int(launch), int(block), int(number))
        if name == "before":
            before[thread] = bytes.fromhex(rest[0])
        elif name == "after":
            accesses = threads[thread]
            accesses[-1] = accesses[-1]._replace(after=bytes.fromhex(rest[0]))
        else:
            access = Access(operation(name), int(address, 16), int(rest[0]), before.pop(thread, None))
            threads[thread].append(access)
    return threads


def read_trace(trace):
    """({Thread: [Access]}, {launch: kernel}) of a Trace."""
    threads, kernels = defaultdict(list), {}
    for launch, kernel, cta, thread, name, address, bytes_ in trace.lane_accesses():
        threads[Thread(launch, cta, thread)].append(Access(operation(name), address, bytes_))
        kernels[launch] = kernel
    return threads, kernels


def read_values(trace):
    """The same with values. What an atomic operation leaves in memory follows from what it read and its operand."""
    threads, kernels = defaultdict(list), {}
    for launch, kernel, cta, thread, name, address, size, *values in trace.lane_values():
        read, written, compared = values
        after = written
        if name.startswith("atomic") and read is not None:
            after = atomics.Results(name.removeprefix("atomic "), read, written, compared)
        threads[Thread(launch, cta, thread)].append(Access(operation(name), address, size, read, after))
        kernels[launch] = kernel
    return threads, kernels


def without_values(logged, traced):
    """`logged` without the values of those accesses that have none in the trace, since they go through no register."""
    return [
        one._replace(before=None, after=None)
        if one[:3] == other[:3] and other.before is None and other.after is None
        else one
        for one, other in zip(logged, traced)
    ] + logged[len(traced) :]


def differences(logged, traced):
    """What is wrong, thread by thread: [(Thread, text)]."""
    result = []
    for thread in sorted(set(logged) | set(traced)):
        left, right = logged.get(thread, []), traced.get(thread, [])
        left = without_values(left, right)
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

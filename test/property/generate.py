#!/usr/bin/env python3
"""Writes a random CUDA program: kernels that use memory in every way that the instrumentation must see through.

    generate.py --seed 7 [--kernels 12] [--only 3] > program.cu

The same seed gives the same program. Each kernel comes from the seed and its number alone, so that one kernel can be
had without the others (--only). A program has no undefined behaviour and no race whose outcome shows, and prints a
hash of each buffer; build it with -fno-strict-aliasing, since slabs are read and written as all types.
"""

import argparse
import random
import sys

from body import WORDS, Body, Pointer, Style
from callables import Library

HEAD = """\
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

struct Aggregate {
  unsigned first;
  unsigned short pair[2];
  unsigned long long wide;
  unsigned words[4];
};
struct Bits {
  unsigned low : 7, middle : 13, high : 12;
};
template <typename T> struct Holder {
  unsigned padding;
  struct Inner {
    T *first;
    T *second[2];
  } inner;
  __device__ T *pick(unsigned i) const { return inner.second[i & 1]; }
  __device__ T *operator[](unsigned i) const { return i & 1 ? inner.first : inner.second[0]; }
};
template <typename T> struct Node {
  Node *next;
  T *data;
};
template <typename T> __device__ void exchange(T *&a, T *&b, unsigned x) {
  if (x & 1) {
    T *t = a;
    a = b;
    b = t;
  }
}
__device__ __noinline__ unsigned sum(Aggregate a, unsigned x) {
  return a.first + a.pair[x & 1] + (unsigned)a.wide + a.words[x & 3];
}
__device__ __noinline__ Aggregate make(unsigned x) {
  return Aggregate{x, {(unsigned short)x, (unsigned short)(x >> 3)}, x * 77ull, {x, x + 1, x + 2, x + 3}};
}

/// Stores the pointers of `h` as the numbers that they are.
__device__ __noinline__ void putFirst(unsigned **slot, Holder<unsigned> h, unsigned x) {
  unsigned long long words[4];
  __builtin_memcpy(words, &h, sizeof words);
  *(unsigned long long *)slot = words[x & 1 ? 1 : 2];
}

static int failures = 0;
static void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess && ++failures)
    std::printf("%s: %s\\n", what, cudaGetErrorString(error));
}
static unsigned long long hash(const void *data, std::size_t bytes) {
  unsigned long long h = 14695981039346656037ull;
  for (std::size_t i = 0; i < bytes; ++i)
    h = (h ^ static_cast<const unsigned char *>(data)[i]) * 1099511628211ull;
  return h;
}
/// Memory of some kind that the device can use, with contents that depend on `seed`.
static unsigned *buffer(int kind, std::size_t words, unsigned seed) {
  void *memory = nullptr;
  check(kind == 0   ? cudaMalloc(&memory, words * 4)
        : kind == 1 ? cudaMallocManaged(&memory, words * 4)
                    : cudaMallocHost(&memory, words * 4),
        "allocation");
  std::vector<unsigned> contents(words);
  for (unsigned &word : contents)
    word = seed = seed * 1664525u + 1013904223u;
  check(cudaMemcpy(memory, contents.data(), words * 4, cudaMemcpyDefault), "copy");
  return static_cast<unsigned *>(memory);
}
static void report(const char *what, const unsigned *memory, std::size_t words) {
  std::vector<unsigned> contents(words);
  check(cudaMemcpy(contents.data(), memory, words * 4, cudaMemcpyDefault), "copy back");
  std::printf("%s %016llx\\n", what, hash(contents.data(), words * 4));
}
"""

READ_ONLY_SLABS = 8


class Kernel:
    def __init__(self, seed, number, style):
        self.random = random.Random(f"{seed}/{number}")
        self.number = number
        self.style = style
        self.block = self.random.choice([(32, 1), (40, 1), (64, 1), (33, 1), (8, 5), (7, 3)])
        self.grid = self.random.choice([(1, 1), (2, 1), (3, 1), (2, 2)])

    @property
    def threads_per_block(self):
        return self.block[0] * self.block[1]

    @property
    def threads(self):
        return self.threads_per_block * self.grid[0] * self.grid[1]

    def text(self):
        library = Library(self.random, self.style)
        for _ in range(self.random.randint(2, 5)):
            library.add()
        parts = [self._variables(), library.lines, self._kernel(library), self._run()]
        lines = [line for part in parts for line in ["", *part]]
        return "\n".join([f"namespace k{self.number} {{", *lines, "", f"}} // namespace k{self.number}", ""])

    def _variables(self):
        words = READ_ONLY_SLABS * WORDS
        members = ["tables"] if self.style.stored == "global" else ["constants", "tables", "fixed"]

        def numbers():
            return ", ".join(f"{self.random.randrange(1 << 32):#x}u" for _ in range(words))

        def slab():
            return f"{self.random.choice(members)} + {WORDS * self.random.randrange(READ_ONLY_SLABS)}"

        def slabs():
            return ", ".join(slab() for _ in range(4))

        return [
            f"constexpr unsigned kBlock = {self.threads_per_block}, kThreads = {self.threads};",
            f"alignas(16) __constant__ unsigned constants[{words}] = {{{numbers()}}};",
            f"alignas(16) __device__ unsigned tables[{words}] = {{{numbers()}}};",
            # clang puts it into constant memory
            f"alignas(16) static __device__ const unsigned fixed[{words}] = {{{numbers()}}};",
            f"alignas(16) __device__ unsigned variables[kThreads * {WORDS}];",
            # Pointers that are there from the start.
            f"__device__ const unsigned *globalTable[4] = {{{slabs()}}};",
            f"__constant__ const unsigned *constantTable[4] = {{{slabs()}}};",
            "__device__ unsigned *variableSlots[kThreads * 2];",
            "__device__ unsigned threadNumber() {",
            "  const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;",
            "  return block * kBlock + threadIdx.x + blockDim.x * threadIdx.y;",
            "}",
            # What the kernel gets, if it gets it in a structure.
            "struct Buffers { unsigned *mine; const unsigned *read; };",
            "struct Arguments {",
            "  char padding;",
            "  Buffers buffers[2];",
            "  struct { unsigned **slots; unsigned *counters; } more;",
            "  unsigned *out;",
            "};",
        ]

    def _pointers(self):
        """(lines that declare them, pointers, slots) of the kernel."""
        arguments = "args." if self.in_structure else ""
        mine = [f"{arguments}buffers[{i}].mine" if self.in_structure else f"mine{i}" for i in range(2)]
        read = f"{arguments}buffers[{self.random.randrange(2)}].read" if self.in_structure else "read"
        lines, pointers = [], []

        def add(name, text, **properties):
            pointer = Pointer(name, **properties)
            lines.append(f"  {pointer.type}{name} = {text};")
            pointers.append(pointer)

        for i in range(2):
            add(f"g{i}", f"{mine[i]} + gtid * {WORDS}", writable=True, is_global=True, lasting=True)
        add("s", f"shared + tid * {WORDS}", writable=True, lasting=True)
        if self.dynamic:
            add("d", f"dynamic + tid * {WORDS}", writable=True, lasting=True)
        add("l", "local", writable=True, lasting=True)
        add("w", f"variables + gtid * {WORDS}", writable=True, is_global=True, lasting=True)
        slab = f"(x & {READ_ONLY_SLABS - 1}) * {WORDS}"
        add("r", f"{read} + {slab}", writable=False, is_global=True, constant=True, lasting=True)
        add("c", f"constants + {slab}", writable=False, constant=True, lasting=True)
        add("t", f"tables + {slab}", writable=False, is_global=True, constant=True, lasting=True)
        add("f", f"fixed + {slab}", writable=False, constant=True, lasting=True)
        clean = self.style.stored == "global"
        add("m", "globalTable[x & 3]", writable=False, is_global=clean, constant=True, lasting=True)
        add("n", "constantTable[(x >> 2) & 3]", writable=False, is_global=clean, constant=True, lasting=True)
        if self.heap:
            add("h", "heap", writable=True, is_global=True, lasting=True)
        self.random.shuffle(pointers)
        kept = pointers[: self.random.randint(3, len(pointers))]
        if not any(pointer.writable and pointer.is_global for pointer in kept):
            kept += [pointer for pointer in pointers if pointer.writable and pointer.is_global][:1]
        names = {pointer.text for pointer in kept}
        lines = [line for line in lines if line.split(" = ")[0].split("*")[-1].split()[-1] in names]
        slots = [f"{'args.more.' if self.in_structure else ''}slots[gtid * 4 + {i}]" for i in range(2)]
        slots += ["sharedSlots[tid * 2 + 1]", "variableSlots[gtid * 2 + 1]"]
        if self.in_structure:  # a kernel may change what it was given by value
            slots.append("args.buffers[1].mine")
        self.random.shuffle(slots)
        return lines, kept, slots[: self.random.randint(0, len(slots))]

    def _kernel(self, library):
        self.in_structure = self.random.random() < 0.4
        self.dynamic = self.random.random() < 0.4
        self.heap = self.random.random() < 0.2
        self.template = self.random.random() < 0.3
        declarations, pointers, slots = self._pointers()
        arguments = "args." if self.in_structure else ""
        counters = [f"{arguments}more.counters" if self.in_structure else "counters", "blockCounters"]
        out = f"{arguments}out[gtid]"
        budget = self.random.choice([80, 150, 150, 600])
        body = Body(self.random, pointers, library.callables, budget, slots, counters, self.style)
        for slot in slots:
            body.store(slot, body.storable())
        for part in range(self.random.randint(2, 3)):
            body.statements(self.random.randint(3, 7))
            if part == 0 and self.random.random() < 0.6:  # all threads are here
                other = f"(tid + {self.random.randrange(1, 40)}) % kBlock"
                body.line("__syncthreads(); sharedWords[tid] = v; __syncthreads();")
                body.line(f"v ^= sharedWords[{other}];")
            elif self.random.random() < 0.3:
                body.line(f"if (({body.value()} & 7) == 3) {{ {out} = v; return; }}")
        restrict = self.random.choice(["", "__restrict__ "])
        signature = (
            "Arguments args, unsigned x"
            if self.in_structure
            else f"unsigned *mine0, unsigned *mine1, const unsigned *{restrict}read, unsigned **slots, "
            "unsigned *counters, unsigned *out, unsigned x"
        )
        lines = [
            f"  alignas(16) __shared__ unsigned shared[kBlock * {WORDS}];",
            "  __shared__ unsigned sharedWords[kBlock], blockCounters[16];",
            "  __shared__ unsigned *sharedSlots[kBlock * 2];",
            f"  alignas(16) unsigned local[{WORDS}];",
            "  const unsigned tid = threadIdx.x + blockDim.x * threadIdx.y;",
            "  const unsigned gtid = (blockIdx.x + gridDim.x * blockIdx.y) * kBlock + tid;",
        ]
        if self.dynamic:
            lines += ["  extern __shared__ uint4 dynamicWords[];", "  unsigned *dynamic = (unsigned *)dynamicWords;"]
        if self.heap:
            lines.append(f"  unsigned *heap = (unsigned *)malloc({WORDS * 4});")
        lines += [
            f"  for (unsigned i = 0; i < {WORDS}; ++i) {{",
            "    local[i] = gtid * i + x;",
            f"    shared[tid * {WORDS} + i] = gtid ^ i;",
            *([f"    dynamic[tid * {WORDS} + i] = gtid + i;"] if self.dynamic else []),
            *(["    heap[i] = gtid - i;"] if self.heap else []),
            "  }",
            "  if (tid < 16) blockCounters[tid] = 0;",
            "  sharedSlots[tid * 2] = sharedSlots[tid * 2 + 1] = nullptr;",
            "  __syncthreads();",
            f"  unsigned v = gtid * 2654435761u + x{' * kTag' if self.template else ''};",
            *declarations,
            *body.lines,
            f"  for (unsigned i = 0; i < {WORDS}; ++i) v = v * 31u + (local[i] ^ shared[tid * {WORDS} + i]);",
        ]
        if self.heap:
            lines += [f"  for (unsigned i = 0; i < {WORDS}; ++i) v ^= heap[i] >> i;", "  free(heap);"]
        head = ["template <unsigned kTag>"] if self.template else []
        return [*head, f"__global__ void kernel({signature}) {{", *lines, f"  {out} = v;", "}"]

    def _run(self):
        words = f"kThreads * {WORDS}"
        kinds = [self.random.choice([0, 0, 1, 2]) for _ in range(6)]
        (gx, gy), (bx, by), dynamic = self.grid, self.block, f"kBlock * {WORDS * 4}" if self.dynamic else "0"
        shape = f"dim3({gx}, {gy}), dim3({bx}, {by}), {dynamic}"
        arguments = "mine0, mine1, read, slots, counters, out"
        if self.in_structure:
            arguments = "Arguments{0, {{mine0, read}, {mine1, read}}, {slots, counters}, out}"
        launched = "kernel<7>" if self.template else "kernel"
        launches = []
        if self.random.random() < 0.3:  # it keeps its signature
            launches.append(f"  auto kept = {launched};")
            launched = "kept"
        for _ in range(self.random.randint(1, 2)):
            launches.append(f"  {launched}<<<{shape}>>>({arguments}, {self.random.randrange(1 << 16)}u);")
        hashed = [("mine0", words), ("mine1", words), ("counters", "16"), ("out", "kThreads")]
        return [
            "void run() {",
            f"  unsigned *mine0 = buffer({kinds[0]}, {words}, 1), *mine1 = buffer({kinds[1]}, {words}, 2);",
            f"  unsigned *read = buffer({kinds[2]}, {READ_ONLY_SLABS * WORDS}, 3);",
            f"  unsigned *counters = buffer({kinds[3]}, 16, 4), *out = buffer({kinds[4]}, kThreads, 5);",
            f"  unsigned **slots = (unsigned **)buffer({kinds[5]}, kThreads * 8, 6);",
            '  check(cudaMemset(counters, 0, 64), "set");',
            *launches,
            '  check(cudaDeviceSynchronize(), "kernel");',
            *(f'  report("k{self.number} {name}", {name}, {count});' for name, count in hashed),
            "  void *address = nullptr;",
            '  check(cudaGetSymbolAddress(&address, variables), "symbol");',
            f'  report("k{self.number} variables", (unsigned *)address, {words});',
            "}",
        ]


# What programs have only if it is asked for.
FEATURES = ["variable-copies"]


def program(seed, kernels, only=None, features=()):
    """The text of a program. `only`: the number of the one kernel wanted."""
    numbers = range(kernels) if only is None else [only]
    choices = random.Random(seed)
    stored = choices.choice(["open", "global", "disguised"])
    style = Style(stored, "variable-copies" in features, choices.random() < 0.25)
    parts = [f"// generate.py --seed {seed} --kernels {kernels}" + (f" --only {only}" if only is not None else "")]
    parts += ["#include <cuda_fp16.h>"] if style.half else []
    parts.append(HEAD)
    parts += [Kernel(seed, number, style).text() for number in numbers]
    # Recursion at -O0 needs more stack than a GPU gives by default.
    main = ["int main() {", "  cudaDeviceSetLimit(cudaLimitStackSize, 32768);"]
    parts += [*main, *(f"  k{number}::run();" for number in numbers), "  return failures != 0;", "}", ""]
    return "\n".join(parts)


def add_features(parser):
    text = "copies and sets of a length that is not constant"
    parser.add_argument("--with", dest="features", action="append", default=[], choices=FEATURES, help=text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=12, help="(default: %(default)s)")
    parser.add_argument("--only", type=int, help="only the kernel with this number")
    add_features(parser)
    options = parser.parse_args()
    sys.stdout.write(program(options.seed, options.kernels, options.only, options.features))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes a random CUDA program whose kernels' accesses follow from their launches: what is derived instead of recorded.

    determined.py --seed 7 [--kernels 12] [--only 3] [--data] [--shared] > program.cu

Addresses and conditions are random arithmetic, which wraps, on indices, dimensions and parameters (of all widths, by value and in
structures), in loops, nested conditions and early returns; the data that is read goes into results alone. `--data` lets data
into some of it, which has to be recorded then; with `--shared` kernels access shared memory, too, each thread words of its own. The same
seed gives the same program.
"""

import argparse
import random
import sys

HEAD = """\
#include <cstdio>
#include <vector>

struct Shape {
  unsigned char flag;
  short skew;
  unsigned width;
  long long offset;
  int steps[3];
};
__device__ unsigned table[256];
__device__ __forceinline__ unsigned mix(unsigned a, unsigned b) { return a * 2654435761u + (b ^ a >> 7); }

static int failures = 0;
static void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess && ++failures)
    std::printf("%s: %s\\n", what, cudaGetErrorString(error));
}
static unsigned *buffer(std::size_t words, unsigned seed) {
  unsigned *memory = nullptr;
  check(cudaMalloc(&memory, words * 4), "allocation");
  std::vector<unsigned> contents(words);
  for (unsigned &word : contents)
    word = seed = seed * 1664525u + 1013904223u;
  check(cudaMemcpy(memory, contents.data(), words * 4, cudaMemcpyDefault), "copy");
  return memory;
}
static void report(const char *what, const unsigned *memory, std::size_t words) {
  std::vector<unsigned> contents(words);
  check(cudaMemcpy(contents.data(), memory, words * 4, cudaMemcpyDefault), "copy back");
  unsigned long long h = 14695981039346656037ull;
  for (const unsigned word : contents)
    h = (h ^ word) * 1099511628211ull;
  std::printf("%s %016llx\\n", what, h);
}
"""

SLAB = 16  # words of `mine` that belong to a thread
READ = 1024  # words of `read`
TILE, DYNAMIC = 4, 2  # words of shared memory that belong to a thread: of `tile`, of `dynamic`
TYPES = {
    "unsigned": 32,
    "int": 32,
    "unsigned long long": 64,
    "long long": 64,
    "unsigned short": 16,
    "short": 16,
    "unsigned char": 8,
}
UNSIGNED = ["unsigned", "unsigned long long", "unsigned short", "unsigned char"]


class Kernel:
    def __init__(self, seed, number, data, shared):
        self.random = random.Random(f"determined/{seed}/{number}")
        self.number = number
        self.shared = shared
        self.data = data and self.random.random() < 0.5
        pick = self.random.choice
        self.block = pick([(32, 1, 1), (64, 1, 1), (33, 1, 1), (100, 1, 1), (16, 4, 1), (8, 5, 1), (7, 3, 2), (4, 4, 4), (1, 40, 1)])
        self.grid = pick([(1, 1, 1), (3, 1, 1), (2, 2, 1), (1, 2, 2), (2, 1, 3)])
        self.lines, self.depth, self.names = [], 1, 0
        self.cost, self.times, self.barriers = 0, 1, True

    # Expressions. `variables`: names and types of what is determined.

    def name(self):
        self.names += 1
        return f"d{self.names}"

    def atom(self):
        pick = self.random.randrange(10)
        if pick < 5:
            return self.random.choice(self.variables)[0]
        if pick == 5:
            return str(self.random.choice([0, 1, 2, 3, 5, 7, 31, 255, 4096, 65535]))
        if pick == 6:
            return f"{self.random.choice([-1, -3, -128, -65536])}"
        if pick == 7:
            return f"{self.random.randrange(1 << 32)}u"
        if pick == 8:
            return f"{self.random.randrange(1 << 60)}ull"
        return self.random.choice(["threadIdx.x", "threadIdx.y", "blockIdx.x", "blockDim.x", "gridDim.y", "warpSize"])

    def expression(self, depth=3):
        if depth == 0 or self.random.random() < 0.2:
            return self.atom()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        pick = self.random.randrange(16)
        kind = self.random.choice(UNSIGNED[:2])
        number = self.random.choice([1, 2, 3, 5, 7, 10, 16, 31, 100])
        if pick < 3:
            return f"(({kind})({a}) {self.random.choice('+-')} ({kind})({b}))"
        if pick < 5:
            return f"(({kind})({a}) * ({kind})({b}))"
        if pick == 5:
            return f"(({a}) {self.random.choice('&|^')} ({b}))"
        if pick == 6:
            return f"(({kind})({a}) << {number % 32})"
        if pick == 7:
            return f"(({self.random.choice(list(TYPES))})({a}) >> {number % 8})"
        if pick == 8:
            return f"(({self.random.choice(list(TYPES))})({a}) {self.random.choice('/%')} {number})"
        if pick == 9:
            return f"(({kind})({a}) {self.random.choice('/%')} (({kind})({b}) | 1))"
        if pick == 10:
            return f"({self.condition(depth - 1)} ? {a} : {b})"
        if pick == 11:
            return f"(({self.random.choice(list(TYPES))})({a}))"
        if pick == 12:
            return f"{self.random.choice(['min', 'max'])}((int)({a}), (int)({b}))"
        if pick == 13:
            return f"{self.random.choice(['__popc', '__clz', '__brev', '__ffs'])}((unsigned)({a}))"
        if pick == 14:
            return f"__umulhi((unsigned)({a}), (unsigned)({b}))"
        return f"mix((unsigned)({a}), (unsigned)({b}))"

    def condition(self, depth=2):
        kind = self.random.choice(list(TYPES))
        compare = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        if self.random.random() < 0.3:
            return f"(((unsigned)({self.expression(depth)}) & {self.random.choice([1, 3, 7])}) != 0)"
        text = f"(({kind})({self.expression(depth)}) {compare} ({kind})({self.expression(depth)}))"
        if self.random.random() < 0.1:
            text = f"({text} {self.random.choice(['&&', '||'])} {self.condition(0)})"
        if self.random.random() < 0.05:
            text = f"(factor {self.random.choice(['==', '<', '!='])} {self.random.choice(['0.0f', '1.5f', '-2.0f'])})"
        return text

    # Statements.

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def index(self, bound):
        text = f"((unsigned)({self.expression()}) & {bound - 1})"
        if self.data and self.random.random() < 0.2:
            text = f"(({text} + v) & {bound - 1})"
        return text

    def access(self):
        self.cost += self.times
        if self.shared and self.random.random() < 0.5:
            self.shared_access()
            return
        pick = self.random.randrange(8)
        if pick < 3:
            self.line(f"v = v * 31 + read[{self.index(READ)}];")
        elif pick == 3:
            self.line(f"v ^= table[{self.index(256)}];")
        elif pick == 4:
            self.line(f"{{ uint4 q = ((const uint4 *)read)[{self.index(READ // 4)}]; v += q.x ^ q.w; }}")
        elif pick < 7:
            self.line(f"own[{self.index(SLAB)}] = v + {self.random.randrange(100)};")
        else:
            self.line(f"atomicAdd(&counters[{self.index(16)}], {self.random.randrange(1, 9)}u);")

    def shared_access(self):
        pick = self.random.randrange(6)
        tile, dynamic = (f"{name}[thread * {words} + {self.index(words)}]" for name, words in (("tile", TILE), ("dynamic", DYNAMIC)))
        if pick < 2:
            self.line(f"v += {self.random.choice([tile, dynamic])};")
        elif pick < 4:
            self.line(f"{self.random.choice([tile, dynamic])} = v ^ {self.random.randrange(100)};")
        elif pick == 4:
            self.line(f"{{ const uint2 q = *(const uint2 *)&tile[thread * {TILE} + ({self.index(TILE)} & 2)]; v ^= q.x + q.y; }}")
        else:
            self.line(f"v += atomicAdd(&{self.random.choice([tile, dynamic])}, {self.random.randrange(1, 9)}u);")

    def declare(self):
        name, kind = self.name(), self.random.choice(list(TYPES))
        self.line(f"{kind} {name} = ({kind})({self.expression()});")
        self.variables.append((name, kind))

    def assign(self):
        name, kind = self.random.choice([each for each in self.variables if each[0] in self.assignable] or [(None, None)])
        if name:
            self.line(f"{name} = ({kind})({self.expression()});")

    def block_of(self, statements):
        known, assignable = len(self.variables), set(self.assignable)
        self.depth += 1
        self.statements(statements)
        self.depth -= 1
        del self.variables[known:]
        self.assignable = assignable

    def branch(self):
        condition = self.condition()
        if self.data and self.random.random() < 0.2:
            condition = "(v & 3)"
        barriers, self.barriers = self.barriers, False
        self.line(f"if ({condition}) {{")
        self.block_of(self.random.randint(1, 3))
        if self.random.random() < 0.5:
            self.line("} else {")
            self.block_of(self.random.randint(1, 3))
        self.line("}")
        self.barriers = barriers

    def loop(self):
        most = self.random.choice([2, 3, 5, 9])
        if self.times * most > 200:
            return
        name, barriers = self.name(), self.barriers
        uniform = self.random.random() < 0.4
        bound = f"(blockIdx.x + {most - 1}u) % {most}u + 1" if uniform else f"(unsigned)({self.expression(2)}) % {most + 1}u"
        self.barriers = barriers and uniform
        self.times *= most
        kind = self.random.randrange(3)
        if kind == 0:
            self.line(f"for (unsigned {name} = 0, e{name} = {bound}; {name} < e{name}; ++{name}) {{")
        elif kind == 1:
            self.line(f"for (int {name} = (int)({bound}); {name} > 0; --{name}) {{")
        else:
            self.line(f"for (long long {name} = -3, e{name} = {bound}; {name} < e{name} - 3; {name} += 1) {{")
        self.variables.append((name, "unsigned"))
        self.depth += 1
        if not self.barriers and self.random.random() < 0.3:
            self.line(f"if ({self.condition(1)}) {self.random.choice(['break', 'continue'])};")
        self.depth -= 1
        self.block_of(self.random.randint(1, 4))
        self.variables = [each for each in self.variables if each[0] != name]
        self.line("}")
        self.times //= most
        self.barriers = barriers

    def choice(self):
        barriers, self.barriers = self.barriers, False
        self.line(f"switch ((unsigned)({self.expression(2)}) % 5) {{")
        for number in range(self.random.randint(2, 4)):
            self.line(f"case {number}: {{")
            self.block_of(2)
            self.line("}" + ("" if self.random.random() < 0.3 else " break;"))
        self.line("}")
        self.barriers = barriers

    def statements(self, count):
        for _ in range(count):
            pick = self.random.randrange(14)
            if self.cost > 3000 or self.depth > 5:
                pick = pick % 4
            if pick < 5:
                self.access()
            elif pick < 7:
                self.declare()
                if self.random.random() < 0.5:
                    self.assignable.add(self.variables[-1][0])
            elif pick == 7:
                self.assign()
            elif pick < 10:
                self.loop()
            elif pick < 12:
                self.branch()
            elif pick == 12:
                self.choice()
            elif self.barriers:
                self.line("__syncthreads();")
        self.access()

    @staticmethod
    def shared_memory(threads):
        return [
            f"  __shared__ __align__(8) unsigned tile[{threads * TILE}];",
            "  extern __shared__ unsigned dynamic[];",
            f"  for (unsigned i = 0; i < {TILE}; ++i)",
            f"    tile[thread * {TILE} + i] = thread + i;",
            f"  for (unsigned i = 0; i < {DYNAMIC}; ++i)",
            f"    dynamic[thread * {DYNAMIC} + i] = thread ^ i;",
        ]

    def text(self):
        self.variables = [
            ("thread", "unsigned"), ("a", "unsigned"), ("b", "int"), ("c", "short"), ("d", "long long"), ("e", "unsigned char"),
            ("shape.flag", "unsigned char"), ("shape.skew", "short"), ("shape.width", "unsigned"),
            ("shape.offset", "long long"), ("shape.steps[1]", "int"), ("blockIdx.x", "unsigned"), ("threadIdx.x", "unsigned"),
        ]  # fmt: skip
        self.assignable = set()
        self.statements(self.random.randint(2, 4))
        if self.random.random() < 0.5:
            self.line(f"if ({self.condition()}) return;")
            self.barriers = False
        self.statements(self.random.randint(3, 6))
        x, y, z = self.block
        gx, gy, gz = self.grid
        threads = x * y * z * gx * gy * gz
        dynamic = f", {x * y * z * DYNAMIC * 4}" if self.shared else ""
        pick = self.random.randrange
        arguments = [f"{pick(1 << 32)}u", f"{pick(1 << 31) - (1 << 30)}", f"(short){pick(1 << 16) - (1 << 15)}",
                     f"{pick(1 << 62) - (1 << 61)}ll", f"(unsigned char){pick(256)}",
                     self.random.choice(["0.0f", "1.5f", "-2.0f", "7.25f"]),
                     f"Shape{{{pick(256)}, (short){pick(1000) - 500}, {pick(1 << 32)}u, {pick(1 << 40) - (1 << 39)}ll, "
                     f"{{{pick(100)}, {pick(1 << 20) - (1 << 19)}, {pick(7)}}}}}"]  # fmt: skip
        report = [f'  report("k{self.number} mine", mine, {threads * SLAB});',
                  f'  report("k{self.number} counters", counters, 16);']  # fmt: skip
        return "\n".join([
            f"namespace k{self.number} {{",
            "__global__ void kernel(unsigned *mine, const unsigned *read, unsigned *counters, unsigned a, int b, short c, "
            "long long d, unsigned char e, float factor, Shape shape) {",
            "  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);",
            "  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
            f"  unsigned *const own = mine + (block * {x * y * z} + thread) * {SLAB};",
            "  unsigned v = thread;",
            *(self.shared_memory(x * y * z) if self.shared else []),
            *self.lines,
            "}",
            "void run() {",
            f"  unsigned *mine = buffer({threads * SLAB}, 1), *read = buffer({READ}, 2), *counters = buffer(16, 3);",
            f"  kernel<<<dim3({gx}, {gy}, {gz}), dim3({x}, {y}, {z}){dynamic}>>>(mine, read, counters, {', '.join(arguments)});",
            '  check(cudaDeviceSynchronize(), "kernel");',
            *report,
            "}",
            f"}} // namespace k{self.number}",
            "",
        ])  # fmt: skip


def program(seed, kernels, only=None, features=()):
    """The text of a program. `only`: the number of the one kernel wanted. Features: "data", "shared"."""
    numbers = range(kernels) if only is None else [only]
    parts = [f"// determined.py --seed {seed} --kernels {kernels}" + (f" --only {only}" if only is not None else ""), HEAD]
    parts += [Kernel(seed, number, "data" in features, "shared" in features).text() for number in numbers]
    parts += ["int main() {", *(f"  k{number}::run();" for number in numbers), "  return failures != 0;", "}", ""]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=12, help="(default: %(default)s)")
    parser.add_argument("--only", type=int, help="only the kernel with this number")
    parser.add_argument("--data", action="store_true", help="let data into some addresses and conditions")
    parser.add_argument("--shared", action="store_true", help="access shared memory, too")
    options = parser.parse_args()
    features = [name for name in ("data", "shared") if getattr(options, name)]
    sys.stdout.write(program(options.seed, options.kernels, options.only, features))


if __name__ == "__main__":
    main()

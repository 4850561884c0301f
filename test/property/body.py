"""The bodies of random device code: statements over slabs.

Every pointer in a generated program points to the start of a *slab*: 16 unsigned words, 64 bytes, aligned to 16.
A slab that can be written belongs to one thread; the others are never written. So any index is in range after
`& 15`, no two threads race, and any pointer may stand wherever a pointer is wanted: that is what lets the address
spaces mix. Copies go from the second half of a slab to the first half of one, so source and destination never
overlap. The value that a body computes is in `v`; every read goes into it.
"""

from dataclasses import dataclass

WORDS = 16


@dataclass(frozen=True)
class Pointer:
    text: str
    writable: bool
    is_global: bool = False  # certainly global memory
    constant: bool = False  # no thread writes to it
    lasting: bool = False  # valid until the kernel ends, so that it may be stored anywhere

    @property
    def type(self):
        return "unsigned *" if self.writable else "const unsigned *"


@dataclass(frozen=True)
class Style:
    """What holds for a whole program, since the analysis looks at a whole module."""

    # Pointers that are stored in memory: "open", any; "global", those to global memory only; "disguised", others
    # only as integers or bytes.
    stored: str = "open"
    variable_copies: bool = False  # copies and sets of a length that is not constant
    half: bool = False  # atomics on half-precision numbers


class Body:
    """Collects the lines of one function. `budget` bounds the accesses that one call of it makes."""

    def __init__(self, random, pointers, callables, budget, slots=(), counters=(), style=Style()):
        self.random = random
        self.pointers = list(pointers)
        self.callables = list(callables)
        self.slots = list(slots)  # lvalues of type `unsigned *` that hold lasting pointers
        self.counters = list(counters)  # 16 words each, which all threads share
        self.style = style
        self.budget = budget
        self.cost = 0
        self.lines = []
        self._depth = 1
        self._times = 1  # how often the statement at hand runs at most
        self._names = 0

    # Text.

    def line(self, text):
        self.lines.append("  " * self._depth + text)

    def name(self, prefix):
        self._names += 1
        return f"{prefix}{self._names}"

    def pay(self, accesses):
        self.cost += accesses * self._times

    def can_pay(self, accesses):
        return self.cost + accesses * self._times <= self.budget

    # Values and places.

    def chance(self, probability):
        return self.random.random() < probability

    def value(self, depth=2):
        pick = self.random.randrange(7)
        if depth == 0 or pick == 0:
            return "v"
        if pick == 1:
            return f"{self.random.randrange(1, 1000)}u"
        if pick == 2:
            return f"(v >> {self.random.randrange(1, 16)})"
        if pick == 3:
            return "x"
        operator = self.random.choice(["+", "^", "*", "-", "|"])
        left, right = self.value(depth - 1), self.value(depth - 1)
        return f"({left} {operator} {right if right != left else self.random.randrange(1, 99)})"

    def index(self, count=WORDS):
        if self.chance(0.4):
            return str(self.random.randrange(count))
        return f"({self.value(1)} & {count - 1})"

    def pointer(self, writable=False, is_global=False, constant=False, lasting=False):
        """Some pointer with these properties, or None."""
        fitting = [
            pointer
            for pointer in self.pointers
            if (pointer.writable or not writable)
            and (pointer.is_global or not is_global)
            and (pointer.constant or not constant)
            and (pointer.lasting or not lasting)
        ]
        return self.random.choice(fitting) if fitting else None

    def declare(self, text, made_of, writable):
        """`made_of`: the pointers that the new one may be."""
        name = self.name("p")
        pointer = Pointer(
            name,
            writable,
            all(source.is_global for source in made_of),
            not writable and all(source.constant for source in made_of),
            all(source.lasting for source in made_of),
        )
        self.line(f"{pointer.type}{name} = {text};")
        self.pointers.append(pointer)
        return pointer

    # Statements.

    def statements(self, count):
        kinds = [
            (self.read, 8),
            (self.write, 6),
            (self.atomic, 3),
            (self.assembly, 2),
            (self.cached_load, 2),
            (self.aggregate, 2),
            (self.copy_or_set, 3),
            (self.new_pointer, 9),
            (self.branch, 3),
            (self.loop, 3),
            (self.call, 14),
            (self.store_pointer, 3),
            (self.lambda_call, 1),
        ]
        for _ in range(count):
            kind = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
            kind()

    def block(self, count, times=1):
        """Statements in braces: their pointers end with them."""
        known = list(self.pointers)
        self._depth += 1
        self._times *= times
        self.statements(count)
        self._times //= times
        self._depth -= 1
        self.pointers = known

    def read(self):
        if not self.can_pay(1):
            return
        p = self.pointer().text
        form = self.random.randrange(9)
        volatile = "volatile " if self.chance(0.2) else ""
        if form <= 2:
            read = f"((const {volatile}unsigned *){p})[{self.index()}]" if volatile else f"{p}[{self.index()}]"
        elif form == 3:
            read = f"((const {volatile}unsigned char *){p})[{self.index(64)}]"
        elif form == 4:
            read = f"(unsigned)((const {volatile}short *){p})[{self.index(32)}]"
        elif form == 5:
            read = f"(unsigned)(((const {volatile}unsigned long long *){p})[{self.index(8)}] >> 7)"
        elif form == 6:
            kind, parts, count = self.random.choice(
                [
                    ("uint4", "xyzw", 4),
                    ("int2", "xy", 8),
                    ("ushort4", "xyzw", 8),
                    ("uchar4", "xyzw", 16),
                    ("ulonglong2", "xy", 4),
                    ("uint3", "xyz", 4),
                ]
            )
            name = self.name("q")
            self.line(f"{kind} {name} = ((const {kind} *){p})[{self.index(count)}];")
            used = self.random.sample(parts, self.random.randint(1, len(parts)))
            read = " + ".join(f"(unsigned){name}.{part}" for part in used)
        elif form == 7:
            read = f"((const Bits *){p})[{self.index()}].{self.random.choice(['low', 'middle', 'high'])}"
        else:
            read = f"{p}[{self.index()}] + {self.pointer().text}[{self.index()}]"
            self.pay(1)
        self.pay(1)
        self.line(f"v = v * 31u + ({read});")

    def write(self):
        p = self.pointer(writable=True)
        if not p or not self.can_pay(2):
            return
        p, form = p.text, self.random.randrange(9)
        self.pay(1)
        value = self.value()
        if form <= 2:
            self.line(f"{p}[{self.index()}] {self.random.choice(['=', '=', '+=', '^='])} {value};")
        elif form == 3:
            kind, count = self.random.choice([("unsigned char", 64), ("unsigned short", 32), ("unsigned long long", 8)])
            self.line(f"(({kind} *){p})[{self.index(count)}] = ({kind})({value});")
        elif form == 4:
            self.line(f"((volatile unsigned *){p})[{self.index()}] = {value};")
        elif form == 5:
            self.line(f"((uint4 *){p})[{self.index(4)}] = make_uint4({self.value(1)}, x, v, {self.value(1)});")
        elif form == 6:
            self.line(f"((int2 *){p})[{self.index(8)}] = make_int2((int)({self.value(1)}), (int)v);")
        elif form == 7:
            self.line(f"((Bits *){p})[{self.index()}].{self.random.choice(['low', 'middle', 'high'])} = {value};")
            self.pay(1)
        else:
            source = self.pointer().text
            self.line(f"((float4 *){p})[{self.index(4)}] = ((const float4 *){source})[{self.index(4)}];")
            self.pay(1)

    def atomic(self):
        if not self.can_pay(2):
            return
        self.pay(1)
        p = self.pointer(writable=True)
        if not p or self.chance(0.3):
            # Several threads meet here: operations that commute, one kind per word, the result unused.
            if not self.counters:
                return
            self.line(self.random.choice([
                "atomicAdd(&{}[0], {});", "atomicSub(&{}[0], {});", "atomicInc(&{}[1], 0xffffffffu + 0u * {});",
                "atomicMax(&{}[2], {});", "atomicMin(&{}[3], {});", "atomicAnd(&{}[4], 0xfff00000u | {});",
                "atomicOr(&{}[5], {});", "atomicXor(&{}[6], {});",
                "atomicAdd((unsigned long long *)&{}[8], (unsigned long long)({}));",
                "atomicAdd((float *)&{}[10], (float)(({}) & 3u));",
                "atomicAdd((double *)&{}[12], (double)(({}) & 3u));",
                "atomicMax((int *)&{}[14], (int)({}));",
            ]).format(self.random.choice(self.counters), self.value()))
            return
        p, value = p.text, self.value()
        scope = self.random.choice(["", "", "", "_block", "_system"])
        form = self.random.randrange(9 if self.style.half else 8)
        if form <= 3:
            operation = self.random.choice(["Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor"])
            call = f"atomic{operation}{scope}(&{p}[{self.index()}], {value})"
        elif form == 4:
            call = f"atomicCAS{scope}(&{p}[{self.index()}], {self.value(1)}, {value})"
        elif form == 5:
            operation = self.random.choice(["Add", "Exch", "Min", "Max", "And", "Or", "Xor"])
            place = f"(unsigned long long *){p} + {self.index(8)}"
            call = f"(unsigned)atomic{operation}{scope}({place}, (unsigned long long)({value}) << 5)"
        elif form == 6:
            operation = self.random.choice(["Min", "Max", "Exch"])
            call = f"(unsigned)atomic{operation}((int *){p} + {self.index()}, (int)({value}))"
        elif form == 8:
            word = self.random.randrange(WORDS)
            self.line(f"*(__half2 *)({p} + {word}) = __floats2half2_rn((float)({self.value(1)} & 15u), 1.0f);")
            self.pay(1)
            if self.chance(0.5):
                call = f"(unsigned)__high2float(atomicAdd((__half2 *)({p} + {word}), __floats2half2_rn(2.0f, 3.0f)))"
            else:
                call = f"(unsigned)__half2float(atomicAdd((__half *)({p} + {word}), __float2half(2.0f)))"
        else:
            # Floating point on a word that holds a small whole number: exact, and no NaN.
            kind, word = self.random.choice(["float", "double"]), 2 * self.random.randrange(8)
            self.line(f"*({kind} *)({p} + {word}) = (({kind})({self.value(1)} & 255u));")
            self.pay(1)
            call = f"(unsigned)atomicAdd(({kind} *)({p} + {word}), ({kind})3)"
        self.line(f"{call};" if self.chance(0.3) else f"v += {call};")

    def assembly(self):
        p = self.pointer(writable=True)
        if not p or not self.can_pay(1):
            return
        self.pay(1)
        space = ".global" if p.is_global and self.chance(0.7) else ""
        place, name, value = f'"l"({p.text} + {self.index(8)})', self.name("r"), f'"r"({self.value(1)})'
        results = [name]
        form = self.random.randrange(6)
        if form <= 1:
            qualifier = self.random.choice(["", ".volatile", ".relaxed.gpu", ".acquire.gpu"])
            text, operands = f"ld{qualifier}{space}.u32 %0, [%1];", place
        elif form == 2:
            results.append(f"{name}b")
            text, operands = f"ld{space}.v2.u32 {{%0, %1}}, [%2+16];", f'"l"({p.text})'
        elif form == 3:
            results = []
            text, operands = f"st{space}.u32 [%0+4], %1;", f"{place}, {value}"
        elif form == 4:
            text, operands = f"atom{space}.add.u32 %0, [%1], %2;", f"{place}, {value}"
        else:
            results = []
            text, operands = f"red{space}.xor.b32 [%0], %1;", f"{place}, {value}"
        for result in results:
            self.line(f"unsigned {result};")
        outputs = ", ".join(f'"=r"({result})' for result in results)
        self.line(f'asm volatile("{text}" : {outputs} : {operands} : "memory");')
        for result in results:
            self.line(f"v += {result};")

    def cached_load(self):
        p = self.pointer(is_global=True, constant=True)
        if not p or not self.can_pay(1):
            return
        self.pay(1)
        kinds = [("unsigned", 16, ""), ("uint4", 4, ".z"), ("int2", 8, ".y"), ("unsigned char", 64, "")]
        kind, count, part = self.random.choice(kinds)
        load = self.random.choice(["__ldg", "__ldg", "__ldcg", "__ldcs", "__ldcv"])
        self.line(f"v = v * 31u + (unsigned){load}((const {kind} *){p.text} + {self.index(count)}){part};")

    def aggregate(self):
        p, q = self.pointer(writable=True), self.pointer()
        if not p or not self.can_pay(4):
            return
        self.pay(4)
        form = self.random.randrange(4)
        if form == 0:
            self.line(f"*(Aggregate *){p.text} = *(const Aggregate *)({q.text} + 8);")
        elif form == 1:
            self.line(f"v += sum(*(const Aggregate *)({q.text} + 4), {self.value(1)});")
        elif form == 2:
            self.line(f"*(Aggregate *)({p.text} + 8) = make({self.value()});")
        else:
            name = self.name("z")
            self.line(f"Aggregate {name} = *(const Aggregate *){q.text};")
            self.line(f"{name}.words[{self.index(4)}] ^= {self.value(1)};")
            uses = [f"*(Aggregate *)({p.text} + 8) = {name};", f"v += {name}.words[{self.index(4)}];"]
            self.line(self.random.choice(uses))

    def copy_or_set(self):
        p, q = self.pointer(writable=True), self.pointer()
        if not p or not self.can_pay(2):
            return
        self.pay(2)
        bytes_ = self.random.choice([1, 2, 3, 4, 7, 8, 12, 16, 20, 31, 32])
        if self.style.variable_copies and self.chance(0.4):
            bytes_ = f"({self.value(1)} & 31u)"
        if self.chance(0.35):
            self.line(f"__builtin_memset({p.text}, (int)({self.value(1)} & 255u), {bytes_});")
        else:
            copy = self.random.choice(["__builtin_memcpy", "__builtin_memmove"])
            self.line(f"{copy}({p.text}, {q.text} + 8, {bytes_});")

    def branch(self):
        if self._depth > 4:
            return
        self.line(f"if ({self.value()} & {self.random.choice([1, 2, 4, 3])}) {{")
        self.block(self.random.randint(1, 3))
        if self.chance(0.5):
            self.line("} else {")
            self.block(self.random.randint(1, 3))
        self.line("}")

    def loop(self):
        if self._depth > 3 or not self.can_pay(8):
            return
        i, times = self.name("i"), self.random.choice([2, 4])
        count = f"({self.value()} & {times - 1})" if self.chance(0.6) else str(times)
        form = self.random.randrange(3)
        if form == 0:
            self.line(f"for (unsigned {i} = 0; {i} < {count}; ++{i}) {{")
        elif form == 1:
            self.line(f"for (unsigned {i} = {count}; {i}-- > 0;) {{")
        else:
            self.line(f"unsigned {i} = {count};")
            self.line("do {")
        self._depth += 1
        self.line(f"v += {i};")
        if self.chance(0.2):
            self.line(f"if ((v & 7) == 5) {'break' if form else 'continue'};")
        self._depth -= 1
        self.block(self.random.randint(1, 3), times)
        self.line(f"}} while ({i}-- > 1);" if form == 2 else "}")

    def storable(self):
        return self.pointer(writable=True, lasting=True, is_global=self.style.stored == "global")

    def store_pointer(self):
        """Overwrites a pointer that lies in memory."""
        p = self.storable()
        if p and self.slots and self.can_pay(1):
            self.pay(1)
            self.store(self.random.choice(self.slots), p)

    def store(self, slot, p):
        forms = ["{slot} = {p};", "*(unsigned long long *)&{slot} = (unsigned long long){p};",
                 "{{ unsigned *t = {p}; __builtin_memcpy(&{slot}, &t, sizeof t); }}",
                 "{{ unsigned *t = {p}; *(uint2 *)&{slot} = *(uint2 *)&t; }}",
                 "atomicExch((unsigned long long *)&{slot}, (unsigned long long){p});",
                 "{{ Holder<unsigned> h = {{0, {{{p}, {{{p}, {p}}}}}}}; putFirst(&{slot}, h, x); }}",
                 "{{ unsigned *t = {p}; for (unsigned i = 0; i < 8; ++i) ((char *)&{slot})[i] = ((char *)&t)[i]; }}"]
        if self.style.stored == "disguised" and not p.is_global:
            form = self.random.choice(forms[1:])
        else:
            form = self.random.choice(forms + [forms[0]] * 12)
        self.line(form.format(slot=slot, p=p.text))

    def call(self):
        fitting = [one for one in self.callables if self.can_pay(one.cost)]
        if not fitting:
            return
        one = self.random.choice(fitting)
        arguments = [self.pointer(**wanted) for wanted in one.parameters]
        if any(argument is None for argument in arguments):
            return
        self.pay(one.cost)
        if one.returns_pointer:
            self.declare(one.call(self, arguments), arguments, True)
        else:
            self.line(f"v ^= {one.call(self, arguments)};")

    def lambda_call(self):
        """A lambda with a body of its own, which captures what is around it."""
        p = self.pointer(writable=True)
        if self._depth > 3 or not p or not self.can_pay(12):
            return
        name, parameter = self.name("f"), self.name("p")
        capture = self.random.choice(["&", "="])
        self.line(f"auto {name} = [{capture}](unsigned *{parameter}, unsigned v) {{")
        known = list(self.pointers)
        self.pointers.append(Pointer(parameter, True))
        self._depth += 1
        self._times *= 2
        self.statements(self.random.randint(1, 3))
        self._times //= 2
        self.line("return v;")
        self._depth -= 1
        self.pointers = known
        self.line("};")
        self.line(f"v ^= {name}({p.text}, {self.value(1)});")
        self.line(f"v += {name}({self.pointer(writable=True).text}, v);")

    # Pointers made of pointers.

    def new_pointer(self):
        if not self.can_pay(3):
            return
        writable = self.chance(0.6)
        sources = [self.pointer(writable=writable) for _ in range(3)]
        if None in sources:
            return
        self.pay(2)
        a, b, c = sources
        star = "unsigned *" if writable else "const unsigned *"
        forms = [
            self._select, self._phi, self._switch, self._swap, self._table, self._holder, self._union, self._integer,
            self._copied, self._slot, self._volatile, self._reference, self._list, self._arithmetic,
        ]
        self.random.choice(forms)(star, a, b, c, writable)

    def _select(self, star, a, b, c, writable):
        self.declare(f"({self.value()} & 1) ? ({star}){a.text} : ({star}){b.text}", [a, b], writable)

    def _phi(self, star, a, b, c, writable):
        p = self.declare(a.text, [a, b], writable)
        self.line(f"if ({self.value()} & 2) {{")
        self._depth += 1
        self.line(f"v += {p.text}[{self.index()}];")
        self.line(f"{p.text} = {b.text};")
        self._depth -= 1
        self.line("}")

    def _switch(self, star, a, b, c, writable):
        p = self.declare(a.text, [a, b, c], writable)
        self.line(f"switch ({self.value()} & 3) {{")
        self.line(f"case 0: {p.text} = {b.text}; break;")
        self.line(f"case 1: {p.text} = {c.text}; v += 5; {self.random.choice(['break;', ''])}")
        self.line("default: v ^= 3; break;")
        self.line("}")

    def _swap(self, star, a, b, c, writable):
        p, q = self.declare(a.text, [a, b], writable), self.declare(b.text, [a, b], writable)
        i = self.name("i")
        self.line(f"for (unsigned {i} = 0; {i} < ({self.value()} & 3); ++{i}) {{")
        self._depth += 1
        self.line(f"{star}t = {p.text}; {p.text} = {q.text}; {q.text} = t; v += {p.text}[({i} + x) & 15];")
        self._depth -= 1
        self.line("}")
        self.pay(2)

    def _table(self, star, a, b, c, writable):
        name = self.name("t")
        self.line(f"{star}{name}[3] = {{{a.text}, {b.text}, {c.text}}};")
        if self.chance(0.5):
            self.line(f"{name}[{self.value()} % 3] = {name}[{self.random.randrange(3)}];")
        self.declare(f"{name}[{self.value()} % 3]", [a, b, c], writable)

    def _holder(self, star, a, b, c, writable):
        name = self.name("h")
        kind = "Holder<unsigned>" if writable else "Holder<const unsigned>"
        self.line(f"{kind} {name} = {{{self.value(1)}, {{{a.text}, {{{b.text}, {c.text}}}}}}};")
        if self.chance(0.5):
            copy = self.name("h")
            self.line(f"{kind} {copy} = {name}; {copy}.inner.second[{self.index(2)}] = {name}.inner.first;")
            name = copy
        form = self.random.choice(["{}.inner.first", "{}.inner.second[{}]", "{}.pick({})", "{}[{}]"])
        self.declare(form.format(name, self.index(2)), [a, b, c], writable)

    def _union(self, star, a, b, c, writable):
        name = self.name("u")
        self.line(f"union {{ {star}pointer; unsigned long long bits; unsigned half[2]; }} {name};")
        self.line(f"{name}.bits = (unsigned long long)(({self.value()} & 1) ? ({star}){a.text} : ({star}){b.text});")
        self.declare(f"{name}.pointer", [a, b], writable)

    def _integer(self, star, a, b, c, writable):
        name, offset = self.name("n"), self.name("o")
        form = self.random.randrange(3)
        self.line(f"unsigned long long {offset} = {self.value()};")
        if form == 0:
            self.line(f"unsigned long long {name} = (unsigned long long){a.text} + {offset};")
            self.declare(f"({star})({name} - {offset})", [a], writable)
        elif form == 1:
            self.line(f"unsigned long long {name} = (unsigned long long){a.text} ^ (unsigned long long){b.text};")
            one = f"(({offset} & 1) ? ({star}){a.text} : ({star}){b.text})"
            self.declare(f"({star})({name} ^ (unsigned long long){one})", [a, b], writable)
        else:
            number = f"(unsigned long long){a.text}"
            self.line(f"unsigned {name}[2] = {{(unsigned){number}, (unsigned)({number} >> 32)}};")
            self.declare(f"({star})({name}[0] | (unsigned long long){name}[1] << 32)", [a], writable)

    def _copied(self, star, a, b, c, writable):
        name = self.name("m")
        self.line(f"{star}{name} = {a.text}; {star}{name}b = {b.text};")
        if self.chance(0.5):
            self.line(f"if ({self.value()} & 1) __builtin_memcpy(&{name}, &{name}b, sizeof {name});")
        else:
            self.line(f"for (unsigned i = 0; i < 8; ++i) ((char *)&{name})[i] = ((char *)&{name}b)[i];")
        self.declare(name, [a, b], writable)

    def _slot(self, star, a, b, c, writable):
        if not self.slots:
            return
        # What lies there was stored by this thread before.
        name = self.random.choice(self.slots)
        found = Pointer("", True, is_global=self.style.stored == "global", lasting=True)
        if self.chance(0.3):
            stored = self.storable()
            if stored:
                text = f"(unsigned *)atomicExch((unsigned long long *)&{name}, (unsigned long long){stored.text})"
                self.declare(text, [found], True)
                return
        self.declare(name, [found], True)

    def _volatile(self, star, a, b, c, writable):
        name = self.name("w")
        self.line(f"{star}volatile {name} = {a.text};")
        if self.chance(0.5):
            self.line(f"if ({self.value()} & 1) {name} = {b.text};")
        self.declare(name, [a, b], writable)

    def _reference(self, star, a, b, c, writable):
        name = self.name("e")
        self.line(f"{star}{name} = {a.text}; {star}{name}b = {b.text};")
        self.line(f"exchange({name}, {name}b, {self.value()});")
        self.declare(name, [a, b], writable)

    def _list(self, star, a, b, c, writable):
        name, node = self.name("l"), "Node<unsigned>" if writable else "Node<const unsigned>"
        self.line(f"{node} {name}c = {{nullptr, {c.text}}}, {name}b = {{&{name}c, {b.text}}};")
        self.line(f"{node} {name} = {{&{name}b, {a.text}}};")
        self.line(f"{node} *{name}at = &{name};")
        self.line(f"for (unsigned i = {self.value()} % 3; i > 0; --i) {name}at = {name}at->next;")
        self.declare(f"{name}at->data", [a, b, c], writable)

    def _arithmetic(self, star, a, b, c, writable):
        const = "" if writable else "const "
        name = self.name("o")
        self.line(f"const unsigned {name} = {self.value()} & 3;")
        self.declare(f"({star})(({const}char *)({a.text} + 4 * {name}) - 16 * {name})", [a], writable)

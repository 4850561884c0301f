"""Random device functions, in all the ways in which C++ calls one."""

from body import WORDS, Body, Pointer

WRITABLE, ANY = {"writable": True}, {}


class Callable:
    """Something that a body can call with pointers and a value.

    `parameters`: for each pointer what it has to be, as arguments of Body.pointer. `form`: the call's text, with
    {0}, {1}, ... for the pointers, {x} for the value, {y} for another one.
    """

    def __init__(self, form, parameters, cost, returns_pointer=False):
        self.form = form
        self.parameters = parameters
        self.cost = cost
        self.returns_pointer = returns_pointer

    def call(self, body, arguments):
        return self.form.format(*[argument.text for argument in arguments], x=body.value(1), y=body.value(1))


class Library:
    """The functions of one kernel. Those made later may call those made before."""

    def __init__(self, random, style):
        self.random = random
        self.style = style
        self.lines = []
        self.callables = []
        self._count = 0

    def add(self):
        makers = [
            self._plain, self._plain, self._plain, self._picker, self._recursive, self._mutual, self._method,
            self._operators, self._virtual, self._pointers_to_functions, self._many, self._template, self._functor,
            self._by_value, self._by_reference,
        ]
        self.random.choice(makers)()

    # Pieces.

    def _name(self, prefix):
        self._count += 1
        return f"{prefix}{self._count}"

    def _qualifiers(self):
        return self.random.choice([
            "__device__", "__device__ __noinline__", "__device__ __noinline__", "static __device__",
            "static __device__ __forceinline__",
        ])

    def _method_qualifiers(self):
        return self.random.choice(["__device__", "__device__ __noinline__"])

    def _parameters(self, least=1, most=4):
        """[(Pointer inside, what callers must give)]"""
        result = []
        for number in range(self.random.randint(least, most)):
            wanted = {"writable": self.random.random() < 0.6}
            if self.random.random() < 0.15:
                wanted["lasting"] = True
            if self.random.random() < 0.1:
                wanted["is_global"] = True
                if not wanted["writable"] and self.random.random() < 0.5:
                    wanted["constant"] = True
            name = f"a{number}"
            result.append((Pointer(name, **wanted), wanted))
        return result

    def _body(self, pointers, statements=None, budget=40, own=None, early="v + 1"):
        """(lines, cost) of a body. `own`: with a local slab, `mine`; None: now and then. `early`: what it may
        return before its end."""
        pointers = list(pointers)
        opening = ["  unsigned v = x;"]
        if own or (own is None and self.random.random() < 0.3):
            opening += [
                f"  alignas(16) unsigned own[{WORDS}];",
                f"  for (unsigned i = 0; i < {WORDS}; ++i) own[i] = x * i;",
                "  unsigned *mine = own;",
            ]
            pointers.append(Pointer("mine", True))
        body = Body(self.random, pointers, self.callables, budget, style=self.style)
        body.statements(statements or self.random.randint(2, 6))
        if self.random.random() < 0.25:
            body.line(f"if ({body.value()} & 4) return {early};")
            body.statements(1)
        return opening + body.lines, body.cost + 1

    def _put(self, *lines):
        self.lines += [*lines, ""]

    @staticmethod
    def _function(head, lines, ending="  return v;"):
        return [f"{head} {{", *lines, ending, "}"]

    def _offer(self, form, parameters, cost, returns_pointer=False):
        self.callables.append(Callable(form, parameters, cost, returns_pointer))

    @staticmethod
    def _declarations(parameters):
        return ", ".join(f"{pointer.type}{pointer.text}" for pointer, _ in parameters)

    @staticmethod
    def _places(parameters):
        return ", ".join(f"{{{number}}}" for number in range(len(parameters)))

    # Kinds of functions.

    def _plain(self):
        name, parameters = self._name("plain"), self._parameters()
        lines, cost = self._body([pointer for pointer, _ in parameters])
        head = f"{self._qualifiers()} unsigned {name}({self._declarations(parameters)}, unsigned x)"
        self._put(*self._function(head, lines))
        self._offer(f"{name}({self._places(parameters)}, {{x}})", [wanted for _, wanted in parameters], cost)

    def _picker(self):
        """Returns one of the pointers that it is given."""
        name = self._name("picker")
        lines, cost = self._body([Pointer("a", True), Pointer("b", True)], 2, 10, early="b")
        head = f"{self._qualifiers()} unsigned *{name}(unsigned *a, unsigned *b, unsigned x)"
        self._put(*self._function(head, lines, f"  return (v & {self.random.choice([1, 2, 3])}) ? a : b;"))
        self._offer(f"{name}({{0}}, {{1}}, {{x}})", [WRITABLE] * 2, cost, returns_pointer=True)

    def _recursive(self):
        name, own = self._name("recursive"), self.random.random() < 0.4
        lines, cost = self._body([Pointer("a", True), Pointer("b", False)], 3, 10, own)
        again = self.random.choice(["v & 1 ? a : mine, mine", "mine, a"] if own else ["a, a", "a, b"])
        qualifiers = self._qualifiers().replace(" __forceinline__", "")
        head = f"{qualifiers} unsigned {name}(unsigned *a, const unsigned *b, unsigned depth, unsigned x)"
        ending = f"  return depth == 0 ? v : v ^ {name}({again}, depth - 1, v + x);"
        self._put(*self._function(head, lines, ending))
        self._offer(f"{name}({{0}}, {{1}}, {{y}} & 3, {{x}})", [WRITABLE, ANY], 4 * (cost + 1))

    def _mutual(self):
        name, costs = self._name("mutual"), []
        declaration = "(unsigned *a, unsigned *b, unsigned depth, unsigned x)"
        head = f"__device__ {self.random.choice(['', '__noinline__ '])}unsigned *{name}"
        self._put(f"{head}Odd{declaration};")
        for one, other, last in (("Even", "Odd", "a"), ("Odd", "Even", "b")):
            lines, cost = self._body([Pointer("a", True), Pointer("b", True)], 2, 8, early=last)
            order = self.random.choice(["a, b", "b, a"])
            ending = f"  return depth == 0 ? {last} : {name}{other}({order}, depth - 1, v);"
            self._put(*self._function(f"{head}{one}{declaration}", lines, ending))
            costs.append(cost)
        self._offer(f"{name}Even({{0}}, {{1}}, {{y}} & 3, {{x}})", [WRITABLE] * 2, 4 * max(costs), returns_pointer=True)

    def _method(self):
        name = self._name("Owner")
        lines, cost = self._body([Pointer("this->mine_", True), Pointer("theirs_", False), Pointer("a0", True)])
        self._put(
            f"struct {name} {{",
            "  unsigned *mine_;",
            "  const unsigned *theirs_;",
            f"  __device__ {name}(unsigned *mine, const unsigned *theirs) : mine_(mine), theirs_(theirs) {{}}",
            *self._function(f"  {self._method_qualifiers()} unsigned run(unsigned *a0, unsigned x) const", lines),
            "  static __device__ unsigned *give(unsigned *a, unsigned *b, unsigned x) { return x & 1 ? a : b; }",
            "};",
        )
        self._offer(f"{name}({{0}}, {{1}}).run({{2}}, {{x}})", [WRITABLE, ANY, WRITABLE], cost)
        self._offer(f"{name}::give({{0}}, {{1}}, {{x}})", [WRITABLE] * 2, 1, returns_pointer=True)

    def _operators(self):
        name = self._name("View")
        lines, cost = self._body([Pointer("p_", True)], 3)
        self._put(
            f"struct {name} {{",
            "  unsigned *p_;",
            f"  __device__ explicit {name}(unsigned *p) : p_(p) {{}}",
            "  __device__ unsigned &operator[](unsigned i) const { return p_[i & 15]; }",
            f"  __device__ {name} &operator+=(const {name} &other) {{",
            "    for (unsigned i = 0; i < 4; ++i) p_[i] += other.p_[i + 4];",
            "    return *this;",
            "  }",
            *self._function(f"  {self._method_qualifiers()} unsigned operator()(unsigned x) const", lines),
            "  __device__ operator unsigned *() const { return p_; }",
            "};",
        )
        self._offer(f"{name}({{0}})[{{x}}]", [WRITABLE], 1)
        self._offer(f"({name}({{0}}) += {name}({{1}}))({{x}})", [WRITABLE] * 2, cost + 12)
        self._offer(f"{name}({{0}})", [WRITABLE], 1, returns_pointer=True)

    def _virtual(self):
        name, derived = self._name("Base"), f"Base{self._count}Derived"
        first, first_cost = self._body([Pointer("p_", True), Pointer("a0", True), Pointer("a1", False)], 3, 15)
        second, second_cost = self._body([Pointer("a0", True), Pointer("a1", False)], 3, 15)
        cost = max(first_cost, second_cost) + 6
        signature = "unsigned run(unsigned *a0, const unsigned *a1, unsigned x)"
        qualifiers = self._method_qualifiers()
        self._put(
            f"struct {name} {{",
            "  unsigned *p_;",
            f"  __device__ explicit {name}(unsigned *p) : p_(p) {{}}",
            *self._function(f"  {qualifiers} virtual {signature}", first),
            "};",
            f"struct {derived} : {name} {{",
            f"  __device__ explicit {derived}(unsigned *p) : {name}(p) {{}}",
            *self._function(f"  {qualifiers} {signature} override", second),
            "};",
            f"__device__ __noinline__ unsigned {name}Run({name} &one, unsigned *a, const unsigned *b, unsigned x) {{",
            "  return one.run(a, b, x);",
            "}",
            f"__device__ unsigned {name}Choose(unsigned *a, unsigned *b, const unsigned *c, unsigned y, unsigned x) {{",
            f"  {name} plain(a); {derived} other(b);",
            f"  {name} &one = y & 1 ? plain : static_cast<{name} &>(other);",
            f"  return {name}Run(one, b, c, x);",
            "}",
        )
        self._offer(f"{name}Choose({{0}}, {{1}}, {{2}}, {{y}}, {{x}})", [WRITABLE, WRITABLE, ANY], cost)
        # The object may lie anywhere; it needs memory of its own, since its members must not be overwritten.
        self._put(
            f"__device__ unsigned long long {name}Objects[kThreads * 2];",
            f"__device__ unsigned {name}Place(unsigned *a, const unsigned *c, unsigned y, unsigned x) {{",
            f"  __shared__ {name} *one[kBlock];",
            "  alignas(8) char own[16];",
            f"  void *place = y & 2 ? (void *)({name}Objects + threadNumber() * 2) : own;",
            f"  one[threadNumber() % kBlock] = y & 1 ? new (place) {name}(a) : new (place) {derived}(a);",
            "  return one[threadNumber() % kBlock]->run(a, c, x);",
            "}",
        )
        self._offer(f"{name}Place({{0}}, {{1}}, {{y}}, {{x}})", [WRITABLE, ANY], cost + 8)

    def _pointers_to_functions(self):
        name, parameters, worst = self._name("family"), self._parameters(2, 3), 0
        declarations = self._declarations(parameters)
        for number in range(2):
            lines, cost = self._body([pointer for pointer, _ in parameters], 3, 20)
            worst = max(worst, cost)
            self._put(*self._function(f"__device__ unsigned {name}_{number}({declarations}, unsigned x)", lines))
        wanted, places = [wanted for _, wanted in parameters], self._places(parameters)
        self._put(
            f"using {name}Type = unsigned (*)({declarations}, unsigned);",
            f"__device__ {name}Type {name}Table[2] = {{{name}_0, {name}_1}};",
            f"__device__ __noinline__ {name}Type {name}Choose(unsigned y) {{",
            f"  return y & 1 ? {name}_0 : {name}_1;",
            "}",
        )
        for form in (f"{name}Choose({{y}})", f"{name}Table[{{y}} & 1]", f"{name}_1"):
            self._offer(f"{form}({places}, {{x}})", wanted, worst + 1)

    def _many(self):
        """More patterns of arguments than there are clones."""
        name, letters = self._name("many"), "abcde"
        declarations = ", ".join(f"unsigned *{letter}" for letter in letters)
        calls = [", ".join(self.random.sample(letters, 3) + self.random.choices(letters, k=2)) for _ in range(24)]
        self._put(
            f"__device__ __noinline__ unsigned {name}({declarations}, unsigned x) {{",
            "  a[x & 15] += b[(x >> 4) & 15];",
            "  return (c[x & 7] ^ d[3]) + e[x & 15];",
            "}",
            f"__device__ unsigned {name}Calls({declarations}, unsigned x) {{",
            "  unsigned v = x;",
            *(f"  if ((v & 15) == {at % 16}) v += {name}({given}, v >> 2);" for at, given in enumerate(calls)),
            "  return v;",
            "}",
        )
        for form in (name, f"{name}Calls"):
            self._offer(f"{form}({{0}}, {{1}}, {{2}}, {{3}}, {{4}}, {{x}})", [WRITABLE] * 5, 12)

    def _template(self):
        """One text for pointers to const and to what can be written; the second pointer is only read."""
        name = self._name("generic")
        lines, cost = self._body([Pointer("a", False), Pointer("b", False)])
        head = f"{self._qualifiers()} unsigned {name}(T *a, const unsigned *b, unsigned x)"
        self._put("template <typename T, unsigned kAdd>", *self._function(head, lines, "  return v + kAdd;"))
        self._offer(f"{name}<const unsigned, 1>({{0}}, {{1}}, {{x}})", [ANY, ANY], cost)
        self._offer(f"{name}<unsigned, 2>({{0}}, {{1}}, {{x}})", [WRITABLE, ANY], cost)

    def _functor(self):
        """Calls what it is given twice, with the pointers the other way round."""
        name = self._name("twice")
        head = f"{self._method_qualifiers()} unsigned {name}(F f, unsigned *a, unsigned *b, unsigned x)"
        self._put("template <typename F>", *self._function(head, [], "  return f(a, b, x) + f(b, a, x + 1);"))
        text = "p[y & 15] += q[(y >> 4) & 15] + {2}[y & 7]; return y ^ p[3];"
        function = f"[=](unsigned *p, unsigned *q, unsigned y) {{{{ {text} }}}}"
        self._offer(f"{name}({function}, {{0}}, {{1}}, {{x}})", [WRITABLE, WRITABLE, ANY], 10)

    def _by_value(self):
        """A structure with pointers, by value."""
        name = self._name("held")
        lines, cost = self._body([Pointer(f"h.inner.{at}", True) for at in ("first", "second[0]", "second[1]")])
        self._put(*self._function(f"{self._qualifiers()} unsigned {name}(Holder<unsigned> h, unsigned x)", lines))
        holder = "Holder<unsigned>{{0, {{{0}, {{{1}, {2}}}}}}}"
        self._offer(f"{name}({holder}, {{x}})", [WRITABLE] * 3, cost + 3)

    def _by_reference(self):
        """A structure with pointers, by reference, which it changes."""
        name = self._name("changed")
        self._put(
            f"{self._qualifiers()} Holder<const unsigned> {name}(Holder<const unsigned> &h, unsigned x) {{",
            "  Holder<const unsigned> copy = h;",
            "  h.inner.first = h.inner.second[x & 1];",
            "  copy.inner.second[x & 1] = copy.inner.first;",
            "  return copy;",
            "}",
            f"{self._qualifiers()} unsigned {name}Use(const unsigned *a, const unsigned *b, unsigned y, unsigned x) {{",
            "  Holder<const unsigned> h = {0, {a, {b, a}}};",
            f"  Holder<const unsigned> g = {name}(h, x);",
            "  return h.inner.first[y & 15] + g.inner.second[y & 1][x & 15];",
            "}",
        )
        self._offer(f"{name}Use({{0}}, {{1}}, {{y}}, {{x}})", [ANY, ANY], 3)

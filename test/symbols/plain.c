/* C, whose names are not mangled: some look like mangled types. */
static inline int inner(int value) { return value * value + 1; }

__attribute__((noinline)) int f(int value) { return inner(value) - inner(value + 2); }

int plain(int value) { return f(value) + 2; }

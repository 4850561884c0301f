// A launch stays one expression: it works wherever an expression does.
// RUN: %rewritten %s %t -std=c++17 | %filecheck %s

__global__ void k(int n) {}
template <int N> __global__ void fixed(int n) {}
int configure();
int value(int n) {
  k<<<1, 1>>>(n);
  return n;
}
// CHECK: k<<<1, 1>>>(cupr_launch(0), n);

int host(int n) {
  if (n)
    k<<<1, 1>>>(1);
  else if (n > 1)
    k<<<1, 1>>>(2);
  else
    k<<<1, 1>>>(3);
  // CHECK: k<<<1, 1>>>(cupr_launch(1), 1);
  // CHECK: k<<<1, 1>>>(cupr_launch(2), 2);
  // CHECK: k<<<1, 1>>>(cupr_launch(3), 3);
  n ? k<<<1, 1>>>(4) : fixed<1><<<1, 1>>>(5);
  // CHECK: n ? k<<<1, 1>>>(cupr_launch(4), 4) : fixed<1><<<1, 1>>>(cupr_launch(5), 5);
  for (k<<<1, 1>>>(6); n--; k<<<1, 1>>>(7), n--)
    k<<<1, 1>>>(8);
  // CHECK: for (k<<<1, 1>>>(cupr_launch(6), 6); n--; k<<<1, 1>>>(cupr_launch(7), 7), n--)
  // CHECK-NEXT: k<<<1, 1>>>(cupr_launch(8), 8);
  while (n--)
    k<<<1, 1>>>(9);
  do
    k<<<1, 1>>>(10);
  while (n);
  switch (n) {
  case 1:
    k<<<1, 1>>>(11);
    break;
  default:
    k<<<configure(), configure()>>>(12);
    // CHECK: k<<<configure(), configure()>>>(cupr_launch(12), 12);
  }
  // Launches while the arguments of another are evaluated.
  k<<<value(1), value(2)>>>(value(value(3)));
  // CHECK: k<<<value(1), value(2)>>>(cupr_launch(13), value(value(3)));
  auto later = [](int m) { k<<<1, 1>>>(m); };
  // CHECK: [](int m) { k<<<1, 1>>>(cupr_launch(14), m); };
  auto generic = [](auto m) { k<<<1, 1>>>(m); };
  // CHECK: [](auto m) { k<<<1, 1>>>(cupr_launch(15), m); };
  later(n), generic(n);
  static_assert(__LINE__ == 50, "every line keeps its number");
  return k<<<1, 1>>>(n), n;
  // CHECK: return k<<<1, 1>>>(cupr_launch(16), n), n;
}

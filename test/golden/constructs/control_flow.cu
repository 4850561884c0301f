/// A launch stays one expression: it works wherever an expression does.
#include "verdict.h"

__global__ void put(int *out, int value) { out[threadIdx.x] = value; }

static int *at;
static int *slot(int number) { return at + 32 * number; }

static int launches(int number) {
  put<<<1, 32>>>(slot(number), number);
  return number;
}

static void returned(bool first) {
  if (first)
    return put<<<1, 32>>>(slot(0), 0);
  else
    return launches(1), put<<<1, 32>>>(slot(2), 2);
}

int main(int argc, char **) {
  Device<int> out(22 * 32);
  at = out;
  returned(true);
  returned(false);
  if (argc > 100)
    put<<<1, 32>>>(at, -1);
  else if (argc > 0)
    put<<<1, 32>>>(slot(3), 3);
  else
    put<<<1, 32>>>(at, -1);
  argc ? put<<<1, 32>>>(slot(4), 4) : put<<<1, 32>>>(at, -2);
  put<<<1, 32>>>(slot(5), 5), put<<<1, 32>>>(slot(6), 6);
  int n = 0;
  for (put<<<1, 32>>>(slot(7), 7); n < 2; put<<<1, 32>>>(slot(8 + n), 8 + n), ++n)
    put<<<1, 32>>>(slot(10 + n), 10 + n);
  while (n--)
    put<<<1, 32>>>(slot(12 + n), 12 + n);
  do
    put<<<1, 32>>>(slot(14), 14);
  while (false);
  switch (argc) {
  case 0: put<<<1, 32>>>(at, -3);
  default: put<<<1, 32>>>(slot(15), 15);
  }
  const auto later = [&](int number) { put<<<1, 32>>>(slot(number), number); };
  later(16);
  [](auto number) { put<<<1, 32>>>(slot(number), number); }(17);
  put<<<1, 32>>>(slot(launches(18) + 1), 19);
  put<<<launches(20) / 20, 32>>>(slot(21), 21);
  goto end;
end: put<<<0 + 1, 32>>>(slot(21), 21);
  Verdict verdict("control_flow");
  verdict.equal("out", out.read(), generate<int>(22 * 32, [](std::size_t i) { return int(i / 32); }));
  return verdict.finish();
}

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "control_flow.cu"
/// A launch stays one expression: it works wherever an expression does.
#include "verdict.h"

__global__ void put(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) { out[threadIdx.x] = value; }

static int *at;
static int *slot(int number) { return at + 32 * number; }

static int launches(int number) {
  put<<<1, 32>>>(cupr_launch(0), slot(number), number);
  return number;
}

static void returned(bool first) {
  if (first)
    return put<<<1, 32>>>(cupr_launch(1), slot(0), 0);
  else
    return launches(1), put<<<1, 32>>>(cupr_launch(2), slot(2), 2);
}

int main(int argc, char **) {
  Device<int> out(22 * 32);
  at = out;
  returned(true);
  returned(false);
  if (argc > 100)
    put<<<1, 32>>>(cupr_launch(3), at, -1);
  else if (argc > 0)
    put<<<1, 32>>>(cupr_launch(4), slot(3), 3);
  else
    put<<<1, 32>>>(cupr_launch(5), at, -1);
  argc ? put<<<1, 32>>>(cupr_launch(6), slot(4), 4) : put<<<1, 32>>>(cupr_launch(7), at, -2);
  put<<<1, 32>>>(cupr_launch(8), slot(5), 5), put<<<1, 32>>>(cupr_launch(9), slot(6), 6);
  int n = 0;
  for (put<<<1, 32>>>(cupr_launch(10), slot(7), 7); n < 2; put<<<1, 32>>>(cupr_launch(11), slot(8 + n), 8 + n), ++n)
    put<<<1, 32>>>(cupr_launch(12), slot(10 + n), 10 + n);
  while (n--)
    put<<<1, 32>>>(cupr_launch(13), slot(12 + n), 12 + n);
  do
    put<<<1, 32>>>(cupr_launch(14), slot(14), 14);
  while (false);
  switch (argc) {
  case 0: put<<<1, 32>>>(cupr_launch(15), at, -3);
  default: put<<<1, 32>>>(cupr_launch(16), slot(15), 15);
  }
  const auto later = [&](int number) { put<<<1, 32>>>(cupr_launch(17), slot(number), number); };
  later(16);
  [](auto number) { put<<<1, 32>>>(cupr_launch(18), slot(number), number); }(17);
  put<<<1, 32>>>(cupr_launch(19), slot(launches(18) + 1), 19);
  put<<<launches(20) / 20, 32>>>(cupr_launch(20), slot(21), 21);
  goto end;
end: put<<<0 + 1, 32>>>(cupr_launch(21), slot(21), 21);
  Verdict verdict("control_flow");
  verdict.equal("out", out.read(), generate<int>(22 * 32, [](std::size_t i) { return int(i / 32); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "control_flow.cu", "4:21+48 10:18+16 16:27+16 18:40+16 27:20+16 29:20+16 31:20+16 32:25+16 32:54+16 33:18+16 33:46+16 35:23+17 35:58+17 36:20+17 38:20+17 40:20+17 43:26+17 44:27+17 46:55+17 48:36+17 49:18+17 50:34+17 52:25+17")
#endif

/// A structure of 12 bytes copied whole. However the compiler cuts the copy, each thread reads 12 bytes and
/// writes 12: 3 blocks of 32, 1,152 bytes each way.
#include "verdict.h"

struct Colour {
  float red, green, blue;
};

__global__ void copyColours(const Colour *from, Colour *to) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  to[i] = from[i];
}

int main() {
  const int n = 96;
  const auto from =
      generate<Colour>(n, [](std::size_t i) { return Colour{float(i), float(2 * i), -float(i)}; });
  Device<Colour> deviceFrom(from), deviceTo(n);
  copyColours<<<3, 32>>>(deviceFrom, deviceTo);
  Verdict verdict("struct_copy");
  verdict.equal("colours", deviceTo.read(), from);
  return verdict.finish();
}

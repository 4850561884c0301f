/// Loops that end at different times in different lanes. Thread i searches its row of 16 for the first
/// element equal to its key, which stands at position i % 17 (16: not there): it loads i % 17 + 1 elements,
/// 16 at most, and stores only when it finds one. 2 blocks of 68 threads, so each of the 17 cases occurs 8
/// times: 8 * (1 + ... + 16 + 16) = 1,216 loads of 4 bytes, and 8 * 16 = 128 stores.
#include "verdict.h"

__global__ void findKey(const int *rows, int key, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  for (int k = 0; k < 16; ++k) {
    if (rows[16 * i + k] == key) {
      out[i] = k;
      return;
    }
  }
}

int main() {
  const int n = 136, key = 99;
  const auto rows =
      generate<int>(16 * n, [&](std::size_t at) { return at % 16 == at / 16 % 17 ? key : int(at % 50); });
  Device<int> deviceRows(rows), out(std::vector<int>(n, -1));
  findKey<<<2, 68>>>(deviceRows, key, out);
  Verdict verdict("loops");
  verdict.equal("positions", out.read(),
                generate<int>(n, [](std::size_t i) { return i % 17 == 16 ? -1 : int(i % 17); }));
  return verdict.finish();
}

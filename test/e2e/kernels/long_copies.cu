/// Copies and sets that the back end turns into loops of bytes, since their size is not known when compiling,
/// or is 128 bytes or more. 2 blocks of 32 threads, each with a row of its own:
/// - copyRows: 24 bytes by memcpy, and 8 by memset, with the sizes as parameters: 24 loads, 24 + 8 stores;
/// - copyPages: a structure of 160 bytes: 160 loads and stores, all of one byte.
#include "verdict.h"

struct Page {
  int words[40];
};

__global__ void copyRows(const unsigned char *from, unsigned char *to, int copied, int set) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  memcpy(to + 32 * i, from + 32 * i, copied);
  memset(to + 32 * i + 24, 5, set);
}

__global__ void copyPages(const Page *from, Page *to) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  to[i] = from[i];
}

int main() {
  const int n = 64;
  const auto rows =
      generate<unsigned char>(32 * n, [](std::size_t i) { return static_cast<unsigned char>(7 * i); });
  Device<unsigned char> from(rows), to(32 * n);
  copyRows<<<2, 32>>>(from, to, 24, 8);
  const auto pages = generate<Page>(n, [](std::size_t i) {
    Page page;
    for (int k = 0; k < 40; ++k)
      page.words[k] = int(40 * i) + k;
    return page;
  });
  Device<Page> pagesFrom(pages), pagesTo(n);
  copyPages<<<2, 32>>>(pagesFrom, pagesTo);
  Verdict verdict("long_copies");
  verdict.equal("rows", to.read(), generate<unsigned char>(32 * n, [&](std::size_t i) {
                  return i % 32 < 24 ? rows[i] : static_cast<unsigned char>(5);
                }));
  verdict.equal("pages", pagesTo.read(), pages);
  return verdict.finish();
}

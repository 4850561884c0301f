/// Accesses that inline PTX makes. All kernels have 2 blocks of 32 threads; --spaces=global,shared.
/// - qualified: per thread a volatile load of 4 bytes, an acquiring one at [%1+4], a vector of four words
/// through a
///   register, and two stores under a predicate: threads below 40 make the first, the others the second.
/// - asynchronous: cp.async of 16 bytes of which i % 17 are read: threads where that is 0 read nothing. 16
/// bytes are
///   written to shared memory, which is then read and stored: one load and one store of 16 bytes.
/// - bulk: one thread of each block has `bytes` (640) copied to shared memory, and from there to another
/// place; a
///   load and a store of 4 bytes per thread move the first words on.
#include "verdict.h"

__global__ void qualified(const unsigned *in, unsigned *out) {
  const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  const unsigned *row = in + 8 * i;
  unsigned a, b, c, d, e, f;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(a) : "l"(row) : "memory");
  asm volatile("ld.acquire.gpu.u32 %0, [%1+4];" : "=r"(b) : "l"(row) : "memory");
  asm volatile(
      "{ .reg .u64 %%address; cvta.to.global.u64 %%address, %4; add.s64 %%address, %%address, 16;\n\t"
      "ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%%address]; }"
      : "=r"(c), "=r"(d), "=r"(e), "=r"(f)
      : "l"(row)
      : "memory");
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 40;\n\t"
               "@p st.global.u32 [%0], %2; // the sum\n\t"
               "@!p st.relaxed.gpu.global.u32 [%0+256], %2; }"
               :
               : "l"(out + i), "r"(i), "r"(a + b + c + d + e + f)
               : "memory");
}

__global__ void asynchronous(const uint4 *in, uint4 *out) {
  __shared__ uint4 tile[32];
  const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(place), "l"(in + i), "r"(i % 17)
               : "memory");
  asm volatile("cp.async.wait_all;" : : : "memory");
  out[i] = tile[threadIdx.x];
}

__global__ void bulk(const int *in, int *out, int bytes) {
  __shared__ alignas(128) int tile[160];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const unsigned meeting = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(meeting) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }"
                 :
                 : "r"(meeting), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(place), "l"(in + 160 * blockIdx.x), "r"(bytes), "r"(meeting)
                 : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN; }"
               :
               : "r"(meeting)
               : "memory");
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :
                 : "l"(out + 160 * blockIdx.x), "r"(place), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
  }
  out[320 + 32 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
}

int main() {
  Verdict verdict("inline_ptx");
  const unsigned n = 64;
  const auto rows = generate<unsigned>(8 * n, [](std::size_t i) { return unsigned(i * i); });
  Device<unsigned> deviceRows(rows), sums(std::vector<unsigned>(2 * n, 0));
  qualified<<<2, 32>>>(deviceRows, sums);
  verdict.equal("sums", sums.read(), generate<unsigned>(2 * n, [&](std::size_t at) {
                  const std::size_t i = at % n;
                  if ((at < n) != (i < 40))
                    return 0u;
                  unsigned sum = 0;
                  for (const unsigned k : {0, 1, 4, 5, 6, 7})
                    sum += rows[8 * i + k];
                  return sum;
                }));

  const auto words = generate<uint4>(n, [](std::size_t i) {
    uint4 word;
    std::memset(&word, int(i + 1), sizeof word);
    return word;
  });
  Device<uint4> deviceWords(words), copied(n);
  asynchronous<<<2, 32>>>(deviceWords, copied);
  verdict.equal("copied", copied.read(), generate<uint4>(n, [&](std::size_t i) {
                  uint4 word = {0, 0, 0, 0};
                  std::memcpy(&word, &words[i], i % 17);
                  return word;
                }));

  const auto blocks = generate<int>(320, [](std::size_t i) { return int(3 * i); });
  Device<int> deviceBlocks(blocks), moved(384);
  bulk<<<2, 32>>>(deviceBlocks, moved, 640);
  verdict.equal("moved", moved.read(), generate<int>(384, [&](std::size_t i) {
                  return i < 320 ? blocks[i] : blocks[(i - 320) / 32 * 160 + i % 32];
                }));
  return verdict.finish();
}

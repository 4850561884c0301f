// Records: kernels that call the hooks by hand, and counts known by arithmetic.
#include "check.h"
#include "devicelib/abi/cpu_device.h"
#include "devicelib/abi/hooks.h"
#include "devicelib/abi/record.h"
#include "devicelib/abi/trace_argument.h"
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

using cupr::Trace;

extern "C" __device__ void CUPR_HOOK_SYMBOL(access)(const Trace *, unsigned, const void *, bool);
extern "C" __device__ void CUPR_HOOK_SYMBOL(access_generic)(const Trace *, unsigned, const void *, bool);

__global__ void saxpy(const Trace trace, int n, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    CUPR_HOOK_SYMBOL(access)(&trace, 1, x + i, trace.launch != 0);
    CUPR_HOOK_SYMBOL(access)(&trace, 2, y + i, trace.launch != 0);
    CUPR_HOOK_SYMBOL(access)(&trace, 3, y + i, trace.launch != 0);
    y[i] = 2 * x[i] + y[i];
  }
}

// Lane l makes l + 1 accesses at site 5; even lanes one at 4 before and odd lanes one at 6 after.
__global__ void divergent(const Trace trace, int *p) {
  const int lane = threadIdx.x % 32;
  if (lane % 2 == 0)
    CUPR_HOOK_SYMBOL(access)(&trace, 4, p + lane, trace.launch != 0);
  for (int i = 0; i <= lane; ++i)
    CUPR_HOOK_SYMBOL(access)(&trace, 5, p + 1000 * i + lane, trace.launch != 0);
  __syncthreads();
  if (lane % 2)
    CUPR_HOOK_SYMBOL(access)(&trace, 6, p + lane, trace.launch != 0);
}

// Much more than a log holds, with a stride per lane, and with lanes out of step.
__global__ void lengthy(const Trace trace, char *p, int steps, int odd) {
  const int t = threadIdx.x;
  if (t == 3)
    for (int i = 0; i < odd; ++i)
      CUPR_HOOK_SYMBOL(access)(&trace, 7, p, trace.launch != 0);
  for (int i = 0; i < steps; ++i)
    CUPR_HOOK_SYMBOL(access)(&trace, 8, p + (long)i * 4096 + t, trace.launch != 0);
}

// Inner loops of different lengths: lane l makes (l + i) % 4 accesses at site 21 in
// iteration i of the outer loop, and lanes of even sum one at site 22.
__global__ void nested(const Trace trace, char *p, int rounds) {
  const int lane = threadIdx.x;
  for (int i = 0; i < rounds; ++i) {
    CUPR_HOOK_SYMBOL(access)(&trace, 20, p + 4096 * i + lane, trace.launch != 0);
    for (int k = 0; k < (lane + i) % 4; ++k)
      CUPR_HOOK_SYMBOL(access)(&trace, 21, p + 4096 * i + 64 * k + lane, trace.launch != 0);
    if ((lane + i) % 2 == 0)
      CUPR_HOOK_SYMBOL(access)(&trace, 22, p + lane, trace.launch != 0);
  }
}

// After all lanes were at a site, the first one goes there alone: what the others left in the log is no news.
__global__ void alone(const Trace trace, int *p) {
  for (int round = 0; round < 2; ++round) {
    if (round == 0 || threadIdx.x == 0)
      CUPR_HOOK_SYMBOL(access)(&trace, 16, p + threadIdx.x, trace.launch != 0);
    __syncthreads();
  }
}

__device__ int global;
__constant__ int constant;

__global__ void generic(const Trace trace, int *p, int *q) {
  __shared__ int shared[32];
  extern __shared__ int dynamic[];
  int local[4];
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 9, p + threadIdx.x, trace.launch != 0);
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 10, shared + threadIdx.x, trace.launch != 0);
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 11, dynamic + threadIdx.x, trace.launch != 0);
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 12, local, trace.launch != 0);
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 13, &trace, trace.launch != 0);
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 14, &global, trace.launch != 0);
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 15, threadIdx.x % 2 ? p : shared, trace.launch != 0);
  CUPR_HOOK_SYMBOL(access_generic)(&trace, 17, &constant, trace.launch != 0);
  *q = shared[0] + dynamic[0] + local[0];
}

struct Sink : cupr::abi::RecordSink {
  struct Count {
    unsigned long lanes = 0, records = 0;
  };
  std::mutex mutex;
  std::map<std::pair<unsigned long, unsigned>, Count> counts; // (launch, site)
  std::map<unsigned, std::map<unsigned long, int>> addresses; // site -> address -> times
  std::vector<unsigned char> bytes;
  std::size_t largest = 0;
  void records(std::uint64_t launch, const void *words, std::size_t count) override {
    std::lock_guard<std::mutex> lock(mutex);
    largest = count > largest ? count : largest;
    bytes.insert(bytes.end(), (const unsigned char *)words, (const unsigned char *)words + 16 * count);
    for (std::size_t at = 0; at < count;) {
      cupr::abi::WarpAccess access;
      std::uint32_t size = 0;
      const auto status = cupr::abi::decodeRecord((const char *)words + 16 * at, count - at, access, size);
      CHECK(status == cupr::abi::RecordStatus::Access, "record at word %zu", at);
      Count &c = counts[{launch, access.site}];
      c.lanes += cupr::abi::activeLanes(access.laneMask);
      ++c.records;
      for (int l = 0; l < 32; ++l)
        if (access.laneMask >> l & 1)
          ++addresses[access.site][access.address[l]];
      at += size;
    }
  }
};

static Sink sink;

// With CUPR_CPU_MODE=fast, lanes do not wait for each other at the end of an iteration.
static bool isFast() {
  const char *mode = std::getenv("CUPR_CPU_MODE");
  return mode && !std::strcmp(mode, "fast");
}

static void expect(unsigned long launch, unsigned site, unsigned long lanes, unsigned long records) {
  const auto &c = sink.counts[{launch, site}];
  CHECK(c.lanes == lanes, "launch %lu, site %u: %lu accesses, not %lu", launch, site, c.lanes, lanes);
  CHECK(!records || c.records == records, "launch %lu, site %u: %lu records, not %lu", launch, site,
        c.records, records);
}

int main() {
  cuprCpuSetRecordSink(&sink);
  Trace trace;
  std::memset(&trace, 0, sizeof trace);
  const int n = 50000;
  float *x, *y;
  CUDA(cudaMalloc(&x, n * 4));
  CUDA(cudaMalloc(&y, n * 4));
  CUDA(cudaMemset(x, 0, n * 4));
  CUDA(cudaMemset(y, 0, n * 4));
  saxpy<<<196, 256>>>(trace, n, x, y);
  CUDA(cudaDeviceSynchronize());
  CHECK(sink.counts.empty(), "launch 0 records nothing");
  trace.launch = 1;
  saxpy<<<196, 256>>>(trace, n, x, y);
  for (unsigned site = 1; site <= 3; ++site)
    expect(1, site, n, (n + 31) / 32);
  for (int i = 0; i < n; ++i)
    CHECK(sink.addresses[1][(unsigned long)(x + i)] == 1, "x[%d]", i);

  int *p;
  CUDA(cudaMalloc(&p, 1 << 20));
  trace.launch = 2;
  divergent<<<2, 64>>>(trace, p);
  expect(2, 4, 2 * 64 / 2, 4);
  expect(2, 5, 4 * (32 * 33 / 2), 4 * 32);
  expect(2, 6, 2 * 64 / 2, 4);

  char *q = (char *)p;
  trace.launch = 3;
  lengthy<<<3, 64>>>(trace, q, 5000, 0);
  expect(3, 8, 3 * 64 * 5000, 3 * 2 * 5000);
  trace.launch = 4;
  lengthy<<<1, 40>>>(trace, q, 3000, 77);
  expect(4, 7, 77, 0);
  expect(4, 8, 40 * 3000, 0);
  CHECK(sink.largest <= 4096, "%zu words at once", sink.largest);

  trace.launch = 5;
  generic<<<1, 32, 256>>>(trace, p, p + 100);
  expect(5, 9, 32, 1);
  for (unsigned site = 10; site <= 13; ++site)
    expect(5, site, 0, 0);
  expect(5, 14, 32, 1);
  expect(5, 15, 16, 1);
  expect(5, 17, 0, 0);

  trace.launch = 8;
  alone<<<1, 32>>>(trace, p);
  expect(8, 16, 32 + 1, 2);
  alone<<<1, 33>>>(trace, p);
  expect(8, 16, 32 + 1 + 33 + 1, 2 + 3);

  // Reconvergence: one record for each step that any lane makes.
  trace.launch = 7;
  nested<<<1, 32>>>(trace, q, 20);
  expect(7, 20, 32 * 20, isFast() ? 0 : 20);
  expect(7, 21, 8 * (0 + 1 + 2 + 3) * 20, isFast() ? 0 : 3 * 20);
  expect(7, 22, 16 * 20, isFast() ? 0 : 20);
  if (isFast())
    CHECK((sink.counts[{7, 20}].records > 20), "%lu records of the outer loop", sink.counts[{7, 20}].records);

  // The same launch gives the same bytes, one block after the other.
  if (const char *threads = std::getenv("CUPR_CPU_THREADS"))
    if (!std::strcmp(threads, "1")) {
      std::vector<unsigned char> first;
      for (int round = 0; round < 2; ++round) {
        sink.bytes.clear();
        trace.launch = 6;
        divergent<<<5, 96>>>(trace, p);
        lengthy<<<5, 96>>>(trace, q, 300, 5);
        if (round == 0)
          first = sink.bytes;
      }
      CHECK(!first.empty() && first == sink.bytes, "%zu and %zu bytes", first.size(), sink.bytes.size());
    }
  cuprCpuSetRecordSink(nullptr);
  const cupr::abi::CpuVariable *variable = cuprCpuFindVariable((const void *)saxpy, "global");
  CHECK(variable && variable->bytes == 4, "%p", (const void *)variable);
  CHECK(!cuprCpuFindVariable((const void *)saxpy, "nothing"), "there is no such variable");
  std::puts("ok");
}

// The GPU's hooks themselves (devicelib/device/hooks.cu), run by the CPU device: random groups of lanes, addresses and kinds
// of hooks, in a queue so small that they wait all the time, and a consumer that takes its pages. What comes out of the
// pages must be what each thread meant to record, no more and no less.
//
//     producer SEED [wait|drop|stage]      stage: timed accesses go through stages, and others wait
//
// Built by cupr++ for the CPU device and run with CUPR_TRACE=off: the hooks are its own code, under other names, so that
// they are not taken for those of the CPU device.
#define CUPR_HOOK_SYMBOL(stem) producer_##stem
#include "devicelib/abi/bin_writer.h"
#include "devicelib/abi/record.h"

#define GpuMemory PlainGpuMemory
#include "devicelib/device/queue.cuh"
#undef GpuMemory

/// Lanes in the first pause of a wait: those of a group must be there together.
__device__ unsigned long long lanesInPauses;

namespace cupr {
namespace device {
struct GpuMemory : PlainGpuMemory {
  __device__ void pause(u32 &time) const {
    if (time == 0)
      atomicAdd(&lanesInPauses, 1ull);
    __nanosleep(100); // no spinning: lanes of the CPU device run one after the other
    ++time;
  }
};
using CountingWriter = abi::BinWriter<GpuMemory>;
} // namespace device
} // namespace cupr

#define BinWriter CountingWriter
#include "devicelib/device/hooks.cu"
#include "shared_memory.cuh"
#undef BinWriter

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <iterator>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using u64 = unsigned long long;

constexpr unsigned kBlocks = 6, kSteps = 120, kBins = 2, kPagesPerBin = 2, kPageLog2 = 12;
constexpr unsigned kGlobalSpace = 1u << static_cast<unsigned>(cupr::abi::MemorySpace::Global);

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

/// Distances at which 32-bit sums, the fields of a record and its forms end, on both sides, and far beyond.
__host__ __device__ inline u64 edge(unsigned which) {
  const u64 at[] = {0x7f,       0x80,       0xfffff,     0x100000,    0x7fffffff,
                    0x80000000, 0xffffffff, 0x100000000, u64{1} << 62};
  const u64 distance = at[which / 6 % 9] + which % 3 - 1;
  return which / 3 % 2 ? 0 - distance : distance;
}

/// What a thread does in a step: which hook, at how many sites, and where. The same for the host.
struct Step {
  unsigned kind, count;
  u64 addresses[6], bytes;
  bool isActive, isWhole; ///< of the warp: all lanes are active
  u64 values[3], clock;
  unsigned duration;

  __host__ __device__ bool isTimed() const;
  /// What a timed access brings beside its address, as one number; else the bytes of a range.
  __host__ __device__ u64 mark() const;
};
enum Kind : unsigned {
  Single,
  Called,
  CalledFromTwo,
  Apart,
  Together,
  CalledTogether,
  ApartTogether,
  Range,
  In,
  Timed,
  CalledTimed,
  TimedValues,
  kKinds
};
/// Whether lanes of two places, each with sites of its own, make the call.
__host__ __device__ inline bool isFromTwo(unsigned kind) {
  return kind == CalledFromTwo || kind == Apart || kind == ApartTogether || kind == CalledTimed;
}
__host__ __device__ inline bool isGroup(unsigned kind) {
  return kind == Together || kind == CalledTogether || kind == ApartTogether;
}
__host__ __device__ inline u64 markOf(const u64 (&pieces)[5], unsigned count) {
  u64 mark = 1;
  for (unsigned i = 0; i < count; ++i)
    mark = mark * 1000003 + pieces[i];
  return mark;
}
__host__ __device__ inline bool Step::isTimed() const { return kind >= Timed; }
__host__ __device__ inline u64 Step::mark() const {
  if (!isTimed())
    return kind == Range ? bytes : 0;
  return kind == TimedValues ? markOf({values[0], values[1], values[2], clock, duration}, 5)
                             : markOf({clock, duration, 0, 0, 0}, 2);
}
constexpr unsigned kElementBytes = 4;

__host__ __device__ inline Step stepOf(unsigned seed, unsigned block, unsigned thread, unsigned step,
                                       unsigned width) {
  const unsigned common = mix(seed * 977 + step), mine = mix(common + (block << 12) + thread * 31 + 7);
  constexpr unsigned counts[] = {2, 3, 4, 6};
  Step result{common % kKinds, 1, {}, 1 + mine % 200, false, false, {}, 0, 0};
  if (isGroup(result.kind))
    result.count = counts[common >> 8 & 3];
  // All, half of them, one in eight, by a bit of the lane. Of timed accesses mostly all, with one clock: that is what a hook has a way of its own for.
  const bool isWhole = result.isTimed() && (common >> 20 & 3) != 0;
  const unsigned activity = isWhole ? 0 : common >> 12 & 3;
  result.isWhole = activity == 0;
  result.isActive = activity == 0 || (activity == 1 && mine & 1) || (activity == 2 && (mine & 7) == 0) ||
                    (activity == 3 && (thread & 4));
  for (unsigned i = 0; i < result.count; ++i) {
    const unsigned shape = mix(common + i) % 10;
    const u64 base = 0x500000000000ull + (u64{mix(common * 5 + i)} << 8);
    const u64 column = thread % width, row = thread / width;
    const unsigned wild = mix(common * 3 + i);
    // What comes back to itself modulo 2^32, or shifted by that.
    const u64 turns = (mix(mine + i) & 1) * (u64{1} << 32);
    result.addresses[i] = shape == 0   ? base + thread * 4
                          : shape == 1 ? base + column * 8 + row * 1000
                          : shape == 2 ? base + mix(mine + i) % 100000
                          : shape == 3 ? base + (u64{mix(mine + i)} << 12)
                          : shape == 4 ? base + column * edge(wild) + row * 1000
                          : shape == 5 ? base + column * 8 + row * edge(wild)
                          : shape == 6 ? base + column * edge(wild) + row * edge(wild >> 8)
                          : shape == 7 ? base + thread * edge(wild)
                          : shape == 8 ? base + column * 8 + row * 1000 + turns
                                       : base;
  }
  // Alike in all lanes, in a row, or neither.
  const auto valueOf = [&](unsigned i) {
    const unsigned shape = mix(common * 7 + i) % 4;
    const u64 base = (u64{mix(common * 11 + i)} << 32) + mix(common * 13 + i);
    return shape < 2 ? base : shape == 2 ? base + u64{thread} * 3 : u64{mix(mine * 5 + i)} << (thread % 32);
  };
  for (unsigned i = 0; i < 3; ++i)
    result.values[i] = valueOf(i);
  const bool isAlike = (common >> 22 & 3) != 0;
  result.clock = isAlike ? mix(common * 11) : valueOf(3);
  result.duration = isAlike ? mix(common * 13) % 1000 : static_cast<unsigned>(valueOf(4));
  return result;
}
/// Sites: by the hook's place, and where hooks are called, which lanes of any step may do together, by the step.
__host__ __device__ inline unsigned siteOf(const Step &s, unsigned step, unsigned i, bool isSecond) {
  const bool isCalled =
      s.kind == Called || s.kind == CalledFromTwo || s.kind == CalledTogether || s.kind == CalledTimed;
  return (((isCalled ? step + 1 : 0) * kKinds + s.kind) * 8 + s.count) * 16 + i * 2 + isSecond;
}

__global__ void produce(cupr::Trace trace, unsigned seed, unsigned steps) {
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  const unsigned stage = CUPR_HOOK_SYMBOL(stage)(&trace, true, true);
  constexpr unsigned timed = cupr::abi::packValues(
      {{kElementBytes, 0, true, true}, false, cupr::abi::LatencyScheme::Dependency, true});
  constexpr unsigned timedValues =
      cupr::abi::packValues({{8, 3, true, true}, false, cupr::abi::LatencyScheme::Dependency, true});
  for (unsigned step = 0; step < steps; ++step) {
    const Step s = stepOf(seed, blockIdx.x, thread, step, blockDim.x);
    if (s.isTimed() && s.isWhole)
      __syncwarp(); // or lanes seldom come to the hook together
    if (!s.isActive)
      continue;
    const auto pointer = [&](unsigned i) { return reinterpret_cast<const void *>(s.addresses[i]); };
    const auto site = [&](unsigned i) { return siteOf(s, step, i, isFromTwo(s.kind) && thread % 3 == 0); };
    switch (s.kind) {
    case Single:
      CUPR_HOOK_SYMBOL(access)(&trace, site(0), pointer(0), true);
      break;
    case Called:
      CUPR_CALLED_SYMBOL(access)(&trace, site(0), pointer(0), true);
      break;
    case CalledFromTwo: // lanes of two places in one call
      CUPR_CALLED_SYMBOL(access)(&trace, site(0), pointer(0), true);
      break;
    case Apart: // lanes that two calls of a function have led here
      CUPR_APART_SYMBOL(access)(&trace, site(0), pointer(0), true);
      break;
    case In:
      CUPR_HOOK_SYMBOL(access_in)(&trace, site(0), pointer(0), true, kGlobalSpace);
      break;
    case Timed:
      CUPR_HOOK_SYMBOL(timed_2)(&trace, site(0), pointer(0), stage, kGlobalSpace, timed, s.clock, s.duration);
      break;
    case CalledTimed:
      CUPR_CALLED_SYMBOL(timed_2)(&trace, site(0), pointer(0), stage, kGlobalSpace, timed, s.clock,
                                  s.duration);
      break;
    case TimedValues:
      CUPR_HOOK_SYMBOL(timed_8)(&trace, site(0), pointer(0), stage, kGlobalSpace, timedValues, s.values[0],
                                s.values[1], s.values[2], s.clock, s.duration, 0, 0, 0);
      break;
    case Range:
      CUPR_HOOK_SYMBOL(range_in)(&trace, site(0), pointer(0), true, kGlobalSpace, s.bytes);
      break;
    case Together:
    case CalledTogether:
    case ApartTogether: {
#define CUPR_GROUP(count, ...)                                                                               \
  (s.kind == Together         ? CUPR_HOOK_SYMBOL(accesses_##count)                                           \
   : s.kind == CalledTogether ? CUPR_CALLED_SYMBOL(accesses_##count)                                         \
                              : CUPR_APART_SYMBOL(accesses_##count))(&trace, true, __VA_ARGS__)
      if (s.count == 2)
        CUPR_GROUP(2, site(0), pointer(0), site(1), pointer(1));
      else if (s.count == 3)
        CUPR_GROUP(3, site(0), pointer(0), site(1), pointer(1), site(2), pointer(2));
      else if (s.count == 4)
        CUPR_GROUP(4, site(0), pointer(0), site(1), pointer(1), site(2), pointer(2), site(3), pointer(3));
      else
        CUPR_GROUP(6, site(0), pointer(0), site(1), pointer(1), site(2), pointer(2), site(3), pointer(3),
                   site(4), pointer(4), site(5), pointer(5));
#undef CUPR_GROUP
    }
    }
  }
  CUPR_HOOK_SYMBOL(unstage)(&trace, true);
}

__global__ void seal(cupr::Trace trace, u64 *positions) {
  positions[threadIdx.x] = cupr::device::CountingWriter(trace, threadIdx.x).seal();
}

/// One thread's access.
using Access = std::tuple<unsigned, u64, unsigned, unsigned, u64,
                          u64>; // site, CTA, warp, lane, address, Step::mark

/// The queue, and the thread that empties it.
class Queue {
public:
  explicit Queue(bool drops) {
    constexpr unsigned pages = kBins * kPagesPerBin;
    cupr::abi::Link *const link = shared<cupr::abi::Link>(1);
    *link = {published_ = shared<u64>(pages),
             hostBins_ = shared<cupr::abi::HostBin>(kBins),
             shared<unsigned char>(kBins << kPageLog2),
             shared<u64>(kBins),
             waits_ = shared<u64>(cupr::abi::kWaitCounts),
             drops ? drops_ = shared<u64>(cupr::abi::kLaunchTags) : nullptr,
             shared<u64>(cupr::abi::kWaitCounts),
             broken_ = shared<u64>(1)};
    trace.launch = 5;
    trace.bins = shared<cupr::abi::Bin>(kBins);
    for (unsigned bin = 0; bin < kBins; ++bin)
      trace.bins[bin].limit = kPagesPerBin << kPageLog2;
    trace.states = shared<cupr::abi::PageState>(pages);
    trace.pages = shared<unsigned char>((pages << kPageLog2) + cupr::abi::kBehindPages);
    trace.link = link;
    trace.binMask = kBins - 1;
    trace.pagesPerBinLog2 = __builtin_ctz(kPagesPerBin);
    trace.pageBytesLog2 = kPageLog2;
    trace.special = drops ? cupr::argument::kTraceDrops : 0;
  }

  void consume() {
    u64 next[kBins] = {};
    while (true) {
      const bool isLast = ended_.load();
      bool any = false;
      for (unsigned bin = 0; bin < kBins; ++bin) {
        const unsigned slot = bin * kPagesPerBin + next[bin] % kPagesPerBin;
        const u64 word = std::atomic_ref(published_[slot]).load(std::memory_order_acquire);
        if (word >> 32 != next[bin] + 1)
          continue;
        take(trace.pages + (u64{slot} << kPageLog2), static_cast<unsigned>(word));
        std::atomic_ref(hostBins_[bin].freed).store(++next[bin] << kPageLog2, std::memory_order_release);
        any = true;
      }
      if (!any && isLast)
        return;
      if (!any)
        std::this_thread::yield();
    }
  }
  void end() { ended_ = true; }

  u64 waits() const { return waits_[trace.launch]; }
  u64 dropped() const { return drops_ ? drops_[trace.launch] : 0; }
  bool isBroken() const { return *broken_; }

  cupr::Trace trace{};
  std::vector<Access> accesses;
  unsigned malformed = 0;

private:
  void take(const unsigned char *page, unsigned bytes) {
    const std::size_t words = bytes / cupr::abi::kWordBytes;
    cupr::abi::RecordHead head{};
    for (std::size_t at = 0; at < words;) {
      const unsigned char *const record = page + at * cupr::abi::kWordBytes;
      cupr::abi::FirstWord follow;
      std::memcpy(&follow, record, sizeof follow);
      cupr::abi::WarpAccess access;
      std::uint32_t size = 0;
      cupr::abi::RecordStatus status;
      if (cupr::abi::isFollow(follow.siteAndForm)) {
        head = cupr::abi::followed(head, follow);
        status = cupr::abi::decodeRecord(&head, 2, access, size);
        size = 1;
      } else {
        status = cupr::abi::decodeRecord(record, words - at, access, size);
        if (status == cupr::abi::RecordStatus::Access)
          std::memcpy(&head, record, sizeof head);
      }
      if (status == cupr::abi::RecordStatus::Malformed ||
          (status == cupr::abi::RecordStatus::Access && access.cta >> cupr::abi::kCtaBits != trace.launch)) {
        ++malformed;
        return;
      }
      at += size;
      u64 marks[cupr::abi::kLanes] = {};
      if (status == cupr::abi::RecordStatus::Access && !takeValues(page, words, at, access.laneMask, marks)) {
        ++malformed;
        return;
      }
      if (status == cupr::abi::RecordStatus::Access)
        for (unsigned lane = 0; lane < cupr::abi::kLanes; ++lane)
          if (access.laneMask >> lane & 1)
            accesses.push_back(
                {access.site, cupr::abi::ctaOf(access.cta), access.warp, lane, access.address[lane],
                 access.form == cupr::abi::RecordForm::Range ? access.bytes[lane] : marks[lane]});
    }
  }

  /// The value records that stand at `at`, if any do. False: they are malformed.
  static bool takeValues(const unsigned char *page, std::size_t words, std::size_t &at, unsigned lanes,
                         u64 (&marks)[cupr::abi::kLanes]) {
    u64 pieces[cupr::abi::kLanes][5] = {};
    unsigned count = 0;
    for (; at < words; ++count) {
      cupr::abi::FirstWord first;
      const unsigned char *const place = page + at * cupr::abi::kWordBytes;
      std::memcpy(&first, place, sizeof first);
      if (!cupr::abi::isValue(first.siteAndForm))
        break;
      const unsigned size = cupr::abi::valueWords(first, words - at);
      if (size == 0 || count == 5)
        return false;
      const unsigned bytes = cupr::abi::bytesOfValue(first.siteAndForm), leader = __builtin_ctz(lanes);
      unsigned rank = 0;
      for (unsigned lane = 0; lane < cupr::abi::kLanes; ++lane)
        if (lanes >> lane & 1) {
          u64 &piece = pieces[lane][count];
          if (size == 1)
            piece = cupr::abi::cutValue(
                first.place +
                    static_cast<u64>(static_cast<long long>(static_cast<int>(first.lanes))) * (lane - leader),
                bytes);
          else
            std::memcpy(&piece, place + cupr::abi::kWordBytes + rank++ * bytes, bytes);
        }
      at += size;
    }
    for (unsigned lane = 0; count && lane < cupr::abi::kLanes; ++lane)
      marks[lane] = markOf(pieces[lane], count);
    return true;
  }

  u64 *published_, *waits_, *drops_ = nullptr, *broken_;
  cupr::abi::HostBin *hostBins_;
  std::atomic<bool> ended_{false};
};

std::vector<Access> expected(unsigned seed, dim3 block) {
  std::vector<Access> accesses;
  for (unsigned cta = 0; cta < kBlocks; ++cta)
    for (unsigned thread = 0; thread < block.x * block.y; ++thread)
      for (unsigned step = 0; step < kSteps; ++step) {
        const Step s = stepOf(seed, cta, thread, step, block.x);
        for (unsigned i = 0; s.isActive && i < s.count; ++i)
          accesses.push_back({siteOf(s, step, i, isFromTwo(s.kind) && thread % 3 == 0), cta, thread / 32,
                              thread % 32, s.addresses[i], s.mark()});
      }
  std::sort(accesses.begin(), accesses.end());
  return accesses;
}

} // namespace

int main(int count, char **arguments) {
  const unsigned seed = count > 1 ? std::atoi(arguments[1]) : 1;
  const bool drops = count > 2 && !std::strcmp(arguments[2], "drop"),
             stages = count > 2 && !std::strcmp(arguments[2], "stage");
  const dim3 block = seed % 3 == 0 ? dim3(16, 12) : seed % 3 == 1 ? dim3(160) : dim3(4, 20);
  Queue queue(drops);
  std::thread consumer([&] { queue.consume(); });
  if (stages) {
    // So few places that warps of different blocks want the same, and some have none.
    constexpr unsigned placesLog2 = 4;
    const auto places =
        reinterpret_cast<u64>(shared<unsigned char>((1u << placesLog2) * cupr::abi::kStageStride + 256));
    queue.trace.mark =
        cupr::abi::packStages({(places + 255) / 256 * 256, placesLog2, seed % 2 ? 512u : 1024u});
  }
  produce<<<kBlocks, block>>>(queue.trace, seed, kSteps);
  u64 *const positions = shared<u64>(kBins);
  seal<<<1, kBins>>>(queue.trace, positions);
  check(cudaDeviceSynchronize());
  u64 lanes = 0;
  check(cudaMemcpyFromSymbol(&lanes, lanesInPauses, sizeof lanes));
  queue.end();
  consumer.join();
  std::vector<Access> wanted = expected(seed, block);
  std::sort(queue.accesses.begin(), queue.accesses.end());
  const bool isPart =
      std::includes(wanted.begin(), wanted.end(), queue.accesses.begin(), queue.accesses.end());
  const double together = queue.waits() ? double(lanes) / double(queue.waits()) : 0;
  std::printf(
      "seed %u: %zu of %zu accesses, %llu dropped, %llu waits, %.1f lanes in a pause, %u malformed%s\n", seed,
      queue.accesses.size(), wanted.size(), queue.dropped(), queue.waits(), together, queue.malformed,
      queue.isBroken() ? ", broken" : "");
  const bool isGood = isPart && queue.malformed == 0 && !queue.isBroken() &&
                      queue.accesses.size() + queue.dropped() == wanted.size() &&
                      (drops ? queue.dropped() > 0 : queue.waits() > 0 && together > 2);
  const auto print = [](const char *what, const std::vector<Access> &of, const std::vector<Access> &lack) {
    std::vector<Access> only;
    std::set_difference(of.begin(), of.end(), lack.begin(), lack.end(), std::back_inserter(only));
    if (only.size() > 8)
      only.resize(8);
    for (const auto &[site, cta, warp, lane, address, bytes] : only)
      std::printf("%s: site %u, CTA %llu, warp %u, lane %u, address %llx, %llu bytes\n", what, site, cta,
                  warp, lane, address, bytes);
  };
  if (!isPart) {
    print("missing", wanted, queue.accesses);
    print("too many", queue.accesses, wanted);
  }
  std::puts(isGood ? "good" : "WRONG");
  return isGood ? 0 : 1;
}

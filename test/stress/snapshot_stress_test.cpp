/// Snapshots with real threads: the snapshot kernel's blocks (abi/snapshot_block.h), of one and of several threads, the
/// runtime's own side (DeviceSnapshots) and a consumer that makes trouble, over memory of any size and address.
///
/// Digests are computed a second time, plainly, from the bytes that have come.
#include "host_block.h"

#include "hostlib/runtime/snapshots/device_snapshots.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <set>

/// What the driver would compile.
extern "C" {
extern const char cuprSnapshotPtx[];
const char cuprSnapshotPtx[] = "";
}

namespace cupr::stress {
namespace {

using host::DeviceSnapshots;
using host::MemoryRegion;
using host::PieceDigest;

constexpr std::size_t kPiece = abi::kPieceBytes;
constexpr unsigned kSnapshotScale = kHasFences ? 4 : 1; // the thread sanitizer has its price

/// By the definition: sums over vectors of 16 bytes, of which the last is filled up.
PieceDigest plainDigest(const std::vector<unsigned char> &piece) {
  std::uint64_t sums[2] = {0, 0};
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
      value |= at + i < piece.size() ? std::uint64_t{piece[at + i]} << 8 * i : 0;
    return value;
  };
  const auto product = [](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t mask = 0xffffffff, low = (a & mask) * (b & mask),
                        one = (a >> 32) * (b & mask) + (low >> 32),
                        other = (a & mask) * (b >> 32) + (one & mask);
    return (other << 32 | (low & mask)) ^ ((a >> 32) * (b >> 32) + (one >> 32) + (other >> 32));
  };
  for (std::uint64_t i = 0; i * 16 < piece.size(); ++i) {
    const std::uint64_t low = word(16 * i), high = word(16 * i + 8);
    sums[0] += product(low ^ (0x243f6a8885a308d3 + i * 0x9e3779b97f4a7c15),
                       high ^ (0x13198a2e03707344 + i * 0xc2b2ae3d27d4eb4f));
    sums[1] += product(low ^ (0xa4093822299f31d0 + i * 0x165667b19e3779f9),
                       high ^ (0x082efa98ec4e6c89 + i * 0x85ebca77c2b2ae63));
  }
  sums[0] += piece.size() * 0x452821e638d01377;
  sums[1] += piece.size() * 0xbe5466cf34e90c6d;
  for (std::uint64_t &sum : sums) {
    sum = (sum ^ sum >> 30) * 0xbf58476d1ce4e5b9;
    sum = (sum ^ sum >> 27) * 0x94d049bb133111eb;
  }
  return {sums[0], sums[1]};
}

/// A GPU that runs the snapshot kernel in the call that launches it, on threads. One at a time: the driver's functions
/// have no place for a pointer.
class Gpu {
public:
  Gpu() {
    gpu = this;
    driver_.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode *) { return CUDA_SUCCESS; };
    driver_.cuCtxGetDevice = [](CUdevice *) { return CUDA_SUCCESS; };
    driver_.cuDeviceGetAttribute = [](int *value, CUdevice_attribute, CUdevice) {
      *value = 2;
      return CUDA_SUCCESS;
    };
    driver_.cuModuleLoadData = [](CUmodule *, const void *) { return CUDA_SUCCESS; };
    driver_.cuModuleGetFunction = [](CUfunction *, CUmodule, const char *) { return CUDA_SUCCESS; };
    driver_.cuMemHostAlloc = [](void **address, std::size_t bytes, unsigned) {
      *address = gpu->allocate(bytes);
      return CUDA_SUCCESS;
    };
    driver_.cuMemAlloc = [](CUdeviceptr *address, std::size_t bytes) {
      *address = reinterpret_cast<CUdeviceptr>(gpu->allocate(bytes));
      return CUDA_SUCCESS;
    };
    driver_.cuMemsetD8Async = [](CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
      std::memset(reinterpret_cast<void *>(to), value, bytes);
      return CUDA_SUCCESS;
    };
    driver_.cuStreamCreate = [](CUstream *, unsigned) { return CUDA_SUCCESS; };
    driver_.cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
    driver_.cuLaunchKernel = [](CUfunction, unsigned blocks, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, CUstream stream, void **parameters, void **) {
      const auto &argument = *static_cast<const abi::SnapshotArgument *>(parameters[0]);
      const SnapshotMemory memory(gpu->waits_, gpu->abandoned_);
      if (stream)
        runSnapshot<4>(argument, blocks, memory);
      else
        runSnapshot<1>(argument, blocks, memory);
      return CUDA_SUCCESS;
    };
  }
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  const host::Driver &driver() const { return driver_; }
  /// How often a block has waited.
  unsigned long long waits() const { return waits_; }

private:
  struct Freed {
    void operator()(void *memory) const { std::free(memory); }
  };
  /// Not zeros.
  void *allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    allocated_.emplace_back(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
    return std::memset(allocated_.back().get(), 0xa5, bytes);
  }

  static inline Gpu *gpu = nullptr;
  host::Driver driver_;
  std::atomic<unsigned long long> waits_{0};
  const std::atomic<bool> abandoned_{false};
  std::mutex mutex_; ///< guards what follows
  std::vector<std::unique_ptr<void, Freed>> allocated_;
};

/// A stream whose kernels have blocks of so many threads: 1 or 4.
CUstream streamOf(unsigned threads) { return reinterpret_cast<CUstream>(std::uintptr_t{threads / 4}); }

/// Snapshots, all pieces that have come, and the thread that takes them.
class SnapshotBench {
public:
  /// `delay` is called with each piece.
  explicit SnapshotBench(std::function<void(SnapshotBench &)> delay = [](SnapshotBench &) {})
      : snapshots(gpu.driver(),
                  [this, delay](const PieceDigest &digest, const void *bytes, std::size_t size) {
                    const auto *const first = static_cast<const unsigned char *>(bytes);
                    std::vector<unsigned char> piece(first, first + size);
                    wrong_ += plainDigest(piece) != digest;
                    {
                      const std::scoped_lock lock(mutex_);
                      pieces_[digest] = std::move(piece);
                    }
                    ++arrived_;
                    delay(*this);
                  }),
        consumer_([this] {
          while (!stops_)
            drain();
        }) {}
  ~SnapshotBench() {
    stops_ = true;
    consumer_.join();
  }
  SnapshotBench(const SnapshotBench &) = delete;
  SnapshotBench &operator=(const SnapshotBench &) = delete;

  /// One launch, whose kernel does `kernel`. Nothing: it has changed the memory.
  std::optional<std::vector<std::vector<PieceDigest>>> launch(
      CUstream stream, std::span<const MemoryRegion> regions, const std::function<void()> &kernel = [] {}) {
    ++running_;
    const DeviceSnapshots::Pending pending = snapshots.begin(stream, regions);
    --running_;
    if (!pending)
      throw std::bad_alloc();
    kernel();
    if (!snapshots.finish(stream, pending))
      throw std::bad_alloc();
    drain();
    auto result = snapshots.result(pending);
    snapshots.give(pending);
    return result;
  }
  /// Whether the pieces that came are what the memory holds, and no more nor less.
  bool holds(std::span<const MemoryRegion> regions, const std::vector<std::vector<PieceDigest>> &digests) {
    const std::scoped_lock lock(mutex_);
    bool is = regions.size() == digests.size();
    for (std::size_t region = 0; is && region < regions.size(); ++region) {
      const auto *const memory = reinterpret_cast<const unsigned char *>(regions[region].address);
      std::size_t at = 0;
      for (const PieceDigest &digest : digests[region]) {
        const auto piece = pieces_.find(digest);
        is = is && piece != pieces_.end() && at + piece->second.size() <= regions[region].bytes &&
             std::equal(piece->second.begin(), piece->second.end(), memory + at);
        at += is ? piece->second.size() : 0;
      }
      is = is && at == regions[region].bytes;
    }
    return is;
  }
  unsigned arrived() const { return arrived_; }
  /// Pieces whose bytes have another digest.
  unsigned wrong() const { return wrong_; }

  /// Kernels under way that bring pieces.
  unsigned running() const { return running_; }

  Gpu gpu;

private:
  void drain() {
    bool any = false;
    {
      const std::scoped_lock lock(drain_);
      any = snapshots.drain();
    }
    if (!any)
      std::this_thread::yield();
  }

  std::atomic<unsigned> running_{0}, arrived_{0}, wrong_{0};
  std::mutex mutex_; ///< guards what follows
  std::map<PieceDigest, std::vector<unsigned char>> pieces_;
  std::mutex drain_; ///< one thread at a time
  DeviceSnapshots snapshots;
  std::atomic<bool> stops_{false};
  std::thread consumer_;
};

/// Memory at an address that is `offset` behind a multiple of 16.
class Memory {
public:
  Memory(std::mt19937 &random, std::size_t bytes, std::size_t offset) : words_((bytes + offset) / 16 + 1) {
    std::memset(words_.data(), 0xee, words_.size() * sizeof(Word)); // what lies around it
    first_ = words_.data()->bytes + offset;
    bytes_ = bytes;
    const unsigned kind = random() % 3; // zeros, small numbers, anything
    for (std::size_t i = 0; i < bytes; ++i)
      first_[i] = static_cast<unsigned char>(kind == 0   ? 0
                                             : kind == 1 ? (i % 4 == 0) * (random() % 4)
                                                         : random());
  }
  MemoryRegion region() const { return {reinterpret_cast<std::uint64_t>(first_), bytes_}; }
  std::size_t size() const { return bytes_; }
  /// Changes a byte, for good.
  void change(std::mt19937 &random, std::size_t at) {
    std::atomic_ref(first_[at])
        .fetch_xor(static_cast<unsigned char>(1u << random() % 8), std::memory_order_relaxed);
  }

private:
  struct alignas(16) Word {
    unsigned char bytes[16];
  };
  std::vector<Word> words_;
  unsigned char *first_;
  std::size_t bytes_;
};

std::vector<MemoryRegion> regionsOf(const std::vector<Memory> &memories) {
  std::vector<MemoryRegion> regions;
  for (const Memory &memory : memories)
    regions.push_back(memory.region());
  return regions;
}

std::size_t randomSize(std::mt19937 &random) {
  const std::size_t pieces = random() % 3 * kPiece;
  switch (random() % 4) {
  case 0:
    return pieces + 1 + random() % 40;
  case 1:
    return pieces + kPiece;
  case 2:
    return pieces + kPiece - 1 - random() % 40;
  default:
    return pieces + 1 + random() % kPiece;
  }
}

TEST_CASE("snapshots of regions of any size and address are exact") {
  for (unsigned seed = 0; seed < 12 * kSnapshotScale; ++seed) {
    std::mt19937 random(seed);
    SnapshotBench bench;
    const CUstream stream = streamOf(seed % 4 ? 1 : 4);
    std::vector<Memory> memories;
    for (std::size_t count = 1 + random() % (seed % 5 ? 4 : 20); memories.size() < count;)
      memories.emplace_back(random, randomSize(random), random() % 2 ? 0 : random() % 16);
    const std::vector<MemoryRegion> regions = regionsOf(memories);
    const auto first = bench.launch(stream, regions);
    REQUIRE(first);
    CHECK(bench.holds(regions, *first));

    // What has not changed does not come again.
    const unsigned arrived = bench.arrived();
    CHECK(bench.launch(streamOf(1), regions) == first);
    CHECK(bench.arrived() == arrived);

    // One byte that has changed brings its piece, and no other one.
    Memory &memory = memories[random() % memories.size()];
    const std::size_t at = random() % memory.size(),
                      which = static_cast<std::size_t>(&memory - memories.data());
    memory.change(random, at);
    const auto second = bench.launch(stream, regions);
    REQUIRE(second);
    CHECK(bench.holds(regions, *second));
    CHECK(bench.arrived() == arrived + 1);
    auto expected = *first;
    expected[which][at / kPiece] = (*second)[which][at / kPiece];
    CHECK(expected == *second);
    CHECK(expected != *first);

    // So does one that changes while the kernel runs, and there is no snapshot then.
    CHECK_FALSE(bench.launch(stream, regions, [&] { memory.change(random, random() % memory.size()); }));
    CHECK(bench.arrived() == arrived + 1);
    const auto third = bench.launch(stream, regions);
    REQUIRE(third);
    CHECK(bench.holds(regions, *third));
    CHECK(bench.arrived() == arrived + 2);
    CHECK(bench.wrong() == 0);
  }
}

TEST_CASE("a change of any byte is noticed") {
  std::mt19937 random(1);
  SnapshotBench bench;
  std::vector<Memory> memories;
  memories.emplace_back(random, 70, 3);
  memories.emplace_back(random, 64, 0);
  const std::vector<MemoryRegion> regions = regionsOf(memories);
  std::set<std::vector<std::vector<PieceDigest>>> seen;
  unsigned changes = 0;
  for (Memory &memory : memories)
    for (std::size_t at = 0; at < memory.size(); ++at, ++changes) {
      CHECK_FALSE(bench.launch(streamOf(1), regions, [&] { memory.change(random, at); }));
      const auto now = bench.launch(streamOf(1), regions);
      REQUIRE(now);
      CHECK(seen.insert(*now).second);
      CHECK(bench.holds(regions, *now));
    }
  CHECK(changes == 134);
}

TEST_CASE("launches of several streams share regions, and wait while the consumer has stopped") {
  constexpr unsigned kStreams = 4, kLaunches = 3;
  // Now and then, until blocks have waited many times.
  SnapshotBench bench([calls = std::make_shared<unsigned>(0)](SnapshotBench &bench) {
    if (++*calls % 300 != 1)
      return;
    for (const auto waits = bench.gpu.waits(); bench.running() && bench.gpu.waits() < waits + 500;)
      std::this_thread::yield();
  });
  std::mt19937 random(3);
  Memory common(random, 100 * kPiece + 77, 0);
  std::atomic<unsigned> bad{0};
  std::barrier round(kStreams, [&]() noexcept { // nobody is launching
    for (unsigned i = 0; i < 40; ++i)
      common.change(random, random() % common.size());
  });
  std::vector<std::thread> streams;
  for (unsigned stream = 0; stream < kStreams; ++stream)
    streams.emplace_back([&, stream] {
      std::mt19937 random(10 + stream);
      Memory own(random, 90 * kPiece + random() % kPiece, stream);
      const std::vector<MemoryRegion> regions{own.region(), common.region()};
      for (unsigned i = 0; i < kLaunches; ++i) {
        const auto digests = bench.launch(streamOf(stream == 0 ? 4 : 1), regions);
        bad += !digests || !bench.holds(regions, *digests);
        for (std::size_t at = 0; at < own.size(); at += kPiece)
          own.change(random, at);
        round.arrive_and_wait();
      }
    });
  for (std::thread &stream : streams)
    stream.join();
  CHECK(bad == 0);
  CHECK(bench.wrong() == 0);
  CHECK(bench.gpu.waits() > 0);
  CHECK(bench.arrived() >= kLaunches * kStreams * 90);
}

TEST_CASE("memory that changes all the time comes with its digests, or there is no snapshot") {
  std::mt19937 random(4);
  SnapshotBench bench;
  std::vector<Memory> memories;
  memories.emplace_back(random, 3 * kPiece + 100, 0);
  memories.emplace_back(random, 2 * kPiece + 100, 5);
  const std::vector<MemoryRegion> regions = regionsOf(memories);
  std::atomic<bool> stops{false};
  std::thread writer([&] {
    std::mt19937 random(5);
    while (!stops) {
      Memory &memory = memories[random() % 2];
      memory.change(random, random() % memory.size());
      if (random() % 64 == 0)
        std::this_thread::yield();
    }
  });
  std::vector<std::thread> streams;
  for (unsigned stream = 0; stream < 3; ++stream)
    streams.emplace_back([&] {
      for (unsigned i = 0; i < 8 * kSnapshotScale; ++i)
        bench.launch(streamOf(1), regions);
    });
  for (std::thread &stream : streams)
    stream.join();
  stops = true;
  writer.join();
  const auto digests = bench.launch(streamOf(1), regions);
  REQUIRE(digests);
  CHECK(bench.holds(regions, *digests));
  CHECK(bench.wrong() == 0);
}

} // namespace
} // namespace cupr::stress

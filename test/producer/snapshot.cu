// The snapshot kernel itself (devicelib/device/snapshot.cu), run by the CPU device over random regions that change, with a
// consumer that takes pieces from its ring, which is smaller than what comes. Digests and bytes must be those of the memory,
// and nothing must come that has come before.
//
//     snapshot SEED
//
// Built and run as producer.cu is.
#include "devicelib/abi/bin_writer.h"

#define GpuMemory PlainGpuMemory
#include "devicelib/device/queue.cuh"
#undef GpuMemory

namespace cupr {
namespace device {
struct GpuMemory : PlainGpuMemory {
  __device__ void pause(u32 &time) const {
    __nanosleep(100); // no spinning: lanes of the CPU device run one after the other
    ++time;
  }
};
} // namespace device
} // namespace cupr

#include "devicelib/device/snapshot.cu"
#include "shared_memory.cuh"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

using cupr::abi::kPieceBytes;
using cupr::abi::kSnapshotSlots;
using Key = std::pair<u64, u64>;
using Bytes = std::vector<unsigned char>;

constexpr unsigned kBlocks = 3, kRounds = 3, kRegions = 5;

Key digestOf(const unsigned char *memory, std::size_t bytes) {
  Digest sums{0, 0};
  for (std::size_t at = 0; at < bytes; at += sizeof(Vector)) {
    Vector vector{0, 0};
    std::memcpy(&vector, memory + at, std::min(sizeof vector, bytes - at));
    sums = sums + cupr::abi::vectorDigest(vector, static_cast<unsigned>(at / sizeof vector));
  }
  const Digest digest = cupr::abi::pieceDigest(sums, static_cast<unsigned>(bytes));
  return {digest.low, digest.high};
}

/// The ring, and the thread that empties it.
class Ring {
public:
  Ring() { ring.slots = slots_, ring.pieces = pieces_, ring.freed = freed_, ring.tickets = shared<u64>(1); }

  void consume() {
    while (true) {
      const bool isLast = ended_.load();
      bool any = false;
      for (unsigned i = 0; i < kSnapshotSlots; ++i) {
        const u64 published = std::atomic_ref(slots_[i].published).load(std::memory_order_acquire);
        if (published == freed_[i])
          continue;
        const auto *const bytes = reinterpret_cast<unsigned char *>(pieces_ + i * kVectors);
        pieces[{slots_[i].digest.low, slots_[i].digest.high}] = Bytes(bytes, bytes + slots_[i].bytes);
        ++arrived;
        std::atomic_ref(freed_[i]).store(published, std::memory_order_release);
        any = true;
      }
      if (!any && isLast)
        return;
      if (!any)
        std::this_thread::yield();
    }
  }
  void end() { ended_ = true; }

  cupr::abi::SnapshotRing ring{};
  std::map<Key, Bytes> pieces;
  unsigned arrived = 0;

private:
  static constexpr std::size_t kVectors = kPieceBytes / sizeof(Vector);
  cupr::abi::SnapshotSlot *const slots_ = shared<cupr::abi::SnapshotSlot>(kSnapshotSlots);
  Vector *const pieces_ = shared<Vector>(kSnapshotSlots * kVectors);
  u64 *const freed_ = shared<u64>(kSnapshotSlots);
  std::atomic<bool> ended_{false};
};

} // namespace

int main(int count, char **arguments) {
  std::mt19937 random(count > 1 ? std::atoi(arguments[1]) : 1);
  cupr::abi::SnapshotArgument argument{};
  Ring ring;
  argument.ring = ring.ring;
  argument.regionCount = kRegions;
  std::vector<unsigned char *> memories;
  for (cupr::abi::SnapshotRegion &region : argument.regions) {
    if (memories.size() == kRegions)
      break;
    const unsigned offset = random() % 2 ? 0 : random() % 16;
    region.bytes = 1 + random() % (3 * kPieceBytes) + (memories.empty() ? kSnapshotSlots * kPieceBytes : 0);
    memories.push_back(shared<unsigned char>(region.bytes + 32) + offset);
    std::generate_n(memories.back(), region.bytes + 16, [&] { return static_cast<unsigned char>(random()); });
    region.memory = memories.back();
    region.firstPiece = argument.pieceCount;
    const auto pieces = static_cast<unsigned>(cupr::abi::piecesOf(region.bytes));
    region.known = shared<u64>(2 * pieces);
    argument.pieceCount += pieces;
  }
  argument.digests = shared<Digest>(argument.pieceCount);
  std::thread consumer([&] { ring.consume(); });
  std::map<Key, Bytes> wanted;
  unsigned wrong = 0, changes = 0;
  std::vector<Key> before(argument.pieceCount);
  for (unsigned round = 0; round < 2 * kRounds; ++round) {
    argument.brings = round % 2 == 0;
    if (argument.brings)
      for (unsigned i = 0; round && i < 1 + 40 * kRegions; ++i) {
        const unsigned which = random() % kRegions;
        memories[which][random() % argument.regions[which].bytes] += 1;
      }
    cuprSnapshot<<<std::min(kBlocks, argument.pieceCount), cupr::abi::kSnapshotThreads>>>(argument);
    check(cudaDeviceSynchronize());
    unsigned piece = 0;
    for (unsigned i = 0; i < kRegions; ++i)
      for (u64 at = 0; at < argument.regions[i].bytes; at += kPieceBytes, ++piece) {
        const std::size_t bytes = std::min<u64>(kPieceBytes, argument.regions[i].bytes - at);
        const Key key = digestOf(memories[i] + at, bytes);
        wrong += argument.digests[piece].low != key.first || argument.digests[piece].high != key.second;
        changes += before[piece] != key;
        before[piece] = key;
        wanted[key] = Bytes(memories[i] + at, memories[i] + at + bytes);
      }
  }
  ring.end();
  consumer.join();
  std::printf("%u pieces, %u came for %u changes, %u digests are wrong, %zu and %zu contents\n",
              argument.pieceCount, ring.arrived, changes, wrong, ring.pieces.size(), wanted.size());
  return wrong != 0 || ring.arrived != changes || ring.pieces != wanted;
}

/// Traces about which arithmetic, or the definition, says who communicates with whom.
#ifndef CUPR_TEST_COMMUNICATION_SCENE_H
#define CUPR_TEST_COMMUNICATION_SCENE_H

#include "analysis/engine/communication.h"
#include "unit/trace/trace_builder.h"

#include <random>

namespace cupr::test {

using namespace analysis;

inline constexpr std::uint32_t kLoad = 0, kStore = 1, kAtomic = 2;
inline constexpr std::uint64_t kA = 0x10000, kB = 0x20000;

/// Each access stands in a column of its own.
inline SiteTableBlob communicationTable() {
  SiteTableBlob blob;
  const std::pair<abi::Operation, std::uint32_t> sites[] = {
      {abi::Operation::Load, 4}, {abi::Operation::Store, 4},  {abi::Operation::AtomicAdd, 4},
      {abi::Operation::Load, 8}, {abi::Operation::Store, 16}, {abi::Operation::Store, 1}};
  for (const auto &[operation, bytes] : sites)
    blob.column(blob.site(operation, bytes) + 1);
  return blob;
}

/// A trace in the making, with arrays at kA and kB.
struct CommunicationScene {
  CommunicationScene() : trace(file.path()) {
    trace.table(communicationTable());
    trace.allocate(kA, 0x1000);
    trace.allocate(kB, 0x1000);
  }
  /// CTA `cta` accesses the 128 bytes of block `block` of an array.
  void access(std::uint32_t site, std::uint64_t cta, std::uint64_t array, std::uint64_t block) {
    words.strided(site, cta, 0, array + 128 * block, 4);
  }
  void launch(std::uint32_t ctas = 4) {
    trace.run("k(int*)", {ctas, 1, 1}, {1024, 1, 1}, words);
    words.clear();
  }
  Communication result() {
    trace.writer->finish();
    return communication(Model(file.path()));
  }
  TemporaryFile file;
  TraceBuilder trace;
  Words words;
};

inline std::vector<Transfer> transfersOf(const Communication &result) {
  std::vector<Transfer> transfers;
  result.transfers->forEach([&](const Transfer &transfer) {
    if (transfer.dependence == kCommunication)
      transfers.push_back(transfer);
  });
  return transfers;
}

inline Transfer transfer(LaunchIndex source, std::uint32_t sourceCta, LaunchIndex destination,
                         std::uint32_t destinationCta, std::uint64_t bytes, std::uint64_t operations) {
  return {source, destination, sourceCta, destinationCta, bytes, operations};
}

/// Copies, sets, allocations, launches and calls of synchronisation in several streams, over few addresses.
inline void writeRandomTrace(CommunicationScene &scene, unsigned seed) {
  std::mt19937 random(seed);
  const bool streams = seed % 2 != 0;
  const std::uint64_t bytes = 300 + random() % 8000;
  bool allocated = true;
  for (int step = 0; step < 20; ++step) {
    if (streams) {
      const std::pair<std::uint64_t, trace::StreamKind> kinds[] = {{1, trace::StreamKind::Legacy},
                                                                   {5, trace::StreamKind::Blocking},
                                                                   {6, trace::StreamKind::Blocking},
                                                                   {7, trace::StreamKind::NonBlocking}};
      const auto &[stream, kind] = kinds[random() % 4];
      scene.trace.stream(stream, kind);
      if (random() % 4 == 0)
        scene.trace.synchronise(static_cast<trace::Synchronisation::Kind>(random() % 5), random() % 2);
    }
    const unsigned act = random() % 12;
    if (act == 0)
      scene.trace.copy(static_cast<trace::CopyKind>(1 + random() % 3), kA + random() % bytes,
                       kA + random() % bytes, random() % 300, random() % 2 != 0);
    else if (act == 1)
      scene.trace.set(kA + random() % bytes, random() % 300);
    else if (act == 2 && allocated) {
      scene.trace.free(kA);
      allocated = false;
    } else if (act == 3 && !allocated) {
      scene.trace.allocate(kA, 0x800);
      allocated = true;
    } else {
      const unsigned records = 1 + random() % 30;
      for (unsigned i = 0; i < records; ++i) {
        abi::WarpAccess access{};
        access.site = random() % 6;
        access.cta = random() % 4;
        access.warp = random() % 3;
        access.laneMask = random() % 2 ? 0xffffffffu : 1 + random() % 0xfffffffeu;
        const std::uint64_t base = kA + random() % bytes;
        const int shape = random() % 3;
        for (unsigned lane = 0; lane < 32; ++lane) {
          access.address[lane] = shape == 0   ? base + 4 * lane
                                 : shape == 1 ? kA + random() % bytes
                                              : base - 3 * lane;
          if (access.site == kAtomic) // as the machine demands
            access.address[lane] &= ~std::uint64_t{3};
        }
        scene.words.add(access);
      }
      scene.launch();
    }
  }
}

} // namespace cupr::test

#endif

/// The programs whose traces the reference is compared on, call by call and access by access.
#ifndef CUPR_TEST_REFERENCE_PROGRAM_H
#define CUPR_TEST_REFERENCE_PROGRAM_H

#include "unit/trace/trace_builder.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cupr::reference {

using enum trace::StreamKind;
using Sync = trace::Synchronisation::Kind;
using Copy = trace::CopyKind;

inline constexpr std::uint64_t kA = 0x10000, kB = 0x20000, kPinned = 0x30000, kManaged = 0x40000,
                               kHost = 0x50000, kBarrier = 0x60000;
inline constexpr std::uint32_t kLoad = 0, kStore = 1, kAtomic = 2, kLoad8 = 3, kStore1 = 5, kLoad12 = 6,
                               kStore12 = 7, kLoadAny = 8, kGlobalSites = 9, kArrive = 9, kLook = 10;
/// Sites from here on access other memory.
inline constexpr std::uint32_t kOtherSites = 11, kSites = 16;
/// Volatile ones, of programs that are written for them.
inline constexpr std::uint32_t kWaitingLoad = 16, kTellingStore = 17;
/// A region of two lines, of which the second follows the first.
inline constexpr std::uint32_t kRegion = 18;

/// A trace with arrays at kA and kB.
struct Program {
  explicit Program(const std::string &path) : trace(path) {
    test::SiteTableBlob blob;
    const std::pair<abi::Operation, std::uint32_t> sites[] = {
        {abi::Operation::Load, 4},      {abi::Operation::Store, 4},  {abi::Operation::AtomicAdd, 4},
        {abi::Operation::Load, 8},      {abi::Operation::Store, 16}, {abi::Operation::Store, 1},
        {abi::Operation::Load, 12},     {abi::Operation::Store, 12}, {abi::Operation::Load, 0},
        {abi::Operation::AtomicAdd, 4}, {abi::Operation::Load, 4},   {abi::Operation::Load, 4},
        {abi::Operation::AtomicAdd, 4}, {abi::Operation::Store, 16}, {abi::Operation::Load, 8},
        {abi::Operation::Store, 4}};
    const abi::SpaceVerdict others[] = {abi::SpaceVerdict::Shared, abi::SpaceVerdict::Shared,
                                        abi::SpaceVerdict::Shared, abi::SpaceVerdict::Constant,
                                        abi::SpaceVerdict::Local};
    std::uint32_t line = 1;
    for (const auto &[operation, bytes] : sites) {
      // Two sites in each line.
      blob.column(blob.site(operation, bytes, "a.cu", 1 + line / 2));
      if (bytes == 0)
        blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
      if (bytes == 12)
        blob.space(abi::SpaceVerdict::Global, 3 << abi::kSitePartShift); // in parts of 4 bytes
      if (line > kOtherSites)
        blob.space(others[line - 1 - kOtherSites], line % 2 ? abi::kSiteDecided : 0);
      else if (line > kGlobalSites)
        blob.space(abi::SpaceVerdict::Global, abi::kSiteGridBarrier);
      ++line;
    }
    for (const abi::Operation operation : {abi::Operation::Load, abi::Operation::Store}) {
      blob.site(operation, 4, "a.cu", ++line);
      blob.space(abi::SpaceVerdict::Global, abi::kSiteVolatile);
    }
    for (const unsigned flags : {0u, unsigned{abi::kSiteFollows}}) {
      blob.site(abi::Operation::Instructions, 0, "a.cu", ++line);
      blob.name(flags ? "compute.fp32.fma=3 control.branch=1" : "compute.int32.add=2", 0);
      blob.space(abi::SpaceVerdict::Global, flags);
    }
    trace.table(blob);
    trace.stream(1, Legacy);
    trace.allocate(kA, 0x1000);
    trace.allocate(kB, 0x1000);
  }
  /// The 32 threads of CTA `cta` access 4 bytes each at `address`.
  void access(std::uint32_t site, std::uint64_t cta, std::uint64_t address, std::int64_t stride = 4) {
    words.strided(site, cta, 0, address, stride);
  }
  void launch(const std::string &kernel = "k(int*)", const trace::CtaSelection &ctas = {},
              const trace::Dim3 &grid = {4, 1, 1}) {
    const trace::LaunchId id = trace.launch(kernel, grid, {96, 1, 1}, ctas);
    trace.records(id, words);
    trace.end(id);
    words.clear();
  }
  /// The lanes of `mask` of a block's first warp run the region.
  void execute(std::uint64_t cta, std::uint32_t mask) {
    abi::WarpAccess record{};
    record.site = kRegion;
    record.cta = cta;
    record.laneMask = mask;
    words.add(record);
  }
  /// A block arrives at the barrier of its grid, and looks so many times whether the others have.
  void arrive(std::uint64_t cta, unsigned looks = 1) {
    words.strided(kArrive, cta, 0, kBarrier, 0, 1);
    for (unsigned i = 0; i < looks; ++i)
      words.strided(kLook, cta, 0, kBarrier, 0, 1);
  }
  /// The 32 threads of CTA 0 store, or load, 128 bytes, and nobody else does anything.
  void store(std::uint64_t address, const std::string &kernel = "k(int*)") {
    access(kStore, 0, address);
    launch(kernel);
  }
  void load(std::uint64_t address, const std::string &kernel = "k(int*)") {
    access(kLoad, 0, address);
    launch(kernel);
  }
  /// Of which blocks 2 and 3 were not recorded.
  void unseen() { launch("unseen(int*)", {0, 2, 1}); }

  test::TraceBuilder trace;
  test::Words words;
};

/// Those whose answers arithmetic knows (known.py), by name.
extern const std::vector<std::pair<std::string, std::function<void(Program &)>>> kKnownPrograms;

} // namespace cupr::reference

#endif

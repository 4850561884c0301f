/// Blocks that are alike and are followed in part, held against the same blocks followed whole.
#include "analysis/check/checker.h"
#include "analysis/model/derived_records.h"
#include "unit/seed_count.h"
#include "unit/trace/trace_builder.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace check_repeated_test {

using namespace cupr;
using namespace cupr::analysis;
using abi::SliceOperation;

namespace {

constexpr std::uint64_t kIn = 0x100000, kOut = 0x900000, kBytes = 0x400000;
constexpr std::uint32_t kAll = 0xffffffffu;

/// A kernel: for some times, its steps in turn, each `loopStride` further on each time.
struct Kernel {
  struct Step {
    std::uint32_t site;
    std::uint64_t place;
    std::int64_t blockStride, threadStride, loopStride, rowStride; ///< of rows of blocks
    bool isBarrier;
  };
  std::vector<Step> steps;
  std::uint64_t times = 1;
  trace::Dim3 grid{1, 1, 1};
  std::uint32_t threads = 32;
};

/// All that is told of a fault.
using Told =
    std::tuple<FaultRule, std::uint64_t, std::uint64_t, std::uint32_t, FaultPlace, std::optional<FaultPlace>>;

class Sites {
public:
  Sites() {
    using enum abi::MemoryOrder;
    using abi::MemoryScope, abi::Operation;
    for (const std::uint32_t bytes : {4u, 8u}) {
      loads.push_back(site(Operation::Load, bytes));
      stores.push_back(site(Operation::Store, bytes));
    }
    adds = site(Operation::AtomicAdd, 4);
    blob.order(Relaxed, MemoryScope::Device);
    sharedLoad = site(Operation::Load, 4);
    blob.space(abi::SpaceVerdict::Shared);
    sharedStore = site(Operation::Store, 4);
    blob.space(abi::SpaceVerdict::Shared);
    barrier = site(Operation::Barrier, 0);
    blob.order(AcquireRelease, MemoryScope::Block);
    warpBarrier = site(Operation::WarpBarrier, 0);
    blob.order(AcquireRelease, MemoryScope::Block);
    shuffle = site(Operation::WarpShuffle, 0);
    block = site(Operation::Load, 0);
    blob.space(abi::SpaceVerdict::Global, abi::kSiteBlock);
  }

  /// The kernel as a slice of this table.
  void add(const Kernel &kernel) {
    enum : std::uint16_t { Thread, Block, Row, Constants };
    std::vector<std::uint64_t> constants;
    const auto constant = [&](std::uint64_t value) {
      constants.push_back(value);
      return static_cast<std::uint16_t>(Constants + constants.size() - 1);
    };
    const std::uint16_t zero = constant(0), one = constant(1), times = constant(kernel.times);
    std::vector<std::array<std::uint16_t, 5>> itsConstants;
    for (const Kernel::Step &step : kernel.steps)
      itsConstants.push_back({constant(step.place), constant(static_cast<std::uint64_t>(step.blockStride)),
                              constant(static_cast<std::uint64_t>(step.threadStride)),
                              constant(static_cast<std::uint64_t>(step.loopStride)),
                              constant(static_cast<std::uint64_t>(step.rowStride))});
    const auto turn = static_cast<std::uint16_t>(Constants + constants.size()),
               address = static_cast<std::uint16_t>(turn + 1), part = static_cast<std::uint16_t>(turn + 2);
    std::vector<abi::SliceInstruction> code;
    const auto make = [&](SliceOperation operation, std::uint16_t result, std::uint16_t a, std::uint16_t b,
                          std::uint16_t c = 0, std::uint8_t width = 64) {
      code.push_back({static_cast<std::uint8_t>(operation), width, result, a, b, c, 0});
    };
    make(SliceOperation::Move, turn, zero, 0, 0, 0);
    for (std::size_t i = 0; i < kernel.steps.size(); ++i) {
      const auto [place, ofBlock, ofThread, ofTurn, ofRow] = itsConstants[i];
      make(SliceOperation::Move, address, place, 0, 0, 0);
      for (const auto &[factor, by] :
           {std::pair(std::uint16_t{Block}, ofBlock), std::pair(std::uint16_t{Thread}, ofThread),
            std::pair(turn, ofTurn), std::pair(std::uint16_t{Row}, ofRow)}) {
        make(SliceOperation::Multiply, part, factor, by);
        make(SliceOperation::Add, address, address, part);
      }
      make(SliceOperation::Access, 0, address, static_cast<std::uint16_t>(kernel.steps[i].site), 0, 0);
      if (kernel.steps[i].isBarrier)
        make(SliceOperation::Barrier, 0, 0, 0, 0, 0);
    }
    make(SliceOperation::Add, turn, turn, one);
    make(SliceOperation::LessUnsigned, part, turn, times);
    const auto behind = static_cast<std::uint16_t>(code.size() + 1);
    make(SliceOperation::Branch, abi::kSliceNowhere, part, 1, behind, 0);
    make(SliceOperation::Exit, 0, 0, 0, 0, 0);
    abi::SliceHeader header{};
    header.blockSite = block;
    header.registerCount = part + 1u;
    const auto input = [](abi::SliceSource source) {
      return abi::SliceInput{static_cast<std::uint8_t>(source), 4, 0, 0, 0};
    };
    blob.slice(
        "_Z1kPi", header,
        {input(abi::SliceSource::ThreadX), input(abi::SliceSource::BlockX), input(abi::SliceSource::BlockY)},
        constants, code);
  }

  test::SiteTableBlob blob;
  std::vector<std::uint32_t> loads, stores;
  std::uint32_t adds, sharedLoad, sharedStore, barrier, warpBarrier, shuffle, block;

private:
  std::uint32_t site(abi::Operation operation, std::uint32_t bytes) {
    return blob.site(operation, bytes, "a.cu", ++lines_);
  }
  std::uint32_t lines_ = 0;
};

enum class Rows { Some, Many };

/// Mostly as everyday kernels are: tiles in shared memory, and each block's own part of the output; with a mistake now and then.
class RandomKernel {
public:
  /// Rows::Many: of blocks that come in several chunks each, and whose threads stay at their own places, unless a row is spoiled.
  RandomKernel(unsigned seed, const Sites &sites, Rows rows) : random_(seed), sites_(sites) {
    if (rows == Rows::Many)
      makeRows();
    else
      makeAny(seed);
  }
  Kernel kernel;

private:
  void makeAny(unsigned seed) {
    const bool isLarge = seed % 16 == 0;
    kernel.threads = 32u << below(3);
    kernel.grid = {isLarge ? 5u : seed % 3 == 0 ? 900u : 40u, 1, 1};
    if (below(isLarge ? 2 : 4) == 0)
      kernel.grid.y = 1 + below(isLarge ? 5 : 3);
    kernel.times = isLarge ? 1200 : 1 + below(3);
    const std::uint32_t bytes = below(2) ? 4 : 8, ofBlock = kernel.threads * bytes;
    const auto size = bytes / 8;
    for (unsigned steps = 2 + below(6); steps != 0; --steps)
      switch (below(9)) {
      case 0:
      case 1:
        put(sites_.loads[size], kIn, ofBlock, bytes, below(2) ? 0 : 4096);
        break;
      case 2: // near others, as a stencil reads
        put(sites_.loads[size], kIn + 64 + bytes * below(3), ofBlock, bytes, 0);
        break;
      case 3:
      case 4:
        put(sites_.stores[size], kOut, ofBlock, bytes, isLarge ? 0 : kBytes / 4);
        break;
      case 5:
        put(sites_.sharedStore, 1024 + 4 * below(2), 0, 4, 0);
        break;
      case 6:
        put(sites_.sharedLoad, 1024 + 4 * below(2), 0, 4, 0);
        break;
      case 7:
        if (below(2))
          put(sites_.barrier, 0, 0, 0, 0, true);
        else
          put(below(2) ? sites_.warpBarrier : sites_.shuffle, kAll, 0, 0, 0);
        break;
      default:
        put(sites_.adds, kOut + kBytes / 2 + 4 * below(4), 0, 0, 0);
        break;
      }
    if (below(3) == 0)
      spoil();
    // Rows of blocks mostly go on behind each other.
    for (Kernel::Step &step : kernel.steps)
      step.rowStride = step.blockStride * kernel.grid.x;
    if (kernel.grid.y > 1 && below(3) == 0)
      spoilRows();
  }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  void put(std::uint32_t site, std::uint64_t place, std::int64_t ofBlock, std::int64_t ofThread,
           std::int64_t ofTurn, bool isBarrier = false) {
    kernel.steps.push_back({site, place, ofBlock, ofThread, ofTurn, 0, isBarrier});
  }
  void makeRows() {
    kernel.threads = 32u << below(2);
    kernel.grid = {2 + below(3), 2 + below(3), 1};
    kernel.times = 1500;
    const std::int64_t ofBlock = kernel.threads * 4 + 32; // with a gap, so that blocks do not meet
    for (unsigned steps = 3 + below(4); steps != 0; --steps)
      switch (below(5)) {
      case 0:
        put(sites_.sharedStore, 1024, 0, 4, 0);
        break;
      case 1:
        put(sites_.sharedLoad, 1024, 0, 4, 0);
        break;
      case 2:
        put(sites_.stores[0], kOut, ofBlock, 4, 0);
        break;
      case 3:
        put(sites_.loads[0], kOut, ofBlock, 4, 0);
        break;
      default:
        put(sites_.loads[0], kIn, ofBlock, 4, below(2) ? 0 : 512);
        break;
      }
    for (Kernel::Step &step : kernel.steps)
      step.rowStride = step.blockStride * kernel.grid.x;
    if (below(4) != 0)
      spoilRows();
  }
  /// In each row something is elsewhere: in shared memory, or to what else the blocks do.
  void spoilRows() {
    Kernel::Step &step = kernel.steps[below(static_cast<unsigned>(kernel.steps.size()))];
    step.rowStride += below(2) ? 4 : step.threadStride;
  }
  void spoil() {
    Kernel::Step &step = kernel.steps[below(static_cast<unsigned>(kernel.steps.size()))];
    switch (below(7)) {
    case 0: // blocks come to each other's parts
      step.blockStride -= below(2) ? 4 : step.blockStride / 2;
      break;
    case 1:
      step.blockStride = below(2) ? -step.blockStride : 12;
      break;
    case 2: // the last ones are out of bounds
      step.place += kBytes - static_cast<std::uint64_t>(step.blockStride) * (kernel.grid.x - 2);
      break;
    case 3:
      step.place += 2;
      break;
    case 4: // also of shared memory, of barriers
      step.blockStride += 4;
      break;
    case 5: // input and output come together in some of them
      step.place = kIn + 4096;
      break;
    default:
      step.threadStride = 0;
      break;
    }
  }
  std::mt19937_64 random_;
  const Sites &sites_;
};

std::vector<Told> toldOf(const std::vector<Fault> &faults) {
  std::vector<Told> told;
  for (const Fault &fault : faults)
    told.emplace_back(fault.rule, fault.count, fault.address, fault.bytes, fault.place, fault.other);
  return told;
}

void write(const std::string &path, const Kernel &kernel, Sites &sites, unsigned seed) {
  sites.add(kernel);
  test::TraceBuilder trace(path);
  trace.table(sites.blob);
  trace.allocate(kIn, kBytes);
  trace.allocate(kOut, kBytes);
  if (seed % 4 != 0)
    trace.set(kIn, kBytes);
  if (seed % 8 < 4)
    trace.set(kOut, kBytes);
  trace.dynamicShared(4096);
  trace.derive(0, {});
  for (unsigned launches = 1 + seed % 2; launches != 0; --launches) {
    const trace::LaunchId launch = trace.launch("k(int*)", kernel.grid, {kernel.threads, 1, 1});
    test::Words words;
    for (std::uint64_t block = 0; block < std::uint64_t{kernel.grid.x} * kernel.grid.y; ++block)
      words.strided(sites.block, block, 0, 0, 0, 1);
    trace.records(launch, words);
    trace.end(launch);
  }
  trace.writer->finish();
}

} // namespace

static void compare(Rows rows, unsigned seeds) {
  std::size_t faulty = 0, silent = 0, spanning = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    INFO("seed " << seed);
    Sites sites;
    const RandomKernel random(seed, sites, rows);
    test::TemporaryFile file;
    write(file.path(), random.kernel, sites, seed);
    const Model model(file.path());
    REQUIRE(model.launches().front().derivedRecords);
    spanning += model.launches().front().derivedRecords->spanning();
    const Checked inPart = check(model, {.threads = 1 + seed % 2});
    GrowingCheck whole(model, {.threads = 1});
    whole.extend(Growth::Over);
    const Checked all = whole.result();
    CHECK(toldOf(inPart.faults) == toldOf(all.faults));
    CHECK(inPart.accesses == all.accesses);
    const bool isFaulty =
        std::ranges::any_of(all.faults, [](const Fault &fault) { return fault.rule != FaultRule::Leak; });
    faulty += isFaulty;
    silent += !isFaulty;
  }
  CHECK(faulty > seeds / 8);
  CHECK(silent > seeds / 8);
  CHECK(spanning > seeds / 8);
}

TEST_CASE("what is told of blocks that are alike does not depend on how much of them is followed",
          "[random]") {
  compare(Rows::Some, test::seedCount(600));
}

TEST_CASE("what is told of rows of blocks does not depend on how many of them are followed", "[random]") {
  compare(Rows::Many, test::seedCount(120));
}

} // namespace check_repeated_test

/// Two traces hold the same accesses when what `dump --per-thread` prints of them is the same, in any order.
#include "analysis/metrics/access_difference.h"
#include "analysis/model/names.h"
#include "analysis/render/access_difference.h"
#include "unit/trace/trace_builder.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <random>
#include <sstream>

namespace access_difference_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

using Random = std::mt19937_64;

/// An access as the program makes it, whatever becomes of it in a trace.
struct Access {
  std::uint32_t site;
  std::uint64_t cta;
  std::uint32_t warp, lane;
  int allocation; ///< -1: none
  std::uint64_t offset, bytes;
};
struct Program {
  std::vector<std::vector<Access>> launches;
};

// The sites below; 1 is an atomic.
constexpr std::uint32_t kLoad = 0, kShared = 2, kConstant = 3, kLocal = 4, kRange = 5, kSites = 6;
constexpr int kAllocations = 3;
constexpr std::uint64_t kAllocationBytes = 0x400;
constexpr trace::Dim3 kGrid{3, 2, 1}, kBlock{64, 1, 1};

test::SiteTableBlob sites() {
  test::SiteTableBlob blob;
  const auto site = [&](abi::Operation operation, std::uint32_t bytes, abi::SpaceVerdict space,
                        std::uint16_t flags = 0) {
    blob.site(operation, bytes);
    blob.space(space, flags);
  };
  site(abi::Operation::Load, 4, abi::SpaceVerdict::Global);
  site(abi::Operation::AtomicAdd, 8, abi::SpaceVerdict::Global);
  site(abi::Operation::Store, 4, abi::SpaceVerdict::Shared);
  site(abi::Operation::Load, 4, abi::SpaceVerdict::Constant);
  site(abi::Operation::Store, 4, abi::SpaceVerdict::Local, abi::kSiteDecided);
  site(abi::Operation::Store, 0, abi::SpaceVerdict::Global, abi::kSiteRange);
  return blob;
}

Access randomAccess(Random &random) {
  Access access{};
  access.site = static_cast<std::uint32_t>(random() % kSites);
  access.cta = random() % 6;
  access.warp = static_cast<std::uint32_t>(random() % 2);
  access.lane = static_cast<std::uint32_t>(random() % 32);
  access.allocation = static_cast<int>(random() % (kAllocations + 1)) - 1;
  access.offset = random() % 16 * 4;
  access.bytes = 1 + random() % 3;
  return access;
}

/// The same accesses as records of many cuts, in any order, with allocations at other addresses.
void write(const std::string &path, const Program &program, Random &random) {
  test::TraceBuilder trace(path);
  const std::uint64_t base = 0x10000 * (1 + random() % 50);
  const auto addressOf = [&](const Access &access) {
    if (access.site == kShared || access.site == kLocal)
      return access.offset;
    if (access.allocation < 0) // only in global memory does it say nothing
      return 0x7000000000 + (access.site == kConstant ? 0 : base) + access.offset;
    return base + 0x800 * static_cast<std::uint64_t>(access.allocation) + access.offset;
  };
  for (int i = 0; i < kAllocations; ++i)
    trace.allocate(base + 0x800 * static_cast<std::uint64_t>(i), kAllocationBytes);
  trace.table(sites());
  for (std::vector<Access> left : program.launches) {
    const trace::LaunchId id = trace.launch("kernel(int*)", kGrid, kBlock);
    std::ranges::shuffle(left, random);
    while (!left.empty()) {
      abi::WarpAccess record{};
      const Access first = left.front();
      record.site = first.site;
      record.cta = first.cta;
      record.warp = first.warp;
      std::erase_if(left, [&](const Access &access) {
        if (access.site != first.site || access.cta != first.cta || access.warp != first.warp ||
            (record.laneMask >> access.lane & 1) != 0 || (record.laneMask != 0 && random() % 4 == 0))
          return false;
        record.laneMask |= 1u << access.lane;
        record.address[access.lane] = addressOf(access);
        record.bytes[access.lane] = access.bytes;
        return true;
      });
      trace::Word out[abi::kMaxRecordWords];
      const std::uint32_t size =
          first.site == kRange ? abi::encodeRange(record, 0, out) : abi::encodeRecord(record, 0, out);
      test::Words words;
      words.append({out, out + size});
      trace.records(id, words, static_cast<std::uint32_t>(random() % 3));
    }
    trace.end(id);
  }
  trace.writer->finish();
}

using Lines = std::map<std::string, std::int64_t>;

/// What of `dump --per-thread` counts; each line as often as `weight` says.
void addLines(const std::string &path, std::int64_t weight, Lines &lines, std::uint64_t &count) {
  const std::string command = std::string(CUPRANALYZE) + " dump --per-thread " + path;
  std::FILE *pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  REQUIRE(::pclose(pipe) == 0);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(" local ") != std::string::npos)
      continue;
    if (const std::size_t at = line.find(" unknown "); at != std::string::npos)
      line.erase(at + 8);
    lines[line] += weight;
    ++count;
  }
}

std::string lineOf(const LaunchInfo &launch, const ThreadAccess &access) {
  const trace::Dim3 cta = placeInGrid(launch.launch.grid, access.cta);
  std::string operation = abi::operationName(static_cast<abi::Operation>(access.operation));
  std::ranges::replace(operation, ' ', '_');
  const std::string head =
      fmt::format("{} {} {} {} {},{},{} {} ", static_cast<std::uint64_t>(launch.launch.id),
                  shortName(launch.kernel), operation, access.bytes, cta.x, cta.y, cta.z, access.thread);
  if (access.isInAllocation())
    return head + fmt::format("{} {}", access.place, access.offset);
  if (access.space() == abi::MemorySpace::Global)
    return head + "unknown";
  return head + fmt::format("{} {:#x}", abi::spaceName(access.space()), access.offset);
}

/// Changes one access, or how often it is made.
void change(std::vector<Access> &accesses, Random &random) {
  Access &access = accesses[random() % accesses.size()];
  switch (random() % 6) {
  case 0:
    access.offset += 4;
    break;
  case 1:
    access.lane ^= 1;
    break;
  case 2:
    access.cta = 5 - access.cta;
    break;
  case 3:
    access = randomAccess(random);
    break;
  case 4:
    accesses.push_back(access);
    break;
  default:
    accesses.pop_back();
  }
}

void writeOne(const std::string &path, const std::string &kernel, trace::Dim3 grid, int launches,
              std::uint64_t stride = 4, std::uint64_t records = 1) {
  test::TraceBuilder trace(path);
  trace.allocate(0x10000, 0x10000000);
  trace.table(sites());
  for (int i = 0; i < launches; ++i) {
    test::Words words;
    for (std::uint64_t record = 0; record < records; ++record)
      words.strided(kLoad, record % grid.x, 0, 0x10000 + 128 * record, static_cast<std::int64_t>(stride));
    trace.run(kernel, grid, kBlock, words);
  }
  trace.writer->finish();
}

} // namespace

TEST_CASE("accesses differ as the sorted dumps per thread do") {
  const auto seed = GENERATE(range(0, 40));
  CAPTURE(seed);
  Random random(static_cast<unsigned>(seed));
  Program program;
  program.launches.resize(1 + random() % 3);
  for (std::vector<Access> &launch : program.launches) {
    launch.resize(1 + random() % 300);
    std::ranges::generate(launch, [&] { return randomAccess(random); });
  }
  test::TemporaryFile first, second;
  write(first.path(), program, random);
  if (seed % 4 != 0)
    for (std::uint64_t i = random() % 5; i > 0; --i)
      if (auto &launch = program.launches[random() % program.launches.size()]; !launch.empty())
        change(launch, random);
  write(second.path(), program, random);

  Lines lines;
  std::uint64_t before = 0, after = 0, onlyBefore = 0, onlyAfter = 0;
  addLines(first.path(), 1, lines, before);
  addLines(second.path(), -1, lines, after);
  for (const auto &[line, count] : lines)
    (count > 0 ? onlyBefore : onlyAfter) += static_cast<std::uint64_t>(std::abs(count));

  const Model one(first.path()), two(second.path());
  const AccessDifference found =
      accessDifference(one, two, {.threads = 1 + static_cast<unsigned>(seed) % 3, .examples = 1000});
  CHECK(found.isSame() == (onlyBefore + onlyAfter == 0));
  CHECK((seed % 4 != 0 || found.isSame()));
  CHECK(found.before.accesses == before);
  CHECK(found.after.accesses == after);
  std::uint64_t foundBefore = 0, foundAfter = 0;
  for (const LaunchDifference &launch : found.launches) {
    REQUIRE(launch.oneSided);
    CHECK(launch.oneSided->areAll);
    foundBefore += launch.oneSided->before;
    foundAfter += launch.oneSided->after;
    for (const OneSidedAccess &example : launch.oneSided->examples)
      CHECK(lines[lineOf(*launch.before, example.access)] ==
            static_cast<std::int64_t>(example.count) * (example.isBefore ? 1 : -1));
  }
  CHECK(foundBefore == onlyBefore);
  CHECK(foundAfter == onlyAfter);
}

TEST_CASE("of differences that memory does not hold, some are shown") {
  test::TemporaryFile first, second;
  constexpr std::uint64_t kRecords = 50000;
  writeOne(first.path(), "kernel(int*)", {64, 1, 1}, 1, 4, kRecords);
  writeOne(second.path(), "kernel(int*)", {64, 1, 1}, 1, 8, kRecords);
  const Model one(first.path()), two(second.path());
  const AccessDifference found = accessDifference(one, two);
  REQUIRE(found.launches.size() == 1);
  REQUIRE(found.launches[0].oneSided);
  const OneSidedAccesses &accesses = *found.launches[0].oneSided;
  CHECK_FALSE(accesses.areAll);
  CHECK(accesses.before > kRecords);
  CHECK(accesses.before <= 31 * kRecords); // lane 0 accesses the same
  CHECK(accesses.after > kRecords);
  CHECK(accesses.ctas == 64);
  CHECK(accesses.examples.size() == 10);
  CHECK_THAT(accessDifferenceText(found), Catch::Contains(": at least "));
}

TEST_CASE("launches of other kernels or shapes, and missing ones, differ") {
  test::TemporaryFile file, other;
  writeOne(file.path(), "kernel(int*)", {1, 1, 1}, 1);
  const auto text = [&] {
    return accessDifferenceText(accessDifference(Model(file.path()), Model(other.path())));
  };
  writeOne(other.path(), "kernel(long*)", {1, 1, 1}, 1);
  CHECK(text() == "the same 32 accesses of threads in 1 launches\n");
  writeOne(other.path(), "other(int*)", {1, 1, 1}, 1);
  CHECK(text() == "1 of 1 launches differ\n"
                  "launch 1 kernel<<<1, 64>>> is launch 1 other<<<1, 64>>> after\n");
  writeOne(other.path(), "kernel(int*)", {2, 1, 1}, 1);
  CHECK(text() == "1 of 1 launches differ\n"
                  "launch 1 kernel<<<1, 64>>> is launch 1 kernel<<<2, 64>>> after\n");
  writeOne(other.path(), "kernel(int*)", {1, 1, 1}, 2);
  CHECK(text() == "1 of 2 launches differ\n"
                  "launch 2 kernel<<<1, 64>>> is only after\n");
}

TEST_CASE("every launch that differs counts, and the first ones are told apart") {
  test::TemporaryFile file, other;
  writeOne(file.path(), "kernel(int*)", {1, 1, 1}, 7);
  writeOne(other.path(), "kernel(int*)", {1, 1, 1}, 7, 8);
  const Model one(file.path()), two(other.path());
  const AccessDifference found = accessDifference(one, two, {.launches = 5, .examples = 1});
  CHECK(found.different == 7);
  REQUIRE(found.launches.size() == 5);
  CHECK(found.launches[3].oneSided);
  CHECK_FALSE(found.launches[4].oneSided);
  const std::string text = accessDifferenceText(found);
  CHECK_THAT(text, Catch::StartsWith(
                       "7 of 7 launches differ\n"
                       "launch 1 kernel<<<1, 64>>>: 31 accesses only before, 31 only after, by 1 CTAs\n"
                       "  < load 4 B cta (0,0,0) thread 1 a0+0x4\n"));
  CHECK_THAT(text, Catch::EndsWith("launch 5 kernel<<<1, 64>>>: as many accesses, but not the same\n"
                                   "and 2 more launches\n"));
}

} // namespace access_difference_test

/// Launches whose accesses are derived, as the model gives them.
#include "analysis/model/records.h"
#include "analysis/verify/verifier.h"
#include "hostlib/trace/message_file.h"
#include "unit/trace/derived_trace.h"

#include <catch2/catch.hpp>
#include <optional>
#include <set>

namespace derived_records_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

using ThreadAccess =
    std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>; // CTA, thread, site, address

std::multiset<ThreadAccess> accessesOf(const Model &model, const LaunchInfo &launch) {
  std::multiset<ThreadAccess> result;
  RecordStream records(model, launch);
  while (const Record *record = records.next())
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      if (record->access.laneMask >> lane & 1)
        result.insert({record->access.cta, record->access.warp * 32 + lane, record->access.site,
                       record->access.address[lane]});
  return result;
}

std::multiset<ThreadAccess> expected(std::initializer_list<std::uint64_t> blocks,
                                     std::uint64_t elements = 100) {
  std::multiset<ThreadAccess> result;
  for (const std::uint64_t block : blocks)
    for (std::uint32_t thread = 0; thread < 48 && block * 48 + thread < elements; ++thread) {
      result.insert({block, thread, 0, test::kDerivedIn + 4 * (block * 48 + thread)});
      result.insert({block, thread, 1, test::kDerivedOut + 4 * (block * 48 + thread)});
    }
  return result;
}

/// The trace with each message changed by `change`, and all sums as they were.
template <typename Change>
std::string changed(const std::string &from, const std::string &to, Change change) {
  std::string error;
  const auto reader = trace::Reader::open(from, error);
  REQUIRE(reader);
  trace::MessageFile file(to);
  trace::Message message;
  while (reader->next(message) == trace::ReadStatus::Message) {
    change(message);
    if (auto *end = std::get_if<trace::End>(&message))
      file.finish(std::move(*end));
    else
      file.append(message);
  }
  return to;
}

std::vector<std::string> problemsOf(const std::string &path) {
  std::string error;
  const auto reader = trace::Reader::open(path, error);
  REQUIRE(reader);
  return trace::verify(*reader).problems;
}

} // namespace

TEST_CASE(
    "launches that say the same are counted once, and have the same accesses wherever their blocks ran") {
  test::TemporaryFile file;
  struct Launched {
    std::uint64_t elements;
    std::vector<std::uint64_t> blocks;
    std::uint32_t sm;
  };
  const std::vector<Launched> launched = {{100, {0, 1, 2}, 0}, {100, {0, 1, 2}, 7}, {100, {2, 0, 1}, 7},
                                          {60, {0, 1, 2}, 7},  {100, {0, 1, 2}, 9}, {60, {2, 0, 1}, 7},
                                          {60, {0, 2, 1}, 7}}; // the third block accesses nothing
  {
    test::TraceBuilder trace(file.path());
    trace.table(test::derivedTable());
    for (const Launched &one : launched) {
      trace.derive(0, {test::kDerivedOut, test::kDerivedIn, one.elements});
      const trace::LaunchId id = trace.launch("move(int*, int const*, int)", {3, 1, 1}, {48, 1, 1});
      test::Words words;
      for (const std::uint64_t block : one.blocks) {
        abi::WarpAccess begun{};
        begun.site = test::kDerivedBlockSite;
        begun.laneMask = 1;
        begun.cta = block;
        begun.sm = one.sm;
        words.add(begun);
      }
      trace.records(id, words);
      trace.end(id);
    }
    trace.writer->finish();
  }
  const Model model(file.path());
  REQUIRE(model.launches().size() == launched.size());
  for (std::size_t i = 0; i < launched.size(); ++i) {
    const LaunchInfo &launch = model.launches()[i];
    CHECK(launch.totals.counts.global.loads == launched[i].elements);
    CHECK(accessesOf(model, launch) == expected({0, 1, 2}, launched[i].elements));
    RecordStream records(model, launch);
    while (const Record *record = records.next())
      CHECK(record->access.sm == launched[i].sm);
  }
}

TEST_CASE("derived accesses are those that arithmetic expects, of blocks that began") {
  test::TemporaryFile file;
  test::writeDerivedTrace(file.path(), test::DerivedLaunches::AlsoFailed);
  const Model model(file.path());
  REQUIRE(model.launches().size() == 3);
  const LaunchInfo &whole = model.launches()[0], &some = model.launches()[1], &failed = model.launches()[2];
  CHECK(accessesOf(model, whole) == expected({0, 1, 2}));
  CHECK(whole.totals.counts.global.loads == 100);
  CHECK(whole.totals.counts.global.storeBytes == 400);
  CHECK(whole.totals.records == 10);
  CHECK(accessesOf(model, some) == expected({1, 2}));
  CHECK(some.totals.counts.global.accesses() == 104);
  // Which of its accesses were made is not known.
  CHECK(accessesOf(model, failed).empty());
  CHECK(failed.totals.counts.global.accesses() == 0);
  CHECK(failed.blocksBegun == 2);
  CHECK(failed.totals.end.reason == "the kernel ended with cudaErrorAssert");
}

namespace {

/// One block whose 32 threads access the elements of a shared variable at site 1, whose place the launch says if `place` is one.
void writeSharedTrace(const std::string &path, std::optional<std::uint64_t> place) {
  using abi::SliceOperation;
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Store, 4, "a.cu", 3, "fill()");
  blob.space(abi::SpaceVerdict::Shared);
  blob.site(abi::Operation::Variable, 256, "a.cu", 2, "fill()");
  blob.space(abi::SpaceVerdict::Shared);
  blob.site(abi::Operation::Load, 0, "", 0, "fill()");
  blob.space(abi::SpaceVerdict::Global, abi::kSiteBlock);
  const auto operation = [](SliceOperation one) { return static_cast<std::uint8_t>(one); };
  const auto source = [](abi::SliceSource one) { return static_cast<std::uint8_t>(one); };
  abi::SliceHeader header{};
  header.blockSite = 2;
  header.registerCount = 5; // thread, variable, 4, offset, address
  blob.slice(
      "_Z4fillv", header,
      {{source(abi::SliceSource::ThreadX), 4, 0, 0, 0}, {source(abi::SliceSource::Shared), 4, 0, 1, 0}}, {4},
      {{operation(SliceOperation::Multiply), 32, 3, 0, 2, 0, 0},
       {operation(SliceOperation::Add), 32, 4, 1, 3, 0, 0},
       {operation(SliceOperation::Access), 0, 0, 4, 0, 0, 0},
       {operation(SliceOperation::Exit), 0, 0, 0, 0, 0, 0}});
  test::TraceBuilder trace(path);
  trace.table(blob);
  trace.derive(0, {});
  const trace::LaunchId launch = trace.launch("fill()", {2, 1, 1}, {32, 1, 1});
  test::Words words;
  if (place)
    words.strided(1, 0, 0, *place, 0, 1);
  for (const std::uint64_t block : {0, 1})
    words.strided(2, block, 0, 0, 0, 1);
  trace.records(launch, words);
  trace.end(launch);
  trace.writer->finish();
}

} // namespace

TEST_CASE("accesses of shared variables lie where the launch says that the variables do") {
  test::TemporaryFile file;
  writeSharedTrace(file.path(), 0x440);
  CHECK(problemsOf(file.path()).empty());
  const Model model(file.path());
  const LaunchInfo &launch = model.launches().at(0);
  CHECK(launch.complete());
  CHECK(launch.totals.counts.in(abi::MemorySpace::Shared).stores == 64);
  CHECK(launch.totals.records == 3); // the variable's, and one for each block
  RecordStream records(model, launch, RecordsOf::Everything);
  const Record *const variable = records.next();
  REQUIRE(variable);
  CHECK(variable->site->operation == abi::Operation::Variable);
  CHECK(variable->access.address[0] == 0x440);
  for (const std::uint64_t block : {0, 1}) {
    const Record *const record = records.next();
    REQUIRE(record);
    CHECK(record->access.cta == block);
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      CHECK(record->access.address[lane] == 0x440 + 4 * lane);
  }
  CHECK(records.next() == nullptr);
}

TEST_CASE("a launch that does not say where its shared variables lie claims no access") {
  test::TemporaryFile file;
  writeSharedTrace(file.path(), std::nullopt);
  const Model model(file.path());
  const LaunchInfo &launch = model.launches().at(0);
  CHECK_FALSE(launch.complete());
  CHECK(launch.totals.counts.in(abi::MemorySpace::Shared).accesses() == 0);
  CHECK(launch.totals.end.reason ==
        "its accesses can't be derived: the launch does not say where a shared variable lies");
}

TEST_CASE("a derived launch that lacks the record of a block is not whole") {
  test::TemporaryFile whole, lacking;
  test::writeDerivedTrace(whole.path());
  CHECK(problemsOf(whole.path()).empty());
  changed(whole.path(), lacking.path(), [](trace::Message &message) {
    if (auto *launch = std::get_if<trace::Launch>(&message))
      launch->ctas = {}; // the second one says that it recorded all three
  });
  const auto problems = problemsOf(lacking.path());
  REQUIRE(problems.size() == 1);
  CHECK_THAT(
      problems.front(),
      Catch::Contains("launch 2 (move(int*, int const*, int)) ends with 3 blocks, and the file has 2"));
}

TEST_CASE("what a derived launch says must fit its slice") {
  test::TemporaryFile whole, spoiled;
  test::writeDerivedTrace(whole.path());
  const auto ruleOf = [&](auto change) {
    changed(whole.path(), spoiled.path(), [&](trace::Message &message) {
      if (auto *launch = std::get_if<trace::Launch>(&message); launch && launch->id == trace::LaunchId{1})
        change(*launch);
    });
    try {
      const Model model(spoiled.path());
    } catch (const BadTrace &bad) {
      return std::string(bad.what());
    }
    return std::string();
  };
  CHECK(ruleOf([](trace::Launch &) {}).empty());
  CHECK_THAT(ruleOf([](trace::Launch &launch) { launch.slice = 1; }),
             Catch::Contains("names a slice that is not there"));
  CHECK_THAT(ruleOf([](trace::Launch &launch) { launch.sliceValues.pop_back(); }),
             Catch::Contains("a value for each input of its slice"));
  CHECK_THAT(ruleOf([](trace::Launch &launch) { launch.block = {1024, 2, 1}; }),
             Catch::Contains("more than 1024 threads"));
}

} // namespace derived_records_test

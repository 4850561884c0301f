/// Launches whose accesses are derived, as the model gives them.
#include "analysis/model/records.h"
#include "analysis/verify/verifier.h"
#include "hostlib/trace/message_file.h"
#include "unit/trace/derived_trace.h"

#include <catch2/catch.hpp>
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
  const std::vector<Launched> launched = {
      {100, {0, 1, 2}, 0}, {100, {0, 1, 2}, 7}, {100, {2, 0, 1}, 7}, {60, {0, 1, 2}, 7}, {100, {0, 1, 2}, 9}};
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

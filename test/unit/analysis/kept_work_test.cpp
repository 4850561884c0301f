/// What is kept for the next question: results are the same with and without, and whatever is wrong with an entry is no error.
#include "analysis/engine/kept_caches.h"
#include "analysis/engine/kept_patterns.h"
#include "analysis/engine/kept_work.h"
#include "analysis/metrics/results.h"
#include "analysis/render/communication.h"
#include "analysis/render/results_json.h"
#include "command_run.h"
#include "unit/trace/small_trace.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kept_work_test {

using namespace cupr;
using namespace cupr::analysis;
namespace fs = std::filesystem;

namespace {

/// A folder for entries, of traces of any size; nothing is kept any more behind it.
class Cache {
public:
  explicit Cache(std::uint64_t mostBytes = UINT64_MAX) {
    char pattern[] = "/tmp/cupr_kept_XXXXXX";
    folder_ = ::mkdtemp(pattern);
    KeptWork::turnOn({.folder = path(), .leastAccesses = 0, .mostBytes = mostBytes});
  }
  ~Cache() {
    KeptWork::turnOn({});
    fs::remove_all(folder_);
  }
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  std::string path() const { return folder_ + "/traces"; }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> all;
    for (const fs::directory_entry &file : fs::directory_iterator(path()))
      all.push_back(file.path());
    return all;
  }
  /// Lets all entries look as if nobody had used them for long.
  void age() const {
    for (const fs::path &entry : entries())
      fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(24));
  }
  std::size_t used() const {
    return static_cast<std::size_t>(std::ranges::count_if(entries(), [](const fs::path &entry) {
      return fs::last_write_time(entry) > fs::file_time_type::clock::now() - std::chrono::hours(12);
    }));
  }

private:
  std::string folder_;
};

/// All that verbs say of memory that is followed.
std::string resultsText(const std::string &path, const AnalysisOptions &options = {}) {
  const Model model(path, LaunchParts::Phases);
  std::string text = communicationText(model, communication(model, options), 20, {});
  Results results = resultsOf(model, options);
  addProfileTo(model, results);
  const auto add = [&](std::string_view more) { text += more; };
  resultsJson(model, results, TransferList::Complete, add);
  profileJson(model, results, "top-down", add);
  findingsJson(model, results, add);
  results.advisor = advise(model, results.communication, {}, options);
  advisorJson(model, results, add);
  for (const bool reuse : {false, true}) {
    const CacheUse use = keptCacheUse(model, defaultGeometry(), {.reuse = reuse});
    results.caches = {cacheCosts(model, use.sites), use.allocations, reuseCosts(model, use.siteReuse),
                      use.allocationReuse};
    cachesJson(model, results, defaultGeometry(), false, add);
  }
  return text;
}

/// As a program leaves it whose launches read what the ones before wrote; 3.1 M accesses by threads. `operation`: of the second place.
void writeLargeTrace(const std::string &path, abi::Operation operation = abi::Operation::Store) {
  test::TraceBuilder trace(path);
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, "a.cu", 1, "step(float*)");
  blob.site(operation, 4, "a.cu", 2, "step(float*)");
  trace.table(blob);
  for (int launch = 0; launch < 3; ++launch) {
    test::Words words;
    for (std::uint64_t warp = 0; warp < 16384; ++warp) {
      words.strided(0, warp / 4, warp % 4, 0x100000 + 128 * ((warp + 4) % 16384), 4);
      words.strided(1, warp / 4, warp % 4, 0x100000 + 128 * warp, 4);
    }
    trace.run("step(float*)", {4096, 1, 1}, {128, 1, 1}, words);
  }
  trace.writer->finish();
}

std::string bytesOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Something to keep.
void saveText(std::FILE *file) { saveVector(file, std::vector<char>{'k', 'e', 'p', 't'}); }
bool readsText(const Model &model, const std::string &what) {
  std::vector<char> text;
  return KeptWork(model, what).read([&](std::FILE *file) { loadVector(file, text); }) &&
         std::string(text.begin(), text.end()) == "kept";
}

} // namespace

TEST_CASE("results are the same where they are kept, read back and made anew") {
  for (const fs::directory_entry &golden : fs::directory_iterator(CUPR_GOLDEN "/v4")) {
    if (golden.path().extension() != ".cuprtrace")
      continue;
    INFO(golden.path());
    const std::string path = golden.path(), without = resultsText(path);
    const Cache cache;
    CHECK(resultsText(path) == without);
    const std::vector<fs::path> entries = cache.entries();
    CHECK(entries.size() >= 5); // communication, patterns, site totals, caches without and with reuse
    cache.age();
    CHECK(resultsText(path) == without);
    CHECK(cache.entries().size() == entries.size());
    CHECK(cache.used() == entries.size());
  }
}

TEST_CASE("each option that makes a difference has an entry of its own") {
  const std::string path = CUPR_GOLDEN "/v4/stencil.cuprtrace";
  const AnalysisOptions read{.copies = DeviceCopies::Read}, strides{.ctaStrides = true},
      little{.threads = 3, .memory = 1u << 24};
  const std::string of = resultsText(path), ofRead = resultsText(path, read),
                    ofStrides = resultsText(path, strides);
  REQUIRE(of != ofStrides);
  const Cache cache;
  CHECK(resultsText(path) == of);
  const std::size_t entries = cache.entries().size();
  CHECK(resultsText(path, read) == ofRead);
  CHECK(resultsText(path, strides) == ofStrides);
  CHECK(cache.entries().size() == entries + 3); // communication by both, and cuts by how copies are taken
  CHECK(resultsText(path, little) == of);       // how it is done is not what is found
  CHECK(cache.entries().size() == entries + 3);
  const Model model(path);
  PatternOptions first;
  first.launches.launch = 1;
  CacheOptions cold{.cold = true};
  cold.launches.launch = 2;
  for (int round = 0; round < 2; ++round) {
    CHECK(keptPatterns(model, first).size() < keptPatterns(model).size());
    const auto sites = keptCacheUse(model, defaultGeometry(), cold).sites;
    CHECK(sites == cacheUse(model, defaultGeometry(), cold).sites);
    CHECK(sites != keptCacheUse(model, defaultGeometry()).sites);
    CHECK(keptCacheUse(model, *geometryOf("A100"), cold).sites ==
          cacheUse(model, *geometryOf("A100"), cold).sites);
  }
  first.records.file = "nothing.cu";
  CHECK_THROWS_AS(keptPatterns(model, first), std::runtime_error);
}

TEST_CASE("launches that are taken apart have other numbers, and entries of their own") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.column(blob.site(abi::Operation::Store, 4) + 1);
  blob.column(blob.site(abi::Operation::AtomicAdd, 4) + 1);
  blob.space(abi::SpaceVerdict::Decided, abi::kSiteGridBarrier);
  trace.table(blob);
  for (const bool waits : {true, false}) {
    test::Words words;
    for (std::uint64_t cta = 0; cta < 2; ++cta) {
      words.strided(0, cta, 0, 0x10000 + 128 * cta, 4);
      if (waits)
        words.strided(1, cta, 0, 0x50000, 0, 1);
      words.strided(0, cta, 0, 0x20000 + 128 * cta, 4);
    }
    trace.run(waits ? "waits(float*)" : "goes(float*)", {2, 1, 1}, {32, 1, 1}, words);
  }
  trace.writer->finish();
  const auto places = [&](LaunchParts parts) {
    std::set<std::pair<LaunchIndex, std::uint32_t>> all;
    for (const auto &[place, patterns] : keptPatterns(Model(file.path(), parts)))
      all.emplace(place.launch, place.site);
    return all;
  };
  const auto whole = places(LaunchParts::Whole), phases = places(LaunchParts::Phases);
  REQUIRE(whole != phases);
  const Cache cache;
  for (int round = 0; round < 2; ++round) {
    CHECK(places(LaunchParts::Whole) == whole);
    CHECK(places(LaunchParts::Phases) == phases);
  }
  CHECK(cache.entries().size() == 2);
}

TEST_CASE("a trace that was written anew has nothing kept") {
  test::TemporaryFile file;
  const Cache cache;
  test::writeSmallTrace(file.path());
  const std::string small = resultsText(file.path());
  writeLargeTrace(file.path());
  const std::string stores = resultsText(file.path());
  CHECK(stores != small);
  const auto size = fs::file_size(file.path());
  writeLargeTrace(file.path(), abi::Operation::Load);
  REQUIRE(fs::file_size(file.path()) == size);
  KeptWork::turnOn({});
  const std::string loads = resultsText(file.path());
  CHECK(loads != stores);
  KeptWork::turnOn({.folder = cache.path(), .leastAccesses = 0});
  CHECK(resultsText(file.path()) == loads);
}

TEST_CASE("an entry with any byte changed, or cut off anywhere, is none") {
  const Model model(CUPR_GOLDEN "/v4/small.cuprtrace");
  const Cache cache;
  KeptWork(model, "text").write(saveText);
  REQUIRE(readsText(model, "text"));
  REQUIRE(cache.entries().size() == 1);
  const fs::path entry = cache.entries()[0];
  const std::string good = bytesOf(entry);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    write(entry, bad);
    INFO("byte " << i);
    CHECK_FALSE(readsText(model, "text"));
    write(entry, good.substr(0, i));
    CHECK_FALSE(readsText(model, "text"));
  }
  write(entry, good + "x");
  CHECK_FALSE(readsText(model, "text"));
  write(entry, good);
  CHECK(readsText(model, "text"));
  // That of another question, program or trace, under this one's name.
  KeptWork(model, "other").write(saveText);
  for (const fs::path &other : cache.entries())
    if (other != entry)
      write(entry, bytesOf(other));
  CHECK_FALSE(readsText(model, "text"));
  CHECK(readsText(model, "other"));
  CHECK_FALSE(readsText(Model(CUPR_GOLDEN "/v4/stencil.cuprtrace"), "other"));
}

TEST_CASE("what an entry says of lengths is not believed") {
  const Model model(CUPR_GOLDEN "/v4/small.cuprtrace");
  const Cache cache;
  for (const std::uint64_t length :
       {std::uint64_t{1}, std::uint64_t{5000}, std::uint64_t{1} << 40, UINT64_MAX}) {
    KeptWork(model, "lengths").write([&](std::FILE *file) { writeAll(file, &length, sizeof length); });
    std::vector<std::uint64_t> values;
    CHECK_FALSE(KeptWork(model, "lengths").read([&](std::FILE *file) { loadVector(file, values); }));
    CHECK(values.size() < 8192);
    // The same as what the analysis keeps: then it is made anew.
    for (const char *what : {"communication, copies 0, strides of CTAs false",
                             "site totals, records 0, figures 1, launches 0 1"})
      KeptWork(model, what).write([&](std::FILE *file) {
        for (int i = 0; i < 3; ++i)
          writeAll(file, &length, sizeof length);
      });
    const Communication known = communication(model);
    CHECK(known.counts.accesses() != 0);
  }
}

TEST_CASE("little is kept, of little traces nothing, and what was not used for longest goes") {
  const std::string path = CUPR_GOLDEN "/v4/small.cuprtrace";
  const Model model(path);
  {
    const Cache cache(700);
    std::set<fs::path> seen;
    for (int number = 1; number <= 5; ++number) {
      KeptWork(model, std::to_string(number)).write(saveText);
      for (const fs::path &entry : cache.entries())
        if (seen.insert(entry).second)
          fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(10 - number));
    }
    CHECK(cache.entries().size() < 4);
    CHECK(readsText(model, "5"));
    CHECK(readsText(model, "4"));
    CHECK_FALSE(readsText(model, "1"));
  }
  const Cache cache;
  KeptWork(model, "large").write([](std::FILE *file) {
    std::vector<std::uint64_t> noise(1u << 18);
    std::uint64_t state = 1;
    for (std::uint64_t &value : noise)
      value = state = state * 6364136223846793005 + 1442695040888963407;
    saveVector(file, noise);
  });
  CHECK(cache.entries().empty());
  KeptWork::turnOn({.folder = cache.path()});
  resultsText(path);
  CHECK(cache.entries().empty());
  // A folder that others may write to, or that is none.
  fs::permissions(cache.path(), fs::perms::all);
  KeptWork::turnOn({.folder = cache.path(), .leastAccesses = 0});
  KeptWork(model, "text").write(saveText);
  CHECK(cache.entries().empty());
  fs::permissions(cache.path(), fs::perms::owner_all);
  KeptWork::turnOn({.folder = path + "/traces", .leastAccesses = 0});
  KeptWork(model, "text").write(saveText);
  CHECK_FALSE(readsText(model, "text"));
}

TEST_CASE("what was refused for its work stays refused, and what was allowed is not refused for less") {
  const Model model(CUPR_GOLDEN "/v4/small.cuprtrace");
  const Cache cache;
  const KeptWork work(model, "steps");
  model.limit().spend(trace::WorkLimit::kFreeSteps / 2 + 1, [] { return std::string("a test"); });
  work.write(saveText);
  const Model again(CUPR_GOLDEN "/v4/small.cuprtrace");
  CHECK(readsText(again, "steps"));
  CHECK(again.limit().spent() > trace::WorkLimit::kFreeSteps / 2);
  CHECK_THROWS_AS(readsText(again, "steps"), trace::TooMuch);
}

TEST_CASE("every verb says the same from what is kept, and several at once keep what is right") {
  test::TemporaryFile file, folder;
  writeLargeTrace(file.path());
  fs::create_directory(folder.path());
  const auto said = [&](const std::string &setting, const std::string &words) {
    const std::string output = folder.path() + "/output";
    std::string command = words;
    if (const std::size_t at = command.find("{}"); at != command.npos)
      command.replace(at, 2, output);
    test::Run run =
        test::outputOf("CUPREWRITE_CACHE=" + setting + " " + CUPRANALYZE + " " + command + " " + file.path());
    REQUIRE(run.code == 0);
    if (fs::is_directory(output)) {
      std::set<fs::path> files(fs::directory_iterator(output), {});
      for (const fs::path &table : files)
        run.out += table.filename().string() + bytesOf(table);
    } else if (fs::exists(output))
      run.out += bytesOf(output);
    fs::remove_all(output);
    return run.out;
  };
  for (const char *verb :
       {"comm -q", "comm -q --json", "findings -q", "findings -q --json", "findings -q --accesses",
        "findings -q -c 1", "report -q -o {}", "report -q -c 2 -o {}", "results -q --format=csv -o {}",
        "results -q --format=sqlite -o {}", "results -q --format=csv --thread-strides -o {}",
        "results -q --format=perfetto -o {}", "advise -q", "profile",
        "comm -q --json --device-copies=read"}) {
    INFO(verb);
    const std::string cache = folder.path() + "/cache", without = said("off", verb);
    CHECK(said(cache, std::string("--no-cache ") + verb) == without);
    CHECK_FALSE(fs::exists(cache));
    CHECK(said(cache, verb) == without);
    CHECK(fs::exists(cache + "/traces"));
    CHECK(said(cache, verb) == without);
    fs::remove_all(cache);
  }
  CHECK(test::outputOf("CUPREWRITE_CACHE=/dev/null " + std::string(CUPRANALYZE) + " comm -q " + file.path())
            .out == said("off", "comm -q"));
  // Four at once, twice: who comes first writes, who comes later reads, or writes the same.
  const std::string cache = folder.path() + "/cache",
                    one = "CUPREWRITE_CACHE=" + cache + " " + CUPRANALYZE + " comm -q " + file.path();
  std::string many;
  for (int i = 0; i < 4; ++i)
    many += one + " > " + folder.path() + "/" + std::to_string(i) + " & ";
  for (int round = 0; round < 2; ++round) {
    REQUIRE(test::outputOf(many + "wait").code == 0);
    for (int i = 0; i < 4; ++i)
      CHECK(bytesOf(folder.path() + "/" + std::to_string(i)) == said("off", "comm -q"));
  }
  CHECK(std::distance(fs::directory_iterator(cache + "/traces"), {}) == 1);
  fs::remove_all(folder.path());
}

} // namespace kept_work_test

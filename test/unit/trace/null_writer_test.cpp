/// The null sink counts what a file's writer counts, and keeps nothing.
#include "hostlib/trace/summary.h"
#include "random_records.h"
#include "small_trace.h"
#include "stderr_capture.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace cupr;
using namespace cupr::trace;

namespace {

test::SiteTableBlob tableOf(unsigned sites) {
  test::SiteTableBlob blob;
  for (unsigned site = 0; site < sites; ++site)
    blob.site(site % 3 == 0   ? abi::Operation::Load
              : site % 3 == 1 ? abi::Operation::Store
                              : abi::Operation::AtomicAdd,
              1u << site % 4, "a.cu", site + 1);
  return blob;
}

/// The same records, with what only the queue needs: tags, generations, pads.
test::Words asDelivered(const std::vector<Word> &clean, std::uint16_t tag) {
  test::Words words;
  abi::WarpAccess access;
  for (std::size_t at = 0; at < clean.size();) {
    std::uint32_t size = 0;
    REQUIRE(abi::decodeRecord(clean.data() + at, clean.size() - at, access, size) ==
            abi::RecordStatus::Access);
    if (at % 7 == 0)
      words.pad(3);
    std::vector<Word> record(clean.begin() + static_cast<std::ptrdiff_t>(at),
                             clean.begin() + static_cast<std::ptrdiff_t>(at + size));
    std::memcpy(record[0].bytes + offsetof(abi::RecordHead, cta) + 6, &tag, sizeof tag);
    record[1].bytes[15] = 0x55; // of the generation
    words.append(record);
    at += size;
  }
  return words;
}

void feedOneLaunch(Writer &writer) {
  const auto table = tableOf(5); // some records name other sites
  const ModuleId module = writer.module(table.bytes());
  for (unsigned number = 1; number <= 3; ++number) {
    Launch launch;
    launch.id = LaunchId{number};
    launch.module = module;
    launch.traced = true;
    writer.launch(launch);
    std::vector<std::thread> threads;
    for (std::uint32_t lane = 0; lane < 4; ++lane)
      threads.emplace_back([&, lane] {
        for (unsigned turn = 0; turn < 5; ++turn) {
          std::uint32_t records = 0;
          const auto words = test::randomRecords(number * 100 + lane * 10 + turn, 300, records);
          writer.records(launch.id, lane, words.data(), words.size());
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    LaunchEnd end;
    end.id = launch.id;
    end.complete = true;
    end.recordWords = writer.recordWords(launch.id);
    if (number != 3)
      writer.launchEnd(end);
  }
}

void checkSame(const Totals &a, const Totals &b) {
  CHECK(a.launches == b.launches);
  CHECK(a.traced == b.traced);
  CHECK(a.recordCounts.counts == b.recordCounts.counts);
  CHECK(a.recordCounts.unknownSites == b.recordCounts.unknownSites);
  for (unsigned form = 0; form < abi::kRecordForms; ++form) {
    INFO("form " << form);
    CHECK(a.recordCounts.forms[form].records == b.recordCounts.forms[form].records);
    CHECK(a.recordCounts.forms[form].words == b.recordCounts.forms[form].words);
    CHECK(a.recordCounts.forms[form].accesses == b.recordCounts.forms[form].accesses);
  }
}

} // namespace

TEST_CASE("the null sink counts as the file's writer does") {
  test::TemporaryFile file;
  const auto toFile = Writer::create(file.path(), test::testProcess());
  std::unique_ptr<Writer> toNull = Writer::createNull(test::testProcess());
  feedOneLaunch(*toFile);
  feedOneLaunch(*toNull);
  const Totals totals = toNull->totals();
  CHECK(totals.launches == 3);
  CHECK(totals.recordCounts.total().records == 3 * 4 * 5 * 300);
  CHECK(totals.recordCounts.unknownSites > 0);
  checkSame(totals, toFile->totals());
  for (unsigned number = 1; number <= 4; ++number)
    CHECK(toNull->recordWords(LaunchId{number}) == toFile->recordWords(LaunchId{number}));
  bool whole = true;
  const auto lines = test::stderrOf([&] { whole = toNull->finish(); });
  CHECK_FALSE(whole); // a launch has no end
  const FormCounts all = totals.recordCounts.total();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "cuprewrite: nothing is written (null sink): 18000 records of " +
                        std::to_string(all.accesses) + " accesses, " + std::to_string(all.words * 16) +
                        " bytes, in 3 traced launches; 3 launches are incomplete\n");
}

TEST_CASE("tags, generations and pads leave no trace, in any sink") {
  std::uint32_t records = 0;
  const std::vector<Word> clean = test::randomRecords(7, 2000, records);
  test::TemporaryFile plainFile, taggedFile;
  const auto write = [&](const std::string &path, const Word *words, std::size_t count, std::uint64_t tag) {
    test::TraceBuilder trace(path);
    trace.table(tableOf(5));
    const auto id = trace.launch("k()", {64, 1, 1}, {1024, 1, 1});
    CHECK(trace.writer->records(id, 0, words, count, tag) == count);
    trace.end(id);
    trace.writer->finish();
    return trace.writer->totals();
  };
  const test::Words tagged = asDelivered(clean, 0xbeef);
  CHECK(tagged.size() > clean.size());
  checkSame(write(plainFile.path(), clean.data(), clean.size(), 0),
            write(taggedFile.path(), tagged.data(), tagged.size(), 0xbeef));
  CHECK(plainFile.read() == taggedFile.read());
}

TEST_CASE("a run ends in front of another launch's records") {
  std::uint32_t records = 0;
  const std::vector<Word> one = test::randomRecords(1, 20, records),
                          two = test::randomRecords(2, 30, records);
  test::Words both = asDelivered(one, 0x0001);
  const std::size_t border = both.size();
  const test::Words second = asDelivered(two, 0xffff);
  both.append({second.data(), second.data() + second.size()});
  const auto writer = Writer::createNull(test::testProcess());
  const ModuleId module = writer->module(tableOf(5).bytes());
  for (const std::uint64_t number : {1u, 0xffffu}) {
    Launch launch;
    launch.id = LaunchId{number};
    launch.module = module;
    launch.traced = true;
    writer->launch(launch);
  }
  const std::size_t taken = writer->records(LaunchId{1}, 0, both.data(), both.size(), 1);
  CHECK(taken >= border); // pads between the two belong to nobody
  CHECK(writer->recordWords(LaunchId{1}) == one.size());
  CHECK(writer->records(LaunchId{0xffff}, 0, both.data() + taken, both.size() - taken, 0xffff) ==
        both.size() - taken);
  CHECK(writer->recordWords(LaunchId{0xffff}) == two.size());
  CHECK(writer->records(LaunchId{1}, 0, both.data() + taken, both.size() - taken, 1) == 0);
  test::stderrOf([&] { writer->finish(); });
}

TEST_CASE("Follow records are whole in the trace") {
  abi::WarpAccess access{};
  access.laneMask = 0x0000ffffu;
  access.cta = 5;
  access.warp = 3;
  access.sm = 77;
  const auto encoded = [&](std::uint32_t site, std::uint64_t base, std::uint64_t pitch) {
    access.site = site;
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      access.address[lane] = base + pitch * (lane / 8) + 4 * (lane % 8);
    std::vector<Word> words(abi::kMaxRecordWords);
    words.resize(abi::encodeRecord(access, 9, words.data(), 8));
    return words;
  };
  // Affine, rows, affine, rows; the second and later of them short.
  const std::vector<std::vector<Word>> whole = {encoded(0, 0x1000, 32), encoded(1, 0x2000, 400),
                                                encoded(2, 0x3000, 32), encoded(3, 0x4000, -400)};
  test::Words queued, plain;
  for (const std::vector<Word> &record : whole) {
    REQUIRE(record.size() == 2);
    plain.append(record);
    abi::RecordHead head;
    std::memcpy(&head, record.data(), sizeof head);
    if (queued.size() == 0) {
      queued.append(record);
      continue;
    }
    const abi::FirstWord follow =
        abi::followRecord(abi::siteOf(head.siteAndForm),
                          abi::formOf(head.siteAndForm) == abi::RecordForm::Rows, head.shape, head.base);
    Word word;
    std::memcpy(&word, &follow, sizeof word);
    queued.append({word});
  }
  const auto write = [&](const std::string &path, const test::Words &words) {
    test::TraceBuilder trace(path);
    trace.table(tableOf(5));
    const auto id = trace.launch("k()", {64, 1, 1}, {1024, 1, 1});
    CHECK(trace.writer->records(id, 0, words.data(), words.size()) == words.size());
    trace.end(id);
    trace.writer->finish();
    return trace.writer->totals();
  };
  test::TemporaryFile short_, long_;
  const Totals totals = write(short_.path(), queued);
  CHECK(totals.recordCounts.total().records == 4);
  CHECK(totals.recordCounts.malformedWords == 0);
  checkSame(totals, write(long_.path(), plain));
  CHECK(short_.read() == long_.read());
  // With nothing in front of it, it is no record.
  test::Words orphan;
  orphan.append({queued.data()[queued.size() - 1]});
  test::TemporaryFile bad;
  CHECK(write(bad.path(), orphan).recordCounts.malformedWords == 1);
}

TEST_CASE("a null sink whose launches are whole says so") {
  bool whole = false;
  const auto lines = test::stderrOf([&] {
    const auto writer = Writer::createNull(test::testProcess());
    const ModuleId module = writer->module(test::smallTable().bytes());
    Launch launch;
    launch.id = LaunchId{1};
    launch.module = module;
    launch.traced = true;
    writer->launch(launch);
    test::Words words;
    words.strided(0, 0, 0, 0x1000, 4);
    words.pad(2);
    words.strided(1, 0, 0, 0x2000, 8, 0xff);
    words.ranges(2, 0, 0x3000, {100, 28});
    writer->records(launch.id, 9, words.data(), words.size());
    LaunchEnd end;
    end.id = launch.id;
    end.complete = true;
    end.recordWords = 8;
    writer->launchEnd(end);
    CHECK(writer->totals().recordCounts.counts.global == Counts{32, 8, 2, 128, 64, 128});
    CHECK(writer->path().empty());
    CHECK_FALSE(writer->failed());
    whole = writer->finish();
  });
  CHECK(whole);
  CHECK(lines ==
        std::vector<std::string>{"cuprewrite: nothing is written (null sink): 3 records of 42 accesses, "
                                 "128 bytes, in 1 traced launches\n"});
}

TEST_CASE("a summary is a line of JSON in a file that processes share") {
  test::TemporaryFile file;
  Process process = test::testProcess();
  process.program = "/odd \"name\"\n";
  WriterOptions options;
  options.summaryPath = file.path();
  for (int turn = 0; turn < 2; ++turn)
    test::stderrOf([&] {
      const auto writer = Writer::createNull(process, options);
      const ModuleId module = writer->module(test::smallTable().bytes());
      Launch launch;
      launch.id = LaunchId{1};
      launch.module = module;
      launch.traced = true;
      writer->launch(launch);
      launch.id = LaunchId{2};
      launch.traced = false;
      writer->launch(launch);
      test::Words words;
      words.strided(0, 0, 0, 0x1000, 4);
      words.ranges(2, 0, 0x3000, {100, 28});
      writer->records(LaunchId{1}, 0, words.data(), words.size());
      writer->finish();
    });
  const std::string line =
      "{\"format\":\"cupr-summary\",\"version\":1,\"sink\":\"null\",\"pid\":42,\"program\":\"/odd "
      "\\\"name\\\"\\u000a\",\"launches\":2,\"traced\":1,\"records\":2,\"words\":6,\"accesses\":34,"
      "\"accessBytes\":256,\"forms\":{\"affine\":{\"records\":1,\"words\":2,\"accesses\":32},"
      "\"range\":{\"records\":1,\"words\":4,\"accesses\":2}}}\n";
  CHECK(file.read() == line + line);
}

/// How fast the host's side takes records, and how many bytes it leaves of them, sink by sink; run as a test,
/// also whether the counts are right.
///
///     writer_speed [--elements=N] [--seconds=S] [--threads=N,...] [--folder=DIR] [--level=N]
///     [--processor-time]
///
/// Prints a table: nanoseconds per record and thread, and bytes of file per thread-level access. Each thread
/// has bins of its own, as the queue's consumers do. The launch is repeated until the time has passed. Exit
/// 1: a count is wrong.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/writer.h"
#include "page_stream.h"
#include "unit/trace/trace_builder.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <thread>

using namespace cupr;
using namespace cupr::bench;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What is measured: the time that passes, or the time that the process's threads run, for machines that do
/// other things too.
enum class Time { Wall, Processor };

double now(Time time) {
  return time == Time::Processor ? static_cast<double>(std::clock()) / CLOCKS_PER_SEC
                                 : std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

struct Rate {
  double nanoseconds = 0; ///< per record and thread, in the median launch
  std::uint64_t launches = 0;
};

/// Gives the stream to the writer again and again, by as many threads, until the time has passed.
Rate feed(trace::Writer &writer, const PageStream &stream, unsigned threads, double seconds, Time time) {
  test::SiteTableBlob blob;
  for (unsigned site = 0; site < stream.sites.size(); ++site)
    blob.site(stream.sites[site].operation, stream.sites[site].bytes, "bench.cu", site + 1);
  const trace::ModuleId module = writer.module(blob.bytes());
  trace::Launch launch;
  launch.kernel = stream.name;
  launch.grid = stream.grid;
  launch.block = stream.block;
  launch.module = module;
  launch.traced = true;
  const auto begin = [&] {
    launch.id = trace::LaunchId{static_cast<std::uint64_t>(launch.id) + 1};
    ++launch.order;
    writer.launch(launch);
  };
  const auto end = [&] {
    trace::LaunchEnd end;
    end.id = launch.id;
    end.complete = true;
    end.recordWords = writer.recordWords(launch.id);
    writer.launchEnd(end);
  };
  bool more = true;
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  double began = now(time);
  begin();
  const auto next = [&]() noexcept {
    end();
    times.push_back((now(time) - began) * (time == Time::Wall ? threads : 1));
    began = now(time);
    if ((more = secondsSince(start) < seconds))
      begin();
  };
  std::barrier delivered(threads);
  std::barrier barrier(threads, next);
  std::vector<std::thread> workers;
  for (unsigned thread = 0; thread < threads; ++thread)
    workers.emplace_back([&, thread] {
      while (more) {
        for (const PageStream::Page &page : stream.pages)
          if (page.bin % threads == thread)
            writer.records(launch.id, page.bin, page.words.data(), page.words.size());
        delivered.arrive_and_wait();
        if (threads > 1) // as the queue does
          writer.flushChannels(launch.id, kBins * thread / threads, kBins * (thread + 1) / threads);
        barrier.arrive_and_wait();
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  const auto median = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), median, times.end());
  return {*median * 1e9 / static_cast<double>(stream.records), times.size()};
}

bool check(bool holds, const PageStream &stream, const char *what) {
  if (!holds)
    std::fprintf(stderr, "writer_speed: %s: %s\n", stream.name.c_str(), what);
  return holds;
}

/// Whether the trace holds what went in, and what reading it costs per record.
bool readBack(const std::string &path, const PageStream &stream, std::uint64_t launches, Time time,
              double &nanoseconds) {
  std::string error;
  auto reader = trace::Reader::open(path, error);
  if (!check(reader != nullptr, stream, error.c_str()))
    return false;
  const trace::Verdict verdict = trace::verify(*reader);
  bool good =
      check(verdict.problems.empty(), stream,
            verdict.problems.empty() ? "" : verdict.problems.front().c_str()) &&
      check(verdict.records == launches * stream.records, stream, "records are missing in the trace") &&
      check(verdict.counts.accesses() == launches * stream.accesses, stream,
            "accesses are missing in the trace");
  reader = trace::Reader::open(path, error);
  trace::Message message;
  std::vector<trace::Word> words;
  double unpacking = 0;
  while (reader->next(message) == trace::ReadStatus::Message)
    if (const auto *chunk = std::get_if<trace::Chunk>(&message)) {
      const double start = now(time);
      good = check(trace::unpackChunk(*chunk, words).empty(), stream, "a chunk does not unpack") && good;
      unpacking += now(time) - start;
    }
  nanoseconds = unpacking * 1e9 / static_cast<double>(launches * stream.records);
  return good;
}

} // namespace

int main(int argc, char **argv) {
  unsigned elements = 4194304;
  double seconds = 1;
  std::vector<unsigned> threads{1};
  std::string folder = std::filesystem::temp_directory_path(), only;
  trace::WriterOptions options;
  Time time = Time::Wall;
  CLI::App app("How fast trace::Writer takes records, sink by sink.");
  app.add_option("--elements", elements, "elements of each kernel, 65536 or more")
      ->check(CLI::Range(65536u, 1u << 28));
  app.add_option("--seconds", seconds, "time for each measurement");
  app.add_option("--threads", threads, "numbers of threads, separated by commas")->delimiter(',');
  app.add_option("--folder", folder, "where the trace files lie for a while");
  app.add_option("--level", options.level, "zstd's level; 0 follows back-pressure")->check(CLI::Range(0, 19));
  app.add_flag_callback(
      "--processor-time", [&] { time = Time::Processor; }, "measure processor time instead of wall clock");
  app.add_option("--only", only, "one kernel, by name");
  CLI11_PARSE(app, argc, argv);

  const std::string path =
      (std::filesystem::path(folder) / ("writer_speed." + std::to_string(::getpid()))).string();
  bool good = true;
  std::printf(
      "| kernel | threads | null sink ns | file, discarded ns | file ns | reading ns | bytes per access |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const PageStream &stream : pageStreams(elements)) {
    if (!only.empty() && only != stream.name)
      continue;
    for (const unsigned count : threads) {
      Rate null, discarded, file;
      {
        const auto writer = trace::Writer::createNull(test::testProcess(), options);
        null = feed(*writer, stream, count, seconds, time);
        const trace::Totals totals = writer->totals();
        good &= check(totals.recordCounts.total().records == null.launches * stream.records, stream,
                      "the null sink counts another number of records") &&
                check(totals.recordCounts.counts.accesses() == null.launches * stream.accesses, stream,
                      "the null sink counts another number of accesses") &&
                check(writer->finish(), stream, "the null sink misses something");
      }
      {
        const auto writer = trace::Writer::create("/dev/null", test::testProcess(), options);
        discarded = feed(*writer, stream, count, seconds, time);
        good &= check(writer->finish(), stream, "the writer lost something");
      }
      {
        const auto writer = trace::Writer::create(path, test::testProcess(), options);
        file = feed(*writer, stream, count, seconds, time);
        good &= check(writer->finish(), stream, "the writer lost something");
      }
      double reading = 0;
      good &= readBack(path, stream, file.launches, time, reading);
      std::printf("| %s | %u | %.1f | %.1f | %.1f | %.1f | %.4f |\n", stream.name.c_str(), count,
                  null.nanoseconds, discarded.nanoseconds, file.nanoseconds, reading,
                  static_cast<double>(std::filesystem::file_size(path)) /
                      static_cast<double>(file.launches * stream.accesses));
      std::fflush(stdout);
      std::filesystem::remove(path);
    }
  }
  return good ? 0 : 1;
}

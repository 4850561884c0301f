#include "measured_trace.h"

#include "unit/trace/trace_builder.h"

#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace cupr::bench {

void writeTrace(const std::string &path, const PageStream &stream, unsigned launches) {
  const auto writer = trace::Writer::create(path, test::testProcess());
  test::SiteTableBlob blob;
  for (unsigned site = 0; site < stream.sites.size(); ++site) {
    blob.site(stream.sites[site].operation, stream.sites[site].bytes, "bench.cu", site + 1);
    if (abi::operationClass(stream.sites[site].operation) == abi::OperationClass::Atomic)
      blob.order(abi::MemoryOrder::Relaxed, abi::MemoryScope::Device);
  }
  blob.recorded(abi::kRecordsSynchronisation);
  trace::Allocation memory;
  memory.address = kMemory;
  memory.bytes = kMemoryBytes;
  memory.call = "cudaMallocManaged";
  memory.kind = trace::MemoryKind::Managed;
  memory.order = 1;
  writer->allocation(memory);
  trace::Launch launch;
  launch.kernel = stream.name;
  launch.grid = stream.grid;
  launch.block = stream.block;
  launch.module = writer->module(blob.bytes());
  launch.traced = true;
  for (unsigned i = 0; i < launches; ++i) {
    launch.id = trace::LaunchId{i + 1};
    launch.order = i + 2;
    writer->launch(launch);
    for (const PageStream::Page &page : stream.pages)
      writer->records(launch.id, page.bin, page.words.data(), page.words.size());
    trace::LaunchEnd end;
    end.id = launch.id;
    end.complete = true;
    end.recordWords = writer->recordWords(launch.id);
    writer->launchEnd(end);
  }
  writer->finish();
}

CLI::Option *MeasuredRuns::addTo(CLI::App &app) {
  app.add_option("--elements", elements, "elements of each kernel, 65536 or more")
      ->check(CLI::Range(65536u, 1u << 28));
  app.add_option("--launches", launches, "launches in a trace, separated by commas")->delimiter(',');
  app.add_option("--threads", threads, "numbers of threads, separated by commas")->delimiter(',');
  app.add_option("--folder", folder, "where the trace files lie for a while");
  return app.add_option("--only", only, "one kernel, by name");
}

bool MeasuredRuns::forEach(
    std::string path,
    const std::function<bool(const std::string &, const PageStream &, unsigned)> &measure) const {
  const bool isKept = !path.empty();
  if (!isKept)
    path = ((folder.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(folder)) /
            ("cupr_bench." + std::to_string(::getpid())))
               .string();
  bool good = true;
  for (const char *const name :
       {"vector add", "stencil", "matmul", "histogram", "random gather", "random exchange"}) {
    if (!only.empty() && only != name)
      continue;
    for (const unsigned count : launches) {
      PageStream stream = std::move(pageStreams(elements, name).at(0));
      writeTrace(path, stream, count);
      stream.pages = {};
      good = measure(path, stream, count) && good;
    }
  }
  if (!isKept)
    std::filesystem::remove(path);
  return good;
}

void forgetPeak() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

long peakMebibytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

} // namespace cupr::bench

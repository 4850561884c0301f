/// A trace that is written into memory, and what it holds when it is read back, act by act.
#ifndef CUPR_TEST_WRITTEN_TRACE_H
#define CUPR_TEST_WRITTEN_TRACE_H

#include "hostlib/trace/message.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/writer.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace cupr::test {

/// By kind, in the order of the trace.
struct Told {
  std::vector<trace::Module> modules;
  std::vector<trace::Launch> launches;
  std::vector<trace::LaunchTotals> ends;
  std::vector<trace::Allocation> allocations;
  std::vector<trace::Free> frees;
  std::vector<trace::ImageObject> objects;
  std::vector<trace::Copy> copies;
  std::vector<trace::Set> sets;
  std::vector<trace::Synchronisation> synchronisations;
  std::vector<trace::Contents> contents;
  std::vector<trace::Snapshot> snapshots;
  std::vector<trace::Chunk> chunks;
  trace::HostBatch host; ///< all of its batches
  bool lost = false;
};

class WrittenTrace {
public:
  const std::unique_ptr<trace::Writer> writer;

  explicit WrittenTrace(const trace::WriterOptions &options = {})
      : writer(trace::Writer::createMemory(testProcess(), options)) {}

  /// Ends the trace.
  Told read() {
    writer->finish();
    std::string error;
    const auto reader = trace::Reader::open(writer->path(), error);
    REQUIRE(reader);
    Told told;
    trace::Message message;
    trace::ReadStatus status;
    while ((status = reader->next(message)) == trace::ReadStatus::Message)
      std::visit([&](const auto &what) { add(told, what); }, message);
    REQUIRE(status == trace::ReadStatus::End);
    return told;
  }

private:
  static void add(Told &told, const trace::Module &module) { told.modules.push_back(module); }
  static void add(Told &told, const trace::Launch &launch) { told.launches.push_back(launch); }
  static void add(Told &told, const trace::LaunchTotals &end) { told.ends.push_back(end); }
  static void add(Told &told, const trace::Allocation &allocation) { told.allocations.push_back(allocation); }
  static void add(Told &told, const trace::Free &free) { told.frees.push_back(free); }
  static void add(Told &told, const trace::ImageObject &object) { told.objects.push_back(object); }
  static void add(Told &told, const trace::Copy &copy) { told.copies.push_back(copy); }
  static void add(Told &told, const trace::Set &set) { told.sets.push_back(set); }
  static void add(Told &told, const trace::Synchronisation &call) { told.synchronisations.push_back(call); }
  static void add(Told &told, const trace::End &end) { told.lost = end.lost; }
  static void add(Told &, const trace::Header &) {}
  static void add(Told &told, const trace::Contents &contents) { told.contents.push_back(contents); }
  static void add(Told &told, const trace::Snapshot &snapshot) { told.snapshots.push_back(snapshot); }
  static void add(Told &told, const trace::Chunk &chunk) { told.chunks.push_back(chunk); }
  static void add(Told &told, const trace::PackedHostBatch &packed) {
    trace::HostBatch batch;
    REQUIRE(trace::unpackHost(packed, batch) == "");
    told.host += batch;
  }
  static void add(Told &told, const trace::ActBatch &batch) {
    for (const auto &launch : batch.launches)
      told.launches.push_back(batch.whole(launch));
    for (const auto &allocation : batch.allocations)
      told.allocations.push_back(batch.whole(allocation));
    for (const auto &free : batch.frees)
      told.frees.push_back(batch.whole(free));
  }
};

} // namespace cupr::test

#endif

/// Traces that the rules allow and no program writes: any messages, with the counts, checks and totals that
/// `verify` wants to see.
#ifndef CUPR_TEST_HOSTILE_FORGE_H
#define CUPR_TEST_HOSTILE_FORGE_H

#include "devicelib/abi/version.h"
#include "hostlib/trace/frame.h"
#include "hostlib/trace/message_file.h"
#include "hostlib/trace/recount.h"
#include "unit/trace/trace_builder.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cupr::test {

/// Addresses, sites and grids are the smallest that show what is meant.
inline constexpr std::uint64_t kA = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;

/// Records and how many there are.
struct Batch {
  Words words;
  std::uint32_t records = 0;

  void strided(std::uint32_t site, std::uint64_t cta, std::uint64_t base, std::int64_t stride,
               std::uint32_t mask = 0xffffffffu) {
    words.strided(site, cta, 0, base, stride, mask);
    ++records;
  }
  /// One thread's access.
  void single(std::uint32_t site, std::uint64_t cta, std::uint64_t address) {
    strided(site, cta, address, 0, 1);
  }
  void add(const abi::WarpAccess &access) {
    words.add(access);
    ++records;
  }
  bool hasRoom() const { return words.size() + abi::kMaxRecordWords <= trace::kMaxChunkWords; }
};

class Forge {
public:
  explicit Forge(const std::string &path, trace::Process process = testProcess()) : file_(path) {
    trace::Header header;
    header.abiVersion = CUPR_ABI_VERSION;
    header.process = std::move(process);
    put(header);
  }

  /// A module with these sites, all at a.cu, one in each line.
  static trace::Module moduleOf(const std::vector<std::pair<abi::Operation, std::uint32_t>> &sites) {
    trace::Module module;
    module.strings = {"", "a.cu", "kernel(int*)", "int"};
    for (const auto &[operation, bytes] : sites) {
      trace::Site site;
      site.file = 1;
      site.line = static_cast<std::uint32_t>(module.sites.size()) + 1;
      site.column = 1;
      site.function = 2;
      site.type = 3;
      site.bytes = bytes;
      site.operation = operation;
      site.flags = bytes == 0 ? std::uint16_t{abi::kSiteRange} : std::uint16_t{0};
      module.sites.push_back(site);
    }
    return module;
  }

  void module(trace::Module module) {
    module.id = static_cast<trace::ModuleId>(modules_.size());
    put(module);
    modules_.push_back(std::move(module));
  }

  /// A launch of the latest module, on the legacy stream where nothing else is said.
  trace::Launch newLaunch(trace::Dim3 grid = {1, 1, 1}, trace::Dim3 block = {32, 1, 1}) {
    trace::Launch launch;
    launch.id = static_cast<trace::LaunchId>(++launches_);
    launch.order = ++order_;
    launch.kernel = "kernel(int*)";
    launch.grid = grid;
    launch.block = block;
    launch.stream = 1;
    launch.streamKind = trace::StreamKind::Legacy;
    launch.module = modules_.empty() ? trace::kNoModule : static_cast<trace::ModuleId>(modules_.size() - 1);
    launch.traced = true;
    return launch;
  }

  void begin(trace::Launch launch) {
    launch_ = std::move(launch);
    totals_ = {};
    put(launch_);
  }
  /// The same records `times` times over, as chunks of the launch that has begun.
  void chunk(const Batch &batch, std::uint64_t times = 1, std::uint64_t untilBytes = UINT64_MAX) {
    const std::span<const trace::Word> words(batch.words.data(), batch.words.size());
    trace::Chunk chunk = trace::packChunk(words, batch.records, 0, 19);
    chunk.launch = launch_.id;
    trace::RecordTotals totals;
    const std::string rule = trace::recount(chunk, words, {}, launch_,
                                            modules_[static_cast<std::size_t>(launch_.module)].sites, totals);
    if (!rule.empty())
      throw std::runtime_error("a forged record: " + rule);
    for (std::uint64_t i = 0; i < times && bytes_ < untilBytes; ++i) {
      chunk.sequence = file_.chunks(launch_.id);
      put(chunk);
      totals_ += totals;
    }
  }
  void end(trace::LaunchEnd more = {}) {
    trace::LaunchTotals totals;
    totals.end = std::move(more);
    totals.end.id = launch_.id;
    totals.end.complete = true;
    totals.end.recordWords = totals_.words;
    totals.records = totals_.records;
    totals.words = totals_.words;
    totals.counts = totals_.counts;
    totals.chunks = file_.chunks(launch_.id);
    put(totals);
  }
  void run(trace::Launch launch, const Batch &batch) {
    begin(std::move(launch));
    chunk(batch);
    end();
  }

  void allocate(std::uint64_t address, std::uint64_t bytes) {
    trace::Allocation allocation;
    allocation.address = address;
    allocation.bytes = bytes;
    allocation.call = "cudaMalloc";
    allocation.order = ++order_;
    put(allocation);
  }
  trace::Copy newCopy(trace::CopyKind kind, std::uint64_t destination, std::uint64_t source,
                      std::uint64_t bytes) {
    trace::Copy copy;
    copy.kind = kind;
    copy.destination = destination;
    copy.source = source;
    copy.rowBytes = bytes;
    copy.stream = 1;
    copy.streamKind = trace::StreamKind::Legacy;
    copy.order = ++order_;
    return copy;
  }
  trace::Set newSet(std::uint64_t destination, std::uint64_t bytes) {
    trace::Set set;
    set.destination = destination;
    set.rowBytes = bytes;
    set.stream = 1;
    set.streamKind = trace::StreamKind::Legacy;
    set.order = ++order_;
    return set;
  }
  trace::Synchronisation newSynchronisation(trace::Synchronisation::Kind kind, std::uint64_t stream,
                                            trace::StreamKind streamKind, std::uint64_t event = 0) {
    trace::Synchronisation call;
    call.kind = kind;
    call.stream = stream;
    call.streamKind = streamKind;
    call.event = event;
    call.order = ++order_;
    return call;
  }

  /// The next launches and acts, which the batch counts from its first ones.
  void put(trace::ActBatch batch) {
    batch.firstLaunch = launches_ + 1;
    batch.firstOrder = order_ + 1;
    launches_ += batch.launches.size();
    order_ += batch.acts();
    put(trace::Message(std::move(batch)));
  }
  /// What the host did, behind the batches before.
  void host(const trace::HostBatch &batch) {
    trace::PackedHostBatch packed = trace::packHost(batch, 19).at(0);
    packed.first = host_;
    host_ += batch;
    put(std::move(packed));
  }
  /// Any message as it is.
  void put(const trace::Message &message) {
    const trace::Payload payload =
        std::visit([](const auto &value) { return trace::encode(value); }, message);
    bytes_ += sizeof(trace::FrameHead) + payload.size() * 8;
    file_.append(message, payload);
  }
  std::uint64_t bytes() const { return bytes_; }

  void finish(trace::End end = {}) {
    file_.finish(std::move(end));
    if (file_.error() != 0)
      throw std::runtime_error("the trace can't be written");
  }

private:
  trace::MessageFile file_;
  std::vector<trace::Module> modules_;
  std::uint64_t launches_ = 0, order_ = 0, bytes_ = 0;
  trace::HostCounts host_;
  trace::Launch launch_;
  trace::RecordTotals totals_;
};

} // namespace cupr::test

#endif

/// Makes small traces with the real writer: a file that goes away with its owner, and
/// records by the channel.
#ifndef CUPR_TEST_TRACE_BUILDER_H
#define CUPR_TEST_TRACE_BUILDER_H

#include "devicelib/abi/record.h"
#include "hostlib/trace/chunk.h"
#include "hostlib/trace/writer.h"
#include "site_table_blob.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace cupr::test {

/// A file name in a fresh folder; both are removed at the end.
class TemporaryFile {
public:
  TemporaryFile() {
    char pattern[] = "/tmp/cupr_test_XXXXXX";
    folder_ = ::mkdtemp(pattern);
    path_ = folder_ + "/t.cuprtrace";
  }
  ~TemporaryFile() {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &path() const { return path_; }

  std::string read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string &bytes) const {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

private:
  std::string folder_;
  std::string path_;
};

/// Records in the making.
class Words {
public:
  void add(const abi::WarpAccess &access, std::uint32_t generation = 0) {
    trace::Word out[abi::kMaxRecordWords];
    const std::uint32_t size = abi::encodeRecord(access, generation, out);
    words_.insert(words_.end(), out, out + size);
  }

  /// Lanes of `mask` access base + stride * lane.
  void strided(std::uint32_t site, std::uint64_t cta, std::uint32_t warp, std::uint64_t base,
               std::int64_t stride, std::uint32_t mask = 0xffffffffu) {
    abi::WarpAccess access{};
    access.site = site;
    access.laneMask = mask;
    access.cta = cta;
    access.warp = warp;
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      access.address[lane] = base + static_cast<std::uint64_t>(stride * lane);
    add(access);
  }

  /// Lanes 0, 1 ... access `bytes` at base, at base + bytes and so on.
  void ranges(std::uint32_t site, std::uint64_t cta, std::uint64_t base,
              const std::vector<std::uint64_t> &bytes) {
    abi::WarpAccess access{};
    access.site = site;
    access.cta = cta;
    for (unsigned lane = 0; lane < bytes.size(); ++lane) {
      access.laneMask |= 1u << lane;
      access.address[lane] = base;
      access.bytes[lane] = bytes[lane];
      base += bytes[lane];
    }
    trace::Word out[abi::kMaxRecordWords];
    words_.insert(words_.end(), out, out + abi::encodeRange(access, 0, out));
  }

  /// A piece of the values of the record before: `value(lane)` for those of `mask`.
  template <typename Value> void values(std::uint32_t bytes, std::uint32_t mask, Value value) {
    std::uint64_t lanes[abi::kLanes];
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      lanes[lane] = value(lane);
    trace::Word out[abi::kMaxValueWords];
    words_.insert(words_.end(), out, out + abi::writeValue(bytes, mask, lanes, out));
  }

  void pad(std::uint32_t words) {
    trace::Word word{};
    const abi::FirstWord pad = abi::padRecord(words);
    std::memcpy(word.bytes, &pad, sizeof word);
    words_.push_back(word);
    words_.resize(words_.size() + words - 1);
  }

  void append(const std::vector<trace::Word> &words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }

  const trace::Word *data() const { return words_.data(); }
  std::size_t size() const { return words_.size(); }
  void clear() { words_.clear(); }

private:
  std::vector<trace::Word> words_;
};

inline trace::Process testProcess(const char *deviceKind = "cpu") {
  trace::Process process;
  process.program = "/usr/bin/app";
  process.arguments = {"app", "--n", "4"};
  process.pid = 42;
  process.deviceKind = deviceKind;
  process.deviceName = "test device";
  process.startTime = 1000;
  return process;
}

/// A trace, call by call; `order` is counted here.
class TraceBuilder {
public:
  explicit TraceBuilder(const std::string &path, const char *deviceKind = "cpu",
                        const trace::WriterOptions &options = {})
      : writer(trace::Writer::create(path, testProcess(deviceKind), options)) {}

  void table(const SiteTableBlob &blob) { module_ = writer->module(blob.bytes()); }

  /// A texture object or a surface object of an array or of linear memory; it is not said where no call made it.
  void imageObject(trace::ImageKind kind, std::uint64_t handle, trace::ImageResource resource,
                   std::uint64_t memory) {
    trace::ImageObject object;
    object.kind = kind;
    object.object = handle;
    object.call = "made";
    object.resource = resource;
    object.memory = memory;
    object.format = "f32";
    object.width = 8;
    object.order = ++order_;
    writer->imageObject(object);
  }
  void destroyImageObject(trace::ImageKind kind, std::uint64_t handle) {
    trace::ImageObject object;
    object.kind = kind;
    object.object = handle;
    object.order = ++order_;
    object.isDestroyed = true;
    writer->imageObject(object);
  }

  /// Where the next launches, copies, sets and calls of synchronisation go.
  void stream(std::uint64_t number, trace::StreamKind kind) {
    stream_ = number;
    streamKind_ = kind;
  }
  /// Where in a graph the next launches, copies and sets stand.
  void place(trace::GraphPlace place) { place_ = std::move(place); }
  void synchronise(trace::Synchronisation::Kind kind, std::uint64_t event = 0) {
    trace::Synchronisation call;
    call.kind = kind;
    call.stream = stream_;
    call.streamKind = streamKind_;
    call.event = event;
    call.order = ++order_;
    writer->synchronisation(call);
  }

  /// The accesses of the next launches are derived from this slice.
  void derive(std::uint32_t slice, std::vector<std::uint64_t> values) {
    slice_ = slice;
    sliceValues_ = std::move(values);
  }

  /// Of the next launches, in bytes.
  void dynamicShared(std::uint32_t bytes) { dynamicShared_ = bytes; }

  /// Of the next launches, whose grids it must divide.
  void clusters(trace::Dim3 blocks) { clusters_ = blocks; }

  /// The next launches have values.
  void withValues() { values_ = true; }
  void withoutValues() { values_ = false; }
  /// The next launches are timed, or not.
  void timed(abi::LatencyScheme scheme) { timed_ = scheme; }

  /// Announces a launch; its records come with `records`, its end with `end`.
  trace::LaunchId launch(const std::string &kernel, trace::Dim3 grid, trace::Dim3 block,
                         const trace::CtaSelection &ctas = {}) {
    trace::Launch launch = begun(kernel, grid, block);
    launch.traced = true;
    launch.ctas = ctas;
    launch.slice = slice_;
    launch.sliceValues = sliceValues_;
    launch.values = values_;
    launch.timed = timed_;
    launch.dynamicShared = dynamicShared_;
    writer->launch(launch);
    return launch.id;
  }
  /// A launch that is not traced, and ran from `began` to `ended`.
  void untraced(const std::string &kernel, trace::Dim3 grid, trace::Dim3 block, std::uint64_t began,
                std::uint64_t ended) {
    trace::LaunchEnd end;
    end.began = began;
    end.ended = ended;
    end.complete = true;
    const trace::Launch launch = begun(kernel, grid, block);
    end.id = launch.id;
    writer->timedLaunch(launch, end);
  }
  void records(trace::LaunchId launch, const Words &words, std::uint32_t channel = 0) {
    writer->records(launch, channel, words.data(), words.size());
  }
  /// `began` and `ended`: on the device; 0: not known.
  void end(trace::LaunchId launch, std::uint64_t began = 0, std::uint64_t ended = 0) {
    trace::LaunchEnd end;
    end.id = launch;
    end.began = began;
    end.ended = ended;
    end.complete = true;
    end.recordWords = writer->recordWords(launch);
    writer->launchEnd(end);
  }
  void run(const std::string &kernel, trace::Dim3 grid, trace::Dim3 block, const Words &words) {
    const trace::LaunchId id = launch(kernel, grid, block);
    records(id, words);
    end(id);
  }

  void allocate(std::uint64_t address, std::uint64_t bytes,
                trace::MemoryKind kind = trace::MemoryKind::Device) {
    trace::Allocation allocation;
    allocation.address = address;
    allocation.bytes = bytes;
    allocation.kind = kind;
    allocation.call = "cudaMalloc";
    allocation.order = ++order_;
    writer->allocation(allocation);
  }
  void free(std::uint64_t address) {
    trace::Free free;
    free.address = address;
    free.call = "cudaFree";
    free.order = ++order_;
    writer->free(free);
  }
  void copy(trace::CopyKind kind, std::uint64_t destination, std::uint64_t source, std::uint64_t bytes,
            bool asynchronous = false, std::uint64_t sameAs = 0) {
    trace::Copy copy;
    copy.sameAs = sameAs;
    copy.asynchronous = asynchronous;
    copy.stream = stream_;
    copy.streamKind = streamKind_;
    copy.place = place_;
    copy.kind = kind;
    copy.destination = destination;
    copy.source = source;
    copy.rowBytes = bytes;
    copy.order = ++order_;
    writer->copy(copy);
  }
  /// On the device.
  void copyRows(std::uint64_t destination, std::uint64_t destinationPitch, std::uint64_t source,
                std::uint64_t sourcePitch, std::uint64_t rowBytes, std::uint64_t rows) {
    trace::Copy copy;
    copy.stream = stream_;
    copy.streamKind = streamKind_;
    copy.place = place_;
    copy.kind = trace::CopyKind::DeviceToDevice;
    copy.destination = destination;
    copy.destinationPitch = destinationPitch;
    copy.source = source;
    copy.sourcePitch = sourcePitch;
    copy.rowBytes = rowBytes;
    copy.rows = rows;
    copy.order = ++order_;
    writer->copy(copy);
  }
  void set(std::uint64_t destination, std::uint64_t bytes, bool asynchronous = false) {
    trace::Set set;
    set.asynchronous = asynchronous;
    set.stream = stream_;
    set.streamKind = streamKind_;
    set.place = place_;
    set.destination = destination;
    set.rowBytes = bytes;
    set.order = ++order_;
    writer->set(set);
  }

  /// Of the last act.
  std::uint64_t order() const { return order_; }

  std::unique_ptr<trace::Writer> writer;

private:
  /// What every launch has.
  trace::Launch begun(const std::string &kernel, trace::Dim3 grid, trace::Dim3 block) {
    trace::Launch launch;
    launch.id = static_cast<trace::LaunchId>(++launches_);
    launch.order = ++order_;
    launch.kernel = kernel;
    launch.mangled = "_Z" + kernel;
    launch.grid = grid;
    launch.block = block;
    launch.module = module_;
    launch.stream = stream_;
    launch.streamKind = streamKind_;
    launch.place = place_;
    launch.clusterX = clusters_.x;
    launch.clusterY = clusters_.y;
    launch.clusterZ = clusters_.z;
    return launch;
  }

  trace::ModuleId module_ = trace::kNoModule;
  std::uint64_t launches_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t stream_ = 0;
  trace::StreamKind streamKind_ = trace::StreamKind::Unknown;
  std::uint32_t slice_ = trace::kNoSlice;
  std::vector<std::uint64_t> sliceValues_;
  bool values_ = false;
  abi::LatencyScheme timed_ = abi::LatencyScheme::None;
  std::uint32_t dynamicShared_ = 0;
  trace::Dim3 clusters_{0, 0, 0};
  trace::GraphPlace place_;
};

} // namespace cupr::test

#endif

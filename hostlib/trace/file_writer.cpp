/// The writer of trace files: events go straight to the file, records by way of a Gather per launch, and acts
/// that no record depends on by way of a batch.
///
/// Locks, in the order in which they are taken: a launch's channel (Gather), the file. The
/// book of launches has its own, held for look-ups only. Chunks are packed with the
/// channel locked, but not the file; their sequence numbers are given with the file locked,
/// so they ascend in it.
///
/// Long, since all that is written shares one file, one lock and one way to fail.
#include "writer.h"

#include "compression_level.h"
#include "devicelib/abi/standard_error.h"
#include "devicelib/abi/thread_owned.h"
#include "devicelib/abi/version.h"
#include "frame.h"
#include "gather.h"
#include "launch_registry.h"
#include "message.h"
#include "output.h"
#include "packed_values.h"
#include "snapshot.h"
#include "summary.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>

namespace cupr::trace {

namespace {

/// Beyond this, channels hand over what they have, whatever its size.
constexpr std::uint64_t kMaxGathered = 64u << 20;

struct GatheredLaunch : OpenLaunch {
  GatheredLaunch(const Launch &launch, ModuleRegistry &modules, BufferPool &pool)
      : OpenLaunch(launch.traced, modules.weights(launch.module)),
        row(launch.grid.y * launch.grid.z > 1 ? launch.grid.x : 0),
        valueSites(launch.values ? modules.valueSites(launch.module) : nullptr), gather(pool) {}

  void drop(const RunCount &run) {
    std::lock_guard lock(droppedMutex_);
    run.addTo(dropped_);
  }
  /// What was delivered, and did not go to the file.
  RecordCounts dropped() const {
    std::lock_guard lock(droppedMutex_);
    return dropped_;
  }

  const std::uint32_t row; ///< packWords'

  const std::shared_ptr<const ValueSites> valueSites; ///< packValues'; may be null
  Gather gather;

private:
  mutable std::mutex droppedMutex_;
  RecordCounts dropped_;
};

class FileWriter final : public Writer {
public:
  FileWriter(const std::string &path, const Process &process, const WriterOptions &options)
      : process_(process), options_(options),
        output_(path, options.replacesAnyFile ? Existing::MayBeReplaced : Existing::MayBeReplacedIfTrace,
                options.fileMode) {
    if (output_.openError() != 0) {
      fail("create", output_.openError());
      return;
    }
    guarded([&] {
      Header header;
      header.abiVersion = CUPR_ABI_VERSION;
      header.process = process;
      header.leavesOut = options.leavesOutUntraced;
      header.hostAccesses = options.hasHostAccesses;
      write<Header>(encode(header));
    });
  }

  ~FileWriter() override { finish(); }

  ModuleId module(std::span<const std::byte> siteTable) override {
    ModuleId id = kNoModule;
    guarded([&] {
      if (std::optional<Module> module = ModuleRegistry::parse(siteTable))
        id = modules_.add(*module, [&](const Module &numbered) { write<Module>(encode(numbered)); });
    });
    return id;
  }

  void launch(const Launch &launch) override {
    guarded([&] {
      if (!launch.traced) {
        launches_.pass();
        if (!options_.leavesOutUntraced)
          return act(launch);
        ++leftOut_;
        return;
      }
      const Payload payload = encode(launch);
      const std::uint64_t hash = hashOfPayload(payload);
      launches_.open(launch.id, std::make_shared<GatheredLaunch>(launch, modules_, pool_));
      std::lock_guard lock(fileMutex_);
      if (acts_.holdsMemory()) // whatever happens now, the launch's records can be placed
        writeActs();
      index_[launch.id].launch = output_.offset();
      append<Launch>(payload, hash);
    });
  }

  void timedLaunch(const Launch &launch, const LaunchEnd &end) override {
    guarded([&] {
      launches_.pass();
      const Payload begun = encode(launch), ended = encode(totalsOf(end, {}, nullptr));
      const std::uint64_t hashes[] = {hashOfPayload(begun), hashOfPayload(ended)};
      std::lock_guard lock(fileMutex_);
      LaunchIndex &index = index_[launch.id];
      index.launch = output_.offset();
      append<Launch>(begun, hashes[0]);
      index.launchEnd = output_.offset();
      append<LaunchTotals>(ended, hashes[1]);
    });
  }

  std::size_t records(LaunchId launch, std::uint32_t channel, const void *words, std::size_t count,
                      std::uint64_t tag) override {
    std::size_t taken = count;
    guarded([&] {
      const std::shared_ptr<GatheredLaunch> open = launches_.find(launch);
      if (!open) {
        lost_ = true;
        return;
      }
      RunCount run(open->weights.get(), options_.tensorMaps);
      if (full_) {
        taken = run.scan(static_cast<const Word *>(words), count, tag,
                         [](const abi::RecordHead &, const Word *, std::size_t) {});
        open->drop(run);
      } else {
        ThreadMemory &memory = threadMemory();
        memory.compression.come(CompressionLevel::Clock::now());
        ChunkSink sink(*this, launch, *open);
        taken = open->gather.take(channel, static_cast<const Word *>(words), count, tag, run, sink);
        memory.compression.go(CompressionLevel::Clock::now());
      }
      open->add(run);
    });
    return taken;
  }

  void flushChannels(LaunchId launch, std::uint32_t first, std::uint32_t end) override {
    guarded([&] {
      const std::shared_ptr<GatheredLaunch> open = launches_.find(launch);
      if (!open)
        return;
      CompressionLevel &compression = threadMemory().compression;
      compression.come(CompressionLevel::Clock::now());
      ChunkSink sink(*this, launch, *open);
      open->gather.flush(sink, first, end);
      compression.go(CompressionLevel::Clock::now());
    });
  }

  std::optional<std::uint32_t> contents(std::span<const std::byte> bytes) override {
    std::optional<std::uint32_t> id;
    guarded([&] {
      if (full_)
        return;
      Contents contents = packContents(bytes);
      std::lock_guard lock(fileMutex_);
      if (output_.offset() + contents.packed.size() > options_.maxBytes)
        return;
      contents.id = nextContents_++;
      const Payload payload = encode(contents);
      append<Contents>(payload, hashOfPayload(payload));
      id = contents.id;
    });
    return failed_ ? std::nullopt : id;
  }

  std::optional<std::uint32_t> snapshot(std::uint64_t address, std::uint64_t bytes,
                                        const std::vector<std::uint32_t> &pieces) override {
    std::optional<std::uint32_t> id;
    guarded([&] {
      std::lock_guard lock(fileMutex_);
      const Snapshot snapshot{nextSnapshot_++, address, bytes, pieces};
      const Payload payload = encode(snapshot);
      append<Snapshot>(payload, hashOfPayload(payload));
      id = snapshot.id;
    });
    return failed_ ? std::nullopt : id;
  }

  void launchEnd(const LaunchEnd &end) override {
    guarded([&] {
      if (const std::shared_ptr<GatheredLaunch> open = launches_.end(end.id))
        writeEnd(end, *open);
      else
        lost_ = true;
    });
  }

  void allocation(const Allocation &allocation) override {
    guarded([&] { act(allocation); });
  }
  void free(const Free &free) override {
    guarded([&] { act(free); });
  }
  void imageObject(const ImageObject &object) override { event(object); }
  void copy(const Copy &copy) override { event(copy); }
  void set(const Set &set) override { event(set); }
  void synchronisation(const Synchronisation &synchronisation) override { event(synchronisation); }
  void host(const HostBatch &batch) override {
    guarded([&] {
      for (PackedHostBatch &packed : packHost(batch, options_.level == 0 ? kFastLevel : options_.level)) {
        packed.first = hostCounts_;
        hostCounts_ += packed;
        write<PackedHostBatch>(encode(packed));
      }
    });
  }

  void lose() override { lost_ = true; }

  void flush() override {
    guarded([&] {
      std::lock_guard lock(fileMutex_);
      writeActs();
    });
  }

  std::uint64_t recordWords(LaunchId launch) const override { return launches_.words(launch); }
  Totals totals() const override { return launches_.totals(); }
  bool failed() const override { return failed_; }
  bool full() const override { return full_; }
  std::string fullReason() const override {
    return "the size limit of " + std::to_string(options_.maxBytes) + " bytes is reached (CUPR_MAX_BYTES)";
  }
  std::uint64_t gatheredBytes() const override { return pool_.bytes(); }

  bool finish() override {
    if (finished_.exchange(true))
      return !lost_ && !failed_;
    // What launches without an end have delivered is worth keeping.
    contained([&] {
      for (const auto &[id, launch] : launches_.endAll()) {
        ChunkSink sink(*this, id, *launch);
        launch->gather.flush(sink);
        lost_ = lost_ || launch->traced;
      }
    });
    contained([&] {
      std::lock_guard lock(fileMutex_);
      writeActs();
      End end;
      end.counts = counts_;
      ++end.counts[kindOf<End>()];
      for (const auto &[id, launch] : index_) {
        end.launches.push_back(launch);
        end.launches.back().id = id;
      }
      end.lost = lost_;
      end.leftOut = leftOut_;
      const Payload payload = encode(end);
      append<End>(payload, hashOfPayload(payload));
      // That the end is there must not be true before all that it counts is.
      if (const int error = output_.isOpen() ? output_.synchronise() : 0; error != 0)
        fail("write", error);
      if (const int error = output_.close(); error != 0)
        fail("write", error);
    });
    contained([&] { appendSummary(options_.summaryPath, "file", process_, totals()); });
    return !lost_ && !failed_;
  }

  const std::string &path() const override { return output_.path(); }

private:
  /// Packs batches and writes them.
  class ChunkSink final : public Gather::Sink {
  public:
    ChunkSink(FileWriter &writer, LaunchId id, GatheredLaunch &launch)
        : writer_(writer), id_(id), launch_(launch) {}
    void batch(const Batch &batch) override {
      if (writer_.full_ || !writeBatch(batch)) {
        RunCount run(launch_.weights.get());
        run.scan(batch.words.data(), batch.words.size(), /*tag=*/0,
                 [](const abi::RecordHead &, const Word *, std::size_t) {});
        launch_.drop(run);
      }
    }

  private:
    bool writeBatch(const Batch &batch) {
      ThreadMemory &memory = threadMemory();
      const int level = writer_.options_.level != 0
                            ? writer_.options_.level
                            : memory.compression.level(CompressionLevel::Clock::now());
      const PackedWords packed = packWords(batch.words, launch_.row, level);
      Chunk chunk;
      chunk.launch = id_;
      chunk.channel = batch.shares.front().channel;
      if (batch.shares.size() > 1)
        chunk.shares.assign(batch.shares.begin(), batch.shares.end());
      chunk.records = batch.records;
      chunk.words = static_cast<std::uint32_t>(batch.words.size());
      chunk.encoding = packed.encoding;
      chunk.encodedBytes = packed.encodedBytes;
      chunk.hash = packed.hash;
      const PackedValues values = launch_.valueSites
                                      ? packValues(batch.words, batch.values, *launch_.valueSites, level)
                                      : PackedValues();
      chunk.values.words = values.words;
      chunk.values.encodedBytes = values.encodedBytes;
      chunk.values.hash = values.hash;
      ChunkMessage message(chunk, packed.packed, values.packed, memory.payload);
      return writer_.writeChunk(id_, message, memory.payload);
    }

    FileWriter &writer_;
    const LaunchId id_;
    GatheredLaunch &launch_;
  };

  /// What a delivering thread keeps.
  struct ThreadMemory {
    CompressionLevel compression;
    Payload payload; ///< of chunks
  };
  static ThreadMemory &threadMemory() { return abi::ThreadOwned<ThreadMemory>::get(); }

  template <typename T> static constexpr std::size_t kindOf() {
    return kindIn<T>(static_cast<Message *>(nullptr));
  }
  template <typename T, typename... Kinds> static constexpr std::size_t kindIn(std::variant<Kinds...> *) {
    std::size_t index = 0;
    (void)((std::is_same_v<T, Kinds> || (++index, false)) || ...);
    return index;
  }

  static std::uint64_t hashOfPayload(const Payload &payload) {
    return hashOf(std::as_bytes(std::span(payload)));
  }

  /// Runs `body` unless the writer has failed or finished.
  template <typename Body> void guarded(Body body) {
    if (!finished_)
      contained(body);
  }

  /// Runs `body` unless the writer has failed; nothing that it throws gets out.
  template <typename Body> void contained(Body body) {
    if (failed_)
      return;
    try {
      body();
    } catch (...) {
      // Memory, or a message beyond Cap'n Proto's limits; the limits are beyond memory.
      fail("write", ENOMEM);
    }
  }

  /// The one line to stderr.
  void fail(const char *verb, int error) {
    lost_ = true;
    if (failed_.exchange(true))
      return;
    abi::say("cuprewrite: can't %s the trace file '%s': %s; the program goes on without it%s\n", verb,
             output_.path().c_str(), outputProblem(error),
             error == ENOSPC || error == EFBIG || error == EDQUOT || error == ENOENT || error == EACCES
                 ? ": make room there or choose another place for the file"
                 : "");
  }

  /// With the file locked.
  template <typename T> void append(const Payload &payload, std::uint64_t hash) {
    if (failed_)
      return;
    if (!output_.isOpen()) { // finish() came in between
      lost_ = true;
      return;
    }
    if (const int error = output_.append(payload, hash); error != 0)
      fail("write", error);
    else
      ++counts_[kindOf<T>()];
  }

  template <typename T> void write(const Payload &payload) {
    const std::uint64_t hash = hashOfPayload(payload);
    std::lock_guard lock(fileMutex_);
    append<T>(payload, hash);
  }

  /// Fewer acts than this take less room as messages of their own.
  static constexpr std::size_t kFewActs = 4;

  /// A launch that is not traced, an allocation or a free.
  template <typename Act> void act(const Act &value) {
    if (!ActGather::takes(value))
      return write<Act>(encode(value));
    std::lock_guard lock(fileMutex_);
    if (acts_.add(value))
      return;
    writeActs();
    acts_.add(value);
  }

  /// With the file locked.
  void writeActs() {
    if (acts_.acts() == 0)
      return;
    const ActBatch &batch = acts_.take();
    if (batch.acts() >= kFewActs) {
      const Payload payload = encode(batch);
      return append<ActBatch>(payload, hashOfPayload(payload));
    }
    const auto appendAll = [&]<typename Act>(const std::vector<Act> &acts) {
      for (const Act &act : acts) {
        const auto whole = batch.whole(act);
        const Payload payload = encode(whole);
        append<std::remove_const_t<decltype(whole)>>(payload, hashOfPayload(payload));
      }
    };
    appendAll(batch.allocations);
    appendAll(batch.frees);
    appendAll(batch.launches);
  }

  template <typename T> void event(const T &value) {
    guarded([&] { write<T>(encode(value)); });
  }

  /// False: the file is full, and the chunk is not in it.
  bool writeChunk(LaunchId launch, ChunkMessage &message, const Payload &payload) {
    // The sequence number is known only with the file locked, and the hash covers it.
    std::lock_guard lock(fileMutex_);
    if (full_ || output_.offset() + payload.size() * sizeof payload[0] > options_.maxBytes) {
      if (!full_.exchange(true))
        abi::say(
            "cuprewrite: %s: the trace file '%s' gets no more records; the program goes on, launch %llu is "
            "incomplete\n",
            fullReason().c_str(), output_.path().c_str(), static_cast<unsigned long long>(launch));
      lost_ = true;
      return false;
    }
    LaunchIndex &index = index_[launch];
    message.setSequence(index.chunks.size());
    index.chunks.push_back(output_.offset());
    append<Chunk>(payload, hashOfPayload(payload));
    return true;
  }

  void writeEnd(const LaunchEnd &end, GatheredLaunch &launch) {
    ChunkSink sink(*this, end.id, launch);
    launch.gather.flush(sink);
    RecordCounts written = launch.counted();
    LaunchEnd said = end;
    if (const RecordCounts dropped = launch.dropped(); dropped.total().records != 0) {
      written -= dropped;
      said.complete = false;
      if (said.reason.empty())
        said.reason = fullReason();
    }
    LaunchTotals totals = totalsOf(said, written, launch.weights.get());
    std::lock_guard lock(fileMutex_);
    LaunchIndex &index = index_[end.id];
    totals.chunks = index.chunks.size();
    const Payload payload = encode(totals);
    index.launchEnd = output_.offset();
    append<LaunchTotals>(payload, hashOfPayload(payload));
  }

  std::atomic<bool> failed_{false};
  std::atomic<bool> full_{false};
  std::atomic<bool> lost_{false};
  std::atomic<bool> finished_{false};
  std::atomic<std::uint64_t> leftOut_{0};

  const Process process_;
  const WriterOptions options_;
  BufferPool pool_{kMaxGathered};
  ModuleRegistry modules_;
  LaunchRegistry<GatheredLaunch> launches_;

  HostCounts hostCounts_; ///< host()'s, which is called once at a time

  std::mutex fileMutex_;
  Output output_;
  ActGather acts_; ///< with the file locked
  std::array<std::uint64_t, kMessageKinds> counts_{};
  std::map<LaunchId, LaunchIndex> index_;
  std::uint32_t nextContents_ = 0, nextSnapshot_ = 0;
};

} // namespace

std::unique_ptr<Writer> Writer::create(const std::string &path, const Process &process,
                                       const WriterOptions &options) {
  return std::make_unique<FileWriter>(path, process, options);
}

} // namespace cupr::trace

/// Perfetto's protobuf format is a list of packets, each written on its own. Only the fields that are used
/// are named here, by Perfetto's names and numbers (protos/perfetto/trace in its repository).
///
/// One track for each thread of the host, with its calls of the CUDA API. One track for each stream, with a slice for each launch, and three counters; one track for copies and
/// sets. A launch lasts from when its first block began to when its last had ended, where the device said so,
/// else from its call to when its records had arrived. Slices of one track must not overlap, so one that
/// begins before the end of the one before is drawn from there: a stream runs its launches one after the
/// other.
#include "result_exports.h"

#include "analysis/model/host_paths.h"
#include "analysis/model/names.h"
#include "analysis/output/kind_names.h"
#include "analysis/output/text.h"
#include "analysis/output/utf8.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace cupr::analysis {

namespace {

using PacketWriter = protozero::pbf_writer;

namespace packet {
enum Trace : std::uint32_t { kPacket = 1 };
enum TracePacket : std::uint32_t {
  kTimestamp = 8,
  kTrustedPacketSequenceId = 10,
  kTrackEvent = 11,
  kTrackDescriptor = 60
};
enum TrackDescriptor : std::uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kParentUuid = 5,
  kCounter = 8
};
enum ProcessDescriptor : std::uint32_t { kPid = 1, kCmdline = 2, kProcessName = 6 };
enum CounterDescriptor : std::uint32_t { kUnit = 3 };
enum TrackEvent : std::uint32_t {
  kDebugAnnotations = 4,
  kType = 9,
  kTrackUuid = 11,
  kCategories = 22,
  kName = 23,
  kCounterValue = 30,
  kFlowIds = 47,
  kTerminatingFlowIds = 48
};
enum DebugAnnotation : std::uint32_t { kUintValue = 3, kStringValue = 6, kAnnotationName = 10 };
} // namespace packet

enum EventType : int { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterEvent = 4 };
constexpr int kUnitSizeBytes = 3;

/// Arrows beyond these are left out: a timeline with more can't be read.
constexpr std::size_t kMostArrows = 1u << 16;
constexpr std::size_t kMostSourcesNamed = 16;

constexpr std::uint64_t kProcessTrack = 1, kHostTrack = 2, kFirstStreamTrack = 16,
                        kFirstThreadTrack = std::uint64_t{1} << 48;
/// Tracks of a stream: its launches, and from the next number on its counters.
constexpr const char *kCounters[] = {"bytes loaded", "bytes stored", "bytes read of earlier launches"};
constexpr std::uint64_t kTracksPerStream = 1 + std::size(kCounters);

struct Arrow {
  LaunchIndex source, destination;
  std::uint64_t bytes;
};

class Timeline {
public:
  Timeline(const ResultSource &source, ByteSink &sink)
      : model_(source.model), c_(source.results.communication), shown_(source.results.shown), sink_(sink) {}

  void write() {
    chooseArrows();
    process();
    for (const trace::Copy &copy : model_.copies())
      hostAct("copy " + std::string(kindName(copy.kind)), copy.time, copy.rowBytes * copy.rows);
    for (const trace::Set &set : model_.sets())
      hostAct("set", set.time, set.rowBytes * set.rows);
    for (LaunchIndex launch = 0; launch < model_.launches().size(); ++launch)
      if (shown_.has(launch))
        slice(launch);
    hostCalls();
    sink_.finish();
  }

private:
  void packet(const std::string &content) {
    std::string bytes;
    PacketWriter(bytes).add_message(packet::kPacket, content);
    sink_.write(bytes);
  }

  void track(std::uint64_t uuid, const std::string &name, bool counts) {
    std::string content;
    PacketWriter packetWriter(content);
    {
      PacketWriter descriptor(packetWriter, packet::kTrackDescriptor);
      descriptor.add_uint64(packet::kUuid, uuid);
      descriptor.add_string(packet::kTrackName, name);
      descriptor.add_uint64(packet::kParentUuid, kProcessTrack);
      if (counts)
        PacketWriter(descriptor, packet::kCounter).add_enum(packet::kUnit, kUnitSizeBytes);
    }
    packet(content);
  }

  void process() {
    const trace::Process &its = model_.header().process;
    std::string content;
    PacketWriter packetWriter(content);
    {
      PacketWriter descriptor(packetWriter, packet::kTrackDescriptor);
      descriptor.add_uint64(packet::kUuid, kProcessTrack);
      PacketWriter process(descriptor, packet::kProcess);
      process.add_int32(packet::kPid, static_cast<std::int32_t>(its.pid));
      for (const std::string &argument : its.arguments)
        process.add_string(packet::kCmdline, validUtf8(argument));
      process.add_string(packet::kProcessName, validUtf8(its.program));
    }
    packet(content);
    if (!model_.copies().empty() || !model_.sets().empty())
      track(kHostTrack, "copies and sets", false);
  }

  /// Calls `fill(PacketWriter &)` for what the event has beside these.
  template <typename Fill>
  void event(std::uint64_t time, std::uint64_t track, EventType type, const Fill &fill) {
    std::string content;
    PacketWriter packetWriter(content);
    packetWriter.add_uint64(packet::kTimestamp, time);
    packetWriter.add_uint32(packet::kTrustedPacketSequenceId, 1);
    {
      PacketWriter trackEvent(packetWriter, packet::kTrackEvent);
      trackEvent.add_enum(packet::kType, type);
      trackEvent.add_uint64(packet::kTrackUuid, track);
      fill(trackEvent);
    }
    packet(content);
  }

  static void annotate(PacketWriter &trackEvent, const std::string &name, std::uint64_t value) {
    PacketWriter annotation(trackEvent, packet::kDebugAnnotations);
    annotation.add_string(packet::kAnnotationName, name);
    annotation.add_uint64(packet::kUintValue, value);
  }
  static void annotate(PacketWriter &trackEvent, const std::string &name, const std::string &value) {
    PacketWriter annotation(trackEvent, packet::kDebugAnnotations);
    annotation.add_string(packet::kAnnotationName, name);
    annotation.add_string(packet::kStringValue, validUtf8(value));
  }

  void hostAct(const std::string &name, std::uint64_t time, std::uint64_t bytes) {
    event(time, kHostTrack, kInstant, [&](PacketWriter &trackEvent) {
      trackEvent.add_string(packet::kCategories, "host");
      trackEvent.add_string(packet::kName, name);
      annotate(trackEvent, "bytes", bytes);
    });
  }

  /// A track for each thread of the host, with a slice for each call.
  void hostCalls() {
    const trace::HostBatch &host = model_.host();
    const HostPaths paths(model_);
    for (std::uint64_t index = 0; index < host.threads.size(); ++index)
      track(kFirstThreadTrack + index,
            validUtf8(fmt::format("thread {} {}", host.threads[index].id, host.threads[index].name)), false);
    std::vector<std::uint32_t> calls(host.calls.size());
    std::iota(calls.begin(), calls.end(), 0);
    std::ranges::sort(calls, {}, [&](std::uint32_t call) { return std::pair(host.calls[call].began, call); });
    for (const std::uint32_t index : calls) {
      const trace::HostCall &call = host.calls[index];
      const std::uint64_t track = kFirstThreadTrack + call.thread;
      std::uint64_t &before = ends_[track];
      const std::uint64_t begin = std::max(before, call.began), end = std::max(begin, call.ended);
      before = end;
      event(begin, track, kSliceBegin, [&](PacketWriter &trackEvent) {
        trackEvent.add_string(packet::kCategories, "host");
        trackEvent.add_string(packet::kName, validUtf8(host.names[call.name]));
        if (call.node == trace::kNoHostIndex)
          return;
        annotate(trackEvent, "path", paths.textOf(call.node));
        if (const PathFrame caller = paths.framesOf(call.node).back(); caller.line != 0)
          annotate(trackEvent, "place", fmt::format("{}:{}", caller.file, caller.line));
      });
      event(end, track, kSliceEnd, [](PacketWriter &) {});
    }
  }

  void chooseArrows() {
    for (const LaunchPair &pair : c_.pairs)
      if (pair.source != kHost && pair.destination != kHost && shown_.has(pair.source) &&
          shown_.has(pair.destination))
        arrows_.push_back({pair.source, pair.destination, pair.bytes});
    std::sort(arrows_.begin(), arrows_.end(), [](const Arrow &a, const Arrow &b) {
      return std::tuple(b.bytes, a.destination, a.source) < std::tuple(a.bytes, b.destination, b.source);
    });
    arrows_.resize(std::min(arrows_.size(), kMostArrows));
    for (std::size_t i = 0; i < arrows_.size(); ++i) {
      leaving_[arrows_[i].source].push_back(i);
      arriving_[arrows_[i].destination].push_back(i);
    }
  }

  /// The stream's track, announced when it is asked for first.
  std::uint64_t trackOf(const trace::Launch &launch) {
    const auto [entry, isNew] = tracks_.emplace(std::pair(launch.device, launch.stream),
                                                kFirstStreamTrack + kTracksPerStream * tracks_.size());
    if (isNew) {
      const std::string stream = fmt::format("device {}, stream {}", launch.device, launch.stream);
      track(entry->second, stream, false);
      for (std::uint64_t i = 0; i < std::size(kCounters); ++i)
        track(entry->second + 1 + i, fmt::format("{}: {}", stream, kCounters[i]), true);
    }
    return entry->second;
  }

  void slice(LaunchIndex launch) {
    const LaunchInfo &info = model_.launches()[launch];
    const trace::LaunchEnd &ended = info.totals.end;
    const std::uint64_t track = trackOf(info.launch);
    std::uint64_t &before = ends_[track];
    const bool known = info.deviceTime().has_value();
    const std::uint64_t begin = std::max(before, known ? ended.began : info.launch.time);
    const std::uint64_t end = std::max(begin, known ? ended.ended : info.ended ? ended.time : begin);
    before = end;
    event(begin, track, kSliceBegin, [&](PacketWriter &trackEvent) { describe(trackEvent, launch, info); });
    event(end, track, kSliceEnd, [](PacketWriter &) {});
    const trace::Counts &counts = info.totals.counts.global;
    count(track + 1, begin, end, counts.loadBytes + counts.atomicBytes);
    count(track + 2, begin, end, counts.storeBytes + counts.atomicBytes);
    count(track + 3, begin, end, c_.launches[launch].readFromLaunches);
  }

  void describe(PacketWriter &trackEvent, LaunchIndex launch, const LaunchInfo &info) {
    trackEvent.add_string(packet::kCategories, "kernel");
    trackEvent.add_string(packet::kName, validUtf8(shortName(info.kernel)));
    annotate(trackEvent, "launch", static_cast<std::uint64_t>(info.number));
    if (info.phaseRecords)
      annotate(trackEvent, "phase", std::uint64_t{info.phase});
    annotate(trackEvent, "kernel", info.kernel);
    annotate(trackEvent, "grid", dimText(info.launch.grid));
    annotate(trackEvent, "block", dimText(info.launch.block));
    annotate(trackEvent, "superstep", std::uint64_t{c_.ordering->superstepOf(launch)});
    annotate(trackEvent, "bytes written that later launches read", c_.launches[launch].readByLaunches);
    if (const std::string state = launchState(info); !state.empty())
      annotate(trackEvent, "not complete", state);
    for (const std::size_t arrow : leaving_[launch])
      trackEvent.add_fixed64(packet::kFlowIds, arrow + 1);
    std::size_t named = 0;
    for (const std::size_t arrow : arriving_[launch]) {
      trackEvent.add_fixed64(packet::kTerminatingFlowIds, arrow + 1);
      const LaunchInfo &source = model_.launches()[arrows_[arrow].source];
      if (named++ < kMostSourcesNamed)
        annotate(trackEvent,
                 fmt::format("bytes read of launch {}{}", static_cast<std::uint64_t>(source.number),
                             phaseText(source)),
                 arrows_[arrow].bytes);
    }
  }

  void count(std::uint64_t track, std::uint64_t begin, std::uint64_t end, std::uint64_t bytes) {
    for (const auto &[time, value] : {std::pair{begin, bytes}, std::pair{end, std::uint64_t{0}}})
      event(time, track, kCounterEvent, [value = value](PacketWriter &trackEvent) {
        trackEvent.add_int64(packet::kCounterValue, static_cast<std::int64_t>(value));
      });
  }

  const Model &model_;
  const Communication &c_;
  const ShownPart &shown_;
  ByteSink &sink_;
  std::vector<Arrow> arrows_; ///< the largest first; flow ids are one more than places
  std::map<LaunchIndex, std::vector<std::size_t>> leaving_, arriving_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> tracks_; ///< by device and stream
  std::map<std::uint64_t, std::uint64_t> ends_;                             ///< of the last slice, by track
};

} // namespace

void resultsToPerfetto(const ResultSource &source, ByteSink &sink) { Timeline(source, sink).write(); }

} // namespace cupr::analysis

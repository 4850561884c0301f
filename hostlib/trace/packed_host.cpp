/// Long, since each kind of row is written and read by a function of its own, and all share the columns.
#include "packed_host.h"

#include "devicelib/abi/thread_owned.h"
#include "frame.h"
#include "packed_frame.h"
#include "planes.h"
#include "zigzag.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cupr::trace {

namespace {

/// All but the bytes of texts, at their widest.
constexpr std::uint64_t kNodeColumns = 4, kCallColumns = 5, kActColumns = 2, kSampleColumns = 4,
                        kPlaceColumns = 3, kFrameColumns = 4, kTextColumns = 1;
constexpr std::uint64_t kAllColumns =
    kNodeColumns + kCallColumns + kActColumns + kSampleColumns + kPlaceColumns + kFrameColumns + kTextColumns;
std::uint64_t mostBytes(const PackedHostBatch &packed) {
  return kAllColumns + packed.textBytes +
         kPlanesMax * (kNodeColumns * packed.nodes + kCallColumns * packed.calls + kActColumns * packed.acts +
                       kSampleColumns * packed.samples + kPlaceColumns * packed.places +
                       kFrameColumns * packed.frames + kTextColumns * packed.texts);
}

/// Numbers whose differences stand in the columns, those of one column each.
class Before {
public:
  std::uint64_t code(std::uint64_t number) { return zigzag(number - std::exchange(last_, number)); }
  std::uint64_t number(std::uint64_t coded) { return last_ += unzigzag(coded); }

private:
  std::uint64_t last_ = 0;
};
class Before32 {
public:
  std::uint64_t code(std::uint32_t number) {
    const auto difference = static_cast<std::int32_t>(number - std::exchange(last_, number));
    return zigzag(static_cast<std::uint64_t>(std::int64_t{difference}));
  }
  std::uint32_t number(std::uint64_t coded) { return last_ += static_cast<std::uint32_t>(unzigzag(coded)); }

private:
  std::uint32_t last_ = 0;
};
constexpr std::uint64_t codeOfIndex(std::uint32_t index) { return static_cast<std::uint32_t>(index + 1); }
constexpr std::uint32_t indexOf(std::uint64_t coded) { return static_cast<std::uint32_t>(coded) - 1; }

/// Columns in the making.
class ColumnWriter {
public:
  /// `codeOf(row)` for each of `rows`.
  template <typename Rows, typename CodeOf> void column(const Rows &rows, CodeOf codeOf) {
    numbers_.clear();
    std::uint64_t all = 0;
    for (const auto &row : rows) {
      numbers_.push_back(codeOf(row));
      all |= numbers_.back();
    }
    const std::size_t width = (static_cast<std::size_t>(std::bit_width(all)) + 7) / 8;
    bytes_.push_back(static_cast<std::byte>(width));
    const std::size_t at = bytes_.size();
    bytes_.resize(at + width * numbers_.size());
    Planes planes(bytes_.data() + at, width, width * numbers_.size());
    for (const std::uint64_t number : numbers_)
      planes.put(number);
  }
  void text(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  std::vector<std::byte> bytes_;
  std::vector<std::uint64_t> numbers_;
};

/// Takes columns apart; after what can't be one it gives zeros, and is not whole.
class ColumnReader {
public:
  explicit ColumnReader(std::span<std::byte> bytes) : left_(bytes) {}

  /// `put(row, code)` for each of `rows`.
  template <typename Rows, typename Put> void column(Rows &rows, Put put) {
    const std::size_t count = rows.size();
    const std::size_t width = left_.empty() ? kPlanesMax + 1 : std::to_integer<std::size_t>(left_.front());
    if (width > kPlanesMax || left_.size() - 1 < width * count) {
      left_ = {};
      isWhole_ = false;
      return;
    }
    Planes planes(left_.data() + 1, width, width * count);
    for (auto &row : rows)
      put(row, planes.take());
    left_ = left_.subspan(1 + width * count);
  }
  std::string_view text(std::uint64_t bytes) {
    if (bytes > left_.size()) {
      isWhole_ = false;
      return {};
    }
    const std::string_view text(reinterpret_cast<const char *>(left_.data()), bytes);
    left_ = left_.subspan(bytes);
    return text;
  }
  /// All of it was columns and texts.
  bool isWhole() const { return isWhole_ && left_.empty(); }

private:
  std::span<std::byte> left_;
  bool isWhole_ = true;
};

std::size_t textBytes(const HostPlace &place) {
  std::size_t bytes = 0;
  for (const HostFrame &frame : place.frames)
    bytes += frame.function.size() + frame.file.size();
  return bytes;
}

std::size_t textBytes(const HostFailure &failure) {
  return failure.call.size() + failure.error.size() + failure.text.size();
}

/// The frames of a place that a message can hold.
std::span<const HostFrame> framesOf(const HostPlace &place) {
  if (place.frames.size() > kMaxHostRows || textBytes(place) > kMaxHostText)
    return {};
  return place.frames;
}

/// The rows of one message.
struct Part {
  std::span<const std::string> names;
  std::span<const HostObject> objects;
  std::span<const HostThread> threads;
  std::span<const HostNode> nodes;
  std::span<const HostCall> calls;
  std::span<const HostAct> acts;
  std::span<const HostSample> samples;
  std::span<const HostSampling> samplings;
  std::span<const HostPlace> places;
  std::span<const HostLoop> loops;
  std::span<const HostFailure> failures;
  std::span<const HostAccess> accesses;
};

/// Deals a batch to messages.
class Rest {
public:
  explicit Rest(const HostBatch &batch)
      : left_{batch.names,   batch.objects,   batch.threads, batch.nodes, batch.calls,    batch.acts,
              batch.samples, batch.samplings, batch.places,  batch.loops, batch.failures, batch.accesses} {}

  bool isEmpty() const {
    return left_.names.empty() && left_.objects.empty() && left_.threads.empty() && left_.nodes.empty() &&
           left_.calls.empty() && left_.acts.empty() && left_.samples.empty() && left_.samplings.empty() &&
           left_.places.empty() && left_.loops.empty() && left_.failures.empty() && left_.accesses.empty();
  }

  /// Rows come when all that they may name has come.
  Part next() {
    Part part;
    take(left_.samplings, part.samplings, kMaxHostRows);
    take(left_.loops, part.loops, loopsThatFit());
    take(left_.names, part.names, kMaxHostRows);
    take(left_.objects, part.objects, kMaxHostRows);
    take(left_.threads, part.threads, kMaxHostRows);
    if (!left_.names.empty() || !left_.objects.empty() || !left_.threads.empty())
      return part;
    take(left_.places, part.places, placesThatFit());
    take(left_.nodes, part.nodes, kMaxHostRows);
    if (!left_.nodes.empty())
      return part;
    take(left_.failures, part.failures, failuresThatFit());
    take(left_.accesses, part.accesses, kMaxHostRows);
    take(left_.samples, part.samples, kMaxHostRows);
    take(left_.calls, part.calls, kMaxHostRows);
    if (left_.calls.empty())
      take(left_.acts, part.acts, kMaxHostRows);
    return part;
  }

private:
  template <typename Row>
  static void take(std::span<const Row> &from, std::span<const Row> &to, std::size_t most) {
    to = from.first(std::min(most, from.size()));
    from = from.subspan(to.size());
  }

  std::size_t placesThatFit() const {
    std::size_t places = 0, frames = 0, text = 0;
    for (const HostPlace &place : left_.places) {
      if (const auto held = framesOf(place); !held.empty()) {
        frames += held.size();
        text += textBytes(place);
      }
      if (places == kMaxHostRows || frames > kMaxHostRows || text > kMaxHostText)
        break;
      ++places;
    }
    return places;
  }

  std::size_t loopsThatFit() const {
    std::size_t loops = 0, text = 0;
    for (const HostLoop &loop : left_.loops) {
      text += loop.file.size() <= kMaxHostText ? loop.file.size() : 0; // packPart leaves them out
      if (loops == kMaxHostRows || text > kMaxHostText)
        break;
      ++loops;
    }
    return loops;
  }

  std::size_t failuresThatFit() const {
    std::size_t failures = 0, text = 0;
    for (const HostFailure &failure : left_.failures) {
      text += textBytes(failure) <= kMaxHostText ? textBytes(failure) : 0; // packPart leaves them out
      if (failures == kMaxHostRows || text > kMaxHostText)
        break;
      ++failures;
    }
    return failures;
  }

  Part left_;
};

/// Each text once.
class Texts {
public:
  std::uint32_t of(std::string_view text) {
    const auto [known, isNew] = numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (isNew)
      texts_.push_back(text);
    return known->second;
  }
  const std::vector<std::string_view> &all() const { return texts_; }

private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::string_view> texts_;
};

void encodeNodes(std::span<const HostNode> nodes, ColumnWriter &out) {
  out.column(nodes, [before = Before32()](const HostNode &node) mutable { return before.code(node.parent); });
  out.column(nodes, [](const HostNode &node) { return codeOfIndex(node.object); });
  out.column(nodes, [before = Before()](const HostNode &node) mutable { return before.code(node.offset); });
  out.column(nodes, [](const HostNode &node) { return static_cast<std::uint64_t>(node.kind); });
}

std::uint64_t endOf(const HostCall &call) { return std::max(call.began, call.ended); }

void encodeCalls(std::span<const HostCall> calls, ColumnWriter &out) {
  out.column(calls, [](const HostCall &call) { return call.name; });
  out.column(calls, [](const HostCall &call) { return call.thread; });
  out.column(calls, [](const HostCall &call) { return codeOfIndex(call.node); });
  out.column(calls, [last = std::uint64_t{0}](const HostCall &call) mutable {
    return zigzag(call.began - std::exchange(last, endOf(call)));
  });
  out.column(calls, [](const HostCall &call) { return endOf(call) - call.began; });
}

void encodeActs(std::span<const HostAct> acts, ColumnWriter &out) {
  out.column(acts, [before = Before()](const HostAct &act) mutable { return before.code(act.order); });
  out.column(acts, [before = Before()](const HostAct &act) mutable { return before.code(act.call); });
}

void encodeSamples(std::span<const HostSample> samples, ColumnWriter &out) {
  out.column(samples,
             [before = Before()](const HostSample &sample) mutable { return before.code(sample.time); });
  out.column(samples, [](const HostSample &sample) { return sample.thread; });
  out.column(samples, [](const HostSample &sample) { return codeOfIndex(sample.node); });
  out.column(samples,
             [before = Before()](const HostSample &sample) mutable { return before.code(sample.weight); });
}

/// Returns how many frames they have.
std::size_t encodePlaces(std::span<const HostPlace> places, Texts &texts, ColumnWriter &out) {
  out.column(places, [](const HostPlace &place) { return place.object; });
  out.column(places,
             [before = Before()](const HostPlace &place) mutable { return before.code(place.offset); });
  out.column(places, [](const HostPlace &place) { return framesOf(place).size(); });
  std::vector<const HostFrame *> frames;
  for (const HostPlace &place : places)
    for (const HostFrame &frame : framesOf(place))
      frames.push_back(&frame);
  out.column(frames, [&](const HostFrame *frame) { return texts.of(frame->function); });
  out.column(frames, [&](const HostFrame *frame) { return texts.of(frame->file); });
  out.column(frames,
             [before = Before32()](const HostFrame *frame) mutable { return before.code(frame->line); });
  out.column(frames, [](const HostFrame *frame) { return frame->column; });
  return frames.size();
}

/// What a thread keeps from batch to batch.
struct HostPacker {
  PackedFrame frame;
  ColumnWriter columns;
};

PackedHostBatch packPart(const Part &part, int level) {
  PackedHostBatch packed;
  packed.names.assign(part.names.begin(), part.names.end());
  packed.objects.assign(part.objects.begin(), part.objects.end());
  packed.threads.assign(part.threads.begin(), part.threads.end());
  packed.samplings.assign(part.samplings.begin(), part.samplings.end());
  std::ranges::copy_if(part.loops, std::back_inserter(packed.loops),
                       [](const HostLoop &loop) { return loop.file.size() <= kMaxHostText; });
  std::ranges::copy_if(part.failures, std::back_inserter(packed.failures),
                       [](const HostFailure &failure) { return textBytes(failure) <= kMaxHostText; });
  packed.accesses.assign(part.accesses.begin(), part.accesses.end());
  packed.nodes = static_cast<std::uint32_t>(part.nodes.size());
  packed.calls = static_cast<std::uint32_t>(part.calls.size());
  packed.acts = static_cast<std::uint32_t>(part.acts.size());
  packed.samples = static_cast<std::uint32_t>(part.samples.size());
  packed.places = static_cast<std::uint32_t>(part.places.size());
  auto &[frame, columns] = abi::ThreadOwned<HostPacker>::get();
  columns.clear();
  Texts texts;
  encodeNodes(part.nodes, columns);
  encodeCalls(part.calls, columns);
  encodeActs(part.acts, columns);
  encodeSamples(part.samples, columns);
  packed.frames = static_cast<std::uint32_t>(encodePlaces(part.places, texts, columns));
  packed.texts = static_cast<std::uint32_t>(texts.all().size());
  columns.column(texts.all(), [](std::string_view text) { return text.size(); });
  for (const std::string_view text : texts.all()) {
    columns.text(text);
    packed.textBytes += static_cast<std::uint32_t>(text.size());
  }
  const std::span<const std::byte> bytes = columns.bytes();
  packed.encodedBytes = static_cast<std::uint32_t>(bytes.size());
  packed.hash = hashOf(bytes);
  const std::size_t size = frame.pack({&bytes, 1}, 0, level);
  packed.packed.assign(reinterpret_cast<const char *>(frame.bytes()), size);
  return packed;
}

void decodeNodes(ColumnReader &in, std::vector<HostNode> &nodes) {
  in.column(nodes, [before = Before32()](HostNode &node, std::uint64_t code) mutable {
    node.parent = before.number(code);
  });
  in.column(nodes, [](HostNode &node, std::uint64_t code) { node.object = indexOf(code); });
  in.column(nodes, [before = Before()](HostNode &node, std::uint64_t code) mutable {
    node.offset = before.number(code);
  });
  in.column(nodes, [](HostNode &node, std::uint64_t code) {
    node.kind = static_cast<HostNodeKind>(std::min<std::uint64_t>(code, kHostNodeKinds));
  });
}

void decodeCalls(ColumnReader &in, std::vector<HostCall> &calls) {
  in.column(calls, [](HostCall &call, std::uint64_t code) { call.name = static_cast<std::uint32_t>(code); });
  in.column(calls,
            [](HostCall &call, std::uint64_t code) { call.thread = static_cast<std::uint32_t>(code); });
  in.column(calls, [](HostCall &call, std::uint64_t code) { call.node = indexOf(code); });
  in.column(calls, [](HostCall &call, std::uint64_t code) { call.began = unzigzag(code); });
  in.column(calls, [last = std::uint64_t{0}](HostCall &call, std::uint64_t code) mutable {
    call.began += last;
    call.ended = last = call.began + code;
  });
}

void decodeActs(ColumnReader &in, std::vector<HostAct> &acts) {
  in.column(acts, [before = Before()](HostAct &act, std::uint64_t code) mutable {
    act.order = before.number(code);
  });
  in.column(acts, [before = Before()](HostAct &act, std::uint64_t code) mutable {
    act.call = before.number(code);
  });
}

void decodeSamples(ColumnReader &in, std::vector<HostSample> &samples) {
  in.column(samples, [before = Before()](HostSample &sample, std::uint64_t code) mutable {
    sample.time = before.number(code);
  });
  in.column(samples,
            [](HostSample &sample, std::uint64_t code) { sample.thread = static_cast<std::uint32_t>(code); });
  in.column(samples, [](HostSample &sample, std::uint64_t code) { sample.node = indexOf(code); });
  in.column(samples, [before = Before()](HostSample &sample, std::uint64_t code) mutable {
    sample.weight = before.number(code);
  });
}

/// A frame whose texts are numbers yet.
struct CodedFrame {
  std::uint64_t function = 0, file = 0;
  std::uint32_t line = 0, column = 0;
};

std::string decodePlaces(ColumnReader &in, const PackedHostBatch &packed, std::vector<HostPlace> &places) {
  std::vector<std::uint64_t> counts(packed.places);
  in.column(places,
            [](HostPlace &place, std::uint64_t code) { place.object = static_cast<std::uint32_t>(code); });
  in.column(places, [before = Before()](HostPlace &place, std::uint64_t code) mutable {
    place.offset = before.number(code);
  });
  in.column(counts, [](std::uint64_t &count, std::uint64_t code) { count = code; });
  std::vector<CodedFrame> frames(packed.frames);
  in.column(frames, [](CodedFrame &frame, std::uint64_t code) { frame.function = code; });
  in.column(frames, [](CodedFrame &frame, std::uint64_t code) { frame.file = code; });
  in.column(frames, [before = Before32()](CodedFrame &frame, std::uint64_t code) mutable {
    frame.line = before.number(code);
  });
  in.column(frames,
            [](CodedFrame &frame, std::uint64_t code) { frame.column = static_cast<std::uint32_t>(code); });
  std::vector<std::uint64_t> lengths(packed.texts);
  in.column(lengths, [](std::uint64_t &length, std::uint64_t code) { length = code; });
  std::vector<std::string_view> texts;
  for (const std::uint64_t length : lengths)
    texts.push_back(in.text(length));
  if (!in.isWhole())
    return "the columns of a host batch are not as long as its rows need";
  std::uint64_t text = 0;
  auto frame = frames.begin();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (counts[i] > static_cast<std::uint64_t>(frames.end() - frame))
      return "the places of a host batch must have as many frames as it holds";
    for (const auto last = frame + static_cast<std::ptrdiff_t>(counts[i]); frame != last; ++frame) {
      if (frame->function >= texts.size() || frame->file >= texts.size())
        return "a frame of a host batch names a text that is not in it";
      const std::string_view function = texts[frame->function], file = texts[frame->file];
      if (text += function.size() + file.size(); text > kMaxHostText)
        return "the texts of a host batch must not be longer than 1048576 bytes when they are written out";
      places[i].frames.push_back({std::string(function), std::string(file), frame->line, frame->column});
    }
  }
  return frame == frames.end() ? "" : "the places of a host batch must have as many frames as it holds";
}

} // namespace

HostCounts &operator+=(HostCounts &counts, const PackedHostBatch &packed) {
  counts.names += packed.names.size();
  counts.objects += packed.objects.size();
  counts.threads += packed.threads.size();
  counts.nodes += packed.nodes;
  counts.calls += packed.calls;
  return counts;
}

std::vector<PackedHostBatch> packHost(const HostBatch &batch, int level) {
  std::vector<PackedHostBatch> packed;
  for (Rest rest(batch); !rest.isEmpty();)
    packed.push_back(packPart(rest.next(), level));
  return packed;
}

std::string unpackHost(const PackedHostBatch &packed, HostBatch &batch) {
  if (packed.encodedBytes > mostBytes(packed))
    return "the columns of a host batch are longer than they can need";
  const auto unpacked = std::make_unique_for_overwrite<std::byte[]>(packed.encodedBytes);
  const std::span bytes(unpacked.get(), packed.encodedBytes);
  if (!unpackFrame(packed.packed, bytes).empty())
    return "the rows of a host batch do not unpack to their length";
  if (hashOf(bytes) != packed.hash)
    return "the rows of a host batch do not have their hash";
  batch.names = packed.names;
  batch.objects = packed.objects;
  batch.threads = packed.threads;
  batch.samplings = packed.samplings;
  batch.loops = packed.loops;
  batch.failures = packed.failures;
  batch.accesses = packed.accesses;
  ColumnReader in(bytes);
  const auto rows = [](auto &to, std::uint32_t count) -> auto & {
    to.clear();
    to.resize(count);
    return to;
  };
  decodeNodes(in, rows(batch.nodes, packed.nodes));
  decodeCalls(in, rows(batch.calls, packed.calls));
  decodeActs(in, rows(batch.acts, packed.acts));
  decodeSamples(in, rows(batch.samples, packed.samples));
  if (std::string rule = decodePlaces(in, packed, rows(batch.places, packed.places)); !rule.empty())
    return rule;
  if (std::ranges::any_of(batch.nodes, [](const HostNode &node) {
        return static_cast<unsigned>(node.kind) >= kHostNodeKinds;
      }))
    return "the kind of a node of the host is unknown";
  if (std::ranges::any_of(batch.calls, [](const HostCall &call) { return call.ended < call.began; }))
    return "a call of the host must not end before it begins";
  return {};
}

} // namespace cupr::trace

/// Numbers become those that programs forget: 0, the largest, and what is next to a power of two.
/// Long, since each kind of message has its function.
#include "mutation.h"

#include "devicelib/abi/record.h"
#include "hostlib/trace/message_file.h"
#include "hostlib/trace/packed_values.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/recount.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <variant>
#include <vector>

namespace cupr::test {

namespace {

using namespace trace;

class Mutation {
public:
  Mutation(const std::string &from, const std::string &to, std::uint64_t seed) : file_(to), random_(seed) {
    std::string error;
    const auto reader = Reader::open(from, error);
    if (!reader)
      throw std::runtime_error(error);
    Message message;
    while (reader->next(message) == ReadStatus::Message)
      messages_.push_back(message);
  }

  void run() {
    // Few of many, or many of few.
    rate_ = 1u << below(6);
    const auto dropped = below(4) == 0 ? 1 + below(messages_.size()) : 0;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (i != 0 && i == dropped)
        continue;
      Message message = messages_[i];
      std::visit([this](auto &value) { change(value); }, message);
      if (auto *end = std::get_if<End>(&message)) {
        file_.finish(std::move(*end));
        return;
      }
      put(message);
      if (i != 0 && below(64) == 0)
        put(message);
    }
  }

private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool now() { return below(rate_) == 0; }

  template <typename Number> void wild(Number &number) {
    if (!now())
      return;
    const unsigned bit = static_cast<unsigned>(below(8 * sizeof(Number)));
    const std::uint64_t values[] = {0,
                                    1,
                                    ~std::uint64_t{0},
                                    std::uint64_t{1} << bit,
                                    (std::uint64_t{1} << bit) - 1,
                                    random_(),
                                    static_cast<std::uint64_t>(number) + 1,
                                    static_cast<std::uint64_t>(number) - 1};
    number = static_cast<Number>(values[below(std::size(values))]);
  }
  /// A number that must be below `end`.
  template <typename Number> void inRange(Number &number, std::uint64_t end) {
    if (now() && end != 0)
      number = static_cast<Number>(below(end));
  }
  void wild(std::string &text) {
    if (!now())
      return;
    static constexpr const char *kTexts[] = {"",         "\x1b[31m",     "=1+1", "</script>",
                                             "\xff\xfe", "\xe2\x80\xae", "_ZN",  "a\nb\tc\r"};
    text = below(8) == 0 ? std::string(below(100000), '<') : kTexts[below(std::size(kTexts))];
  }
  void wild(Dim3 &dim) {
    for (std::uint32_t *side : {&dim.x, &dim.y, &dim.z}) {
      wild(*side);
      *side = std::max(*side, 1u);
    }
  }
  template <typename Enum> void any(Enum &value, unsigned count) {
    if (now())
      value = static_cast<Enum>(below(count));
  }
  void wild(GraphPlace &place) {
    wild(place.graph);
    wild(place.node);
    if (now())
      place.after.clear();
    std::erase_if(place.after, [&](std::uint32_t node) { return node >= place.node; });
    if (place.node != 0 && now())
      place.after = {place.node - 1};
  }

  void change(Header &header) {
    wild(header.process.program);
    wild(header.process.deviceName);
    wild(header.process.startTime);
    wild(header.process.pid);
    for (std::string &argument : header.process.arguments)
      wild(argument);
  }
  void change(Module &module) {
    for (Site &site : module.sites) {
      wild(site.bytes);
      wild(site.line);
      wild(site.column);
      wild(site.flags);
      any(site.operation, abi::kOperationCount);
      any(site.space, abi::kSpaceVerdicts);
      inRange(site.file, module.strings.size());
      inRange(site.function, module.strings.size());
      inRange(site.frame, module.frames.size());
    }
    for (std::size_t i = 1; i < module.strings.size(); ++i)
      wild(module.strings[i]);
    for (Source &source : module.sources) {
      inRange(source.path, module.strings.size());
      if (now())
        source.packed.clear();
    }
    for (Slice &slice : module.slices) {
      // What breaks a rule of slices is refused at once; what is left runs.
      const Slice before = slice;
      for (std::uint64_t &constant : slice.constants)
        wild(constant);
      for (abi::SliceInput &input : slice.inputs)
        any(input.source, abi::kSliceSources);
      for (abi::SliceInstruction &instruction : slice.code) {
        any(instruction.operation, abi::kSliceOperations);
        inRange(instruction.result, slice.registerCount);
        inRange(instruction.a, slice.registerCount);
        inRange(instruction.b, slice.code.size());
        inRange(instruction.c, slice.code.size());
      }
      if (below(4) != 0 && !brokenSliceRule(slice, module.sites.size()).empty())
        slice = before;
    }
  }
  void change(Launch &launch) {
    wild(launch.order);
    wild(launch.kernel);
    wild(launch.mangled);
    wild(launch.grid);
    wild(launch.block);
    wild(launch.stream);
    any(launch.streamKind, 4);
    if (launch.traced && !launch.isDerived())
      any(launch.timed, abi::kLatencySchemes);
    wild(launch.device);
    wild(launch.time);
    wild(launch.line);
    wild(launch.ctas.first);
    wild(launch.ctas.end);
    wild(launch.ctas.period);
    launch.ctas.period = std::max<std::uint64_t>(launch.ctas.period, 1);
    wild(launch.place);
    for (std::uint64_t &value : launch.sliceValues)
      wild(value);
  }
  void change(ActBatch &batch) {
    wild(batch.firstOrder);
    for (ActBatch::Kernel &kernel : batch.kernels) {
      wild(kernel.kernel);
      wild(kernel.mangled);
      wild(kernel.reason);
      wild(kernel.line);
    }
    for (ActBatch::Stream &stream : batch.streams) {
      wild(stream.id);
      any(stream.kind, 4);
      wild(stream.device);
    }
    for (std::string &call : batch.calls)
      wild(call);
    for (ActBatch::Launch &launch : batch.launches) {
      wild(launch.order);
      wild(launch.time);
      inRange(launch.kernel, batch.kernels.size());
      inRange(launch.stream, batch.streams.size());
      wild(launch.grid);
      wild(launch.block);
    }
    for (ActBatch::Allocation &allocation : batch.allocations) {
      wild(allocation.address);
      wild(allocation.bytes);
      allocation.bytes = std::min(allocation.bytes, UINT64_MAX - allocation.address);
      any(allocation.kind, 7);
      wild(allocation.order);
    }
    for (ActBatch::Free &free : batch.frees) {
      wild(free.address);
      wild(free.order);
    }
  }
  /// Records keep their layout: what they say changes.
  void change(Chunk &chunk) {
    std::vector<Word> words;
    if (!unpackChunk(chunk, words).empty())
      return;
    std::vector<Word> out;
    std::uint32_t records = 0;
    abi::WarpAccess access;
    for (std::size_t at = 0; at < words.size();) {
      std::uint32_t size = 0;
      if (abi::decodeRecord(words.data() + at, words.size() - at, access, size) != abi::RecordStatus::Access)
        return;
      at += size;
      if (below(16) == 0)
        inRange(access.cta, 64);
      if (below(16) == 0)
        wild(access.address[below(abi::kLanes)]);
      if (below(16) == 0 && access.form != abi::RecordForm::Range)
        for (std::uint64_t &address : access.address)
          wild(address);
      if (below(16) == 0)
        for (std::uint64_t &bytes : access.bytes)
          wild(bytes);
      inRange(access.site, access.site + 1);
      Word encoded[abi::kMaxRecordWords];
      const std::uint32_t length = access.form == abi::RecordForm::Range
                                       ? abi::encodeRange(access, 0, encoded)
                                       : abi::encodeRecord(access, 0, encoded);
      if (out.size() + length > kMaxChunkWords)
        break;
      out.insert(out.end(), encoded, encoded + length);
      ++records;
    }
    Chunk packed = packChunk(out, records);
    packed.launch = chunk.launch;
    packed.channel = chunk.channel;
    packed.sequence = chunk.sequence;
    if (records == chunk.records)
      packed.shares = chunk.shares;
    packed.values = std::move(chunk.values);
    if (packed.values.words != 0)
      change(packed.values);
    chunk = std::move(packed);
  }
  /// Values are of other records now, or of none.
  void change(ChunkValues &values) {
    if (now())
      values.words = static_cast<std::uint32_t>(1 + below(kMaxChunkValueWords));
    if (now())
      values.encodedBytes = static_cast<std::uint32_t>(below(4 * values.encodedBytes + 1));
    if (now())
      values = {};
  }
  void change(LaunchTotals &totals) {
    wild(totals.end.time);
    wild(totals.end.began);
    wild(totals.end.ended);
    wild(totals.end.waits);
    wild(totals.end.reason);
    if (now())
      totals.end.siteCounts.reset();
    if (now())
      totals.end.snapshots.clear();
    const auto sum = totals_.find(totals.end.id);
    if (sum == totals_.end())
      return;
    totals.records = sum->second.records;
    totals.words = sum->second.words;
    totals.counts = sum->second.counts;
    totals.chunks = file_.chunks(totals.end.id);
  }
  void change(Contents &contents) {
    if (now()) {
      std::vector<std::byte> bytes;
      if (unpackContents(contents, bytes).empty() && !bytes.empty()) {
        bytes[below(bytes.size())] ^= std::byte{1};
        const std::uint32_t id = contents.id;
        contents = packContents(bytes);
        contents.id = id;
      }
    }
  }
  void change(Snapshot &snapshot) {
    const Snapshot before = snapshot;
    wild(snapshot.address);
    for (std::uint32_t &piece : snapshot.pieces)
      inRange(piece, snapshot.pieces.size());
    if (snapshot.bytes > UINT64_MAX - snapshot.address)
      snapshot = before;
  }
  void change(Allocation &allocation) {
    wild(allocation.address);
    wild(allocation.bytes);
    allocation.bytes = std::min(allocation.bytes, UINT64_MAX - allocation.address);
    any(allocation.kind, 7);
    wild(allocation.call);
    wild(allocation.name);
    wild(allocation.order);
  }
  void change(Free &free) {
    wild(free.address);
    wild(free.order);
  }
  void change(Copy &copy) {
    for (std::uint64_t *number : {&copy.destination, &copy.source, &copy.rowBytes, &copy.rows,
                                  &copy.destinationPitch, &copy.sourcePitch, &copy.stream, &copy.order})
      wild(*number);
    any(copy.kind, 4);
    any(copy.streamKind, 4);
    wild(copy.place);
  }
  void change(Set &set) {
    for (std::uint64_t *number :
         {&set.destination, &set.rowBytes, &set.rows, &set.pitch, &set.stream, &set.order, &set.time})
      wild(*number);
    any(set.streamKind, 4);
    wild(set.place);
  }
  void change(ImageObject &object) {
    any(object.kind, 2);
    any(object.resource, 4);
    wild(object.object);
    wild(object.memory);
    wild(object.bytes);
    object.bytes = std::min(object.bytes, UINT64_MAX - object.memory);
    wild(object.order);
    if (now())
      object.isDestroyed = !object.isDestroyed;
  }
  /// Rows may name anything that is there, and times, places and weights are anything.
  void change(PackedHostBatch &packed) {
    HostBatch batch;
    if (!unpackHost(packed, batch).empty())
      return;
    HostCounts all = packed.first;
    all += batch;
    for (std::string &name : batch.names)
      wild(name);
    for (HostObject &object : batch.objects) {
      wild(object.path);
      wild(object.buildId);
    }
    for (HostThread &thread : batch.threads) {
      wild(thread.id);
      wild(thread.name);
    }
    for (std::uint64_t index = packed.first.nodes; HostNode &node : batch.nodes) {
      inRange(node.parent, index++);
      inRange(node.object, all.objects);
      wild(node.offset);
      any(node.kind, kHostNodeKinds);
      if (node.kind == HostNodeKind::Cut)
        node.parent = kNoHostIndex;
    }
    for (HostCall &call : batch.calls) {
      inRange(call.name, all.names);
      inRange(call.thread, all.threads);
      inRange(call.node, all.nodes);
      wild(call.began);
      wild(call.ended);
    }
    for (HostAct &act : batch.acts) {
      wild(act.order);
      inRange(act.call, all.calls);
    }
    for (HostSample &sample : batch.samples) {
      wild(sample.time);
      inRange(sample.thread, all.threads);
      inRange(sample.node, all.nodes);
      wild(sample.weight);
    }
    for (HostPlace &place : batch.places) {
      inRange(place.object, all.objects);
      wild(place.offset);
      for (HostFrame &frame : place.frames) {
        wild(frame.function);
        wild(frame.file);
        wild(frame.line);
      }
    }
    for (HostLoop &loop : batch.loops) {
      wild(loop.file);
      any(loop.extent.kind, abi::kLoopKinds);
      wild(loop.extent.begin.line);
      wild(loop.extent.begin.column);
      wild(loop.extent.end.line);
      if (!abi::isSound(loop.extent))
        loop.extent = {loop.extent.kind, {1, 0}, {UINT32_MAX, 0}};
    }
    for (HostFailure &failure : batch.failures) {
      wild(failure.call);
      wild(failure.error);
      wild(failure.text);
      inRange(failure.node, all.nodes);
      wild(failure.count);
    }
    std::vector<PackedHostBatch> changed = packHost(batch, kFastLevel);
    if (changed.size() != 1)
      return;
    changed[0].first = packed.first;
    packed = std::move(changed[0]);
  }
  void change(Synchronisation &call) {
    any(call.kind, 5);
    any(call.streamKind, 4);
    wild(call.stream);
    wild(call.event);
    wild(call.order);
  }
  void change(End &end) {
    if (now())
      end.missing.push_back("\x1b[1m=1");
    end.lost = end.lost || !end.missing.empty();
  }

  void put(const Message &message) {
    if (const auto *module = std::get_if<Module>(&message))
      sites_[module->id] = module->sites;
    else if (const auto *launch = std::get_if<Launch>(&message))
      launches_[launch->id] = *launch;
    else if (const auto *chunk = std::get_if<Chunk>(&message))
      count(*chunk);
    file_.append(message);
  }
  /// What breaks a rule adds nothing: the file may be refused.
  void count(const Chunk &chunk) {
    std::vector<Word> words, values;
    RecordTotals totals;
    const Launch &launch = launches_[chunk.launch];
    if (unpackChunk(chunk, sites_[launch.module], words, values).empty() &&
        recount(chunk, words, values, launch, sites_[launch.module], totals).empty())
      totals_[chunk.launch] += totals;
  }

  MessageFile file_;
  std::mt19937_64 random_;
  std::vector<Message> messages_;
  std::uint64_t rate_ = 1;
  std::map<ModuleId, std::vector<Site>> sites_;
  std::map<LaunchId, Launch> launches_;
  std::map<LaunchId, RecordTotals> totals_;
};

std::string contentOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

void mutate(const std::string &from, const std::string &to, std::uint64_t seed) {
  Mutation(from, to, seed).run();
}

void damage(const std::string &from, const std::string &other, const std::string &to, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::string whole = contentOf(from), more = contentOf(other);
  const auto below = [&](std::uint64_t n) { return n == 0 ? 0 : random() % n; };
  std::string bytes;
  do {
    bytes = whole;
    switch (below(6)) {
    case 0: // flipped bits
      for (std::uint64_t i = 1 + below(8); i > 0; --i)
        bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
      break;
    case 1: // cut off
      bytes.resize(below(bytes.size()));
      break;
    case 2: // cut out
      bytes.erase(below(bytes.size()), 1 + below(4096));
      break;
    case 3: // overwritten
      for (std::uint64_t at = below(bytes.size()), end = std::min(bytes.size(), at + 1 + below(512));
           at < end; ++at)
        bytes[at] = static_cast<char>(random());
      break;
    case 4: { // a part of another
      const std::size_t from_ = below(more.size());
      bytes.insert(below(bytes.size()), more.substr(from_, 1 + below(8192)));
      break;
    }
    default: // half of one and half of another
      bytes = bytes.substr(0, below(bytes.size())) + more.substr(below(more.size()));
    }
  } while (bytes == whole || bytes == more);
  std::ofstream(to, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace cupr::test

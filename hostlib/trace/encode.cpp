/// Messages to Cap'n Proto. Long, since each kind of message has its function, and all share how texts, places and lists are set.
#include "message.h"

#include "field_value.h"
#include "schema.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

namespace cupr::trace {

namespace {

capnp::Text::Reader text(const std::string &string) {
  return capnp::Text::Reader(string.c_str(), string.size());
}

capnp::Data::Reader data(const std::string &bytes) {
  return capnp::Data::Reader(reinterpret_cast<const capnp::byte *>(bytes.data()), bytes.size());
}

/// Builds one message with `fill(root)`.
template <typename Fill> Payload build(std::size_t expectedBytes, Fill fill) {
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(expectedBytes / 8 + 128));
  fill(builder.initRoot<schema::Message>());
  const kj::Array<capnp::word> flat = capnp::messageToFlatArray(builder);
  Payload payload(flat.size());
  std::memcpy(payload.data(), flat.begin(), flat.size() * sizeof(capnp::word));
  return payload;
}

void setDim(schema::Dim3::Builder out, const Dim3 &in) {
  out.setX(in.x);
  out.setY(in.y);
  out.setZ(in.z);
}

void setCounts(schema::Counts::Builder out, const Counts &in) {
  out.setLoads(in.loads);
  out.setStores(in.stores);
  out.setAtomics(in.atomics);
  out.setLoadBytes(in.loadBytes);
  out.setStoreBytes(in.storeBytes);
  out.setAtomicBytes(in.atomicBytes);
}

/// What is not of a graph takes no more than a null pointer.
template <class Act> void setPlace(Act out, const GraphPlace &place) {
  if (place.graph == 0)
    return;
  auto to = out.initPlace();
  to.setGraph(place.graph);
  to.setNode(place.node);
  auto after = to.initAfter(static_cast<unsigned>(place.after.size()));
  for (unsigned i = 0; i < after.size(); ++i)
    after.set(i, place.after[i]);
}

// What events.def lists.
#define CUPR_PUT(type, member, initial, accessor, ...) out.set##accessor(FieldValue<type>{in.member});
#define CUPR_PUT_PART(type, member, accessor, ...) CUPR_PUT_##type(member, accessor)
#define CUPR_PUT_Dim3(member, accessor) setDim(out.init##accessor(), in.member);
#define CUPR_PUT_GraphPlace(member, accessor) setPlace(out, in.member);
#define CUPR_PUT_CtaSelection(member, accessor)                                                              \
  out.setCtaFirst(in.member.first);                                                                          \
  out.setCtaEnd(in.member.end);                                                                              \
  out.setCtaPeriod(in.member.period);

void set(schema::Site::Builder out, const Site &in) {
#define CUPR_SITE_OWN CUPR_PUT
#include "events.def"
}

void set(schema::Frame::Builder out, const Frame &in) {
#define CUPR_FRAME_OWN CUPR_PUT
#include "events.def"
}

template <class List, class Number> void setNumbers(List out, const std::vector<Number> &in) {
  for (unsigned i = 0; i < out.size(); ++i)
    out.set(i, in[i]);
}

template <class T> capnp::Data::Reader bytesOf(const std::vector<T> &in) {
  return {reinterpret_cast<const kj::byte *>(in.data()), in.size() * sizeof(T)};
}

void set(schema::Slice::Builder out, const Slice &in) {
  out.setKernel(in.kernel);
  out.setBlockSite(in.blockSite);
  out.setRegisters(in.registerCount);
  out.setInputs(bytesOf(in.inputs));
  setNumbers(out.initConstants(static_cast<unsigned>(in.constants.size())), in.constants);
  out.setCode(bytesOf(in.code));
}

void set(schema::BatchKernel::Builder out, const ActBatch::Kernel &in) {
  out.setKernel(text(in.kernel));
  out.setMangled(text(in.mangled));
  out.setReason(text(in.reason));
  out.setFile(text(in.file));
  out.setLine(in.line);
  out.setModule(static_cast<std::uint32_t>(in.module));
}

void set(schema::BatchStream::Builder out, const ActBatch::Stream &in) {
  out.setStream(in.id);
  out.setStreamKind(static_cast<schema::StreamKind>(in.kind));
  out.setDevice(in.device);
}

void set(schema::BatchLaunch::Builder out, const ActBatch::Launch &in) {
  out.setNumber(in.number);
  out.setOrder(in.order);
  out.setTime(in.time);
  out.setKernel(in.kernel);
  out.setStream(in.stream);
  out.setDynamicShared(in.dynamicShared);
  out.setGridX(in.grid.x);
  out.setGridY(in.grid.y);
  out.setGridZ(in.grid.z);
  out.setBlockX(in.block.x);
  out.setBlockY(in.block.y);
  out.setBlockZ(in.block.z);
}

void set(schema::BatchAllocation::Builder out, const ActBatch::Allocation &in) {
  out.setAddress(in.address);
  out.setBytes(in.bytes);
  out.setOrder(in.order);
  out.setKind(static_cast<schema::MemoryKind>(in.kind));
  out.setCall(in.call);
  out.setTime(in.time);
}

void set(schema::BatchPlace::Builder out, const ActBatch::Place &in) {
  out.setName(text(in.name));
  out.setType(text(in.type));
  out.setFile(text(in.file));
  out.setLine(in.line);
  out.setColumn(in.column);
}

void set(schema::BatchFree::Builder out, const ActBatch::Free &in) {
  out.setAddress(in.address);
  out.setTime(in.time);
  out.setOrder(in.order);
  out.setCall(in.call);
}

template <class List, class Value> void setAll(List out, const std::vector<Value> &in) {
  for (unsigned i = 0; i < out.size(); ++i)
    set(out[i], in[i]);
}

} // namespace

Payload encode(const Header &header) {
  return build(512, [&](schema::Message::Builder root) {
    auto out = root.initHeader();
    out.setFormatVersion(header.formatVersion);
    out.setAbiVersion(header.abiVersion);
    auto process = out.initProcess();
    process.setProgram(text(header.process.program));
    auto arguments = process.initArguments(static_cast<unsigned>(header.process.arguments.size()));
    for (unsigned i = 0; i < arguments.size(); ++i)
      arguments.set(i, text(header.process.arguments[i]));
    process.setPid(header.process.pid);
    process.setDeviceKind(text(header.process.deviceKind));
    process.setDeviceName(text(header.process.deviceName));
    process.setStartTime(header.process.startTime);
    out.setLeavesOut(header.leavesOut);
    out.setHostAccesses(header.hostAccesses);
  });
}

Payload encode(const Module &module) {
  std::size_t bytes = module.sites.size() * 40 + module.frames.size() * 24 + module.strings.size() * 40;
  for (const Source &source : module.sources)
    bytes += source.packed.size() + 32;
  for (const Slice &slice : module.slices)
    bytes += slice.inputs.size() * sizeof(abi::SliceInput) + slice.constants.size() * 8 +
             slice.code.size() * sizeof(abi::SliceInstruction) + 64;
  return build(bytes, [&](schema::Message::Builder root) {
    auto out = root.initModule();
    out.setId(static_cast<std::uint32_t>(module.id));
    setAll(out.initSites(static_cast<unsigned>(module.sites.size())), module.sites);
    setAll(out.initFrames(static_cast<unsigned>(module.frames.size())), module.frames);
    auto sources = out.initSources(static_cast<unsigned>(module.sources.size()));
    for (unsigned i = 0; i < sources.size(); ++i) {
      sources[i].setPath(module.sources[i].path);
      sources[i].setTextBytes(module.sources[i].textBytes);
      sources[i].setPacked(data(module.sources[i].packed));
    }
    auto strings = out.initStrings(static_cast<unsigned>(module.strings.size()));
    for (unsigned i = 0; i < strings.size(); ++i)
      strings.set(i, text(module.strings[i]));
    setAll(out.initSlices(static_cast<unsigned>(module.slices.size())), module.slices);
    out.setRecorded(module.recorded);
  });
}

Payload encode(const Launch &in) {
  return build(512, [&](schema::Message::Builder root) {
    auto out = root.initLaunch();
#define CUPR_LAUNCH CUPR_PUT
#define CUPR_LAUNCH_OWN CUPR_PUT
#define CUPR_LAUNCH_PART CUPR_PUT_PART
#include "events.def"
    if (!in.sliceValues.empty())
      setNumbers(out.initSliceValues(static_cast<unsigned>(in.sliceValues.size())), in.sliceValues);
  });
}

namespace {

/// Words that a chunk's message has beside its bytes and shares, and some to spare.
constexpr std::size_t kChunkFixedWords = 32;

} // namespace

/// The message is built where it is to lie: one segment behind the word that says how long it is.
struct ChunkMessage::Builder {
  Builder(Payload &payload, std::size_t words)
      : message(kj::arrayPtr(reinterpret_cast<capnp::word *>((payload.assign(words, 0), payload.data() + 1)),
                             words - 1)),
        chunk(message.initRoot<schema::Message>().initChunk()) {}
  capnp::FlatMessageBuilder message;
  schema::Chunk::Builder chunk;
};

ChunkMessage::ChunkMessage(const Chunk &chunk, std::span<const std::byte> packed,
                           std::span<const std::byte> values, Payload &payload)
    : builder_(std::make_unique<Builder>(payload, kChunkFixedWords + (packed.size() + 7) / 8 +
                                                      (values.size() + 7) / 8 + chunk.shares.size())) {
  auto &out = builder_->chunk;
  out.setLaunch(static_cast<std::uint64_t>(chunk.launch));
  out.setChannel(chunk.channel);
  out.setSequence(chunk.sequence);
  out.setRecords(chunk.records);
  out.setWords(chunk.words);
  out.setEncoding(static_cast<schema::Encoding>(chunk.encoding));
  out.setEncodedBytes(chunk.encodedBytes);
  out.setPacked(capnp::Data::Reader(reinterpret_cast<const capnp::byte *>(packed.data()), packed.size()));
  out.setHash(chunk.hash);
  auto shares = out.initShares(static_cast<unsigned>(chunk.shares.size()));
  for (unsigned i = 0; i < shares.size(); ++i) {
    shares[i].setChannel(chunk.shares[i].channel);
    shares[i].setRecords(chunk.shares[i].records);
  }
  if (chunk.values.words != 0) {
    auto to = out.initValues();
    to.setWords(chunk.values.words);
    to.setEncodedBytes(chunk.values.encodedBytes);
    to.setPacked(capnp::Data::Reader(reinterpret_cast<const capnp::byte *>(values.data()), values.size()));
    to.setHash(chunk.values.hash);
  }
  const std::size_t words = builder_->message.getSegmentsForOutput()[0].size();
  payload.resize(1 + words);               // does not move it
  payload[0] = std::uint64_t{words} << 32; // little endian: one segment less one, and its length
}

ChunkMessage::~ChunkMessage() = default;

void ChunkMessage::setSequence(std::uint64_t sequence) { builder_->chunk.setSequence(sequence); }

Payload encode(const Chunk &chunk) {
  Payload payload;
  ChunkMessage(chunk, std::as_bytes(std::span(chunk.packed)), std::as_bytes(std::span(chunk.values.packed)),
               payload);
  return payload;
}

Payload encode(const LaunchTotals &totals) {
  const std::size_t sites = totals.end.siteCounts ? totals.end.siteCounts->size() : 0;
  return build(256 + 16 * sites + 4 * totals.end.snapshots.size(), [&](schema::Message::Builder root) {
    auto out = root.initLaunchEnd();
    const LaunchEnd &in = totals.end;
#define CUPR_LAUNCH_END_OWN CUPR_PUT
#include "events.def"
    out.setRecords(totals.records);
    out.setWords(totals.words);
    out.setChunks(totals.chunks);
    setCounts(out.initCounts(), totals.counts.global);
    setCounts(out.initShared(), totals.counts.shared);
    setCounts(out.initConstant(), totals.counts.constant);
    setCounts(out.initLocal(), totals.counts.local);
    setCounts(out.initTexture(), totals.counts.texture);
    out.setCounted(totals.end.siteCounts.has_value());
    auto counts = out.initSiteCounts(static_cast<unsigned>(sites));
    for (unsigned i = 0; i < sites; ++i) {
      counts[i].setSite((*totals.end.siteCounts)[i].site);
      counts[i].setAccesses((*totals.end.siteCounts)[i].accesses);
    }
    if (!in.snapshots.empty())
      setNumbers(out.initSnapshots(static_cast<unsigned>(in.snapshots.size())), in.snapshots);
  });
}

Payload encode(const Contents &contents) {
  return build(64 + contents.packed.size(), [&](schema::Message::Builder root) {
    auto out = root.initContents();
    out.setId(contents.id);
    out.setBytes(contents.bytes);
    out.setPacked(data(contents.packed));
    out.setHash(contents.hash);
    out.setDifferences(contents.isDifferences);
  });
}

Payload encode(const Snapshot &snapshot) {
  return build(64 + 4 * snapshot.pieces.size(), [&](schema::Message::Builder root) {
    auto out = root.initSnapshot();
    out.setId(snapshot.id);
    out.setAddress(snapshot.address);
    out.setBytes(snapshot.bytes);
    setNumbers(out.initPieces(static_cast<unsigned>(snapshot.pieces.size())), snapshot.pieces);
  });
}

Payload encode(const Allocation &in) {
  return build(128, [&](schema::Message::Builder root) {
    auto out = root.initAllocation();
#define CUPR_ALLOCATION CUPR_PUT
#include "events.def"
  });
}

Payload encode(const Free &in) {
  return build(128, [&](schema::Message::Builder root) {
    auto out = root.initFree();
#define CUPR_FREE_OWN CUPR_PUT
#include "events.def"
  });
}

Payload encode(const ImageObject &in) {
  return build(192, [&](schema::Message::Builder root) {
    auto out = root.initImageObject();
#define CUPR_IMAGE_OBJECT CUPR_PUT
#define CUPR_IMAGE_OBJECT_OWN CUPR_PUT
#include "events.def"
  });
}

Payload encode(const PackedHostBatch &batch) {
  std::size_t bytes = 256 + batch.packed.size();
  for (const std::string &name : batch.names)
    bytes += 16 + name.size();
  for (const HostObject &object : batch.objects)
    bytes += 32 + object.path.size() + object.buildId.size();
  for (const HostThread &thread : batch.threads)
    bytes += 32 + thread.name.size();
  for (const HostFailure &failure : batch.failures)
    bytes += 64 + failure.call.size() + failure.error.size() + failure.text.size();
  bytes += 96 * batch.accesses.size();
  std::vector<const std::string *> files;
  std::vector<std::uint32_t> fileOf;
  std::unordered_map<std::string_view, std::uint32_t> fileNumbers;
  for (const HostLoop &loop : batch.loops) {
    const auto [known, isNew] = fileNumbers.try_emplace(loop.file, static_cast<std::uint32_t>(files.size()));
    if (isNew) {
      files.push_back(&loop.file);
      bytes += 16 + loop.file.size();
    }
    fileOf.push_back(known->second);
    bytes += 32;
  }
  return build(bytes, [&](schema::Message::Builder root) {
    auto out = root.initHost();
    out.setFirstName(batch.first.names);
    out.setFirstObject(batch.first.objects);
    out.setFirstThread(batch.first.threads);
    out.setFirstNode(batch.first.nodes);
    out.setFirstCall(batch.first.calls);
    auto names = out.initNames(static_cast<unsigned>(batch.names.size()));
    for (unsigned i = 0; i < names.size(); ++i)
      names.set(i, text(batch.names[i]));
    auto objects = out.initObjects(static_cast<unsigned>(batch.objects.size()));
    for (unsigned i = 0; i < objects.size(); ++i) {
      objects[i].setPath(text(batch.objects[i].path));
      objects[i].setBuildId(text(batch.objects[i].buildId));
    }
    auto threads = out.initThreads(static_cast<unsigned>(batch.threads.size()));
    for (unsigned i = 0; i < threads.size(); ++i) {
      threads[i].setId(batch.threads[i].id);
      threads[i].setName(text(batch.threads[i].name));
    }
    auto samplings = out.initSamplings(static_cast<unsigned>(batch.samplings.size()));
    for (unsigned i = 0; i < samplings.size(); ++i) {
      samplings[i].setSource(text(batch.samplings[i].source));
      samplings[i].setPeriod(batch.samplings[i].period);
      samplings[i].setDelivered(batch.samplings[i].delivered);
      samplings[i].setLost(batch.samplings[i].lost);
    }
    out.setNodes(batch.nodes);
    out.setCalls(batch.calls);
    out.setActs(batch.acts);
    out.setSamples(batch.samples);
    out.setPlaces(batch.places);
    out.setFrames(batch.frames);
    out.setTexts(batch.texts);
    out.setTextBytes(batch.textBytes);
    out.setEncodedBytes(batch.encodedBytes);
    out.setPacked(data(batch.packed));
    out.setHash(batch.hash);
    if (!batch.failures.empty()) {
      auto failures = out.initFailures(static_cast<unsigned>(batch.failures.size()));
      for (unsigned i = 0; i < failures.size(); ++i) {
        failures[i].setCall(text(batch.failures[i].call));
        failures[i].setError(text(batch.failures[i].error));
        failures[i].setText(text(batch.failures[i].text));
        failures[i].setNode(batch.failures[i].node);
        failures[i].setCount(batch.failures[i].count);
      }
    }
    if (!batch.accesses.empty()) {
      auto accesses = out.initAccesses(static_cast<unsigned>(batch.accesses.size()));
      for (unsigned i = 0; i < accesses.size(); ++i) {
        const HostAccess &access = batch.accesses[i];
        accesses[i].setAddress(access.address);
        accesses[i].setBytes(access.bytes);
        accesses[i].setStride(access.stride);
        accesses[i].setElements(access.elements);
        accesses[i].setTimes(access.times);
        accesses[i].setAfter(access.after);
        accesses[i].setSince(access.since);
        accesses[i].setThread(access.thread);
        accesses[i].setNode(access.node);
        accesses[i].setPlace(access.place);
        accesses[i].setWrites(access.writes);
        accesses[i].setStrong(access.isStrong);
      }
    }
    if (batch.loops.empty())
      return;
    auto fileTexts = out.initLoopFiles(static_cast<unsigned>(files.size()));
    for (unsigned i = 0; i < fileTexts.size(); ++i)
      fileTexts.set(i, text(*files[i]));
    auto loops = out.initLoops(static_cast<unsigned>(batch.loops.size()));
    for (unsigned i = 0; i < loops.size(); ++i) {
      const auto &[kind, begin, end] = batch.loops[i].extent;
      loops[i].setKind(static_cast<schema::LoopKind>(kind));
      loops[i].setOfDevice(batch.loops[i].isOfDevice);
      loops[i].setFile(fileOf[i]);
      loops[i].setBeginLine(begin.line);
      loops[i].setBeginColumn(begin.column);
      loops[i].setEndLine(end.line);
      loops[i].setEndColumn(end.column);
    }
  });
}

Payload encode(const Copy &in) {
  return build(128, [&](schema::Message::Builder root) {
    auto out = root.initCopy();
#define CUPR_COPY CUPR_PUT
#define CUPR_COPY_PART CUPR_PUT_PART
#include "events.def"
  });
}

Payload encode(const Set &in) {
  return build(128, [&](schema::Message::Builder root) {
    auto out = root.initSet();
#define CUPR_SET CUPR_PUT
#define CUPR_SET_PART CUPR_PUT_PART
#include "events.def"
  });
}

Payload encode(const Synchronisation &in) {
  return build(128, [&](schema::Message::Builder root) {
    auto out = root.initSynchronisation();
#define CUPR_SYNCHRONISATION CUPR_PUT
#include "events.def"
  });
}

Payload encode(const End &end) {
  std::size_t bytes = 256;
  for (const LaunchIndex &launch : end.launches)
    bytes += 40 + 8 * launch.chunks.size();
  for (const std::string &line : end.missing)
    bytes += 16 + line.size();
  return build(bytes, [&](schema::Message::Builder root) {
    auto out = root.initEnd();
    auto counts = out.initCounts(kMessageKinds);
    for (unsigned i = 0; i < kMessageKinds; ++i)
      counts.set(i, end.counts[i]);
    auto launches = out.initLaunches(static_cast<unsigned>(end.launches.size()));
    for (unsigned i = 0; i < launches.size(); ++i) {
      const LaunchIndex &in = end.launches[i];
      launches[i].setId(static_cast<std::uint64_t>(in.id));
      launches[i].setLaunch(in.launch);
      launches[i].setLaunchEnd(in.launchEnd);
      auto chunks = launches[i].initChunks(static_cast<unsigned>(in.chunks.size()));
      for (unsigned j = 0; j < chunks.size(); ++j)
        chunks.set(j, in.chunks[j]);
    }
    out.setLost(end.lost);
    auto missing = out.initMissing(static_cast<unsigned>(end.missing.size()));
    for (unsigned i = 0; i < missing.size(); ++i)
      missing.set(i, text(end.missing[i]));
    out.setLeftOut(end.leftOut);
  });
}

namespace {

/// Batches without launches of graphs don't pay for them.
void setNodes(schema::ActBatch::Builder out, const ActBatch &batch) {
  if (batch.nodes.empty())
    return;
  out.setFirstGraph(batch.firstGraph);
  auto nodes = out.initNodes(static_cast<unsigned>(batch.nodes.size()));
  for (unsigned i = 0; i < nodes.size(); ++i) {
    auto node = nodes[i];
    node.setNode(batch.nodes[i].node);
    auto after = node.initAfter(static_cast<unsigned>(batch.nodes[i].after.size()));
    for (unsigned j = 0; j < after.size(); ++j)
      after.set(j, batch.nodes[i].after[j]);
  }
  auto graphs = out.initGraphs(static_cast<unsigned>(batch.launches.size()));
  auto places = out.initPlaces(static_cast<unsigned>(batch.launches.size()));
  for (unsigned i = 0; i < graphs.size(); ++i) {
    graphs.set(i, batch.launches[i].graph);
    places.set(i, batch.launches[i].node);
  }
}

} // namespace

Payload encode(const ActBatch &batch) {
  std::size_t bytes = 256 + 48 * batch.launches.size() + 40 * batch.allocations.size() +
                      24 * batch.frees.size() + 16 * batch.streams.size();
  for (const ActBatch::Kernel &kernel : batch.kernels)
    bytes += 80 + kernel.textBytes();
  for (const std::string &call : batch.calls)
    bytes += 16 + call.size();
  for (const ActBatch::Place &place : batch.allocationPlaces)
    bytes += 56 + place.textBytes();
  bytes += batch.allocationPlaces.empty() ? 0 : 2 * batch.allocations.size();
  for (const ActBatch::Node &node : batch.nodes)
    bytes += 32 + node.bytes();
  bytes += batch.nodes.empty() ? 0 : 6 * batch.launches.size();
  return build(bytes, [&](schema::Message::Builder root) {
    auto out = root.initActs();
    out.setFirstLaunch(batch.firstLaunch);
    out.setFirstOrder(batch.firstOrder);
    setAll(out.initKernels(static_cast<unsigned>(batch.kernels.size())), batch.kernels);
    setAll(out.initStreams(static_cast<unsigned>(batch.streams.size())), batch.streams);
    auto calls = out.initCalls(static_cast<unsigned>(batch.calls.size()));
    for (unsigned i = 0; i < calls.size(); ++i)
      calls.set(i, text(batch.calls[i]));
    setNodes(out, batch);
    setAll(out.initLaunches(static_cast<unsigned>(batch.launches.size())), batch.launches);
    setAll(out.initAllocations(static_cast<unsigned>(batch.allocations.size())), batch.allocations);
    setAll(out.initAllocationPlaces(static_cast<unsigned>(batch.allocationPlaces.size())),
           batch.allocationPlaces);
    if (std::ranges::any_of(batch.allocations, [](const auto &in) { return in.place != 0; })) {
      auto places = out.initPlacesOfAllocations(static_cast<unsigned>(batch.allocations.size()));
      for (unsigned i = 0; i < places.size(); ++i)
        places.set(i, batch.allocations[i].place);
    }
    setAll(out.initFrees(static_cast<unsigned>(batch.frees.size())), batch.frees);
  });
}

} // namespace cupr::trace

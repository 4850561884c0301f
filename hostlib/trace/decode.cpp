/// Cap'n Proto to messages, with the checks that concern one message alone. The bytes
/// may be anything: what is read here decides what the rest may rely on.
///
/// Long, since each kind of message is read in one function, and all by the same few rules of reading.
#include "message.h"

#include "clusters.h"
#include "field_value.h"
#include "schema.h"

#include <algorithm>
#include <cstring>

namespace cupr::trace {

namespace {

/// A rule of trace.capnp that the message breaks.
struct BrokenRule {
  std::string text;
};

struct NewerFormat : BrokenRule {
  std::uint32_t version;
};

void must(bool holds, const char *rule) {
  if (!holds)
    throw BrokenRule{rule};
}

std::string string(capnp::Text::Reader in) { return std::string(in.begin(), in.size()); }

std::string bytes(capnp::Data::Reader in) {
  return std::string(reinterpret_cast<const char *>(in.begin()), in.size());
}

Dim3 dim(schema::Dim3::Reader in) {
  const Dim3 out{in.getX(), in.getY(), in.getZ()};
  must(out.x && out.y && out.z, "the numbers of a grid or block must not be 0");
  return out;
}

// What events.def lists.
#define CUPR_GET(type, member, initial, accessor, ...)                                                       \
  out.member = static_cast<type>(FieldValue<decltype(in.get##accessor())>{in.get##accessor()});
#define CUPR_GET_PART(type, member, accessor, ...) CUPR_GET_##type(member, accessor)
#define CUPR_GET_Dim3(member, accessor) out.member = dim(in.get##accessor());
#define CUPR_GET_GraphPlace(member, accessor) out.member = place(in.get##accessor());
#define CUPR_GET_CtaSelection(member, accessor)                                                              \
  out.member = {in.getCtaFirst(), in.getCtaEnd(), in.getCtaPeriod()};

void mustBeKnown(StreamKind kind) {
  must(kind <= StreamKind::NonBlocking, "the kind of a stream is unknown");
}

std::vector<std::uint32_t> after(capnp::List<std::uint32_t>::Reader in, std::uint32_t own) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t node : in) {
    must(node < own && (out.empty() || node > out.back()),
         "the nodes that a node of a graph waits for must ascend and be below its own");
    out.push_back(node);
  }
  return out;
}

GraphPlace place(schema::GraphPlace::Reader in) {
  return {in.getGraph(), in.getNode(), after(in.getAfter(), in.getNode())};
}

Header read(schema::Header::Reader in) {
  Header out;
  out.formatVersion = in.getFormatVersion();
  must(out.formatVersion != 0, "the format version must not be 0");
  if (out.formatVersion > kFormatVersion)
    throw NewerFormat{{"the file has format " + std::to_string(out.formatVersion) +
                       ", and this program reads formats up to " + std::to_string(kFormatVersion) +
                       ": use a newer one"},
                      out.formatVersion};
  out.abiVersion = in.getAbiVersion();
  const auto process = in.getProcess();
  out.process.program = string(process.getProgram());
  for (const auto argument : process.getArguments())
    out.process.arguments.push_back(string(argument));
  out.process.pid = process.getPid();
  out.process.deviceKind = string(process.getDeviceKind());
  must(out.process.deviceKind == "gpu" || out.process.deviceKind == "cpu",
       "the kind of device must be gpu or cpu");
  out.process.deviceName = string(process.getDeviceName());
  out.process.startTime = process.getStartTime();
  out.leavesOut = in.getLeavesOut();
  out.hostAccesses = in.getHostAccesses();
  return out;
}

Site read(schema::Site::Reader in) {
  Site out;
#define CUPR_SITE_OWN CUPR_GET
#include "events.def"
  return out;
}

Frame read(schema::Frame::Reader in) {
  Frame out;
#define CUPR_FRAME_OWN CUPR_GET
#include "events.def"
  return out;
}

/// Elements of a plain type, one behind the other.
template <class T> std::vector<T> elements(capnp::Data::Reader in) {
  must(in.size() % sizeof(T) == 0, "a list in a slice ends in the middle of an element");
  std::vector<T> out(in.size() / sizeof(T));
  if (!out.empty())
    std::memcpy(out.data(), in.begin(), in.size());
  return out;
}

Slice read(schema::Slice::Reader in) {
  Slice out;
  out.kernel = in.getKernel();
  out.blockSite = in.getBlockSite();
  out.registerCount = in.getRegisters();
  out.inputs = elements<abi::SliceInput>(in.getInputs());
  for (const std::uint64_t value : in.getConstants())
    out.constants.push_back(value);
  out.code = elements<abi::SliceInstruction>(in.getCode());
  return out;
}

Module read(schema::Module::Reader in) {
  Module out;
  out.id = static_cast<ModuleId>(in.getId());
  for (const auto site : in.getSites())
    out.sites.push_back(read(site));
  for (const auto frame : in.getFrames())
    out.frames.push_back(read(frame));
  for (const auto source : in.getSources()) {
    Source &to = out.sources.emplace_back();
    to.path = source.getPath();
    to.textBytes = source.getTextBytes();
    to.packed = bytes(source.getPacked());
  }
  for (const auto text : in.getStrings())
    out.strings.push_back(string(text));
  for (const auto slice : in.getSlices())
    out.slices.push_back(read(slice));
  out.recorded = in.getRecorded();
  if (std::string rule = brokenModuleRule(out); !rule.empty())
    throw BrokenRule{std::move(rule)};
  return out;
}

Launch read(schema::Launch::Reader in) {
  Launch out;
#define CUPR_LAUNCH CUPR_GET
#define CUPR_LAUNCH_OWN CUPR_GET
#define CUPR_LAUNCH_PART CUPR_GET_PART
#include "events.def"
  for (const std::uint64_t value : in.getSliceValues())
    out.sliceValues.push_back(value);
  must(out.isDerived() || out.sliceValues.empty(), "a launch without a slice must not have values for it");
  must(!out.isDerived() || out.traced, "a launch with a slice must be traced");
  must(out.id != LaunchId{0}, "launches must be counted from 1");
  must(!out.traced || out.module != kNoModule, "a traced launch must have a module");
  must(out.ctas.period != 0, "the period of recorded blocks must not be 0");
  mustBeKnown(out.streamKind);
  must(static_cast<unsigned>(out.timed) < abi::kLatencySchemes,
       "the way in which a launch was timed is unknown");
  must(out.timed == abi::LatencyScheme::None || (out.traced && !out.isDerived()),
       "a timed launch must be traced, and have no slice");
  const Dim3 cluster{out.clusterX, out.clusterY, out.clusterZ};
  must(cluster == Dim3{0, 0, 0} || areClusters(out.grid, cluster),
       "the clusters of a launch must have 1 to 16 blocks, and divide its grid");
  return out;
}

Chunk read(schema::Chunk::Reader in) {
  Chunk out;
  out.launch = static_cast<LaunchId>(in.getLaunch());
  out.channel = in.getChannel();
  out.sequence = in.getSequence();
  out.records = in.getRecords();
  must(out.records != 0, "a chunk must not be empty");
  out.words = in.getWords();
  must(out.words <= kMaxChunkWords, "a chunk must not hold more than 65536 words");
  out.encoding = static_cast<Encoding>(in.getEncoding());
  out.encodedBytes = in.getEncodedBytes();
  out.packed = bytes(in.getPacked());
  out.hash = in.getHash();
  std::uint64_t shared = 0;
  for (const auto share : in.getShares()) {
    out.shares.push_back({share.getChannel(), share.getRecords()});
    shared += share.getRecords();
  }
  must(out.shares.empty() || shared == out.records,
       "the shares of a chunk's channels must add up to its records");
  if (in.hasValues()) {
    const auto values = in.getValues();
    out.values.words = values.getWords();
    must(out.values.words != 0, "the values of a chunk must not be empty");
    must(out.values.words <= kMaxChunkValueWords, "a chunk must not hold more than 131072 words of values");
    out.values.encodedBytes = values.getEncodedBytes();
    out.values.packed = bytes(values.getPacked());
    out.values.hash = values.getHash();
  }
  return out;
}

Counts countsFrom(schema::Counts::Reader in) {
  return {in.getLoads(),     in.getStores(),     in.getAtomics(),
          in.getLoadBytes(), in.getStoreBytes(), in.getAtomicBytes()};
}

std::vector<SiteCount> siteCountsFrom(capnp::List<schema::SiteCount>::Reader in) {
  std::vector<SiteCount> out;
  for (const auto count : in) {
    must(out.empty() || count.getSite() > out.back().site, "the sites of a launch's counts must ascend");
    must(count.getAccesses() != 0, "a site's count must not be 0");
    out.push_back({count.getSite(), count.getAccesses()});
  }
  return out;
}

LaunchEnd readEnd(schema::LaunchEnd::Reader in) {
  LaunchEnd out;
#define CUPR_LAUNCH_END_OWN CUPR_GET
#include "events.def"
  if (in.getCounted())
    out.siteCounts = siteCountsFrom(in.getSiteCounts());
  for (const std::uint32_t snapshot : in.getSnapshots())
    out.snapshots.push_back(snapshot);
  return out;
}

LaunchTotals read(schema::LaunchEnd::Reader in) {
  LaunchTotals out;
  out.end = readEnd(in);
  out.records = in.getRecords();
  out.words = in.getWords();
  out.chunks = in.getChunks();
  out.counts = {countsFrom(in.getCounts()), countsFrom(in.getShared()), countsFrom(in.getConstant()),
                countsFrom(in.getLocal()), countsFrom(in.getTexture())};
  return out;
}

Contents read(schema::Contents::Reader in) {
  Contents out;
  out.id = in.getId();
  out.bytes = in.getBytes();
  must(out.bytes != 0 && out.bytes <= abi::kPieceBytes,
       "contents of memory must not be empty or more than 65536 bytes");
  out.packed = bytes(in.getPacked());
  out.hash = in.getHash();
  out.isDifferences = in.getDifferences();
  return out;
}

Snapshot read(schema::Snapshot::Reader in) {
  Snapshot out;
  out.id = in.getId();
  out.address = in.getAddress();
  out.bytes = in.getBytes();
  must(out.bytes != 0 && out.bytes <= kMaxSnapshotBytes && out.bytes <= UINT64_MAX - out.address,
       "a snapshot must not be empty, of more than 2^32 bytes, or reach beyond the address space");
  for (const std::uint32_t piece : in.getPieces())
    out.pieces.push_back(piece);
  return out;
}

Allocation read(schema::Allocation::Reader in) {
  Allocation out;
#define CUPR_ALLOCATION CUPR_GET
#include "events.def"
  must(out.bytes <= UINT64_MAX - out.address, "an allocation must not reach beyond the address space");
  must(out.kind <= MemoryKind::Symbol, "the kind of an allocation is unknown");
  return out;
}

Free read(schema::Free::Reader in) {
  Free out;
#define CUPR_FREE_OWN CUPR_GET
#include "events.def"
  return out;
}

ImageObject read(schema::ImageObject::Reader in) {
  ImageObject out;
#define CUPR_IMAGE_OBJECT CUPR_GET
#define CUPR_IMAGE_OBJECT_OWN CUPR_GET
#include "events.def"
  must(out.bytes <= UINT64_MAX - out.memory, "what an object reads must not reach beyond the address space");
  must(out.kind <= ImageKind::Surface, "the kind of an object is unknown");
  must(out.resource <= ImageResource::Pitched, "the resource of an object is unknown");
  return out;
}

void readLoops(schema::HostBatch::Reader in, std::vector<HostLoop> &out) {
  std::vector<std::string> files;
  for (const auto file : in.getLoopFiles())
    files.push_back(string(file));
  std::size_t textBytes = 0;
  for (const auto loop : in.getLoops()) {
    must(loop.getFile() < files.size(), "a loop of a host batch names a file that is not in it");
    HostLoop &row = out.emplace_back();
    row.file = files[loop.getFile()];
    must(
        (textBytes += row.file.size()) <= kMaxHostText,
        "the loops of a host batch must not have more than 1048576 bytes of texts when they are written out");
    row.isOfDevice = loop.getOfDevice();
    row.extent = {static_cast<abi::LoopKind>(loop.getKind()),
                  {loop.getBeginLine(), loop.getBeginColumn()},
                  {loop.getEndLine(), loop.getEndColumn()}};
    must(static_cast<std::uint16_t>(loop.getKind()) < abi::kLoopKinds && abi::isSound(row.extent),
         "the kind of a loop must be known, its lines count from 1, and its end not be before its beginning");
  }
}

/// Their rows stay packed.
PackedHostBatch read(schema::HostBatch::Reader in) {
  PackedHostBatch out;
  out.first = {in.getFirstName(), in.getFirstObject(), in.getFirstThread(), in.getFirstNode(),
               in.getFirstCall()};
  for (const std::uint64_t first :
       {out.first.names, out.first.objects, out.first.threads, out.first.nodes, out.first.calls})
    must(first <= UINT64_MAX - kMaxHostRows, "the numbers of a host batch are too large");
  for (const std::size_t rows :
       {std::size_t{in.getNames().size()}, std::size_t{in.getObjects().size()},
        std::size_t{in.getThreads().size()}, std::size_t{in.getSamplings().size()},
        std::size_t{in.getNodes()}, std::size_t{in.getCalls()}, std::size_t{in.getActs()},
        std::size_t{in.getSamples()}, std::size_t{in.getPlaces()}, std::size_t{in.getFrames()},
        std::size_t{in.getLoops().size()}, std::size_t{in.getLoopFiles().size()},
        std::size_t{in.getFailures().size()}, std::size_t{in.getAccesses().size()}})
    must(rows <= kMaxHostRows, "a host batch must not hold more than 65536 rows of a kind");
  for (const auto name : in.getNames())
    out.names.push_back(string(name));
  for (const auto object : in.getObjects())
    out.objects.push_back({string(object.getPath()), string(object.getBuildId())});
  for (const auto thread : in.getThreads())
    out.threads.push_back({thread.getId(), string(thread.getName())});
  for (const auto sampling : in.getSamplings())
    out.samplings.push_back(
        {string(sampling.getSource()), sampling.getPeriod(), sampling.getDelivered(), sampling.getLost()});
  out.nodes = in.getNodes();
  out.calls = in.getCalls();
  out.acts = in.getActs();
  out.samples = in.getSamples();
  out.places = in.getPlaces();
  out.frames = in.getFrames();
  out.texts = in.getTexts();
  must(out.texts <= 2 * std::uint64_t{out.frames},
       "a host batch must not hold more than two texts for each frame");
  out.textBytes = in.getTextBytes();
  must(out.textBytes <= kMaxHostText, "the texts of a host batch must not be longer than 1048576 bytes");
  out.encodedBytes = in.getEncodedBytes();
  out.packed = bytes(in.getPacked());
  out.hash = in.getHash();
  readLoops(in, out.loops);
  for (const auto failure : in.getFailures())
    out.failures.push_back({string(failure.getCall()), string(failure.getError()), string(failure.getText()),
                            failure.getNode(), failure.getCount()});
  for (const auto access : in.getAccesses()) {
    const HostAccess row{access.getAddress(), access.getBytes(), access.getStride(), access.getElements(),
                         access.getTimes(),   access.getAfter(), access.getSince(),  access.getThread(),
                         access.getNode(),    access.getPlace(), access.getWrites(), access.getStrong()};
    must(row.bytes != 0 && row.elements != 0 && row.times >= row.elements && row.since <= row.after &&
             (row.elements == 1) == (row.stride == 0),
         "an access of the host must have bytes, a stride where it has several addresses, and not be known "
         "to be behind a later act");
    must(row.elements - 1 <= (UINT64_MAX - row.bytes) / std::max<std::uint64_t>(row.stride, 1) &&
             (row.elements - 1) * row.stride + row.bytes <= UINT64_MAX - row.address,
         "the addresses of an access of the host must not exceed 64 bits");
    out.accesses.push_back(row);
  }
  return out;
}

Copy read(schema::Copy::Reader in) {
  Copy out;
#define CUPR_COPY CUPR_GET
#define CUPR_COPY_PART CUPR_GET_PART
#include "events.def"
  must(out.kind <= CopyKind::DeviceToDevice, "the kind of a copy is unknown");
  mustBeKnown(out.streamKind);
  return out;
}

Set read(schema::Set::Reader in) {
  Set out;
#define CUPR_SET CUPR_GET
#define CUPR_SET_PART CUPR_GET_PART
#include "events.def"
  mustBeKnown(out.streamKind);
  return out;
}

Synchronisation read(schema::Synchronisation::Reader in) {
  Synchronisation out;
#define CUPR_SYNCHRONISATION CUPR_GET
#include "events.def"
  must(out.kind <= SynchronisationKind::StreamWaitEvent, "the kind of a synchronisation is unknown");
  mustBeKnown(out.streamKind);
  return out;
}

End read(schema::End::Reader in) {
  End out;
  const auto counts = in.getCounts();
  must(counts.size() >= kFirstMessageKinds, "the end must count every kind of message");
  for (unsigned i = 0; i < kMessageKinds && i < counts.size(); ++i)
    out.counts[i] = counts[i];
  for (const auto launch : in.getLaunches()) {
    LaunchIndex &to = out.launches.emplace_back();
    to.id = static_cast<LaunchId>(launch.getId());
    to.launch = launch.getLaunch();
    to.launchEnd = launch.getLaunchEnd();
    for (const std::uint64_t offset : launch.getChunks())
      to.chunks.push_back(offset);
  }
  out.lost = in.getLost();
  for (const auto line : in.getMissing())
    out.missing.push_back(string(line));
  out.leftOut = in.getLeftOut();
  return out;
}

void readNodes(schema::ActBatch::Reader in, ActBatch &out) {
  out.firstGraph = in.getFirstGraph();
  must(out.firstGraph <= UINT64_MAX - UINT32_MAX, "the numbers of a batch are too large");
  must(in.getNodes().size() <= kMaxBatchActs, "a batch must not hold more nodes than acts");
  std::size_t bytes = 0;
  for (const auto node : in.getNodes()) {
    out.nodes.push_back({node.getNode(), after(node.getAfter(), node.getNode())});
    bytes += out.nodes.back().bytes();
  }
  must(bytes <= kMaxBatchText, "the nodes of a batch must not be longer than 262144 bytes");
  const std::size_t launches = in.getGraphs().size();
  must(launches == in.getPlaces().size() && (launches == 0 || launches == in.getLaunches().size()),
       "graphs and places must be as many as the launches of their batch");
}

/// What stands before the acts of a batch.
void readTables(schema::ActBatch::Reader in, ActBatch &out) {
  out.firstLaunch = in.getFirstLaunch();
  must(out.firstLaunch != 0, "launches must be counted from 1");
  out.firstOrder = in.getFirstOrder();
  must(out.firstLaunch <= UINT64_MAX - UINT32_MAX && out.firstOrder <= UINT64_MAX - UINT32_MAX,
       "the numbers of a batch are too large");
  must(in.getLaunches().size() + in.getAllocations().size() + in.getFrees().size() <= kMaxBatchActs,
       "a batch must not hold more than 1024 acts");
  must(in.getKernels().size() <= kMaxBatchActs && in.getStreams().size() <= kMaxBatchActs &&
           in.getCalls().size() <= kMaxBatchActs && in.getAllocationPlaces().size() <= kMaxBatchActs,
       "a batch must not hold more kernels, streams, calls or places than acts");
  for (const auto kernel : in.getKernels())
    out.kernels.push_back({string(kernel.getKernel()), string(kernel.getMangled()),
                           string(kernel.getReason()), string(kernel.getFile()), kernel.getLine(),
                           static_cast<ModuleId>(kernel.getModule())});
  for (const auto stream : in.getStreams()) {
    const StreamKind kind = FieldValue<schema::StreamKind>{stream.getStreamKind()};
    mustBeKnown(kind);
    out.streams.push_back({stream.getStream(), kind, stream.getDevice()});
  }
  for (const auto call : in.getCalls())
    out.calls.push_back(string(call));
  for (const auto place : in.getAllocationPlaces())
    out.allocationPlaces.push_back({string(place.getName()), string(place.getType()), string(place.getFile()),
                                    place.getLine(), place.getColumn()});
  readNodes(in, out);
}

ActBatch read(schema::ActBatch::Reader in) {
  ActBatch out;
  readTables(in, out);
  std::size_t text = 0;
  const auto graphs = in.getGraphs();
  const auto places = in.getPlaces();
  for (const auto launch : in.getLaunches()) {
    ActBatch::Launch to{launch.getNumber(),
                        launch.getOrder(),
                        launch.getTime(),
                        launch.getKernel(),
                        launch.getStream(),
                        launch.getDynamicShared(),
                        {launch.getGridX(), launch.getGridY(), launch.getGridZ()},
                        {launch.getBlockX(), launch.getBlockY(), launch.getBlockZ()}};
    must(out.launches.empty() || to.number > out.launches.back().number,
         "the numbers of a batch's launches must ascend");
    must(to.kernel < out.kernels.size() && to.stream < out.streams.size(),
         "a launch of a batch names a kernel or stream that is not in it");
    must(to.grid.x && to.grid.y && to.grid.z && to.block.x && to.block.y && to.block.z,
         "the numbers of a grid or block must not be 0");
    text += out.kernels[to.kernel].textBytes();
    const auto number = static_cast<unsigned>(out.launches.size());
    if (graphs.size() != 0 && graphs[number] != 0) {
      to.graph = graphs[number];
      to.node = places[number];
      must(out.firstGraph != 0, "launches of graphs must be counted from 1");
      must(to.node < out.nodes.size(), "a launch of a batch names a node that is not in it");
      text += out.nodes[to.node].bytes();
    }
    out.launches.push_back(to);
  }
  constexpr const char *kUnknownCall = "an allocation or free of a batch names a call that is not in it";
  const auto placesOf = in.getPlacesOfAllocations();
  must(placesOf.size() == 0 || placesOf.size() == in.getAllocations().size(),
       "places of allocations must be as many as the allocations of their batch");
  for (const auto allocation : in.getAllocations()) {
    must(allocation.getKind() <= schema::MemoryKind::SYMBOL, "the kind of an allocation is unknown");
    const ActBatch::Allocation to{
        allocation.getAddress(),
        allocation.getBytes(),
        allocation.getOrder(),
        static_cast<MemoryKind>(allocation.getKind()),
        allocation.getCall(),
        allocation.getTime(),
        placesOf.size() == 0 ? std::uint16_t{0} : placesOf[static_cast<unsigned>(out.allocations.size())]};
    must(to.bytes <= UINT64_MAX - to.address, "an allocation must not reach beyond the address space");
    must(to.call < out.calls.size(), kUnknownCall);
    must(to.place <= out.allocationPlaces.size(), "an allocation of a batch names a place that is not in it");
    text += out.calls[to.call].size();
    if (to.place != 0)
      text += out.allocationPlaces[to.place - 1u].textBytes();
    out.allocations.push_back(to);
  }
  for (const auto free : in.getFrees()) {
    const ActBatch::Free to{free.getAddress(), free.getTime(), free.getOrder(), free.getCall()};
    must(to.call < out.calls.size(), kUnknownCall);
    text += out.calls[to.call].size();
    out.frees.push_back(to);
  }
  must(out.acts() != 0, "a batch must hold an act");
  must(text <= kMaxBatchText,
       "the texts of a batch must not be longer than 262144 bytes when they are written out");
  return out;
}

Message readRoot(schema::Message::Reader root) {
  switch (root.which()) {
  case schema::Message::HEADER:
    return read(root.getHeader());
  case schema::Message::MODULE:
    return read(root.getModule());
  case schema::Message::LAUNCH:
    return read(root.getLaunch());
  case schema::Message::CHUNK:
    return read(root.getChunk());
  case schema::Message::LAUNCH_END:
    return read(root.getLaunchEnd());
  case schema::Message::ALLOCATION:
    return read(root.getAllocation());
  case schema::Message::FREE:
    return read(root.getFree());
  case schema::Message::COPY:
    return read(root.getCopy());
  case schema::Message::SET:
    return read(root.getSet());
  case schema::Message::SYNCHRONISATION:
    return read(root.getSynchronisation());
  case schema::Message::END:
    return read(root.getEnd());
  case schema::Message::ACTS:
    return read(root.getActs());
  case schema::Message::CONTENTS:
    return read(root.getContents());
  case schema::Message::SNAPSHOT:
    return read(root.getSnapshot());
  case schema::Message::IMAGE_OBJECT:
    return read(root.getImageObject());
  case schema::Message::HOST:
    return read(root.getHost());
  }
  throw BrokenRule{"the kind of the message is unknown"};
}

} // namespace

std::string decode(const Payload &payload, Message &message) {
  capnp::ReaderOptions options;
  // Each pointer is followed once, so more than this means pointers that overlap.
  options.traversalLimitInWords = 4 * payload.size() + 4096;
  try {
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word *>(payload.data()), payload.size()), options);
    message = readRoot(reader.getRoot<schema::Message>());
  } catch (NewerFormat &rule) {
    Header header;
    header.formatVersion = rule.version;
    message = std::move(header);
    return std::move(rule.text);
  } catch (BrokenRule &rule) {
    return std::move(rule.text);
  } catch (const kj::Exception &exception) {
    return std::string("it is not a valid Cap'n Proto message: ") + exception.getDescription().cStr();
  }
  return {};
}

} // namespace cupr::trace

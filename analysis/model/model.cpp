/// Builds the model in one pass over the file. Long, since each kind of message has its function, and what one says is checked against those before.
#include "model.h"

#include "derived_records.h"
#include "hostlib/trace/chunk_index.h"
#include "hostlib/trace/derived_launch.h"
#include "names.h"
#include "phases.h"
#include "records.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cupr::analysis {

namespace {

/// What the rows of a batch take.
std::size_t bytesOf(const trace::HostBatch &batch) {
  std::size_t bytes =
      batch.nodes.size() * sizeof(trace::HostNode) + batch.calls.size() * sizeof(trace::HostCall) +
      batch.acts.size() * sizeof(trace::HostAct) + batch.samples.size() * sizeof(trace::HostSample) +
      batch.places.size() * sizeof(trace::HostPlace);
  for (const trace::HostPlace &place : batch.places)
    for (const trace::HostFrame &frame : place.frames)
      bytes += sizeof frame + frame.function.size() + frame.file.size();
  for (const trace::HostLoop &loop : batch.loops)
    bytes += sizeof loop + loop.file.size();
  for (const trace::HostFailure &failure : batch.failures)
    bytes += sizeof failure + failure.call.size() + failure.error.size() + failure.text.size();
  return bytes + batch.accesses.size() * sizeof(trace::HostAccess);
}

/// Of launches that are left out.
constexpr std::uint64_t kNoStream = UINT64_MAX;

} // namespace

/// One event on its way from the file's order to that of the host's calls.
struct Model::Placed {
  enum Kind { Launch, Allocation, Free, ImageObject, Copy, Set, Synchronisation };
  std::uint64_t order;
  std::uint64_t message; ///< calls with one order (a replayed graph) stay as in the file
  Kind kind;
  std::size_t index; ///< among its kind in the collector
};

/// Puts messages where they belong. Acts are kept here, in the file's order, until their turn comes.
struct Model::Collector {
  const trace::Reader &reader;
  trace::Header &header;
  std::vector<trace::Module> &modules;
  trace::HostBatch &host;
  MemorySnapshots &snapshots;
  trace::WorkLimit &limit;
  std::string missing{};     ///< of a repaired trace
  std::uint64_t leftOut = 0; ///< launches
  std::vector<LaunchInfo> launches{};
  std::vector<trace::Allocation> allocations{};
  std::vector<trace::Copy> copies{};
  std::vector<trace::Set> sets{};
  std::vector<trace::Synchronisation> synchronisations{};
  std::vector<trace::Free> frees{};
  std::vector<trace::ImageObject> objects{};
  std::vector<Placed> placed{}; ///< those whose turn has not come
  std::unordered_map<trace::LaunchId, std::size_t> byId{};
  std::uint64_t nextOrder = 1;                 ///< of the act whose turn it is
  std::map<std::uint64_t, std::size_t> live{}; ///< address -> allocation, among the acts that were taken
  DerivedSoFar derived{};

  [[noreturn]] void bad(const std::string &rule) const {
    throw BadTrace(reader.path() + ": message " + std::to_string(reader.number()) + ": " + rule);
  }

  void place(Placed::Kind kind, std::uint64_t order, std::size_t index) {
    placed.push_back({order, reader.number(), kind, index});
  }

  LaunchInfo &launch(trace::LaunchId id) {
    const auto found = byId.find(id);
    if (found == byId.end())
      bad("launch " + std::to_string(static_cast<std::uint64_t>(id)) + " was not announced");
    return launches[found->second];
  }

  void operator()(trace::Header &in) { header = std::move(in); }
  void operator()(trace::Module &in) {
    if (static_cast<std::size_t>(in.id) != modules.size())
      bad("modules must be counted from 0");
    modules.push_back(std::move(in));
  }
  void operator()(trace::Contents &in) { mustHold(snapshots.add(std::move(in), limit)); }
  void operator()(trace::Snapshot &in) { mustHold(snapshots.add(std::move(in), limit)); }
  void mustHold(const std::string &brokenRule) const {
    if (!brokenRule.empty())
      bad(brokenRule);
  }
  void operator()(trace::Launch &in) {
    if (!byId.emplace(in.id, launches.size()).second)
      bad("launch " + std::to_string(static_cast<std::uint64_t>(in.id)) + " must not occur twice");
    const trace::Module *const module = trace::moduleOf(modules, in.module);
    if (!module && in.module != trace::kNoModule)
      bad("a launch names a module that is not there");
    if (const std::string rule = trace::brokenDerivationRule(in, module); !rule.empty())
      bad(rule);
    place(Placed::Launch, in.order, launches.size());
    LaunchInfo &info = launches.emplace_back();
    info.kernel = userName(in.kernel.empty() ? in.mangled : in.kernel);
    info.number = in.id;
    info.launch = std::move(in);
  }
  void operator()(trace::ActBatch &in) {
    for (const trace::ActBatch::Launch &launch : in.launches) {
      trace::Launch whole = in.whole(launch);
      (*this)(whole);
    }
    for (const trace::ActBatch::Allocation &allocation : in.allocations) {
      trace::Allocation whole = in.whole(allocation);
      (*this)(whole);
    }
    for (const trace::ActBatch::Free &free : in.frees) {
      trace::Free whole = in.whole(free);
      (*this)(whole);
    }
  }
  void operator()(trace::Chunk &in) {
    LaunchInfo &info = launch(in.launch);
    info.chunks.push_back(reader.offset());
    info.chunkWords.push_back(in.words);
  }
  /// A chunk that is not read.
  void add(const trace::ChunkIndex::Place &in) {
    LaunchInfo &info = launch(in.launch);
    info.chunks.push_back(in.offset);
    info.chunkWords.push_back(0);
  }
  void operator()(trace::LaunchTotals &in) {
    LaunchInfo &info = launch(in.end.id);
    info.ended = true;
    info.totals = std::move(in);
  }
  void operator()(trace::Allocation &in) {
    place(Placed::Allocation, in.order, allocations.size());
    allocations.push_back(std::move(in));
  }
  void operator()(trace::Free &in) {
    place(Placed::Free, in.order, frees.size());
    frees.push_back(std::move(in));
  }
  void operator()(trace::ImageObject &in) {
    place(Placed::ImageObject, in.order, objects.size());
    objects.push_back(std::move(in));
  }
  void operator()(trace::Copy &in) {
    place(Placed::Copy, in.order, copies.size());
    copies.push_back(in);
  }
  void operator()(trace::Set &in) {
    place(Placed::Set, in.order, sets.size());
    sets.push_back(in);
  }
  void operator()(trace::Synchronisation &in) {
    place(Placed::Synchronisation, in.order, synchronisations.size());
    synchronisations.push_back(in);
  }
  void operator()(trace::PackedHostBatch &in) {
    limit.spend(stepsOf(in),
                [&] { return "message " + std::to_string(reader.number()) + ": calls of the host"; });
    trace::HostBatch batch;
    mustHold(trace::unpackHost(in, batch));
    trace::HostCounts before;
    before += host;
    if (in.first != before)
      bad("the calls of the host must be counted from where those before end");
    mustHold(trace::brokenHostRule(batch, before));
    limit.keep(bytesOf(batch),
               [&] { return "message " + std::to_string(reader.number()) + ": calls of the host"; });
    host += batch;
  }
  void operator()(trace::End &in) {
    leftOut = in.leftOut;
    if (!in.missing.empty())
      missing = "a repaired trace, without " + in.missing.front() +
                (in.missing.size() == 1 ? "" : "; and " + std::to_string(in.missing.size() - 1) + " more");
  }

  /// Whether nothing is missing of the act, nor in front of it.
  bool hasTurn(const Placed &event) const {
    if (event.order > nextOrder)
      return false;
    const LaunchInfo *const launch = event.kind == Placed::Launch ? &launches[event.index] : nullptr;
    return !launch || !launch->launch.traced || launch->ended;
  }
  /// Forgets acts that were all taken.
  void clear() {
    launches.clear();
    allocations.clear();
    copies.clear();
    sets.clear();
    synchronisations.clear();
    frees.clear();
    objects.clear();
    byId.clear();
  }
};

Model::Model(const std::string &path, LaunchParts parts, ChunkReading chunks) : path_(path) {
  open();
  readMessages(chunks);
  takeEvents(Growth::Over);
  collector_ = nullptr;
  if (parts == LaunchParts::Phases)
    takeApart();
}

Model::Model(const std::string &path, Growing) : path_(path) {
  // Readers of records refer to them: they must not move.
  constexpr std::size_t kMostModules = 1u << 16;
  open();
  modules_.reserve(kMostModules);
}

Model::~Model() = default;
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;

void Model::open() {
  std::string error;
  reader_ = trace::Reader::open(path_, error);
  if (!reader_)
    throw BadTrace(error);
  limit_ = std::make_unique<trace::WorkLimit>(path_, reader_->fileBytes());
  collector_ = std::make_unique<Collector>(*reader_, header_, modules_, host_, snapshots_, *limit_);
}

void Model::readOn(Growth growth) {
  reader_->grow();
  readMessages(ChunkReading::Checked);
  takeEvents(growth);
}

void Model::readMessages(ChunkReading chunks) {
  Collector &collector = *collector_;
  truncation_.clear();
  trace::Message message;
  trace::ReadStatus status;
  const auto index = chunks == ChunkReading::Later ? trace::ChunkIndex::of(*reader_) : std::nullopt;
  const auto next = [&] {
    if (index)
      for (const trace::ChunkIndex::Place &place : index->pass(*reader_))
        collector.add(place);
    return reader_->next(message);
  };
  while ((status = next()) == trace::ReadStatus::Message)
    std::visit(collector, message);
  if (status == trace::ReadStatus::Damaged)
    throw BadTrace(reader_->error());
  if (status == trace::ReadStatus::Truncated) {
    if (header_.formatVersion == 0 || reader_->fileBytes() == 0)
      throw BadTrace(reader_->error());
    truncation_ = reader_->error();
  } else if (!collector.missing.empty()) {
    truncation_ = path_ + ": " + collector.missing;
  }
}

/// Puts what its slice gives in place of the records of its blocks. Of a launch that is not complete no access is claimed:
/// which of a block's have been made is not known.
void Model::derive(LaunchInfo &launch, DerivedSoFar &before) {
  std::vector<BegunBlock> blocks;
  std::vector<PlacedVariable> variables;
  RecordStream records(*this, launch, RecordsOf::Blocks);
  while (const Record *record = records.next()) {
    const abi::WarpAccess &access = record->access;
    if (blocks.size() == blocks.capacity())
      limit_->keep(blocks.capacity() * sizeof(BegunBlock), [&] { return launch.kernel + ": its blocks"; });
    if (access.cta >> BegunBlock::kCtaBits != 0)
      throw BadTrace(path_ + ": " + launch.kernel + " has blocks with numbers that no grid gets to");
    if (record->site->operation != abi::Operation::Variable)
      blocks.push_back({access.cta, access.sm});
    else if (std::ranges::find(variables, access.site, &PlacedVariable::site) == variables.end())
      variables.push_back(
          {access.site, access.address[std::countr_zero(access.laneMask)], {access.cta, access.sm}});
  }
  launch.blocksBegun = blocks.size();
  launch.chunks.clear();
  launch.chunkWords.clear();
  launch.totals.counts = {};
  launch.totals.records = launch.totals.words = launch.totals.chunks = 0;
  if (!launch.complete())
    return;
  std::shared_ptr<const DerivedRecords> &last = before[{launch.launch.slice, launch.launch.sliceValues}];
  std::shared_ptr<const DerivedRecords> derived;
  try {
    derived = std::make_shared<DerivedRecords>(launch.launch, *moduleOf(launch), std::move(blocks),
                                               std::move(variables), snapshots_, launch.totals.end.snapshots,
                                               *limit_, last.get());
  } catch (const UnknownMemory &unknown) {
    launch.totals.end.complete = false;
    launch.totals.end.reason = std::string("its accesses can't be derived: ") + unknown.what();
    return;
  }
  last = derived;
  launch.chunkWords = derived->chunkWords();
  for (std::size_t chunk = 0; chunk < launch.chunkWords.size(); ++chunk)
    launch.chunks.push_back(chunk);
  launch.totals.counts = derived->counts();
  launch.totals.records = derived->records();
  launch.totals.words = derived->words();
  launch.totals.chunks = launch.chunks.size();
  launch.derivedRecords = std::move(derived);
}

/// Of launches that are left out there is only a hole in the numbers of the host's acts. A launch stands in for
/// those of a hole: nothing is known of it but when it was called, so it is ordered with nothing but the host.
void Model::standIn() {
  Collector &collector = *collector_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> acts; // order, and a launch's number, or 0
  for (const Placed &placed : collector.placed)
    acts.emplace_back(placed.order,
                      placed.kind == Placed::Launch
                          ? static_cast<std::uint64_t>(collector.launches[placed.index].launch.id)
                          : 0);
  std::sort(acts.begin(), acts.end());
  std::uint64_t last = 0, lastLaunch = 0, seen = 0;
  const auto add = [&](std::uint64_t order, std::uint64_t count) {
    collector.place(Placed::Launch, order, collector.launches.size());
    LaunchInfo &info = collector.launches.emplace_back();
    info.launch.id = info.number = trace::LaunchId{lastLaunch + 1};
    info.launch.order = order;
    info.launch.kernel = "(left out)";
    info.launch.reason = std::to_string(count) + " launches that the trace leaves out (CUPR_UNTRACED)";
    info.launch.stream = kNoStream;
    info.launch.streamKind = trace::StreamKind::NonBlocking;
    info.kernel = info.launch.kernel;
    seen += count;
    lastLaunch += count;
  };
  for (const auto &[order, launch] : acts) {
    if (order > last + 1)
      add(last + 1, order - last - 1);
    last = std::max(last, order);
    lastLaunch = std::max(lastLaunch, launch);
  }
  if (collector.leftOut > seen)
    add(last + 1, collector.leftOut - seen);
}

void Model::takeEvents(Growth growth) {
  Collector &collector = *collector_;
  if (growth == Growth::Over && header_.leavesOut)
    standIn();
  std::vector<Placed> &placed = collector.placed;
  std::sort(placed.begin(), placed.end(), [](const Placed &a, const Placed &b) {
    return std::pair(a.order, a.message) < std::pair(b.order, b.message);
  });
  const std::size_t firstLaunch = launches_.size();
  auto next = placed.begin();
  for (; next != placed.end() && (growth == Growth::Over || collector.hasTurn(*next)); ++next) {
    takeEvent(*next);
    collector.nextOrder = std::max(collector.nextOrder, next->order + 1);
  }
  placed.erase(placed.begin(), next);
  if (placed.empty())
    collector.clear();
  for (std::size_t i = firstLaunch; i < launches_.size(); ++i) {
    if (launches_[i].launch.isDerived())
      derive(launches_[i], collector.derived);
    if (!launches_[i].ended)
      recount(launches_[i]);
  }
}

void Model::takeEvent(const Placed &event) {
  Collector &collector = *collector_;
  std::map<std::uint64_t, std::size_t> &live = collector.live;
  const auto move = [&](auto &from, auto &to) {
    to.push_back(std::move(from[event.index]));
    return to.size() - 1;
  };
  switch (event.kind) {
  case Placed::Launch:
    events_.push_back(LaunchEvent{move(collector.launches, launches_)});
    break;
  case Placed::Allocation: {
    const std::size_t index = allocations_.size();
    AllocationInfo &info = allocations_.emplace_back();
    info.allocation = std::move(collector.allocations[event.index]);
    info.ordinal = static_cast<std::uint32_t>(index);
    live[info.allocation.address] = index;
    events_.push_back(AllocationEvent{index});
    break;
  }
  case Placed::Free:
    if (const auto found = live.find(collector.frees[event.index].address); found != live.end()) {
      allocations_[found->second].freedOrder = event.order;
      events_.push_back(FreeEvent{found->second});
      live.erase(found);
    } else {
      move(collector.frees, strayFrees_);
    }
    break;
  case Placed::ImageObject:
    addImageObject(std::move(collector.objects[event.index]));
    break;
  case Placed::Copy:
    events_.push_back(CopyEvent{move(collector.copies, copies_)});
    break;
  case Placed::Set:
    events_.push_back(SetEvent{move(collector.sets, sets_)});
    break;
  case Placed::Synchronisation:
    move(collector.synchronisations, synchronisations_);
    break;
  }
}

void Model::addImageObject(trace::ImageObject in) {
  const std::map<std::uint64_t, std::size_t> &live = collector_->live;
  std::vector<std::uint32_t> &before = objectsOfHandle_[{in.kind, in.object}];
  if (!before.empty()) {
    std::uint64_t &end = imageObjects_[before.back()].endOrder;
    end = std::min(end, in.order);
  }
  if (in.isDestroyed)
    return;
  ImageObjectInfo info;
  info.ordinal = static_cast<std::uint32_t>(imageObjects_.size());
  if (auto next = live.upper_bound(in.memory); next != live.begin()) {
    const trace::Allocation &memory = allocations_[(--next)->second].allocation;
    const std::uint64_t offset = in.memory - memory.address;
    // Handles of arrays are no places in memory.
    const bool isArray =
        in.resource == trace::ImageResource::Array || in.resource == trace::ImageResource::MipmappedArray;
    if (isArray ? !memory.isAddressed() && offset == 0 : memory.isAddressed() && offset < memory.bytes)
      info.allocation = static_cast<std::uint32_t>(next->second);
  }
  before.push_back(info.ordinal);
  info.object = std::move(in);
  imageObjects_.push_back(std::move(info));
}

const ImageObjectInfo *Model::imageObjectAt(const LaunchInfo &launch, abi::Operation operation,
                                            std::uint64_t address) const {
  if (!abi::isOfImage(operation))
    return nullptr;
  const auto kind =
      operation == abi::Operation::TextureFetch ? trace::ImageKind::Texture : trace::ImageKind::Surface;
  const auto found = objectsOfHandle_.find({kind, address});
  if (found == objectsOfHandle_.end())
    return nullptr;
  const std::uint64_t order = launch.launch.order;
  const auto next = std::ranges::upper_bound(
      found->second, order, {}, [&](std::uint32_t object) { return imageObjects_[object].object.order; });
  if (next == found->second.begin())
    return nullptr;
  const ImageObjectInfo &last = imageObjects_[*std::prev(next)];
  return order < last.endOrder ? &last : nullptr;
}

void Model::recount(LaunchInfo &launch) {
  RecordStream records(*this, launch, RecordsOf::Everything);
  while (const Record *record = records.next()) {
    launch.totals.counts.in(abi::spaceOf(record->site->space))
        .add(abi::operationClass(record->site->operation), abi::activeLanes(record->access.laneMask),
             abi::recordBytes(record->access, record->site->bytes));
    ++launch.totals.records;
  }
  launch.totals.chunks = launch.chunks.size();
  launch.totals.words = records.words();
  launch.totals.end.reason = "the trace stops before the launch's end";
}

void Model::takeApart() {
  Phases phases(*this);
  std::vector<LaunchInfo> launches;
  std::vector<Event> events;
  for (const Event &event : events_) {
    const auto *launched = std::get_if<LaunchEvent>(&event);
    if (!launched) {
      events.push_back(event);
      continue;
    }
    LaunchInfo &whole = launches_[launched->index];
    std::optional<std::vector<LaunchInfo>> apart = phases.of(whole);
    if (!apart)
      apart.emplace().push_back(std::move(whole));
    furtherPhases_ += apart->size() - 1;
    for (LaunchInfo &phase : *apart) {
      events.push_back(LaunchEvent{launches.size()});
      launches.push_back(std::move(phase));
    }
  }
  phases.finish();
  launches_ = std::move(launches);
  events_ = std::move(events);
  if (furtherPhases_ == 0)
    return;
  std::uint64_t last = 0;
  for (const LaunchInfo &launch : launches_)
    last = std::max(last, static_cast<std::uint64_t>(launch.number));
  for (LaunchInfo &launch : launches_)
    if (launch.phase != 0)
      launch.launch.id = trace::LaunchId{++last};
}

const trace::Module *Model::moduleOf(const LaunchInfo &launch) const {
  return trace::moduleOf(modules_, launch.launch.module);
}

} // namespace cupr::analysis

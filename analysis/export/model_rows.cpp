#include "model_rows.h"

#include "analysis/model/names.h"
#include "analysis/model/phases.h"
#include "analysis/output/kind_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cupr::analysis {

namespace {

std::uint64_t number(std::uint64_t value) { return value; }

Value partOf(const trace::Site &site) {
  const unsigned noted = site.flags >> abi::kSitePartShift & abi::kSitePartMask;
  return noted == 0                 ? Value()
         : noted == abi::kSiteWhole ? Value(std::uint64_t{0})
                                    : Value(std::uint64_t{1} << (noted - 1));
}

std::uint64_t idOf(const LaunchInfo &info) { return static_cast<std::uint64_t>(info.launch.id); }

} // namespace

std::size_t ModelRows::size(RowKindId kind) {
  switch (kind) {
  case RowKindId::Header:
    return 1;
  case RowKindId::Frame:
    return references_.frames();
  case RowKindId::Site:
    return references_.sites();
  case RowKindId::Launch:
  case RowKindId::LaunchEnd:
    return model_.launches().size();
  case RowKindId::Count:
    return model_.launches().size() * abi::kMemorySpaces;
  case RowKindId::Allocation:
    return model_.allocations().size();
  case RowKindId::ImageObject:
    return model_.imageObjects().size();
  case RowKindId::Copy:
    return model_.copies().size();
  case RowKindId::Set:
    return model_.sets().size();
  case RowKindId::Synchronisation:
    return model_.synchronisations().size();
  case RowKindId::HostCall:
    return model_.host().calls.size();
  case RowKindId::HostSample:
    return model_.host().samples.size();
  case RowKindId::HostFrame:
    return references_.hostFrames().rows().size();
  case RowKindId::Loop:
    return model_.host().loops.size();
  case RowKindId::Record:
  case RowKindId::Access:
  case RowKindId::WideAccess:
  case RowKindId::End:
    break;
  }
  return 0;
}

const Values *ModelRows::row(RowKindId kind, std::size_t index) {
  values_.clear();
  texts_.clear();
  switch (kind) {
  case RowKindId::Header:
    header();
    return &values_;
  case RowKindId::Frame:
    frame(index);
    return &values_;
  case RowKindId::Site:
    site(index);
    return &values_;
  case RowKindId::Launch:
    launch(model_.launches()[index]);
    return &values_;
  case RowKindId::LaunchEnd:
    launchEnd(model_.launches()[index]);
    return &values_;
  case RowKindId::Count:
    return count(model_.launches()[index / abi::kMemorySpaces],
                 static_cast<abi::MemorySpace>(index % abi::kMemorySpaces))
               ? &values_
               : nullptr;
  case RowKindId::Allocation:
    allocation(model_.allocations()[index]);
    return &values_;
  case RowKindId::ImageObject:
    imageObject(model_.imageObjects()[index]);
    return &values_;
  case RowKindId::Copy:
    copy(model_.copies()[index]);
    return &values_;
  case RowKindId::Set:
    set(model_.sets()[index]);
    return &values_;
  case RowKindId::Synchronisation:
    synchronisation(model_.synchronisations()[index]);
    return &values_;
  case RowKindId::HostCall:
    hostCall(index);
    return &values_;
  case RowKindId::HostSample:
    hostSample(index);
    return &values_;
  case RowKindId::HostFrame:
    hostFrame(index);
    return &values_;
  case RowKindId::Loop:
    loop(index);
    return &values_;
  case RowKindId::Record:
  case RowKindId::Access:
  case RowKindId::WideAccess:
  case RowKindId::End:
    break;
  }
  return nullptr;
}

void ModelRows::add(const auto &cell) {
  using Cell = std::remove_cvref_t<decltype(cell)>;
  if constexpr (std::is_same_v<Cell, trace::LaunchId>) {
    add(static_cast<std::uint64_t>(cell));
  } else if constexpr (std::is_same_v<Cell, trace::Dim3>) {
    addAll(cell.x, cell.y, cell.z);
  } else if constexpr (std::is_same_v<Cell, trace::CtaSelection>) {
    addAll(cell.first, cell.end, cell.period);
  } else if constexpr (std::is_same_v<Cell, trace::GraphPlace>) {
    addAll(cell.graph, cell.node, kept(fmt::format("{}", fmt::join(cell.after, " "))));
  } else if constexpr (requires { kindName(cell); }) {
    values_.push_back(valueOf(kindName(cell)));
  } else {
    values_.push_back(valueOf(cell));
  }
}

void ModelRows::header() {
  const trace::Process &process = model_.header().process;
  addAll("cuprewrite export", kExportVersion, process.program,
         std::span<const std::string>(process.arguments), process.pid, process.deviceKind, process.deviceName,
         process.startTime, std::uint64_t{model_.header().formatVersion},
         model_.truncation().empty() ? Value() : Value(model_.truncation()));
}

void ModelRows::frame(std::size_t id) {
  const std::size_t at = references_.moduleOfFrame(id);
  const trace::Module &module = model_.modules()[at];
  const trace::Frame &frame = module.frames[id - references_.firstFrame(at)];
  addAll(number(id), module.strings[frame.file], number(frame.line), number(frame.column),
         kept(userName(module.strings[frame.function])),
         frame.parent == abi::kNoFrame ? Value() : Value(references_.firstFrame(at) + frame.parent),
         abi::frameKindName(frame.kind));
}

void ModelRows::site(std::size_t id) {
  const std::size_t at = references_.moduleOfSite(id);
  const trace::Module &module = model_.modules()[at];
  const trace::Site &site = module.sites[id - references_.firstSite(at)];
  addAll(number(id), number(at), module.strings[site.file], number(site.line), number(site.column),
         kept(userName(module.strings[site.function])), abi::operationName(site.operation),
         abi::spaceName(abi::spaceOf(site.space)),
         site.space == abi::SpaceVerdict::Decided || (site.flags & abi::kSiteDecided) != 0,
         module.strings[site.type], site.flags & abi::kSiteRange ? Value() : Value(number(site.bytes)),
         site.frame == abi::kNoFrame ? Value() : Value(references_.firstFrame(at) + site.frame), partOf(site),
         isGridBarrier(site), (site.flags & abi::kSiteVolatile) != 0, abi::orderName(site.order),
         abi::scopeName(site.scope), (site.flags & abi::kSiteValues) != 0, module.strings[site.sourceType],
         module.strings[site.layout], module.strings[site.name], number(site.elementBytes),
         (site.flags & abi::kSiteClock) != 0, (site.flags & abi::kSiteDuration) != 0,
         site.operation == abi::Operation::Instructions && (site.flags & abi::kSiteFollows) != 0);
}

// What hostlib/trace/events.def lists.
#define CUPR_CELL(type, member, ...) add(in.member);

void ModelRows::launch(const LaunchInfo &info) {
  launch_ = info.launch;
  launch_.kernel = info.kernel; // without the trace argument
  const trace::Launch &in = launch_;
#define CUPR_LAUNCH CUPR_CELL
#define CUPR_LAUNCH_PART CUPR_CELL
#include "hostlib/trace/events.def"
  madeBy(in.order);
}

/// A time on the device.
static Value known(std::uint64_t time) { return time ? Value(time) : Value(); }

void ModelRows::launchEnd(const LaunchInfo &info) {
  const trace::LaunchTotals &totals = info.totals;
  addAll(idOf(info), info.complete(), totals.end.reason, totals.end.time, totals.end.waits, totals.records,
         info.deviceTime() ? Value(*info.deviceTime()) : Value(), known(totals.end.began),
         known(totals.end.ended), totals.end.evictedPages);
}

bool ModelRows::count(const LaunchInfo &info, abi::MemorySpace space) {
  const trace::Counts &counts = info.totals.counts.in(space);
  if (counts.accesses() == 0)
    return false;
  addAll(idOf(info), abi::spaceName(space), counts.loads, counts.stores, counts.atomics, counts.loadBytes,
         counts.storeBytes, counts.atomicBytes);
  return true;
}

void ModelRows::allocation(const AllocationInfo &info) {
  const trace::Allocation &in = info.allocation;
  add(info.ordinal);
#define CUPR_ALLOCATION CUPR_CELL
#include "hostlib/trace/events.def"
  add(info.freedOrder == UINT64_MAX ? Value() : Value(info.freedOrder));
  madeBy(in.order);
}

void ModelRows::imageObject(const ImageObjectInfo &info) {
  const trace::ImageObject &in = info.object;
  add(info.ordinal);
#define CUPR_IMAGE_OBJECT CUPR_CELL
#include "hostlib/trace/events.def"
  add(info.allocation ? Value(number(*info.allocation)) : Value());
  add(info.endOrder == UINT64_MAX ? Value() : Value(info.endOrder));
  madeBy(in.order);
}

void ModelRows::copy(const trace::Copy &in) {
#define CUPR_COPY CUPR_CELL
#define CUPR_COPY_PART CUPR_CELL
#include "hostlib/trace/events.def"
  madeBy(in.order);
}

void ModelRows::set(const trace::Set &in) {
#define CUPR_SET CUPR_CELL
#define CUPR_SET_PART CUPR_CELL
#include "hostlib/trace/events.def"
  madeBy(in.order);
}

void ModelRows::synchronisation(const trace::Synchronisation &in) {
#define CUPR_SYNCHRONISATION CUPR_CELL
#include "hostlib/trace/events.def"
  madeBy(in.order);
}
#undef CUPR_CELL

/// The call that made an act.
void ModelRows::madeBy(std::uint64_t order) { add(references_.callOf(order)); }

/// Path, file, line and frame of a node.
void ModelRows::path(std::uint32_t node) {
  if (node == trace::kNoHostIndex)
    return addAll("", "", number(0), Value());
  const PathFrame innermost = references_.innermostOf(node);
  addAll(references_.pathTo(node), innermost.file, number(innermost.line), references_.hostFrames().at(node));
}

void ModelRows::hostCall(std::size_t index) {
  const trace::HostBatch &host = model_.host();
  const trace::HostCall &call = host.calls[index];
  const trace::HostThread &thread = host.threads[call.thread];
  addAll(number(index), host.names[call.name], thread.id, thread.name, call.began, call.ended,
         references_.ordersOf(index));
  path(call.node);
}

void ModelRows::hostSample(std::size_t index) {
  const trace::HostSample &sample = model_.host().samples[index];
  const trace::HostThread &thread = model_.host().threads[sample.thread];
  addAll(number(index), sample.time, thread.id, thread.name, sample.weight);
  path(sample.node);
}

void ModelRows::hostFrame(std::size_t index) {
  const auto &[caller, frame] = references_.hostFrames().rows()[index];
  addAll(number(index), valueOf(caller), frame.function, frame.file, number(frame.line),
         number(frame.column));
}

void ModelRows::loop(std::size_t index) {
  const trace::HostLoop &loop = model_.host().loops[index];
  const auto &[kind, begin, end] = loop.extent;
  addAll(number(index), loop.isOfDevice, std::string_view(abi::loopKindName(kind)), loop.file,
         number(begin.line), number(begin.column), number(end.line), number(end.column));
}

} // namespace cupr::analysis

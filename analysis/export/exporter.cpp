/// The walk, and rows from the model's things.
#include "exporter.h"

#include "analysis/model/names.h"
#include "analysis/model/phases.h"
#include "analysis/output/kind_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cupr::analysis {

namespace {

// What hostlib/trace/events.def lists.
#define CUPR_CELL(type, member, ...) add(in.member);

/// Sends rows of what is no record.
class Sender {
public:
  Sender(const Model &model, Exporter &exporter) : model_(model), exporter_(exporter) {}

  void header() {
    const trace::Process &process = model_.header().process;
    send(RowKindId::Header, "cuprewrite export", kExportVersion, process.program,
         std::span<const std::string>(process.arguments), process.pid, process.deviceKind, process.deviceName,
         process.startTime, std::uint64_t{model_.header().formatVersion},
         model_.truncation().empty() ? Value() : Value(model_.truncation()));
  }

  void modules() {
    for (std::size_t i = 0; i < model_.modules().size(); ++i) {
      const trace::Module &module = model_.modules()[i];
      const std::uint64_t firstFrame = firstFrameId(model_, i);
      const auto frameId = [&](std::uint32_t frame) {
        return frame == abi::kNoFrame ? Value() : Value(firstFrame + frame);
      };
      std::uint64_t id = firstFrame;
      for (const trace::Frame &frame : module.frames)
        send(RowKindId::Frame, id++, module.strings[frame.file], number(frame.line), number(frame.column),
             userName(module.strings[frame.function]), frameId(frame.parent));
      id = firstSiteId(model_, i);
      for (const trace::Site &site : module.sites)
        send(RowKindId::Site, id++, number(i), module.strings[site.file], number(site.line),
             number(site.column), userName(module.strings[site.function]), abi::operationName(site.operation),
             abi::spaceName(abi::spaceOf(site.space)),
             site.space == abi::SpaceVerdict::Decided || (site.flags & abi::kSiteDecided) != 0,
             module.strings[site.type], site.flags & abi::kSiteRange ? Value() : Value(number(site.bytes)),
             frameId(site.frame), partOf(site), isGridBarrier(site));
    }
  }

  void launch(const LaunchInfo &info) {
    trace::Launch in = info.launch;
    in.kernel = info.kernel; // without the trace argument
#define CUPR_LAUNCH CUPR_CELL
#define CUPR_LAUNCH_PART CUPR_CELL
#include "hostlib/trace/events.def"
    finish(RowKindId::Launch);
  }

  void launchEnd(const LaunchInfo &info) {
    const trace::LaunchTotals &totals = info.totals;
    send(RowKindId::LaunchEnd, id(info), info.complete(), totals.end.reason, totals.end.time,
         totals.end.waits, totals.records, info.deviceTime() ? Value(*info.deviceTime()) : Value());
    for (unsigned index = 0; index < abi::kMemorySpaces; ++index) {
      const auto space = static_cast<abi::MemorySpace>(index);
      const trace::Counts &counts = totals.counts.in(space);
      if (counts.accesses() != 0)
        send(RowKindId::Count, id(info), abi::spaceName(space), counts.loads, counts.stores, counts.atomics,
             counts.loadBytes, counts.storeBytes, counts.atomicBytes);
    }
  }

  void allocation(const AllocationInfo &info) {
    const trace::Allocation &in = info.allocation;
    add(info.ordinal);
#define CUPR_ALLOCATION CUPR_CELL
#include "hostlib/trace/events.def"
    add(info.freedOrder == UINT64_MAX ? Value() : Value(info.freedOrder));
    finish(RowKindId::Allocation);
  }

  void copy(const trace::Copy &in) {
#define CUPR_COPY CUPR_CELL
#define CUPR_COPY_PART CUPR_CELL
#include "hostlib/trace/events.def"
    finish(RowKindId::Copy);
  }

  void set(const trace::Set &in) {
#define CUPR_SET CUPR_CELL
#define CUPR_SET_PART CUPR_CELL
#include "hostlib/trace/events.def"
    finish(RowKindId::Set);
  }

  void synchronisation(const trace::Synchronisation &in) {
#define CUPR_SYNCHRONISATION CUPR_CELL
#include "hostlib/trace/events.def"
    finish(RowKindId::Synchronisation);
  }

  void end(std::uint64_t launches, std::uint64_t records, std::uint64_t accesses,
           const std::string &selection) {
    send(RowKindId::End, launches, records, accesses, selection);
  }

private:
  static std::uint64_t number(std::uint64_t value) { return value; }
  static Value partOf(const trace::Site &site) {
    const unsigned noted = site.flags >> abi::kSitePartShift & abi::kSitePartMask;
    return noted == 0                 ? Value()
           : noted == abi::kSiteWhole ? Value(std::uint64_t{0})
                                      : Value(std::uint64_t{1} << (noted - 1));
  }
  static std::uint64_t id(const LaunchInfo &info) { return static_cast<std::uint64_t>(info.launch.id); }

  void add(const auto &cell) {
    if constexpr (requires { kindName(cell); })
      values_.push_back(valueOf(kindName(cell)));
    else
      values_.push_back(valueOf(cell));
  }
  void add(trace::LaunchId id) { values_.push_back(static_cast<std::uint64_t>(id)); }
  void add(const trace::Dim3 &dim) { addAll(dim.x, dim.y, dim.z); }
  void add(const trace::CtaSelection &ctas) { addAll(ctas.first, ctas.end, ctas.period); }
  void add(const trace::GraphPlace &place) {
    nodes_ = fmt::format("{}", fmt::join(place.after, " "));
    addAll(place.graph, place.node, nodes_);
  }
  void addAll(const auto &...cells) { (add(cells), ...); }

  /// Temporary texts among the arguments live until this returns.
  void send(RowKindId kind, const auto &...cells) {
    addAll(cells...);
    finish(kind);
  }
  /// Sends what was added.
  void finish(RowKindId kind) {
    exporter_.row(kind, values_);
    values_.clear();
  }

  const Model &model_;
  Exporter &exporter_;
  Values values_;
  std::string nodes_; ///< of the row
};
#undef CUPR_CELL

/// Sum over the modules in front of `module`.
template <typename Size> std::uint64_t sumBefore(const Model &model, std::size_t module, Size size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < module; ++i)
    sum += size(model.modules()[i]);
  return sum;
}

} // namespace

std::uint64_t firstSiteId(const Model &model, std::size_t module) {
  return sumBefore(model, module, [](const trace::Module &it) { return it.sites.size(); });
}
std::uint64_t firstFrameId(const Model &model, std::size_t module) {
  return sumBefore(model, module, [](const trace::Module &it) { return it.frames.size(); });
}

std::string Selection::text() const {
  std::string all = launches.text();
  const auto add = [&](const std::string &part) { all += (all.empty() || part.empty() ? "" : ", ") + part; };
  add(records.text());
  add(limit == UINT64_MAX ? "" : fmt::format("at most {} records", limit));
  return all;
}

void exportTrace(const Model &model, const Selection &selection, Exporter &exporter, Progress &progress) {
  const LaunchFilter filter(selection.launches, model);
  const RecordFilter wanted(selection.records, model);
  std::uint64_t total = 0;
  for (const LaunchInfo &launch : model.launches())
    if (filter.has(launch))
      total += launch.totals.records;
  progress.start(std::min(total, selection.limit));
  Sender sender(model, exporter);
  sender.header();
  sender.modules();
  std::uint64_t launches = 0, records = 0, accesses = 0;
  // Synchronisations touch no memory, and so stand apart from the model's events.
  auto synchronisation = model.synchronisations().begin();
  const auto synchroniseUpTo = [&](std::uint64_t order) {
    for (; synchronisation != model.synchronisations().end() && synchronisation->order < order;
         ++synchronisation)
      sender.synchronisation(*synchronisation);
  };
  for (const Event &event : model.events()) {
    if (const auto *made = std::get_if<AllocationEvent>(&event)) {
      const AllocationInfo &allocation = model.allocations()[made->index];
      synchroniseUpTo(allocation.allocation.order);
      sender.allocation(allocation);
    } else if (const auto *copied = std::get_if<CopyEvent>(&event)) {
      synchroniseUpTo(model.copies()[copied->index].order);
      sender.copy(model.copies()[copied->index]);
    } else if (const auto *wasSet = std::get_if<SetEvent>(&event)) {
      synchroniseUpTo(model.sets()[wasSet->index].order);
      sender.set(model.sets()[wasSet->index]);
    } else if (const auto *launched = std::get_if<LaunchEvent>(&event)) {
      const LaunchInfo &launch = model.launches()[launched->index];
      synchroniseUpTo(launch.launch.order);
      if (!filter.has(launch))
        continue;
      ++launches;
      sender.launch(launch);
      exporter.beginLaunch(launch);
      RecordStream stream(model, launch);
      while (const Record *record = records < selection.limit ? stream.next() : nullptr) {
        if (!wanted.has(launch, *record))
          continue;
        exporter.record(*record);
        if (records % 64 == 0)
          model.limit().spend(exporter.takeSteps(), [&] { return launch.kernel + ": writing its records"; });
        accesses += abi::activeLanes(record->access.laneMask);
        progress.done(++records);
      }
      sender.launchEnd(launch);
    }
  }
  synchroniseUpTo(UINT64_MAX);
  sender.end(launches, records, accesses, selection.text());
  exporter.finish();
  progress.finish();
}

RowExporter::RowExporter(const Model &model, RowKindId shape) : model_(model), shape_(shape) {}

void RowExporter::beginLaunch(const LaunchInfo &launch) {
  launch_ = &launch;
  module_ = model_.moduleOf(launch);
  firstSite_ = module_ ? firstSiteId(model_, static_cast<std::size_t>(launch.launch.module)) : 0;
  functionOf_ = UINT32_MAX;
}

void RowExporter::record(const Record &record) {
  const abi::WarpAccess &access = record.access;
  const trace::Site &site = *record.site;
  const trace::Dim3 &grid = launch_->launch.grid;
  const auto launch = static_cast<std::uint64_t>(launch_->launch.id);
  const trace::Dim3 place = placeInGrid(grid, access.cta);
  const std::uint64_t siteId = firstSite_ + access.site, x = place.x, y = place.y, z = place.z;
  const std::uint64_t warp = access.warp, sm = access.sm;
  constexpr std::uint64_t kStepsPerRow = 700, kStepsPerLane = 90, kStepsPerCharacter = 6;
  const std::uint64_t threads = abi::activeLanes(access.laneMask);
  steps_ += shape_ == RowKindId::Record ? 2 * kStepsPerRow + kStepsPerLane * threads : kStepsPerRow * threads;
  if (shape_ == RowKindId::Record) {
    std::array<std::uint64_t, abi::kLanes> lanes, addresses, bytes;
    std::size_t count = 0;
    for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1, ++count) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      lanes[count] = lane;
      addresses[count] = access.address[lane];
      bytes[count] = access.bytes[lane];
    }
    const std::size_t sizes = access.form == abi::RecordForm::Range ? count : 0;
    const auto list = [](const auto &numbers, std::size_t size) {
      return std::span<const std::uint64_t>(numbers.data(), size);
    };
    values_ = {
        launch, siteId, x, y, z, warp, sm, list(lanes, count), list(addresses, count), list(bytes, sizes)};
    return row(shape_, values_);
  }
  if (shape_ == RowKindId::WideAccess && site.function != functionOf_) {
    function_ = userName(module_->strings[site.function]);
    functionOf_ = site.function;
  }
  if (shape_ == RowKindId::WideAccess)
    steps_ += kStepsPerCharacter * threads *
              (launch_->kernel.size() + function_.size() + module_->strings[site.file].size());
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
    const std::uint64_t lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t address = access.address[lane];
    const std::uint64_t bytes = abi::laneBytes(access, static_cast<unsigned>(lane), site.bytes);
    if (shape_ == RowKindId::Access)
      values_ = {launch, siteId, x, y, z, warp, lane, sm, address, bytes};
    else
      values_ = {launch,
                 std::string_view(launch_->kernel),
                 std::string_view(abi::operationName(site.operation)),
                 std::string_view(abi::spaceName(abi::spaceOf(site.space))),
                 address,
                 bytes,
                 x,
                 y,
                 z,
                 warp,
                 lane,
                 sm,
                 std::string_view(module_->strings[site.file]),
                 std::uint64_t{site.line},
                 std::uint64_t{site.column},
                 std::string_view(function_)};
    row(shape_, values_);
  }
}

} // namespace cupr::analysis

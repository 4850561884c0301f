/// The walk, and rows from records.
#include "exporter.h"

#include "analysis/model/names.h"
#include "model_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

namespace cupr::analysis {

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
  RowReferences references(model);
  ModelRows rows(references);
  const auto send = [&](RowKindId kind, std::size_t index) {
    if (const Values *values = rows.row(kind, index))
      exporter.row(kind, *values);
  };
  send(RowKindId::Header, 0);
  for (std::size_t module = 0; module < model.modules().size(); ++module) {
    for (std::size_t i = 0; i < model.modules()[module].frames.size(); ++i)
      send(RowKindId::Frame, references.firstFrame(module) + i);
    for (std::size_t i = 0; i < model.modules()[module].sites.size(); ++i)
      send(RowKindId::Site, references.firstSite(module) + i);
  }
  std::uint64_t launches = 0, records = 0, accesses = 0;
  // Synchronisations, and the making of objects, touch no memory, and so stand apart from the model's events.
  std::size_t synchronisation = 0, object = 0;
  const auto sendUpTo = [&](std::uint64_t order) {
    for (; object != model.imageObjects().size() && model.imageObjects()[object].object.order < order;
         ++object)
      send(RowKindId::ImageObject, object);
    for (; synchronisation != model.synchronisations().size() &&
           model.synchronisations()[synchronisation].order < order;
         ++synchronisation)
      send(RowKindId::Synchronisation, synchronisation);
  };
  for (const Event &event : model.events()) {
    if (const auto *made = std::get_if<AllocationEvent>(&event)) {
      sendUpTo(model.allocations()[made->index].allocation.order);
      send(RowKindId::Allocation, made->index);
    } else if (const auto *copied = std::get_if<CopyEvent>(&event)) {
      sendUpTo(model.copies()[copied->index].order);
      send(RowKindId::Copy, copied->index);
    } else if (const auto *wasSet = std::get_if<SetEvent>(&event)) {
      sendUpTo(model.sets()[wasSet->index].order);
      send(RowKindId::Set, wasSet->index);
    } else if (const auto *launched = std::get_if<LaunchEvent>(&event)) {
      const LaunchInfo &launch = model.launches()[launched->index];
      sendUpTo(launch.launch.order);
      if (!filter.has(launch))
        continue;
      ++launches;
      send(RowKindId::Launch, launched->index);
      exporter.beginLaunch(launch);
      RecordStream stream(model, launch, exporter.wanted());
      stream.readValues();
      while (const Record *record = records < selection.limit ? stream.next() : nullptr) {
        if (!wanted.has(launch, *record))
          continue;
        exporter.record(*record);
        if (records % 64 == 0)
          model.limit().spend(exporter.takeSteps(), [&] { return launch.kernel + ": writing its records"; });
        accesses += isAccess(*record->site) ? abi::activeLanes(record->access.laneMask) : 0;
        progress.done(++records);
      }
      send(RowKindId::LaunchEnd, launched->index);
      for (std::size_t space = 0; space < abi::kMemorySpaces; ++space)
        send(RowKindId::Count, launched->index * abi::kMemorySpaces + space);
    }
  }
  sendUpTo(UINT64_MAX);
  for (const RowKindId kind :
       {RowKindId::HostFrame, RowKindId::Loop, RowKindId::HostCall, RowKindId::HostSample})
    for (std::size_t index = 0; index < rows.size(kind); ++index)
      send(kind, index);
  const std::string selected = selection.text();
  exporter.row(RowKindId::End, {launches, records, accesses, std::string_view(selected)});
  exporter.finish();
  progress.finish();
}

RowExporter::RowExporter(const Model &model, RowKindId shape)
    : model_(model), references_(model), shape_(shape) {}

void RowExporter::beginLaunch(const LaunchInfo &launch) {
  launch_ = &launch;
  module_ = model_.moduleOf(launch);
  firstSite_ = module_ ? references_.firstSite(static_cast<std::size_t>(launch.launch.module)) : 0;
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
  std::optional<ValueForm> form;
  if (record.values.shape.parts != 0)
    form = valueForm(*module_, site);
  for (std::size_t role = 0; role < texts_.size(); ++role) {
    texts_[role].clear();
    for (std::uint32_t left = form ? access.laneMask : 0; left != 0; left &= left - 1)
      if (auto text = valueText(*form, site.operation, record.values, kValueRoles[role],
                                static_cast<unsigned>(std::countr_zero(left)))) {
        steps_ += kStepsPerLane + kStepsPerCharacter * text->size();
        texts_[role].push_back(std::move(*text));
      }
  }
  if (shape_ == RowKindId::Record) {
    std::array<std::uint64_t, abi::kLanes> lanes, addresses, bytes, threadX, threadY, threadZ, clocks,
        durations;
    std::size_t count = 0;
    for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1, ++count) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      lanes[count] = lane;
      addresses[count] = access.address[lane];
      bytes[count] = access.bytes[lane];
      const trace::Dim3 thread = threadOf(access, lane, launch_->launch.block);
      threadX[count] = thread.x;
      threadY[count] = thread.y;
      threadZ[count] = thread.z;
      if (record.values.shape.hasClock)
        clocks[count] = record.values.clock(lane);
      if (record.values.shape.hasDuration)
        durations[count] = record.values.duration(lane);
    }
    const std::size_t sizes = access.form == abi::RecordForm::Range ? count : 0;
    const auto list = [](const auto &numbers, std::size_t size) {
      return std::span<const std::uint64_t>(numbers.data(), size);
    };
    values_ = {
        launch, siteId, x, y, z, warp, sm, list(lanes, count), list(addresses, count), list(bytes, sizes)};
    for (const ValueRole role : kMovedRoles)
      values_.push_back(valueOf(texts(role)));
    for (const auto *coordinates : {&threadX, &threadY, &threadZ})
      values_.push_back(list(*coordinates, count));
    values_.push_back(valueOf(texts(ValueRole::Coordinates)));
    values_.push_back(list(clocks, record.values.shape.hasClock ? count : 0));
    values_.push_back(list(durations, record.values.shape.hasDuration ? count : 0));
    return row(shape_, values_);
  }
  if (shape_ == RowKindId::WideAccess && site.function != functionOf_) {
    function_ = userName(module_->strings[site.function]);
    functionOf_ = site.function;
  }
  if (shape_ == RowKindId::WideAccess)
    steps_ += kStepsPerCharacter * threads *
              (launch_->kernel.size() + function_.size() + module_->strings[site.file].size());
  std::size_t rank = 0;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1, ++rank) {
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
    const auto add = [&](ValueRole role) {
      values_.push_back(texts(role).empty() ? Value() : valueOf(texts(role)[rank]));
    };
    for (const ValueRole role : kMovedRoles)
      add(role);
    const trace::Dim3 thread = threadOf(access, static_cast<unsigned>(lane), launch_->launch.block);
    for (const std::uint64_t coordinate : {thread.x, thread.y, thread.z})
      values_.push_back(coordinate);
    add(ValueRole::Coordinates);
    values_.push_back(record.values.shape.hasClock ? Value(record.values.clock(static_cast<unsigned>(lane)))
                                                   : Value());
    values_.push_back(record.values.shape.hasDuration
                          ? Value(std::uint64_t{record.values.duration(static_cast<unsigned>(lane))})
                          : Value());
    row(shape_, values_);
  }
}

} // namespace cupr::analysis

#include "trace_view.h"

#include "analysis/engine/bank_json.h"
#include "analysis/model/access_times.h"
#include "analysis/model/records.h"
#include "analysis/model/value_text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <utility>

namespace cupr::viewer {

namespace {

constexpr std::uint64_t kStepsPerRecord = 40;

/// `record`: its values have been read, if the launch is timed.
AccessRow rowOf(const analysis::Record &record, std::uint32_t index) {
  const abi::WarpAccess &access = record.access;
  const std::uint64_t bytes = abi::recordBytes(access, record.site->bytes);
  const std::optional<analysis::AccessTimes> times = analysis::accessTimes(record);
  return {
      access.address[std::countr_zero(access.laneMask)],
      access.cta,
      times ? times->start : 0,
      index,
      access.site,
      access.laneMask,
      access.warp,
      access.sm,
      static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max())),
      times ? times->duration : 0,
      times.has_value()};
}

void extend(analysis::Bounds &bounds, const abi::WarpAccess &access) {
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
    bounds.extend(access.address[std::countr_zero(left)]);
}

/// Of a kernel; what a file says more of is not shown.
constexpr std::size_t kMostVariables = 1024;

/// Adds the variable that the record is of, by its offset, unless it is there: every block says it.
void addVariable(std::vector<analysis::SharedVariable> &variables, const trace::Module &module,
                 const analysis::Record &record) {
  using analysis::SharedVariable;
  if (variables.size() == kMostVariables ||
      std::ranges::find(variables, record.site, &SharedVariable::site) != variables.end())
    return;
  SharedVariable variable = sharedVariableOf(module, record);
  const auto at = std::ranges::upper_bound(variables, variable.offset, {}, &SharedVariable::offset);
  variables.insert(at, std::move(variable));
}

/// {"read": [text or null, by lane], ...}, without what was not recorded.
std::string valuesJson(const analysis::Record &record, const trace::Module &module) {
  analysis::Json json;
  json.beginObject();
  const analysis::ValueForm form = analysis::valueForm(module, *record.site);
  for (const analysis::ValueRole role : analysis::kValueRoles) {
    if (record.values.shape.parts == 0 || !analysis::partOf(record.site->operation, role))
      continue;
    json.key(analysis::roleName(role)).beginArray();
    for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
      const bool isActive = (record.access.laneMask >> lane & 1) != 0;
      const auto text = isActive
                            ? analysis::valueText(form, record.site->operation, record.values, role, lane)
                            : std::nullopt;
      if (text)
        json.value(*text);
      else
        json.null();
    }
    json.endArray();
  }
  const auto times = [&](const char *name, auto of) {
    json.key(name).beginArray();
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      if ((record.access.laneMask >> lane & 1) != 0)
        json.value(std::to_string(of(lane))); // may be more than a number of JavaScript holds
      else
        json.null();
    json.endArray();
  };
  if (record.values.shape.hasClock)
    times("clock", [&](unsigned lane) { return record.values.clock(lane); });
  if (record.values.shape.hasDuration)
    times("duration", [&](unsigned lane) { return record.values.duration(lane); });
  json.endObject();
  return json.take();
}

} // namespace

std::optional<std::string> TraceView::sourceText(std::size_t module, std::size_t source) const {
  const trace::Source &of = model_.modules().at(module).sources.at(source);
  model_.limit().renewSteps();
  model_.limit().spend(of.steps(), [] { return "unpacking a source"; });
  return of.text();
}

void TraceView::choose(std::size_t launch) {
  const analysis::LaunchInfo &chosen = model_.launches().at(launch);
  const void *const key = chosen.derivedRecords ? chosen.derivedRecords->likeness() : &chosen;
  Counted &counted = countedOfLaunches_[key];
  std::vector<Zone> &zones = counted.zones;
  if (zones.size() != chosen.chunks.size()) {
    model_.limit().keep(chosen.chunks.size() * sizeof(Zone),
                        [&] { return chosen.kernel + ": where its chunks lie"; });
    zones.resize(chosen.chunks.size());
  }
  launch_ = launch;
  counted_ = &counted;
  filter_ = AccessFilter(chosen.launch.grid);
}

template <typename Body> void TraceView::forEach(std::size_t chunk, Values values, Body body) {
  if (chunk >= zones().size())
    throw std::runtime_error(fmt::format("the launch has no chunk {}", chunk));
  model_.limit().renewSteps();
  analysis::RecordStream records(model_, launch(), analysis::RecordsOf::Everything, model_.reader(), chunk);
  if (values == Values::Read)
    records.readValues();
  std::uint32_t index = 0;
  while (const analysis::Record *record = records.next()) {
    records.spend(kStepsPerRecord);
    if (!body(*record, index++))
      return;
  }
}

bool TraceView::isPassedBy(std::size_t chunk) const {
  const Zone &zone = zones().at(chunk);
  return zone.isKnown && !filter_.mayBeIn(zone.at);
}

std::uint32_t TraceView::count(std::size_t chunk) {
  Zone &zone = counted_->zones.at(chunk);
  if (isPassedBy(chunk))
    return 0;
  if (zone.isKnown && filter_.isAll())
    return zone.records;
  Zone found;
  std::uint32_t passing = 0;
  forEach(chunk, Values::Left, [&](const analysis::Record &record, std::uint32_t) {
    if (!zone.isKnown) {
      found.at.add(record);
      if (record.site->operation == abi::Operation::Variable)
        addVariable(counted_->variables, *model_.moduleOf(launch()), record);
      if (isAccess(*record.site))
        extend(found.addresses[static_cast<std::size_t>(abi::spaceOf(record.site->space))], record.access);
    }
    ++found.records;
    passing += filter_.has(record);
    return true;
  });
  if (!zone.isKnown) {
    found.isKnown = true;
    zone = found;
  }
  return passing;
}

std::vector<AccessRow> TraceView::rows(std::size_t chunk, std::uint32_t first, std::uint32_t most) {
  std::vector<AccessRow> rows;
  std::uint32_t passed = 0;
  forEach(chunk, valuesOfRows(), [&](const analysis::Record &record, std::uint32_t index) {
    if (filter_.has(record) && passed++ >= first)
      rows.push_back(rowOf(record, index));
    return rows.size() < most;
  });
  return rows;
}

template <typename Body>
void TraceView::at(std::size_t chunk, std::uint32_t index, Values values, Body body) {
  forEach(chunk, values, [&](const analysis::Record &record, std::uint32_t number) {
    if (number == index)
      body(record);
    return number != index;
  });
}

std::optional<Access> TraceView::access(std::size_t chunk, std::uint32_t index) {
  std::optional<Access> found;
  at(chunk, index, Values::Read, [&](const analysis::Record &record) {
    found.emplace();
    AccessLanes &lanes = found->lanes;
    lanes.row = rowOf(record, index);
    for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      lanes.address[lane] = record.access.address[lane];
      lanes.bytes[lane] = abi::laneBytes(record.access, lane, record.site->bytes);
    }
    found->values = valuesJson(record, *model_.moduleOf(launch()));
  });
  return found;
}

std::optional<std::string> TraceView::banks(std::size_t chunk, std::uint32_t index,
                                            analysis::BankWidth width) {
  std::optional<std::string> found;
  at(chunk, index, Values::Left, [&](const analysis::Record &record) {
    analysis::Json json;
    json.beginObject();
    analysis::addBanks(json, record, width, launch(), counted_->variables);
    json.key("places").beginArray();
    for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
      const std::uint64_t address = record.access.address[lane];
      const bool isActive = (record.access.laneMask >> lane & 1) != 0;
      if (const analysis::SharedVariable *const variable =
              isActive ? holderOf(counted_->variables, launch(), address) : nullptr)
        json.value(variable->at(address - variable->offset));
      else
        json.null();
    }
    json.endArray().endObject();
    found = json.take();
  });
  return found;
}

analysis::Bounds TraceView::addresses(abi::MemorySpace space) const {
  analysis::Bounds all = analysis::kNoBounds;
  for (const Zone &zone : zones())
    all.extend(zone.addresses[static_cast<std::size_t>(space)]);
  return all;
}

void TraceView::addTo(AddressDensity &density, std::size_t chunk, std::uint64_t before) {
  if (isPassedBy(chunk) || before >= density.bounds().endRecord)
    return;
  forEach(chunk, Values::Left, [&](const analysis::Record &record, std::uint32_t index) {
    if (isAccess(*record.site) && filter_.has(record))
      density.add(record, before + index);
    return true;
  });
}

} // namespace cupr::viewer

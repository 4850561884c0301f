/// `dump`: the records themselves, launch by launch in the order of the host's calls.
///
/// An address is shown as a place in an allocation, or, in shared and local memory, in that memory
/// (devicelib/abi/memory_space.h).
///
/// Synchronisation stands between the accesses of its warp, with its order and scope in the place of a size.
///
/// Three shapes: text, one line per warp record; JSON lines, one object per warp record;
/// per thread, one line per lane access that says nothing of warps, sites' places in the
/// table, absolute addresses or time, so that sorted dumps of two devices can be compared.
#include "verb.h"

#include "analysis/model/live_allocations.h"
#include "analysis/model/names.h"
#include "analysis/model/records.h"
#include "analysis/model/shared_variables.h"
#include "analysis/model/value_text.h"
#include "analysis/output/json.h"
#include "analysis/output/text.h"
#include "devicelib/abi/cluster_address.h"
#include "host_dump.h"
#include "shared_options.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

struct DumpOptions {
  std::string path;
  bool json = false;
  bool perThread = false;
  bool host = false;
  Selection selection;
};

/// Prints records; keeps what is the same for a whole launch.
class Printer {
public:
  Printer(const Model &model, LiveAllocations &allocations)
      : model_(model), allocations_(allocations), variables_(model) {}

  void launch(const LaunchInfo &launch) {
    launch_ = &launch;
    module_ = model_.moduleOf(launch);
  }

  void text(const Record &record) {
    const trace::Site &site = *record.site;
    const abi::WarpAccess &access = record.access;
    std::string line =
        fmt::format("launch {} {} {} {} {} {} cta ({}) warp {} ", id(), shortName(launch_->kernel),
                    place(site), userName(string(site.function)), abi::operationName(site.operation),
                    sizeText(record), cta(access.cta), access.warp);
    if (access.form == abi::RecordForm::Affine && contiguous(access.laneMask)) {
      const unsigned first = static_cast<unsigned>(__builtin_ctz(access.laneMask));
      const unsigned last = 31u - static_cast<unsigned>(__builtin_clz(access.laneMask));
      line += first == last ? fmt::format("lane {} {}", first, where(site, access.address[first]))
                            : fmt::format("lanes {}-{} {} stride {}", first, last,
                                          where(site, access.address[first]), access.stride);
    } else {
      line += "lanes";
      forEachLane(access, [&](unsigned lane) {
        line += fmt::format(" {}:{}", lane, where(site, access.address[lane]));
        if (access.form == abi::RecordForm::Range)
          line += fmt::format(",{} B", access.bytes[lane]);
      });
    }
    for (const ValueRole role : kValueRoles) {
      std::string texts;
      forEachLane(access, [&](unsigned lane) {
        if (const auto text = value(record, role, lane))
          texts += " " + *text;
      });
      if (!texts.empty())
        line += fmt::format(" {}{}", roleName(role), texts);
    }
    if (record.values.shape.hasClock)
      line += numbersText("clock", access, [&](unsigned lane) { return record.values.clock(lane); });
    if (record.values.shape.hasDuration)
      line += numbersText("duration", access, [&](unsigned lane) { return record.values.duration(lane); });
    printLine(shown(line));
  }

  void json(const Record &record) {
    const trace::Site &site = *record.site;
    const abi::WarpAccess &access = record.access;
    const trace::Dim3 &grid = launch_->launch.grid;
    Json json;
    json.beginObject();
    json.field("launch", id()).field("kernel", launch_->kernel).field("site", access.site);
    json.field("file", string(site.file)).field("line", site.line).field("column", site.column);
    json.field("function", userName(string(site.function))).field("type", string(site.type));
    json.field("sourceType", string(site.sourceType)).field("layout", string(site.layout));
    json.key("inlinedAt").beginArray();
    for (std::uint32_t at = site.frame; at != abi::kNoFrame; at = module_->frames[at].parent) {
      const trace::Frame &frame = module_->frames[at];
      model_.limit().spend(kStepsPerFrame,
                           [&] { return fmt::format("launch {}: printing its records", id()); });
      json.beginObject();
      json.field("file", string(frame.file)).field("line", frame.line).field("column", frame.column);
      json.field("function", userName(string(frame.function))).field("kind", abi::frameKindName(frame.kind));
      json.endObject();
    }
    json.endArray();
    json.field("operation", abi::operationName(site.operation));
    json.field("space", abi::spaceName(abi::spaceOf(site.space)));
    if (site.name != 0)
      json.field("name", string(site.name));
    if (site.order != abi::MemoryOrder::None)
      json.field("order", abi::orderName(site.order)).field("scope", abi::scopeName(site.scope));
    if (access.form == abi::RecordForm::Range) {
      json.key("bytes").beginArray();
      forEachLane(access, [&](unsigned lane) { json.value(access.bytes[lane]); });
      json.endArray();
    } else {
      json.field("bytes", site.bytes);
    }
    json.key("cta").beginArray().value(access.cta % grid.x).value(access.cta / grid.x % grid.y);
    json.value(access.cta / grid.x / grid.y).endArray();
    json.field("warp", access.warp).field("sm", access.sm);
    json.key("lanes").beginArray();
    forEachLane(access, [&](unsigned lane) { json.value(lane); });
    json.endArray();
    json.key("addresses").beginArray();
    forEachLane(access, [&](unsigned lane) { json.value(access.address[lane]); });
    json.endArray();
    writeAllocations(json, site, access);
    if (abi::isOfImage(site.operation)) {
      json.key("imageObjects").beginArray();
      forEachLane(access, [&](unsigned lane) {
        if (const ImageObjectInfo *object = objectAt(site, access.address[lane]))
          json.value(object->ordinal);
        else
          json.null();
      });
      json.endArray();
    }
    if (abi::spaceOf(site.space) == abi::MemorySpace::Shared && isAccess(site)) {
      json.key("places").beginArray();
      forEachLane(access, [&](unsigned lane) { json.value(sharedPlace(site, access.address[lane])); });
      json.endArray();
    }
    for (const ValueRole role : kValueRoles)
      if (record.values.shape.parts != 0 && partOf(site.operation, role)) {
        json.key(roleName(role)).beginArray();
        forEachLane(access, [&](unsigned lane) { json.value(value(record, role, lane).value_or("")); });
        json.endArray();
      }
    if (record.values.shape.hasClock) {
      json.key("clock").beginArray();
      forEachLane(access, [&](unsigned lane) { json.value(record.values.clock(lane)); });
      json.endArray();
    }
    if (record.values.shape.hasDuration) {
      json.key("duration").beginArray();
      forEachLane(access, [&](unsigned lane) { json.value(record.values.duration(lane)); });
      json.endArray();
    }
    json.endObject();
    printLine(json.text());
  }

  void perThread(const Record &record) {
    const trace::Site &site = *record.site;
    if (abi::operationClass(site.operation) == abi::OperationClass::Declaration)
      return;
    const abi::WarpAccess &access = record.access;
    std::string operation = abi::operationName(site.operation);
    std::replace(operation.begin(), operation.end(), ' ', '_'); // columns are separated by spaces
    forEachLane(access, [&](unsigned lane) {
      const std::uint64_t address = access.address[lane];
      const std::string head = fmt::format("{} {} {} {} {} {}", id(), shown(shortName(launch_->kernel)),
                                           operation, abi::laneBytes(access, lane, site.bytes),
                                           cta(access.cta), access.warp * std::uint64_t{abi::kLanes} + lane);
      std::string values;
      for (const ValueRole role : kValueRoles)
        if (const auto text = value(record, role, lane))
          values += fmt::format(" {}={}", roleName(role), *text);
      if (record.values.shape.hasClock)
        values += fmt::format(" clock={}", record.values.clock(lane));
      if (record.values.shape.hasDuration)
        values += fmt::format(" duration={}", record.values.duration(lane));
      if (const AllocationInfo *info = allocationAt(site, address))
        printLine(fmt::format("{} {} {}{}", head, info->ordinal, address - info->allocation.address, values));
      else if (abi::isOfImage(site.operation))
        printLine(fmt::format("{} {} {}{}", head, elsewhere(site), objectText(site, address), values));
      else
        printLine(fmt::format("{} {} {:#x}{}", head, elsewhere(site), address, values));
    });
  }

private:
  static constexpr std::uint64_t kStepsPerFrame = 600;
  /// " NAME 5": that of all lanes, or each lane's where they differ.
  template <typename Number>
  static std::string numbersText(std::string_view name, const abi::WarpAccess &access, Number number) {
    const auto first = number(static_cast<unsigned>(__builtin_ctz(access.laneMask)));
    bool areAlike = true;
    forEachLane(access, [&](unsigned lane) { areAlike &= number(lane) == first; });
    if (areAlike)
      return fmt::format(" {} {}", name, first);
    std::string text = fmt::format(" {}", name);
    forEachLane(access, [&](unsigned lane) { text += fmt::format(" {}", number(lane)); });
    return text;
  }
  /// A line.
  void printLine(const std::string &line) const {
    model_.limit().spend(1500 + 8 * line.size(),
                         [&] { return fmt::format("launch {}: printing its records", id()); });
    fmt::print("{}\n", line);
  }

  template <typename Body> static void forEachLane(const abi::WarpAccess &access, Body body) {
    for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
      body(static_cast<unsigned>(__builtin_ctz(left)));
  }

  static bool contiguous(std::uint32_t mask) {
    const std::uint64_t shifted = std::uint64_t{mask} >> __builtin_ctz(mask);
    return (shifted & (shifted + 1)) == 0;
  }

  std::optional<std::string> value(const Record &record, ValueRole role, unsigned lane) {
    if (record.values.shape.parts == 0)
      return std::nullopt;
    if (formOf_ != record.site) {
      formOf_ = record.site;
      form_ = valueForm(*module_, *record.site);
    }
    return valueText(form_, record.site->operation, record.values, role, lane);
  }
  std::uint64_t id() const { return static_cast<std::uint64_t>(launch_->launch.id); }
  const std::string &string(std::uint32_t index) const { return module_->strings[index]; }

  std::string place(const trace::Site &site) const {
    return site.file == 0 ? "unknown" : fmt::format("{}:{}:{}", string(site.file), site.line, site.column);
  }

  std::string cta(std::uint64_t linear) const {
    const trace::Dim3 &grid = launch_->launch.grid;
    return fmt::format("{},{},{}", linear % grid.x, linear / grid.x % grid.y, linear / grid.x / grid.y);
  }

  /// `acq_rel gpu`; `-`: it orders nothing by itself.
  static std::string orderText(const trace::Site &site) {
    if (site.order == abi::MemoryOrder::None)
      return "-";
    return fmt::format("{}{}{}", abi::orderName(site.order), *abi::scopeName(site.scope) ? " " : "",
                       abi::scopeName(site.scope));
  }

  std::string sizeText(const Record &record) const {
    if (record.site->operation == abi::Operation::Variable) {
      const SharedVariable variable = sharedVariableOf(*module_, record);
      return fmt::format("{} {}, {} B", shown(variable.type()), shown(variable.name), record.site->bytes);
    }
    if (record.site->operation == abi::Operation::Instructions)
      return shown(string(record.site->name));
    if (record.site->operation == abi::Operation::LocalVariable)
      return fmt::format("{}, {} B", shown(string(record.site->name)), record.site->bytes);
    if (!isAccess(*record.site))
      return orderText(*record.site);
    const auto space = abi::spaceOf(record.site->space);
    const std::string in =
        space == abi::MemorySpace::Global ? "" : std::string(" in ") + abi::spaceName(space) + " memory";
    if (record.access.form == abi::RecordForm::Range)
      return fmt::format("{} B altogether{}", abi::recordBytes(record.access, 0), in);
    const std::string &type = string(record.site->sourceType);
    return fmt::format("{} B{}{}{}", record.site->bytes, type.empty() ? "" : " ", type, in);
  }

  const AllocationInfo *allocationAt(const trace::Site &site, std::uint64_t address) {
    return areOfAllocations(site) ? allocations_.find(address) : nullptr;
  }
  /// `tile[3][5]`, or `tile[3][5] of rank 1` in another block of the cluster; empty where it is in no shared variable that is known.
  std::string sharedPlace(const trace::Site &site, std::uint64_t address) {
    if (!isAccess(site) || abi::spaceOf(site.space) != abi::MemorySpace::Shared)
      return {};
    const std::uint64_t offset = abi::offsetOfShared(address);
    const SharedVariable *variable = variables_.find(*launch_, offset);
    const std::string place = variable ? variable->at(offset - variable->offset) : std::string();
    return place.empty() || !abi::isOfOtherBlock(address)
               ? place
               : fmt::format("{} of rank {}", place, abi::rankOfShared(address));
  }
  /// What stands in the place of an allocation.
  static const char *elsewhere(const trace::Site &site) {
    const auto space = abi::spaceOf(site.space);
    return space != abi::MemorySpace::Global ? abi::spaceName(space) : isAccess(site) ? "unknown" : "-";
  }

  /// Which texture or surface object it is; null: it is none, or not known.
  const ImageObjectInfo *objectAt(const trace::Site &site, std::uint64_t address) const {
    return model_.imageObjectAt(*launch_, site.operation, address);
  }
  /// `i0`, or the handle where it is not known.
  std::string objectText(const trace::Site &site, std::uint64_t address) const {
    const ImageObjectInfo *object = objectAt(site, address);
    return object ? fmt::format("i{}", object->ordinal) : fmt::format("{:#x}", address);
  }

  std::string where(const trace::Site &site, std::uint64_t address) {
    if (std::string place = sharedPlace(site, address); !place.empty())
      return place;
    if (abi::isOfImage(site.operation)) {
      const ImageObjectInfo *object = objectAt(site, address);
      return fmt::format("{} {}{}", elsewhere(site), objectText(site, address),
                         object && object->allocation ? fmt::format(" of a{}", *object->allocation) : "");
    }
    const AllocationInfo *info = allocationAt(site, address);
    return info ? fmt::format("a{}+{:#x}", info->ordinal, address - info->allocation.address)
                : fmt::format("{} {:#x}", elsewhere(site), address);
  }

  /// "allocation" is a number if all lanes agree, else null and "allocations" has one per
  /// lane. An unknown one is null, and so is its offset, as is one that a texture or a surface reads.
  void writeAllocations(Json &json, const trace::Site &site, const abi::WarpAccess &access) {
    std::vector<const AllocationInfo *> found;
    forEachLane(access, [&](unsigned lane) {
      const ImageObjectInfo *object = objectAt(site, access.address[lane]);
      found.push_back(object && object->allocation ? &model_.allocations()[*object->allocation]
                                                   : allocationAt(site, access.address[lane]));
    });
    const bool same = std::equal(found.begin() + 1, found.end(), found.begin());
    const auto write = [&](const AllocationInfo *info) {
      if (info)
        json.value(info->ordinal);
      else
        json.null();
    };
    json.key("allocation");
    write(same ? found.front() : nullptr);
    if (!same) {
      json.key("allocations").beginArray();
      for (const AllocationInfo *info : found)
        write(info);
      json.endArray();
    }
    json.key("offsets").beginArray();
    std::size_t rank = 0;
    forEachLane(access, [&](unsigned lane) {
      const AllocationInfo *info = found[rank++];
      if (info && !abi::isOfImage(site.operation))
        json.value(access.address[lane] - info->allocation.address);
      else
        json.null();
    });
    json.endArray();
  }

  const Model &model_;
  LiveAllocations &allocations_;
  SharedVariables variables_;
  const trace::Site *formOf_ = nullptr; ///< whose values form_ is of
  ValueForm form_;
  const LaunchInfo *launch_ = nullptr;
  const trace::Module *module_ = nullptr;
};

int dump(const DumpOptions &options) {
  const Model model(options.path);
  warnIfTruncated(model);
  if (options.host) {
    dumpHost(model, options.json, options.selection.limit);
    return kExitGood;
  }
  const LaunchFilter filter(options.selection.launches, model);
  const RecordFilter wanted(options.selection.records, model);
  LiveAllocations allocations(model);
  Printer printer(model, allocations);
  std::uint64_t left = options.selection.limit;
  for (const Event &event : model.events()) {
    if (const auto *made = std::get_if<AllocationEvent>(&event))
      allocations.apply(*made);
    else if (const auto *freed = std::get_if<FreeEvent>(&event))
      allocations.apply(*freed);
    const auto *launched = std::get_if<LaunchEvent>(&event);
    if (!launched)
      continue;
    const LaunchInfo &launch = model.launches()[launched->index];
    if (!filter.has(launch))
      continue;
    printer.launch(launch);
    RecordStream records(model, launch, RecordsOf::Everything);
    records.readValues();
    while (const Record *record = left > 0 ? records.next() : nullptr) {
      if (!wanted.has(launch, *record))
        continue;
      --left;
      if (options.perThread)
        printer.perThread(*record);
      else if (options.json)
        printer.json(*record);
      else
        printer.text(*record);
    }
  }
  return kExitGood;
}

} // namespace

Verb addDump(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "dump",
      "Print the records: one warp access each, with the place in the source, the operation, the CTA, the "
      "warp and the address of every active lane as allocation (aN, see 'info') and offset, or as texture or "
      "surface object (iN).");
  auto options = std::make_shared<DumpOptions>();
  command->add_option("trace", options->path, "Trace file")->required();
  auto *json = command->add_flag("--json", options->json, "JSON lines: one object per warp record");
  command
      ->add_flag("--per-thread", options->perThread,
                 "One line per thread access: launch, kernel, operation, bytes, CTA, thread in the block, "
                 "allocation, "
                 "offset. 'sort' makes dumps of two devices comparable with 'diff'")
      ->excludes(json);
  command
      ->add_flag("--host", options->host,
                 "Not the records, but the calls of the CUDA API by the program's threads, each with its "
                 "path, and then "
                 "samples of the threads")
      ->excludes("--per-thread");
  addSelection(*command, options->selection);
  return [options] { return dump(*options); };
}

} // namespace cupr::analysis

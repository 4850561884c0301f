/// `info`: what ran, on what, and how much memory it touched.
#include "shared_options.h"
#include "verb.h"

#include "analysis/model/host_paths.h"
#include "analysis/model/model.h"
#include "analysis/model/names.h"
#include "analysis/model/shared_variables.h"
#include "analysis/output/json.h"
#include "analysis/output/kind_names.h"
#include "analysis/output/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace cupr::analysis {

namespace {

struct Totals {
  std::uint64_t records = 0, untraced = 0, derived = 0, incomplete = 0, counted = 0, countedLaunches = 0,
                dropped = 0, evictedPages = 0, evictedLaunches = 0;
  trace::SpaceCounts counts;
};

Totals totalsOf(const std::vector<const LaunchInfo *> &launches) {
  Totals totals;
  for (const LaunchInfo *info : launches) {
    const LaunchInfo &launch = *info;
    totals.records += launch.totals.records;
    totals.counts += launch.totals.counts;
    totals.untraced += !launch.launch.traced;
    totals.derived += launch.launch.isDerived();
    totals.incomplete += launch.launch.traced && !launch.complete();
    totals.counted += launch.totals.end.countedAccesses();
    totals.countedLaunches += launch.totals.end.siteCounts.has_value();
    totals.dropped += launch.totals.end.dropped;
    totals.evictedPages += launch.totals.end.evictedPages;
    totals.evictedLaunches += launch.totals.end.evictedPages != 0;
  }
  return totals;
}

/// Other memory than global stands there only where it was traced.
bool isShown(const trace::SpaceCounts &counts, abi::MemorySpace space) {
  return space == abi::MemorySpace::Global || counts.in(space).accesses() != 0;
}

template <typename Body> void forEachSpace(const trace::SpaceCounts &counts, Body body) {
  for (unsigned index = 0; index < abi::kMemorySpaces; ++index)
    if (const auto space = static_cast<abi::MemorySpace>(index); isShown(counts, space))
      body(space, counts.in(space));
}

void writeCounts(Json &json, const trace::SpaceCounts &all) {
  forEachSpace(all, [&](abi::MemorySpace space, const trace::Counts &counts) {
    json.key(abi::spaceName(space)).beginObject();
    json.field("loads", counts.loads).field("stores", counts.stores).field("atomics", counts.atomics);
    json.field("loadBytes", counts.loadBytes).field("storeBytes", counts.storeBytes);
    json.field("atomicBytes", counts.atomicBytes);
    json.endObject();
  });
}

/// Where the source allocates, or declares a variable.
std::string placeText(std::string_view file, std::uint32_t line, std::uint32_t column) {
  return line == 0 ? std::string() : fmt::format("{}:{}:{}", file, line, column);
}

void writeDim(Json &json, const char *name, const trace::Dim3 &dim) {
  json.key(name).beginArray().value(dim.x).value(dim.y).value(dim.z).endArray();
}

void writeOrNull(Json &json, const char *name, std::optional<std::uint64_t> number) {
  json.key(name);
  if (number)
    json.value(*number);
  else
    json.null();
}

/// Null: it is not known.
void writeTime(Json &json, const char *name, std::uint64_t time) {
  writeOrNull(json, name, time ? std::optional(time) : std::nullopt);
}

void writeVariables(Json &json, const trace::Module *module, std::span<const SharedVariable> variables) {
  json.key("sharedVariables").beginArray();
  for (const SharedVariable &variable : variables) {
    json.beginObject().field("name", variable.name).field("type", variable.type());
    json.field("offset", variable.offset).field("bytes", variable.site->bytes);
    json.field("elementType", variable.elementType).field("elementBytes", variable.site->elementBytes);
    json.field("file", module->strings[variable.site->file]).field("line", variable.site->line);
    json.field("column", variable.site->column).endObject();
  }
  json.endArray();
}

void writeLaunch(Json &json, const LaunchInfo &info, const trace::Module *module,
                 std::span<const SharedVariable> variables) {
  const trace::Launch &launch = info.launch;
  json.beginObject();
  json.field("id", static_cast<std::uint64_t>(launch.id));
  json.field("kernel", info.kernel).field("mangled", launch.mangled);
  writeDim(json, "grid", launch.grid);
  writeDim(json, "block", launch.block);
  if (launch.clusterX * launch.clusterY * launch.clusterZ > 1)
    writeDim(json, "cluster", {launch.clusterX, launch.clusterY, launch.clusterZ});
  json.field("sharedBytes", launch.dynamicShared).field("staticSharedBytes", launch.staticShared);
  writeVariables(json, module, variables);
  json.field("registers", launch.registers);
  json.field("timed", abi::schemeName(launch.timed)).field("stageBytes", launch.stageBytes);
  json.field("stream", launch.stream).field("device", launch.device);
  if (launch.place.graph) {
    json.key("graph").beginObject();
    json.field("launch", launch.place.graph).field("node", launch.place.node);
    json.key("after").beginArray();
    for (const std::uint32_t node : launch.place.after)
      json.value(node);
    json.endArray().endObject();
  }
  json.field("traced", launch.traced).field("derived", launch.isDerived());
  if (launch.isDerived())
    json.field("blocksBegun", info.blocksBegun);
  json.field("complete", info.complete());
  json.field("reason", launch.traced ? info.totals.end.reason : launch.reason);
  if (launch.traced && !launch.ctas.isAll()) {
    json.key("recordedCtas").beginObject();
    json.field("first", launch.ctas.first).field("end", launch.ctas.end).field("period", launch.ctas.period);
    json.endObject();
  }
  json.field("file", launch.file).field("line", launch.line);
  json.field("order", launch.order).field("time", launch.time);
  json.field("endTime", info.totals.end.time);
  writeTime(json, "began", info.totals.end.began);
  writeTime(json, "ended", info.totals.end.ended);
  json.field("records", info.totals.records).field("words", info.totals.words);
  json.field("chunks", info.totals.chunks).field("waits", info.totals.end.waits);
  json.field("evictedPages", info.totals.end.evictedPages);
  json.field("dropped", info.totals.end.dropped);
  if (info.totals.end.siteCounts) {
    json.field("counted", info.totals.end.countedAccesses());
    json.key("siteCounts").beginArray();
    for (const trace::SiteCount &count : *info.totals.end.siteCounts)
      json.beginObject().field("site", count.site).field("accesses", count.accesses).endObject();
    json.endArray();
  }
  writeCounts(json, info.totals.counts);
  json.endObject();
}

void writeImageObjects(Json &json, const Model &model) {
  json.key("imageObjects").beginArray();
  for (const ImageObjectInfo &info : model.imageObjects()) {
    const trace::ImageObject &object = info.object;
    json.beginObject();
    json.field("id", info.ordinal).field("kind", kindName(object.kind)).field("object", object.object);
    json.field("call", object.call).field("resource", kindName(object.resource));
    json.field("memory", object.memory).field("bytes", object.bytes).field("rowBytes", object.rowBytes);
    json.field("format", object.format).field("width", object.width).field("height", object.height);
    json.field("depth", object.depth).field("order", object.order);
    writeOrNull(json, "allocation", info.allocation);
    writeOrNull(json, "endOrder", info.endOrder == UINT64_MAX ? std::nullopt : std::optional(info.endOrder));
    json.endObject();
  }
  json.endArray();
}

void writeHost(Json &json, const trace::HostBatch &host) {
  json.key("host").beginObject();
  json.field("calls", host.calls.size())
      .field("acts", host.acts.size())
      .field("threads", host.threads.size());
  json.field("nodes", host.nodes.size()).field("places", host.places.size());
  json.field("samples", host.samples.size());
  json.key("samplings").beginArray();
  for (const trace::HostSampling &sampling : host.samplings) {
    json.beginObject().field("source", sampling.source).field("period", sampling.period);
    json.field("delivered", sampling.delivered).field("lost", sampling.lost).endObject();
  }
  json.endArray().endObject();
}

void printJson(const Model &model, const std::vector<const LaunchInfo *> &selected) {
  const trace::Process &process = model.header().process;
  Json json(Json::Style::Indented);
  json.beginObject();
  json.field("program", process.program);
  json.key("arguments").beginArray();
  for (const std::string &argument : process.arguments)
    json.value(argument);
  json.endArray();
  json.field("pid", process.pid);
  json.field("device", process.deviceName).field("deviceKind", process.deviceKind);
  json.field("startTime", process.startTime);
  json.field("formatVersion", model.header().formatVersion);
  json.field("fileBytes", model.reader().fileBytes());
  json.field("truncated", !model.truncation().empty());
  json.key("launches").beginArray();
  SharedVariables variables(model);
  for (const LaunchInfo *launch : selected)
    writeLaunch(json, *launch, model.moduleOf(*launch), variables.of(*launch));
  json.endArray();
  const HostPaths paths(model);
  json.key("allocations").beginArray();
  for (const AllocationInfo &info : model.allocations()) {
    json.beginObject();
    json.field("id", info.ordinal).field("address", info.allocation.address);
    json.field("bytes", info.allocation.bytes).field("kind", kindName(info.allocation.kind));
    json.field("call", info.allocation.call).field("name", info.allocation.name);
    json.field("order", info.allocation.order).field("elementType", info.allocation.type);
    json.field("file", info.allocation.file).field("line", info.allocation.line);
    json.field("column", info.allocation.column);
    json.field("path", paths.pathOfAct(info.allocation.order));
    writeOrNull(json, "freedOrder",
                info.freedOrder == UINT64_MAX ? std::nullopt : std::optional(info.freedOrder));
    json.endObject();
  }
  json.endArray();
  writeImageObjects(json, model);
  const Totals totals = totalsOf(selected);
  json.key("total").beginObject();
  json.field("launches", selected.size()).field("untraced", totals.untraced);
  json.field("derived", totals.derived)
      .field("incomplete", totals.incomplete)
      .field("records", totals.records);
  json.field("copies", model.copies().size()).field("sets", model.sets().size());
  json.field("synchronisations", model.synchronisations().size());
  writeCounts(json, totals.counts);
  json.endObject();
  writeHost(json, model.host());
  json.endObject();
  fmt::print("{}\n", json.text());
}

std::string timeText(const LaunchInfo &info) {
  const std::optional<std::uint64_t> time = info.deviceTime();
  return time ? durationText(*time) : std::string();
}

/// Those of each kernel once.
void printVariables(const Model &model, const std::vector<const LaunchInfo *> &selected) {
  using enum Table::Align;
  Table table({Left, Right, Right, Left, Right, Left, Left});
  table.row({"shared variable", "offset", "bytes", "type", "element", "kernel", "place"});
  SharedVariables variables(model);
  std::set<const SharedVariable *> seen;
  for (const LaunchInfo *launch : selected)
    for (const SharedVariable &variable : variables.of(*launch))
      if (seen.insert(&variable).second)
        table.row({std::string(variable.name), fmt::format("{:#x}", variable.offset),
                   variable.site->bytes ? grouped(variable.site->bytes) : "dynamic", variable.type(),
                   bytesText(variable.site->elementBytes), launch->kernel,
                   placeText(model.moduleOf(*launch)->strings[variable.site->file], variable.site->line,
                             variable.site->column)});
  if (!seen.empty())
    fmt::print("{}\n", table.text());
}

/// Extents that are there: `640x480`; empty: unknown.
std::string extentText(const trace::ImageObject &object) {
  std::string text;
  for (const std::uint64_t extent : {object.width, object.height, object.depth})
    if (extent != 0)
      text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// "main > step > upload", in short names: what stands outside of main is not the program's. Empty: not known, or a variable, for which
/// nobody calls.
std::string callersText(const Model &model, const HostPaths &paths, const trace::Allocation &allocation) {
  const std::optional<std::uint64_t> call = paths.callOf(allocation.order);
  if (!call || allocation.call.starts_with("__"))
    return {};
  std::string text;
  for (const PathFrame &frame : paths.pathTo(model.host().calls[*call].node)) {
    if (frame.function == "main")
      text.clear();
    text += (text.empty() ? "" : " > ") + shortName(frame.function);
  }
  return text;
}

void printImageObjects(const Model &model) {
  if (model.imageObjects().empty())
    return;
  using enum Table::Align;
  Table table({Right, Right, Left, Left, Left, Left, Left, Left});
  table.row({"object", "handle", "kind", "call", "reads", "of", "format", "texels"});
  for (const ImageObjectInfo &info : model.imageObjects())
    table.row({fmt::format("i{}", info.ordinal), fmt::format("{:#x}", info.object.object),
               kindName(info.object.kind), info.object.call, kindName(info.object.resource),
               info.allocation ? fmt::format("a{}", *info.allocation) : "unknown", info.object.format,
               extentText(info.object)});
  fmt::print("{}\n", table.text());
}

void printHost(const trace::HostBatch &host) {
  if (host.calls.empty() && host.samples.empty())
    return;
  fmt::print("host      {} calls by {} threads, from {} nodes of call paths\n", grouped(host.calls.size()),
             grouped(host.threads.size()), grouped(host.nodes.size()));
  for (const trace::HostSampling &sampling : host.samplings)
    fmt::print("samples   {} of processor time, each {}, by {}; {} lost\n", grouped(sampling.delivered),
               durationText(sampling.period), shown(sampling.source), grouped(sampling.lost));
}

void printText(const Model &model, const std::vector<const LaunchInfo *> &selected) {
  const trace::Process &process = model.header().process;
  fmt::print("program   {}\ndevice    {} ({})\ntrace     {}, {}\n\n", shown(process.program),
             shown(process.deviceName), process.deviceKind, shown(model.path()),
             bytesText(model.reader().fileBytes()));
  using enum Table::Align;
  const bool timed =
      std::ranges::any_of(selected, [](const LaunchInfo *info) { return info->deviceTime().has_value(); });
  Table launches({Right, Right, Right, Right, Right, Right, Right, Right, Right, Left, Right, Left});
  launches.row({"launch", "grid", "block", "stream", "records", "loads", "stores", "atomics", "bytes",
                "kernel", timed ? "time" : "", ""});
  for (const LaunchInfo *launch : selected) {
    const LaunchInfo &info = *launch;
    forEachSpace(info.totals.counts, [&](abi::MemorySpace space, const trace::Counts &counts) {
      const bool first = space == abi::MemorySpace::Global;
      const auto once = [&](const std::string &text) { return first ? text : std::string(); };
      launches.row({once(std::to_string(static_cast<std::uint64_t>(info.launch.id))),
                    once(dimText(info.launch.grid)), once(dimText(info.launch.block)),
                    once(std::to_string(info.launch.stream)), once(grouped(info.totals.records)),
                    grouped(counts.loads), grouped(counts.stores), grouped(counts.atomics),
                    bytesText(counts.bytes()),
                    first ? info.kernel : fmt::format("  in {} memory", abi::spaceName(space)),
                    once(timeText(info)), once(launchState(info))});
    });
  }
  fmt::print("{}\n", launches.text());
  if (!model.allocations().empty()) {
    const HostPaths paths(model);
    Table allocations({Right, Right, Right, Left, Left, Left, Left, Left, Left});
    allocations.row({"allocation", "address", "bytes", "kind", "call", "name", "type", "place",
                     model.host().calls.empty() ? "" : "called by"});
    for (const AllocationInfo &info : model.allocations())
      allocations.row({std::to_string(info.ordinal), fmt::format("{:#x}", info.allocation.address),
                       grouped(info.allocation.bytes), kindName(info.allocation.kind), info.allocation.call,
                       info.allocation.name, info.allocation.type,
                       placeText(info.allocation.file, info.allocation.line, info.allocation.column),
                       callersText(model, paths, info.allocation)});
    fmt::print("{}\n", allocations.text());
  }
  printImageObjects(model);
  printVariables(model, selected);
  const Totals totals = totalsOf(selected);
  fmt::print("total     {} launches ({} not traced, {} incomplete), {} warp records\n", selected.size(),
             totals.untraced, totals.incomplete, grouped(totals.records));
  forEachSpace(totals.counts, [](abi::MemorySpace space, const trace::Counts &counts) {
    const std::string in =
        space == abi::MemorySpace::Global ? "" : fmt::format(", in {} memory", abi::spaceName(space));
    const auto line = [&](const char *what, std::uint64_t accesses, std::uint64_t bytes) {
      fmt::print("          {:<7} {:>18} by threads, {}{}\n", what, grouped(accesses), bytesText(bytes), in);
    };
    line("loads", counts.loads, counts.loadBytes);
    line("stores", counts.stores, counts.storeBytes);
    line("atomics", counts.atomics, counts.atomicBytes);
  });
  if (totals.derived)
    fmt::print("derived   what {} launches determine was not recorded\n", grouped(totals.derived));
  if (totals.countedLaunches)
    fmt::print("counted   {} accesses by threads, on the device, in {} launches\n", grouped(totals.counted),
               grouped(totals.countedLaunches));
  if (totals.dropped)
    fmt::print("dropped   {} accesses by threads\n", grouped(totals.dropped));
  if (totals.evictedPages)
    fmt::print("slow      records of {} launches left the slow way, in {} pages that warps copied: the "
               "program held the driver\n",
               grouped(totals.evictedLaunches), grouped(totals.evictedPages));
  printHost(model.host());
}

} // namespace

Verb addInfo(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "info",
      "Show the process, the device, each launch with its counts, and the allocations. Counts are per "
      "thread, not per warp.");
  struct Options {
    std::string path;
    bool json = false;
    LaunchSelection selection;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_flag("--json", options->json, "Print JSON");
  addLaunchSelection(*command, options->selection);
  refuseSelection(*command, "launches are listed whole: dump shows what is in a block or a file");
  return [options] {
    const Model model(options->path);
    warnIfTruncated(model);
    const LaunchFilter filter(options->selection, model);
    std::vector<const LaunchInfo *> selected;
    for (const LaunchInfo &launch : model.launches())
      if (filter.has(launch))
        selected.push_back(&launch);
    (options->json ? printJson : printText)(model, selected);
    return kExitGood;
  };
}

} // namespace cupr::analysis

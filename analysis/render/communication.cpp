/// Only renders: every figure comes from the metric.
#include "communication.h"

#include "analysis/model/names.h"
#include "json.h"
#include "text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

using enum Table::Align;

std::uint64_t idOf(const Model &model, Superstep superstep) {
  return static_cast<std::uint64_t>(model.launches()[superstep].launch.id);
}

std::string volumes(const Communication &c) {
  Table table({Left, Right, Right, Left});
  table.row({"", "accesses", "bytes", ""});
  table.row({"loads", grouped(c.counts.loads), grouped(c.counts.loadBytes), "by threads"});
  table.row({"stores", grouped(c.counts.stores), grouped(c.counts.storeBytes), "by threads"});
  table.row({"atomics", grouped(c.counts.atomics), grouped(c.counts.atomicBytes), "by threads"});
  table.row({"read", "", grouped(c.uniqueRead), "distinct bytes per launch, summed"});
  table.row({"written", "", grouped(c.uniqueWritten), "distinct bytes per launch, summed"});
  table.row({"written by host", "", grouped(c.writtenByHost), "copies and sets"});
  return table.text();
}

std::string shares(const Communication &c) {
  std::string text =
      fmt::format("communicated  {} bytes, {} of what launches wrote: a later launch read them\n",
                  grouped(c.communicated), percent(c.communicated, c.uniqueWritten));
  text +=
      fmt::format("  same index  {} bytes, read by the CTA with the writer's index\n", grouped(c.sameIndex));
  text += fmt::format("  other index {} bytes, read by another CTA\n", grouped(c.otherIndex));
  text += fmt::format("to the host   {} bytes, {} of what launches wrote\n", grouped(c.readByHost),
                      percent(c.readByHost, c.uniqueWritten));
  text += fmt::format("from the host {} bytes, {} of what the host wrote\n", grouped(c.hostRead),
                      percent(c.hostRead, c.writtenByHost));
  return text;
}

} // namespace

std::string superstepText(const Model &model, Superstep superstep) {
  if (superstep == kHost)
    return "host";
  return fmt::format("launch {} ({})", idOf(model, superstep), shortName(model.launches()[superstep].kernel));
}

std::string ctaText(const Model &model, Superstep superstep, std::uint32_t cta) {
  if (superstep == kHost)
    return "-";
  const trace::Dim3 &grid = model.launches()[superstep].launch.grid;
  const std::uint64_t x = cta % grid.x, y = cta / grid.x % grid.y, z = cta / grid.x / grid.y;
  if (grid.z != 1)
    return fmt::format("{},{},{}", x, y, z);
  return grid.y != 1 ? fmt::format("{},{}", x, y) : std::to_string(x);
}

std::string communicationText(const Model &model, const Communication &c, std::size_t top) {
  std::string text = volumes(c) + '\n' + shares(c) + '\n';
  if (c.incompleteLaunches != 0)
    text += fmt::format("{} launches are not traced or incomplete: what they wrote and read is not in these "
                        "figures\n\n",
                        c.incompleteLaunches);
  Table pairs({Left, Left, Right, Right, Right, Right, Right});
  pairs.row({"written by", "read by", "bytes", "same index", "other index", "reads", "CTA pairs"});
  for (const LaunchPair &pair : c.pairs)
    pairs.row({superstepText(model, pair.source), superstepText(model, pair.destination), grouped(pair.bytes),
               grouped(pair.sameIndex), grouped(pair.otherIndex), grouped(pair.operations),
               grouped(pair.ctaPairs)});
  text += pairs.text();
  if (top == 0 || c.transfers.empty())
    return text;
  std::vector<const Transfer *> largest;
  for (const Transfer &transfer : c.transfers)
    if (transfer.source != kHost && transfer.destination != kHost)
      largest.push_back(&transfer);
  const std::size_t count = std::min(top, largest.size());
  std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(count), largest.end(),
                    [](const Transfer *a, const Transfer *b) {
                      return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
                    });
  text += fmt::format("\nthe {} largest of {} transfers between CTAs\n", count, grouped(largest.size()));
  Table transfers({Left, Left, Left, Left, Right, Right});
  transfers.row({"written by", "CTA", "read by", "CTA", "bytes", "reads"});
  for (std::size_t i = 0; i < count; ++i) {
    const Transfer &t = *largest[i];
    transfers.row({superstepText(model, t.source), ctaText(model, t.source, t.sourceCta),
                   superstepText(model, t.destination), ctaText(model, t.destination, t.destinationCta),
                   grouped(t.bytes), grouped(t.operations)});
  }
  return text + transfers.text();
}

std::string communicationJson(const Model &model, const Communication &c) {
  Json json(Json::Style::Line);
  const auto superstep = [&](const char *key, Superstep step) {
    json.key(key);
    if (step == kHost)
      json.value("host");
    else
      json.value(idOf(model, step));
  };
  json.beginObject();
  json.field("program", model.header().process.program).field("truncated", !model.truncation().empty());
  json.key("volume").beginObject();
  json.field("loads", c.counts.loads).field("stores", c.counts.stores).field("atomics", c.counts.atomics);
  json.field("loadBytes", c.counts.loadBytes).field("storeBytes", c.counts.storeBytes);
  json.field("atomicBytes", c.counts.atomicBytes);
  json.field("uniqueReadBytes", c.uniqueRead).field("uniqueWrittenBytes", c.uniqueWritten);
  json.field("hostWrittenBytes", c.writtenByHost);
  json.endObject();
  json.key("communicated").beginObject();
  json.field("bytes", c.communicated).field("share", c.share());
  json.field("sameIndexBytes", c.sameIndex).field("otherIndexBytes", c.otherIndex);
  json.field("toHostBytes", c.readByHost).field("fromHostBytes", c.hostRead);
  json.endObject();
  json.field("incompleteLaunches", c.incompleteLaunches);
  json.key("launches").beginArray();
  for (std::size_t i = 0; i < c.launches.size(); ++i) {
    const LaunchVolume &volume = c.launches[i];
    const LaunchInfo &info = model.launches()[i];
    json.beginObject();
    json.field("id", idOf(model, static_cast<Superstep>(i))).field("kernel", info.kernel);
    json.key("grid")
        .beginArray()
        .value(info.launch.grid.x)
        .value(info.launch.grid.y)
        .value(info.launch.grid.z);
    json.endArray();
    json.field("uniqueReadBytes", volume.uniqueRead).field("uniqueWrittenBytes", volume.uniqueWritten);
    json.field("readFromLaunchesBytes", volume.readFromLaunches)
        .field("readFromHostBytes", volume.readFromHost);
    json.field("readByLaunchesBytes", volume.readByLaunches).field("readByHostBytes", volume.readByHost);
    json.endObject();
  }
  json.endArray();
  json.key("pairs").beginArray();
  for (const LaunchPair &pair : c.pairs) {
    json.beginObject();
    superstep("source", pair.source);
    superstep("destination", pair.destination);
    json.field("bytes", pair.bytes).field("sameIndexBytes", pair.sameIndex);
    json.field("otherIndexBytes", pair.otherIndex).field("operations", pair.operations);
    json.field("ctaPairs", pair.ctaPairs);
    json.endObject();
  }
  json.endArray();
  json.key("transfers").beginArray();
  for (const Transfer &transfer : c.transfers) {
    json.beginObject();
    superstep("source", transfer.source);
    json.field("sourceCta", transfer.sourceCta);
    superstep("destination", transfer.destination);
    json.field("destinationCta", transfer.destinationCta);
    json.field("bytes", transfer.bytes).field("operations", transfer.operations);
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return json.text() + '\n';
}

} // namespace cupr::analysis

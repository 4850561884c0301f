/// Only renders: every figure comes from the metric.
#include "communication.h"

#include "analysis/model/names.h"
#include "analysis/output/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

using enum Table::Align;

std::string volumes(const ProgramVolume &c) {
  Table table({Left, Right, Right, Left});
  table.row({"", "accesses", "bytes", ""});
  table.row({"loads", grouped(c.counts.loads), grouped(c.counts.loadBytes), "by threads"});
  table.row({"stores", grouped(c.counts.stores), grouped(c.counts.storeBytes), "by threads"});
  table.row({"atomics", grouped(c.counts.atomics), grouped(c.counts.atomicBytes), "by threads"});
  table.row({"read", "", grouped(c.uniqueRead), "distinct bytes per launch, summed"});
  table.row({"written", "", grouped(c.uniqueWritten), "distinct bytes per launch, summed"});
  if (c.copied != 0)
    table.row({"copied", "", grouped(c.copied), "of what launches wrote, within the device"});
  table.row({"written by host", "", grouped(c.writtenByHost), "copies and sets"});
  return table.text();
}

/// Behind a figure that launches which were not seen, or the host, may have touched.
std::string doubt(std::uint64_t overwritten) {
  return overwritten == 0 ? "" : fmt::format(" (* {} possibly overwritten)", grouped(overwritten));
}

std::string shares(const ProgramVolume &c) {
  std::string text = fmt::format(
      "handed on     {} bytes, {} of what launches wrote: another CTA or another kernel read them later\n",
      grouped(c.handedOn), percent(c.handedOn, c.written()));
  text += fmt::format(
      "communicated  {} bytes, {} of what launches wrote: a later launch read them, own data included{}\n",
      grouped(c.communicated), percent(c.communicated, c.written()), doubt(c.overwritten));
  text +=
      fmt::format("  same index  {} bytes, read by the CTA with the writer's index\n", grouped(c.sameIndex));
  text += fmt::format("  other index {} bytes, read by another CTA\n", grouped(c.otherIndex));
  text += fmt::format("to the host   {} bytes, {} of what launches wrote{}\n", grouped(c.readByHost),
                      percent(c.readByHost, c.written()), doubt(c.readByHostOverwritten));
  text += fmt::format("from the host {} bytes, {} of what the host wrote{}\n", grouped(c.hostRead),
                      percent(c.hostRead, c.writtenByHost), doubt(c.hostReadOverwritten));
  return text;
}

} // namespace

std::string superstepText(const Model &model, LaunchIndex superstep) {
  if (superstep == kHost)
    return "host";
  const LaunchInfo &launch = model.launches()[superstep];
  return fmt::format("launch {}{} ({})", static_cast<std::uint64_t>(launch.number), phaseText(launch),
                     shortName(launch.kernel));
}

std::string ctaText(const Model &model, LaunchIndex superstep, std::uint32_t cta) {
  if (superstep == kHost)
    return "-";
  const trace::Dim3 &grid = model.launches()[superstep].launch.grid;
  const trace::Dim3 place = placeInGrid(grid, cta);
  if (grid.z != 1)
    return fmt::format("{},{},{}", place.x, place.y, place.z);
  return grid.y != 1 ? fmt::format("{},{}", place.x, place.y) : std::to_string(place.x);
}

std::string volumeText(const ProgramVolume &volume) {
  std::string text = volumes(volume) + '\n' + shares(volume) + '\n';
  if (volume.incompleteLaunches != 0)
    text += fmt::format("{} launches are not traced or incomplete: what they wrote and read is not in these "
                        "figures\n\n",
                        volume.incompleteLaunches);
  if (volume.hasOverwritten())
    text +=
        "* between the write and the read, a launch may have written them of which not all was seen, or the "
        "host without a call: all figures of communication may be too high by as much\n\n";
  if (volume.ofLastProducer != 0)
    text += fmt::format(
        "{} bytes have so many producers that the last writer stands for all of them in transfers "
        "between CTAs\n\n",
        grouped(volume.ofLastProducer));
  return text;
}

std::string communicationText(const Model &model, const Communication &c, std::size_t top,
                              const ShownPart &shown) {
  const auto wants = [&](LaunchIndex source, LaunchIndex destination) {
    return shown.has(source) || shown.has(destination);
  };
  std::string text = volumeText(c);
  if (!shown.isAll())
    text += fmt::format(
        "of the pairs, those that have one of these launches: {}; all else is of the whole program\n\n",
        shown.text());
  if (const std::string note = phasesNote(model); !note.empty())
    text += note + "\n\n";
  Table pairs({Left, Left, Right, Right, Right, Right, Right, Left});
  pairs.row({"written by", "read by", "bytes", "same index", "other index", "reads", "CTA pairs", ""});
  for (const LaunchPair &pair : c.pairs)
    if (wants(pair.source, pair.destination))
      pairs.row({superstepText(model, pair.source), superstepText(model, pair.destination),
                 grouped(pair.bytes), grouped(pair.sameIndex), grouped(pair.otherIndex),
                 grouped(pair.operations), grouped(pair.ctaPairs),
                 pair.overwritten == 0 ? "" : fmt::format("* {}", grouped(pair.overwritten))});
  text += pairs.text();
  if (top == 0)
    return text;
  const LargestTransfers largest = largestTransfers(c, top, wants);
  text += fmt::format("\nthe {} largest of {} transfers between CTAs\n", largest.largest.size(),
                      grouped(largest.all));
  Table transfers({Left, Left, Left, Left, Right, Right});
  transfers.row({"written by", "CTA", "read by", "CTA", "bytes", "reads"});
  for (const Transfer &t : largest.largest) {
    transfers.row({superstepText(model, t.source), ctaText(model, t.source, t.sourceCta),
                   superstepText(model, t.destination), ctaText(model, t.destination, t.destinationCta),
                   grouped(t.bytes), grouped(t.operations)});
  }
  return text + transfers.text();
}

} // namespace cupr::analysis

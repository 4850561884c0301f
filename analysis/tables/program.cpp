/// What was run, and how much it accessed and communicated in all.
#include "analysis/output/text.h"
#include "table.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

using enum ColumnType;

constexpr auto kIncompleteFields = std::to_array<Field<ProgramVolume>>({
    {{"incomplete_launches", Number, "not traced, or not completely"}, CUPR_GET(row.incompleteLaunches)},
});
constexpr auto kVolumeFields = std::to_array<Field<ProgramVolume>>({
    {{"unique_read_bytes", Bytes, "distinct bytes per launch, summed"}, CUPR_GET(row.uniqueRead)},
    {{"unique_written_bytes", Bytes, "distinct bytes per launch, summed"}, CUPR_GET(row.uniqueWritten)},
    {{"host_written_bytes", Bytes, "by copies and sets"}, CUPR_GET(row.writtenByHost)},
});
constexpr auto kCommunicatedFields = std::to_array<Field<ProgramVolume>>({
    {Column{"communicated_bytes", Bytes, "of unique_written_bytes and copied_bytes: a later launch read them"}
         .as("bytes"),
     CUPR_GET(row.communicated)},
    {{"share", Share, "communicated_bytes / (unique_written_bytes + copied_bytes)"}, CUPR_GET(row.share())},
    {{"same_index_bytes", Bytes, "of communicated_bytes: read by the CTA of the same index"},
     CUPR_GET(row.sameIndex)},
    {{"other_index_bytes", Bytes, "of communicated_bytes: read by a CTA of another index"},
     CUPR_GET(row.otherIndex)},
    {{"handed_on_bytes", Bytes,
      "of communicated_bytes: read by a CTA of another index, or by another kernel"},
     CUPR_GET(row.handedOn)},
    {{"concurrent_bytes", Bytes, "read by launches that nothing orders after the writer"},
     CUPR_GET(row.concurrent)},
    {{"to_host_bytes", Bytes, "of unique_written_bytes and copied_bytes: the host read them"},
     CUPR_GET(row.readByHost)},
    {{"from_host_bytes", Bytes, "of host_written_bytes: a launch read them"}, CUPR_GET(row.hostRead)},
    {{"handed_on_share", Share, "handed_on_bytes / (unique_written_bytes + copied_bytes)"},
     CUPR_GET(row.handedOnShare())},
    {{"possibly_overwritten_bytes", Bytes, "of communicated_bytes"}, CUPR_GET(row.overwritten)},
    {{"to_host_possibly_overwritten_bytes", Bytes, "of to_host_bytes"}, CUPR_GET(row.readByHostOverwritten)},
    {{"from_host_possibly_overwritten_bytes", Bytes, "of from_host_bytes"},
     CUPR_GET(row.hostReadOverwritten)},
});
constexpr auto kCopiedFields = std::to_array<Field<ProgramVolume>>({
    {{"copied_bytes", Bytes, "of what launches wrote, within the device"}, CUPR_GET(row.copied)},
});
constexpr auto kProducerFields = std::to_array<Field<ProgramVolume>>({
    {{"of_last_producer_bytes", Bytes, "with so many producers that the last writer stands for all"},
     CUPR_GET(row.ofLastProducer)},
});

constexpr auto kAllVolumeFields =
    joined(kIncompleteFields, fieldsOf<ProgramVolume, kCountFields, &ProgramVolume::counts, "", "volume.">(),
           fieldsOf<ProgramVolume, kVolumeFields, std::identity{}, "", "volume.">(),
           fieldsOf<ProgramVolume, kCommunicatedFields, std::identity{}, "", "communicated.">(),
           fieldsOf<ProgramVolume, kCopiedFields, std::identity{}, "", "volume.">(),
           fieldsOf<ProgramVolume, kProducerFields, std::identity{}, "", "communicated.">());

struct ProgramRow {
  const trace::Process &process;
  const std::string &truncation;
  const ProgramVolume &volume;
  std::vector<std::string> notes;
  std::string shown;
  std::uint64_t shownLaunches, launches;
};
const ProgramVolume &programVolume(const ProgramRow &row) { return row.volume; }

constexpr auto kProgramFields = joined(
    std::to_array<Field<ProgramRow>>({
        {{"program", Text, "path of the executable"}, CUPR_GET(row.process.program)},
        {{"arguments", Texts, "of the program, its name first"}, CUPR_GET(row.process.arguments)},
        {Column{"device_kind", Text, "\"gpu\" or \"cpu\""}.as("device.kind").oneOf("gpu|cpu|"),
         CUPR_GET(row.process.deviceKind)},
        {Column{"device_name", Text, "as the CUDA runtime calls it"}.as("device.name"),
         CUPR_GET(row.process.deviceName)},
        {Column{"not_whole", Text, "where and why the trace stops early, or what a repair found missing"}
             .orNull()
             .inTables(),
         CUPR_GET(row.truncation.empty() ? Value() : valueOf(row.truncation))},
    }),
    fieldsOf<ProgramRow, kAllVolumeFields, &programVolume>(),
    std::to_array<Field<ProgramRow>>({
        {Column{"shown", Text,
                "the launches and places that were chosen, of which other tables are; null: all; figures "
                "here are of the whole program"}
             .as("shown.what")
             .orNull(),
         CUPR_GET(row.shown.empty() ? Value() : valueOf(row.shown))},
        {Column{"shown_launches", Number, "that were chosen"}.as("shown.launches"),
         CUPR_GET(row.shownLaunches)},
        {Column{"all_launches", Number, "of the program"}.as("shown.of"), CUPR_GET(row.launches)},
        {Column{"truncated", Flag, "the trace stops early, or was repaired: results cover what is there"}
             .inJson(),
         CUPR_GET(!row.truncation.empty())},
        {Column{"notes", Texts, "what a reader must know, in sentences"}.inJson(), CUPR_GET(row.notes)},
    }));

std::vector<std::string> notesOn(const Model &model, const ProgramVolume &volume) {
  std::vector<std::string> notes;
  if (!model.truncation().empty())
    notes.push_back(model.truncation() + "; results cover what is there");
  if (std::string note = phasesNote(model); !note.empty())
    notes.push_back(std::move(note));
  if (volume.incompleteLaunches != 0)
    notes.push_back(
        fmt::format("{} launches are not traced or incomplete: what they wrote and read is not in these "
                    "figures.",
                    volume.incompleteLaunches));
  if (volume.hasOverwritten())
    notes.push_back(fmt::format("{} communicated bytes, {} from the host and {} to it were possibly "
                                "overwritten, by launches of which not "
                                "all was seen or by the host without a call: all figures of communication "
                                "may be too high by as much, and "
                                "name the wrong writer.",
                                volume.overwritten, volume.hostReadOverwritten,
                                volume.readByHostOverwritten));
  if (volume.ofLastProducer != 0)
    notes.push_back(
        fmt::format("{} bytes have so many producers that the last writer stands for all of them in "
                    "transfers between CTAs.",
                    volume.ofLastProducer));
  if (volume.concurrent != 0)
    notes.push_back(
        fmt::format("{} bytes were read by launches that nothing orders after their writers; they do not "
                    "count as communication.",
                    volume.concurrent));
  if (volume.communicated == 0)
    notes.push_back("No launch read what an earlier one wrote.");
  return notes;
}

void programRow(const ResultSource &of, const RowVisitor &visit) {
  const ProgramVolume &volume = of.results.communication;
  RowSender<kProgramFields>{visit}({of.model.header().process, of.model.truncation(), volume,
                                    notesOn(of.model, volume), of.results.shown.text(),
                                    of.results.shown.calls(of.model), of.model.calls()});
}

struct SpaceRow {
  abi::MemorySpace space;
  trace::Counts counts;
};
constexpr auto kSpaceFields =
    joined(std::to_array<Field<SpaceRow>>({
               {Column{"space", Text, "kind of memory"}.oneOf("shared|constant|local|texture"),
                CUPR_GET(abi::spaceName(row.space))},
           }),
           fieldsOf<SpaceRow, kCountFields, &SpaceRow::counts>());

void otherMemoryRows(const ResultSource &of, const RowVisitor &visit) {
  trace::SpaceCounts sum;
  for (const LaunchInfo &launch : of.model.launches())
    sum += launch.totals.counts;
  RowSender<kSpaceFields> send(visit);
  for (unsigned index = 0; index < abi::kMemorySpaces; ++index)
    if (const auto space = static_cast<abi::MemorySpace>(index);
        space != abi::MemorySpace::Global && sum.in(space) != trace::Counts{})
      send({space, sum.in(space)});
}

} // namespace

const ResultTable kProgram = {{"program", "programs", "The whole run; one row.", kColumnsOf<kProgramFields>},
                              programRow};
const ResultTable kVolumes = {
    {"volumes", "", "What one program, or several, did in all.", kColumnsOf<kAllVolumeFields>},
    [](const ResultSource &of, const RowVisitor &visit) { volumesRow(of.results.communication, visit); }};
const ResultTable kOtherMemory = {
    {"other_memory", "", "Recorded accesses to another kind of memory.", kColumnsOf<kSpaceFields>},
    otherMemoryRows};

void volumesRow(const ProgramVolume &volume, const RowVisitor &visit) {
  RowSender<kAllVolumeFields>{visit}(volume);
}

} // namespace cupr::analysis

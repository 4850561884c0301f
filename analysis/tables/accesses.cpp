/// Accesses one by one, where they were asked for: the history of addresses, and what threads do over time.
#include "place_text.h"
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

struct HistoryRow {
  std::uint64_t launch;
  const trace::Module &module;
  const HistoryEntry &entry;
  const trace::Site &site() const { return module.sites[entry.site]; }
};
constexpr auto kHistoryFields = std::to_array<Field<HistoryRow>>({
    {{"address", Address, "first byte of the access"}, CUPR_GET(row.entry.address)},
    {{"superstep", Number, "from 0"}, CUPR_GET(row.entry.superstep)},
    {{"launch", Number, "launches.id"}, CUPR_GET(row.launch)},
    {{"cta", Number, "linear number"}, CUPR_GET(row.entry.cta)},
    {{"operation", Text, "\"load\", \"store\", \"atomic add\" ..."},
     CUPR_GET(abi::operationName(row.site().operation))},
    {{"file", Text, "empty: unknown"}, CUPR_GET(row.module.strings[row.site().file])},
    {{"line", Number, "0: unknown"}, CUPR_GET(row.site().line)},
    {{"bytes", Bytes, "of each access"}, CUPR_GET(row.entry.bytes)},
    {{"accesses", Number, "by threads"}, CUPR_GET(row.entry.accesses)},
});

struct ThreadStrideRow {
  PlaceText place;
  const ThreadStride &stride;
};
constexpr auto kThreadStrideFields = std::to_array<Field<ThreadStrideRow>>({
    {{"kernel", Text, "as in the source, with parameters"}, CUPR_GET(row.place.kernel)},
    {{"file", Text, "empty: unknown"}, CUPR_GET(row.place.file)},
    {{"line", Number, "0: unknown"}, CUPR_GET(row.place.line)},
    {{"column", Number, "0: unknown"}, CUPR_GET(row.place.column)},
    {{"operation", Text, "\"load\", \"store\", \"atomic add\" ..."}, CUPR_GET(row.place.operation)},
    {{"backwards", Flag, "the address is lower than the one before"}, CUPR_GET(row.stride.backwards)},
    {{"stride", Bytes, "bytes from the thread's access before, of the same launch"},
     CUPR_GET(row.stride.stride)},
    {{"accesses", Number, "by threads"}, CUPR_GET(row.stride.accesses)},
    {{"bytes", Bytes, "by threads"}, CUPR_GET(row.stride.bytes)},
});

} // namespace

const ResultTable kAddressHistory = {
    {"address_access", "address_history",
     "What a CTA did with an address, by address and superstep; only with --history, and with --communicated "
     "only "
     "what is communication.",
     kColumnsOf<kHistoryFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      if (!of.history)
        return;
      RowSender<kHistoryFields> send(visit);
      of.history->forEach([&](const HistoryEntry &entry) {
        const HistoryRow row{of.idOf(entry.launch), *of.model.moduleOf(of.model.launches()[entry.launch]),
                             entry};
        if (of.results.shown.hasBlock(of.model, entry.launch, entry.cta) &&
            of.results.shown.hasFile(row.module.strings[row.site().file]))
          send(row);
      });
    }};
const ResultTable kThreadStrides = {
    {"thread_stride", "thread_strides",
     "How far a thread's accesses at one place of the source lie from each other; only with "
     "--thread-strides.",
     kColumnsOf<kThreadStrideFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      if (!of.threadStrides)
        return;
      RowSender<kThreadStrideFields> send(visit);
      of.threadStrides->forEach([&](const ThreadStride &stride) {
        const PlaceText place = placeText(of.model, of.results.communication, stride.place);
        if (of.results.shown.hasFile(place.file))
          send({place, stride});
      });
    }};

} // namespace cupr::analysis

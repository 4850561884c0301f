/// The profile: calling contexts of host and device, procedures, kinds of calls, threads, samplings.
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

#define CUPR_KIND_FIELDS(kind, text)                                                                         \
  {{text "_calls", Number, "calls of that kind"}, CUPR_GET(row.of(CallKind::kind).calls)}, {                 \
    {text "_time", Nanoseconds, "that these took"}, CUPR_GET(row.of(CallKind::kind).time)                    \
  }

constexpr auto kFiguresFields = std::to_array<Field<ProfileFigures>>({
    {{"host_time", Nanoseconds, "in calls, and processor time outside of them"}, CUPR_GET(row.hostTime())},
    {{"calls", Number, "of the CUDA API"}, CUPR_GET(row.calls())},
    {{"call_time", Nanoseconds, "that these took"}, CUPR_GET(row.callTime())},
    CUPR_KIND_FIELDS(Launch, "launch"),
    CUPR_KIND_FIELDS(Copy, "copy"),
    CUPR_KIND_FIELDS(Set, "set"),
    CUPR_KIND_FIELDS(Synchronisation, "synchronisation"),
    CUPR_KIND_FIELDS(Allocation, "allocation"),
    CUPR_KIND_FIELDS(Free, "free"),
    CUPR_KIND_FIELDS(Other, "other"),
    {{"wait_time", Nanoseconds,
      "of call_time: until earlier launches were over, in calls that returned only then and do not "
      "synchronise"},
     CUPR_GET(row.waitTime)},
    {{"api_time", Nanoseconds, "of launches on the device, where that is known, and of other calls"},
     CUPR_GET(row.apiTime())},
    {{"launches", Number, "of kernels"}, CUPR_GET(row.launches)},
    {{"device_time", Nanoseconds, "of launches, where it is known"}, CUPR_GET(row.deviceTime)},
    {{"copied_bytes", Bytes, "by copies"}, CUPR_GET(row.copyBytes)},
    {{"set_bytes", Bytes, "by sets"}, CUPR_GET(row.setBytes)},
    {{"allocated_bytes", Bytes, "by allocations"}, CUPR_GET(row.allocatedBytes)},
    {{"accesses", Number, "by threads of the device"}, CUPR_GET(row.accesses)},
    {{"access_bytes", Bytes, "of these"}, CUPR_GET(row.accessBytes)},
    {{"requests", Number, "of warps, to global memory"}, CUPR_GET(row.requests)},
    {{"sectors", Number, "of these"}, CUPR_GET(row.sectors)},
    {{"least_sectors", Number, "sectors if each request's bytes lay side by side"},
     CUPR_GET(row.leastSectors)},
    {{"samples", Number, "of threads of the host"}, CUPR_GET(row.samples)},
    {{"processor_time", Nanoseconds, "that these stand for"}, CUPR_GET(row.processorTime)},
    {{"processor_time_in_calls", Nanoseconds, "of processor_time: used in calls"},
     CUPR_GET(row.processorTimeInCalls)},
    {{"instructions", Number, "executed by warps of the device, where the program was built to record it"},
     CUPR_GET(row.executed.instructions)},
    {{"thread_instructions", Number, "the same, by the threads that were active"},
     CUPR_GET(row.executed.threads)},
});
#undef CUPR_KIND_FIELDS

struct NodeRow {
  std::uint64_t id;
  const ProfileNode &node;
};
constexpr auto kNodeFields = joined(
    std::to_array<Field<NodeRow>>({
        {{"id", Number, "from 0, the program"}, CUPR_GET(row.id)},
        {Column{"parent", Number, "profile_nodes.id; null: it is the program"}.orNull(),
         CUPR_GET(row.id == 0 ? Value() : Value(std::uint64_t{row.node.parent}))},
        {{"depth", Number, "of the program 0"}, CUPR_GET(row.node.depth)},
        {Column{"kind", Text, "what it is"}.oneOf(
             "program|function|signal|unknown code|cut|call|kernel|device function|access|loop"),
         CUPR_GET(contextKindName(row.node.kind))},
        {{"name", Text,
          "of a function, kernel or call; of an access its operation; of a loop its kind: for, while, do or "
          "range-for"},
         CUPR_GET(row.node.name)},
        {{"file", Text, "of a call, an access and a loop; empty: not known"}, CUPR_GET(row.node.file)},
        {{"line", Number, "likewise; 0: not known"}, CUPR_GET(row.node.line)},
        {{"object", Text, "of a function of the host: the ELF file that holds it"},
         CUPR_GET(row.node.object)},
    }),
    fieldsOf<NodeRow, kFiguresFields,
             [](const NodeRow &row) -> const ProfileFigures & { return row.node.own; }, "own_", "own.">(),
    fieldsOf<NodeRow, kFiguresFields,
             [](const NodeRow &row) -> const ProfileFigures & { return row.node.total; }, "total_",
             "total.">(),
    std::to_array<Field<NodeRow>>({
        {{"column", Number, "of a loop; 0: it is none"}, CUPR_GET(row.node.column)},
    }));

struct ProcedureRow {
  const Profile &profile;
  const Procedure &procedure;
};
constexpr auto kProcedureFields = joined(
    std::to_array<Field<ProcedureRow>>({
        {Column{"kind", Text, "what it is"}.oneOf(
             "function|signal|unknown code|cut|call|kernel|device function|loop"),
         CUPR_GET(contextKindName(row.procedure.kind))},
        {{"name", Text, "as in profile_nodes"}, CUPR_GET(row.procedure.name)},
        {{"object", Text, "likewise"}, CUPR_GET(row.procedure.object)},
        {{"cpu_importance", Share, "its processor time less its api_time, of the execution time"},
         CUPR_GET(row.profile.cpuImportance(row.procedure.total))},
        {Column{"api_importance", Share, "its api_time, of the program's; null: there is none"}.orNull(),
         CUPR_GET(row.profile.apiImportance(row.procedure.total))},
    }),
    fieldsOf<ProcedureRow, kFiguresFields,
             [](const ProcedureRow &row) -> const ProfileFigures & { return row.procedure.own; }, "own_",
             "own.">(),
    fieldsOf<ProcedureRow, kFiguresFields,
             [](const ProcedureRow &row) -> const ProfileFigures & { return row.procedure.total; }, "total_",
             "total.">(),
    std::to_array<Field<ProcedureRow>>({
        {{"file", Text, "of a loop, as in profile_nodes; empty: it is none"}, CUPR_GET(row.procedure.file)},
        {{"line", Number, "likewise; 0: it is none"}, CUPR_GET(row.procedure.line)},
        {{"column", Number, "likewise"}, CUPR_GET(row.procedure.column)},
    }));

struct KindRow {
  const Profile &profile;
  CallKind kind;
};
constexpr auto kKindFields = std::to_array<Field<KindRow>>({
    {Column{"kind", Text, "of calls"}.oneOf("launch|copy|set|synchronisation|allocation|free|other"),
     CUPR_GET(callKindName(row.kind))},
    {{"calls", Number, "of that kind"}, CUPR_GET(row.profile.all().of(row.kind).calls)},
    {{"call_time", Nanoseconds, "that these took"}, CUPR_GET(row.profile.all().of(row.kind).time)},
    {{"api_time", Nanoseconds, "of launches on the device, where that is known; of others call_time"},
     CUPR_GET(row.profile.all().apiTime(row.kind))},
    {Column{"api_importance", Share, "api_time of that of all kinds; null: there is none"}.orNull(),
     CUPR_GET(row.profile.apiImportance(row.kind))},
});

constexpr auto kThreadFields =
    joined(std::to_array<Field<ProfileThread>>({
               {{"id", Number, "the kernel's"}, CUPR_GET(row.id)},
               {{"name", Text, "empty: none"}, CUPR_GET(row.name)},
           }),
           fieldsOf<ProfileThread, kFiguresFields,
                    [](const ProfileThread &row) -> const ProfileFigures & { return row.figures; }>());

constexpr auto kSamplingFields = std::to_array<Field<trace::HostSampling>>({
    {{"source", Text, "\"perf_event_open\" or \"timer\""}, CUPR_GET(row.source)},
    {{"period", Nanoseconds, "of processor time between samples, as asked for"}, CUPR_GET(row.period)},
    {{"delivered", Number, "samples"}, CUPR_GET(row.delivered)},
    {{"lost", Number, "samples"}, CUPR_GET(row.lost)},
});

} // namespace

const ResultTable kProfileNodes = {{"profile_node", "profile_nodes",
                                    "A calling context of host and device, with figures of its own, and of "
                                    "all below it. Parents come first.",
                                    kColumnsOf<kNodeFields>},
                                   [](const ResultSource &of, const RowVisitor &visit) {
                                     RowSender<kNodeFields> send(visit);
                                     if (of.results.profile)
                                       for (std::uint64_t id = 0;
                                            const ProfileNode &node : of.results.profile->nodes)
                                         send({id++, node});
                                   }};
const ResultTable kProfileProcedures = {
    {"profile_procedure", "profile_procedures",
     "A function, call or kernel, wherever it is called; what a call of itself did counts once in its total.",
     kColumnsOf<kProcedureFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kProcedureFields> send(visit);
      if (of.results.profile)
        for (const Procedure &procedure : of.results.procedures)
          send({*of.results.profile, procedure});
    }};
const ResultTable kProfileKinds = {{"profile_kind", "profile_kinds",
                                    "Calls of one kind, and how much of the time on the API is theirs.",
                                    kColumnsOf<kKindFields>},
                                   [](const ResultSource &of, const RowVisitor &visit) {
                                     RowSender<kKindFields> send(visit);
                                     if (of.results.profile)
                                       for (std::size_t kind = 0; kind < kCallKinds; ++kind)
                                         send({*of.results.profile, static_cast<CallKind>(kind)});
                                   }};
const ResultTable kProfileThreads = {{"profile_thread", "profile_threads",
                                      "A thread of the host: its calls and samples.",
                                      kColumnsOf<kThreadFields>},
                                     [](const ResultSource &of, const RowVisitor &visit) {
                                       RowSender<kThreadFields> send(visit);
                                       if (of.results.profile)
                                         for (const ProfileThread &thread : of.results.profile->threads)
                                           send(thread);
                                     }};
const ResultTable kProfileSamplings = {
    {"profile_sampling", "profile_samplings", "How samples were taken.", kColumnsOf<kSamplingFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kSamplingFields> send(visit);
      if (of.results.profile)
        for (const trace::HostSampling &sampling : of.results.profile->samplings)
          send(sampling);
    }};

} // namespace cupr::analysis

/// What was executed, by class of instruction, and what that and the bytes moved bound the time to: by kernel, and by line.
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

/// A line: the fields of an access's key that it has.
constexpr std::array kMixLineFields = {kAccessKeyFields[0], kAccessKeyFields[1], kAccessKeyFields[4],
                                       kAccessKeyFields[5], kAccessKeyFields[6]};

/// In front of the fields of a row: its kernel.
template <typename Row> constexpr auto kernelFields() {
  return std::to_array<Field<Row>>({{{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)}});
}
/// Likewise: its kernel and line.
template <typename Row> constexpr auto placeFields() {
  return joined(
      kernelFields<Row>(),
      fieldsOf<Row, kMixLineFields, [](const Row &row) -> const AccessKey & { return *row.line; }>());
}

constexpr auto kExecutedFields = std::to_array<Field<ExecutedCount>>({
    {{"instructions", Number, "executed by warps"}, CUPR_GET(row.instructions)},
    {{"thread_instructions", Number, "the same, by the threads that were active"}, CUPR_GET(row.threads)},
});

struct ClassRow {
  std::string_view kernel;
  const AccessKey *line; ///< null: the kernel as a whole
  std::string_view name;
  const ExecutedCount &count;
};
constexpr auto kClassFields =
    joined(std::to_array<Field<ClassRow>>(
               {{{"class", Text, "of instructions (docs/profile.md)"}, CUPR_GET(row.name)}}),
           fieldsOf<ClassRow, kExecutedFields,
                    [](const ClassRow &row) -> const ExecutedCount & { return row.count; }>());
constexpr auto kKernelClassFields = joined(kernelFields<ClassRow>(), kClassFields);
constexpr auto kLineClassFields = joined(placeFields<ClassRow>(), kClassFields);

struct RooflineRow {
  std::string_view kernel;
  const AccessKey *line; ///< null: the kernel as a whole
  const RooflineWork &work;
  std::optional<RooflineBound> bound;
  const KernelFill *fill = nullptr;       ///< of a kernel
  std::optional<std::uint64_t> time = {}; ///< likewise
  std::optional<double> issueRate = {};   ///< likewise
};
constexpr auto kWorkFields = joined(
    fieldsOf<RooflineRow, kExecutedFields,
             [](const RooflineRow &row) -> const ExecutedCount & { return row.work.executed; }>(),
    std::to_array<Field<RooflineRow>>({
        {{"fp64_operations", Number, "of floating-point numbers, a multiply-add being two"},
         CUPR_GET(row.work.operationsOf("fp64"))},
        {{"fp32_operations", Number, "likewise"}, CUPR_GET(row.work.operationsOf("fp32"))},
        {{"fp16_operations", Number, "likewise, of half precision and bfloat16"},
         CUPR_GET(row.work.operationsOf("fp16") + row.work.operationsOf("bf16"))},
        {{"tensor_operations", Number, "likewise, of tensor cores"},
         CUPR_GET(row.work.operationsOf("tensor."))},
        {{"integer_operations", Number, "likewise, of whole numbers; addresses are none"},
         CUPR_GET(row.work.operationsOf("int"))},
        {{"shared_bytes", Bytes, "moved by threads to and from shared memory"},
         CUPR_GET(row.work.sharedBytes)},
        {{"l1_bytes", Bytes, "sectors of global memory that L1 was asked for"}, CUPR_GET(row.work.l1Bytes)},
        {{"l2_bytes", Bytes, "likewise L2, by the model of caches"}, CUPR_GET(row.work.l2Bytes)},
        {{"memory_bytes", Bytes, "that L2 reads from memory and writes there, by the model of caches"},
         CUPR_GET(row.work.memoryBytes)},
        {Column{"limit", Text,
                "what bounds the time from below: dram, l2, l1, shared, or a precision; null: no ceilings "
                "are known"}
             .orNull(),
         CUPR_GET(row.bound ? valueOf(row.bound->limit) : Value())},
        {Column{"least_time", Seconds, "that the limit alone takes"}.orNull(),
         CUPR_GET(row.bound ? valueOf(row.bound->seconds) : Value())},
    }));
constexpr auto kRooflineKernelFields = joined(
    kernelFields<RooflineRow>(), kWorkFields,
    std::to_array<Field<RooflineRow>>({
        {{"occupancy", Share, "warps that are on a multiprocessor at a time, of as many as it can have"},
         CUPR_GET(row.fill->occupancy)},
        {{"active_multiprocessors", Share, "that have blocks, if all blocks take the same time"},
         CUPR_GET(row.fill->multiprocessors)},
        {Column{"time", Nanoseconds, "of the kernel's launches, untraced; null: not known"}.orNull(),
         CUPR_GET(row.time)},
        {Column{"issue_rate", Real, "instructions of a warp scheduler in each cycle; null: not known"}
             .orNull(),
         CUPR_GET(row.issueRate)},
    }));
constexpr auto kRooflineLineFields = joined(placeFields<RooflineRow>(), kWorkFields);

struct CeilingRow {
  std::string_view limit;
  const char *unit;
  double rate;
};
constexpr auto kCeilingFields = std::to_array<Field<CeilingRow>>({
    {{"limit", Text, "a level of memory (dram, l2, l1, shared), or a precision"}, CUPR_GET(row.limit)},
    {Column{"unit", Text, "of what"}.oneOf("bytes|operations"), CUPR_GET(row.unit)},
    {{"rate", Real, "so many in each second"}, CUPR_GET(row.rate)},
});

} // namespace

const ResultTable kInstructionKernels = {
    {"instruction_kernel", "instruction_kernels", "Executed instructions by kernel and class.",
     kColumnsOf<kKernelClassFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kKernelClassFields> send(visit);
      for (const auto &[kernel, mix] : sumsOfKernels(of.results.instructions))
        for (const auto &[name, count] : mix)
          send({of.model.launches()[kernel].kernel, nullptr, name, count});
    }};
const ResultTable kInstructionLines = {
    {"instruction_line", "instruction_lines",
     "Executed instructions by kernel, line, the calls that led there, and class.",
     kColumnsOf<kLineClassFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kLineClassFields> send(visit);
      for (const auto &[key, mix] : of.results.instructions)
        for (const auto &[name, count] : mix)
          send({of.model.launches()[key.kernel].kernel, &key, name, count});
    }};
const ResultTable kRooflineKernels = {
    {"roofline_kernel", "roofline_kernels",
     "What bounds the time of each kernel: its operations and the bytes that it moves.",
     kColumnsOf<kRooflineKernelFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kRooflineKernelFields> send(visit);
      const Roofline &roofline = *of.results.roofline;
      for (const auto &[kernel, work] : sumsOfKernels(roofline.lines))
        send({of.model.launches()[kernel].kernel, nullptr, work, roofline.boundOf(work),
              &roofline.fill.at(kernel), roofline.timeOf(kernel), roofline.issueRate(kernel, work)});
    }};
const ResultTable kRooflineLines = {
    {"roofline_line", "roofline_lines", "Likewise of each line, by the calls that led there.",
     kColumnsOf<kRooflineLineFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kRooflineLineFields> send(visit);
      const Roofline &roofline = *of.results.roofline;
      for (const auto &[key, work] : roofline.lines)
        send({of.model.launches()[key.kernel].kernel, &key, work, roofline.boundOf(work)});
    }};
const ResultTable kRooflineCeilings = {{"roofline_ceiling", "roofline_ceilings",
                                        "What the GPU can do at most, as it was measured.",
                                        kColumnsOf<kCeilingFields>},
                                       [](const ResultSource &of, const RowVisitor &visit) {
                                         RowSender<kCeilingFields> send(visit);
                                         if (const auto &ceilings = of.results.roofline->ceilings) {
                                           for (const auto &[level, rate] : ceilings->bandwidth)
                                             send({level, "bytes", rate});
                                           for (const auto &[precision, rate] : ceilings->throughput)
                                             send({precision, "operations", rate});
                                         }
                                       }};

} // namespace cupr::analysis

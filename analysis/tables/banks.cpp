/// What the banks of shared memory made of accesses: by place in the source, and by kernel.
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

constexpr auto kBankFields = std::to_array<Field<BankCost>>({
    {{"accesses", Number, "by threads"}, CUPR_GET(row.threads)},
    {{"requests", Number, "accesses of warps, in parts of 16 bytes at most"}, CUPR_GET(row.made.requests)},
    {{"wavefronts", Number, "that the banks need for them"}, CUPR_GET(row.made.wavefronts)},
    {{"ideal_wavefronts", Number, "that they would need without conflicts"},
     CUPR_GET(row.made.idealWavefronts)},
    {{"excess_wavefronts", Number, "wavefronts - ideal_wavefronts"}, CUPR_GET(row.made.excess())},
    {{"word_wavefronts", Number, "wavefronts, if atomics of one word went together, as those do that add 1"},
     CUPR_GET(row.made.wordWavefronts)},
    {{"conflicted_requests", Number, "requests that need more than without conflicts"},
     CUPR_GET(row.made.conflicted)},
    {{"worst_conflict", Number,
      "of all requests, how often one bank had to give or take a word at most; 1: no conflicts"},
     CUPR_GET(row.made.worst)},
    {{"variables", Texts,
      "shared variables that are accessed, by name, as far as the trace says where they lie"},
     CUPR_GET(row.variables)},
});

struct BankAccessRow {
  std::string_view kernel;
  const AccessKey &key;
  const BankCost &cost;
};
constexpr auto kBankAccessFields =
    joined(std::to_array<Field<BankAccessRow>>({{{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)}}),
           fieldsOf<BankAccessRow, kAccessKeyFields,
                    [](const BankAccessRow &row) -> const AccessKey & { return row.key; }>(),
           fieldsOf<BankAccessRow, kBankFields,
                    [](const BankAccessRow &row) -> const BankCost & { return row.cost; }>());

struct BankKernelRow {
  std::string_view kernel;
  const BankCost &cost;
};
constexpr auto kBankKernelFields =
    joined(std::to_array<Field<BankKernelRow>>({{{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)}}),
           fieldsOf<BankKernelRow, kBankFields,
                    [](const BankKernelRow &row) -> const BankCost & { return row.cost; }>());

} // namespace

const ResultTable kBankAccesses = {{"bank_access", "bank_accesses",
                                    "Accesses of shared memory by kernel, and by the calls that led there.",
                                    kColumnsOf<kBankAccessFields>},
                                   [](const ResultSource &of, const RowVisitor &visit) {
                                     RowSender<kBankAccessFields> send(visit);
                                     for (const auto &[key, cost] : of.results.banks)
                                       send({of.model.launches()[key.kernel].kernel, key, cost});
                                   }};
const ResultTable kBankKernels = {
    {"bank_kernel", "bank_kernels", "Accesses of shared memory by kernel.", kColumnsOf<kBankKernelFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kBankKernelFields> send(visit);
      for (const auto &[kernel, cost] : sumsOfKernels(of.results.banks))
        send({of.model.launches()[kernel].kernel, cost});
    }};

} // namespace cupr::analysis

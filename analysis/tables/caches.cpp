/// What a model of a GPU's caches made of accesses: by place in the source, by kernel, and by allocation.
#include "table.h"

namespace cupr::analysis {

namespace {

using enum ColumnType;

constexpr auto kCacheFields = std::to_array<Field<CacheFigures>>({
    {{"loads", Number, "sectors of 32 bytes that loads looked up in L1"}, CUPR_GET(row.loads)},
    {{"load_hits", Number, "of loads: they were there, or on their way"}, CUPR_GET(row.loadHits)},
    {{"stores", Number, "sectors that stores looked up in L1"}, CUPR_GET(row.stores)},
    {{"store_hits", Number, "of stores"}, CUPR_GET(row.storeHits)},
    {{"uncached", Number, "sectors of atomics and volatile loads, which L1 has no part in"},
     CUPR_GET(row.atomics)},
    {{"l1_hit_rate", Share, "load_hits and store_hits of all sectors"},
     CUPR_GET(shareOf(row.l1Hits(), row.l1Sectors()))},
    {{"l2_reads", Number, "sectors that L2 was asked for"}, CUPR_GET(row.reads)},
    {{"l2_read_hits", Number, "of l2_reads"}, CUPR_GET(row.readHits)},
    {{"l2_writes", Number, "sectors that came to L2; all count as hits"}, CUPR_GET(row.writes)},
    {{"l2_atomics", Number, "likewise"}, CUPR_GET(row.l2Atomics)},
    {{"l2_atomic_hits", Number, "of l2_atomics"}, CUPR_GET(row.l2AtomicHits)},
    {{"l2_hit_rate", Share, "hits of all sectors that came to L2"},
     CUPR_GET(shareOf(row.l2Hits(), row.l2Sectors()))},
    {{"memory_read_bytes", Bytes, "that L2 read from memory"}, CUPR_GET(row.memoryReadBytes())},
    {{"memory_write_bytes", Bytes, "that L2 writes to memory, at some time"},
     CUPR_GET(row.memoryWriteBytes())},
});

struct CacheAccessRow {
  std::string_view kernel;
  const AccessKey &key;
  const CacheFigures &made;
};
constexpr auto kCacheAccessFields =
    joined(std::to_array<Field<CacheAccessRow>>({{{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)}}),
           fieldsOf<CacheAccessRow, kAccessKeyFields,
                    [](const CacheAccessRow &row) -> const AccessKey & { return row.key; }>(),
           fieldsOf<CacheAccessRow, kCacheFields,
                    [](const CacheAccessRow &row) -> const CacheFigures & { return row.made; }>());

struct CacheKernelRow {
  std::string_view kernel;
  const CacheFigures &made;
};
constexpr auto kCacheKernelFields =
    joined(std::to_array<Field<CacheKernelRow>>({{{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)}}),
           fieldsOf<CacheKernelRow, kCacheFields,
                    [](const CacheKernelRow &row) -> const CacheFigures & { return row.made; }>());

struct CacheAllocationRow {
  const AllocationInfo *info; ///< null: memory in no known allocation
  const CacheFigures &made;
};
constexpr auto kCacheAllocationFields =
    joined(std::to_array<Field<CacheAllocationRow>>({
               {Column{"ordinal", Number, "from 0; null: memory in no known allocation"}.orNull(),
                CUPR_GET(row.info ? valueOf(row.info->ordinal) : Value())},
               {{"name", Text, "of the variable"},
                CUPR_GET(row.info ? std::string_view(row.info->allocation.name) : "")},
               {{"bytes", Bytes, "size"}, CUPR_GET(row.info ? row.info->allocation.bytes : std::uint64_t{0})},
           }),
           fieldsOf<CacheAllocationRow, kCacheFields,
                    [](const CacheAllocationRow &row) -> const CacheFigures & { return row.made; }>());

} // namespace

const ResultTable kCacheAccesses = {{"cache_access", "cache_accesses",
                                     "Accesses of global memory in the model of caches, by kernel, and by "
                                     "the calls that led there.",
                                     kColumnsOf<kCacheAccessFields>},
                                    [](const ResultSource &of, const RowVisitor &visit) {
                                      RowSender<kCacheAccessFields> send(visit);
                                      for (const auto &[key, made] : of.results.caches.accesses)
                                        send({of.model.launches()[key.kernel].kernel, key, made});
                                    }};
const ResultTable kCacheKernels = {
    {"cache_kernel", "cache_kernels", "Accesses of global memory in the model of caches, by kernel.",
     kColumnsOf<kCacheKernelFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kCacheKernelFields> send(visit);
      for (const auto &[kernel, made] : sumsOfKernels(of.results.caches.accesses))
        send({of.model.launches()[kernel].kernel, made});
    }};
const ResultTable kCacheAllocations = {
    {"cache_allocation", "cache_allocations",
     "Accesses of global memory in the model of caches, by allocation.", kColumnsOf<kCacheAllocationFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kCacheAllocationFields> send(visit);
      const std::vector<AllocationInfo> &known = of.model.allocations();
      for (const auto &[allocation, made] : of.results.caches.allocations)
        send({allocation < known.size() ? &known[allocation] : nullptr, made});
    }};

} // namespace cupr::analysis

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

/// Null: memory in no known allocation.
using AllocationOrNone = const AllocationInfo *;
constexpr auto kAllocationFields = std::to_array<Field<AllocationOrNone>>({
    {Column{"ordinal", Number, "from 0; null: memory in no known allocation"}.orNull(),
     CUPR_GET(row ? valueOf(row->ordinal) : Value())},
    {{"name", Text, "of the variable"}, CUPR_GET(row ? std::string_view(row->allocation.name) : "")},
    {{"bytes", Bytes, "size"}, CUPR_GET(row ? row->allocation.bytes : std::uint64_t{0})},
});
AllocationOrNone allocationAt(const ResultSource &of, std::uint32_t index) {
  const std::vector<AllocationInfo> &known = of.model.allocations();
  return index < known.size() ? &known[index] : nullptr;
}

struct CacheAllocationRow {
  AllocationOrNone info;
  const CacheFigures &made;
};
constexpr auto kCacheAllocationFields =
    joined(fieldsOf<CacheAllocationRow, kAllocationFields,
                    [](const CacheAllocationRow &row) -> const AllocationOrNone & { return row.info; }>(),
           fieldsOf<CacheAllocationRow, kCacheFields,
                    [](const CacheAllocationRow &row) -> const CacheFigures & { return row.made; }>());

constexpr auto kReuseFields = std::to_array<Field<CacheReuse>>({
    {{"l1_first", Number,
      "sectors that loads asked L1 for, for the first time in their launch on their multiprocessor"},
     CUPR_GET(row.l1.first)},
    {{"l2_first", Number, "sectors that loads and atomics asked L2 for, for the first time"},
     CUPR_GET(row.l2.first)},
    {{"pages", Number, "pages of 2 MiB that requests asked the multiprocessor's TLB for"},
     CUPR_GET(row.pages)},
    {{"page_hits", Number, "of pages: it had them"}, CUPR_GET(row.pageHits)},
    {Column{"l1_again", Numbers,
            "sectors that an L1 of 2^i lines of 128 bytes would have, and one of half the size would not"}
         .inJson(),
     CUPR_GET(row.l1.again)},
    {Column{"l2_again", Numbers, "likewise, of L2"}.inJson(), CUPR_GET(row.l2.again)},
});

struct ReuseRow {
  std::string_view kernel;
  const AccessKey &key;
  const CacheReuse &reuse;
};
constexpr auto kCacheReuseFields = joined(
    std::to_array<Field<ReuseRow>>({{{"kernel", Text, "kernels.name"}, CUPR_GET(row.kernel)}}),
    fieldsOf<ReuseRow, kAccessKeyFields, [](const ReuseRow &row) -> const AccessKey & { return row.key; }>(),
    fieldsOf<ReuseRow, kReuseFields, [](const ReuseRow &row) -> const CacheReuse & { return row.reuse; }>());

struct AllocationReuseRow {
  AllocationOrNone info;
  const CacheReuse &reuse;
};
constexpr auto kAllocationReuseFields =
    joined(fieldsOf<AllocationReuseRow, kAllocationFields,
                    [](const AllocationReuseRow &row) -> const AllocationOrNone & { return row.info; }>(),
           fieldsOf<AllocationReuseRow, kReuseFields,
                    [](const AllocationReuseRow &row) -> const CacheReuse & { return row.reuse; }>());

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
const ResultTable kCacheAllocations = {{"cache_allocation", "cache_allocations",
                                        "Accesses of global memory in the model of caches, by allocation.",
                                        kColumnsOf<kCacheAllocationFields>},
                                       [](const ResultSource &of, const RowVisitor &visit) {
                                         RowSender<kCacheAllocationFields> send(visit);
                                         for (const auto &[allocation, made] : of.results.caches.allocations)
                                           send({allocationAt(of, allocation), made});
                                       }};
const ResultTable kCacheReuse = {
    {"cache_reuse", "cache_reuses",
     "How soon accesses of global memory are made again, by kernel, and by the calls that led there.",
     kColumnsOf<kCacheReuseFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kCacheReuseFields> send(visit);
      for (const auto &[key, reuse] : of.results.caches.reuse)
        send({of.model.launches()[key.kernel].kernel, key, reuse});
    }};
const ResultTable kCacheAllocationReuse = {
    {"cache_allocation_reuse", "cache_allocation_reuses",
     "How soon accesses of an allocation are made again.", kColumnsOf<kAllocationReuseFields>},
    [](const ResultSource &of, const RowVisitor &visit) {
      RowSender<kAllocationReuseFields> send(visit);
      for (const auto &[allocation, reuse] : of.results.caches.allocationReuse)
        send({allocationAt(of, allocation), reuse});
    }};

} // namespace cupr::analysis

/// The tables and columns themselves. docs/analysis.md defines the figures.
#include "result_kinds.h"

#include "schema.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

using enum ColumnType;
constexpr bool kOptional = true;

#define CUPR_COUNTS                                                                                          \
  {"loads", Number, "by threads"}, {"stores", Number, "by threads"}, {"atomics", Number, "by threads"},      \
      {"load_bytes", Number, "by threads"}, {"store_bytes", Number, "by threads"},                           \
      {"atomic_bytes", Number, "by threads"}

constexpr Column kProgram[] = {
    {"program", Text, "path of the executable"},
    {"arguments", Texts, "of the program, its name first"},
    {"device_kind", Text, "\"gpu\" or \"cpu\""},
    {"device_name", Text, "as the CUDA runtime calls it"},
    {"not_whole", Text, "where and why the trace stops early, or what a repair found missing", kOptional},
    {"incomplete_launches", Number, "not traced, or not completely"},
    CUPR_COUNTS,
    {"unique_read_bytes", Number, "distinct bytes per launch, summed"},
    {"unique_written_bytes", Number, "distinct bytes per launch, summed"},
    {"host_written_bytes", Number, "by copies and sets"},
    {"communicated_bytes", Number, "of unique_written_bytes and copied_bytes: a later launch read them"},
    {"share", Real, "communicated_bytes / (unique_written_bytes + copied_bytes)"},
    {"same_index_bytes", Number, "of communicated_bytes: read by the CTA of the same index"},
    {"other_index_bytes", Number, "of communicated_bytes: read by a CTA of another index"},
    {"handed_on_bytes", Number,
     "of communicated_bytes: read by a CTA of another index, or by another kernel"},
    {"concurrent_bytes", Number, "read by launches that nothing orders after the writer"},
    {"to_host_bytes", Number, "of unique_written_bytes and copied_bytes: the host read them"},
    {"from_host_bytes", Number, "of host_written_bytes: a launch read them"},
    {"handed_on_share", Real, "handed_on_bytes / (unique_written_bytes + copied_bytes)"},
    {"possibly_overwritten_bytes", Number, "of communicated_bytes"},
    {"to_host_possibly_overwritten_bytes", Number, "of to_host_bytes"},
    {"from_host_possibly_overwritten_bytes", Number, "of from_host_bytes"},
    {"copied_bytes", Number, "of what launches wrote, within the device"},
    {"of_last_producer_bytes", Number, "with so many producers that the last writer stands for all"},
};
constexpr Column kKernelVolume[] = {
    {"kernel", Text, "as in the source, with parameters"},
    {"superstep", Number, "from 0"},
    {"launches", Number, "of the kernel in the superstep"},
    {"load_bytes", Number, "by threads, atomics included"},
    {"store_bytes", Number, "by threads, atomics included"},
    {"communicated_load_bytes", Number, "distinct bytes read that earlier launches wrote"},
    {"communicated_store_bytes", Number, "distinct bytes written that later launches read"},
    {"handed_on_load_bytes", Number, "of communicated_load_bytes: of another CTA or another kernel"},
    {"handed_on_store_bytes", Number, "of communicated_store_bytes: to another CTA or another kernel"},
    {"read_by_threads_bytes", Number, "of threads' reads of what earlier launches wrote"},
};
constexpr Column kLaunch[] = {
    {"id", Number, "from 1, in the order of the calls; of phases but the first: behind all launches'"},
    {"kernel", Text, "as in the source, with parameters"},
    {"grid_x", Number, "blocks"},
    {"grid_y", Number, "blocks"},
    {"grid_z", Number, "blocks"},
    {"block_x", Number, "threads"},
    {"block_y", Number, "threads"},
    {"block_z", Number, "threads"},
    {"stream", Number, "never reused"},
    {"device", Number, "index"},
    {"superstep", Number, "from 0"},
    {"traced", Flag, "its accesses are recorded"},
    {"complete", Flag, "all of its records are there"},
    {"time", Number, "of the call, nanoseconds"},
    {"end_time", Number, "when all records had arrived; null: no end in the trace", kOptional},
    CUPR_COUNTS,
    {"unique_read_bytes", Number, "distinct bytes"},
    {"unique_written_bytes", Number, "distinct bytes"},
    {"read_from_launches_bytes", Number, "of unique_read_bytes"},
    {"read_from_host_bytes", Number, "of unique_read_bytes"},
    {"read_by_launches_bytes", Number, "of unique_written_bytes and copied_bytes"},
    {"read_by_host_bytes", Number, "of unique_written_bytes and copied_bytes"},
    {"stream_superstep", Number, "launches of its stream before it"},
    {"read_handed_on_bytes", Number, "of read_from_launches_bytes"},
    {"handed_on_bytes", Number, "of read_by_launches_bytes"},
    {"read_by_threads_bytes", Number, "of threads' reads of what earlier launches wrote"},
    {"read_possibly_overwritten_bytes", Number, "of read_from_launches_bytes and read_from_host_bytes"},
    {"possibly_overwritten_bytes", Number, "of read_by_launches_bytes"},
    {"copied_bytes", Number, "of what it wrote, within the device"},
    {"number", Number, "the program's; phases of one launch share it"},
    {"phase", Number, "between barriers of the grid, from 0"},
};
constexpr Column kSuperstep[] = {
    {"superstep", Number, "from 0"},
    {"launches", Number, "that share it"},
    {"load_bytes", Number, "distinct bytes read that earlier launches wrote"},
    {"store_bytes", Number, "distinct bytes written that later launches read"},
    {"transfer_bytes", Number, "of all transfers to its CTAs"},
    {"out_ctas", Number, "CTAs that others read from"},
    {"out_mean", Real, "number of their readers"},
    {"out_deviation", Real, "standard deviation"},
    {"in_ctas", Number, "CTAs that read from others"},
    {"in_mean", Real, "number of those they read from"},
    {"in_deviation", Real, "standard deviation"},
    {"read_by_threads_bytes", Number, "of threads' reads of what earlier launches wrote"},
    {"handed_on_load_bytes", Number, "of load_bytes"},
    {"handed_on_store_bytes", Number, "of store_bytes"},
    {"read_possibly_overwritten_bytes", Number, "of what its launches read of launches and the host"},
};
constexpr Column kCtaVolume[] = {
    {"launch", Number, "launches.id"},
    {"cta", Number, "linear number"},
    {"cta_x", Number, "block"},
    {"cta_y", Number, "block"},
    {"cta_z", Number, "block"},
    {"sm", Number, "multiprocessor"},
    {"accesses", Number, "by threads"},
    {"load_bytes", Number, "by threads, atomics included"},
    {"store_bytes", Number, "by threads, atomics included"},
    {"received_bytes", Number, "of transfers from earlier launches"},
    {"sent_bytes", Number, "of transfers to later launches; a byte counts for each CTA that reads it"},
    {"communicated_store_bytes", Number, "distinct bytes written that later launches read"},
};
constexpr Column kSmVolume[] = {
    {"launch", Number, "launches.id"},
    {"sm", Number, "multiprocessor"},
    {"ctas", Number, "that ran there"},
    {"accesses", Number, "by threads"},
    {"load_bytes", Number, "by threads, atomics included"},
    {"store_bytes", Number, "by threads, atomics included"},
    {"received_bytes", Number, "by its CTAs, of transfers from earlier launches"},
    {"sent_bytes", Number, "by its CTAs, of transfers to later launches"},
    {"communicated_store_bytes", Number, "distinct bytes written by its CTAs that later launches read"},
};
constexpr Column kTransfer[] = {
    {"kind", Text, "RAW, WAR or WAW"},
    {"dependence_order", Text,
     "\"ordered\", \"concurrent\" or \"insideLaunch\"; communication is RAW and ordered"},
    {"source", Number, "launches.id of the first access; null: the host", kOptional},
    {"source_cta", Number, "linear number; 0 for the host"},
    {"destination", Number, "launches.id of the second access; null: the host", kOptional},
    {"destination_cta", Number, "linear number; 0 for the host"},
    {"bytes", Number, "distinct"},
    {"operations", Number, "reads by threads; 0 but for RAW"},
};
constexpr Column kLaunchPair[] = {
    {"source", Number, "launches.id of the writer; null: the host", kOptional},
    {"destination", Number, "launches.id of the reader; null: the host", kOptional},
    {"bytes", Number, "distinct"},
    {"same_index_bytes", Number, "read by the CTA of the writer's index"},
    {"other_index_bytes", Number, "read by another CTA"},
    {"operations", Number, "reads by threads"},
    {"cta_pairs", Number, "that take part"},
    {"possibly_overwritten_bytes", Number, "of bytes; 0 where the host read them"},
};
constexpr Column kDistance[] = {
    {"distance", Number, "supersteps between write and read; 0: the next"},
    {"bytes", Number, "distinct per pair of launches"},
    {"operations", Number, "reads by threads"},
};
constexpr Column kTransferSize[] = {
    {"bytes", Number, "of one transfer"},
    {"transfers", Number, "of this size"},
};
constexpr Column kDegree[] = {
    {"direction", Text,
     "\"in\", \"out\", or without partners of the same index \"otherIn\", \"otherOut\", or "
     "without those of the same index and kernel \"handedOnIn\", \"handedOnOut\""},
    {"partners", Number, "CTAs"},
    {"ctas", Number, "that have so many"},
};
constexpr Column kStride[] = {
    {"direction", Text,
     "\"loads\" or \"stores\" of communicated data; of what is handed on \"handedOnLoads\", "
     "\"handedOnStores\""},
    {"stride", Number, "bytes between neighbouring threads"},
    {"bytes", Number, "with this stride"},
};
constexpr Column kBisection[] = {
    {"dimension", Text, "\"x\", \"y\" or \"z\""},
    {"bytes", Number, "of transfers between the halves"},
    {"relative", Real, "of all transfers"},
};
constexpr Column kDependence[] = {
    {"kind", Text, "RAW, WAR or WAW"},
    {"dependence_order", Text, "\"ordered\", \"concurrent\" or \"insideLaunch\""},
    {"first_kernel", Text, "\"host\": a copy or a set"},
    {"first_file", Text, "empty: unknown"},
    {"first_line", Number, "0: unknown"},
    {"first_operation", Text, "\"load\", \"store\", \"atomic add\" ..."},
    {"second_kernel", Text, "\"host\": a copy or a set"},
    {"second_file", Text, "empty: unknown"},
    {"second_line", Number, "0: unknown"},
    {"second_operation", Text, "\"load\", \"store\", \"atomic add\" ..."},
    {"bytes", Number, "RAW: of the threads' accesses; else distinct bytes per launch"},
    {"same_index_bytes", Number, "of bytes"},
    {"other_index_bytes", Number, "of bytes"},
    {"first_column", Number, "0: unknown"},
    {"second_column", Number, "0: unknown"},
};
constexpr Column kAllocation[] = {
    {"ordinal", Number, "from 0; null: memory in no known allocation", kOptional},
    {"name", Text, "of the variable"},
    {"call", Text, "that made it"},
    {"kind", Text, "of memory"},
    {"address", Number, "first byte"},
    {"bytes", Number, "size"},
    {"freed", Flag, "before the program's end"},
    CUPR_COUNTS,
    {"unique_read_bytes", Number, "distinct bytes per launch, summed"},
    {"unique_written_bytes", Number, "distinct bytes per launch, summed"},
    {"communicated_bytes", Number, "of unique_written_bytes and copied_bytes"},
    {"copied_bytes", Number, "into it, of what launches wrote"},
};
constexpr Column kLine[] = {
    {"file", Text, "empty: unknown"},
    {"line", Number, "0: unknown"},
    {"functions", Texts, "that hold the accesses"},
    CUPR_COUNTS,
    {"requests", Number, "accesses of warps"},
    {"sectors", Number, "of 32 bytes, distinct per request, summed"},
    {"least_sectors", Number, "if each request's bytes lay side by side"},
    {"communicated_bytes", Number, "distinct bytes written here that a later launch read"},
    {"read_communicated_bytes", Number, "read here by threads that an earlier launch had written"},
};
constexpr Column kFinding[] = {
    {"id", Text, "of the rule"},
    {"title", Text, "what is the matter"},
    {"advice", Text, "what to do"},
    {"kernel", Text, "empty: no single one"},
    {"file", Text, "empty: none"},
    {"line", Number, "0: none"},
    {"amount", Number, "the cost"},
    {"unit", Text, "of amount"},
    {"share", Real, "amount, of all of this unit in the program"},
    {"column", Number, "of the access; 0: none"},
    {"operation", Text, "\"load\", \"store\" or \"atomic\"; empty: no single access"},
};
constexpr Column kAdvisorCut[] = {
    {"id", Number, "from 0"},
    {"devices", Number, "GPUs"},
    {"cut", Text, "\"x\", \"y\", \"z\", \"block\", \"cyclic\" or \"graph\""},
    {"tiles_x", Number, "parts"},
    {"tiles_y", Number, "parts"},
    {"tiles_z", Number, "parts"},
    {"best", Flag, "of this number of GPUs"},
    {"crossing_bytes", Number, "between GPUs"},
    {"crossing_once_bytes", Number, "if each GPU kept what it has read until it is written again"},
    {"crossing_share", Real, "of the bytes of all transfers"},
    {"read_from_host_bytes", Number,
     "that the host wrote: once for each GPU that reads them, until they are written again"},
    {"inside_launches_bytes", Number, "of dependences inside a launch between CTAs on different GPUs"},
    {"memory_bytes", Number, "of the GPU that needs most"},
    {"balance", Real, "bytes accessed by the busiest GPU / mean"},
    {"access_balance", Real, "accesses of the busiest GPU / mean"},
    {"parallelism", Real, "how much faster the work would be if nothing had to cross"},
    {"seconds", Real, "on the link"},
    {"speedup", Real, "over one GPU; null without --kernel-time", kOptional},
};
constexpr Column kAdvisorSuperstep[] = {
    {"cut", Number, "advisor_cuts.id"},
    {"superstep", Number, "of the readers"},
    {"crossing_bytes", Number, "between GPUs"},
};
constexpr Column kAdvisorInside[] = {
    {"cut", Number, "advisor_cuts.id"},
    {"kernel", Text, ""},
    {"bytes", Number, "of dependences inside its launches between CTAs on different GPUs"},
};
constexpr Column kAdvisorAtomic[] = {
    {"kernel", Text, ""},
    {"file", Text, "empty: unknown"},
    {"line", Number, "0: unknown"},
    {"column", Number, "0: unknown"},
    {"bytes", Number, "of dependences inside a launch between CTAs that it is an end of"},
};
constexpr Column kAdvisorPart[] = {
    {"devices", Number, "GPUs"},
    {"grid_x", Number, "CTAs"},
    {"grid_y", Number, "CTAs"},
    {"grid_z", Number, "CTAs"},
    {"cta", Number, "linear number in launches with this grid"},
    {"device", Number, "the GPU, from 0"},
};
constexpr Column kAddressAccess[] = {
    {"address", Number, "first byte of the access"},
    {"superstep", Number, "from 0"},
    {"launch", Number, "launches.id"},
    {"cta", Number, "linear number"},
    {"operation", Text, "\"load\", \"store\", \"atomic add\" ..."},
    {"file", Text, "empty: unknown"},
    {"line", Number, "0: unknown"},
    {"bytes", Number, "of each access"},
    {"accesses", Number, "by threads"},
};

constexpr Column kThreadStride[] = {
    {"kernel", Text, "as in the source, with parameters"},
    {"file", Text, "empty: unknown"},
    {"line", Number, "0: unknown"},
    {"column", Number, "0: unknown"},
    {"operation", Text, "\"load\", \"store\", \"atomic add\" ..."},
    {"backwards", Flag, "the address is lower than the one before"},
    {"stride", Number, "bytes from the thread's access before, of the same launch"},
    {"accesses", Number, "by threads"},
    {"bytes", Number, "by threads"},
};
constexpr Column kCtaStride[] = {
    {"launch", Number, "launches.id"},     {"cta", Number, "linear number"},
    {"direction", Text, "as in strides"},  {"stride", Number, "bytes between neighbouring threads"},
    {"bytes", Number, "with this stride"},
};
#undef CUPR_COUNTS

} // namespace

const RowKind kResultKinds[kResultKindCount] = {
    {"program", "programs", "The whole run; one row.", kProgram},
    {"kernel_volume", "kernel_volumes", "What a kernel accessed in a superstep, and its communication.",
     kKernelVolume},
    {"launch", "launches", "A kernel launch.", kLaunch},
    {"superstep", "supersteps", "Launches with the same longest chain of launches before them.", kSuperstep},
    {"cta_volume", "cta_volumes", "What a CTA of a launch accessed, and its communication.", kCtaVolume},
    {"sm_volume", "sm_volumes", "The same of an SM.", kSmVolume},
    {"transfer", "transfers", "What connects two CTAs: the transfer map.", kTransfer},
    {"launch_pair", "launch_pairs", "What one launch wrote and a later one read.", kLaunchPair},
    {"distance", "distances", "Communication by superstep distance.", kDistance},
    {"transfer_size", "transfer_sizes", "Transfers between launches by size.", kTransferSize},
    {"degree", "degrees", "CTAs by their number of partners.", kDegree},
    {"stride", "strides", "Communicated bytes by stride.", kStride},
    {"bisection", "bisections", "Transfers across the middle of the grids.", kBisection},
    {"dependence", "dependences", "Bytes by two places in the source.", kDependence},
    {"allocation", "allocations", "Accesses by allocation.", kAllocation},
    {"line", "lines", "Accesses by source line.", kLine},
    {"finding", "findings", "What costs most.", kFinding},
    {"advisor_cut", "advisor_cuts", "A way to share the CTAs between GPUs.", kAdvisorCut},
    {"advisor_superstep", "advisor_supersteps", "What crosses in a superstep.", kAdvisorSuperstep},
    {"advisor_inside", "advisor_inside", "What GPUs exchange inside launches of a kernel.", kAdvisorInside},
    {"advisor_atomic", "advisor_atomics", "An atomic access that CTAs of one launch share.", kAdvisorAtomic},
    {"advisor_part", "advisor_parts",
     "Where the partition of the graph of CTAs puts a CTA; only with --parts.", kAdvisorPart},
    {"address_access", "address_history",
     "What a CTA did with an address, by address and superstep; only with --history, and with --communicated "
     "only what is "
     "communication.",
     kAddressAccess},
    {"thread_stride", "thread_strides",
     "How far a thread's accesses at one place of the source lie from each other; only with "
     "--thread-strides.",
     kThreadStride},
    {"cta_stride", "cta_strides", "Communicated bytes by stride, of each CTA of a launch.", kCtaStride},
};

std::string resultSqlSchema() {
  std::string text = "-- What `cupranalyze results --format=sqlite` writes. Made by `cupranalyze results "
                     "--schema=sqlite`: don't edit.\n"
                     "-- Numbers beyond 2^63 stand there as negative ones, less 2^64.\n";
  for (const RowKind &kind : kResultKinds)
    text += sqlTable(kind);
  return text;
}

std::string resultSqlIndices() {
  return fmt::format("CREATE INDEX {0}_by_destination ON {0} (destination, destination_cta);\n"
                     "CREATE INDEX {0}_by_source ON {0} (source, source_cta);\n"
                     "CREATE INDEX {1}_by_address ON {1} (address, superstep);\n",
                     resultKind(ResultKindId::Transfer).table, resultKind(ResultKindId::AddressAccess).table);
}

std::string resultMarkdown() {
  std::string text;
  for (const RowKind &kind : kResultKinds)
    text += markdownTable(kind);
  return text;
}

} // namespace cupr::analysis

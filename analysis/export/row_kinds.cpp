/// The kinds and columns themselves.
#include "row_kinds.h"

#include <cctype>

namespace cupr::analysis {

namespace {

using enum ColumnType;
constexpr bool kOptional = true;

constexpr Column kHeader[] = {
    {"format", Text, "\"cuprewrite export\""},
    {"version", Number, "of the export's format"},
    {"program", Text, "path of the executable"},
    {"arguments", Texts, "of the program, its name first"},
    {"pid", Number, "of the process"},
    {"device_kind", Text, "\"gpu\" or \"cpu\""},
    {"device_name", Text, "as the CUDA runtime calls it"},
    {"start_time", Number, "nanoseconds since the epoch; every other time counts from here"},
    {"trace_format", Number, "version of the trace file"},
    {"not_whole", Text, "where and why the trace file stops early, or what a repair found missing",
     kOptional},
};
constexpr Column kFrame[] = {
    {"id", Number, "unique in the export"},
    {"file", Text, "of the call"},
    {"line", Number, "of the call"},
    {"column", Number, "of the call"},
    {"function", Text, "that the call stands in"},
    {"parent", Number, "the frame that this function was inlined into", kOptional},
};
constexpr Column kSite[] = {
    {"id", Number, "unique in the export"},
    {"module", Number, "device module in the trace"},
    {"file", Text, "empty: unknown"},
    {"line", Number, "from 1; 0: unknown"},
    {"column", Number, "from 1; 0: unknown"},
    {"function", Text, "that holds the access in the source"},
    {"operation", Text, "\"load\", \"store\", \"atomic add\" ..."},
    {"space", Text, "\"global\", \"shared\", \"constant\" or \"local\"; says what addresses mean"},
    {"decided", Flag, "the space was decided at run time"},
    {"value_type", Text, "LLVM type of the value"},
    {"bytes", Number, "per thread; null where each access has its own", kOptional},
    {"frame", Number, "the call that the function was inlined by", kOptional},
    {"part", Number,
     "bytes of the largest instruction that the access is made of; 0: it is one; null: unknown", kOptional},
    {"grid_barrier", Flag, "the access is of a barrier of the grid: synchronisation, not data"},
};
constexpr Column kLaunch[] = {
    {"id", Number, "from 1, in the order of the calls"},
    {"order", Number, "place among the host's calls"},
    {"kernel", Text, "as in the source, with parameters"},
    {"mangled", Text, "name of the kernel in the device code"},
    {"grid_x", Number, "blocks"},
    {"grid_y", Number, "blocks"},
    {"grid_z", Number, "blocks"},
    {"block_x", Number, "threads"},
    {"block_y", Number, "threads"},
    {"block_z", Number, "threads"},
    {"dynamic_shared", Number, "bytes"},
    {"stream", Number, "never reused"},
    {"device", Number, "index"},
    {"traced", Flag, "its accesses were recorded"},
    {"reason", Text, "why it was not traced; empty if it was"},
    {"file", Text, "of the launch in the source; empty: unknown"},
    {"line", Number, "of the launch in the source; 0: unknown"},
    {"time", Number, "of the call, in nanoseconds"},
    {"cta_first", Number, "recorded are blocks whose linear number is from this one on,"},
    {"cta_end", Number, "less than this one,"},
    {"cta_period", Number, "and a multiple of this"},
    {"stream_kind", Text, "\"legacy\", \"blocking\", \"non-blocking\" or, in old traces, \"unknown\""},
    {"graph", Number, "number of the launch of a CUDA graph that it belongs to; 0: none"},
    {"node", Number, "of the graph"},
    {"after", Text, "nodes that it waits for, with spaces between"},
};
constexpr Column kRecord[] = {
    {"launch", Number, "launch.id"},
    {"site", Number, "site.id"},
    {"cta_x", Number, "block"},
    {"cta_y", Number, "block"},
    {"cta_z", Number, "block"},
    {"warp", Number, "of the block: linear thread number / 32"},
    {"sm", Number, "multiprocessor"},
    {"lanes", Numbers, "that made the access, ascending: linear thread number % 32"},
    {"addresses", Numbers, "of these lanes"},
    {"bytes", Numbers, "of these lanes; empty where the site says it"},
};
constexpr Column kLaunchEnd[] = {
    {"launch", Number, "launch.id"},
    {"complete", Flag, "all records that the device made are in the trace"},
    {"reason", Text, "why they are not, or that the launch failed"},
    {"time", Number, "when all had arrived, in nanoseconds"},
    {"waits", Number, "times that a warp waited for space"},
    {"records", Number, "in the trace, whatever was selected"},
    {"device_time", Number,
     "nanoseconds from the first block's beginning to the last one's end; null: unknown", kOptional},
};
constexpr Column kCount[] = {
    {"launch", Number, "launch.id"},
    {"space", Text, "as in site"},
    {"loads", Number, "by threads, in the trace, whatever was selected"},
    {"stores", Number, "by threads"},
    {"atomics", Number, "by threads"},
    {"load_bytes", Number, "of all threads"},
    {"store_bytes", Number, "of all threads"},
    {"atomic_bytes", Number, "of all threads"},
};
constexpr Column kAllocation[] = {
    {"id", Number, "from 0, in the order of the calls"},
    {"address", Number, "first byte"},
    {"bytes", Number, "size"},
    {"kind", Text, "\"device\", \"managed\", \"host\", \"pitched\", \"array\", \"pool\" or \"symbol\""},
    {"call", Text, "that made it"},
    {"name", Text, "of the variable; empty: unknown"},
    {"order", Number, "place among the host's calls"},
    {"time", Number, "nanoseconds"},
    {"freed_order", Number, "of the call that freed it", kOptional},
};
constexpr Column kCopy[] = {
    {"destination", Number, "address"},
    {"source", Number, "address"},
    {"row_bytes", Number, "of each row"},
    {"rows", Number, "1 for a plain copy"},
    {"destination_pitch", Number, "bytes from row to row"},
    {"source_pitch", Number, "bytes from row to row"},
    {"kind", Text, "\"host to device\" and so on"},
    {"asynchronous", Flag, "the call may return before the copy is done"},
    {"stream", Number, "as in launch"},
    {"order", Number, "place among the host's calls"},
    {"time", Number, "nanoseconds"},
    {"stream_kind", Text, "\"legacy\", \"blocking\", \"non-blocking\" or, in old traces, \"unknown\""},
    {"graph", Number, "number of the launch of a CUDA graph that it belongs to; 0: none"},
    {"node", Number, "of the graph"},
    {"after", Text, "nodes that it waits for, with spaces between"},
};
constexpr Column kSet[] = {
    {"destination", Number, "address"},
    {"row_bytes", Number, "of each row"},
    {"rows", Number, "1 for a plain set"},
    {"pitch", Number, "bytes from row to row"},
    {"asynchronous", Flag, "the call may return before it is done"},
    {"stream", Number, "as in launch"},
    {"order", Number, "place among the host's calls"},
    {"time", Number, "nanoseconds"},
    {"stream_kind", Text, "\"legacy\", \"blocking\", \"non-blocking\" or, in old traces, \"unknown\""},
    {"graph", Number, "number of the launch of a CUDA graph that it belongs to; 0: none"},
    {"node", Number, "of the graph"},
    {"after", Text, "nodes that it waits for, with spaces between"},
};
constexpr Column kSynchronisation[] = {
    {"kind", Text, "\"device\", \"stream\", \"event\", \"event record\" or \"stream wait event\""},
    {"stream", Number, "as in launch"},
    {"event", Number, "handle"},
    {"order", Number, "place among the host's calls"},
    {"time", Number, "nanoseconds"},
    {"stream_kind", Text, "\"legacy\", \"blocking\", \"non-blocking\" or, in old traces, \"unknown\""},
};
constexpr Column kEnd[] = {
    {"launches", Number, "in the export"},
    {"records", Number, "of warps, in the export"},
    {"accesses", Number, "of threads, in the export"},
    {"selection", Text, "what was asked for; empty: all"},
};
constexpr Column kAccess[] = {
    {"launch", Number, "launch.id"}, {"site", Number, "site.id"},      {"cta_x", Number, "block"},
    {"cta_y", Number, "block"},      {"cta_z", Number, "block"},       {"warp", Number, "of the block"},
    {"lane", Number, "of the warp"}, {"sm", Number, "multiprocessor"}, {"address", Number, "first byte"},
    {"bytes", Number, "size"},
};
constexpr Column kWideAccess[] = {
    {"launch", Number, "launch.id"},
    {"kernel", Text, "launch.kernel"},
    {"operation", Text, "site.operation"},
    {"space", Text, "site.space"},
    {"address", Number, "first byte"},
    {"bytes", Number, "size"},
    {"cta_x", Number, "block"},
    {"cta_y", Number, "block"},
    {"cta_z", Number, "block"},
    {"warp", Number, "of the block"},
    {"lane", Number, "of the warp"},
    {"sm", Number, "multiprocessor"},
    {"file", Text, "site.file"},
    {"line", Number, "site.line"},
    {"column", Number, "site.column"},
    {"function", Text, "site.function"},
};

} // namespace

const RowKind kRowKinds[kRowKindCount] = {
    {"header", "headers", "What was traced; the first row.", kHeader},
    {"frame", "frames", "A call that was inlined. Parents come first or later.", kFrame},
    {"site", "sites", "A place in the source that accesses memory.", kSite},
    {"launch", "launches", "A kernel launch. Its records follow it, and then its end.", kLaunch},
    {"record", "records", "What one warp did at one site.", kRecord},
    {"launch_end", "launch_ends", "What is known when a launch's records have all arrived.", kLaunchEnd},
    {"count", "counts", "Totals of a launch for one kind of memory.", kCount},
    {"allocation", "allocations", "Memory that the program allocated.", kAllocation},
    {"copy", "copies", "A copy by the host.", kCopy},
    {"set", "sets", "A memset by the host.", kSet},
    {"synchronisation", "synchronisations", "A call that orders work.", kSynchronisation},
    {"end", "ends", "The last row: an export without it is cut off.", kEnd},
    {"access", "accesses", "What one thread did at one site.", kAccess},
    {"wide_access", "all_accesses", "What one thread did at one site, with all that is known of it.",
     kWideAccess},
};

std::string camelCase(std::string_view name) {
  std::string result;
  bool upper = false;
  for (const char c : name) {
    if (c != '_')
      result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return result;
}

} // namespace cupr::analysis

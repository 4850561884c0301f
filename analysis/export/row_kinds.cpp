/// The kinds and columns themselves.
#include "row_kinds.h"

#include "analysis/output/kind_names.h"

#include <cctype>
#include <type_traits>

namespace cupr::analysis {

namespace {

using enum ColumnType;
constexpr bool kOptional = true;

// Columns of what hostlib/trace/events.def lists.
using trace::LaunchId, trace::StreamKind, trace::MemoryKind, trace::ImageKind, trace::ImageResource,
    trace::CopyKind, trace::SynchronisationKind;
template <typename Type> constexpr ColumnType typeOf() {
  if constexpr (std::is_same_v<Type, bool>)
    return Flag;
  else
    return std::is_same_v<Type, std::string> || requires(Type value) { kindName(value); } ? Text : Number;
}
#define CUPR_COLUMN(type, member, initial, accessor, column, what) {column, typeOf<type>(), what},
#define CUPR_COLUMNS(type, member, accessor, what) CUPR_COLUMNS_##type(member, what)
#define CUPR_COLUMNS_Dim3(member, what)                                                                      \
  {#member "_x", Number, what}, {#member "_y", Number, what}, {#member "_z", Number, what},
#define CUPR_COLUMNS_CtaSelection(member, what)                                                              \
  {"cta_first", Number, "recorded are blocks whose linear number is from this one on,"},                     \
      {"cta_end", Number, "less than this one,"}, {"cta_period", Number, "and a multiple of this"},
#define CUPR_COLUMNS_GraphPlace(member, what)                                                                \
  {"graph", Number, "number of the launch of a CUDA graph that it belongs to; 0: none"},                     \
      {"node", Number, "of the graph"}, {"after", Text, "nodes that it waits for, with spaces between"},

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
    {"parent", Number, "the call of that function in turn", kOptional},
    {"kind", Text,
     "\"inlined\", \"called\", \"recursive\" (functions that call each other in a cycle were entered at this "
     "one, which stands at this "
     "line), \"indirect\" (through a pointer) or \"merged\" (callers not told apart)"},
};
constexpr Column kSite[] = {
    {"id", Number, "unique in the export"},
    {"module", Number, "device module in the trace"},
    {"file", Text, "empty: unknown"},
    {"line", Number, "from 1; 0: unknown"},
    {"column", Number, "from 1; 0: unknown"},
    {"function", Text, "that holds the access in the source"},
    {"operation", Text,
     "\"load\", \"store\", \"atomic add\" ...; \"barrier\", \"fence\" ... are synchronisation, "
     "\"variable\" a shared variable, and no accesses"},
    {"space", Text,
     "\"global\", \"shared\", \"constant\", \"local\" or \"texture\"; says what addresses mean"},
    {"decided", Flag, "the space was decided at run time"},
    {"value_type", Text, "LLVM type of the value"},
    {"bytes", Number,
     "per thread; of a variable its size, 0: the launch's dynamic shared memory; null where each access has "
     "its own",
     kOptional},
    {"frame", Number, "the call of the function", kOptional},
    {"part", Number,
     "bytes of the largest instruction that the access is made of; 0: it is one; null: unknown", kOptional},
    {"grid_barrier", Flag, "the access is of a barrier of the grid: synchronisation, not data"},
    {"is_volatile", Flag, "volatile, or a load or store that is atomic: other threads may wait for it"},
    {"order", Text,
     "\"relaxed\", \"acquire\", \"release\", \"acq_rel\", \"sc\" or \"volatile\", as in PTX; empty: none"},
    {"scope", Text, "\"cta\", \"cluster\", \"gpu\" or \"sys\": whose threads the order is for; empty: none"},
    {"has_values", Flag, "its records have what was read and written, in launches with values"},
    {"source_type", Text,
     "C++ type of the object that is accessed, without qualifiers; of a variable of its elements; empty: "
     "unknown"},
    {"layout", Text,
     "what the bytes of source_type mean: the type of its numbers, or {offset type name;...}; empty: "
     "its name says it"},
    {"name", Text,
     "of a shared variable, whose record says where it lies; of an array in local memory, and of accesses of "
     "one; of textures and surfaces the instruction; of "
     "instructions how many there are of which class; else empty"},
    {"element_bytes", Number, "of a variable: of the elements of an array; else 0"},
    {"has_clock", Flag, "its records have the clock, in launches with values"},
    {"has_duration", Flag, "of a timed kernel: its records have how long they took, in launches with values"},
    {"follows", Flag, "of instructions: no records are of it, it happens whenever the site before it does"},
};
constexpr Column kLaunch[] = {
#define CUPR_LAUNCH CUPR_COLUMN
#define CUPR_LAUNCH_PART CUPR_COLUMNS
#include "hostlib/trace/events.def"
    {"host_call", Number, "host_call.id of the call that made it; null: none is known", kOptional},
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
    {"read", Texts, "what these lanes read; empty: nothing, or it was not recorded"},
    {"written", Texts, "what they wrote; of atomic operations their operands, of an mbarrier its figures"},
    {"compared", Texts, "of a compare-and-swap, what they compared with"},
    {"thread_x", Numbers, "coordinate of these lanes' threads in the block"},
    {"thread_y", Numbers, "likewise"},
    {"thread_z", Numbers, "likewise"},
    {"coordinates", Texts, "of textures and surfaces, where; the address is the handle of an image_object"},
    {"clock", Numbers, "of their multiprocessor, when these lanes made it; empty: it was not recorded"},
    {"duration", Numbers, "cycles that it took these lanes; empty: it was not recorded"},
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
    {"began", Number, "on the device: when its first block began, in nanoseconds; null: unknown", kOptional},
    {"ended", Number, "on the device: when its last block had ended, in nanoseconds; null: unknown",
     kOptional},
    {"evicted_pages", Number, "of records, that warps copied to the host, since the program held the driver"},
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
#define CUPR_ALLOCATION CUPR_COLUMN
#include "hostlib/trace/events.def"
    {"freed_order", Number, "of the call that freed it", kOptional},
    {"host_call", Number, "host_call.id of the call that made it; null: none is known", kOptional},
};
constexpr Column kImageObject[] = {
    {"id", Number, "from 0, in the order of the calls"},
#define CUPR_IMAGE_OBJECT CUPR_COLUMN
#include "hostlib/trace/events.def"
    {"allocation", Number, "allocation.id of what it reads; null: unknown", kOptional},
    {"end_order", Number,
     "of the call that destroyed it, or that made another one with its handle; null: none", kOptional},
    {"host_call", Number, "host_call.id of the call that made it; null: none is known", kOptional},
};
constexpr Column kCopy[] = {
#define CUPR_COPY CUPR_COLUMN
#define CUPR_COPY_PART CUPR_COLUMNS
#include "hostlib/trace/events.def"
    {"host_call", Number, "host_call.id of the call that made it; null: none is known", kOptional},
};
constexpr Column kSet[] = {
#define CUPR_SET CUPR_COLUMN
#define CUPR_SET_PART CUPR_COLUMNS
#include "hostlib/trace/events.def"
    {"host_call", Number, "host_call.id of the call that made it; null: none is known", kOptional},
};
constexpr Column kSynchronisation[] = {
#define CUPR_SYNCHRONISATION CUPR_COLUMN
#include "hostlib/trace/events.def"
    {"host_call", Number, "host_call.id of the call that made it; null: none is known", kOptional},
};
constexpr Column kHostCall[] = {
    {"id", Number, "from 0"},
    {"function", Text, "of the CUDA API"},
    {"thread", Number, "the kernel's id of the thread"},
    {"thread_name", Text, "empty: none"},
    {"began", Number, "in nanoseconds"},
    {"ended", Number, "in nanoseconds"},
    {"orders", Numbers,
     "of the launches, copies, sets, synchronisations, allocations, frees and objects that it made"},
    {"path", Text,
     "functions on the way to the call, outermost first, with \" > \" between; empty: not known"},
    {"file", Text, "of the caller; empty: not known"},
    {"line", Number, "of the call; 0: not known"},
    {"frame", Number, "host_frame.id of the caller; null: not known", kOptional},
};
constexpr Column kHostSample[] = {
    {"id", Number, "from 0"},
    {"time", Number, "in nanoseconds"},
    {"thread", Number, "the kernel's id of the thread"},
    {"thread_name", Text, "empty: none"},
    {"weight", Number, "nanoseconds of processor time that it stands for"},
    {"path", Text, "functions on the way, as of a host_call"},
    {"file", Text, "where the thread was; empty: not known"},
    {"line", Number, "likewise; 0: not known"},
    {"frame", Number, "host_frame.id; null: not known", kOptional},
};
constexpr Column kHostFrame[] = {
    {"id", Number, "from 0; callers come first"},
    {"caller", Number, "host_frame.id of the function that called it; null: it is the outermost", kOptional},
    {"function", Text, "as in paths"},
    {"file", Text, "of the place in it; empty: not known"},
    {"line", Number, "of the call further in, or of the sample; 0: not known"},
    {"column", Number, "likewise, as debug information has it"},
};
constexpr Column kLoop[] = {
    {"id", Number, "from 0"},
    {"of_device", Flag, "sites and frames lie in it; else host_frames"},
    {"kind", Text,
     "\"for\", \"while\", \"do\", \"range-for\"; \"function\": none, but what bounds those around it; "
     "\"entry\": none, but "
     "what is done once, before the one around it"},
    {"file", Text, "as sites or host_frames have it"},
    {"line", Number, "of its first token"},
    {"column", Number, "likewise"},
    {"end_line", Number, "of its last token"},
    {"end_column", Number, "likewise"},
};
constexpr Column kEnd[] = {
    {"launches", Number, "in the export"},
    {"records", Number, "of warps, in the export"},
    {"accesses", Number, "of threads, in the export"},
    {"selection", Text, "what was asked for; empty: all"},
};
/// What the thread read and wrote.
#define CUPR_VALUE_COLUMNS                                                                                   \
  {"read", Text,                                                                                             \
   "value, as the site's source_type or else value_type has it; null: none, or it was not recorded",         \
   kOptional},                                                                                               \
      {"written", Text, "value; of an atomic operation its operand", kOptional},                             \
      {"compared", Text, "value that a compare-and-swap compared with", kOptional},
/// Which thread it is, where it accesses what has no addresses, when, and how long that took.
#define CUPR_THREAD_COLUMNS                                                                                  \
  {"thread_x", Number, "of the block"}, {"thread_y", Number, "of the block"},                                \
      {"thread_z", Number, "of the block"},                                                                  \
      {"coordinates", Text, "of textures and surfaces; the address is the handle of an image_object",        \
       kOptional},                                                                                           \
      {"clock", Number, "of its multiprocessor, when it made it; null: it was not recorded", kOptional},     \
      {"duration", Number, "cycles that it took; null: it was not recorded", kOptional},
constexpr Column kAccess[] = {{"launch", Number, "launch.id"},
                              {"site", Number, "site.id"},
                              {"cta_x", Number, "block"},
                              {"cta_y", Number, "block"},
                              {"cta_z", Number, "block"},
                              {"warp", Number, "of the block"},
                              {"lane", Number, "of the warp"},
                              {"sm", Number, "multiprocessor"},
                              {"address", Number, "first byte"},
                              {"bytes", Number, "size"},
                              CUPR_VALUE_COLUMNS CUPR_THREAD_COLUMNS};
constexpr Column kWideAccess[] = {{"launch", Number, "launch.id"},
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
                                  CUPR_VALUE_COLUMNS CUPR_THREAD_COLUMNS};

} // namespace

const RowKind kRowKinds[kRowKindCount] = {
    {"header", "headers", "What was traced; the first row.", kHeader},
    {"frame", "frames", "A call that led to sites, inlined or not. Parents come first or later.", kFrame},
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
    {"image_object", "image_objects", "A texture or surface object that the program made.", kImageObject},
    {"host_call", "host_calls", "A call of the CUDA API by a thread of the program.", kHostCall},
    {"host_sample", "host_samples", "Where a thread of the program spent processor time.", kHostSample},
    {"host_frame", "host_frames", "A function on the way to calls and samples, at a place in it.",
     kHostFrame},
    {"loop", "loops", "A loop of the source that holds places of frames or sites, or what bounds one.",
     kLoop},
};

} // namespace cupr::analysis

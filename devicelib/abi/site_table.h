/// The site table: what the pass knew about each instrumented access.
///
/// One relocatable blob per device module, little endian, 8-byte aligned. All
/// offsets count from the start of the blob; strings are NUL-terminated UTF-8
/// in one pool, given by their offset in that pool (0 is the empty string).
///
///     SiteTableHeader
///     Site   x siteCount       index = site number in records
///     Frame  x frameCount      the calls that led to sites, inlined or not
///     Source x sourceCount     the text of each file that holds a site
///     SliceHeader x sliceCount the slices of kernels that are determined by their launches (slice.h)
///     string pool              stringBytes
///     source texts             zstd frames
///     what slices consist of
///
/// The host finds it through the KernelInfo of each kernel (symbols.h).
#ifndef CUPR_ABI_SITE_TABLE_H
#define CUPR_ABI_SITE_TABLE_H

#include "frame_kind.h"
#include "latency_scheme.h"
#include "memory_order.h"
#include "memory_space.h"
#include "slice.h"

#include <cstdint>

namespace cupr {
namespace abi {

enum : std::uint32_t {
  kSiteTableMagic = 0x54535543u,  // "CUST"
  kKernelInfoMagic = 0x494b5543u, // "CUKI"
  kNoFrame = 0xffffffffu,
  kNoSlice = 0xffffffffu,
};

/// The space of a site's accesses, and how it is known (Site::space). An access that may be in several spaces
/// has a site for each, and run time decides, per lane, which one its record names.
enum class SpaceVerdict : std::uint8_t {
#define CUPR_SPACE_VERDICT(enumerator, space) enumerator,
#include "memory_space.def"
};

constexpr unsigned kSpaceVerdicts = 0
#define CUPR_SPACE_VERDICT(enumerator, space) +1
#include "memory_space.def"
    ;

inline MemorySpace spaceOf(SpaceVerdict verdict) {
  switch (verdict) {
#define CUPR_SPACE_VERDICT(enumerator, space)                                                                \
  case SpaceVerdict::enumerator:                                                                             \
    return MemorySpace::space;
#include "memory_space.def"
  }
  return MemorySpace::Global;
}

/// Site::flags.
enum : std::uint16_t {
  kSiteDecided = 1, ///< the space was decided at run time
  kSiteRange = 2,   ///< the size is in the records (form Range), and `bytes` is 0
  /// Of the barrier of all blocks of a grid (cooperative groups, `grid.sync()`): synchronisation, not data.
  /// One thread of each block makes an atomic access of such a site once for each barrier, when all threads
  /// of the block have arrived and before any goes on; the others are looks at whether all blocks have.
  kSiteGridBarrier = 4,
  /// No access: a block whose accesses are derived (slice.h) has begun. The host makes such records, of what blocks say
  /// (begun_blocks.h).
  kSiteBlock = 8,
  kSiteValues =
      16, ///< records of launches with values are followed by what was read or written (value_record.h)
  kSiteVolatile = 32,  ///< volatile, or atomic with an order, in the program: other threads may wait for it
  kSiteClock = 64,     ///< of launches with values: when each thread made the access, behind its values
  kSiteDuration = 128, ///< of a timed kernel, with kSiteClock: how long the access took, behind its clock
};

/// Also in Site::flags, of executions: there are no records of it, since it happens whenever the site before it does.
constexpr std::uint16_t kSiteFollows = 1 << 12;

/// Also in Site::flags, of loads from arrays in local memory: it is made only where the program makes it, and not earlier; of these arrays: all that
/// stores there is recorded.
constexpr std::uint16_t kSiteSure = 1 << 12;
/// Also in Site::flags, of accesses of global and shared memory behind a compare-and-swap that takes a lock: whoever has taken it makes the
/// access, and there, whatever has been read since.
constexpr std::uint16_t kSiteRegardless = 1 << 12;
/// Also in Site::flags, of loads: made by the compiler ahead of the program's conditions. Whoever does not need the value throws it away,
/// so that nothing the program does depends on what was there.
constexpr std::uint16_t kSiteSpeculated = 1 << 13;
/// Also in Site::flags, of stores: of the same value in all threads of a launch.
constexpr std::uint16_t kSiteOneValue = 1 << 13;
/// Also in Site::flags, as locks are taken: a compare-and-swap of 0 by another constant; as they are given back: a store of 0 or an exchange by 0.
constexpr std::uint16_t kSiteLock = 1 << 14;
/// Also in Site::flags: a store of an asynchronous copy (cp.async), which its thread waits for (CopyWait); with an order, one that others
/// wait for, at an mbarrier (st.async, red.async).
constexpr std::uint16_t kSiteCopy = 1 << 15;

/// Also in Site::flags, from bit kSitePartShift on: of what instructions the machine makes the access. 0: not
/// known (tables from before this was written); kSiteWhole: one, of whatever size; n: as many as it takes, of
/// at most 2^(n - 1) bytes each.
enum : unsigned { kSitePartShift = 8, kSitePartMask = 15, kSiteWhole = 15 };

/// SiteTableHeader::recorded: what the module was built to record, where it has any; 0: not known.
enum : std::uint16_t {
  kRecordsSynchronisation = 1,
  kRecordsSpaces = 1, ///< from this bit on, a bit for each kind of memory (SpaceSet)
};

struct SiteTableHeader {
  std::uint32_t magic;
  std::uint32_t abiVersion;
  std::uint32_t totalBytes;
  std::uint32_t siteCount;
  std::uint32_t siteOffset;
  std::uint32_t frameCount;
  std::uint32_t frameOffset;
  std::uint32_t sourceCount;
  std::uint32_t sourceOffset;
  std::uint32_t stringBytes;
  std::uint32_t stringOffset;
  std::uint32_t sliceCount;
  std::uint32_t sliceOffset;
  std::uint16_t timed;    ///< abi::LatencyScheme of the kernels' timed variants; None: they have none
  std::uint16_t recorded; ///< kRecords...
};

struct Site {
  std::uint32_t file;     ///< string; empty when built without line information
  std::uint32_t line;     ///< from 1, of the user's own file; 0: unknown
  std::uint32_t column;   ///< from 1, of the user's own file; 0: unknown
  std::uint32_t function; ///< string, demangled: the function that holds the
                          ///< access in the source
  std::uint32_t type;     ///< string: LLVM type of the value; of textures and surfaces, of the coordinates
  /// Strings: the C++ type of the object, without qualifiers, empty: unknown; what its bytes mean (access_types.h).
  std::uint32_t sourceType, layout;
  std::uint32_t bytes;    ///< per thread; of a variable its own size, 0 where the launch says it
  std::uint32_t frame;    ///< the call of `function`, or kNoFrame: it is a kernel
  std::uint8_t operation; ///< abi::Operation
  std::uint8_t space;     ///< abi::SpaceVerdict
  std::uint16_t flags;    ///< kSite...
  std::uint8_t order;     ///< abi::MemoryOrder
  std::uint8_t scope;     ///< abi::MemoryScope
  /// Of a variable: of the elements of an array, of the innermost arrays where it is one of arrays; 0: too many to say.
  std::uint16_t elementBytes;
  std::uint32_t
      name; ///< string: of a variable; of accesses of local memory the array, where it is known; of textures and surfaces the instruction; of executions `class=count` each, with blanks between
};

/// A call on the way to an access: the place of the call and the function it stands in. A function that is called, not inlined, has
/// sites of its own for each chain of calls that leads to it (pass/calling_contexts.h).
struct Frame {
  std::uint32_t file;
  std::uint32_t line;
  std::uint32_t column;
  std::uint32_t function;
  std::uint32_t parent; ///< the call of that function in turn, or kNoFrame
  std::uint32_t kind;   ///< abi::FrameKind
};

struct Source {
  std::uint32_t path; ///< string, as in Site::file
  std::uint32_t textBytes;
  std::uint32_t packedBytes; ///< zstd; 0: the text could not be read
  std::uint32_t packedOffset;
};

/// What the module says of one kernel. `table` and `variables` are device addresses.
struct KernelInfo {
  std::uint32_t magic;
  std::uint32_t abiVersion;
  std::uint64_t table;
  std::uint64_t tableBytes;
  std::uint64_t variables; ///< of u64: the addresses that slices of the module need (SliceSource::Variable)
  std::uint32_t variableCount;  ///< of the module
  std::uint32_t slice;          ///< of this kernel, in the site table; kNoSlice: its accesses are recorded
  std::uint32_t parameterCount; ///< of the traced variant, the trace argument included
  std::uint32_t traceParameter; ///< which of them is the trace argument
};

static_assert(sizeof(SiteTableHeader) == 56 && sizeof(Site) == 48 && sizeof(Frame) == 24 &&
                  sizeof(Source) == 16 && sizeof(KernelInfo) == 48,
              "the pass and the readers agree on these sizes");

} // namespace abi
} // namespace cupr

#endif

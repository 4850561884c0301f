/// Slices: what of a kernel decides which accesses its threads make, as a program that a reader of the trace can
/// run.
///
/// Most accesses of regular kernels are determined by the launch alone: their addresses, and whether they are made, follow
/// from kernel arguments, thread and block indices and pure arithmetic. They need not be recorded. The pass
/// takes from the kernel what they follow from (a *slice*: M. Weiser, Program Slicing, 1981), and whoever reads the trace
/// runs that for each warp of the launch.
///
/// A slice is data, checked before it runs: registers, constants, and instructions of fixed size that can do nothing but
/// integer arithmetic, jump inside the slice, look up what memory held when the launch began, and make known an access.
///
/// - Registers hold 64 bits. A value of w bits (1 to 64) has zeros above them. Registers are numbered: first the slice's
///   inputs, then its constants, then those that instructions write.
/// - Instructions are numbered from 0, where each thread begins. The last one is Exit or a Jump.
/// - Threads of a warp run together. Where a Branch parts them, those with `t` go first, up to `j`, then those with `e`; `j`
///   is where all ways of the Branch that do not end in an Exit come together, and kSliceNowhere if there is no such place.
///
/// In the site table (site_table.h) a slice is a SliceHeader, and at its offset
///
///     SliceInput       x inputCount
///     u64              x constantCount
///     SliceInstruction x instructionCount
#ifndef CUPR_ABI_SLICE_H
#define CUPR_ABI_SLICE_H

#include <cstdint>

namespace cupr {
namespace abi {

enum class SliceOperation : std::uint8_t {
#define CUPR_SLICE_OPERATION(enumerator, name, operands, what) enumerator,
#include "slice.def"
};

constexpr unsigned kSliceOperations = 0
#define CUPR_SLICE_OPERATION(enumerator, name, operands, what) +1
#include "slice.def"
    ;

/// Name and operands of an instruction (slice.def). Only for those that exist.
struct SliceOperationInfo {
  const char *name, *operands;
};
constexpr SliceOperationInfo kSliceOperationInfo[] = {
#define CUPR_SLICE_OPERATION(enumerator, name, operands, what) {name, operands},
#include "slice.def"
};
constexpr SliceOperationInfo infoOf(SliceOperation operation) {
  return kSliceOperationInfo[static_cast<unsigned>(operation)];
}

/// Where the value of an input comes from.
enum class SliceSource : std::uint8_t {
  ThreadX, ///< threadIdx
  ThreadY,
  ThreadZ,
  BlockX, ///< blockIdx
  BlockY,
  BlockZ,
  BlockSizeX, ///< blockDim
  BlockSizeY,
  BlockSizeZ,
  GridSizeX, ///< gridDim
  GridSizeY,
  GridSizeZ,
  Lane,
  WarpSize,
  Parameter, ///< `bytes` bytes of the kernel's parameter `index`, from `offset` on
  Variable,  ///< the address of a variable: element `index` of the addresses that KernelInfo names
  Shared, ///< the place of a shared variable in the block's window, which the launch records at site `index`
};
constexpr unsigned kSliceSources = static_cast<unsigned>(SliceSource::Shared) + 1;

/// Whether the launch says the value: it is not of the thread's or block's place in it.
constexpr bool isOfLaunch(SliceSource source) {
  return source == SliceSource::Parameter || source == SliceSource::Variable;
}

/// What a slice that has loads says of an input, bits: that addresses which the kernel reads, so that the slice knows what is there,
/// or writes to are made from it. What lies in one allocation with what is written is not known to stay as it is.
enum SliceInputRole : std::uint16_t { kSliceReadsThere = 1, kSliceWritesThere = 2 };

struct SliceInput {
  std::uint8_t source; ///< SliceSource
  std::uint8_t bytes;  ///< 1, 2, 4 or 8
  std::uint16_t roles; ///< SliceInputRole
  std::uint32_t
      index; ///< of a parameter of the plain kernel (not the trace argument), of a variable, or a site
  std::uint32_t offset; ///< bytes
};

constexpr std::uint16_t kSliceNowhere = 0xffff;

struct SliceInstruction {
  std::uint8_t operation; ///< SliceOperation
  std::uint8_t width;     ///< bits
  std::uint16_t result;   ///< register; of a Branch, `j`
  std::uint16_t a, b,
      c; ///< registers; `b` and `c` are `t` and `e` of jumps, or the site's lower and upper half
  std::uint16_t other; ///< the other width
};
constexpr std::uint32_t siteOf(const SliceInstruction &instruction) {
  return instruction.b | static_cast<std::uint32_t>(instruction.c) << 16;
}

/// What no slice exceeds.
enum : std::uint32_t { kMaxSliceRegisters = 4096, kMaxSliceInstructions = 32768 };

struct SliceHeader {
  std::uint32_t kernel;    ///< string: mangled name
  std::uint32_t blockSite; ///< of records that say that a block has begun (kSiteBlock)
  std::uint32_t registerCount;
  std::uint32_t inputCount;
  std::uint32_t constantCount;
  std::uint32_t instructionCount;
  std::uint32_t offset; ///< from the start of the blob
  std::uint32_t reserved;
};

static_assert(sizeof(SliceInput) == 12 && sizeof(SliceInstruction) == 12 && sizeof(SliceHeader) == 32,
              "the pass and the readers agree on these sizes");

} // namespace abi
} // namespace cupr

#endif

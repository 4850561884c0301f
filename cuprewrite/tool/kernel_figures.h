/// What a kernel needs of a multiprocessor, in the assembler's own words: read from what
/// `ptxas -v` (and `nvlink -v`, where code is relocatable) print, and from the PTX for launch bounds.
#ifndef CUPR_TOOL_KERNEL_FIGURES_H
#define CUPR_TOOL_KERNEL_FIGURES_H

#include <string>
#include <string_view>
#include <vector>

namespace cupr::tool {

struct KernelFigures {
  std::string name; ///< mangled
  unsigned registers = 0;
  unsigned spillStores = 0, spillLoads = 0; ///< bytes, of the kernel itself
  unsigned stack = 0;                       ///< bytes; where code is linked, with what it calls
  unsigned shared = 0;                      ///< bytes, static
  unsigned blockSize = 0;                   ///< of __launch_bounds__; 0: none
};

/// The kernels that `ptxas -v` tells of, in its order; block sizes from the PTX that it read.
std::vector<KernelFigures> figuresOf(std::string_view assemblerOutput, std::string_view ptx);

/// Registers, stack and shared memory as they are after linking: what a kernel calls counts for it.
/// `reservedShared`: bytes of shared memory that the linker counts although they are the system's.
void takeLinked(std::vector<KernelFigures> &kernels, std::string_view linkerOutput, unsigned reservedShared);

/// What of the output is more than such figures: warnings, for the user.
std::string withoutFigures(std::string_view output);

} // namespace cupr::tool

#endif

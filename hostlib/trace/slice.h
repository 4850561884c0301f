/// A slice as a trace holds it (devicelib/abi/slice.h): checked, so that who runs it can rely on its numbers.
#ifndef CUPR_TRACE_SLICE_H
#define CUPR_TRACE_SLICE_H

#include "devicelib/abi/slice.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::trace {

struct Slice {
  std::uint32_t kernel = 0;    ///< index in Module::strings: mangled name
  std::uint32_t blockSite = 0; ///< index in Module::sites: of the records that say which blocks began
  std::uint32_t registerCount = 0;
  std::vector<abi::SliceInput> inputs;
  std::vector<std::uint64_t> constants;
  std::vector<abi::SliceInstruction> code;

  /// How many of its inputs launches say: as many values as Launch::sliceValues has, in their order.
  std::size_t launchInputs() const;
  friend bool operator==(const Slice &, const Slice &);
};

/// The rule of devicelib/abi/slice.h that the slice breaks, in a module of so many sites; empty: none.
std::string brokenSliceRule(const Slice &slice, std::size_t sites);

} // namespace cupr::trace

#endif

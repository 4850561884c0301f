/// What the driver knows of an address of the program.
///
/// To ask about one that is not CUDA's is no mistake for cuPointerGetAttributes; cuPointerGetAttribute, which asks for one
/// thing, answers with an error, and tools that watch the calls (compute-sanitizer) would report that of a program which makes none.
#ifndef CUPR_RUNTIME_POINTER_INFO_H
#define CUPR_RUNTIME_POINTER_INFO_H

#include "driver.h"

namespace cupr::host {

/// All zeros for an address that the driver does not know.
struct PointerInfo {
  unsigned memoryType; ///< CUmemorytype
  unsigned isManaged;
  int device; ///< that owns it
  bool isKnown() const { return memoryType != 0; }
};
PointerInfo pointerInfo(const Driver &driver, CUdeviceptr address);

} // namespace cupr::host

#endif

#include "pointer_space.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {

using abi::MemorySpace;

static_assert(abi::addressSpaceOf(MemorySpace::Global) == NVPTXAS::ADDRESS_SPACE_GLOBAL &&
              abi::addressSpaceOf(MemorySpace::Shared) == NVPTXAS::ADDRESS_SPACE_SHARED &&
              abi::addressSpaceOf(MemorySpace::Constant) == NVPTXAS::ADDRESS_SPACE_CONST &&
              abi::addressSpaceOf(MemorySpace::Local) == NVPTXAS::ADDRESS_SPACE_LOCAL);

std::optional<MemorySpace> spaceOfPointerType(const Type &type) {
  const auto *pointer = dyn_cast<PointerType>(type.getScalarType());
  if (!pointer)
    return std::nullopt;
  switch (pointer->getAddressSpace()) {
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName)                                           \
  case addressSpace:                                                                                         \
    return MemorySpace::enumerator;
#include "devicelib/abi/memory_space.def"
  case NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER:
    return MemorySpace::Shared;
  default:
    return std::nullopt;
  }
}

} // namespace cupr::pass

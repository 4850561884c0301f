#include "pointer_space.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {

using abi::MemorySpace;

std::optional<MemorySpace> spaceOfPointerType(const Type &type) {
  const auto *pointer = dyn_cast<PointerType>(type.getScalarType());
  if (!pointer)
    return std::nullopt;
  switch (pointer->getAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return MemorySpace::Global;
  case NVPTXAS::ADDRESS_SPACE_SHARED:
  case NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER:
    return MemorySpace::Shared;
  case NVPTXAS::ADDRESS_SPACE_CONST:
    return MemorySpace::Constant;
  case NVPTXAS::ADDRESS_SPACE_LOCAL:
    return MemorySpace::Local;
  default:
    return std::nullopt;
  }
}

unsigned addressSpaceOf(MemorySpace space) {
  switch (space) {
  case MemorySpace::Global:
    return NVPTXAS::ADDRESS_SPACE_GLOBAL;
  case MemorySpace::Shared:
    return NVPTXAS::ADDRESS_SPACE_SHARED;
  case MemorySpace::Constant:
    return NVPTXAS::ADDRESS_SPACE_CONST;
  case MemorySpace::Local:
    return NVPTXAS::ADDRESS_SPACE_LOCAL;
  }
  return NVPTXAS::ADDRESS_SPACE_GENERIC;
}

} // namespace cupr::pass

/// What a memory operation does: the kinds of operation.def, and their classes.
#ifndef CUPR_ABI_OPERATION_H
#define CUPR_ABI_OPERATION_H

#include <cstdint>

namespace cupr {
namespace abi {

enum class Operation : std::uint8_t {
#define CUPR_OPERATION(enumerator, name, cls) enumerator,
#include "operation.def"
};

enum class OperationClass : std::uint8_t {
#define CUPR_OPERATION_CLASS(enumerator) enumerator,
#include "operation.def"
};

constexpr unsigned kOperationCount = 0
#define CUPR_OPERATION(enumerator, name, cls) +1
#include "operation.def"
    ;
constexpr unsigned kOperationClasses = 0
#define CUPR_OPERATION_CLASS(enumerator) +1
#include "operation.def"
    ;

inline const char *operationName(Operation operation) {
  switch (operation) {
#define CUPR_OPERATION(enumerator, name, cls)                                                                \
  case Operation::enumerator:                                                                                \
    return name;
#include "operation.def"
  }
  return "unknown operation";
}

inline OperationClass operationClass(Operation operation) {
  switch (operation) {
#define CUPR_OPERATION(enumerator, name, cls)                                                                \
  case Operation::enumerator:                                                                                \
    return OperationClass::cls;
#include "operation.def"
  }
  return OperationClass::Load;
}

/// In what stands for a barrier's address, the threads that take part are from this bit on; that many where it is known at run time only.
constexpr unsigned kBarrierThreadsShift = 32;
constexpr std::uint64_t kBarrierThreadsUnknown = 0xffffffff;

/// Whether lanes of a warp hand each other values by it. In what stands for the address, the mask is below this bit, and from it on
/// stands how many follow each other.
inline bool isOfLanes(Operation operation) {
  return operation >= Operation::WarpShuffle && operation <= Operation::WarpElect;
}
constexpr unsigned kLaneOperationsShift = 32;

/// Whether it moves data.
inline bool isAccess(Operation operation) {
  const OperationClass kind = operationClass(operation);
  return kind == OperationClass::Load || kind == OperationClass::Store || kind == OperationClass::Atomic;
}

/// Whether it is an access of a texture or a surface.
inline bool isOfImage(Operation operation) {
  return operation >= Operation::TextureFetch && operation <= Operation::SurfaceOr;
}
/// Where such an access is: this many coordinates of 32 bits each, whole numbers or floating-point ones, in the order of the
/// instruction's operands (PTX ISA, "Texture Instructions"), and zeros where it has fewer. They are what it has as its value.
constexpr unsigned kCoordinates = 4;

/// Whether its value are figures of an mbarrier: two numbers of 32 bits, how many arrivals it is to wait for (MbarrierInit) or are
/// made, and how many bytes are to come; 0: none.
inline bool hasFigures(Operation operation) {
  return operation == Operation::MbarrierInit || operation == Operation::MbarrierArrive ||
         operation == Operation::MbarrierExpect;
}
constexpr unsigned kFigures = 2;

/// The bytes of each of the values of an operation that accesses `bytes` bytes.
inline std::uint32_t valueBytes(Operation operation, std::uint32_t bytes) {
  return isOfImage(operation) ? kCoordinates * 4 : hasFigures(operation) ? kFigures * 4 : bytes;
}

/// The values that an operation reads and writes: of a load or a store its own; of an atomic operation what it read and its
/// operand; of a compare-and-swap what it read, what it compared with, what it would write. Of a texture or a surface its coordinates,
/// of an mbarrier its figures.
inline unsigned valuesOf(Operation operation) {
  return isOfImage(operation)                                  ? 1u
         : operation == Operation::AtomicCAS                   ? 3u
         : operationClass(operation) == OperationClass::Atomic ? 2u
                                                               : 1u;
}

} // namespace abi
} // namespace cupr

#endif

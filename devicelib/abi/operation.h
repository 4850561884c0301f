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

/// The values that an operation reads and writes: of a load or a store its own; of an atomic operation what it read and its
/// operand; of a compare-and-swap what it read, what it compared with, what it would write.
inline unsigned valuesOf(Operation operation) {
  return operation == Operation::AtomicCAS                     ? 3u
         : operationClass(operation) == OperationClass::Atomic ? 2u
                                                               : 1u;
}

} // namespace abi
} // namespace cupr

#endif

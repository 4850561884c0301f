/// What a memory operation does: the 13 kinds of operation.def, and their three
/// classes.
#ifndef CUPR_ABI_OPERATION_H
#define CUPR_ABI_OPERATION_H

#include <cstdint>

namespace cupr {
namespace abi {

enum class Operation : std::uint8_t {
#define CUPR_OPERATION(enumerator, name, cls) enumerator,
#include "operation.def"
};

enum class OperationClass : std::uint8_t { Load, Store, Atomic };

enum : unsigned { kOperationCount = 13 };

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

} // namespace abi
} // namespace cupr

#endif

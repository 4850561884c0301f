/// The orders and scopes of memory operations, as PTX names them (memory_order.def).
#ifndef CUPR_ABI_MEMORY_ORDER_H
#define CUPR_ABI_MEMORY_ORDER_H

#include <cstdint>

namespace cupr {
namespace abi {

enum class MemoryOrder : std::uint8_t {
#define CUPR_MEMORY_ORDER(enumerator, name) enumerator,
#include "memory_order.def"
};

enum class MemoryScope : std::uint8_t {
#define CUPR_MEMORY_SCOPE(enumerator, name) enumerator,
#include "memory_order.def"
};

constexpr unsigned kMemoryOrders = 0
#define CUPR_MEMORY_ORDER(enumerator, name) +1
#include "memory_order.def"
    ;
constexpr unsigned kMemoryScopes = 0
#define CUPR_MEMORY_SCOPE(enumerator, name) +1
#include "memory_order.def"
    ;

/// Empty: none.
inline const char *orderName(MemoryOrder order) {
  switch (order) {
#define CUPR_MEMORY_ORDER(enumerator, name)                                                                  \
  case MemoryOrder::enumerator:                                                                              \
    return name;
#include "memory_order.def"
  }
  return "unknown order";
}

/// Empty: none.
inline const char *scopeName(MemoryScope scope) {
  switch (scope) {
#define CUPR_MEMORY_SCOPE(enumerator, name)                                                                  \
  case MemoryScope::enumerator:                                                                              \
    return name;
#include "memory_order.def"
  }
  return "unknown scope";
}

} // namespace abi
} // namespace cupr

#endif

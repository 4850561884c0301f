/// Copies by tensor maps as PTX writes them, for both passes that read PTX:
///
///     cp.async.bulk.tensor.2d.shared::cluster.global ...   [box], [map, {x, y}], [mbarrier] {, {offsets}} {, blocks} {, policy}
///     cp.async.bulk.tensor.2d.global.shared::cta ...       [map, {x, y}], [box] {, policy}
///     cp.reduce.async.bulk.tensor.2d.global.shared::cta.add ...   the same
#ifndef CUPR_PTX_TENSOR_COPY_H
#define CUPR_PTX_TENSOR_COPY_H

#include "devicelib/abi/operation.h"
#include "parser.h"

#include <cstddef>
#include <optional>
#include <span>

namespace cupr::ptx {

/// The operands of one; they are the statement's.
struct TensorCopy {
  abi::Operation operation; ///< on global memory: Load, Store or an atomic one
  std::size_t map, box;     ///< places of the operands
  std::span<const Operand> coordinates, offsets;
  const Operand *barrier = nullptr; ///< of those to shared memory
  const Operand *blocks = nullptr;  ///< which ones of the cluster are written; null: one
};

/// Nothing: it is none, or one of a mode that is not known (rows that are given one by one, im2col along the width).
std::optional<TensorCopy> tensorCopy(const Statement &statement);

} // namespace cupr::ptx

#endif

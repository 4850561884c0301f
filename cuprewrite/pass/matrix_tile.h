/// The memory that the matrix instructions of a warp touch, by the words of their names.
///
/// Which lane moves which element of a wmma fragment is not defined (PTX ISA, "wmma"): only the tile
/// is. A tile is a number of lines of equal length, a stride apart. Line n is recorded as the access of
/// lane n, so that the record holds the exact bytes, each once; that they are this lane's is a
/// convention.
///
/// With ldmatrix and stmatrix, each of the first lanes gives the address of one row, which is its access.
#ifndef CUPR_PASS_MATRIX_TILE_H
#define CUPR_PASS_MATRIX_TILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace cupr::pass {

struct MatrixTile {
  unsigned lines = 0;
  std::uint64_t lineBytes = 0;
  unsigned elementBits = 0;
  std::int64_t denseStride = 0; ///< in elements: what holds when the instruction names none
};

/// Of wmma.load and wmma.store: `a`, `row`, `m16n16k16`, `f16` ... in any order.
std::optional<MatrixTile> wmmaTile(llvm::ArrayRef<llvm::StringRef> words);

/// Of ldmatrix and stmatrix: `m8n8`, `x4`, `b16` ...; the stride has no meaning.
std::optional<MatrixTile> matrixRows(llvm::ArrayRef<llvm::StringRef> words);

} // namespace cupr::pass

#endif

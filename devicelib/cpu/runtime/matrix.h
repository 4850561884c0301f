/// Matrix operations of a warp: what the retargeting tells the runtime of them.
///
/// A fragment is a lane's share of a matrix: some words of 32 bits with its elements,
/// the lower ones first. Which elements a lane has,
///
///     mma    PTX ISA, "Matrix fragments for mma": programs rely on it
///     wmma   is nobody's business but ours: rows behind each other are dealt out
///            evenly, and again from the start where there are more places than
///            elements (f16, as on a GPU)
#ifndef CUPR_CPU_MATRIX_H
#define CUPR_CPU_MATRIX_H

#include <cstdint>

namespace cupr::cpu {

enum class MatrixType : std::uint8_t { F16, BF16, TF32, F32, F64, S8, U8, S32 };
enum class FragmentLayout : std::uint8_t { Mma, Wmma };

constexpr unsigned elementBytes(MatrixType type) {
  switch (type) {
  case MatrixType::S8:
  case MatrixType::U8:
    return 1;
  case MatrixType::F16:
  case MatrixType::BF16:
    return 2;
  case MatrixType::F64:
    return 8;
  default:
    return 4;
  }
}

/// D = A * B + C; A has `rows` x `inner` elements. The lane's words: A, B, C, then D.
/// Bytes only: the retargeting writes it as an array of them.
struct MatrixOperation {
  std::uint8_t rows, columns, inner;
  MatrixType aType, bType, cType, dType;
  FragmentLayout layout;
  std::uint8_t saturates; ///< integers, at the ends of s32
  std::uint8_t aWords, bWords, cWords, dWords;
};

/// A wmma fragment in memory.
struct MatrixTile {
  std::uint8_t rows, columns;
  MatrixType type;
  std::uint8_t columnMajor;
  std::uint8_t words;
};

static_assert(sizeof(MatrixOperation) == 13 && sizeof(MatrixTile) == 5, "bytes only");

} // namespace cupr::cpu

#endif

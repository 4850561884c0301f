#include "matrix_tile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// m16n8k32: rows and columns of the product, and the length of what is summed up.
struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

/// k is missing in the shapes of ldmatrix.
std::optional<Shape> shapeOf(StringRef word) {
  Shape shape;
  if (!word.consume_front("m") || word.consumeInteger(10, shape.m) || !word.consume_front("n") ||
      word.consumeInteger(10, shape.n))
    return std::nullopt;
  if (word.consume_front("k") && word.consumeInteger(10, shape.k))
    return std::nullopt;
  return word.empty() ? std::optional(shape) : std::nullopt;
}

std::optional<Shape> shapeIn(ArrayRef<StringRef> words) {
  for (const StringRef word : words)
    if (const auto shape = shapeOf(word))
      return shape;
  return std::nullopt;
}

unsigned bitsOfElement(StringRef word) {
  return StringSwitch<unsigned>(word)
      .Cases({"f16", "bf16"}, 16)
      .Cases({"f32", "tf32", "s32"}, 32)
      .Case("f64", 64)
      .Cases({"u8", "s8"}, 8)
      .Cases({"u4", "s4"}, 4)
      .Case("b1", 1)
      .Default(0);
}

} // namespace

std::optional<MatrixTile> wmmaTile(ArrayRef<StringRef> words) {
  const auto shape = shapeIn(words);
  MatrixTile tile;
  for (const StringRef word : words)
    if (const unsigned bits = bitsOfElement(word))
      tile.elementBits = bits;
  if (!shape || !shape->k || !tile.elementBits)
    return std::nullopt;
  unsigned rows = 0, columns = 0;
  if (is_contained(words, "a"))
    rows = shape->m, columns = shape->k;
  else if (is_contained(words, "b"))
    rows = shape->k, columns = shape->n;
  else if (is_contained(words, "c") || is_contained(words, "d"))
    rows = shape->m, columns = shape->n;
  if (is_contained(words, "col"))
    std::swap(rows, columns);
  else if (!is_contained(words, "row"))
    return std::nullopt;
  tile.lines = rows;
  tile.lineBytes = std::uint64_t{columns} * tile.elementBits / 8;
  tile.denseStride = columns;
  return rows != 0 && rows <= 32 && tile.lineBytes != 0 ? std::optional(tile) : std::nullopt;
}

std::optional<MatrixTile> matrixRows(ArrayRef<StringRef> words) {
  const auto shape = shapeIn(words);
  const unsigned matrices = is_contained(words, "x4")   ? 4
                            : is_contained(words, "x2") ? 2
                            : is_contained(words, "x1") ? 1
                                                        : 0;
  if (!shape || !matrices)
    return std::nullopt;
  MatrixTile tile;
  // Matrices of 8 rows, and those of m16n16, of 16. A row takes 16 bytes; elements of 4 and 6 bits
  // are followed by padding up to that.
  tile.lines = matrices * (shape->m == 16 && shape->n == 16 ? 16 : 8);
  tile.lineBytes = is_contained(words, "b4x16_p64") ? 8 : is_contained(words, "b6x16_p32") ? 12 : 16;
  return tile.lines <= 32 ? std::optional(tile) : std::nullopt;
}

} // namespace cupr::pass

/// Matrix operations: all lanes of a warp meet, and the last one computes for all.
///
/// Sums are made in double and rounded once: at least as exact as a GPU's, whose order
/// and width of additions are not told.
#include "matrix.h"

#include "block.h"
#include "poisoned_bytes.h"

#include "devicelib/abi/operation.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cupr::cpu {

namespace {

constexpr unsigned kLargestSide = 32;

struct Position {
  unsigned row, column;
};

/// Of the `element`-th element of a lane's fragment, for each layout.
Position inWmma(unsigned lane, unsigned element, unsigned count, unsigned rows, unsigned columns) {
  const unsigned place = (lane * count + element) % (rows * columns);
  return {place / columns, place % columns};
}
Position inA(unsigned lane, unsigned element, unsigned packed, unsigned rows) {
  const unsigned word = element / packed, blocks = rows / 8;
  return {lane / 4 + 8 * (word % blocks),
          lane % 4 * packed + element % packed + 4 * packed * (word / blocks)};
}
Position inB(unsigned lane, unsigned element, unsigned packed) {
  return {lane % 4 * packed + element % packed + 4 * packed * (element / packed), lane / 4};
}
Position inC(unsigned lane, unsigned element) {
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

double valueOf(const unsigned char *at, MatrixType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, elementBytes(type));
  const auto low = static_cast<std::uint32_t>(bits);
  switch (type) {
  case MatrixType::F16:
    return static_cast<double>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
  case MatrixType::BF16:
    return static_cast<double>(std::bit_cast<float>(low << 16));
  case MatrixType::TF32: // the lower bits are not looked at
    return static_cast<double>(std::bit_cast<float>(low & 0xffffe000u));
  case MatrixType::F32:
    return static_cast<double>(std::bit_cast<float>(low));
  case MatrixType::F64:
    return std::bit_cast<double>(bits);
  case MatrixType::S8:
    return static_cast<std::int8_t>(low);
  case MatrixType::U8:
    return low;
  case MatrixType::S32:
    return static_cast<std::int32_t>(low);
  }
  return 0;
}

void setValue(unsigned char *at, MatrixType type, double value, bool saturates) {
  if (type == MatrixType::F64) {
    std::memcpy(at, &value, sizeof value);
  } else if (type == MatrixType::F32) {
    const float rounded = static_cast<float>(value);
    std::memcpy(at, &rounded, sizeof rounded);
  } else if (type == MatrixType::F16) {
    const _Float16 rounded = static_cast<_Float16>(value);
    std::memcpy(at, &rounded, sizeof rounded);
  } else { // S32: a sum of products of bytes is exact in a double
    using Limits = std::numeric_limits<std::int32_t>;
    auto whole = static_cast<std::int64_t>(value);
    if (saturates)
      whole = whole < Limits::min() ? Limits::min() : whole > Limits::max() ? Limits::max() : whole;
    const auto wrapped = static_cast<std::uint32_t>(whole);
    std::memcpy(at, &wrapped, sizeof wrapped);
  }
}

struct MultiplyCall {
  const MatrixOperation *operation;
  unsigned char *words;
};

/// The matrices of one operation, put together of the fragments.
class Multiplication {
public:
  explicit Multiplication(const MatrixOperation &operation) : o_(operation) {}

  void gather(unsigned lane, const unsigned char *words) {
    eachElement(lane, words, o_.aWords, o_.aType, Role::A,
                [&](Position at, const unsigned char *p) { a_[at.row][at.column] = valueOf(p, o_.aType); });
    words += o_.aWords * 4;
    eachElement(lane, words, o_.bWords, o_.bType, Role::B,
                [&](Position at, const unsigned char *p) { b_[at.row][at.column] = valueOf(p, o_.bType); });
    words += o_.bWords * 4;
    eachElement(lane, words, o_.cWords, o_.cType, Role::C,
                [&](Position at, const unsigned char *p) { c_[at.row][at.column] = valueOf(p, o_.cType); });
  }

  void compute() {
    for (unsigned row = 0; row < o_.rows; ++row)
      for (unsigned column = 0; column < o_.columns; ++column)
        for (unsigned k = 0; k < o_.inner; ++k)
          c_[row][column] = std::fma(a_[row][k], b_[k][column], c_[row][column]);
  }

  void scatter(unsigned lane, unsigned char *words) const {
    words += (o_.aWords + o_.bWords + o_.cWords) * 4;
    eachElement(lane, words, o_.dWords, o_.dType, Role::C, [&](Position at, unsigned char *p) {
      setValue(p, o_.dType, c_[at.row][at.column], o_.saturates);
    });
  }

private:
  enum class Role { A, B, C };

  template <typename Byte, typename Visit>
  void eachElement(unsigned lane, Byte *words, unsigned count, MatrixType type, Role role,
                   Visit visit) const {
    const unsigned bytes = elementBytes(type), elements = count * 4 / bytes,
                   packed = bytes < 4 ? 4 / bytes : 1;
    const unsigned rows = role == Role::B ? o_.inner : o_.rows,
                   columns = role == Role::A ? o_.inner : o_.columns;
    for (unsigned i = 0; i < elements; ++i) {
      const Position at = o_.layout == FragmentLayout::Wmma ? inWmma(lane, i, elements, rows, columns)
                          : role == Role::A                 ? inA(lane, i, packed, o_.rows)
                          : role == Role::B                 ? inB(lane, i, packed)
                                                            : inC(lane, i);
      visit(at, words + i * bytes);
    }
  }

  const MatrixOperation &o_;
  double a_[kLargestSide][kLargestSide] = {}, b_[kLargestSide][kLargestSide] = {},
         c_[kLargestSide][kLargestSide] = {};
};

void multiply(void *const *lanes, std::uint32_t mask) {
  const auto call = [&](unsigned lane) { return *static_cast<const MultiplyCall *>(lanes[lane]); };
  Multiplication matrices(*call(static_cast<unsigned>(std::countr_zero(mask))).operation);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      matrices.gather(lane, call(lane).words);
  matrices.compute();
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      matrices.scatter(lane, call(lane).words);
}

struct LoadCall {
  std::uint32_t *words;
  const unsigned char *row; ///< 16 bytes: lane 8 * i + r has row r of matrix i
  unsigned matrices;
  bool transposed;
};

void loadMatrices(void *const *lanes, std::uint32_t mask) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    const auto &own = *static_cast<const LoadCall *>(lanes[lane]);
    for (unsigned i = 0; i < own.matrices; ++i) {
      unsigned char pair[4] = {};
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned row = own.transposed ? lane % 4 * 2 + half : lane / 4;
        const unsigned column = own.transposed ? lane / 4 : lane % 4 * 2 + half;
        if (mask >> (8 * i + row) & 1)
          std::memcpy(pair + 2 * half, static_cast<const LoadCall *>(lanes[8 * i + row])->row + 2 * column,
                      2);
      }
      std::memcpy(own.words + i, pair, sizeof pair);
    }
  }
}

/// As retargeted code looks at its own accesses.
void look(abi::Operation operation, const unsigned char *pointer, unsigned bytes, Place place) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const LaneState &state = __cupr_cpu_lane;
  if (address % bytes || address % kPage + bytes + state.poisonedBytes[address >> state.pageShift] > kPage)
    calls::Check(static_cast<U32>(operation), const_cast<unsigned char *>(pointer), bytes, bytes, place);
}

/// Visits the elements of the running lane's wmma fragment: where they are in memory, and in its words.
template <typename Visit>
void eachElement(const MatrixTile &tile, void *words, void *memory, std::uint32_t stride, Visit visit) {
  const unsigned bytes = elementBytes(tile.type), count = tile.words * 4u / bytes;
  for (unsigned i = 0; i < count; ++i) {
    const Position at = inWmma(__cupr_cpu_lane.position.lane, i, count, tile.rows, tile.columns);
    const std::uint64_t offset = tile.columnMajor ? std::uint64_t{at.column} * stride + at.row
                                                  : std::uint64_t{at.row} * stride + at.column;
    visit(static_cast<unsigned char *>(memory) + offset * bytes,
          static_cast<unsigned char *>(words) + i * bytes, bytes);
  }
}

} // namespace

namespace calls {

void MultiplyMatrices(Ptr operation, Ptr words, Place place) {
  MultiplyCall call{static_cast<const MatrixOperation *>(operation), static_cast<unsigned char *>(words)};
  Block::running()->at(place).together(&call, multiply);
}

void LoadMatrices(Ptr words, Ptr row, U32 matrices, U32 transposed, Place place) {
  LoadCall call{static_cast<std::uint32_t *>(words), static_cast<const unsigned char *>(row), matrices,
                transposed != 0};
  if (__cupr_cpu_lane.position.lane < 8 * matrices)
    look(abi::Operation::Load, call.row, 16, place);
  Block::running()->at(place).together(&call, loadMatrices);
}

void LoadTile(Ptr tile, Ptr words, Ptr memory, U32 stride, Place place) {
  Block::running()->at(place).syncWarp(~0u);
  eachElement(*static_cast<const MatrixTile *>(tile), words, memory, stride,
              [&](unsigned char *from, unsigned char *to, unsigned bytes) {
                look(abi::Operation::Load, from, bytes, place);
                std::memcpy(to, from, bytes);
              });
}

void StoreTile(Ptr tile, Ptr words, Ptr memory, U32 stride, Place place) {
  Block::running()->at(place).syncWarp(~0u);
  eachElement(*static_cast<const MatrixTile *>(tile), words, memory, stride,
              [&](unsigned char *to, const unsigned char *from, unsigned bytes) {
                look(abi::Operation::Store, to, bytes, place);
                std::memcpy(to, from, bytes);
              });
}

} // namespace calls

} // namespace cupr::cpu

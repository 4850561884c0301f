/// What the instructions of a slice compute (devicelib/abi/slice.def), in 32 lanes and in all blocks of a family. Long, since each of them is here.
#include "warp_registers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cupr::analysis {

namespace {

using abi::SliceOperation;

std::uint64_t reverseBits(std::uint64_t value, unsigned width) {
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < width; ++bit)
    result |= (value >> bit & 1) << (width - 1 - bit);
  return result;
}

std::uint64_t divideSigned(std::int64_t a, std::int64_t b) {
  if (b == 0)
    return ~0ull;
  return b == -1 ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a / b);
}
std::uint64_t remainderSigned(std::int64_t a, std::int64_t b) {
  if (b == 0)
    return static_cast<std::uint64_t>(a);
  return b == -1 ? 0 : static_cast<std::uint64_t>(a % b);
}

/// Funnel shifts: `high:low`, of `width` bits each, shifted left; the upper half.
std::uint64_t funnelLeft(std::uint64_t high, std::uint64_t low, std::uint64_t by, unsigned width) {
  by %= width;
  return by == 0 ? high : high << by | low >> (width - by);
}
std::uint64_t funnelRight(std::uint64_t high, std::uint64_t low, std::uint64_t by, unsigned width) {
  by %= width;
  return by == 0 ? low : low >> by | high << (width - by);
}

template <typename Float> unsigned relationOf(Float a, Float b) {
  return std::isnan(a) || std::isnan(b) ? 8u : a == b ? 1u : a > b ? 2u : 4u;
}
bool holdsOfFloats(std::uint64_t a, std::uint64_t b, unsigned width, unsigned which) {
  const unsigned relation = width == 64 ? relationOf(std::bit_cast<double>(a), std::bit_cast<double>(b))
                                        : relationOf(std::bit_cast<float>(static_cast<std::uint32_t>(a)),
                                                     std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  return (relation & which) != 0;
}

} // namespace

/// A function of one operand, the same in all blocks.
template <typename Function>
void WarpRegisters::map(const abi::SliceInstruction &instruction, Function function) {
  mustStand(instruction.a);
  if (isUniform(instruction.a))
    return setAffine(instruction.result, function(registers_[instruction.a].base), 0, instruction.width);
  Lanes scratch;
  const Lanes &values = each(instruction.a, scratch);
  const std::uint64_t bits = maskBits(instruction.width);
  setEach(instruction.result, [&](unsigned lane) { return function(values[lane]) & bits; });
}

/// A function of two operands, lane by lane; the same in all blocks.
template <typename Function>
void WarpRegisters::combine(const abi::SliceInstruction &instruction, Function function) {
  mustStand(instruction.a);
  mustStand(instruction.b);
  if (isUniform(instruction.a) && isUniform(instruction.b))
    return setAffine(instruction.result,
                     function(registers_[instruction.a].base, registers_[instruction.b].base), 0,
                     instruction.width);
  Lanes scratchA, scratchB;
  const Lanes &a = each(instruction.a, scratchA), &b = each(instruction.b, scratchB);
  const std::uint64_t bits = maskBits(instruction.width);
  setEach(instruction.result, [&](unsigned lane) { return function(a[lane], b[lane]) & bits; });
}

/// A function of one operand whose result grows by `shift` from block to block.
template <typename Function>
void WarpRegisters::mapMoving(const abi::SliceInstruction &instruction, Function function,
                              std::uint64_t shift) {
  Lanes scratch;
  const Lanes &values = each(instruction.a, scratch);
  const std::uint64_t bits = maskBits(instruction.width);
  setMoving(
      instruction.result, [&](unsigned lane) { return function(values[lane]) & bits; }, instruction.width,
      shift);
}

/// The same, of two operands.
template <typename Function>
void WarpRegisters::combineMoving(const abi::SliceInstruction &instruction, Function function,
                                  std::int64_t shift) {
  Lanes scratchA, scratchB;
  const Lanes &a = each(instruction.a, scratchA), &b = each(instruction.b, scratchB);
  const std::uint64_t bits = maskBits(instruction.width);
  setMoving(
      instruction.result, [&](unsigned lane) { return function(a[lane], b[lane]) & bits; }, instruction.width,
      static_cast<std::uint64_t>(shift));
}

/// The first of two operands where `isBetter(first, second)`, else the second one; the same one in all blocks.
template <typename Function>
void WarpRegisters::chooseBetter(const abi::SliceInstruction &instruction, bool isSigned, Function isBetter) {
  const unsigned width = instruction.width;
  const auto better = [&](std::uint64_t x, std::uint64_t y) -> bool {
    return isSigned ? isBetter(asSigned(x, width), asSigned(y, width)) : isBetter(x, y);
  };
  const std::int64_t shiftA = shiftOf(instruction.a), shiftB = shiftOf(instruction.b);
  if (shiftA == 0 && shiftB == 0)
    return combine(instruction, [&](std::uint64_t x, std::uint64_t y) { return better(x, y) ? x : y; });
  const std::uint32_t first = comparison(instruction, isSigned, isBetter) & active_;
  if (first == active_ || first == 0)
    return take(instruction.result, first ? instruction.a : instruction.b);
  if (shiftA != shiftB)
    family_.keepFirst();
  combineMoving(instruction, [&](std::uint64_t x, std::uint64_t y) { return better(x, y) ? x : y; }, shiftA);
}

/// `function`: whether a pair of numbers compares so; for a pair of numbers whose difference only grows, or only falls, from lane to
/// lane, as for orders, what holds in the first and the last holds in all. So for blocks: it must hold in all of them, or in none.
template <typename Function>
std::uint32_t WarpRegisters::comparison(const abi::SliceInstruction &instruction, bool isSigned,
                                        Function function) {
  const unsigned width = instruction.width;
  if (isSigned) {
    keepSign(instruction.a, width);
    keepSign(instruction.b, width);
  }
  const __int128 shift = static_cast<__int128>(shiftOf(instruction.a)) - shiftOf(instruction.b);
  const auto keepResult = [&](__int128 difference) {
    if (shift == 0 || family_.isSingle())
      return;
    const auto resultOf = [&](int sign) -> bool { return function(sign, 0); };
    const int sign = difference < 0 ? -1 : difference > 0 ? 1 : 0, way = shift < 0 ? -1 : 1;
    constexpr __int128 kFar = static_cast<__int128>(1) << 80; // beyond all differences
    if (sign == 0) {
      if (resultOf(way) != resultOf(0))
        family_.keepFirst();
    } else if (sign != way && resultOf(0) != resultOf(sign)) {
      family_.keepWithin(difference, shift, sign > 0 ? 1 : -kFar, sign > 0 ? kFar : -1);
    } else if (sign != way && resultOf(way) != resultOf(sign)) {
      family_.keepWithin(difference, shift, sign > 0 ? 0 : -kFar, sign > 0 ? kFar : 0);
    }
  };
  const Register &a = registers_[instruction.a], &b = registers_[instruction.b];
  if (a.kind == Register::Kind::Affine && b.kind == Register::Kind::Affine) {
    const auto end = [&](const Register &of, unsigned lane) -> __int128 {
      const std::uint64_t value = of.base + static_cast<std::uint64_t>(of.stride) * lane;
      return isSigned ? static_cast<__int128>(asSigned(value, width)) : static_cast<__int128>(value);
    };
    const __int128 firstA = end(a, 0), lastA = end(a, kLast), firstB = end(b, 0), lastB = end(b, kLast);
    const bool staysA = lastA - firstA == static_cast<__int128>(a.stride) * kLast,
               staysB = lastB - firstB == static_cast<__int128>(b.stride) * kLast;
    const __int128 first = firstA - firstB, last = lastA - lastB;
    const auto signOf = [](__int128 number) { return number < 0 ? -1 : number > 0 ? 1 : 0; };
    if (staysA && staysB && signOf(first) == signOf(last)) {
      keepResult(first);
      keepResult(last);
      return function(firstA, firstB) ? kAllLanes : 0;
    }
  }
  Lanes scratchA, scratchB;
  const Lanes &left = each(instruction.a, scratchA), &right = each(instruction.b, scratchB);
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const bool is = isSigned ? function(asSigned(left[lane], width), asSigned(right[lane], width))
                             : function(left[lane], right[lane]);
    mask |= static_cast<std::uint32_t>(is) << lane;
    if (shift != 0 && active_ >> lane & 1)
      keepResult(isSigned ? static_cast<__int128>(asSigned(left[lane], width)) - asSigned(right[lane], width)
                          : static_cast<__int128>(left[lane]) - static_cast<__int128>(right[lane]));
  }
  return mask;
}

template <typename Function>
void WarpRegisters::compare(const abi::SliceInstruction &instruction, bool isSigned, Function function) {
  setMask(instruction.result, comparison(instruction, isSigned, function));
}

void WarpRegisters::add(const abi::SliceInstruction &instruction, bool subtracts) {
  const auto sum = [subtracts](std::uint64_t x, std::uint64_t y) { return subtracts ? x - y : x + y; };
  const auto sumOf = [&](std::int64_t x, std::int64_t y) {
    return sum(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y));
  };
  const std::uint64_t shift = sumOf(shiftOf(instruction.a), shiftOf(instruction.b));
  const Register &a = registers_[instruction.a], &b = registers_[instruction.b];
  if (a.kind == Register::Kind::Affine && b.kind == Register::Kind::Affine)
    return setAffine(instruction.result, sum(a.base, b.base), sumOf(a.stride, b.stride), instruction.width,
                     shift);
  combineMoving(instruction, sum, static_cast<std::int64_t>(shift));
}

/// `many` is Affine.
void WarpRegisters::multiply(const abi::SliceInstruction &instruction, std::uint16_t many,
                             std::uint64_t factor) {
  const auto shift = static_cast<std::uint64_t>(shiftOf(many)) * factor;
  const Register from = registers_[many];
  setAffine(instruction.result, from.base * factor, static_cast<std::uint64_t>(from.stride) * factor,
            instruction.width, shift);
}

void WarpRegisters::multiply(const abi::SliceInstruction &instruction) {
  const auto isFactor = [&](std::uint16_t number) { return isUniform(number) && isStanding(number); };
  const auto times = [](std::uint64_t x, std::uint64_t y) { return x * y; };
  const bool isLast = isFactor(instruction.b);
  if (!isLast && !isFactor(instruction.a))
    return combine(instruction, times);
  const std::uint16_t many = isLast ? instruction.a : instruction.b;
  const std::uint64_t factor = registers_[isLast ? instruction.b : instruction.a].base;
  if (registers_[many].kind == Register::Kind::Affine)
    return multiply(instruction, many, factor);
  combineMoving(instruction, times,
                static_cast<std::int64_t>(static_cast<std::uint64_t>(shiftOf(many)) * factor));
}

/// Division by a number that divides the shift, and what is left of it: each block's result is so much further on, or the same. False:
/// it is another case.
bool WarpRegisters::divideMoving(const abi::SliceInstruction &instruction, std::uint64_t by, bool isSigned,
                                 bool wantsRest) {
  const std::int64_t shift = shiftOf(instruction.a);
  if (shift == 0 || by == 0 || by > INT64_MAX || shift % static_cast<std::int64_t>(by) != 0)
    return false;
  if (isSigned) {
    const std::uint64_t half = std::uint64_t{1} << (instruction.width - 1);
    if (by >= half || largest(instruction.a) >= half)
      return false;
    keepSign(instruction.a, instruction.width);
  }
  if (wantsRest)
    combineMoving(instruction, [by](std::uint64_t x, std::uint64_t) { return x % by; }, 0);
  else
    combineMoving(
        instruction, [by](std::uint64_t x, std::uint64_t) { return x / by; },
        shift / static_cast<std::int64_t>(by));
  return true;
}

void WarpRegisters::choose(const abi::SliceInstruction &instruction) {
  const std::uint32_t yes = maskOf(instruction.a) & active_;
  if (yes == active_ || yes == 0)
    return take(instruction.result, yes ? instruction.b : instruction.c);
  const std::int64_t shift = shiftOf(instruction.b, yes);
  if (shift != shiftOf(instruction.c, active_ & ~yes))
    family_.keepFirst();
  Lanes scratchB, scratchC;
  const Lanes &b = each(instruction.b, scratchB), &c = each(instruction.c, scratchC);
  setLanes(instruction.result, [&](unsigned lane) { return yes >> lane & 1 ? b[lane] : c[lane]; });
  setShift(instruction.result, shift);
}

void WarpRegisters::compareFloats(const abi::SliceInstruction &instruction) {
  mustStand(instruction.a);
  mustStand(instruction.b);
  Lanes scratchA, scratchB;
  const Lanes &left = each(instruction.a, scratchA), &right = each(instruction.b, scratchB);
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    mask |= static_cast<std::uint32_t>(
                holdsOfFloats(left[lane], right[lane], instruction.width, instruction.other))
            << lane;
  setMask(instruction.result, mask);
}

void WarpRegisters::truncate(const abi::SliceInstruction &instruction) {
  const Register &from = registers_[instruction.a];
  const auto shift = static_cast<std::uint64_t>(shiftOf(instruction.a));
  if (from.kind == Register::Kind::Affine)
    return setAffine(instruction.result, from.base, static_cast<std::uint64_t>(from.stride),
                     instruction.width, shift);
  if (from.kind == Register::Kind::Mask)
    return take(instruction.result, instruction.a);
  mapMoving(instruction, [](std::uint64_t x) { return x; }, shift);
}

void WarpRegisters::signExtend(const abi::SliceInstruction &instruction) {
  const Register &from = registers_[instruction.a];
  const unsigned bits = instruction.other;
  keepSign(instruction.a, bits);
  const std::int64_t shift = shiftOf(instruction.a);
  const std::uint64_t last = from.base + static_cast<std::uint64_t>(from.stride) * kLast;
  if (from.kind == Register::Kind::Affine && (from.base >> (bits - 1) & 1) == (last >> (bits - 1) & 1))
    return setAffine(instruction.result, static_cast<std::uint64_t>(asSigned(from.base, bits)),
                     static_cast<std::uint64_t>(from.stride), instruction.width,
                     static_cast<std::uint64_t>(shift));
  mapMoving(
      instruction, [bits](std::uint64_t x) { return static_cast<std::uint64_t>(asSigned(x, bits)); },
      static_cast<std::uint64_t>(shift));
}

void WarpRegisters::funnelShift(const abi::SliceInstruction &instruction, bool isLeft) {
  const unsigned width = instruction.width;
  for (const std::uint16_t operand : {instruction.a, instruction.b, instruction.c})
    mustStand(operand);
  Lanes scratchA, scratchB, scratchC;
  const Lanes &high = each(instruction.a, scratchA), &low = each(instruction.b, scratchB),
              &by = each(instruction.c, scratchC);
  setEach(instruction.result, [&](unsigned lane) {
    return (isLeft ? funnelLeft(high[lane], low[lane], by[lane], width)
                   : funnelRight(high[lane], low[lane], by[lane], width)) &
           maskBits(width);
  });
}

/// A function of the bits of two operands, the same for each bit.
template <typename Function>
void WarpRegisters::combineBits(const abi::SliceInstruction &instruction, Function function) {
  const std::int64_t shiftA = shiftOf(instruction.a), shiftB = shiftOf(instruction.b);
  if ((shiftA != 0) != (shiftB != 0)) {
    // Below its lowest bit, the shift changes nothing: there the other operand may have what it likes.
    const std::int64_t shift = shiftA | shiftB;
    if (largest(shiftA ? instruction.b : instruction.a) >>
            std::countr_zero(static_cast<std::uint64_t>(shift)) ==
        0)
      return combineMoving(instruction, function, function(1u, 0u) != 0 ? shift : 0);
  }
  const auto isMask = [&](std::uint16_t number) {
    return registers_[number].kind == Register::Kind::Mask || isUniform(number);
  };
  if (instruction.width == 1 && isMask(instruction.a) && isMask(instruction.b))
    return setMask(instruction.result,
                   static_cast<std::uint32_t>(function(maskOf(instruction.a), maskOf(instruction.b))));
  combine(instruction, function);
}

void WarpRegisters::execute(const abi::SliceInstruction &instruction) {
  const unsigned width = instruction.width;
  const Register a = registers_[instruction.a]; // a copy: the result may be the same register
  /// The second operand is the same in all lanes and blocks.
  const auto isByNumber = [&] { return isUniform(instruction.b) && isStanding(instruction.b); };
  switch (static_cast<SliceOperation>(instruction.operation)) {
  case SliceOperation::Move:
    return take(instruction.result, instruction.a);
  case SliceOperation::Add:
    return add(instruction, /*subtracts=*/false);
  case SliceOperation::Subtract:
    return add(instruction, /*subtracts=*/true);
  case SliceOperation::Multiply:
    return multiply(instruction);
  case SliceOperation::ShiftLeft:
    if (isByNumber() && registers_[instruction.b].base < width) {
      const std::uint64_t by = registers_[instruction.b].base;
      if (a.kind == Register::Kind::Affine)
        return multiply(instruction, instruction.a, 1ull << by);
      return combineMoving(
          instruction, [by](std::uint64_t x, std::uint64_t) { return x << by; },
          static_cast<std::int64_t>(static_cast<std::uint64_t>(shiftOf(instruction.a)) << by));
    }
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) { return y < width ? x << y : 0; });
  case SliceOperation::ShiftRight:
    if (isByNumber() && registers_[instruction.b].base < std::min(width, 63u) &&
        divideMoving(instruction, 1ull << registers_[instruction.b].base, /*isSigned=*/false,
                     /*wantsRest=*/false))
      return;
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) { return y < width ? x >> y : 0; });
  case SliceOperation::ShiftRightSigned:
    if (isByNumber() && registers_[instruction.b].base < width - 1 &&
        divideMoving(instruction, 1ull << registers_[instruction.b].base, /*isSigned=*/true,
                     /*wantsRest=*/false))
      return;
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return static_cast<std::uint64_t>(asSigned(x, width) >> std::min<std::uint64_t>(y, 63));
    });
  case SliceOperation::MultiplyHighUnsigned:
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return static_cast<std::uint64_t>(static_cast<unsigned __int128>(x) * y >> width);
    });
  case SliceOperation::MultiplyHighSigned:
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return static_cast<std::uint64_t>(static_cast<__int128>(asSigned(x, width)) * asSigned(y, width) >>
                                        width);
    });
  case SliceOperation::DivideUnsigned:
    if (isByNumber() && divideMoving(instruction, registers_[instruction.b].base, false, /*wantsRest=*/false))
      return;
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return y ? x / y : ~0ull; });
  case SliceOperation::RemainderUnsigned:
    if (isByNumber() && divideMoving(instruction, registers_[instruction.b].base, false, /*wantsRest=*/true))
      return;
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return y ? x % y : x; });
  case SliceOperation::DivideSigned:
    if (isByNumber() && divideMoving(instruction, registers_[instruction.b].base, true, /*wantsRest=*/false))
      return;
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return divideSigned(asSigned(x, width), asSigned(y, width));
    });
  case SliceOperation::RemainderSigned:
    if (isByNumber() && divideMoving(instruction, registers_[instruction.b].base, true, /*wantsRest=*/true))
      return;
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return remainderSigned(asSigned(x, width), asSigned(y, width));
    });
  case SliceOperation::And:
    return combineBits(instruction, [](std::uint64_t x, std::uint64_t y) { return x & y; });
  case SliceOperation::Or:
    return combineBits(instruction, [](std::uint64_t x, std::uint64_t y) { return x | y; });
  case SliceOperation::Xor:
    return combineBits(instruction, [](std::uint64_t x, std::uint64_t y) { return x ^ y; });
  case SliceOperation::MinimumUnsigned:
    return chooseBetter(instruction, false, [](auto x, auto y) { return x < y; });
  case SliceOperation::MaximumUnsigned:
    return chooseBetter(instruction, false, [](auto x, auto y) { return x > y; });
  case SliceOperation::MinimumSigned:
    return chooseBetter(instruction, true, [](auto x, auto y) { return x < y; });
  case SliceOperation::MaximumSigned:
    return chooseBetter(instruction, true, [](auto x, auto y) { return x > y; });
  case SliceOperation::Equal:
    return compare(instruction, false, [](auto x, auto y) { return x == y; });
  case SliceOperation::NotEqual:
    return compare(instruction, false, [](auto x, auto y) { return x != y; });
  case SliceOperation::LessUnsigned:
    return compare(instruction, false, [](auto x, auto y) { return x < y; });
  case SliceOperation::LessEqualUnsigned:
    return compare(instruction, false, [](auto x, auto y) { return x <= y; });
  case SliceOperation::LessSigned:
    return compare(instruction, true, [](auto x, auto y) { return x < y; });
  case SliceOperation::LessEqualSigned:
    return compare(instruction, true, [](auto x, auto y) { return x <= y; });
  case SliceOperation::CompareFloat:
    return compareFloats(instruction);
  case SliceOperation::Choose:
    return choose(instruction);
  case SliceOperation::Truncate:
    return truncate(instruction);
  case SliceOperation::SignExtend:
    return signExtend(instruction);
  case SliceOperation::FunnelShiftLeft:
    return funnelShift(instruction, /*isLeft=*/true);
  case SliceOperation::FunnelShiftRight:
    return funnelShift(instruction, /*isLeft=*/false);
  case SliceOperation::CountOnes:
    return map(instruction, [](std::uint64_t x) { return static_cast<std::uint64_t>(std::popcount(x)); });
  case SliceOperation::CountLeadingZeros:
    return map(instruction, [width](std::uint64_t x) {
      return static_cast<std::uint64_t>(std::countl_zero(x & maskBits(width))) - (64u - width);
    });
  case SliceOperation::LeadingShift:
    return map(instruction, [width](std::uint64_t x) {
      const std::uint64_t zeros =
          static_cast<std::uint64_t>(std::countl_zero(x & maskBits(width))) - (64u - width);
      return zeros == width ? ~0ull : zeros;
    });
  case SliceOperation::CountTrailingZeros:
    return map(instruction, [width](std::uint64_t x) {
      return std::min<std::uint64_t>(static_cast<std::uint64_t>(std::countr_zero(x)), width);
    });
  case SliceOperation::ReverseBits:
    return map(instruction, [width](std::uint64_t x) { return reverseBits(x, width); });
  case SliceOperation::ReverseBytes:
    return map(instruction, [width](std::uint64_t x) { return __builtin_bswap64(x) >> (64 - width); });
  case SliceOperation::Load: // of memory, not of registers (derived_block.cpp)
  case SliceOperation::Access:
  case SliceOperation::Barrier:
  case SliceOperation::Jump:
  case SliceOperation::Branch:
  case SliceOperation::Exit:
    break;
  }
}

} // namespace cupr::analysis

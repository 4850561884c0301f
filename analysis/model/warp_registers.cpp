#include "warp_registers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cupr::analysis {

namespace {

using abi::SliceOperation;

constexpr std::uint32_t kAllLanes = 0xffffffffu;
constexpr unsigned kLast = 31; ///< lane

constexpr std::uint64_t maskBits(unsigned width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }
constexpr std::int64_t asSigned(std::uint64_t value, unsigned width) {
  const unsigned unused = 64 - width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

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
  return by == 0 ? high : (high << by | low >> (width - by)) & maskBits(width);
}
std::uint64_t funnelRight(std::uint64_t high, std::uint64_t low, std::uint64_t by, unsigned width) {
  by %= width;
  return by == 0 ? low : (low >> by | high << (width - by)) & maskBits(width);
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

void WarpRegisters::clearFrom(std::size_t number) {
  std::fill(registers_.begin() + static_cast<std::ptrdiff_t>(number), registers_.end(), Register{});
}

bool WarpRegisters::isAffine(std::uint16_t number, std::uint64_t &base, std::int64_t &stride) const {
  const Register &from = registers_[number];
  base = from.base;
  stride = from.stride;
  return from.kind == Register::Kind::Affine;
}

const WarpRegisters::Lanes &WarpRegisters::each(std::uint16_t number, Lanes &scratch) const {
  const Register &from = registers_[number];
  switch (from.kind) {
  case Register::Kind::Each:
    return lanes_[number];
  case Register::Kind::Affine:
    for (unsigned lane = 0; lane < kLanes; ++lane)
      scratch[lane] = from.base + static_cast<std::uint64_t>(from.stride) * lane;
    break;
  case Register::Kind::Mask:
    for (unsigned lane = 0; lane < kLanes; ++lane)
      scratch[lane] = from.base >> lane & 1;
    break;
  }
  return scratch;
}

std::uint32_t WarpRegisters::maskOf(std::uint16_t number) const {
  const Register &from = registers_[number];
  if (from.kind == Register::Kind::Mask)
    return static_cast<std::uint32_t>(from.base);
  if (from.kind == Register::Kind::Affine && from.stride == 0)
    return from.base ? kAllLanes : 0;
  Lanes scratch;
  const Lanes &values = each(number, scratch);
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    mask |= static_cast<std::uint32_t>(values[lane] != 0) << lane;
  return mask;
}

void WarpRegisters::makeEach(std::uint16_t number) {
  if (registers_[number].kind == Register::Kind::Each)
    return;
  Lanes scratch;
  const Lanes &values = each(number, scratch);
  lanes_[number] = values;
  registers_[number].kind = Register::Kind::Each;
}

/// Where lanes don't run that will run again, their value stays. `value` is no Each.
void WarpRegisters::set(std::uint16_t number, const Register &value) {
  Register &to = registers_[number];
  if (active_ == alive_) {
    to = value;
    return;
  }
  if (to.kind == value.kind && to.base == value.base && to.stride == value.stride)
    return;
  if (to.kind == Register::Kind::Mask && value.kind == Register::Kind::Mask) {
    to.base = (to.base & ~std::uint64_t{active_}) | (value.base & active_);
    return;
  }
  makeEach(number);
  Lanes &lanes = lanes_[number];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (active_ >> lane & 1)
      lanes[lane] = value.kind == Register::Kind::Mask
                        ? value.base >> lane & 1
                        : value.base + static_cast<std::uint64_t>(value.stride) * lane;
}

void WarpRegisters::setAffine(std::uint16_t number, std::uint64_t base, std::uint64_t stride,
                              unsigned width) {
  base &= maskBits(width);
  const std::int64_t step = asSigned(stride, width);
  const __int128 last = static_cast<__int128>(base) + static_cast<__int128>(step) * kLast;
  if (last >= 0 && last <= static_cast<__int128>(maskBits(width)))
    return set(number, {base, step, Register::Kind::Affine});
  setEach(number, [&](unsigned lane) { return (base + stride * lane) & maskBits(width); });
}

void WarpRegisters::setMask(std::uint16_t number, std::uint32_t mask) {
  if ((mask & active_) == active_ || (mask & active_) == 0)
    return set(number, {(mask & active_) != 0, 0, Register::Kind::Affine});
  set(number, {mask, 0, Register::Kind::Mask});
}

/// A function of one operand.
template <typename Function>
void WarpRegisters::map(const abi::SliceInstruction &instruction, Function function) {
  if (isUniform(instruction.a))
    return setAffine(instruction.result, function(registers_[instruction.a].base), 0, instruction.width);
  Lanes scratch;
  const Lanes &values = each(instruction.a, scratch);
  const std::uint64_t bits = maskBits(instruction.width);
  setEach(instruction.result, [&](unsigned lane) { return function(values[lane]) & bits; });
}

/// A function of two operands, lane by lane.
template <typename Function>
void WarpRegisters::combine(const abi::SliceInstruction &instruction, Function function) {
  if (isUniform(instruction.a) && isUniform(instruction.b))
    return setAffine(instruction.result,
                     function(registers_[instruction.a].base, registers_[instruction.b].base), 0,
                     instruction.width);
  Lanes scratchA, scratchB;
  const Lanes &a = each(instruction.a, scratchA), &b = each(instruction.b, scratchB);
  const std::uint64_t bits = maskBits(instruction.width);
  setEach(instruction.result, [&](unsigned lane) { return function(a[lane], b[lane]) & bits; });
}

/// `function`: whether a pair of numbers compares so; for a pair of numbers whose difference only grows, or only falls, from lane to
/// lane, as for orders, what holds in the first and the last holds in all.
template <typename Function>
void WarpRegisters::compare(const abi::SliceInstruction &instruction, bool isSigned, Function function) {
  const unsigned width = instruction.width;
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
    if (staysA && staysB && signOf(first) == signOf(last))
      return setMask(instruction.result, function(firstA, firstB) ? kAllLanes : 0);
  }
  Lanes scratchA, scratchB;
  const Lanes &left = each(instruction.a, scratchA), &right = each(instruction.b, scratchB);
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const bool is = isSigned ? function(asSigned(left[lane], width), asSigned(right[lane], width))
                             : function(left[lane], right[lane]);
    mask |= static_cast<std::uint32_t>(is) << lane;
  }
  setMask(instruction.result, mask);
}

void WarpRegisters::add(const abi::SliceInstruction &instruction, bool subtracts) {
  const Register &a = registers_[instruction.a], &b = registers_[instruction.b];
  if (a.kind == Register::Kind::Affine && b.kind == Register::Kind::Affine)
    return subtracts ? setAffine(instruction.result, a.base - b.base,
                                 static_cast<std::uint64_t>(a.stride) - static_cast<std::uint64_t>(b.stride),
                                 instruction.width)
                     : setAffine(instruction.result, a.base + b.base,
                                 static_cast<std::uint64_t>(a.stride) + static_cast<std::uint64_t>(b.stride),
                                 instruction.width);
  if (subtracts)
    combine(instruction, [](std::uint64_t x, std::uint64_t y) { return x - y; });
  else
    combine(instruction, [](std::uint64_t x, std::uint64_t y) { return x + y; });
}

/// `many` is Affine.
void WarpRegisters::multiply(const abi::SliceInstruction &instruction, std::uint16_t many,
                             std::uint64_t factor) {
  const Register from = registers_[many];
  setAffine(instruction.result, from.base * factor, static_cast<std::uint64_t>(from.stride) * factor,
            instruction.width);
}

/// The register becomes what another one is, in lanes that run.
void WarpRegisters::take(std::uint16_t number, std::uint16_t from) {
  if (registers_[from].kind != Register::Kind::Each)
    return set(number, registers_[from]);
  const Lanes values = lanes_[from];
  setEach(number, [&](unsigned lane) { return values[lane]; });
}

void WarpRegisters::choose(const abi::SliceInstruction &instruction) {
  const std::uint32_t yes = maskOf(instruction.a) & active_;
  if (yes == active_ || yes == 0)
    return take(instruction.result, yes ? instruction.b : instruction.c);
  Lanes scratchB, scratchC;
  const Lanes &b = each(instruction.b, scratchB), &c = each(instruction.c, scratchC);
  setEach(instruction.result, [&](unsigned lane) { return yes >> lane & 1 ? b[lane] : c[lane]; });
}

void WarpRegisters::compareFloats(const abi::SliceInstruction &instruction) {
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
  if (from.kind == Register::Kind::Affine)
    return setAffine(instruction.result, from.base, static_cast<std::uint64_t>(from.stride),
                     instruction.width);
  if (from.kind == Register::Kind::Mask)
    return set(instruction.result, from);
  map(instruction, [](std::uint64_t x) { return x; });
}

void WarpRegisters::signExtend(const abi::SliceInstruction &instruction) {
  const Register &from = registers_[instruction.a];
  const unsigned bits = instruction.other;
  const std::uint64_t last = from.base + static_cast<std::uint64_t>(from.stride) * kLast;
  if (from.kind == Register::Kind::Affine && (from.base >> (bits - 1) & 1) == (last >> (bits - 1) & 1))
    return setAffine(instruction.result, static_cast<std::uint64_t>(asSigned(from.base, bits)),
                     static_cast<std::uint64_t>(from.stride), instruction.width);
  map(instruction, [bits](std::uint64_t x) { return static_cast<std::uint64_t>(asSigned(x, bits)); });
}

void WarpRegisters::funnelShift(const abi::SliceInstruction &instruction, bool isLeft) {
  const unsigned width = instruction.width;
  Lanes scratchA, scratchB, scratchC;
  const Lanes &high = each(instruction.a, scratchA), &low = each(instruction.b, scratchB),
              &by = each(instruction.c, scratchC);
  setEach(instruction.result, [&](unsigned lane) {
    return isLeft ? funnelLeft(high[lane], low[lane], by[lane], width)
                  : funnelRight(high[lane], low[lane], by[lane], width);
  });
}

/// A function of the bits of two operands, the same for each bit.
template <typename Function>
void WarpRegisters::combineBits(const abi::SliceInstruction &instruction, Function function) {
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
  switch (static_cast<SliceOperation>(instruction.operation)) {
  case SliceOperation::Move:
    return take(instruction.result, instruction.a);
  case SliceOperation::Add:
    return add(instruction, /*subtracts=*/false);
  case SliceOperation::Subtract:
    return add(instruction, /*subtracts=*/true);
  case SliceOperation::Multiply:
    if (a.kind == Register::Kind::Affine && isUniform(instruction.b))
      return multiply(instruction, instruction.a, registers_[instruction.b].base);
    if (isUniform(instruction.a) && registers_[instruction.b].kind == Register::Kind::Affine)
      return multiply(instruction, instruction.b, a.base);
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return x * y; });
  case SliceOperation::ShiftLeft:
    if (a.kind == Register::Kind::Affine && isUniform(instruction.b) &&
        registers_[instruction.b].base < width)
      return multiply(instruction, instruction.a, 1ull << registers_[instruction.b].base);
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) { return y < width ? x << y : 0; });
  case SliceOperation::ShiftRight:
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) { return y < width ? x >> y : 0; });
  case SliceOperation::ShiftRightSigned:
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
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return y ? x / y : ~0ull; });
  case SliceOperation::RemainderUnsigned:
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return y ? x % y : x; });
  case SliceOperation::DivideSigned:
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return divideSigned(asSigned(x, width), asSigned(y, width));
    });
  case SliceOperation::RemainderSigned:
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
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return std::min(x, y); });
  case SliceOperation::MaximumUnsigned:
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return std::max(x, y); });
  case SliceOperation::MinimumSigned:
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return asSigned(x, width) < asSigned(y, width) ? x : y;
    });
  case SliceOperation::MaximumSigned:
    return combine(instruction, [width](std::uint64_t x, std::uint64_t y) {
      return asSigned(x, width) < asSigned(y, width) ? y : x;
    });
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

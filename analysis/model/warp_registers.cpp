/// How values are kept; what instructions do to them: warp_instructions.cpp.
#include "warp_registers.h"

#include <algorithm>

namespace cupr::analysis {

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
  case Register::Kind::Affine: {
    const std::uint64_t base = from.base, stride = static_cast<std::uint64_t>(from.stride);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      scratch[lane] = base + stride * lane;
    break;
  }
  case Register::Kind::Mask: {
    const std::uint64_t mask = from.base;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      scratch[lane] = mask >> lane & 1;
    break;
  }
  }
  return scratch;
}

std::int64_t WarpRegisters::shiftOf(std::uint16_t number, std::uint32_t lanes) {
  const Register &from = registers_[number];
  if (from.shift == 0 || family_.isSingle() || (from.moving & lanes) == 0)
    return 0;
  if ((from.moving & lanes) == lanes)
    return from.shift;
  family_.keepFirst();
  return 0;
}

/// In lanes that run: in no block does its sign, as a number of `width` bits, change.
void WarpRegisters::keepSign(std::uint16_t number, unsigned width) {
  const std::int64_t shift = shiftOf(number);
  if (shift == 0)
    return;
  Lanes scratch;
  const Lanes &values = each(number, scratch);
  const auto half = static_cast<__int128>(1) << (width - 1);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (active_ >> lane & 1) {
      const auto value = static_cast<__int128>(values[lane]);
      family_.keepWithin(value, shift, value < half ? 0 : half, value < half ? half - 1 : 2 * half - 1);
    }
}

/// In lanes that run, in the family's first block.
std::uint64_t WarpRegisters::largest(std::uint16_t number) const {
  Lanes scratch;
  const Lanes &values = each(number, scratch);
  std::uint64_t most = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    most = active_ >> lane & 1 ? std::max(most, values[lane]) : most;
  return most;
}

/// Behind setLanes: lanes that run grow by `shift`, others as before.
void WarpRegisters::setShift(std::uint16_t number, std::int64_t shift) {
  Register &to = registers_[number];
  const std::uint32_t kept = active_ == alive_ || to.shift == 0 ? 0 : to.moving & alive_ & ~active_;
  if (kept != 0 && shift != 0 && shift != to.shift)
    family_.keepFirst();
  to.moving = kept | (shift != 0 ? active_ : 0);
  to.shift = shift != 0 ? shift : kept != 0 ? to.shift : 0;
}

std::uint32_t WarpRegisters::maskOf(std::uint16_t number) {
  mustStand(number);
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
    return setShift(number, value.shift);
  if (to.kind == Register::Kind::Mask && value.kind == Register::Kind::Mask) {
    to.base = (to.base & ~std::uint64_t{active_}) | (value.base & active_);
    return setShift(number, 0);
  }
  makeEach(number);
  setShift(number, value.shift);
  Lanes &lanes = lanes_[number];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (active_ >> lane & 1)
      lanes[lane] = value.kind == Register::Kind::Mask
                        ? value.base >> lane & 1
                        : value.base + static_cast<std::uint64_t>(value.stride) * lane;
}

void WarpRegisters::setAffine(std::uint16_t number, std::uint64_t base, std::uint64_t stride, unsigned width,
                              std::uint64_t shift) {
  base &= maskBits(width);
  const std::int64_t step = asSigned(stride, width);
  const auto most = static_cast<__int128>(maskBits(width));
  const __int128 last = static_cast<__int128>(base) + static_cast<__int128>(step) * kLast;
  if (last < 0 || last > most)
    return setMoving(
        number, [&](unsigned lane) { return (base + stride * lane) & maskBits(width); }, width, shift);
  const std::int64_t by = family_.isSingle() ? 0 : asSigned(shift, width);
  if (by != 0) {
    family_.keepWithin(static_cast<__int128>(base), by, 0, most);
    family_.keepWithin(last, by, 0, most);
  }
  set(number, {base, step, Register::Kind::Affine, by != 0 ? kAllLanes : 0, by});
}

void WarpRegisters::setMask(std::uint16_t number, std::uint32_t mask) {
  if ((mask & active_) == active_ || (mask & active_) == 0)
    return set(number, {(mask & active_) != 0, 0, Register::Kind::Affine, 0, 0});
  set(number, {mask, 0, Register::Kind::Mask, 0, 0});
}

/// The register becomes what another one is, in lanes that run.
void WarpRegisters::take(std::uint16_t number, std::uint16_t from) {
  if (registers_[from].kind != Register::Kind::Each) {
    Register value = registers_[from];
    value.shift = shiftOf(from);
    value.moving = value.shift != 0 ? kAllLanes : 0;
    return set(number, value);
  }
  const std::int64_t shift = shiftOf(from);
  const Lanes values = lanes_[from];
  setLanes(number, [&](unsigned lane) { return values[lane]; });
  setShift(number, shift);
}

} // namespace cupr::analysis

#include "derived_block.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace cupr::analysis {

namespace {

using abi::SliceOperation;
using abi::SliceSource;

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
bool compareFloats(std::uint64_t a, std::uint64_t b, unsigned width, unsigned which) {
  const unsigned relation = width == 64 ? relationOf(std::bit_cast<double>(a), std::bit_cast<double>(b))
                                        : relationOf(std::bit_cast<float>(static_cast<std::uint32_t>(a)),
                                                     std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  return (relation & which) != 0;
}

} // namespace

DerivedBlock::DerivedBlock(const trace::Slice &slice, const trace::Launch &launch)
    : slice_(slice), launch_(launch), threads_(launch.block.x * launch.block.y * launch.block.z),
      blockWidth_(launch.block.x), warps_((threads_ + kLanes - 1) / kLanes) {
  assert(warps_.size() <= kLanes && "the launch keeps the rules of derived launches");
  allRegisters_.resize(warps_.size() * slice.registerCount);
  allLanes_.resize(warps_.size() * slice.registerCount);
}

DerivedBlock::~DerivedBlock() = default;

std::uint64_t DerivedBlock::inputValue(const abi::SliceInput &input, std::uint64_t launchValue) const {
  const trace::Dim3 &grid = launch_.grid, &block = launch_.block;
  switch (static_cast<SliceSource>(input.source)) {
  case SliceSource::BlockX:
    return cta_ % grid.x;
  case SliceSource::BlockY:
    return cta_ / grid.x % grid.y;
  case SliceSource::BlockZ:
    return cta_ / grid.x / grid.y;
  case SliceSource::BlockSizeX:
    return block.x;
  case SliceSource::BlockSizeY:
    return block.y;
  case SliceSource::BlockSizeZ:
    return block.z;
  case SliceSource::GridSizeX:
    return grid.x;
  case SliceSource::GridSizeY:
    return grid.y;
  case SliceSource::GridSizeZ:
    return grid.z;
  case SliceSource::WarpSize:
    return kLanes;
  case SliceSource::Parameter:
  case SliceSource::Variable:
    return launchValue & maskBits(8u * input.bytes);
  case SliceSource::ThreadX:
  case SliceSource::ThreadY:
  case SliceSource::ThreadZ:
  case SliceSource::Lane:
    break;
  }
  return 0;
}

void DerivedBlock::begin(std::uint64_t cta, std::uint32_t sm) {
  cta_ = cta;
  sm_ = sm;
  current_ = 0;
  for (unsigned number = 0; number < warps_.size(); ++number)
    beginWarp(number);
}

void DerivedBlock::beginWarp(unsigned number) {
  const unsigned first = number * kLanes, present = std::min(threads_ - first, kLanes);
  Warp &warp = warps_[number];
  warp.alive = present == kLanes ? kAllLanes : (1u << present) - 1;
  warp.state = Warp::State::Ready;
  warp.paths.assign(1, {0, warp.alive, abi::kSliceNowhere});
  registers_ = &allRegisters_[std::size_t{number} * slice_.registerCount];
  lanes_ = &allLanes_[std::size_t{number} * slice_.registerCount];
  warp_ = &warp;
  active_ = warp.alive;
  const trace::Dim3 &block = launch_.block;
  std::uint16_t to = 0;
  std::size_t values = 0;
  for (const abi::SliceInput &input : slice_.inputs) {
    const auto source = static_cast<SliceSource>(input.source);
    const auto perThread = [&](auto value) {
      setEach(to, [&](unsigned lane) { return value(first + lane); });
    };
    if (source == SliceSource::Lane) {
      setAffine(to, 0, 1, 32);
    } else if (source == SliceSource::ThreadX) {
      if (first % block.x + kLast < block.x)
        setAffine(to, first % block.x, 1, 32);
      else
        perThread([&](unsigned thread) { return thread % block.x; });
    } else if (source == SliceSource::ThreadY || source == SliceSource::ThreadZ) {
      const unsigned row = source == SliceSource::ThreadY ? block.x : block.x * block.y,
                     rows = source == SliceSource::ThreadY ? block.y : block.z;
      const auto value = [&](unsigned thread) { return std::uint64_t{thread / row % rows}; };
      if (value(first) == value(first + present - 1) && first / row == (first + present - 1) / row)
        setAffine(to, value(first), 0, 32);
      else
        perThread(value);
    } else {
      setAffine(to, inputValue(input, abi::isOfLaunch(source) ? launch_.sliceValues[values++] : 0), 0, 64);
    }
    ++to;
  }
  for (const std::uint64_t constant : slice_.constants)
    setAffine(to++, constant, 0, 64);
  // What a slice reads before it has written it is 0.
  std::fill(registers_ + to, registers_ + slice_.registerCount, Register{});
}

DerivedBlock::Progress DerivedBlock::runFor(std::vector<trace::Word> &words, std::size_t enough) {
  Progress progress;
  while (words.size() < enough && progress.steps < kMostSteps) {
    if (current_ == warps_.size()) {
      // All have got as far as they get: those that wait go on.
      current_ = 0;
      progress.isDone = true;
      for (Warp &warp : warps_)
        if (warp.state == Warp::State::Waiting) {
          warp.state = Warp::State::Ready;
          progress.isDone = false;
        }
      if (progress.isDone)
        return progress;
    }
    if (warps_[current_].state == Warp::State::Ready)
      progress.steps += runWarp(current_, words, enough, kMostSteps - progress.steps);
    if (warps_[current_].state != Warp::State::Ready)
      ++current_;
  }
  return progress;
}

std::uint64_t DerivedBlock::runWarp(unsigned number, std::vector<trace::Word> &words, std::size_t enough,
                                    std::uint64_t mostSteps) {
  warp_ = &warps_[number];
  registers_ = &allRegisters_[std::size_t{number} * slice_.registerCount];
  lanes_ = &allLanes_[std::size_t{number} * slice_.registerCount];
  std::uint64_t steps = 0;
  for (;; ++steps) {
    while (!warp_->paths.empty() &&
           (warp_->paths.back().lanes == 0 || warp_->paths.back().at == warp_->paths.back().meeting))
      warp_->paths.pop_back();
    if (warp_->paths.empty()) {
      warp_->state = Warp::State::Done;
      return steps;
    }
    if (steps >= mostSteps || words.size() >= enough)
      return steps;
    Path &path = warp_->paths.back();
    active_ = path.lanes;
    const abi::SliceInstruction &instruction = slice_.code[path.at];
    switch (static_cast<SliceOperation>(instruction.operation)) {
    case SliceOperation::Jump:
      path.at = instruction.b;
      break;
    case SliceOperation::Branch:
      branch(instruction);
      break;
    case SliceOperation::Exit:
      endThreads();
      break;
    case SliceOperation::Barrier:
      ++path.at;
      warp_->state = Warp::State::Waiting;
      return steps + 1;
    case SliceOperation::Access:
      ++path.at;
      emitAccess(instruction, words);
      break;
    default:
      ++path.at; // the last instruction is none of these
      execute(instruction);
      break;
    }
  }
}

void DerivedBlock::branch(const abi::SliceInstruction &instruction) {
  Path &path = warp_->paths.back();
  const std::uint32_t yes = maskOf(instruction.a) & path.lanes, no = path.lanes & ~yes;
  if (no == 0 || yes == 0) {
    path.at = yes ? instruction.b : instruction.c;
    return;
  }
  const std::uint32_t meeting = instruction.result;
  if (meeting == abi::kSliceNowhere) {
    // They don't meet: both go on as one path each, up to where this one ends.
    path.lanes = no;
    path.at = instruction.c;
    warp_->paths.push_back({instruction.b, yes, path.meeting});
    return;
  }
  path.at = meeting;
  warp_->paths.push_back({instruction.c, no, meeting});
  warp_->paths.push_back({instruction.b, yes, meeting});
}

void DerivedBlock::endThreads() {
  warp_->alive &= ~active_;
  for (Path &path : warp_->paths)
    path.lanes &= warp_->alive;
}

void DerivedBlock::emitAccess(const abi::SliceInstruction &instruction, std::vector<trace::Word> &words) {
  const std::uint32_t site = abi::siteOf(instruction);
  const unsigned warp = static_cast<unsigned>(warp_ - warps_.data());
  const unsigned first = static_cast<unsigned>(std::countr_zero(active_));
  const Register &address = at(instruction.a);
  const std::size_t before = words.size();
  if (address.kind == Register::Kind::Affine && address.stride >= INT32_MIN && address.stride <= INT32_MAX) {
    const bool isAlone = (active_ & (active_ - 1)) == 0;
    const abi::RecordHead head{
        abi::packSite(site, abi::RecordForm::Affine),
        active_,
        cta_,
        address.base + static_cast<std::uint64_t>(address.stride) * first,
        isAlone ? 0 : static_cast<std::uint32_t>(static_cast<std::int32_t>(address.stride)),
        abi::packWhere(warp, sm_, 0)};
    words.resize(before + abi::kHeadWords);
    std::memcpy(static_cast<void *>(&words[before]), &head, sizeof head);
    return;
  }
  abi::WarpAccess access{};
  access.site = site;
  access.laneMask = active_;
  access.cta = cta_;
  access.warp = warp;
  access.sm = sm_;
  Lanes scratch;
  const Lanes &addresses = each(instruction.a, scratch);
  std::ranges::copy(addresses, access.address);
  words.resize(before + abi::kMaxRecordWords);
  words.resize(before + abi::encodeRecord(access, 0, &words[before], blockWidth_));
}

/// The value of each lane; of those that don't run anything. `scratch` is where it may be put.
const DerivedBlock::Lanes &DerivedBlock::each(std::uint16_t number, Lanes &scratch) {
  const Register &from = at(number);
  switch (from.kind) {
  case Register::Kind::Each:
    return lanesOf(number);
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

/// The lanes in which it is not 0.
std::uint32_t DerivedBlock::maskOf(std::uint16_t number) {
  const Register &from = at(number);
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

bool DerivedBlock::isUniform(std::uint16_t number) const {
  return registers_[number].kind == Register::Kind::Affine && registers_[number].stride == 0;
}

void DerivedBlock::makeEach(std::uint16_t number) {
  if (at(number).kind == Register::Kind::Each)
    return;
  Lanes scratch;
  const Lanes &values = each(number, scratch);
  lanesOf(number) = values;
  at(number).kind = Register::Kind::Each;
}

/// Where lanes don't run that will run again, their value stays. `value` is no Each.
void DerivedBlock::set(std::uint16_t number, const Register &value) {
  Register &to = at(number);
  if (active_ == warp_->alive) {
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
  Lanes &lanes = lanesOf(number);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (active_ >> lane & 1)
      lanes[lane] = value.kind == Register::Kind::Mask
                        ? value.base >> lane & 1
                        : value.base + static_cast<std::uint64_t>(value.stride) * lane;
}

/// The values (base + stride * lane) modulo 2^width.
void DerivedBlock::setAffine(std::uint16_t number, std::uint64_t base, std::uint64_t stride, unsigned width) {
  base &= maskBits(width);
  const std::int64_t step = asSigned(stride, width);
  const __int128 last = static_cast<__int128>(base) + static_cast<__int128>(step) * kLast;
  if (last >= 0 && last <= static_cast<__int128>(maskBits(width)))
    return set(number, {base, step, Register::Kind::Affine});
  setEach(number, [&](unsigned lane) { return (base + stride * lane) & maskBits(width); });
}

void DerivedBlock::setMask(std::uint16_t number, std::uint32_t mask) {
  if ((mask & active_) == active_ || (mask & active_) == 0)
    return set(number, {(mask & active_) != 0, 0, Register::Kind::Affine});
  set(number, {mask, 0, Register::Kind::Mask});
}

template <typename Function> void DerivedBlock::setEach(std::uint16_t number, Function value) {
  Lanes values;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    values[lane] = value(lane);
  if (active_ == warp_->alive) {
    at(number).kind = Register::Kind::Each;
    lanesOf(number) = values;
    return;
  }
  makeEach(number);
  Lanes &lanes = lanesOf(number);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes[lane] = active_ >> lane & 1 ? values[lane] : lanes[lane];
}

/// A function of two operands, lane by lane.
template <typename Function>
void DerivedBlock::combine(const abi::SliceInstruction &instruction, Function function) {
  if (isUniform(instruction.a) && isUniform(instruction.b))
    return setAffine(instruction.result, function(at(instruction.a).base, at(instruction.b).base), 0,
                     instruction.width);
  Lanes scratchA, scratchB;
  const Lanes &a = each(instruction.a, scratchA), &b = each(instruction.b, scratchB);
  const std::uint64_t bits = maskBits(instruction.width);
  setEach(instruction.result, [&](unsigned lane) { return function(a[lane], b[lane]) & bits; });
}

/// `function`: whether a pair of numbers compares so; for a pair of numbers whose difference only grows, or only falls, from lane to
/// lane, as for orders, what holds in the first and the last holds in all.
template <typename Function>
void DerivedBlock::compare(const abi::SliceInstruction &instruction, bool isSigned, Function function) {
  const unsigned width = instruction.width;
  const Register &a = at(instruction.a), &b = at(instruction.b);
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

void DerivedBlock::addAffine(const abi::SliceInstruction &instruction, bool subtracts) {
  const Register &a = at(instruction.a), &b = at(instruction.b);
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
void DerivedBlock::multiply(const abi::SliceInstruction &instruction, std::uint16_t many,
                            std::uint64_t factor) {
  const Register from = at(many);
  setAffine(instruction.result, from.base * factor, static_cast<std::uint64_t>(from.stride) * factor,
            instruction.width);
}

void DerivedBlock::choose(const abi::SliceInstruction &instruction) {
  const std::uint32_t yes = maskOf(instruction.a) & active_;
  const auto take = [&](std::uint16_t from) {
    if (at(from).kind != Register::Kind::Each)
      return set(instruction.result, at(from));
    const Lanes values = lanesOf(from);
    setEach(instruction.result, [&](unsigned lane) { return values[lane]; });
  };
  if (yes == active_)
    return take(instruction.b);
  if (yes == 0)
    return take(instruction.c);
  Lanes scratchB, scratchC;
  const Lanes &b = each(instruction.b, scratchB), &c = each(instruction.c, scratchC);
  setEach(instruction.result, [&](unsigned lane) { return yes >> lane & 1 ? b[lane] : c[lane]; });
}

void DerivedBlock::execute(const abi::SliceInstruction &instruction) {
  const unsigned width = instruction.width;
  const Register a = at(instruction.a);
  // Of one operand.
  const auto map = [&](auto function) {
    if (isUniform(instruction.a))
      return setAffine(instruction.result, function(a.base), 0, width);
    Lanes scratch;
    const Lanes &values = each(instruction.a, scratch);
    setEach(instruction.result, [&](unsigned lane) { return function(values[lane]) & maskBits(width); });
  };
  const auto isMask = [&](std::uint16_t number) {
    return at(number).kind == Register::Kind::Mask || isUniform(number);
  };
  switch (static_cast<SliceOperation>(instruction.operation)) {
  case SliceOperation::Move:
    if (a.kind != Register::Kind::Each)
      return set(instruction.result, a);
    return setEach(instruction.result, [&](unsigned lane) { return lanesOf(instruction.a)[lane]; });
  case SliceOperation::Add:
    return addAffine(instruction, /*subtracts=*/false);
  case SliceOperation::Subtract:
    return addAffine(instruction, /*subtracts=*/true);
  case SliceOperation::Multiply:
    if (a.kind == Register::Kind::Affine && isUniform(instruction.b))
      return multiply(instruction, instruction.a, at(instruction.b).base);
    if (isUniform(instruction.a) && at(instruction.b).kind == Register::Kind::Affine)
      return multiply(instruction, instruction.b, a.base);
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return x * y; });
  case SliceOperation::ShiftLeft:
    if (a.kind == Register::Kind::Affine && isUniform(instruction.b) && at(instruction.b).base < width)
      return multiply(instruction, instruction.a, 1ull << at(instruction.b).base);
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
    if (isMask(instruction.a) && isMask(instruction.b) && width == 1)
      return setMask(instruction.result, maskOf(instruction.a) & maskOf(instruction.b));
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return x & y; });
  case SliceOperation::Or:
    if (isMask(instruction.a) && isMask(instruction.b) && width == 1)
      return setMask(instruction.result, maskOf(instruction.a) | maskOf(instruction.b));
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return x | y; });
  case SliceOperation::Xor:
    if (isMask(instruction.a) && isMask(instruction.b) && width == 1)
      return setMask(instruction.result, maskOf(instruction.a) ^ maskOf(instruction.b));
    return combine(instruction, [](std::uint64_t x, std::uint64_t y) { return x ^ y; });
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
  case SliceOperation::CompareFloat: {
    Lanes scratchA, scratchB;
    const Lanes &left = each(instruction.a, scratchA), &right = each(instruction.b, scratchB);
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      mask |= static_cast<std::uint32_t>(compareFloats(left[lane], right[lane], width, instruction.other))
              << lane;
    return setMask(instruction.result, mask);
  }
  case SliceOperation::Choose:
    return choose(instruction);
  case SliceOperation::Truncate:
    if (a.kind == Register::Kind::Affine)
      return setAffine(instruction.result, a.base, static_cast<std::uint64_t>(a.stride), width);
    if (a.kind == Register::Kind::Mask)
      return set(instruction.result, a);
    return map([](std::uint64_t x) { return x; });
  case SliceOperation::SignExtend: {
    const unsigned from = instruction.other;
    const std::uint64_t last = a.base + static_cast<std::uint64_t>(a.stride) * kLast;
    if (a.kind == Register::Kind::Affine && (a.base >> (from - 1) & 1) == (last >> (from - 1) & 1))
      return setAffine(instruction.result, static_cast<std::uint64_t>(asSigned(a.base, from)),
                       static_cast<std::uint64_t>(a.stride), width);
    return map([from](std::uint64_t x) { return static_cast<std::uint64_t>(asSigned(x, from)); });
  }
  case SliceOperation::FunnelShiftLeft:
  case SliceOperation::FunnelShiftRight: {
    Lanes scratchA, scratchB, scratchC;
    const Lanes &high = each(instruction.a, scratchA), &low = each(instruction.b, scratchB),
                &by = each(instruction.c, scratchC);
    const bool isLeft = static_cast<SliceOperation>(instruction.operation) == SliceOperation::FunnelShiftLeft;
    return setEach(instruction.result, [&](unsigned lane) {
      return isLeft ? funnelLeft(high[lane], low[lane], by[lane], width)
                    : funnelRight(high[lane], low[lane], by[lane], width);
    });
  }
  case SliceOperation::CountOnes:
    return map([](std::uint64_t x) { return static_cast<std::uint64_t>(std::popcount(x)); });
  case SliceOperation::CountLeadingZeros:
    return map([width](std::uint64_t x) {
      return static_cast<std::uint64_t>(std::countl_zero(x & maskBits(width))) - (64u - width);
    });
  case SliceOperation::LeadingShift:
    return map([width](std::uint64_t x) {
      const std::uint64_t zeros =
          static_cast<std::uint64_t>(std::countl_zero(x & maskBits(width))) - (64u - width);
      return zeros == width ? ~0ull : zeros;
    });
  case SliceOperation::CountTrailingZeros:
    return map([width](std::uint64_t x) {
      return std::min<std::uint64_t>(static_cast<std::uint64_t>(std::countr_zero(x)), width);
    });
  case SliceOperation::ReverseBits:
    return map([width](std::uint64_t x) { return reverseBits(x, width); });
  case SliceOperation::ReverseBytes:
    return map([width](std::uint64_t x) { return __builtin_bswap64(x) >> (64 - width); });
  case SliceOperation::Access:
  case SliceOperation::Barrier:
  case SliceOperation::Jump:
  case SliceOperation::Branch:
  case SliceOperation::Exit:
    break;
  }
}

} // namespace cupr::analysis

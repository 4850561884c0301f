#include "derived_block.h"

#include "devicelib/abi/record.h"
#include "model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <fmt/format.h>

namespace cupr::analysis {

using abi::SliceOperation;
using abi::SliceSource;

namespace {

constexpr unsigned kLanes = abi::kLanes;

} // namespace

DerivedBlock::DerivedBlock(const trace::Slice &slice, std::span<const trace::Site> sites,
                           const trace::Launch &launch, const LaunchMemory &memory,
                           std::span<const PlacedVariable> variables)
    : slice_(slice), sites_(sites), launch_(launch), memory_(memory), look_(memory),
      threads_(launch.block.x * launch.block.y * launch.block.z) {
  assert(threads_ <= kLanes * kLanes && "the launch keeps the rules of derived launches");
  for (unsigned first = 0; first < threads_; first += kLanes) {
    Warp &warp = warps_.emplace_back(slice.registerCount, family_);
    const unsigned present = std::min(threads_ - first, kLanes);
    warp.all = present == kLanes ? 0xffffffffu : (1u << present) - 1;
    setFixed(warp, first, present, variables);
  }
}

/// What is the same in all blocks: it is set once, since no instruction writes inputs and constants.
void DerivedBlock::setFixed(Warp &warp, unsigned first, unsigned present,
                            std::span<const PlacedVariable> variables) const {
  warp.registers.select(warp.all, warp.all);
  const trace::Dim3 &block = launch_.block;
  std::uint16_t to = 0;
  std::size_t values = 0;
  for (const abi::SliceInput &input : slice_.inputs) {
    // Threads of a row have indices that count; those of a column have the same.
    const auto indices = [&](unsigned step, unsigned count) {
      const auto value = [&](unsigned lane) { return std::uint64_t{(first + lane) / step % count}; };
      const std::uint64_t begin = value(0), end = value(present - 1);
      if (step == 1 && end - begin == present - 1)
        warp.registers.setAffine(to, begin, 1, 32);
      else if (step != 1 && first / step == (first + present - 1) / step)
        warp.registers.setAffine(to, begin, 0, 32);
      else
        warp.registers.setEach(to, value);
    };
    switch (const auto source = static_cast<SliceSource>(input.source)) {
    case SliceSource::ThreadX:
      indices(1, block.x);
      break;
    case SliceSource::ThreadY:
      indices(block.x, block.y);
      break;
    case SliceSource::ThreadZ:
      indices(block.x * block.y, block.z);
      break;
    case SliceSource::Lane:
      warp.registers.setAffine(to, 0, 1, 32);
      break;
    case SliceSource::Parameter:
    case SliceSource::Variable:
      warp.registers.setAffine(to, launch_.sliceValues[values++], 0, 8u * input.bytes);
      break;
    case SliceSource::Shared: {
      const auto placed = std::ranges::find(variables, input.index, &PlacedVariable::site);
      assert(placed != variables.end() && "each that is an input is given");
      warp.registers.setAffine(to, placed->offset, 0, 32);
      break;
    }
    default:
      warp.registers.setAffine(to, sizeOf(source), 0, 32);
      break;
    }
    ++to;
  }
  for (const std::uint64_t constant : slice_.constants)
    warp.registers.setAffine(to++, constant, 0, 64);
}

/// Of the grid or the block, or the warp; 0 for what is none of these.
std::uint32_t DerivedBlock::sizeOf(SliceSource source) const {
  switch (source) {
  case SliceSource::BlockSizeX:
    return launch_.block.x;
  case SliceSource::BlockSizeY:
    return launch_.block.y;
  case SliceSource::BlockSizeZ:
    return launch_.block.z;
  case SliceSource::GridSizeX:
    return launch_.grid.x;
  case SliceSource::GridSizeY:
    return launch_.grid.y;
  case SliceSource::GridSizeZ:
    return launch_.grid.z;
  case SliceSource::WarpSize:
    return kLanes;
  default:
    return 0;
  }
}

void DerivedBlock::begin(std::uint64_t cta, std::uint32_t sm, std::uint64_t most) {
  cta_ = cta;
  sm_ = sm;
  current_ = 0;
  const trace::Dim3 &grid = launch_.grid, place = placeInGrid(grid, cta);
  // Blocks whose numbers follow each other differ in this one.
  SliceSource moving = SliceSource::BlockX;
  std::uint64_t left = grid.x - place.x;
  if (grid.x == 1) {
    moving = grid.y > 1 ? SliceSource::BlockY : SliceSource::BlockZ;
    left = grid.y > 1 ? grid.y - place.y : grid.z - place.z;
  }
  family_.restart(std::min(most, left));
  for (Warp &warp : warps_) {
    warp.alive = warp.all;
    warp.state = Warp::State::Ready;
    warp.paths.assign(1, {0, warp.all, abi::kSliceNowhere});
    warp.registers.select(warp.all, warp.all);
    setPlace(warp, place, moving);
    // What a slice reads before it has written it is 0.
    warp.registers.clearFrom(slice_.inputs.size() + slice_.constants.size());
  }
}

void DerivedBlock::setPlace(Warp &warp, const trace::Dim3 &place, SliceSource moving) const {
  std::uint16_t to = 0;
  for (const abi::SliceInput &input : slice_.inputs) {
    const auto source = static_cast<SliceSource>(input.source);
    if (source == SliceSource::BlockX || source == SliceSource::BlockY || source == SliceSource::BlockZ)
      warp.registers.setAffine(to,
                               source == SliceSource::BlockX   ? place.x
                               : source == SliceSource::BlockY ? place.y
                                                               : place.z,
                               0, 32, source == moving ? 1 : 0);
    ++to;
  }
}

DerivedBlock::Progress DerivedBlock::runFor(std::vector<trace::Word> &words, std::size_t enough,
                                            std::vector<std::int64_t> *shifts) {
  shifts_ = shifts;
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
  Warp &warp = warps_[number];
  std::uint64_t steps = 0;
  for (;; ++steps) {
    while (!warp.paths.empty() &&
           (warp.paths.back().lanes == 0 || warp.paths.back().at == warp.paths.back().meeting))
      warp.paths.pop_back();
    if (warp.paths.empty()) {
      warp.state = Warp::State::Done;
      return steps;
    }
    if (steps >= mostSteps || words.size() >= enough)
      return steps;
    Path &path = warp.paths.back();
    warp.registers.select(path.lanes, warp.alive);
    const abi::SliceInstruction &instruction = slice_.code[path.at];
    switch (static_cast<SliceOperation>(instruction.operation)) {
    case SliceOperation::Jump:
      path.at = instruction.b;
      break;
    case SliceOperation::Branch:
      branch(warp, instruction);
      break;
    case SliceOperation::Exit:
      endThreads(warp);
      break;
    case SliceOperation::Barrier:
      ++path.at;
      warp.state = Warp::State::Waiting;
      return steps + 1;
    case SliceOperation::Load:
      ++path.at;
      load(warp, instruction);
      break;
    case SliceOperation::Access:
      ++path.at;
      emitAccess(number, path.lanes, instruction, words);
      break;
    default:
      ++path.at; // the last instruction is none of these
      warp.registers.execute(instruction);
      break;
    }
  }
}

void DerivedBlock::branch(Warp &warp, const abi::SliceInstruction &instruction) {
  Path &path = warp.paths.back();
  const std::uint32_t yes = warp.registers.maskOf(instruction.a) & path.lanes, no = path.lanes & ~yes;
  if (no == 0 || yes == 0) {
    path.at = yes ? instruction.b : instruction.c;
    return;
  }
  const std::uint32_t meeting = instruction.result;
  if (meeting == abi::kSliceNowhere) {
    // They don't meet: both go on as one path each, up to where this one ends.
    path.lanes = no;
    path.at = instruction.c;
    warp.paths.push_back({instruction.b, yes, path.meeting});
    return;
  }
  path.at = meeting;
  warp.paths.push_back({instruction.c, no, meeting});
  warp.paths.push_back({instruction.b, yes, meeting});
}

/// Those that run.
void DerivedBlock::endThreads(Warp &warp) {
  warp.alive &= ~warp.paths.back().lanes;
  for (Path &path : warp.paths)
    path.lanes &= warp.alive;
}

void DerivedBlock::load(Warp &warp, const abi::SliceInstruction &instruction) {
  const unsigned bytes = instruction.width / 8;
  warp.registers.mustStand(instruction.a);
  const std::uint32_t lanes = warp.paths.back().lanes;
  std::uint64_t base = 0;
  std::int64_t stride = 0;
  if (warp.registers.isAffine(instruction.a, base, stride) && stride == 0) {
    warp.registers.setAffine(instruction.result, look_.at(base, bytes), 0, instruction.width);
    return;
  }
  WarpRegisters::Lanes scratch;
  const WarpRegisters::Lanes &addresses = warp.registers.each(instruction.a, scratch);
  warp.registers.setEach(instruction.result, [&](unsigned lane) {
    return lanes >> lane & 1 ? look_.at(addresses[lane], bytes) : 0;
  });
}

/// A launch that writes to the memory that it looks up, beyond the arrays that it was given, has not found what its slice finds.
void DerivedBlock::mustLeaveMemoryAlone(std::uint32_t bytes, const WarpRegisters::Lanes &addresses,
                                        std::uint32_t lanes) const {
  std::uint64_t low = UINT64_MAX, high = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1)
      low = std::min(low, addresses[lane]), high = std::max(high, addresses[lane]);
  if (!memory_.meets(low, high - low + bytes))
    return;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1 && memory_.meets(addresses[lane], bytes))
      throw UnknownMemory(
          fmt::format("they follow from memory that the launch itself writes to, at {:#x}", addresses[lane]));
}

void DerivedBlock::emitAccess(unsigned warp, std::uint32_t lanes, const abi::SliceInstruction &instruction,
                              std::vector<trace::Word> &words) {
  const std::uint32_t site = abi::siteOf(instruction);
  WarpRegisters &registers = warps_[warp].registers;
  const std::size_t before = words.size();
  WarpRegisters::Lanes scratch;
  if (!memory_.isEmpty() && abi::isAccess(sites_[site].operation) &&
      abi::operationClass(sites_[site].operation) != abi::OperationClass::Load) {
    registers.mustStand(instruction.a);
    mustLeaveMemoryAlone(sites_[site].bytes, registers.each(instruction.a, scratch), lanes);
  }
  const std::int64_t shift = registers.shiftOf(instruction.a);
  if (shifts_)
    shifts_->push_back(shift);
  std::uint64_t base = 0;
  std::int64_t stride = 0;
  if (registers.isAffine(instruction.a, base, stride) && stride >= INT32_MIN && stride <= INT32_MAX) {
    const bool isAlone = std::has_single_bit(lanes);
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const abi::RecordHead head{abi::packSite(site, abi::RecordForm::Affine),
                               lanes,
                               cta_,
                               base + static_cast<std::uint64_t>(stride) * first,
                               isAlone ? 0 : static_cast<std::uint32_t>(static_cast<std::int32_t>(stride)),
                               abi::packWhere(warp, sm_, 0)};
    words.resize(before + abi::kHeadWords);
    std::memcpy(static_cast<void *>(&words[before]), &head, sizeof head);
    return;
  }
  abi::WarpAccess access{};
  access.site = site;
  access.laneMask = lanes;
  access.cta = cta_;
  access.warp = warp;
  access.sm = sm_;
  std::ranges::copy(registers.each(instruction.a, scratch), access.address);
  std::array<trace::Word, abi::kMaxRecordWords> record;
  const std::uint32_t size = abi::encodeRecord(access, 0, record.data(), launch_.block.x);
  words.insert(words.end(), record.begin(), record.begin() + size);
}

} // namespace cupr::analysis

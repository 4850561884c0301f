#include "launch_memory.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace cupr::analysis {

using abi::kPieceBytes;

std::uint64_t LaunchMemory::at(std::uint64_t address, unsigned bytes) const {
  for (const Range &range : ranges_) {
    const std::uint64_t offset = address - range.address;
    if (offset >= range.bytes || bytes > range.bytes - offset)
      continue;
    std::uint64_t value = 0;
    const std::uint64_t inPiece = offset % kPieceBytes;
    const auto first = static_cast<unsigned>(std::min<std::uint64_t>(bytes, kPieceBytes - inPiece));
    const Piece *const piece = &range.pieces[offset / kPieceBytes];
    std::memcpy(&value, (*piece)->data() + inPiece, first);
    if (first < bytes)
      std::memcpy(reinterpret_cast<char *>(&value) + first, piece[1]->data(), bytes - first);
    return value;
  }
  throw UnknownMemory(
      fmt::format("they follow from memory at {:#x}, of which the trace does not say what it held", address));
}

std::uint64_t LaunchMemory::Look::elsewhere(std::uint64_t address, unsigned bytes) {
  const std::uint64_t value = memory_.at(address, bytes);
  for (const Range &range : memory_.ranges_)
    if (const std::uint64_t offset = address - range.address; offset < range.bytes) {
      const std::uint64_t before = offset / kPieceBytes * kPieceBytes;
      bytes_ = range.pieces[offset / kPieceBytes]->data();
      begin_ = range.address + before;
      size_ = std::min<std::uint64_t>(kPieceBytes, range.bytes - before);
      break;
    }
  return value;
}

bool LaunchMemory::meets(std::uint64_t address, std::uint64_t bytes) const {
  return std::ranges::any_of(ranges_, [&](const Range &range) {
    return address < range.address ? range.address - address < bytes : address - range.address < range.bytes;
  });
}

std::string MemorySnapshots::add(trace::Contents &&contents, trace::WorkLimit &limit) {
  if (contents.id != contents_.size())
    return "contents of memory must be counted from 0";
  limit.keep(sizeof(Known) + contents.packed.size(), [] { return "contents of memory"; });
  contents_.push_back({std::move(contents), nullptr});
  return {};
}

std::string MemorySnapshots::add(trace::Snapshot &&snapshot, trace::WorkLimit &limit) {
  if (snapshot.id != snapshots_.size())
    return "snapshots must be counted from 0";
  std::string rule = trace::brokenSnapshotRule(
      snapshot, [&](std::uint32_t id) { return id < contents_.size() ? contents_[id].packed.bytes : 0; });
  if (!rule.empty())
    return rule;
  limit.keep(sizeof snapshot + snapshot.pieces.size() * sizeof(std::uint32_t),
             [] { return "snapshots of memory"; });
  snapshots_.push_back(std::move(snapshot));
  return {};
}

const LaunchMemory::Piece &MemorySnapshots::unpacked(std::uint32_t contents, trace::WorkLimit &limit) {
  Known &known = contents_[contents];
  if (known.bytes)
    return known.bytes;
  limit.spend(stepsOf(known.packed), [] { return "unpacking contents of memory"; });
  limit.keep(known.packed.bytes, [] { return "contents of memory"; });
  std::vector<std::byte> bytes;
  if (const std::string rule = trace::unpackContents(known.packed, bytes); !rule.empty())
    throw UnknownMemory("they follow from memory, and " + rule);
  known.bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return known.bytes;
}

LaunchMemory MemorySnapshots::memoryOf(std::span<const std::uint32_t> snapshots, trace::WorkLimit &limit) {
  LaunchMemory memory;
  for (const std::uint32_t id : snapshots) {
    if (id >= snapshots_.size())
      throw UnknownMemory("they follow from memory, and a snapshot of that is missing");
    const trace::Snapshot &snapshot = snapshots_[id];
    limit.keep(snapshot.pieces.size() * sizeof(LaunchMemory::Piece), [] { return "a launch's memory"; });
    LaunchMemory::Range range{snapshot.address, snapshot.bytes, {}};
    for (const std::uint32_t piece : snapshot.pieces)
      range.pieces.push_back(unpacked(piece, limit));
    memory.ranges_.push_back(std::move(range));
  }
  return memory;
}

} // namespace cupr::analysis

#include "local_arrays.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

/// Places in which one array begins: as deep as functions call themselves.
constexpr std::size_t kMostBegins = 64;
/// A thread's local memory is not larger.
constexpr std::uint64_t kMostLocal = std::uint64_t{1} << 19;
/// What a warp's entry takes besides its words, about.
constexpr std::uint64_t kBytesPerWarpOfArrays = 120;

} // namespace

void LocalArrays::Words::reach(std::uint64_t begin, std::uint64_t end) {
  if (known.empty())
    first = begin;
  if (begin < first) {
    known.insert(known.begin(), first - begin, 0);
    written.insert(written.begin(), first - begin, 0);
    first = begin;
  }
  if (end - first > known.size()) {
    known.resize(end - first);
    written.resize(end - first);
  }
}

bool LocalArrays::Array::holds(std::uint64_t begin, std::uint64_t end) const {
  return areTooMany || std::ranges::any_of(
                           begins, [&](std::uint64_t from) { return begin >= from && end <= from + bytes; });
}

/// Null: there is no room for it.
LocalArrays::Words *LocalArrays::wordsOf(const WarpStep &step, std::uint64_t begin, std::uint64_t end) {
  if (end <= begin)
    return nullptr;
  if (bytes_ > mostBytes_) {
    isFull_ = true;
    return nullptr;
  }
  const auto [found, isNew] = words_.try_emplace(std::uint64_t{step.block} << 5 | step.warp);
  Words &words = found->second;
  const std::uint64_t last = words.known.empty() ? begin : words.first + words.known.size();
  const std::uint64_t from = words.known.empty() ? begin : std::min(words.first, begin),
                      to = std::max(last, end);
  if (to - from > kMostLocal / kWordBytes)
    return nullptr;
  bytes_ +=
      (to - from - words.known.size()) * 2 * sizeof(std::uint32_t) + (isNew ? kBytesPerWarpOfArrays : 0);
  words.reach(begin, end);
  return &words;
}

void LocalArrays::take(const WarpStep &step, const ChunkSteps &chunk) {
  const SiteTraits &site = module_.sites[step.site];
  if (site.operation == abi::Operation::LocalVariable)
    begin(step, chunk, site);
  else
    access(step, chunk, site);
}

void LocalArrays::begin(const WarpStep &step, const ChunkSteps &chunk, const SiteTraits &site) {
  const auto [found, isNew] = arrays_.try_emplace(site.variable);
  Array &array = found->second;
  // Files that were linked on the device may each have one of a name.
  array.areTooMany = array.areTooMany || (!isNew && array.bytes != site.bytes);
  array.isSure = (isNew || array.isSure) && site.isSure;
  array.bytes = site.bytes;
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t address = chunk.addressOf(step, lane);
    if (!array.areTooMany && std::ranges::find(array.begins, address) == array.begins.end())
      array.begins.push_back(address);
    array.areTooMany = array.areTooMany || array.begins.size() > kMostBegins;
    const std::uint64_t first = address / kWordBytes,
                        end = (address + site.bytes + kWordBytes - 1) / kWordBytes;
    if (Words *const words = wordsOf(step, first, end))
      for (std::uint64_t word = first; word < end; ++word) {
        std::uint32_t &known = words->known[word - words->first];
        known = site.isSure ? known | 1u << lane : known & ~(1u << lane);
        words->written[word - words->first] &= ~(1u << lane);
      }
  }
}

/// An access that no array is known for may be to one all the same, by a pointer: what it stores counts.
void LocalArrays::access(const WarpStep &step, const ChunkSteps &chunk, const SiteTraits &site) {
  const auto found = site.variable == 0 ? arrays_.end() : arrays_.find(site.variable);
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t address = chunk.addressOf(step, lane), bytes = chunk.bytesOf(step, lane);
    if (bytes == 0 || address + bytes < address)
      continue;
    const bool isInside = found != arrays_.end() && found->second.holds(address, address + bytes);
    if (found != arrays_.end() && !isInside) {
      tell(FaultRule::OutOfBounds, step, lane, address, bytes);
      continue;
    }
    const std::uint64_t first = address / kWordBytes, end = (address + bytes + kWordBytes - 1) / kWordBytes;
    Words *const words = wordsOf(step, first, end);
    if (!words)
      continue;
    bool isAnyWritten = false;
    for (std::uint64_t word = first; word < end; ++word) {
      const std::size_t at = word - words->first;
      isAnyWritten =
          isAnyWritten || (words->written[at] >> lane & 1) != 0 || (words->known[at] >> lane & 1) == 0;
      if (site.writes)
        words->written[at] |= 1u << lane;
    }
    if (site.reads && site.isSure && isInside && found->second.isSure && !isAnyWritten)
      tell(FaultRule::UninitialisedRead, step, lane, address, bytes);
  }
}

void LocalArrays::tell(FaultRule rule, const WarpStep &step, unsigned lane, std::uint64_t address,
                       std::uint64_t bytes) {
  const auto [found, isNew] = faults_.try_emplace({step.site, rule});
  Fault &fault = found->second;
  ++fault.count;
  if (!isNew)
    return;
  fault.rule = rule;
  fault.space = abi::MemorySpace::Local;
  fault.address = address;
  fault.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
  const std::vector<std::uint64_t> &begins = arrays_.at(module_.sites[step.site].variable).begins;
  fault.array = begins.front(); // the last one in front of it
  for (const std::uint64_t begin : begins)
    if (begin <= address && (begin > fault.array || fault.array > address))
      fault.array = begin;
  fault.place.site = step.site;
  fault.place.block = step.block;
  fault.place.thread = step.warp * abi::kLanes + lane;
}

std::vector<Fault> LocalArrays::faults() const {
  std::vector<Fault> faults;
  for (const auto &[key, fault] : faults_)
    faults.push_back(fault);
  return faults;
}

} // namespace cupr::analysis

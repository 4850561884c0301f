/// The records of a block, and of those that are like it (block_family.h): each record of the others is that of the first block, so
/// many bytes further on.
#ifndef CUPR_ANALYSIS_BLOCK_PATTERN_H
#define CUPR_ANALYSIS_BLOCK_PATTERN_H

#include "devicelib/abi/record.h"
#include "hostlib/trace/chunk.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace cupr::analysis {

/// A block of a launch that began. There are millions of them, and a file has one in a byte.
struct BegunBlock {
  static constexpr unsigned kCtaBits = 64 - abi::kSmBits;
  std::uint64_t cta : kCtaBits;
  std::uint64_t sm : abi::kSmBits;
};
static_assert(sizeof(BegunBlock) == 8, "packed");

/// Where a shared variable lies in the window of a derived launch's blocks, as the first of them has said.
struct PlacedVariable {
  std::uint32_t site; ///< of the module
  std::uint64_t offset;
  BegunBlock saidBy;
};

/// Adds to `words` the records of `block`, the one with the number `place` among those that are like the one whose records are `first`.
/// `shiftOf(record)` is what a record's addresses grow by from block to block; records are numbered from 0.
template <typename ShiftOf>
void addLike(std::span<const trace::Word> first, std::uint64_t place, const BegunBlock &block,
             ShiftOf shiftOf, std::vector<trace::Word> &words) {
  const std::size_t before = words.size();
  words.insert(words.end(), first.begin(), first.end());
  std::size_t record = 0;
  for (std::size_t at = before; at < words.size(); ++record) {
    abi::RecordHead head;
    std::memcpy(&head, &words[at], sizeof head);
    const std::uint64_t further = static_cast<std::uint64_t>(shiftOf(record)) * place;
    head.cta = block.cta;
    head.base += further;
    head.where = abi::packWhere(abi::warpOf(head.where), static_cast<std::uint32_t>(block.sm), 0);
    std::memcpy(static_cast<void *>(&words[at]), &head, sizeof head);
    const abi::RecordForm form = abi::formOf(head.siteAndForm);
    const unsigned active = abi::activeLanes(head.laneMask);
    if (form == abi::RecordForm::Raw) // has whole addresses; all other forms what is added to the base
      for (unsigned lane = 0; lane < active; ++lane) {
        std::byte *const lanes = reinterpret_cast<std::byte *>(&words[at + abi::kHeadWords]) + 8 * lane;
        std::uint64_t address;
        std::memcpy(&address, lanes, sizeof address);
        address += further;
        std::memcpy(lanes, &address, sizeof address);
      }
    at += abi::recordWords(form, active);
  }
}

} // namespace cupr::analysis

#endif

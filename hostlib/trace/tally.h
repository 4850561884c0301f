/// Walks over the words of records as they arrive, and counts what they say.
///
/// This is what every sink does with every record, so it is the host's floor: one pass, nothing per record
/// but a few additions. What a record counts for depends on its site; which kind of access that is, is
/// looked up once per module (SiteWeights) and not once per record.
///
/// Terms: a *run* is what is delivered at once, words of whole records of one launch, pads among them.
#ifndef CUPR_TRACE_TALLY_H
#define CUPR_TRACE_TALLY_H

#include "chunk.h"
#include "counts.h"
#include "module.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cupr::trace {

/// What a module's records are counted with, by site.
struct SiteWeight {
  std::uint32_t bytes;
  std::uint32_t place; ///< among kPlaces
};
using SiteWeights = std::vector<SiteWeight>;
SiteWeights weightsOf(const Module &module);

/// Values of abi::RecordForm.
inline constexpr unsigned kForms = 6;

/// How many records, words and thread-level accesses came in one form.
struct FormCounts {
  std::uint64_t records = 0, words = 0, accesses = 0;
};

/// What was delivered of a launch, or of a process. Pads don't count.
struct Tally {
  std::array<FormCounts, kForms> forms{}; ///< by abi::RecordForm
  SpaceCounts counts;
  /// Words that could not be taken for records, and records that name no site.
  std::uint64_t malformedWords = 0, unknownSites = 0;

  FormCounts total() const;
  Tally &operator+=(const Tally &other);
  /// `other` must be a part of this.
  Tally &operator-=(const Tally &other);
};

/// Copies a record of `length` words, with this head, and clears what is behind its last address.
inline void copyRecord(const abi::RecordHead &head, const Word *record, std::size_t length, Word *out) {
  std::memcpy(static_cast<void *>(out), &head, sizeof head);
  if (length == 2) [[likely]]
    return;
  std::memcpy(static_cast<void *>(out + 2), record + 2, (length - 2) * sizeof(Word));
  const auto form = static_cast<abi::RecordForm>(head.siteAndForm >> abi::kSiteBits);
  const unsigned active = abi::activeLanes(head.laneMask);
  if (form == abi::RecordForm::Offset32)
    std::memset(out[2].bytes + 4 * active, 0, (0u - active) % 4 * 4);
  else if (form == abi::RecordForm::Raw)
    std::memset(out[2].bytes + 8 * active, 0, active % 2 * 8);
}

/// Counts one run; give the result to a Tally with `addTo`.
class RunCount {
public:
  /// Null: nothing is counted by site. `weights` must outlive this.
  explicit RunCount(const SiteWeights *weights)
      : weights_(weights ? weights->data() : nullptr), sites_(weights ? weights->size() : 0),
        knows_(weights != nullptr) {}

  /// Calls `take(head, record, length)` for each record that carries `tag` above its CTA
  /// (devicelib/abi/record.h), up to the first that carries another. Pads are left out, and Follow records
  /// made whole: `length` is that of the whole record, whose addresses stand from `record + 2` on. Tag and
  /// generation are cleared in `head` only. Returns the words gone by: all, where something is no record.
  template <typename Take>
  std::size_t scan(const Word *words, std::size_t count, std::uint64_t tag, Take take) {
    abi::RecordHead head{}; // of the last record
    unsigned active = 0;
    for (std::size_t at = 0; at < count;) {
      const std::size_t available = count - at;
      abi::FollowRecord first; // of any form: what the first word starts with is the same
      std::memcpy(&first, words + at, sizeof first);
      std::size_t length = 2, step = 2;
      if (abi::isFollow(first.siteAndForm)) {
        if (active == 0) [[unlikely]]
          return malformed(available, count);
        head = abi::followed(head, first);
        step = 1;
      } else {
        const std::uint32_t form = first.siteAndForm >> abi::kSiteBits;
        if (form == static_cast<std::uint32_t>(abi::RecordForm::Pad)) {
          const std::uint32_t pad = first.shape; // where the lane mask stands
          if (pad == 0 || pad > available)
            return malformed(available, count);
          at += pad;
          continue;
        }
        if (first.base >> abi::kCtaBits != tag) // where the CTA stands
          return at;
        if (available < 2 || !abi::isAccessForm(form)) [[unlikely]]
          return malformed(available, count);
        std::memcpy(&head, words + at, sizeof head);
        active = head.laneMask == 0xffffffffu ? abi::kLanes : abi::activeLanes(head.laneMask);
        length = step =
            active == 0 ? available + 1 : abi::recordWords(static_cast<abi::RecordForm>(form), active);
        if (length > available) [[unlikely]]
          return malformed(available, count);
        head.cta = abi::ctaOf(head.cta);
        head.where &= 0xffffu;
      }
      take(head, words + at, length);
      const std::uint32_t form = head.siteAndForm >> abi::kSiteBits, site = head.siteAndForm & abi::kSiteMask;
      FormCounts &counts = forms_[form];
      ++counts.records;
      counts.words += length;
      counts.accesses += active;
      if (site < sites_) [[likely]] {
        const SiteWeight weight = weights_[site];
        threads_[weight.place] += active;
        bytes_[weight.place] += form == static_cast<std::uint32_t>(abi::RecordForm::Range)
                                    ? rangeBytes(words + at + 2, active)
                                    : std::uint64_t{active} * weight.bytes;
      } else {
        unknownSites_ += knows_;
      }
      at += step;
    }
    return count;
  }

  void addTo(Tally &tally) const;

  /// Words of whole records so far.
  std::uint64_t words() const;

private:
  friend SiteWeights weightsOf(const Module &module);
  static constexpr unsigned kOperationClasses = 3;
  static constexpr unsigned kPlaces = abi::kMemorySpaces * kOperationClasses;

  std::size_t malformed(std::size_t available, std::size_t count) {
    malformedWords_ += available;
    return count;
  }

  static std::uint64_t rangeBytes(const Word *lanes, unsigned active) {
    std::uint64_t total = 0, bytes = 0;
    for (unsigned i = 0; i < active; ++i) {
      std::memcpy(&bytes, lanes[i].bytes + sizeof(std::uint64_t), sizeof bytes);
      total += bytes;
    }
    return total;
  }

  const SiteWeight *const weights_;
  const std::size_t sites_;
  const bool knows_;
  std::array<FormCounts, kForms> forms_{};
  std::array<std::uint64_t, kPlaces> threads_{}, bytes_{};
  std::uint64_t malformedWords_ = 0, unknownSites_ = 0;
};

} // namespace cupr::trace

#endif

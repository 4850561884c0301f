/// Walks over the words of records as they arrive, and counts what they say.
///
/// This is what every sink does with every record, so it is the host's floor: one pass, nothing per record
/// but a few additions. What a record counts for depends on its site; which kind of access that is, is
/// looked up once per module (SiteWeights) and not once per record.
///
/// Terms: a *run* is what is delivered at once, words of whole records of one launch, pads among them.
#ifndef CUPR_TRACE_RECORD_COUNTS_H
#define CUPR_TRACE_RECORD_COUNTS_H

#include "chunk.h"
#include "counts.h"
#include "devicelib/abi/value_record.h"
#include "module.h"
#include "tensor_maps.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace cupr::trace {

/// What a module's records are counted with, by site.
struct SiteWeight {
  /// Kinds of memory and of operations, and behind them the place of what is no access.
  static constexpr std::uint32_t kNoAccess = abi::kMemorySpaces * abi::kOperationClasses;

  std::uint32_t bytes;
  std::uint32_t place;
  bool isAccess() const { return place != kNoAccess; }
};
using SiteWeights = std::vector<SiteWeight>;
SiteWeights weightsOf(const Module &module);

/// abi::accessWords by form and number of lanes, for records of any length. Irregular programs mix forms, and a
/// branch for each, foretold wrong, would take longer than all the rest.
inline constexpr auto kAccessWords = [] {
  std::array<std::array<std::uint8_t, 64>, std::size_t{1} << (32 - abi::kSiteBits)> words{};
  for (std::uint32_t form = 0; form < words.size(); ++form)
    for (unsigned active = 0; active <= abi::kLanes; ++active) {
      const abi::FirstWord first{abi::packSite(0, abi::RecordForm{form}), 0, 0};
      words[form][active] = static_cast<std::uint8_t>(abi::accessWords(first, active, abi::kMaxRecordWords));
    }
  return words;
}();

/// How many records, words and thread-level accesses came in one form.
struct FormCounts {
  std::uint64_t records = 0, words = 0, accesses = 0;
};

/// What was delivered of a launch, or of a process. Pads don't count.
struct RecordCounts {
  std::array<FormCounts, abi::kRecordForms> forms{}; ///< by abi::RecordForm
  SpaceCounts counts;
  /// Words that could not be taken for records, and records that name no site.
  std::uint64_t malformedWords = 0, unknownSites = 0;
  /// Copies by tensor maps, of which the host has made ranges: by site how many there were, and of how many the map is not known.
  struct Boxes {
    std::uint64_t copies = 0, ranges = 0, unknown = 0;
  };
  std::map<std::uint32_t, Boxes> boxes;

  FormCounts total() const;
  RecordCounts &operator+=(const RecordCounts &other);
  /// `other` must be a part of this.
  RecordCounts &operator-=(const RecordCounts &other);
};

/// Copies a record of `length` words, with this head, and clears what is behind its last address.
inline void copyRecord(const abi::RecordHead &head, const Word *record, std::size_t length, Word *out) {
  std::memcpy(static_cast<void *>(out), &head, sizeof head);
  if (length == abi::kHeadWords) [[likely]]
    return;
  std::memcpy(static_cast<void *>(out + abi::kHeadWords), record + abi::kHeadWords,
              (length - abi::kHeadWords) * sizeof(Word));
  const std::uint32_t unused =
      abi::unusedBytes(abi::formOf(head.siteAndForm), abi::activeLanes(head.laneMask));
  std::memset(out[length - 1].bytes + sizeof(Word) - unused, 0, unused);
}

struct IgnoreValue {
  void operator()(const Word *, std::size_t) const {}
};

/// Counts one run; give the result to a RecordCounts with `addTo`.
class RunCount {
public:
  /// Null: nothing is counted by site; there are no copies by tensor maps. Both must outlive this.
  explicit RunCount(const SiteWeights *weights, const TensorMaps *maps = nullptr)
      : weights_(weights ? weights->data() : nullptr), sites_(weights ? weights->size() : 0),
        knows_(weights != nullptr), maps_(maps) {}

  /// Calls `take(head, record, length)` for each record that carries `tag` above its CTA
  /// (devicelib/abi/record_head.h), up to the first that carries another. Pads are left out, boxes become
  /// ranges, and Follow records are made whole: `length` is that of the whole record, whose addresses stand from `record + 2` on. Tag and
  /// generation are cleared in `head` only. Calls `takeValue(record, length)` for each value record, behind that of its access.
  /// Returns the words gone by: all, where something is no record.
  template <typename Take, typename TakeValue = IgnoreValue>
  std::size_t scan(const Word *words, std::size_t count, std::uint64_t tag, Take take,
                   TakeValue takeValue = {}) {
    abi::RecordHead head{}; // of the last record
    unsigned active = 0;
    for (std::size_t at = 0; at < count;) {
      const std::size_t available = count - at;
      // What the copy engine has brought lies in memory, and where the next record begins is known late. The
      // address may lie behind the words: a number, not a pointer into them.
      __builtin_prefetch(
          reinterpret_cast<const void *>(reinterpret_cast<std::uintptr_t>(words + at) + kAhead));
      abi::FirstWord first;
      std::memcpy(&first, words + at, sizeof first);
      std::size_t length = abi::kHeadWords, step = 1;
      if (abi::isFollow(first.siteAndForm)) {
        if (active == 0) [[unlikely]]
          return malformed(available, count);
        head = abi::followed(head, first);
      } else {
        if (abi::isPad(first.siteAndForm)) {
          const std::uint32_t pad = abi::padWords(first, available);
          if (pad == 0)
            return malformed(available, count);
          at += pad;
          continue;
        }
        // Most records of regular programs: where that is foretold, nothing has to wait for the table.
        const bool isUsual =
            first.lanes == 0xffffffffu && abi::formOf(first.siteAndForm) == abi::RecordForm::Affine;
        if (!isUsual && abi::isValue(first.siteAndForm)) {
          const std::uint32_t value = active != 0 ? abi::valueWords(first, available) : 0;
          if (value == 0)
            return malformed(available, count);
          takeValue(words + at, std::size_t{value});
          at += value;
          continue;
        }
        if (abi::tagOf(first.place) != tag)
          return at;
        if (!isUsual && abi::isBox(first.siteAndForm)) [[unlikely]] {
          if (abi::boxWords(first, available) == 0 || !maps_)
            return malformed(available, count);
          const std::vector<Word> ranges = rangesOf(abi::readBox(words + at));
          for (std::size_t range = 0; range < ranges.size(); range += kRangeWords) {
            std::memcpy(&head, &ranges[range], sizeof head);
            take(head, &ranges[range], kRangeWords);
            note(head, &ranges[range], kRangeWords, 1);
          }
          active = 0; // nothing follows it
          at += abi::kBoxWords;
          continue;
        }
        if (isUsual) {
          active = abi::kLanes;
          length = abi::kHeadWords;
        } else {
          active = abi::activeLanes(first.lanes);
          length = kAccessWords[first.siteAndForm >> abi::kSiteBits][active];
        }
        step = length;
        if (length == 0 || length > available) [[unlikely]]
          return malformed(available, count);
        std::memcpy(&head, words + at, sizeof head);
        head.cta = abi::ctaOf(head.cta);
        head.where = abi::withoutGeneration(head.where);
      }
      take(head, words + at, length);
      note(head, words + at, length, active);
      at += step;
    }
    return count;
  }

  /// `times`: as if all of it had come so often.
  void addTo(RecordCounts &recordCounts, std::uint64_t times = 1) const;

  /// Words of whole records so far.
  std::uint64_t words() const;

private:
  static constexpr std::size_t kAhead = 1024; ///< bytes

  /// A record of `length` words.
  void note(const abi::RecordHead &head, const Word *record, std::size_t length, unsigned active) {
    const abi::RecordForm form = abi::formOf(head.siteAndForm);
    const std::uint32_t site = abi::siteOf(head.siteAndForm);
    FormCounts &counts = forms_[static_cast<std::size_t>(form)];
    ++counts.records;
    counts.words += length;
    counts.accesses += active;
    if (site < sites_) [[likely]] {
      const SiteWeight weight = weights_[site];
      counts.accesses -= !weight.isAccess() ? active : 0;
      threads_[weight.place] += active;
      bytes_[weight.place] += form == abi::RecordForm::Range ? rangeBytes(record + abi::kHeadWords, active)
                                                             : std::uint64_t{active} * weight.bytes;
    } else {
      unknownSites_ += knows_;
    }
  }

  std::vector<Word> rangesOf(abi::BoxRecord box);

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
  const TensorMaps *const maps_;
  std::array<FormCounts, abi::kRecordForms> forms_{};
  std::array<std::uint64_t, SiteWeight::kNoAccess + 1> threads_{}, bytes_{};
  std::uint64_t malformedWords_ = 0, unknownSites_ = 0;
  std::map<std::uint32_t, RecordCounts::Boxes> boxes_;
};

} // namespace cupr::trace

#endif

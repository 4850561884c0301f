/// Goes through the records of blocks that are derived, of which those that are alike once.
#ifndef CUPR_ANALYSIS_FAMILY_WALK_H
#define CUPR_ANALYSIS_FAMILY_WALK_H

#include "analysis/model/records.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

/// Of blocks `first` to `end` of a launch whose accesses are derived (DerivedRecords::Families). `add(Record &, std::int64_t shift)` gets
/// each record that is `wanted` of the first of some blocks that are alike; those of the others are `shift` bytes further on, from block to block. It may
/// change the record. `slice` is the launch's, or a part of it that makes what is wanted (partial_slice.h). `endAlike(std::uint64_t blocks)`, behind them: how many blocks they stand for. `what` is done, for
/// `stepsPerRecord` of the model's limit. Throws BadTrace, trace::TooMuch.
template <typename Add, typename EndAlike>
void walkFamilies(const Model &model, const LaunchInfo &launch, const trace::Slice &slice, std::size_t first,
                  std::size_t end, RecordsOf wanted, const char *what, std::uint64_t stepsPerRecord, Add add,
                  EndAlike endAlike) {
  const trace::Module &module = *model.moduleOf(launch);
  DerivedRecords::Families families(*launch.derivedRecords, first, end, slice);
  std::vector<trace::Word> words;
  std::vector<std::int64_t> shifts;
  Record record;
  while (families.begin()) {
    while (families.next(words, &shifts)) {
      model.limit().spend(stepsPerRecord * shifts.size(), [&] { return launch.kernel + ": " + what; });
      std::size_t number = 0;
      for (std::size_t at = 0; at < words.size(); ++number) {
        std::uint32_t size = 0;
        abi::RecordHead head;
        const trace::Word *const itsWords = words.data() + at;
        abi::decodeHead(itsWords, words.size() - at, record.access, head, size);
        at += size;
        record.site = &module.sites[record.access.site];
        if (!isWanted(*record.site, wanted))
          continue;
        abi::decodeAddresses(itsWords, head, record.access);
        add(record, shifts[number]);
      }
    }
    endAlike(families.alike());
  }
}

} // namespace cupr::analysis

#endif

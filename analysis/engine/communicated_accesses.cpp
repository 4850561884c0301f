/// Elements of runs become accesses again.
#include "communicated_accesses.h"

#include <tbb/task_arena.h>
#include <tuple>

namespace cupr::analysis {

bool CommunicatedRead::before(const CommunicatedRead &other) const {
  const auto key = [](const CommunicatedRead &r) {
    return std::tuple(r.address, r.launch, r.cta, r.site, r.bytes);
  };
  return key(*this) < key(other);
}

CommunicatedAccesses::CommunicatedAccesses(std::vector<Range> bytes, std::uint64_t memory)
    : reads_(memory / 3), cutReads_(memory / 3), written_(memory / 3) {
  std::sort(bytes.begin(), bytes.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (const Range &range : bytes)
    if (!bytes_.empty() && range.begin <= bytes_.back().end)
      bytes_.back().end = std::max(bytes_.back().end, range.end);
    else
      bytes_.push_back(range);
}

void CommunicatedAccesses::add(std::span<const CommunicatedRead> reads, std::span<const CutRead> cutReads,
                               std::span<const CommunicatedBytes> written) {
  std::lock_guard lock(mutex_);
  // Sums are sorted by several threads: while this one waits for them, it must not begin with another shard,
  // which may want the lock.
  tbb::this_task_arena::isolate([&] {
    for (const CommunicatedRead &read : reads)
      reads_.add(read);
    for (const CutRead &cut : cutReads)
      cutReads_.add(cut);
    for (const CommunicatedBytes &bytes : written)
      written_.add(bytes);
  });
}

std::size_t AccessNotes::read(const CommunicatedRead &first, std::uint64_t access,
                              std::span<const Range> met) {
  std::size_t notes = 0;
  std::uint64_t next = 0; // elements below it are noted
  for (const Range &range : met)
    all_.forEachChosen(range, [&](const Range &part) {
      ++notes;
      if (access != 0) {
        // A large access has a part in every page.
        if (cutReads_.empty() || cutReads_.back().access != access)
          cutReads_.push_back({.access = access, .meets = true});
        return;
      }
      const std::uint64_t end = (part.end - 1 - first.address) / first.bytes + 1;
      for (next = std::max(next, (part.begin - first.address) / first.bytes); next < end; ++next, ++notes) {
        reads_.push_back(first);
        reads_.back().address += next * first.bytes;
      }
    });
  tellIfMany();
  return notes;
}

std::size_t AccessNotes::written(LaunchIndex launch, const Range &range) {
  std::size_t notes = 0;
  all_.forEachChosen(range, [&](const Range &part) {
    written_.push_back({launch, part});
    ++notes;
  });
  tellIfMany();
  return notes;
}

void AccessNotes::tell() {
  all_.add(reads_, cutReads_, written_);
  reads_.clear();
  cutReads_.clear();
  written_.clear();
}

} // namespace cupr::analysis

/// What was found by going through a trace, kept for the next question.
///
/// `comm`, then `findings`, then `report` of one trace follow all of its memory three times, to find the same sums. So what one verb found is
/// written down in the user's cache, and read back by the next. Results are the same with and without, to the byte, and so is what is refused
/// (trace::WorkLimit).
///
/// Entries lie in a folder that is the user's alone, never beside the trace: who sends a trace must not send its answers. An entry is found by
/// the file (its place, size and time, and a digest of its head and its end), by the program (a digest of its binary, so that one that was built
/// anew reads nothing old), and by what was looked for. It is read only when a digest of all its bytes is right. Whatever else is wrong with it,
/// or with the folder, is no error: the work is done again. docs/design/0028-what-was-followed-is-kept.md tells why it is so.
///
/// Nothing is kept unless turnOn() was called.
#ifndef CUPR_ANALYSIS_KEPT_WORK_H
#define CUPR_ANALYSIS_KEPT_WORK_H

#include "analysis/model/launch_selection.h"
#include "analysis/model/model.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>

namespace cupr::analysis {

/// Where, and what is worth it.
struct KeptWorkPolicy {
  std::string folder;                                   ///< empty: nothing is kept
  std::uint64_t leastAccesses = std::uint64_t{1} << 20; ///< of a trace by threads: below, nothing is kept
  std::uint64_t mostBytes = std::uint64_t{1}
                            << 30; ///< of all entries; those that were not used for longest go

  /// In the folder that CUPREWRITE_CACHE names, else in `cuprewrite` in XDG_CACHE_HOME or ~/.cache; CUPREWRITE_CACHE=off: none.
  static KeptWorkPolicy usual();
};

class KeptWork {
public:
  /// For all that are made later. Before there are threads.
  static void turnOn(KeptWorkPolicy policy);

  /// `what` was looked for: its name, and all options that make a difference. Of these, long ones and those with texts of the command
  /// line are said by wordsOf: no two read alike.
  KeptWork(const Model &model, const std::string &what);

  /// Whether there is an entry, and `load` took it; it may throw std::runtime_error, and what it had taken is of no use then. Throws
  /// trace::TooMuch as the work would have.
  bool read(const std::function<void(std::FILE *)> &load) const;
  /// Behind the work: keeps what `save` writes, unless that, packed, is larger than twice the trace and a MiB.
  void write(const std::function<void(std::FILE *)> &save) const;

private:
  std::string pathOfEntry() const;

  const Model &model_;
  const std::string what_;
  std::string key_; ///< empty: nothing is kept
  std::uint64_t stepsBefore_ = 0;
};

std::string wordsOf(const std::string &text);
std::string wordsOf(const LaunchSelection &launches);
std::string wordsOf(std::span<const std::uint16_t> numbers);

} // namespace cupr::analysis

#endif

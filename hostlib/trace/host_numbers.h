/// Numbers anew what the batches of host calls of a damaged file name, of which some are missing.
///
/// A batch goes on counting where the one before it ended, so without that one all later indices are wrong. What is kept is
/// therefore numbered as it would be had nothing else been there. A batch that names what is missing is missing, too.
#ifndef CUPR_TRACE_HOST_NUMBERS_H
#define CUPR_TRACE_HOST_NUMBERS_H

#include "host_batch.h"

#include <optional>
#include <string>
#include <vector>

namespace cupr::trace {

/// Numbers of one kind: runs that are kept one after the other.
class KeptNumbers {
public:
  /// `count` numbers from `before` on are kept next. False: they do not stand behind those that are kept already.
  bool add(std::uint64_t before, std::uint64_t count);
  /// The last ones are not kept after all.
  void takeBack(std::uint64_t count);
  /// The new number; nothing: it is missing.
  std::optional<std::uint64_t> of(std::uint64_t before) const;
  std::uint64_t count() const { return count_; }

private:
  struct Run {
    std::uint64_t before, now, count;
  };
  std::vector<Run> runs_;
  std::uint64_t count_ = 0;
};

class HostNumbers {
public:
  /// Keeps a batch whose numbers began at `first` in the damaged file, and numbers it anew. Returns why it can't be kept, and has then
  /// not changed anything but the batch; empty: it is kept.
  std::string keep(HostBatch &batch, const HostCounts &first);
  /// Of what is kept.
  HostCounts counts() const;

private:
  bool add(const HostBatch &batch, const HostCounts &first);
  bool renumber(HostBatch &batch) const;

  KeptNumbers names_, objects_, threads_, nodes_, calls_;
};

} // namespace cupr::trace

#endif

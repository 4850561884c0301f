/// Where a whole file's chunks are, from the index in its end: whoever wants all but the records goes by the chunks without reading them,
/// which makes the time to open a file that of its other messages.
#ifndef CUPR_TRACE_CHUNK_INDEX_H
#define CUPR_TRACE_CHUNK_INDEX_H

#include "reader.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cupr::trace {

class ChunkIndex {
public:
  struct Place {
    std::uint64_t offset;
    LaunchId launch;
  };

  /// Nothing if the file has no end. `reader` stays where it is.
  static std::optional<ChunkIndex> of(Reader &reader);

  /// The chunks that follow each other from the reader's next message on, which then is the one behind them; none: it is no chunk.
  /// What the file says there is not looked at but for the heads of some of the frames.
  std::span<const Place> pass(Reader &reader) const;

private:
  explicit ChunkIndex(std::vector<Place> places) : places_(std::move(places)) {}

  std::vector<Place> places_; ///< by offset
};

} // namespace cupr::trace

#endif

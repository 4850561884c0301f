/// The messages of a trace file as values: what encode writes and decode reads.
///
/// `decode(encode(m)) == m` holds for every message that keeps trace.capnp's rules.
#ifndef CUPR_TRACE_MESSAGE_H
#define CUPR_TRACE_MESSAGE_H

#include "act_batch.h"
#include "chunk.h"
#include "counts.h"
#include "events.h"
#include "module.h"
#include "packed_host.h"
#include "snapshot.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cupr::trace {

/// Grows when a reader of the version before would misunderstand the file.
inline constexpr std::uint32_t kFormatVersion = 4;

struct Header {
  std::uint32_t formatVersion = kFormatVersion;
  std::uint32_t abiVersion = 0;
  Process process;
  bool leavesOut = false;    ///< launches that are not traced are not in the file
  bool hostAccesses = false; ///< what the host accesses while work runs is in the file
};

/// The end of a launch with what the writer counted.
struct LaunchTotals {
  LaunchEnd end; ///< `recordWords` is what the runtime says it handed over
  std::uint64_t records = 0;
  std::uint64_t words = 0;
  std::uint64_t chunks = 0;
  SpaceCounts counts;
};

struct LaunchIndex {
  LaunchId id{};
  std::uint64_t launch = 0;    ///< offset in the file
  std::uint64_t launchEnd = 0; ///< offset in the file; 0: none
  std::vector<std::uint64_t> chunks;
  friend bool operator==(const LaunchIndex &, const LaunchIndex &) = default;
};

inline constexpr std::size_t kMessageKinds = 16;
/// Of format 3 and before, whose ends count no more.
inline constexpr std::size_t kFirstMessageKinds = 11;

struct End {
  std::array<std::uint64_t, kMessageKinds> counts{}; ///< by index in Message, this one included
  std::vector<LaunchIndex> launches;
  bool lost = false;
  std::vector<std::string> missing; ///< of a repaired trace: what its original lacked, one line each
  std::uint64_t leftOut = 0;        ///< launches, if the header says that they are left out
  friend bool operator==(const End &, const End &) = default;
};

/// In the order of the union in trace.capnp.
using Message =
    std::variant<Header, Module, Launch, Chunk, LaunchTotals, Allocation, Free, Copy, Set, Synchronisation,
                 End, ActBatch, Contents, Snapshot, ImageObject, PackedHostBatch>;
static_assert(std::variant_size_v<Message> == kMessageKinds);

inline constexpr std::array<std::string_view, kMessageKinds> kMessageNames = {
    "header", "module",          "launch", "chunk", "launchEnd", "allocation", "free",        "copy",
    "set",    "synchronisation", "end",    "acts",  "contents",  "snapshot",   "imageObject", "host"};

/// A message as the payload of a frame: whole 8-byte words.
using Payload = std::vector<std::uint64_t>;

/// A chunk's message, built in place: `packed` instead of what chunk.packed holds. The sequence number may be
/// set last, since it is known only when it is the chunk's turn in the file.
class ChunkMessage {
public:
  /// Fills `payload`, which must stay where it is while this lives. `values`: instead of what chunk.values.packed holds.
  ChunkMessage(const Chunk &chunk, std::span<const std::byte> packed, std::span<const std::byte> values,
               Payload &payload);
  ~ChunkMessage();
  void setSequence(std::uint64_t sequence);

private:
  struct Builder;
  std::unique_ptr<Builder> builder_;
};

/// One overload for each member of Message. Throw std::bad_alloc or kj::Exception (out
/// of memory, or a message beyond Cap'n Proto's limits).
Payload encode(const Header &header);
Payload encode(const Module &module);
Payload encode(const Launch &launch);
Payload encode(const Chunk &chunk);
Payload encode(const LaunchTotals &totals);
Payload encode(const Allocation &allocation);
Payload encode(const Free &free);
Payload encode(const Copy &copy);
Payload encode(const Set &set);
Payload encode(const Synchronisation &synchronisation);
Payload encode(const End &end);
Payload encode(const ActBatch &batch);
Payload encode(const Contents &contents);
Payload encode(const Snapshot &snapshot);
Payload encode(const ImageObject &object);
Payload encode(const PackedHostBatch &batch);

/// Reads a payload into `message`. Returns the rule of trace.capnp that it breaks;
/// empty: none. Checks what concerns this message alone, except what is packed in it. Where the rule is that
/// the format is newer than this program, `message` is a Header with its version.
std::string decode(const Payload &payload, Message &message);

} // namespace cupr::trace

#endif

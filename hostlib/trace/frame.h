/// The frame around each message of a trace file (trace.capnp gives the layout): how
/// a reader finds whole messages, and notices damage.
#ifndef CUPR_TRACE_FRAME_H
#define CUPR_TRACE_FRAME_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cupr::trace {

inline constexpr std::uint32_t kFrameMagic = 0x52505543u; // "CUPR"

struct FrameHead {
  std::uint32_t magic = kFrameMagic;
  std::uint32_t words = 0;  ///< of 8 bytes, in the payload
  std::uint64_t number = 0; ///< of the message, from 0
  std::uint64_t check = 0;
};
static_assert(sizeof(FrameHead) == 24, "as in the file");

/// XXH3-64.
std::uint64_t hashOf(std::span<const std::byte> bytes);

/// The same for bytes that come piece by piece.
class Hasher {
public:
  Hasher();
  ~Hasher();
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What `head.check` must be, given hashOf(payload).
std::uint64_t frameCheck(const FrameHead &head, std::uint64_t payloadHash);

} // namespace cupr::trace

#endif

/// zstd frames that a thread makes again and again in the same memory: making a context costs more than packing a small chunk.
#ifndef CUPR_TRACE_PACKED_FRAME_H
#define CUPR_TRACE_PACKED_FRAME_H

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;

namespace cupr::trace {

class PackedFrame {
public:
  PackedFrame();
  ~PackedFrame();

  /// Packs `parts`, one behind the other, with room for `more` bytes behind the frame. Each large part becomes a block, so
  /// that each is coded by its own statistics. Returns the frame's size. Throws std::bad_alloc only.
  std::size_t pack(std::span<const std::span<const std::byte>> parts, std::size_t more, int level);
  /// The frame, until the next one, and the room behind it.
  std::byte *bytes() const { return out_.get(); }

private:
  struct Free {
    void operator()(ZSTD_CCtx_s *context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::unique_ptr<std::byte[]> out_;
  std::size_t outSize_ = 0;
};

/// Unpacks a frame to exactly `bytes`. Returns the rule that is broken; empty: none.
std::string unpackFrame(std::string_view packed, std::span<std::byte> bytes);

} // namespace cupr::trace

#endif

#include "packed_frame.h"

#include <new>
#include <zstd.h>

namespace cupr::trace {

namespace {

struct FreeUnpacking {
  void operator()(ZSTD_DCtx *context) const { ZSTD_freeDCtx(context); }
};

template <typename Context> Context *checked(Context *context) {
  if (!context)
    throw std::bad_alloc();
  return context;
}

std::size_t good(std::size_t result) {
  if (ZSTD_isError(result))
    throw std::bad_alloc(); // with room for the bound, memory is all that can be missing
  return result;
}

/// Parts shorter than this share a block with what stands before them: a block of its own costs a table of
/// its own.
constexpr std::size_t kOwnBlock = 512;

} // namespace

void PackedFrame::Free::operator()(ZSTD_CCtx *context) const { ZSTD_freeCCtx(context); }

PackedFrame::PackedFrame() : context_(checked(ZSTD_createCCtx())) {}
PackedFrame::~PackedFrame() = default;

std::size_t PackedFrame::pack(std::span<const std::span<const std::byte>> parts, std::size_t more,
                              int level) {
  std::size_t bytes = 0;
  for (const auto &part : parts)
    bytes += part.size();
  ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
  good(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
  good(ZSTD_CCtx_setPledgedSrcSize(context_.get(), bytes));
  constexpr std::size_t kBlockHeads = 64;
  const std::size_t room = ZSTD_compressBound(bytes) + kBlockHeads * parts.size() + more;
  if (room > outSize_) {
    out_.reset(new std::byte[room]); // not zeroed
    outSize_ = room;
  }
  ZSTD_outBuffer out{out_.get(), outSize_, 0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ZSTD_inBuffer in{parts[i].data(), parts[i].size(), 0};
    const bool last = i + 1 == parts.size();
    const bool flush = parts[i].size() >= kOwnBlock || (!last && parts[i + 1].size() >= kOwnBlock);
    const ZSTD_EndDirective how = last ? ZSTD_e_end : flush ? ZSTD_e_flush : ZSTD_e_continue;
    while (good(ZSTD_compressStream2(context_.get(), &out, &in, how)) != 0 || in.pos != in.size) {
    }
  }
  return out.pos;
}

std::string unpackFrame(std::string_view packed, std::span<std::byte> bytes) {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeUnpacking> context(checked(ZSTD_createDCtx()));
  const std::size_t size =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(size))
    return std::string("the chunk does not unpack: ") + ZSTD_getErrorName(size);
  if (size != bytes.size())
    return "the chunk unpacks to another length than it says";
  return {};
}

} // namespace cupr::trace

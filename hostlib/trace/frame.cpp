/// The hashes of frames, chunks and pieces of memory. xxHash is compiled in, so that the library needs
/// no other one.
#include "frame.h"

#include "snapshot.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cupr::trace {

std::uint64_t hashOf(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

PieceDigest digestOf(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

struct Hasher::State {
  XXH3_state_t xxh3;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }
Hasher::~Hasher() = default;
void Hasher::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size());
}
std::uint64_t Hasher::value() const { return XXH3_64bits_digest(&state_->xxh3); }

std::uint64_t frameCheck(const FrameHead &head, std::uint64_t payloadHash) {
  return XXH3_64bits_withSeed(&head, offsetof(FrameHead, check), payloadHash);
}

} // namespace cupr::trace

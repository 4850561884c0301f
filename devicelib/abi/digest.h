/// Digests of pieces of memory: two that differ say that the pieces do, and two that are the same that they are.
///
/// A piece is up to 64 KiB of memory, seen as vectors of 16 bytes of which the last is filled up with zeros. Of each vector
/// and its place there are two words of 64 bits, each a product of both halves, folded (as in wyhash, and in XXH3 for short
/// inputs); the halves are first mixed with secrets of their place. A digest is the sums of these words, whose order does not
/// matter: threads add up what they like, and then the sums. Contents that differ have one digest with a probability of about
/// 2^-128; a product is 0 if one of its factors is, whatever the other is, which makes it 2^-116. Nobody is kept from looking
/// for such contents: secrets are fixed.
#ifndef CUPR_ABI_DIGEST_H
#define CUPR_ABI_DIGEST_H

#include "record_head.h"

#include <cstdint>

namespace cupr {
namespace abi {

/// 16 bytes of memory, each half little-endian.
struct Vector {
  unsigned long long low, high;
};

struct Digest {
  unsigned long long low, high;
};

CUPR_RECORD_FUNCTION bool operator==(const Digest &a, const Digest &b) {
  return a.low == b.low && a.high == b.high;
}
CUPR_RECORD_FUNCTION Digest operator+(const Digest &a, const Digest &b) {
  return {a.low + b.low, a.high + b.high};
}

CUPR_RECORD_FUNCTION unsigned long long foldedProduct(unsigned long long a, unsigned long long b) {
  __extension__ using Product = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Product>(a) * b) ^
         static_cast<unsigned long long>(static_cast<Product>(a) * b >> 64);
}

/// What the vector of this number adds to the sums. Secrets begin at digits of pi, and go on in odd steps.
CUPR_RECORD_FUNCTION Digest vectorDigest(const Vector &vector, std::uint32_t number) {
  return {foldedProduct(vector.low ^ (0x243f6a8885a308d3u + number * 0x9e3779b97f4a7c15u),
                        vector.high ^ (0x13198a2e03707344u + number * 0xc2b2ae3d27d4eb4fu)),
          foldedProduct(vector.low ^ (0xa4093822299f31d0u + number * 0x165667b19e3779f9u),
                        vector.high ^ (0x082efa98ec4e6c89u + number * 0x85ebca77c2b2ae63u))};
}

/// Turns a word into one of which each bit depends on all of its bits, and no other word into the same (D. Stafford's
/// finalizer, "variant 13").
CUPR_RECORD_FUNCTION unsigned long long mixed(unsigned long long word) {
  return ((word ^ word >> 30) * 0xbf58476d1ce4e5b9u ^ ((word ^ word >> 30) * 0xbf58476d1ce4e5b9u) >> 27) *
         0x94d049bb133111ebu;
}

/// The digest of a piece of so many bytes, of whose vectors these are the sums.
CUPR_RECORD_FUNCTION Digest pieceDigest(const Digest &sums, std::uint32_t bytes) {
  return {mixed(sums.low + bytes * 0x452821e638d01377u), mixed(sums.high + bytes * 0xbe5466cf34e90c6du)};
}

} // namespace abi
} // namespace cupr

#endif

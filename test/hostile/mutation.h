/// Changes traces. Mutation changes what messages say, and keeps checks, hashes, counts and totals right, so
/// that what reads it has nothing but its own rules to go by. Damage changes bytes.
#ifndef CUPR_TEST_HOSTILE_MUTATION_H
#define CUPR_TEST_HOSTILE_MUTATION_H

#include <cstdint>
#include <string>

namespace cupr::test {

/// Writes `from`, which must be whole, with some of its messages changed, left out or doubled.
void mutate(const std::string &from, const std::string &to, std::uint64_t seed);

/// Writes `from` with bits flipped, bytes overwritten, cut off, cut out, or parts of it or of `other` put in.
/// The result differs from both.
void damage(const std::string &from, const std::string &other, const std::string &to, std::uint64_t seed);

} // namespace cupr::test

#endif

/// How many seeds of random input a test tries: sanitizers, which look for other mistakes than its own checks do, get a quarter.
#ifndef CUPR_TEST_SEED_COUNT_H
#define CUPR_TEST_SEED_COUNT_H

namespace cupr::test {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

/// Of seeds, or of whatever is in proportion to them.
constexpr unsigned seedCount(unsigned whole) { return kIsSanitized ? whole / 4 : whole; }

} // namespace cupr::test

#endif

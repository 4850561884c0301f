/// How many cases a test of random ones tries.
#ifndef CUPR_TEST_RANDOM_CASES_H
#define CUPR_TEST_RANDOM_CASES_H

namespace cupr::test {

/// As many as asked for; a quarter of them under the address sanitizer, which looks for mistakes of another kind and makes
/// them five times as slow.
constexpr unsigned randomCases(unsigned wanted) {
#if __has_feature(address_sanitizer)
  return (wanted + 3) / 4;
#else
  return wanted;
#endif
}

} // namespace cupr::test

#endif

/// Whether two runs of words are the same.
#ifndef CUPR_TEST_SAME_WORDS_H
#define CUPR_TEST_SAME_WORDS_H

#include "hostlib/trace/chunk.h"

#include <cstring>
#include <vector>

namespace cupr::test {

inline bool sameWords(const std::vector<trace::Word> &a, const std::vector<trace::Word> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(trace::Word)) == 0;
}

} // namespace cupr::test

#endif

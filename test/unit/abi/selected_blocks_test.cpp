#include "devicelib/abi/selected_blocks.h"

#include <catch2/catch.hpp>

using namespace cupr;

TEST_CASE("the first selected block is the one with the smallest number") {
  for (std::uint64_t period = 0; period <= 5; ++period)
    for (std::uint64_t first = 0; first <= 12; ++first)
      for (std::uint64_t end = 0; end <= 16; ++end) {
        Trace trace{};
        trace.ctaPeriod = period;
        trace.ctaFirst = first;
        trace.ctaEnd = end;
        bool isAny = false;
        for (std::uint64_t cta = 0; cta < 20; ++cta) {
          CAPTURE(period, first, end, cta);
          const bool isSelected = period == 0 || (first <= cta && cta < end && cta % period == 0);
          CHECK(abi::isSelected(trace, cta) == isSelected);
          CHECK(abi::isFirstSelected(trace, cta) == (isSelected && !isAny));
          isAny = isAny || isSelected;
        }
      }
}

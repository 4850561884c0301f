#include "hostlib/runtime/driver/device_clock.h"

#include <catch2/catch.hpp>

using cupr::host::DeviceClock;

TEST_CASE("the smallest delay sets the clock") {
  DeviceClock clock;
  clock.seen(1'000'000, 5'300); // 300 late
  CHECK(clock.hostTime(1'000'000) == 5'300);
  clock.seen(1'000'500, 5'520); // 20 late
  CHECK(clock.hostTime(1'000'500) == 5'520);
  CHECK(clock.hostTime(1'000'100) == 5'120);
  clock.seen(1'001'000, 6'400); // 400 late
  CHECK(clock.hostTime(1'001'000) == 6'020);
}

TEST_CASE("a device clock that is slow is followed, by a nanosecond in 50,000") {
  DeviceClock clock;
  clock.seen(0, 0);
  clock.seen(1'000'000'000, 1'000'015'000); // 15 us in a second: drift alone
  CHECK(clock.hostTime(1'000'000'000) == 1'000'015'000);
  clock.seen(2'000'000'000, 2'001'000'000); // 985 us more: mostly delay
  CHECK(clock.hostTime(2'000'000'000) == 2'000'015'000 + 1'000'985'000 / 50'000);
}

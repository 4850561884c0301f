#include "hostlib/runtime/settings.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using cupr::host::Settings;

namespace {

Settings with(const char *variable, const char *value) {
  setenv(variable, value, 1);
  Settings settings = Settings::fromEnvironment();
  unsetenv(variable);
  return settings;
}

} // namespace

TEST_CASE("CUPR_LAUNCHES is a number to skip and a number to trace") {
  CHECK(with("CUPR_LAUNCHES", "10:5").launchSkip == 10);
  CHECK(with("CUPR_LAUNCHES", "10:5").launchCount == 5);
  CHECK(with("CUPR_LAUNCHES", "10:").launchCount == UINT64_MAX);
  for (const char *wrong : {"5", ":5", "a:5", "5:b", "5:5x", "-1:5"}) {
    CHECK(with("CUPR_LAUNCHES", wrong).launchSkip == 0);
    CHECK(with("CUPR_LAUNCHES", wrong).launchCount == UINT64_MAX);
  }
}

TEST_CASE("CUPR_CTAS is a range with both ends, CUPR_SAMPLE a period") {
  CHECK(with("CUPR_CTAS", "3-7").ctas.first == 3);
  CHECK(with("CUPR_CTAS", "3-7").ctas.end == 8);
  CHECK(with("CUPR_CTAS", "3-").ctas.end == UINT64_MAX);
  CHECK(with("CUPR_CTAS", "7-3").ctas.isAll());
  CHECK(with("CUPR_CTAS", "7").ctas.isAll());
  CHECK(with("CUPR_SAMPLE", "16").ctas.period == 16);
  CHECK(with("CUPR_SAMPLE", "0").ctas.isAll());
}

TEST_CASE("sizes take K, M and G") {
  CHECK(with("CUPR_BUFFER", "3M").bufferBytes == std::size_t{3} << 20);
  CHECK(with("CUPR_BUFFER", "3X").bufferBytes == std::size_t{256} << 20);
  CHECK(with("CUPR_PAGE", "4K").pageBytesLog2 == 12);
  CHECK(with("CUPR_PAGE", "3K").pageBytesLog2 == 17);
}

TEST_CASE("CUPR_COUNT is on or off") {
  CHECK(with("CUPR_COUNT", "on").countsAccesses);
  CHECK(with("CUPR_COUNT", "1").countsAccesses);
  CHECK(!with("CUPR_COUNT", "0").countsAccesses);
  CHECK(!with("CUPR_COUNT", "maybe").countsAccesses);
}

TEST_CASE("CUPR_FULL is wait or drop") {
  CHECK(with("CUPR_FULL", "drop").dropsWhenFull);
  CHECK(!with("CUPR_FULL", "wait").dropsWhenFull);
  CHECK(!with("CUPR_FULL", "maybe").dropsWhenFull);
}

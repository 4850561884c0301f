#include "hostlib/runtime/settings/settings.h"

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
  CHECK(with("CUPR_LAUNCHES", "10:5").enabled);
  for (const char *wrong : {"5", ":5", "a:5", "5:b", "5:5x", "-1:5", "18446744073709551616:1"}) {
    INFO(wrong);
    CHECK(!with("CUPR_LAUNCHES", wrong).enabled);
  }
}

TEST_CASE("CUPR_CTAS is a range with both ends, CUPR_SAMPLE a period") {
  CHECK(with("CUPR_CTAS", "3-7").ctas.first == 3);
  CHECK(with("CUPR_CTAS", "3-7").ctas.end == 8);
  CHECK(with("CUPR_CTAS", "3-").ctas.end == UINT64_MAX);
  CHECK(!with("CUPR_CTAS", "7-3").enabled);
  CHECK(!with("CUPR_CTAS", "7").enabled);
  CHECK(with("CUPR_SAMPLE", "16").ctas.period == 16);
  CHECK(!with("CUPR_SAMPLE", "0").enabled);
  CHECK(!with("CUPR_SAMPLE", "-1").enabled);
}

TEST_CASE("sizes take K, M and G") {
  CHECK(with("CUPR_BUFFER", "3M").bufferBytes == std::size_t{3} << 20);
  CHECK(!with("CUPR_BUFFER", "3X").enabled);
  CHECK(!with("CUPR_BUFFER", "17179869184G").enabled); // 2^64
  CHECK(with("CUPR_BUFFER", "17179869183G").enabled);
  CHECK(!with("CUPR_BUFFER", "M").enabled);
  CHECK(with("CUPR_PAGE", "4K").pageBytesLog2 == 12);
  CHECK(with("CUPR_LATENCY", "off").pageBytesLog2 == 17);
  CHECK(with("CUPR_LATENCY", "on").pageBytesLog2 == 20);
  CHECK(!with("CUPR_PAGE", "3K").enabled);
}

TEST_CASE("numbers have a range, and no unit") {
  CHECK(with("CUPR_LEVEL", "19").level == 19);
  CHECK(!with("CUPR_LEVEL", "20").enabled);
  CHECK(!with("CUPR_SAMPLE", "1K").enabled);
  CHECK(!with("CUPR_SAMPLE", "4294967296").enabled);
  CHECK(with("CUPR_CONSUMERS", "64").consumerThreads == 64);
  CHECK(!with("CUPR_CONSUMERS", "65").enabled);
}

TEST_CASE("without a variable the listed default holds") {
  const Settings settings = with("CUPR_SINK", "file");
  CHECK(settings.bufferBytes == std::size_t{256} << 20);
  CHECK(settings.pageBytesLog2 == 17);
  CHECK(settings.watchdogSeconds == 60);
  CHECK(settings.fileMode == 0600);
  CHECK(settings.ctas.period == 1);
  CHECK((settings.binsInDevice && !settings.dropsWhenFull && !settings.toNowhere));
  CHECK((settings.recordsArguments && settings.recordFromStart && !settings.countsAccesses));
  CHECK((!settings.omitsUntraced && !settings.replacesAnyFile));
  CHECK(settings.kernelName == cupr::trace::NamePart::Demangled);
}

TEST_CASE("a size is written as it is read") {
  using namespace cupr::abi;
  CHECK(sizeText(0) == "0");
  CHECK(sizeText(1023) == "1023");
  CHECK(sizeText(65536) == "64K");
  CHECK(sizeText(std::uint64_t{8} << 30) == "8G");
  CHECK(sizeText(std::uint64_t{3} << 40) == "3072G");
  for (const std::uint64_t bytes : {0ull, 5ull, 1536ull, 1ull << 20, (1ull << 30) + (1ull << 20)})
    CHECK(parseSize(sizeText(bytes)) == bytes);
}

TEST_CASE("CUPR_COUNT is on or off") {
  CHECK(with("CUPR_COUNT", "on").countsAccesses);
  CHECK(with("CUPR_COUNT", "1").countsAccesses);
  CHECK(!with("CUPR_COUNT", "0").countsAccesses);
  CHECK(!with("CUPR_COUNT", "maybe").enabled);
}

TEST_CASE("CUPR_LATENCY is on or off") {
  CHECK(with("CUPR_LATENCY", "on").timesAccesses);
  CHECK(!with("CUPR_LATENCY", "off").timesAccesses);
  CHECK(!with("CUPR_LATENCY", "naive").enabled);
}

TEST_CASE("CUPR_STAGE is at most what a stage can have") {
  CHECK(with("CUPR_STAGE", "0").stageBytes == 0);
  CHECK(with("CUPR_STAGE", "255").stageBytes == 0);
  CHECK(with("CUPR_STAGE", "1000").stageBytes == 992);
  CHECK(with("CUPR_STAGE", "2K").stageBytes == 2048);
  CHECK(!with("CUPR_STAGE", "2049").enabled);
}

TEST_CASE("CUPR_HOST_SAMPLES is a rate, and none by default") {
  CHECK(with("CUPR_HOST_SAMPLES", "").hostSamplesPerSecond == 0);
  CHECK(with("CUPR_HOST_SAMPLES", "1000").hostSamplesPerSecond == 1000);
  CHECK(with("CUPR_HOST_SAMPLES", "10000").enabled);
  CHECK(!with("CUPR_HOST_SAMPLES", "10001").enabled);
  CHECK(!with("CUPR_HOST_SAMPLES", "often").enabled);
}

TEST_CASE("CUPR_FULL is wait or drop") {
  CHECK(with("CUPR_FULL", "drop").dropsWhenFull);
  CHECK(!with("CUPR_FULL", "wait").dropsWhenFull);
  CHECK(!with("CUPR_FULL", "maybe").enabled);
}

TEST_CASE("a file's mode is octal and lets the trace be written") {
  CHECK(with("CUPR_FILE_MODE", "640").fileMode == 0640);
  CHECK(with("CUPR_SINK", "file").fileMode == 0600);
  for (const char *wrong : {"8", "1777", "444", "rw", "-600", "0x1ff"}) {
    INFO(wrong);
    CHECK(!with("CUPR_FILE_MODE", wrong).enabled);
  }
}

TEST_CASE("what makes no sense is refused, and what is empty is not set") {
  for (const char *variable :
       {"CUPR_START", "CUPR_SINK", "CUPR_LEVEL", "CUPR_MAX_BYTES", "CUPR_BINS", "CUPR_WATCHDOG",
        "CUPR_CONSUMERS", "CUPR_KERNEL_NAME", "CUPR_FORCE", "CUPR_ARGUMENTS", "CUPR_PROCESS"}) {
    INFO(variable);
    CHECK(!with(variable, "neither").enabled);
    CHECK(with(variable, "").enabled);
  }
  for (const char *variable : {"CUPR_KERNELS", "CUPR_NVTX"}) {
    CHECK(!with(variable, "(").enabled);
    CHECK(with(variable, "^heat").enabled);
  }
}

TEST_CASE("CUPR_UNTRACED is list, time or omit") {
  CHECK(with("CUPR_UNTRACED", "omit").omitsUntraced);
  CHECK_FALSE(with("CUPR_UNTRACED", "list").omitsUntraced);
  CHECK_FALSE(with("CUPR_UNTRACED", "list").timesUntraced);
  CHECK(with("CUPR_UNTRACED", "time").timesUntraced);
  CHECK(!with("CUPR_UNTRACED", "maybe").enabled);
}

TEST_CASE("variables that look like settings are named with the nearest one") {
  using cupr::host::misspeltSettings;
  using cupr::host::nearestSetting;
  CHECK(nearestSetting("CUPR_KERNEL") == "CUPR_KERNELS");
  CHECK(nearestSetting("CUPR_LAUNCH") == "CUPR_LAUNCHES");
  CHECK(nearestSetting("CUPR_OUTPUT") != "");
  CHECK(nearestSetting("CUPR_TRACE") == "CUPR_TRACE");
  const char *const good[] = {"PATH=/bin", "CUPR_TRACE=x", "CUPR_CPU_THREADS=1", "XCUPR_KERNEL=y", nullptr};
  CHECK(misspeltSettings(good) == "");
  const char *const bad[] = {"CUPR_KERNEL=^heat", "CUPR_TRACE=x", "CUPR_CPU_THREAD=1", "CUPR_", nullptr};
  const std::string said = misspeltSettings(bad);
  CHECK_THAT(said, Catch::StartsWith("CUPR_KERNEL (the nearest is CUPR_KERNELS), CUPR_CPU_THREAD (the "
                                     "nearest is CUPR_CPU_THREADS), CUPR_ ("));
  CHECK(misspeltSettings(nullptr) == "");
  CHECK(with("CUPR_KERNEL", "x").enabled);
}

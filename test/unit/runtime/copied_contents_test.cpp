#include "hostlib/runtime/session/copied_contents.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

using namespace cupr;

namespace {

constexpr std::uint64_t kDevice = 0x7000'0000;

/// A program that copies to one place, copy by copy.
class Copying {
public:
  /// Of all `source`.
  std::uint64_t sameAs(const std::vector<unsigned char> &source, std::uint64_t destination = kDevice) {
    return sameAs(source, source.size(), 1, source.size(), destination);
  }
  std::uint64_t sameAs(const std::vector<unsigned char> &source, std::uint64_t rowBytes, std::uint64_t rows,
                       std::uint64_t pitch, std::uint64_t destination = kDevice) {
    trace::Copy copy;
    copy.order = ++order;
    copy.source = reinterpret_cast<std::uint64_t>(source.data());
    copy.destination = destination;
    copy.rowBytes = rowBytes;
    copy.rows = rows;
    copy.sourcePitch = pitch;
    copy.destinationPitch = rowBytes;
    return contents_.sameAs(copy);
  }
  std::uint64_t order = 0; ///< of the last one

private:
  host::CopiedContents contents_;
};

std::vector<unsigned char> bytes(std::size_t count) {
  std::vector<unsigned char> all(count);
  std::iota(all.begin(), all.end(), static_cast<unsigned char>(1));
  return all;
}

constexpr std::size_t kLarge = 1u << 20;

} // namespace

TEST_CASE("a small copy is the same as the last one to its place, from the second time on") {
  for (const std::size_t size : {1, 63, 64, 1000, 65536}) {
    Copying copying;
    std::vector<unsigned char> source = bytes(size);
    CHECK(copying.sameAs(source) == 0);
    CHECK(copying.sameAs(source) == 1);
    CHECK(copying.sameAs(std::vector(source)) == 2); // wherever it comes from
    source[size / 2] ^= 1;
    CHECK(copying.sameAs(source) == 0);
    CHECK(copying.sameAs(source) == 4);
  }
}

TEST_CASE("a large copy is known for the same from the third time on, and not where only its sample is") {
  Copying copying;
  std::vector<unsigned char> source = bytes(kLarge);
  CHECK(copying.sameAs(source) == 0);
  CHECK(copying.sameAs(source) == 0);
  CHECK(copying.sameAs(source) == 2);
  source[5000] ^= 1; // between the first two stretches
  CHECK(copying.sameAs(source) == 0);
  CHECK(copying.sameAs(source) == 4);
  source[0] ^= 1;
  CHECK(copying.sameAs(source) == 0);
  CHECK(copying.sameAs(source) == 0);
  CHECK(copying.sameAs(source) == 7);
  source[kLarge - 1] ^= 1;
  CHECK(copying.sameAs(source) == 0);
}

TEST_CASE("places and shapes of copies are told apart") {
  Copying copying;
  const std::vector<unsigned char> source = bytes(4096);
  CHECK(copying.sameAs(source) == 0);
  CHECK(copying.sameAs(source, kDevice + 4096) == 0);
  CHECK(copying.sameAs(source) == 1);
  CHECK(copying.sameAs(source, 2048, 2, 2048) == 0);
  CHECK(copying.sameAs(source) == 0); // the last one to the place was of another shape
  CHECK(copying.sameAs(std::vector<unsigned char>()) == 0);
  CHECK(copying.sameAs(std::vector<unsigned char>()) == 0);
}

TEST_CASE("of rows, what lies between them is not copied, and does not count") {
  for (const std::size_t width : {std::size_t{24}, kLarge / 16}) {
    Copying copying;
    std::vector<unsigned char> source = bytes(16 * (width + 8));
    const auto sameAs = [&] { return copying.sameAs(source, width, 16, width + 8); };
    sameAs();
    sameAs();
    CHECK(sameAs() == 2);
    source[width + 3] ^= 1;
    CHECK(sameAs() == 3);
    source[width - 1] ^= 1;
    CHECK(sameAs() == 0);
  }
}

TEST_CASE("a copy with an earlier order than the last one is not the same as that") {
  Copying copying;
  const std::vector<unsigned char> source = bytes(100);
  copying.order = 10;
  CHECK(copying.sameAs(source) == 0);
  copying.order = 5;
  CHECK(copying.sameAs(source) == 0);
}

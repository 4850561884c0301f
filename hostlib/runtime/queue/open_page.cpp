#include "open_page.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <cstring>

namespace cupr::host {

namespace {

bool isZero(const unsigned char *bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](unsigned char byte) { return byte == 0; });
}

/// Its words; 0: not all of it is there.
std::uint32_t arrivedWords(const unsigned char *words, std::size_t available,
                           const std::set<std::uint64_t> &tags) {
  abi::FirstWord first;
  std::memcpy(&first, words, sizeof first);
  if (const std::uint64_t tag = abi::tagOf(first.place); tag == 0 || !tags.contains(tag))
    return 0;
  const std::uint32_t size = abi::accessWords(first, abi::activeLanes(first.lanes), available);
  for (std::uint32_t word = 1; word < size; ++word) // one that is 0 may have been written, or not
    if (isZero(words + std::size_t{word} * abi::kWordBytes, abi::kWordBytes))
      return 0;
  return size;
}

} // namespace

std::vector<unsigned char> arrivedRecords(const unsigned char *page, std::uint32_t bytes,
                                          const std::set<std::uint64_t> &tags) {
  const std::size_t words = bytes / abi::kWordBytes;
  std::vector<unsigned char> records;
  for (std::size_t at = 0; at < words;) {
    const unsigned char *const here = page + at * abi::kWordBytes;
    const std::uint32_t size = arrivedWords(here, words - at, tags);
    records.insert(records.end(), here, here + size * abi::kWordBytes);
    at += std::max(size, 1u); // what is no record's beginning has not been written, or is left of one
  }
  return records;
}

} // namespace cupr::host

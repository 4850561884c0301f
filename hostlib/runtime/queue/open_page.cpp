#include "open_page.h"

#include "devicelib/abi/box_record.h"
#include "devicelib/abi/record.h"

#include <algorithm>
#include <cstring>

namespace cupr::host {

namespace {

bool isZero(const unsigned char *bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](unsigned char byte) { return byte == 0; });
}

/// The words of the record that begins here; 0: none does, as far as can be seen.
std::uint32_t wordsOf(const unsigned char *words, std::size_t available,
                      const std::set<std::uint64_t> &tags) {
  abi::FirstWord first;
  std::memcpy(&first, words, sizeof first);
  const std::uint64_t tag = abi::tagOf(first.place), cta = first.place - abi::launchTag(tag);
  if (tag == 0 || !tags.contains(tag) || cta > UINT32_MAX)
    return 0;
  if (const std::uint32_t words = abi::boxWords(first, available))
    return words;
  return abi::accessWords(first, abi::activeLanes(first.lanes), available);
}

/// A word that is 0 may have been written, or not.
bool isWhole(const unsigned char *words, std::uint32_t count) {
  for (std::uint32_t word = 0; word < count; ++word)
    if (isZero(words + std::size_t{word} * abi::kWordBytes, abi::kWordBytes))
      return false;
  return true;
}

} // namespace

std::vector<unsigned char> arrivedRecords(const unsigned char *page, std::uint32_t bytes,
                                          const std::set<std::uint64_t> &tags) {
  const std::size_t words = bytes / abi::kWordBytes;
  std::vector<unsigned char> records;
  for (std::size_t at = 0; at < words;) {
    const unsigned char *const here = page + at * abi::kWordBytes;
    const std::uint32_t size = wordsOf(here, words - at, tags);
    if (isWhole(here, size))
      records.insert(records.end(), here, here + size * abi::kWordBytes);
    at += std::max(size, 1u); // what is no record's beginning has not been written, or is left of one
  }
  return records;
}

} // namespace cupr::host

/// What a row of the access log says of an access besides its address: its place in
/// the order in which the columns are merged.
///
///     access   site << 4
///     range    site << 4 | 1: an access whose number of bytes stands beside the row
///     values   site << 4 | 2: an access whose values stand beside the row
///     both     site << 4 | 3: a range, and a clock in the place of values
///     mark     (last site of its loop) << 4 | 15 - depth of the loop, and at least 4
///
/// So the marks of a loop come behind its accesses, those of inner loops first. A
/// mark is no access and leaves no record.
#ifndef CUPR_CPU_LOG_KEY_H
#define CUPR_CPU_LOG_KEY_H

#include <cstdint>

namespace cupr::cpu {

constexpr std::uint32_t accessKey(std::uint32_t site) { return site << 4; }
constexpr std::uint32_t rangeKey(std::uint32_t site) { return site << 4 | 1; }
constexpr std::uint32_t valuesKey(std::uint32_t site) { return site << 4 | 2; }
constexpr std::uint32_t rangeValuesKey(std::uint32_t site) { return site << 4 | 3; }
constexpr std::uint32_t markKey(std::uint32_t lastSite, unsigned depth) {
  return lastSite << 4 | (depth < 11 ? 15 - depth : 4);
}
constexpr bool isMark(std::uint32_t key) { return (key & 15) > 3; }
constexpr bool isRange(std::uint32_t key) { return !isMark(key) && (key & 1); }
constexpr bool hasValues(std::uint32_t key) { return !isMark(key) && (key & 2); }
constexpr std::uint32_t keySite(std::uint32_t key) { return key >> 4; }

} // namespace cupr::cpu

#endif

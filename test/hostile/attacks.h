/// What a hostile trace may hold: one attack for each way to make much work, or much memory, of few bytes; and
/// texts that a terminal, a spreadsheet or a browser would obey.
#ifndef CUPR_TEST_HOSTILE_ATTACKS_H
#define CUPR_TEST_HOSTILE_ATTACKS_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cupr::test {

struct Attack {
  const char *name;
  /// Writes a trace of about `bytes` bytes, or less.
  void (*write)(const std::string &path, std::uint64_t bytes);
};

std::span<const Attack> recordAttacks();
std::span<const Attack> hostAttacks();
std::span<const Attack> communicationAttacks();
std::span<const Attack> contentAttacks();
/// All of these.
std::vector<Attack> attacks();

} // namespace cupr::test

#endif

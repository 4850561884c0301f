/// Writes traces for hostile.py:
///
///     hostile_traces attack NAME FILE BYTES      one of those that `hostile_traces attacks` lists
///     hostile_traces mutate FROM FILE SEED
///     hostile_traces damage FROM OTHER FILE SEED
#include "attacks.h"
#include "mutation.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

using namespace cupr::test;

namespace {

std::uint64_t number(const char *text) { return std::strtoull(text, nullptr, 10); }

/// Whether the words were understood.
bool run(const std::vector<const char *> &words) {
  const std::string_view verb = words.empty() ? "" : words[0];
  if (verb == "attacks" && words.size() == 1) {
    for (const Attack &attack : attacks())
      std::puts(attack.name);
    return true;
  }
  if (verb == "attack" && words.size() == 4) {
    for (const Attack &attack : attacks())
      if (std::string_view(words[1]) == attack.name) {
        attack.write(words[2], number(words[3]));
        return true;
      }
    return false;
  }
  if (verb == "mutate" && words.size() == 4) {
    mutate(words[1], words[2], number(words[3]));
    return true;
  }
  if (verb == "damage" && words.size() == 5) {
    damage(words[1], words[2], words[3], number(words[4]));
    return true;
  }
  return false;
}

} // namespace

int main(int argc, char **argv) {
  try {
    if (run({argv + 1, argv + argc}))
      return 0;
    std::fprintf(stderr, "usage: hostile_traces attacks | attack NAME FILE BYTES | mutate FROM FILE SEED | "
                         "damage FROM OTHER FILE SEED\n");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "hostile_traces: %s\n", error.what());
  }
  return 1;
}

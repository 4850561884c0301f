#include "attacks.h"

namespace cupr::test {

std::vector<Attack> attacks() {
  std::vector<Attack> all;
  for (const auto &some : {recordAttacks(), hostAttacks(), communicationAttacks(), contentAttacks()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

} // namespace cupr::test

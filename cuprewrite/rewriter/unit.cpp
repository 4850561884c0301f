#include "unit.h"

namespace cupr::rewrite {

std::filesystem::path located(const Unit &unit, const std::filesystem::path &name) {
  return std::filesystem::absolute(unit.folder / name).lexically_normal();
}

} // namespace cupr::rewrite

#include "source_place.h"

#include "devicelib/abi/unit_suffix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace cupr::pass {
namespace {

cl::list<std::string> systemFolders("cupr-system-folder", cl::value_desc("folder"),
                                    cl::desc("Code below this folder is not the user's (default: /usr)"));

std::string functionName(const DILocation &location) {
  const DISubprogram *function = location.getScope()->getSubprogram();
  if (!function)
    return "";
  const StringRef linkage = function->getLinkageName();
  return linkage.empty() ? function->getName().str() : demangle(abi::withoutUnit(linkage.str()));
}

} // namespace

std::string pathOf(const DIScope &scope) { return absolutePath(scope.getDirectory(), scope.getFilename()); }

SourcePlaces::SourcePlaces(const ColumnMap &columns)
    : columns_(columns), systemFolders_(systemFolders.empty() ? std::vector<std::string>{"/usr/"}
                                                              : std::vector<std::string>(systemFolders)) {}

bool SourcePlaces::isSystem(const DILocation &location) const {
  const std::string path = pathOf(*location.getScope());
  return any_of(systemFolders_,
                [&](const std::string &prefix) { return StringRef(path).starts_with(prefix); });
}

const DILocation *SourcePlaces::userLocation(const Instruction &instruction) const {
  const DILocation *at = instruction.getDebugLoc();
  while (at && at->getInlinedAt() && (isSystem(*at) || at->getLine() == 0))
    at = at->getInlinedAt();
  return at;
}

bool SourcePlaces::isGridBarrier(const Instruction &instruction) {
  for (const DILocation *at = instruction.getDebugLoc(); at; at = at->getInlinedAt()) {
    const DISubprogram *function = at->getScope()->getSubprogram();
    if (function && (function->getName() == "sync_grids_arrive" || function->getName() == "sync_grids_wait"))
      return StringRef(pathOf(*function)).ends_with("/cooperative_groups/details/sync.h");
  }
  return false;
}

SourcePlace SourcePlaces::at(const DILocation &location) const {
  return {pathOf(*location.getScope()), location.getLine(),
          columns_.original(pathOf(*location.getScope()), location.getLine(), location.getColumn()),
          functionName(location)};
}

} // namespace cupr::pass

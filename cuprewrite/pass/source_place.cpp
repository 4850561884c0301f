#include "source_place.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

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
  return linkage.empty() ? function->getName().str() : demangle(linkage);
}

} // namespace

std::string pathOf(const DIScope &scope) {
  const StringRef name = scope.getFilename();
  SmallString<128> path(name);
  if (!sys::path::is_absolute(name) && !scope.getDirectory().empty()) {
    path = scope.getDirectory();
    sys::path::append(path, name);
  }
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

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

SourcePlace SourcePlaces::at(const DILocation &location) const {
  return {pathOf(*location.getScope()), location.getLine(),
          columns_.original(location.getScope()->getFilename(), location.getLine(), location.getColumn()),
          functionName(location)};
}

} // namespace cupr::pass

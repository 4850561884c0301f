/// The loops of the device's source, which clang wrote into the module before it was optimised (devicelib/abi/source_loops.h).
///
/// The host is told of those that hold a place of a site or of a call that led to one, in columns of the user's own files.
#ifndef CUPR_PASS_SOURCE_LOOPS_H
#define CUPR_PASS_SOURCE_LOOPS_H

#include "column_map.h"

#include "devicelib/abi/source_loops.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

#include <set>
#include <string>
#include <vector>

namespace cupr::pass {

class SourceLoops {
public:
  /// Takes the loops out of the module.
  static SourceLoops take(llvm::Module &module, const ColumnMap &columns);

  /// The extents around a place, the innermost first, as texts. `file`: its whole path.
  void addAround(llvm::StringRef file, abi::SourcePoint place, std::set<std::string> &to) const;

private:
  llvm::StringMap<abi::LoopNest> files_;
};

} // namespace cupr::pass

#endif

/// Places in the user's own text: what debug information says, in lines and columns
/// of the file that the user wrote.
#ifndef CUPR_PASS_SOURCE_PLACE_H
#define CUPR_PASS_SOURCE_PLACE_H

#include "column_map.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

#include <string>
#include <vector>

namespace cupr::pass {

struct SourcePlace {
  std::string file;
  unsigned line = 0;    ///< from 1; 0: unknown
  unsigned column = 0;  ///< from 1, of the user's own file; 0: unknown
  std::string function; ///< demangled: the function that holds the place in the source
};

class SourcePlaces {
public:
  /// The edit lists say how columns moved, `-cupr-system-folder` which code is not the user's.
  explicit SourcePlaces(const ColumnMap &columns);

  /// Where an instruction stands: what was inlined from a system folder is placed at the user's line
  /// that led to it. Null without line information.
  const llvm::DILocation *userLocation(const llvm::Instruction &instruction) const;
  SourcePlace at(const llvm::DILocation &location) const;
  /// Whether the instruction is of the barrier of a grid as the toolkit has it (cooperative_groups).
  static bool isGridBarrier(const llvm::Instruction &instruction);

private:
  bool isSystem(const llvm::DILocation &location) const;

  const ColumnMap &columns_;
  std::vector<std::string> systemFolders_;
};

/// The path of a file of debug information, with its folder.
std::string pathOf(const llvm::DIScope &scope);

} // namespace cupr::pass

#endif

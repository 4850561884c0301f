/// Prepares the device code of one translation unit for being linked with that of
/// others: it becomes a *part* of a device program (docs/design/0006).
///
/// Nothing is instrumented here: that is done once, when the parts have been joined
/// (whole_program.h). What a part must say by itself, since it is forgotten when modules are joined:
///
/// - where its edit lists belong (ColumnMap::qualify);
/// - which functions and variables it offers to other parts, and which it wants from them.
///
/// The latter is written to `-cupr-part-symbols=FILE`, a line each: `strong`, `weak` or `wanted`, a
/// blank, the name. The tool makes symbols of the host object of them, so that the host's linker finds
/// members of archives by them, and says what is missing or there twice.
///
/// The names are demangled and without the trace parameter: whether a function has it may differ from one
/// file to the other.
#ifndef CUPR_PASS_RELOCATABLE_PART_H
#define CUPR_PASS_RELOCATABLE_PART_H

#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace cupr::pass {

class RelocatablePartPass : public llvm::PassInfoMixin<RelocatablePartPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// The name under which parts know a function or variable.
std::string partName(llvm::StringRef mangled);

/// Whether a declaration must be defined by another part: it is used, and nobody else provides it.
bool isWanted(const llvm::GlobalValue &value);

} // namespace cupr::pass

#endif

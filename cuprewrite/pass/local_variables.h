/// Arrays of a thread that optimisation has left in its local memory: what accesses to that are to.
///
/// Where an array lies is decided when the machine's code is made, and differs between calls of its function. So whoever enters the function says
/// it, with a record for each array (abi::Operation::LocalVariable), from which on nothing is in it. An access that leads to one array, whatever
/// the index, has the array's name; where several are possible, or a pointer came as an argument, none.
#ifndef CUPR_PASS_LOCAL_VARIABLES_H
#define CUPR_PASS_LOCAL_VARIABLES_H

#include "access.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Instructions.h"

#include <string>

namespace cupr::pass {

class LocalVariables {
public:
  /// What is to be recorded in front of `instruction`: that the arrays of its function have begun. Empty for all but one instruction.
  llvm::SmallVector<Access, 2> begunAt(llvm::Instruction &instruction);
  /// Says which array an access leads to, and whether a load may be one that the compiler has put in front of its condition.
  void describe(Access &access);

private:
  /// As in the source, and no two alike in a module: `row`, `row.1`.
  const std::string &nameOf(const llvm::AllocaInst &variable);

  llvm::DenseMap<const llvm::AllocaInst *, std::string> names_;
  llvm::StringMap<unsigned> used_;
};

} // namespace cupr::pass

#endif

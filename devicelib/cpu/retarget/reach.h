/// What a kernel can reach: functions, through calls, references and tables of
/// functions.
#ifndef CUPR_CPU_REACH_H
#define CUPR_CPU_REACH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"

namespace cupr::cpu {

class Reach {
public:
  explicit Reach(llvm::Module &module);
  /// The function itself included. Where an indirect call is reachable, every
  /// function whose address is taken counts.
  llvm::SetVector<llvm::Function *> from(llvm::Function *function) const;

private:
  struct Node {
    llvm::SetVector<llvm::Function *> references;
    bool callsIndirectly = false;
  };
  llvm::DenseMap<llvm::Function *, Node> nodes_;
  llvm::SetVector<llvm::Function *> addressTaken_;
};

} // namespace cupr::cpu

#endif

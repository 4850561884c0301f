/// Lowers one inline-assembly call: its PTX registers become stack slots (which
/// the optimiser dissolves), its labels basic blocks, its guards branches.
///
/// A value has a PTX type (kind and bits); registers hold bits only, so reading
/// and writing convert between the register's width and the instruction's.
#ifndef CUPR_CPU_PTX_LOWERING_H
#define CUPR_CPU_PTX_LOWERING_H

#include "device_builder.h"
#include "devicelib/ptx/instructions.h"
#include "devicelib/ptx/parser.h"
#include "operation_parts.h"

#include "llvm/ADT/StringMap.h"

namespace cupr::cpu {

using PtxType = ptx::Type;

/// The type that an operation ends with.
std::optional<PtxType> lastType(const ptx::Statement &statement);
/// Of that many bits.
PtxType unsignedType(unsigned bits);

class PtxLowering {
public:
  PtxLowering(DeviceBuilder &builder, llvm::CallInst &call) : b(builder), call_(call) {}

  /// Puts host IR before the call for what it does, and returns its result (null
  /// for void) in `result`. False: some statement is not known; `unknown()` says
  /// which, and nothing was changed.
  bool lower(llvm::Value *&result);
  const std::string &unknown() const { return unknown_; }

private:
  using Operation = const std::vector<std::string> &;
  struct Register {
    llvm::AllocaInst *slot;
    unsigned bits;
  };
  enum Flow { kNext, kEnd };

  bool bindOperands();
  bool emit(const ptx::Statement &statement);
  bool emitInstruction(const ptx::Statement &statement);
  bool emitMove(const ptx::Statement &s);
  bool emitInteger(const ptx::Statement &s);
  bool emitCarry(const ptx::Statement &s);
  bool emitBits(const ptx::Statement &s);
  bool emitFloat(const ptx::Statement &s);
  bool emitVideo(const ptx::Statement &s);
  bool emitCompare(const ptx::Statement &s);
  bool emitConvert(const ptx::Statement &s);
  bool emitConvertSmall(const ptx::Statement &s);
  bool emitMemory(const ptx::Statement &s);
  bool emitTensorCopy(const ptx::Statement &s);
  bool emitAtomic(const ptx::Statement &s);
  void completeAsync(const ptx::Statement &s, std::uint64_t bytes);
  bool emitTexture(const ptx::Statement &s);
  bool emitSurface(const ptx::Statement &s);
  llvm::Value *storeCoordinates(const ptx::Operand &place, unsigned count, PtxType type);
  bool emitMbarrier(const ptx::Statement &s);
  bool emitWarp(const ptx::Statement &s);
  bool emitMatrix(const ptx::Statement &s);
  bool emitControl(const ptx::Statement &s);

  Register *find(const std::string &name);
  llvm::AllocaInst *allocate(llvm::Type *type);
  Register &declare(const std::string &name, unsigned bits);
  llvm::Value *read(const ptx::Operand &operand, PtxType type);
  /// An operand of the statement, with zero for a denormal number where the statement says `.ftz`.
  llvm::Value *readFlushed(const ptx::Statement &s, unsigned operand, PtxType type) {
    llvm::Value *const value = read(s.operands[operand], type);
    return has(s.operation, "ftz") ? b.flushed(value) : value;
  }
  llvm::Value *readPredicate(const ptx::Operand &operand);
  void write(const ptx::Operand &operand, llvm::Value *value, PtxType type);
  void writeTo(const std::string &name, llvm::Value *value, bool isSigned);
  llvm::Value *address(const ptx::Operand &operand);
  llvm::Type *llvmType(PtxType type);
  llvm::Value *compare(llvm::StringRef comparison, PtxType type, llvm::Value *a, llvm::Value *c);
  llvm::BasicBlock *label(const std::string &name);

  DeviceBuilder &b;
  llvm::CallInst &call_;
  llvm::StringMap<Register> registers_;
  llvm::StringMap<llvm::BasicBlock *> labels_;
  llvm::StringMap<llvm::Value *> immediates_;
  llvm::AllocaInst *carry_ = nullptr;
  unsigned outputs_ = 0;
  std::string unknown_;
};

} // namespace cupr::cpu

#endif

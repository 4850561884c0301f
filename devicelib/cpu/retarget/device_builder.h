/// Emits host IR for what a device instruction does: the pieces that the lowering
/// of intrinsics and the lowering of inline PTX have in common.
#ifndef CUPR_CPU_DEVICE_BUILDER_H
#define CUPR_CPU_DEVICE_BUILDER_H

#define CUPR_CPU_RETARGET 1
#include "devicelib/cpu/runtime/lane_state.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace cupr::cpu {

/// The runtime's functions, by the identifiers of runtime_calls.def.
enum class Call {
#define CUPR_CPU_CALL(identifier, symbol, result, ...) identifier,
#include "devicelib/cpu/runtime/runtime_calls.def"
};

enum class FloatOperation { Add, Subtract, Multiply, Fma, Divide, SquareRoot };

class DeviceBuilder : public llvm::IRBuilder<> {
public:
  explicit DeviceBuilder(llvm::Module &module);

  /// A Place at the end is added: that of the current debug location.
  llvm::Value *call(Call call, llvm::ArrayRef<llvm::Value *> arguments = {});
  llvm::Value *i32(std::uint32_t value) { return getInt32(value); }

  /// A field of the LaneState, at `offset`.
  llvm::Value *stateField(std::size_t offset, llvm::Type *type);
  /// Of memory that does not change while a kernel runs; no access of the program's.
  llvm::LoadInst *constantLoad(llvm::Type *type, llvm::Value *address);
  /// The special register `name` as PTX calls it, without `%` ("tid.x"), or null.
  /// Its type is i32 or i64.
  llvm::Value *specialRegister(llvm::StringRef name);

  /// a op b (op c) with a rounding mode (cupr::cpu::Rounding).
  llvm::Value *arithmetic(FloatOperation operation, unsigned rounding, llvm::Value *a,
                          llvm::Value *b = nullptr, llvm::Value *c = nullptr);
  /// "ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "rcp", "sqrt": as exactly as the host can.
  llvm::Value *approximate(llvm::StringRef name, llvm::Value *a);
  /// Of single precision: a zero of its sign instead of a denormal number. Of other types: `a`.
  llvm::Value *flushed(llvm::Value *a);
  /// What `div.approx` divides by `divisor` in the place of `a`: it multiplies with a reciprocal, which is 0
  /// for divisors beyond 2^126.
  llvm::Value *dividend(llvm::Value *a, llvm::Value *divisor);
  /// min(max(a, 0), 1), and 0 for a NaN.
  llvm::Value *saturate(llvm::Value *a);
  /// Rounds to an integral value; the rounding of `cvt`: "rni", "rzi", "rmi", "rpi" by its number.
  llvm::Value *toIntegral(llvm::Value *a, unsigned rounding);
  /// Converts with saturation, a NaN to 0.
  llvm::Value *toInteger(llvm::Value *a, llvm::Type *type, bool isSigned, unsigned rounding);
  /// Between floating-point types; a directed rounding where the type narrows.
  llvm::Value *toFloat(llvm::Value *a, llvm::Type *type, unsigned rounding);
  llvm::Value *fromInteger(llvm::Value *a, llvm::Type *type, bool isSigned);
  llvm::Value *multiplyHigh(llvm::Value *a, llvm::Value *b, bool isSigned);
  llvm::Value *asInteger(llvm::Value *a);
  llvm::Value *predicate(llvm::Value *i1) { return CreateZExt(i1, getInt32Ty()); }
  llvm::Value *isTrue(llvm::Value *i32) {
    return CreateICmpNE(i32, llvm::ConstantInt::get(i32->getType(), 0));
  }
  void fenceFor(bool block);
  /// A call that reports `text` and gives the block up.
  void unsupported(llvm::StringRef text);

  /// The LaneState of the running lane.
  llvm::GlobalVariable *state() { return state_; }

private:
  llvm::Constant *place();

  llvm::Module &module_;
  llvm::StringMap<llvm::Constant *> places_;
  llvm::GlobalVariable *state_;
};

/// Prints a warning that names the place of `at`.
void warn(const llvm::Instruction *at, const llvm::Twine &message);

} // namespace cupr::cpu

#endif

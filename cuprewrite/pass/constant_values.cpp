#include "constant_values.h"

#include "storage.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace cupr::pass {

namespace {

/// Where it is in one register; null: it is not.
const Value *valueOf(const ValueRegisters &registers) {
  return registers.size() == 1 && registers.front().bytes == 0 ? registers.front().value : nullptr;
}

bool isConstant(const ValueRegisters &registers, bool zero) {
  const auto *const number = dyn_cast_or_null<ConstantInt>(valueOf(registers));
  return number && number->isZero() == zero;
}

} // namespace

bool storesOneValue(const Access &access) {
  if (access.operation != abi::Operation::Store || access.values.empty())
    return false;
  const Value *const value = valueOf(access.values.front());
  if (const auto *const argument = dyn_cast_or_null<Argument>(value))
    return isKernel(*argument->getParent());
  return value && isa<ConstantData>(value) && !isa<UndefValue>(value);
}

bool isOfLock(const Access &access) {
  if (access.values.size() != abi::valuesOf(access.operation))
    return false;
  switch (access.operation) {
  case abi::Operation::AtomicCAS:
    return isConstant(access.values[1], true) && isConstant(access.values[2], false);
  case abi::Operation::AtomicExch:
    return isConstant(access.values[1], true);
  case abi::Operation::Store:
    return isConstant(access.values[0], true);
  default:
    return false;
  }
}

} // namespace cupr::pass

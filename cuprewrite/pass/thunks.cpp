#include "thunks.h"

#include "devicelib/abi/symbols.h"
#include "devicelib/abi/trace_argument.h"
#include "relocatable_part.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <optional>

using namespace llvm;

namespace cupr::pass {
namespace {

/// Without it, the function is known by the same name as with it.
bool hasTrace(const Function &function) {
  return partName(function.getName()) != demangle(function.getName());
}

/// Whether the function stands in a class or namespace.
bool isMember(const Function &function) { return function.getName().starts_with("_ZN"); }

bool sameParameter(const Argument &a, const Argument &b) {
  return a.getType() == b.getType() && a.hasByValAttr() == b.hasByValAttr() &&
         a.hasStructRetAttr() == b.hasStructRetAttr();
}

/// Which parameter of `with` is the trace: the first one of the source, so there may be a returned structure
/// and an object before it. Nothing when the rest is not what `without` has.
std::optional<unsigned> traceParameter(const Function &with, const Function &without) {
  if (with.arg_size() != without.arg_size() + 1 || with.getReturnType() != without.getReturnType() ||
      with.isVarArg())
    return std::nullopt;
  unsigned index = 0;
  while (index < without.arg_size() && with.getArg(index)->hasStructRetAttr())
    ++index;
  // An object is told from the trace by what may be read behind the pointer: the object is the same in both
  // functions, and the trace has its own size.
  if (index < without.arg_size() && isMember(with)) {
    const Argument &first = *with.getArg(index), &other = *without.getArg(index);
    const bool sameObject = first.hasNonNullAttr() && other.hasNonNullAttr() &&
                            first.getDereferenceableBytes() == other.getDereferenceableBytes();
    if (sameObject && first.getDereferenceableBytes() == sizeof(argument::Trace))
      return std::nullopt; // either
    index += sameObject;
  }
  if (!with.getArg(index)->getType()->isPointerTy())
    return std::nullopt;
  for (unsigned i = 0; i < without.arg_size(); ++i)
    if (!sameParameter(*with.getArg(i < index ? i : i + 1), *without.getArg(i)))
      return std::nullopt;
  return index;
}

void build(Function &thunk, Function &target) {
  const bool handsOver = hasTrace(target);
  const std::optional<unsigned> at =
      handsOver ? traceParameter(target, thunk) : traceParameter(thunk, target);
  if (!at)
    return; // stays undefined, which is reported
  Module &module = *thunk.getParent();
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", &thunk));
  SmallVector<Value *, 8> arguments;
  for (Argument &argument : thunk.args())
    arguments.push_back(&argument);
  if (handsOver) {
    FunctionCallee current = module.getOrInsertFunction(CUPR_CURRENT_SYMBOL, builder.getPtrTy());
    arguments.insert(arguments.begin() + *at, builder.CreateCall(current));
  } else {
    arguments.erase(arguments.begin() + *at);
  }
  CallInst *call = builder.CreateCall(&target, arguments);
  call->setAttributes(target.getAttributes());
  call->setCallingConv(target.getCallingConv());
  if (thunk.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  for (const char *name : {"target-cpu", "target-features"})
    if (target.hasFnAttribute(name))
      thunk.addFnAttr(target.getFnAttribute(name));
  thunk.setLinkage(GlobalValue::InternalLinkage);
}

} // namespace

void buildThunks(Module &module) {
  std::map<std::string, Function *> definitions;
  for (Function &function : module)
    if (!function.isDeclaration())
      definitions.emplace(partName(function.getName()), &function);
  for (Function &function : module)
    if (isWanted(function))
      if (const auto found = definitions.find(partName(function.getName()));
          found != definitions.end() && hasTrace(*found->second) != hasTrace(function))
        build(function, *found->second);
}

} // namespace cupr::pass

#include "explanation.h"

#include "cuprewrite/report/static_report.h"
#include "plan.h"
#include "storage.h"

#include "devicelib/abi/unit_suffix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

#include <deque>
#include <set>

using namespace llvm;

namespace cupr::pass {
namespace {

std::string quoted(StringRef name) { return ("`" + name + "`").str(); }

/// `tile` from `_ZZ5tiledPfE4tile`, which is `tiled(float*)::tile`.
std::string variableName(const GlobalVariable &variable) {
  std::string full = demangle(abi::withoutUnit(variable.getName().str()));
  unsigned depth = 0;
  for (std::size_t i = full.size(); i-- > 1;) {
    depth += full[i] == ')' || full[i] == '>';
    depth -= depth && (full[i] == '(' || full[i] == '<');
    if (!depth && full[i] == ':' && full[i - 1] == ':')
      return full.substr(i + 1);
  }
  return full;
}

/// The name in the source, from full debug information: IR loses it when a release
/// build of clang discards names.
StringRef debugName(const Function &function, const Value *value) {
  for (const Instruction &instruction : instructions(function))
    for (const DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
      if (!record.getDebugLoc()->getInlinedAt() && is_contained(record.location_ops(), value))
        return record.getVariable()->getName();
  return "";
}

/// The rewriter's parameter, which the source does not have, stands first.
bool startsWithTrace(const Function &function) {
  if (isKernel(function))
    return takesTrace(function);
  return !function.arg_empty() &&
         (function.getArg(0)->getName() == "cupr_trace" ||
          StringRef(demangle(function.getName())).contains("(cupr::argument::Trace const&"));
}

unsigned sourceIndex(const Argument &argument) {
  return argument.getArgNo() - (startsWithTrace(*argument.getParent()) ? 1 : 0);
}

/// "`in`", or "2": counted from 0, as in patterns.
std::string argumentName(const Argument &argument) {
  StringRef name = argument.getName();
  name.consume_back(".coerce");
  if (name.empty())
    name = debugName(*argument.getParent(), &argument);
  return name.empty() ? std::to_string(sourceIndex(argument)) : quoted(name);
}

std::string localName(const AllocaInst &slot) {
  StringRef name = slot.getName();
  if (name.empty())
    name = debugName(*slot.getFunction(), &slot);
  name.consume_back(".addr");
  return name.empty() ? "local variable" : "local variable " + quoted(name);
}

std::string describe(const GlobalVariable &variable) {
  const std::string name = quoted(variableName(variable));
  switch (variable.getAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_SHARED:
    return "shared variable " + name;
  case NVPTXAS::ADDRESS_SPACE_CONST:
    return "`__constant__` variable " + name;
  case NVPTXAS::ADDRESS_SPACE_GENERIC:
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return "`__device__` variable " + name;
  default:
    return "variable " + name;
  }
}

/// What a pointer's type alone says, in words.
std::string describeType(const Type *type) {
  switch (type->getPointerAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return "a pointer that is global by its type";
  case NVPTXAS::ADDRESS_SPACE_SHARED:
    return "an address of shared memory";
  case NVPTXAS::ADDRESS_SPACE_CONST:
    return "an address of constant memory";
  case NVPTXAS::ADDRESS_SPACE_LOCAL:
    return "an address of local memory";
  default:
    return "an address of a special memory space";
  }
}

class Walk {
public:
  Walk(const AddressSpaceAnalysis &analysis, const Context &start) : analysis_(analysis), start_(start) {}

  Explanation run(const Value *pointer) {
    push(start_, pointer, "");
    while (!work_.empty()) {
      const Step step = work_.front();
      work_.pop_front();
      visit(*step.context, step.value, step.via);
    }
    return std::move(result_);
  }

private:
  struct Step {
    const Context *context;
    const Value *value;
    std::string via;
  };

  void push(const Context &context, const Value *value, const std::string &via) {
    if (seen_.insert({&context, value, via}).second)
      work_.push_back({&context, value, via});
  }

  void source(std::string what, Space space, const std::string &via) {
    for (const Explanation::Source &known : result_.sources)
      if (known.what == what && known.via == via)
        return;
    result_.sources.push_back({std::move(what), space, via});
  }

  void visit(const Context &context, const Value *value, const std::string &via) {
    if (isa<UndefValue, ConstantPointerNull, ConstantAggregateZero>(value))
      return;
    if (!holdsPointer(value->getType()) && !isa<PtrToIntOperator>(value))
      return source("an address made from an integer", Space::Both, via);
    if (const auto *variable = dyn_cast<GlobalVariable>(value))
      return source(describe(*variable), analysis_.spaceOf(context, value), via);
    if (const auto *argument = dyn_cast<Argument>(value))
      return visitArgument(context, *argument, via);
    if (isa<Function>(value))
      return source("a function", Space::NotGlobal, via);
    if (const auto *offset = dyn_cast<GEPOperator>(value);
        offset && isa<ConstantPointerNull>(offset->getPointerOperand()))
      return source("an address made from an integer", Space::Both, via); // null and an offset
    if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator, PtrToIntOperator>(value) ||
        isa<FreezeInst, ExtractValueInst, ExtractElementInst>(value))
      return push(context, cast<User>(value)->getOperand(0), via);
    if (const auto *aggregate = dyn_cast<ConstantAggregate>(value)) {
      for (const Use &element : aggregate->operands())
        if (holdsPointer(element->getType()))
          push(context, element, via);
      return;
    }
    if (const auto *slot = dyn_cast<AllocaInst>(value))
      return source(localName(*slot), Space::NotGlobal, via);
    if (const auto *phi = dyn_cast<PHINode>(value)) {
      for (const Value *incoming : phi->incoming_values())
        push(context, incoming, via);
      return;
    }
    if (isa<SelectInst, InsertValueInst, InsertElementInst, ShuffleVectorInst>(value)) {
      const auto *user = cast<User>(value);
      for (const unsigned i : {isa<SelectInst>(value) ? 1u : 0u, isa<SelectInst>(value) ? 2u : 1u})
        if (holdsPointer(user->getOperand(i)->getType()))
          push(context, user->getOperand(i), via);
      return;
    }
    if (const auto *load = dyn_cast<LoadInst>(value))
      return visitLoad(context, *load, via);
    if (const auto *call = dyn_cast<CallBase>(value))
      return visitCall(context, *call, via);
    visitOther(context, value, via);
  }

  void visitArgument(const Context &context, const Argument &argument, const std::string &via) {
    const Function &function = *context.function;
    if (isKernel(function)) {
      if (argument.hasByValAttr())
        return source("by-value parameter " + argumentName(argument) + " itself", Space::NotGlobal, via);
      return source("kernel parameter " + argumentName(argument), analysis_.spaceOf(context, &argument), via);
    }
    if (argument.hasByValAttr())
      return source("by-value argument " + argumentName(argument) + " itself", Space::NotGlobal, via);
    std::string path = via;
    std::vector<std::string> callers;
    for (const Context *caller : context.callers)
      if (leadsTo(*caller, context))
        callers.push_back(quoted(cloneText(*caller)));
    if (path.empty() && &context == &start_) {
      path = "argument " + argumentName(argument);
      if (!callers.empty()) {
        constexpr std::size_t kNamed = 3;
        path +=
            " in calls from " +
            llvm::join(callers.begin(),
                       callers.begin() + static_cast<std::ptrdiff_t>(std::min(callers.size(), kNamed)), ", ");
        if (callers.size() > kNamed)
          path += " and " + std::to_string(callers.size() - kNamed) + " more";
      }
    }
    if (isCalledFromOutside(function) && analysis_.spaceOf(context, &argument) == Space::Both)
      source("what callers out of sight pass: the function's address is taken", Space::Both, path);
    for (const Context *caller : context.callers)
      for (const auto &[call, target] : caller->calls)
        if (target == &context)
          push(*caller, call->getArgOperand(argument.getArgNo()), path);
  }

  static bool leadsTo(const Context &caller, const Context &context) {
    return any_of(caller.calls, [&](const auto &entry) { return entry.second == &context; });
  }

  void visitLoad(const Context &context, const LoadInst &load, const std::string &via) {
    const Value *pointer = load.getPointerOperand();
    const Space space = analysis_.spaceOf(context, &load);
    if (const Argument *parameter = kernelParameter(pointer))
      return source("pointer in by-value parameter " + argumentName(*parameter), space, via);
    const Value *object = getUnderlyingObject(pointer, 0);
    if (const auto *slot = dyn_cast<AllocaInst>(object))
      return visitLocal(context, *slot, space, via);
    if (const auto *variable = dyn_cast<GlobalVariable>(object))
      return source("pointer loaded from " + describe(*variable), space, via);
    switch (analysis_.spaceOf(context, pointer)) {
    case Space::Global:
      return source(space == Space::Global
                        ? "loaded from global memory"
                        : "loaded from global memory, where the module may store pointers to other memory",
                    space, via);
    case Space::NotGlobal:
      return source("loaded from memory that is not global", space, via);
    default:
      return source("loaded from memory of unknown space", space, via);
    }
  }

  /// A pointer that was kept in a local variable: what was stored there.
  void visitLocal(const Context &context, const AllocaInst &slot, Space space, const std::string &via) {
    SmallVector<const Value *, 8> stored;
    SmallVector<const Value *, 8> addresses{&slot};
    SmallPtrSet<const Value *, 8> seen{&slot};
    while (!addresses.empty())
      for (const User *user : addresses.pop_back_val()->users()) {
        if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(user)) {
          if (seen.insert(user).second)
            addresses.push_back(user);
        } else if (const auto *store = dyn_cast<StoreInst>(user);
                   store && !seen.contains(store->getValueOperand()) &&
                   holdsPointer(store->getValueOperand()->getType())) {
          stored.push_back(store->getValueOperand());
        } else if (const auto *transfer = dyn_cast<MemTransferInst>(user);
                   transfer && seen.contains(transfer->getRawDest())) {
          if (const Argument *parameter = kernelParameter(transfer->getRawSource()))
            source("pointer in by-value parameter " + argumentName(*parameter), Space::Global, via);
        }
      }
    for (const Value *value : stored)
      push(context, value, via);
    // More than what is stored in sight may be in it.
    Space seenSpace = Space::Unvisited;
    for (const Value *value : stored)
      seenSpace = pass::join(seenSpace, analysis_.spaceOf(context, value));
    if (space == Space::Both && seenSpace != Space::Both)
      source("loaded from " + localName(slot) + ", whose address is used in other ways too", Space::Both,
             via);
  }

  void visitCall(const Context &context, const CallBase &call, const std::string &via) {
    if (const Context *target = context.calls.lookup(const_cast<CallBase *>(&call))) {
      for (const Instruction &instruction : instructions(*target->function))
        if (const auto *back = dyn_cast<ReturnInst>(&instruction); back && back->getReturnValue())
          push(*target, back->getReturnValue(), via);
      return;
    }
    if (const Value *same = call.getArgOperandWithAttribute(Attribute::Returned))
      return push(context, same, via);
    const Function *callee = call.getCalledFunction();
    if (callee && callee->isIntrinsic() && call.arg_size() >= 1 &&
        call.getArgOperand(0)->getType()->isPointerTy() && call.getType()->isPointerTy())
      return push(context, call.getArgOperand(0), via);
    const Space space = analysis_.spaceOf(context, &call);
    if (callee && callee->getName() == "malloc")
      return source("the device's heap (`malloc`)", space, via);
    source(callee ? "result of " + quoted(shortName(callee->getName())) + ", whose code is not seen"
                  : std::string("result of a call through a pointer"),
           space, via);
  }

  /// Made from an integer: perhaps one that was a pointer before.
  void visitOther(const Context &context, const Value *value, const std::string &via) {
    if (const auto *cast = dyn_cast<IntToPtrInst>(value)) {
      const Value *integer = cast->getOperand(0);
      while (const auto *arithmetic = dyn_cast<BinaryOperator>(integer)) {
        if (!isa<ConstantInt>(arithmetic->getOperand(1)))
          break;
        integer = arithmetic->getOperand(0);
      }
      return push(context, integer, via);
    }
    if (value->getType()->isPointerTy() && value->getType()->getPointerAddressSpace() != 0)
      return source(describeType(value->getType()), analysis_.spaceOf(context, value), via);
    source("an address that the compiler can't follow", Space::Both, via);
  }

  const AddressSpaceAnalysis &analysis_;
  const Context &start_;
  std::deque<Step> work_;
  std::set<std::tuple<const Context *, const Value *, std::string>> seen_;
  Explanation result_;
};

/// "a", "a or b", "a, b or c"; long lists are cut.
std::string alternatives(const std::vector<const Explanation::Source *> &sources) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  const std::size_t named = std::min(sources.size(), kNamed);
  for (std::size_t i = 0; i < named; ++i) {
    if (i)
      text += i + 1 == sources.size() ? " or " : ", ";
    text += sources[i]->what;
  }
  if (sources.size() > named)
    text += " or " + std::to_string(sources.size() - named) + " more";
  return text;
}

} // namespace

std::string Explanation::text(Space verdict) const {
  if (sources.empty())
    return "no source was found: null or undefined";
  Space joined = Space::Unvisited;
  for (const Source &source : sources)
    joined = pass::join(joined, source.space);
  std::vector<std::string> ways;
  for (const Source &source : sources)
    if (!is_contained(ways, source.via))
      ways.push_back(source.via);
  std::string text;
  for (const std::string &via : ways) {
    std::vector<const Source *> ofWay;
    Space space = Space::Unvisited;
    for (const Source &source : sources)
      if (source.via == via) {
        ofWay.push_back(&source);
        space = pass::join(space, source.space);
      }
    if (!text.empty())
      text += "; ";
    if (!via.empty())
      text += via + ": ";
    text += (space == Space::Both && ofWay.size() > 1 ? "may be " : "") + alternatives(ofWay);
    if (!via.empty() && space == verdict && verdict != Space::Both)
      text += std::string("; ") + spaceText(verdict) + " in all";
  }
  if (joined != verdict && verdict == Space::Both)
    text += "; not proven: the function has too many patterns, or its pointers meet others on the way";
  return text;
}

Explanation explain(const AddressSpaceAnalysis &analysis, const Context &context, const Value *pointer) {
  return Walk(analysis, context).run(pointer);
}

const char *spaceText(Space space) {
  switch (space) {
  case Space::Global:
    return report::kGlobal;
  case Space::NotGlobal:
    return report::kNotGlobal;
  case Space::Both:
  case Space::Unvisited: // no source was found: the run-time check decides
    return report::kDecided;
  }
  return "";
}

std::string shortName(StringRef mangled) {
  const std::string copy = abi::withoutUnit(mangled.str());
  ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(copy.c_str()) || !demangler.isFunction())
    return demangle(copy);
  std::size_t size = 0;
  char *const name = demangler.getFunctionName(nullptr, &size);
  if (!name)
    return demangle(copy);
  const std::string result = name;
  std::free(name);
  return result;
}

std::string cloneText(const Context &context) {
  const Function &function = *context.function;
  std::string text = shortName(function.getName());
  if (isKernel(function))
    return text;
  text += '{';
  bool first = true;
  for (const unsigned index : context.globalArguments()) {
    const unsigned shown = sourceIndex(*function.getArg(index));
    text += (first ? "" : ",") + std::to_string(shown);
    first = false;
  }
  return text + '}';
}

} // namespace cupr::pass

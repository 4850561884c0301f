#include "failed_calls.h"

#include "devicelib/abi/augmented_mark.h"
#include "devicelib/abi/failed_call.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/SourceManagerInternals.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

using namespace clang;

namespace cupr::language {
namespace {

/// Without `.` and `..`; a path that is not absolute counts from `folder`.
std::string absolute(llvm::StringRef folder, llvm::StringRef file) {
  llvm::SmallString<256> path(file);
  llvm::sys::path::make_absolute(folder, path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

/// Those that the rewriter has copied, as debug information names them: a copy says it by `#line`.
llvm::StringSet<> copiedFiles(SourceManager &sources) {
  llvm::StringSet<> names;
  llvm::SmallString<256> folder(".");
  if (!sources.hasLineTable())
    return names;
  sources.getFileManager().makeAbsolutePath(folder);
  const LineTableInfo &table = sources.getLineTable();
  for (const auto &[file, entries] : sources.getLineTable())
    if (sources.getBufferData(file).split('\n').first.contains(abi::kAugmentedMark))
      for (const LineEntry &entry : entries)
        if (entry.FilenameID >= 0)
          names.insert(absolute(folder, table.getFilename(static_cast<unsigned>(entry.FilenameID))));
  return names;
}

/// The function's name in the source, without its scopes; empty: it has none, or lies in a scope.
std::string sourceName(llvm::StringRef symbol) {
  if (!symbol.starts_with("_Z"))
    return symbol.str();
  const std::string mangled = symbol.str(); // the demangler reads on in it
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction())
    return {};
  const auto text = [](char *allocated) {
    std::string out = allocated ? allocated : "";
    std::free(allocated);
    return out;
  };
  if (!text(demangler.getFunctionDeclContextName(nullptr, nullptr)).empty())
    return {};
  return text(demangler.getFunctionBaseName(nullptr, nullptr));
}

/// A function of CUDA's API that returns an error.
struct ErrorCall {
  std::string name;
  bool isOfRuntime; ///< else the driver's
};

/// The headers wrap some functions in templates of the same name: both are the API's.
std::optional<ErrorCall> errorCallOf(const llvm::Function &function, ASTContext &context) {
  if (!function.getReturnType()->isIntegerTy(32))
    return std::nullopt;
  const std::string name = sourceName(function.getName());
  if (!llvm::StringRef(name).starts_with("cu"))
    return std::nullopt;
  std::optional<ErrorCall> call;
  for (const NamedDecl *found :
       context.getTranslationUnitDecl()->lookup(DeclarationName(&context.Idents.get(name)))) {
    if (const auto *const shaped = dyn_cast<FunctionTemplateDecl>(found))
      found = shaped->getTemplatedDecl();
    const auto *const declared = dyn_cast<FunctionDecl>(found);
    if (!declared || !context.getSourceManager().isInSystemHeader(declared->getLocation()))
      return std::nullopt;
    const auto *const returned = declared->getReturnType()->getAs<EnumType>();
    const llvm::StringRef type = returned ? returned->getDecl()->getName() : llvm::StringRef();
    if (type != "cudaError" && type != "cudaError_enum")
      return std::nullopt;
    call = {name, type == "cudaError"};
  }
  return call;
}

/// What they return is no answer to what they were asked to do.
bool asksForErrors(llvm::StringRef name) {
  return name == "cudaGetLastError" || name == "cudaPeekAtLastError";
}

/// Whether it is what clang makes of a launch of a kernel: a function that calls cudaLaunchKernel.
bool isLaunchStub(const llvm::Function &function) { return function.getName().contains("__device_stub__"); }

class FailedCalls {
public:
  FailedCalls(llvm::Module &module, ASTContext &context)
      : module_(module), context_(context), copied_(copiedFiles(context.getSourceManager())) {}

  void tell() {
    std::vector<std::pair<llvm::Function *, ErrorCall>> functions;
    llvm::SmallPtrSet<const llvm::Function *, 16> isOfApi;
    for (llvm::Function &function : module_) {
      if (isLaunchStub(
              function)) // inlined it would have the kernel's name on a path, and not be known for what it is
        function.addFnAttr(llvm::Attribute::NoInline);
      if (std::optional<ErrorCall> call = errorCallOf(function, context_)) {
        isOfApi.insert(&function);
        functions.emplace_back(&function, std::move(*call));
      }
    }
    for (const auto &[function, call] : functions) {
      if (asksForErrors(call.name))
        continue;
      std::vector<llvm::CallBase *> calls;
      for (llvm::User *user : function->users())
        if (auto *const made = dyn_cast<llvm::CallBase>(user);
            made && made->getCalledOperand() == function && !isOfApi.contains(made->getFunction()))
          calls.push_back(made);
      for (llvm::CallBase *made : calls)
        tell(*made, call);
    }
  }

private:
  void tell(llvm::CallBase &made, const ErrorCall &call) {
    const bool drops = made.use_empty();
    if (drops && !(call.isOfRuntime && isOfProgram(made)))
      return;
    llvm::Instruction *behind = made.getNextNode();
    if (auto *const invoke = dyn_cast<llvm::InvokeInst>(&made))
      behind = &*llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest())->getFirstInsertionPt();
    llvm::IRBuilder<> builder(behind);
    builder.SetCurrentDebugLocation(made.getDebugLoc());
    llvm::Value *const hasFailed = builder.CreateIsNotNull(&made);
    builder.SetInsertPoint(
        llvm::SplitBlockAndInsertIfThen(hasFailed, behind->getIterator(), /*Unreachable=*/false));
    builder.SetCurrentDebugLocation(made.getDebugLoc());
    llvm::PointerType *const pointer = builder.getPtrTy();
    const llvm::FunctionCallee told = module_.getOrInsertFunction(
        CUPR_CALL_FAILED_SYMBOL, builder.getVoidTy(), builder.getInt32Ty(), pointer);
    llvm::Constant *const name = drops ? static_cast<llvm::Constant *>(builder.CreateGlobalString(call.name))
                                       : llvm::ConstantPointerNull::get(pointer);
    // The runtime finds the place by where this call returns to.
    llvm::CallInst *const telling = builder.CreateCall(told, {&made, name});
    telling->setDoesNotThrow();
    telling->addFnAttr(llvm::Attribute::NoMerge);
    telling->setTailCallKind(llvm::CallInst::TCK_NoTail);
  }

  bool isOfProgram(const llvm::CallBase &made) const {
    const llvm::Function &caller = *made.getFunction();
    if (isLaunchStub(caller)) // the program's are its launches
      return llvm::all_of(caller.users(), [&](const llvm::User *user) {
        const auto *const launch = dyn_cast<llvm::CallBase>(user);
        return !launch || launch->getCalledOperand() != &caller || isInCopy(*launch);
      });
    return isInCopy(made);
  }

  bool isInCopy(const llvm::CallBase &made) const {
    const llvm::DILocation *const place = made.getDebugLoc();
    return place && copied_.contains(absolute(place->getDirectory(), place->getFilename()));
  }

  llvm::Module &module_;
  ASTContext &context_;
  const llvm::StringSet<> copied_;
};

} // namespace

void tellFailedCalls(llvm::Module &module, ASTContext &context) { FailedCalls(module, context).tell(); }

} // namespace cupr::language

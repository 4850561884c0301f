#include "host_calls.h"

#include "linkage_names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <memory>

using namespace clang;

namespace cupr::language {
namespace {

/// The arguments of a message that is not given yet, which clang shows to heirs alone.
struct DelayedMessage : PartialDiagnostic {
  static const DiagnosticStorage *argumentsOf(const PartialDiagnostic &message) {
    return message.*(&DelayedMessage::DiagStorage);
  }
};

/// The function that the message is about; null: it is another message, or about a variable.
const FunctionDecl *wrongSideFunction(const PartialDiagnostic &message) {
  if (message.getDiagID() != diag::err_ref_bad_target)
    return nullptr;
  const DiagnosticStorage *const arguments = DelayedMessage::argumentsOf(message);
  if (!arguments)
    return nullptr;
  for (unsigned i = 0; i < arguments->NumDiagArgs; ++i)
    if (arguments->DiagArgumentsKind[i] == DiagnosticsEngine::ak_nameddecl)
      return dyn_cast<FunctionDecl>(reinterpret_cast<const NamedDecl *>(arguments->DiagArgumentsVal[i]));
  return nullptr;
}

class HostCalls : public ExternalSemaSource {
public:
  HostCalls(Sema &sema, WrongSideFunctions *found)
      : sema_(sema), mangler_(sema.getASTContext().createMangleContext()), found_(found) {}

  /// Clang asks for this when it is about to give the messages.
  void ReadDeclsToCheckForDeferredDiags(llvm::SmallSetVector<Decl *, 4> &) override {
    DiagnosticsEngine &diagnostics = sema_.getDiagnostics();
    const unsigned warning = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Warning, "%select{__device__|__host__}0 function %1 is called in code for the "
                                    "%select{host: a program|device: a "
                                    "kernel}0 that gets here is stopped");
    const unsigned isOnDevice = sema_.getLangOpts().CUDAIsDevice;
    for (auto &[caller, messages] : sema_.DeviceDeferredDiags) {
      const FunctionDecl *const function = caller;
      if (!function->hasAttr<CUDAHostAttr>() || !function->hasAttr<CUDADeviceAttr>())
        continue;
      // Each is followed by a note. With `-w` clang would still say how the caller is reached.
      const bool isQuiet = diagnostics.getIgnoreAllWarnings();
      bool isDropped = false;
      llvm::erase_if(messages, [&](PartialDiagnosticAt &message) {
        if (const FunctionDecl *const called = wrongSideFunction(message.second)) {
          note(*called);
          message.second = sema_.PDiag(warning) << isOnDevice << called;
          isDropped = isQuiet;
        } else if (!diagnostics.getDiagnosticIDs()->isNote(message.second.getDiagID())) {
          isDropped = false;
        }
        return isDropped;
      });
    }
  }

private:
  void note(const FunctionDecl &function) {
    if (!found_)
      return;
    for (std::string &name : linkageNames(function, *mangler_))
      found_->insert(std::move(name));
    // What is constructed is destroyed, of which clang says nothing.
    if (const auto *const constructor = dyn_cast<CXXConstructorDecl>(&function))
      if (const CXXDestructorDecl *const destructor = constructor->getParent()->getDestructor();
          destructor && !destructor->hasAttr<CUDADeviceAttr>())
        note(*destructor);
  }

  Sema &sema_;
  const std::unique_ptr<MangleContext> mangler_;
  WrongSideFunctions *const found_;
};

} // namespace

void acceptHostCalls(Sema &sema, WrongSideFunctions *found) {
  if (sema.getLangOpts().CUDA)
    sema.addExternalSource(llvm::makeIntrusiveRefCnt<HostCalls>(sema, found));
}

void trapIn(llvm::Module &module, const WrongSideFunctions &functions) {
  for (const std::string &name : functions) {
    llvm::Function *const function = module.getFunction(name);
    if (!function)
      continue;
    function->deleteBody(); // of a class's function, which clang compiles without asking for the side
    function->setComdat(nullptr);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->setAttributes({}); // it reads memory, and does not return
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    builder.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&module, llvm::Intrinsic::trap));
    builder.CreateUnreachable();
  }
}

} // namespace cupr::language

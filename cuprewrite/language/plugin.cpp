/// Makes clang tell the pass what the types of accesses are (access_types.h), and take calls as nvcc does (host_calls.h).
///
/// The syntax tree is complete when the translation unit ends, and the module before the optimiser begins: a consumer
/// that comes before clang's own reads the types off the tree, and a pass at the start of the pipeline writes those of the
/// functions that are there into the module.
#include "access_types.h"
#include "host_calls.h"

#include "devicelib/abi/access_types.h"
#include "devicelib/abi/unit_suffix.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/SemaConsumer.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace clang;

namespace cupr::language {
namespace {

class AccessTypesPass : public llvm::PassInfoMixin<AccessTypesPass> {
public:
  explicit AccessTypesPass(std::shared_ptr<const AccessTypes> types) : types_(std::move(types)) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    llvm::LLVMContext &context = module.getContext();
    for (const llvm::Function &function : module) {
      llvm::DISubprogram *const described = function.getSubprogram();
      if (!described)
        continue;
      if (const auto known = types_->find(abi::withoutUnit(function.getName().str())); known != types_->end())
        module.getOrInsertNamedMetadata(abi::kAccessTypes)
            ->addOperand(
                llvm::MDNode::get(context, {described, llvm::MDString::get(context, known->second)}));
    }
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  std::shared_ptr<const AccessTypes> types_;
};

class Consumer : public ASTConsumer {
public:
  explicit Consumer(std::shared_ptr<AccessTypes> types) : types_(std::move(types)) {}
  void HandleTranslationUnit(ASTContext &context) override {
    if (!context.getDiagnostics().hasErrorOccurred())
      *types_ = accessTypesOf(context);
  }

private:
  std::shared_ptr<AccessTypes> types_;
};

bool isCompiled(const CompilerInstance &compiler) {
  switch (compiler.getFrontendOpts().ProgramAction) {
  case frontend::EmitAssembly:
  case frontend::EmitBC:
  case frontend::EmitLLVM:
  case frontend::EmitLLVMOnly:
  case frontend::EmitObj:
    return true;
  default:
    return false;
  }
}

class AccessTypesAction : public PluginASTAction {
public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
    const bool hasLines = compiler.getCodeGenOpts().getDebugInfo() != llvm::codegenoptions::NoDebugInfo;
    if (!compiler.getLangOpts().CUDAIsDevice || !hasLines || !isCompiled(compiler))
      return std::make_unique<ASTConsumer>();
    auto types = std::make_shared<AccessTypes>();
    compiler.getCodeGenOpts().PassBuilderCallbacks.push_back([types](llvm::PassBuilder &builder) {
      builder.registerPipelineStartEPCallback(
          [types](llvm::ModulePassManager &manager, llvm::OptimizationLevel) {
            manager.addPass(AccessTypesPass(types));
          });
    });
    return std::make_unique<Consumer>(std::move(types));
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &arguments) override {
    return !llvm::is_contained(arguments, abi::kNoAccessTypes);
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

class HostCallsPass : public llvm::PassInfoMixin<HostCallsPass> {
public:
  explicit HostCallsPass(std::shared_ptr<const WrongSideFunctions> functions)
      : functions_(std::move(functions)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses) {
    if (functions_->empty())
      return llvm::PreservedAnalyses::all();
    trapIn(module, *functions_);
    llvm::GlobalDCEPass().run(module, analyses); // what only they called
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  std::shared_ptr<const WrongSideFunctions> functions_;
};

class HostCallsConsumer : public SemaConsumer {
public:
  explicit HostCallsConsumer(std::shared_ptr<WrongSideFunctions> functions)
      : functions_(std::move(functions)) {}
  void InitializeSema(Sema &sema) override { acceptHostCalls(sema, functions_.get()); }

private:
  std::shared_ptr<WrongSideFunctions> functions_;
};

class HostCallsAction : public PluginASTAction {
public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
    auto functions = std::make_shared<WrongSideFunctions>();
    if (isCompiled(compiler))
      compiler.getCodeGenOpts().PassBuilderCallbacks.push_back([functions](llvm::PassBuilder &builder) {
        builder.registerPipelineStartEPCallback(
            [functions](llvm::ModulePassManager &manager, llvm::OptimizationLevel) {
              manager.addPass(HostCallsPass(functions));
            });
      });
    return std::make_unique<HostCallsConsumer>(std::move(functions));
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const FrontendPluginRegistry::Add<HostCallsAction> kHostCalls("cupr-host-calls",
                                                              "takes calls of the other side as nvcc does");
const FrontendPluginRegistry::Add<AccessTypesAction> kRegistered(abi::kAccessTypesPlugin,
                                                                 "tells the pass the types of accesses");

} // namespace
} // namespace cupr::language

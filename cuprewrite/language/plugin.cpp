/// Makes clang tell the pass what the types of accesses are (access_types.h), how variables are declared
/// (variable_declarations.h) and where loops are (loop_extents.h), of which it tells the host's objects, too, and take calls as nvcc does (host_calls.h).
///
/// The syntax tree is complete when the translation unit ends, and the module before the optimiser begins: a consumer
/// that comes before clang's own reads types and declarations off the tree, and a pass at the start of the pipeline writes those of the
/// functions and variables that are there into the module.
#include "access_types.h"
#include "host_calls.h"

#include "devicelib/abi/access_types.h"
#include "devicelib/abi/unit_suffix.h"
#include "variable_declarations.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/SemaConsumer.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace clang;

namespace cupr::language {
namespace {

/// What the tree has said.
struct Told {
  AccessTypes types;
  VariableDeclarations variables;
  FunctionLoops loops;
};

class TellPass : public llvm::PassInfoMixin<TellPass> {
public:
  TellPass(std::shared_ptr<const Told> told, bool isOfDevice)
      : told_(std::move(told)), isOfDevice_(isOfDevice) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    tellLoops(module, told_->loops, isOfDevice_);
    if (isOfDevice_) {
      tellTypes(module);
      tellDeclarations(module);
    }
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  static void add(llvm::Module &module, const char *name, llvm::ArrayRef<llvm::Metadata *> node) {
    module.getOrInsertNamedMetadata(name)->addOperand(llvm::MDNode::get(module.getContext(), node));
  }

  void tellTypes(llvm::Module &module) const {
    for (const llvm::Function &function : module) {
      llvm::DISubprogram *const described = function.getSubprogram();
      if (!described)
        continue;
      if (const auto known = told_->types.find(abi::withoutUnit(function.getName().str()));
          known != told_->types.end())
        add(module, abi::kAccessTypes, {described, llvm::MDString::get(module.getContext(), known->second)});
    }
  }

  void tellDeclarations(llvm::Module &module) const {
    llvm::LLVMContext &context = module.getContext();
    const auto units = module.debug_compile_units();
    llvm::Metadata *const unit = units.begin() == units.end() ? nullptr : *units.begin();
    for (const llvm::GlobalVariable &variable : module.globals()) {
      const bool isShared = variable.getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_SHARED;
      if (variable.isDeclaration() && !isShared)
        continue; // the file that defines it tells
      if (const auto known = told_->variables.find(abi::withoutUnit(variable.getName().str()));
          known != told_->variables.end())
        for (const VariableDeclaration &each : known->second)
          add(module, abi::kDeclaredVariables,
              {unit, llvm::MDString::get(context, variable.getName()),
               llvm::MDString::get(context, each.function),
               llvm::MDString::get(context, abi::declarationText(each.declared))});
    }
  }

  std::shared_ptr<const Told> told_;
  bool isOfDevice_;
};

class Consumer : public ASTConsumer {
public:
  explicit Consumer(std::shared_ptr<Told> told) : told_(std::move(told)) {}
  void HandleTranslationUnit(ASTContext &context) override {
    if (!context.getDiagnostics().hasErrorOccurred())
      told_->types = accessTypesOf(context, told_->variables, told_->loops);
  }

private:
  std::shared_ptr<Told> told_;
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

class TellAction : public PluginASTAction {
public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
    if (!isCompiled(compiler))
      return std::make_unique<ASTConsumer>();
    auto told = std::make_shared<Told>();
    const bool isOfDevice = compiler.getLangOpts().CUDAIsDevice;
    compiler.getCodeGenOpts().PassBuilderCallbacks.push_back([=](llvm::PassBuilder &builder) {
      builder.registerPipelineStartEPCallback([=](llvm::ModulePassManager &manager, llvm::OptimizationLevel) {
        manager.addPass(TellPass(told, isOfDevice));
      });
    });
    return std::make_unique<Consumer>(std::move(told));
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
const FrontendPluginRegistry::Add<TellAction>
    kRegisteredAction(abi::kAccessTypesPlugin, "tells of the types of accesses, declarations, and loops");

} // namespace
} // namespace cupr::language

/// Makes clang tell the pass what the types of accesses are (access_types.h), how variables are declared
/// (variable_declarations.h) and where loops are (loop_extents.h), of which it tells the host's objects, too, take calls as nvcc does (host_calls.h), and let host code tell of calls
/// that failed (failed_calls.h) and, where that is asked for, of its accesses (host_accesses.h).
///
/// The syntax tree is complete when the translation unit ends, and the module before the optimiser begins: a pass at the start of the
/// pipeline reads types and declarations of what is in the module off the tree, and writes them into the module. Clang would have freed
/// the tree by then; it is left to the pass to do so.
#include "access_types.h"
#include "failed_calls.h"
#include "host_accesses.h"
#include "host_calls.h"

#include "devicelib/abi/access_types.h"
#include "devicelib/abi/host_access.h"
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

struct Tree {
  TreeGrowth growth;
  ASTContext *context = nullptr; ///< null: there was an error, or the tree is freed
  bool isToBeFreed = false;      ///< before the optimiser begins
};

/// What the tree has said.
struct Told {
  AccessTypes types;
  VariableDeclarations variables;
  FunctionLoops loops;
};

llvm::StringSet<> definedFunctions(const llvm::Module &module) {
  llvm::StringSet<> names;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      names.insert(abi::withoutUnit(function.getName().str()));
  return names;
}

Told tellFrom(Tree &tree, const llvm::Module &module) {
  Told told;
  if (tree.context)
    told.types =
        accessTypesOf(*tree.context, tree.growth, definedFunctions(module), told.variables, told.loops);
  return told;
}

/// As clang does it (CodeGenAction.cpp, BackendConsumer::HandleTranslationUnit).
void free(Tree &tree) {
  if (!tree.context || !tree.isToBeFreed)
    return;
  tree.context->cleanup();
  tree.context->getAllocator().Reset();
  tree.context = nullptr;
}

class TellPass : public llvm::PassInfoMixin<TellPass> {
public:
  TellPass(std::shared_ptr<Tree> tree, bool isOfDevice) : tree_(std::move(tree)), isOfDevice_(isOfDevice) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    const Told told = tellFrom(*tree_, module);
    const bool tellsOfCalls = tree_->context && !isOfDevice_;
    if (tellsOfCalls)
      tellFailedCalls(module, *tree_->context);
    free(*tree_);
    tellLoops(module, told.loops, isOfDevice_);
    if (isOfDevice_) {
      tellTypes(module, told.types);
      tellDeclarations(module, told.variables);
    }
    return tellsOfCalls ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  static void add(llvm::Module &module, const char *name, llvm::ArrayRef<llvm::Metadata *> node) {
    module.getOrInsertNamedMetadata(name)->addOperand(llvm::MDNode::get(module.getContext(), node));
  }

  static void tellTypes(llvm::Module &module, const AccessTypes &types) {
    for (const llvm::Function &function : module) {
      llvm::DISubprogram *const described = function.getSubprogram();
      if (!described)
        continue;
      if (const auto known = types.find(abi::withoutUnit(function.getName().str())); known != types.end())
        add(module, abi::kAccessTypes, {described, llvm::MDString::get(module.getContext(), known->second)});
    }
  }

  static void tellDeclarations(llvm::Module &module, const VariableDeclarations &variables) {
    llvm::LLVMContext &context = module.getContext();
    const auto units = module.debug_compile_units();
    llvm::Metadata *const unit = units.begin() == units.end() ? nullptr : *units.begin();
    for (const llvm::GlobalVariable &variable : module.globals()) {
      const bool isShared = variable.getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_SHARED;
      if (variable.isDeclaration() && !isShared)
        continue; // the file that defines it tells
      if (const auto known = variables.find(abi::withoutUnit(variable.getName().str()));
          known != variables.end())
        for (const VariableDeclaration &each : known->second)
          add(module, abi::kDeclaredVariables,
              {unit, llvm::MDString::get(context, variable.getName()),
               llvm::MDString::get(context, each.function),
               llvm::MDString::get(context, abi::declarationText(each.declared))});
    }
  }

  std::shared_ptr<Tree> tree_;
  bool isOfDevice_;
};

class HostAccessesPass : public llvm::PassInfoMixin<HostAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    return tellHostAccesses(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

class Consumer : public ASTConsumer {
public:
  explicit Consumer(std::shared_ptr<Tree> tree) : tree_(std::move(tree)) {}
  ASTMutationListener *GetASTMutationListener() override { return &tree_->growth; }
  ASTDeserializationListener *GetASTDeserializationListener() override { return &tree_->growth; }
  void HandleTranslationUnit(ASTContext &context) override {
    if (!context.getDiagnostics().hasErrorOccurred())
      tree_->context = &context;
  }

private:
  std::shared_ptr<Tree> tree_;
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
    auto tree = std::make_shared<Tree>();
    CodeGenOptions &options = compiler.getCodeGenOpts();
    tree->isToBeFreed = options.ClearASTBeforeBackend;
    options.ClearASTBeforeBackend = false;
    const bool isOfDevice = compiler.getLangOpts().CUDAIsDevice;
    const bool tellsOfAccesses = tellsOfHostAccesses_ && !isOfDevice;
    options.PassBuilderCallbacks.push_back([=](llvm::PassBuilder &builder) {
      builder.registerPipelineStartEPCallback([=](llvm::ModulePassManager &manager, llvm::OptimizationLevel) {
        manager.addPass(TellPass(tree, isOfDevice));
      });
      if (tellsOfAccesses)
        builder.registerOptimizerLastEPCallback(
            [](llvm::ModulePassManager &manager, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
              manager.addPass(HostAccessesPass());
            });
    });
    return std::make_unique<Consumer>(std::move(tree));
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &arguments) override {
    tellsOfHostAccesses_ = llvm::is_contained(arguments, abi::kHostAccesses);
    return !llvm::is_contained(arguments, abi::kNoAccessTypes);
  }
  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  bool tellsOfHostAccesses_ = false;
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

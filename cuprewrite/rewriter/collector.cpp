/// The visitor keeps two stacks while it walks: the statements above the current
/// one (what becomes of a function's address?) and the functions around it (can
/// a parameter be named here?).
///
/// Long, since clang's visitor is one class: all questions to the tree are asked in one walk over it.
#include "collector.h"

#include "allocations.h"
#include "api_launch.h"
#include "cuprewrite/language/host_calls.h"
#include "functions.h"
#include "instantiations.h"
#include "tokens.h"
#include "userfiles.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/SemaConsumer.h"

namespace cupr::rewrite {

using namespace clang;

namespace {

class Collector : public DynamicRecursiveASTVisitor {
public:
  Collector(ASTContext &context, const TokenStream &tokens, UserFiles &files,
            const std::set<std::uint32_t> &quoted, Facts &facts)
      : sources_(context.getSourceManager()), tokens_(tokens), lists_(context, tokens, files),
        allocations_(context, tokens, files, quoted), files_(files), facts_(facts) {
    ShouldVisitTemplateInstantiations = true;
    ShouldWalkTypesOfTypeLocs = false;
  }

  /// `instantiated`: functions that were instantiated from templates, libraries' among them.
  void collect(TranslationUnitDecl *unit, ArrayRef<const FunctionDecl *> instantiated) {
    for (Decl *declaration : unit->decls()) {
      if (files_.contains(declaration->getLocation())) {
        TraverseDecl(declaration);
      } else if (const FunctionDecl *function = declaration->getAsFunction()) {
        const FunctionKind kind = functionKind(function);
        if (kind == FunctionKind::Kernel || kind == FunctionKind::Device)
          if (std::optional<std::string> path = files_.outsider(function->getLocation()))
            facts_.outsideRoot.insert(*path);
      }
    }
    for (const FunctionDecl *function : instantiated)
      if (!files_.contains(function->getLocation()))
        LibraryCalls(*this, *function).TraverseStmt(function->getBody());
    markNestedFiles(lists_, sources_, files_, facts_);
    for (Instantiation &instantiation : findInstantiations(lists_, templates_))
      facts_.instantiations.push_back(std::move(instantiation));
  }

  bool TraverseDecl(Decl *declaration) override {
    const auto *function = dyn_cast_or_null<FunctionDecl>(declaration);
    if (!function)
      return DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    const FunctionDecl *deciding = decidingDeclaration(function);
    const FunctionKind kind = functionKind(deciding);
    noteInstance(function, deciding);
    around_.push_back({functionKey(deciding),
                       function->doesThisDeclarationHaveABody() ? function->getBody() : nullptr, false,
                       kind == FunctionKind::Kernel || kind == FunctionKind::Device});
    const bool result = DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_.pop_back();
    return result;
  }

  bool TraverseStmt(Stmt *statement) override {
    if (!statement)
      return true;
    above_.push_back(statement);
    const auto *lambda = dyn_cast<LambdaExpr>(statement);
    if (lambda) {
      const CXXMethodDecl *body = lambda->getCallOperator();
      around_.push_back(
          {"", nullptr, false, body && body->hasAttr<CUDADeviceAttr>() && !body->hasAttr<CUDAHostAttr>()});
    }
    const bool entersBody = !around_.empty() && around_.back().body == statement;
    if (entersBody)
      around_.back().inBody = true;
    const bool result = DynamicRecursiveASTVisitor::TraverseStmt(statement);
    if (entersBody)
      around_.back().inBody = false;
    if (lambda)
      around_.pop_back();
    above_.pop_back();
    return result;
  }

  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc type, bool traverseQualifier) override {
    ++inDecltype_;
    const bool result = DynamicRecursiveASTVisitor::TraverseDecltypeTypeLoc(type, traverseQualifier);
    --inDecltype_;
    return result;
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->isImplicit() || function->isTemplateInstantiation() ||
        !files_.contains(function->getLocation()))
      return true;
    const FunctionDecl *deciding = decidingDeclaration(function);
    Function fact;
    fact.key = functionKey(deciding);
    fact.name = deciding->getQualifiedNameAsString();
    fact.kind = functionKind(deciding);
    fact.keepReason = keepReason(deciding);
    fact.place = files_.place(deciding->getLocation());
    fact.shared = isShared(deciding);
    fact.mangled = !deciding->isExternC();
    fact.defined = function->isThisDeclarationADefinition();
    if (fact.keepReason.empty() && !files_.contains(deciding->getLocation()))
      fact.keepReason = "it is declared in a file that is not rewritten";
    const FunctionTypeLoc type = function->getFunctionTypeLoc();
    if (type) {
      ParameterList list;
      list.function = fact.key;
      list.kind = fact.kind;
      list.place = files_.place(function->getLocation());
      if (const std::optional<TokenList> found = lists_.at(type.getLParenLoc())) {
        list.spot = found->spot;
        list.form = found->form;
        list.voidBytes = found->voidBytes;
      }
      if (!list.spot && fact.keepReason.empty())
        fact.keepReason = "its parameter list is written by a macro of a file that is not rewritten";
      facts_.parameterLists.push_back(std::move(list));
    }
    if ((function->isTemplated() || function->getPrimaryTemplate()) && deciding->getDeclName().isIdentifier())
      templates_[deciding->getName().str()].insert(fact.key);
    facts_.add(fact);
    return true;
  }

  bool VisitCallExpr(CallExpr *call) override {
    if (isa<CXXOperatorCallExpr>(call) || isa<UserDefinedLiteral>(call))
      return true;
    const Expr *callee = call->getCallee()->IgnoreParenImpCasts();
    callees_.insert(callee);
    if (const auto *launch = dyn_cast<CUDAKernelCallExpr>(call)) {
      addChevronLaunch(launch, callee);
      return true;
    }
    const StringRef function = systemFunction(callee);
    if (function == "cudaLaunchKernelEx" && call->getNumArgs() >= 2) {
      addExLaunch(call);
      return true;
    }
    if (const LaunchFunction *launch = findLaunchFunction(function); launch && call->getNumArgs() > 1) {
      addApiLaunch(call, *launch);
      return true;
    }
    if (isAllocationFunction(function)) {
      addAllocation(call, function);
      return true;
    }
    const std::optional<TokenList> list = lists_.behind(call->getCallee()->getEndLoc());
    for (Target &target : targetsOf(callee)) {
      if (!list && target.key.empty())
        continue; // not a call that anybody wrote, such as a launch's configuration
      Call fact;
      fact.target = std::move(target.key);
      fact.name = std::move(target.name);
      fact.certainty = target.certainty;
      if (list) {
        fact.spot = list->spot;
        fact.form = list->form;
      }
      fact.enclosing = enclosing();
      fact.place = files_.place(call->getCallee()->getEndLoc());
      facts_.calls.push_back(std::move(fact));
    }
    return true;
  }

  bool VisitCXXForRangeStmt(CXXForRangeStmt *loop) override {
    for (const DeclStmt *statement : {loop->getBeginStmt(), loop->getEndStmt()})
      if (statement)
        addImplied(cast<VarDecl>(statement->getSingleDecl())->getInit());
    return true;
  }

  bool VisitBindingDecl(BindingDecl *binding) override {
    if (const VarDecl *variable = binding->getHoldingVar())
      addImplied(variable->getInit());
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    if (const auto *function = dyn_cast<FunctionDecl>(reference->getDecl()))
      addUse(reference, function);
    return true;
  }

  bool VisitUnresolvedLookupExpr(UnresolvedLookupExpr *reference) override {
    for (const NamedDecl *declaration : reference->decls())
      if (const FunctionDecl *function = declaration->getUnderlyingDecl()->getAsFunction())
        addUse(reference, function);
    return true;
  }

private:
  /// Finds the user's functions that a library's template calls: there the text can't be edited.
  class LibraryCalls : public DynamicRecursiveASTVisitor {
  public:
    LibraryCalls(Collector &collector, const FunctionDecl &library)
        : collector_(collector), library_(library) {}

    bool VisitDeclRefExpr(DeclRefExpr *reference) override { return note(reference->getDecl()); }
    bool VisitMemberExpr(MemberExpr *reference) override { return note(reference->getMemberDecl()); }

  private:
    bool note(const ValueDecl *declaration) {
      const auto *function = dyn_cast<FunctionDecl>(declaration);
      if (!function)
        return true;
      const FunctionDecl *deciding = decidingDeclaration(function);
      if (functionKind(deciding) != FunctionKind::Device ||
          !collector_.files_.contains(deciding->getLocation()))
        return true;
      const SourceLocation from = library_.getPointOfInstantiation();
      collector_.facts_.uses.insert(
          {functionKey(deciding),
           collector_.files_.place(collector_.files_.contains(from) ? from : deciding->getLocation()),
           /*byLibrary=*/true});
      return true;
    }

    Collector &collector_;
    const FunctionDecl &library_;
  };

  struct Around {
    std::string key;  ///< of the function; empty: a lambda
    const Stmt *body; ///< where its parameters can be named
    bool inBody;
    bool onDevice;
  };

  struct Target {
    std::string key, name;
    Certainty certainty;
  };

  /// What may be known only from an instance of a template: whether a method overrides a virtual one, and how
  /// large a kernel's parameters are.
  void noteInstance(const FunctionDecl *function, const FunctionDecl *deciding) {
    const auto *method = dyn_cast<CXXMethodDecl>(function);
    const char *reason = method && method->isVirtual() ? "it is virtual"
                         : functionKind(deciding) == FunctionKind::Kernel && !hasRoomForTrace(function)
                             ? "its parameters leave no room for the trace argument"
                             : nullptr;
    if (!reason || !keepReason(deciding).empty() || !files_.contains(deciding->getLocation()))
      return;
    Function fact;
    fact.key = functionKey(deciding);
    fact.name = deciding->getQualifiedNameAsString();
    fact.kind = functionKind(deciding);
    fact.keepReason = reason;
    fact.place = files_.place(deciding->getLocation());
    facts_.add(fact);
  }

  std::string enclosing() const {
    return !around_.empty() && around_.back().inBody ? around_.back().key : std::string();
  }

  Target target(const FunctionDecl *function, Certainty certainty) {
    const FunctionDecl *deciding = decidingDeclaration(function);
    return {files_.contains(deciding->getLocation()) ? functionKey(deciding) : std::string(),
            deciding->getNameAsString(), certainty};
  }

  /// The language calls functions by name that nobody writes: `begin` in a loop, `get` in a structured binding.
  void addImplied(const Stmt *expression) {
    if (!expression)
      return;
    if (const auto *call = dyn_cast<CallExpr>(expression))
      if (const FunctionDecl *function = call->getDirectCallee()) {
        Target called = target(function, Certainty::Resolved);
        Call fact;
        fact.target = std::move(called.key);
        fact.name = std::move(called.name);
        fact.enclosing = enclosing();
        fact.place = files_.place(call->getBeginLoc());
        facts_.calls.push_back(std::move(fact));
      }
    for (const Stmt *child : expression->children())
      addImplied(child);
  }

  std::vector<Target> targetsOf(const Expr *callee) {
    if (const auto *reference = dyn_cast<DeclRefExpr>(callee)) {
      if (const auto *function = dyn_cast<FunctionDecl>(reference->getDecl()))
        return {target(function, Certainty::Resolved)};
    } else if (const auto *member = dyn_cast<MemberExpr>(callee)) {
      if (const auto *function = dyn_cast<FunctionDecl>(member->getMemberDecl()))
        return {target(function, Certainty::Resolved)};
    } else if (const auto *overloads = dyn_cast<OverloadExpr>(callee)) {
      std::vector<Target> targets;
      for (const NamedDecl *declaration : overloads->decls())
        if (const FunctionDecl *function = declaration->getUnderlyingDecl()->getAsFunction())
          targets.push_back(target(function, Certainty::Candidate));
      if (targets.empty())
        targets.push_back({"", overloads->getName().getAsString(), Certainty::Unknown});
      return targets;
    } else if (const auto *dependent = dyn_cast<CXXDependentScopeMemberExpr>(callee)) {
      return {{"", dependent->getMember().getAsString(), Certainty::Unknown}};
    } else if (const auto *scoped = dyn_cast<DependentScopeDeclRefExpr>(callee)) {
      return {{"", scoped->getDeclName().getAsString(), Certainty::Unknown}};
    }
    return {{"", "", callee->isTypeDependent() ? Certainty::Unknown : Certainty::Resolved}};
  }

  bool isOnDevice() const { return !around_.empty() && around_.back().onDevice; }

  void addLaunches(Launch fact, const Expr *kernel) {
    fact.onDevice = isOnDevice();
    fact.enclosing = enclosing();
    for (Target &target : targetsOf(kernel)) {
      fact.target = std::move(target.key);
      fact.name = std::move(target.name);
      fact.certainty = target.certainty;
      facts_.launches.push_back(fact);
    }
  }

  void addChevronLaunch(const CUDAKernelCallExpr *launch, const Expr *callee) {
    Launch fact;
    fact.place = files_.place(launch->getCallee()->getBeginLoc());
    if (const std::optional<TokenList> list = lists_.behind(launch->getConfig()->getRParenLoc())) {
      fact.spot = list->spot;
      fact.form = list->form;
    }
    if (launch->getConfig()->getNumArgs() > 0)
      fact.markSpot = markBehind(launch->getConfig()->getBeginLoc(), launch->getConfig()->getArg(0));
    addLaunches(std::move(fact), callee);
  }

  /// The name of the function that is called if a system header declares it; else empty.
  StringRef systemFunction(const Expr *callee) const {
    const NamedDecl *declaration = nullptr;
    if (const auto *reference = dyn_cast<DeclRefExpr>(callee))
      declaration = reference->getDecl();
    else if (const auto *overloads = dyn_cast<OverloadExpr>(callee); overloads && overloads->getNumDecls())
      declaration = *overloads->decls_begin();
    if (!declaration || !declaration->getDeclName().isIdentifier() ||
        !sources_.isInSystemHeader(declaration->getLocation()))
      return {};
    return declaration->getName();
  }

  /// Behind the token at `location`, in front of the expression that follows, or of the macro that it
  /// comes from.
  std::optional<Spot> markBehind(SourceLocation location, const Expr *expression) {
    const std::optional<std::size_t> token = tokens_.find(location);
    if (!token || *token + 1 >= tokens_.size() || tokens_[*token + 1].kind == tok::l_brace)
      return std::nullopt;
    if (const auto *assignment = dyn_cast<BinaryOperator>(expression->IgnoreImplicit());
        assignment && assignment->isAssignmentOp())
      return std::nullopt;
    const SourceLocation next = tokens_[*token + 1].location;
    return next.isMacroID() ? files_.spot(tokens_[*token].location, tokens_[*token].length)
                            : files_.spot(next, 0);
  }

  void addApiLaunch(const CallExpr *call, const LaunchFunction &function) {
    Launch fact;
    fact.function = function.name;
    fact.place = files_.place(call->getCallee()->getBeginLoc());
    if (function.kernelArgument < 0) {
      fact.launchForm = LaunchForm::Handle;
      fact.onDevice = isOnDevice();
      facts_.launches.push_back(std::move(fact));
      return;
    }
    const auto kernelArgument = static_cast<unsigned>(function.kernelArgument);
    const Expr *kernel = call->getArg(kernelArgument)->IgnoreParenCasts();
    if (const auto *address = dyn_cast<UnaryOperator>(kernel); address && address->getOpcode() == UO_AddrOf)
      kernel = address->getSubExpr()->IgnoreParenImpCasts();
    fact.launchForm = LaunchForm::Array;
    if (kernelArgument > 0) { // the configuration comes first
      if (const std::optional<std::size_t> name = tokens_.find(call->getCallee()->getEndLoc());
          name && *name + 1 < tokens_.size())
        fact.markSpot = markBehind(tokens_[*name + 1].location, call->getArg(0));
    } else if (const std::optional<std::size_t> end = tokens_.find(call->getArg(0)->getEndLoc());
               end && *end + 1 < tokens_.size() && tokens_[*end + 1].kind == tok::comma) {
      fact.markSpot = markBehind(tokens_[*end + 1].location, call->getArg(1));
    }
    addLaunches(std::move(fact), kernel);
  }

  /// `cudaLaunchKernelEx(config, kernel, arguments...)`.
  void addExLaunch(const CallExpr *call) {
    const Expr *kernel = call->getArg(1)->IgnoreParenImpCasts();
    if (const auto *address = dyn_cast<UnaryOperator>(kernel); address && address->getOpcode() == UO_AddrOf)
      kernel = address->getSubExpr()->IgnoreParenImpCasts();
    callees_.insert(kernel);
    Launch fact;
    fact.launchForm = LaunchForm::Ex;
    fact.function = "cudaLaunchKernelEx";
    fact.place = files_.place(call->getArg(1)->getBeginLoc());
    // In front of the comma or parenthesis that follows: where a macro's
    // parameter names the kernel, that is in the macro's body.
    if (const std::optional<std::size_t> token = tokens_.find(call->getArg(1)->getEndLoc());
        token && *token + 1 < tokens_.size())
      fact.spot = files_.spot(tokens_[*token + 1].location, 0);
    if (const std::optional<std::size_t> name = tokens_.find(call->getCallee()->getEndLoc());
        name && *name + 1 < tokens_.size())
      fact.markSpot = markBehind(tokens_[*name + 1].location, call->getArg(0));
    addLaunches(std::move(fact), kernel);
  }

  void addAllocation(const CallExpr *call, StringRef function) {
    if (isOnDevice() || inDecltype_ != 0)
      return;
    if (std::optional<Allocation> found = allocations_.find(*call, above_, function))
      facts_.allocations.push_back(std::move(*found));
  }

  void addUse(const Expr *reference, const FunctionDecl *function) {
    if (callees_.contains(reference))
      return;
    const FunctionDecl *deciding = decidingDeclaration(function);
    const FunctionKind kind = functionKind(deciding);
    if ((kind != FunctionKind::Kernel && kind != FunctionKind::Device) ||
        !files_.contains(deciding->getLocation()))
      return;
    if (kind == FunctionKind::Kernel && isUntypedUse())
      return;
    facts_.uses.insert({functionKey(deciding), files_.place(reference->getBeginLoc())});
  }

  /// Whether what happens to the kernel's address would compile with any
  /// signature: a cast to `void *`, or an argument of the CUDA runtime.
  bool isUntypedUse() const {
    // The last of `above_` is the reference itself.
    for (std::size_t i = above_.size() - 1; i-- > 0;) {
      const Stmt *parent = above_[i];
      if (const auto *cast = dyn_cast<ExplicitCastExpr>(parent)) {
        const QualType type = cast->getTypeAsWritten();
        return type->isVoidPointerType() || type->isIntegerType();
      }
      if (isa<ImplicitCastExpr>(parent) || isa<ParenExpr>(parent))
        continue;
      if (const auto *unary = dyn_cast<UnaryOperator>(parent); unary && unary->getOpcode() == UO_AddrOf)
        continue;
      if (const auto *call = dyn_cast<CallExpr>(parent)) {
        return systemFunction(call->getCallee()->IgnoreParenImpCasts()).starts_with("cuda");
      }
      return false;
    }
    return false;
  }

  const SourceManager &sources_;
  const TokenStream &tokens_;
  TokenLists lists_;
  AllocationCalls allocations_;
  UserFiles &files_;
  Facts &facts_;
  std::vector<const Stmt *> above_;
  std::vector<Around> around_;
  unsigned inDecltype_ = 0; ///< so many deep
  llvm::DenseSet<const Expr *> callees_;
  std::map<std::string, std::set<std::string>> templates_; ///< name to keys
};

/// Notes which user file includes which, also where a guard skips the text, what their `#line` directives say, and
/// where macros are used that make a text of an argument.
class DirectiveListener : public PPCallbacks {
public:
  DirectiveListener(const SourceManager &sources, UserFiles &files, std::set<std::uint32_t> &quoted,
                    Facts &facts)
      : sources_(sources), files_(files), quoted_(quoted), facts_(facts) {}

  void MacroExpands(const Token &, const MacroDefinition &definition, SourceRange range,
                    const MacroArgs *) override {
    const MacroInfo *const macro = definition.getMacroInfo();
    if (macro && macro->isFunctionLike() && llvm::any_of(macro->tokens(), [](const Token &token) {
          return token.isOneOf(tok::hash, tok::hashhash);
        }))
      quoted_.insert(sources_.getExpansionLoc(range.getBegin()).getRawEncoding());
  }

  void InclusionDirective(SourceLocation hash, const Token &, StringRef, bool, CharSourceRange,
                          OptionalFileEntryRef file, StringRef searchPath, StringRef, const clang::Module *,
                          bool, SrcMgr::CharacteristicKind kind) override {
    if (!file || SrcMgr::isSystem(kind))
      return;
    const std::optional<FileId> includer = files_.find(sources_.getFileID(sources_.getExpansionLoc(hash)));
    if (!includer)
      return;
    if (const std::optional<FileId> included = files_.find(*file))
      facts_.inclusions.insert({*includer, *included, files_.absolute(searchPath)});
  }

  void FileChanged(SourceLocation behind, FileChangeReason reason, SrcMgr::CharacteristicKind,
                   FileID) override {
    if (reason != RenameFile)
      return;
    const auto [file, offset] = sources_.getDecomposedExpansionLoc(behind);
    const std::optional<FileId> id = files_.find(file);
    const PresumedLoc presumed = sources_.getPresumedLoc(behind);
    if (!id || presumed.isInvalid())
      return;
    const OptionalFileEntryRef entry = sources_.getFileEntryRefForID(file);
    const bool isOwnName = entry && entry->getName() == presumed.getFilename(); // `#line 7`
    LineMark mark{isOwnName ? facts_.file(*id).spelled : presumed.getFilename(), presumed.getLine()};
    facts_.file(*id).lineMarks.try_emplace(sources_.getLineNumber(file, offset), std::move(mark));
  }

private:
  const SourceManager &sources_;
  UserFiles &files_;
  std::set<std::uint32_t> &quoted_;
  Facts &facts_;
};

class CollectConsumer : public SemaConsumer {
public:
  CollectConsumer(CompilerInstance &compiler, std::string root, Facts &facts)
      : sources_(compiler.getSourceManager()), files_(sources_, std::move(root), facts), facts_(facts) {
    Preprocessor &preprocessor = compiler.getPreprocessor();
    tokens_.attach(preprocessor, [this](FileID file) { return files_.find(file).has_value(); });
    preprocessor.addPPCallbacks(std::make_unique<DirectiveListener>(sources_, files_, quoted_, facts));
  }

  void InitializeSema(Sema &sema) override { language::acceptHostCalls(sema, nullptr); }

  void HandleTranslationUnit(ASTContext &context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    if (const std::optional<FileId> input = files_.find(context.getSourceManager().getMainFileID()))
      facts_.file(*input).input = true;
    Collector(context, tokens_, files_, quoted_, facts_)
        .collect(context.getTranslationUnitDecl(), instantiated_);
  }

  void HandleCXXImplicitFunctionInstantiation(FunctionDecl *function) override {
    instantiated_.push_back(function);
  }

  /// The bodies of a library's ordinary functions, most of the CUDA headers, say nothing about the user's
  /// code. Those of its templates do: they are where the user's own templates are instantiated.
  bool shouldSkipFunctionBody(Decl *declaration) override {
    return sources_.isInSystemHeader(sources_.getExpansionLoc(declaration->getLocation())) &&
           !declaration->isTemplated();
  }

private:
  SourceManager &sources_;
  UserFiles files_;
  Facts &facts_;
  TokenStream tokens_;
  std::set<std::uint32_t> quoted_; ///< offsets of SourceLocations
  std::vector<const FunctionDecl *> instantiated_;
};

class CollectAction : public ASTFrontendAction {
public:
  CollectAction(std::string root, Facts &facts) : root_(std::move(root)), facts_(facts) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true; // as far as the consumer says so
    return std::make_unique<CollectConsumer>(compiler, root_, facts_);
  }

private:
  std::string root_;
  Facts &facts_;
};

} // namespace

std::unique_ptr<FrontendAction> makeCollectAction(std::string root, Facts &facts) {
  return std::make_unique<CollectAction>(std::move(root), facts);
}

} // namespace cupr::rewrite

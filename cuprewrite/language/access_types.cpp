#include "access_types.h"

#include "linkage_names.h"

#include "devicelib/abi/access_types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <memory>
#include <utility>

using namespace clang;

namespace cupr::language {
namespace {

bool isOnDevice(const FunctionDecl &function) {
  return function.hasAttr<CUDAGlobalAttr>() || function.hasAttr<CUDADeviceAttr>();
}

/// libcu++'s atomic instructions: whatever the program's type is, they get an unsigned number of its size.
bool isOfAnyType(const FunctionDecl &function) {
  return function.getIdentifier() && function.getName().starts_with("__cuda_atomic_");
}

/// Whether the lvalue is a variable of the function, or a part of it.
bool isOwnVariable(const Expr *lvalue) {
  for (;;) {
    lvalue = lvalue->IgnoreParens();
    if (const auto *cast = dyn_cast<CastExpr>(lvalue);
        cast && cast->getCastKind() != CK_LValueToRValue) { // the array of an index, a base class
      lvalue = cast->getSubExpr();
    } else if (const auto *member = dyn_cast<MemberExpr>(lvalue); member && !member->isArrow()) {
      lvalue = member->getBase();
    } else if (const auto *index = dyn_cast<ArraySubscriptExpr>(lvalue)) {
      lvalue = index->getBase();
    } else {
      const auto *const name = dyn_cast<DeclRefExpr>(lvalue);
      const auto *const variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
    }
  }
}

/// The accesses of one function.
class PlacedTypes {
public:
  PlacedTypes(const SourceManager &sources, TypeTexts &texts) : sources_(sources), texts_(texts) {}

  /// `isOwn`: of a variable of the function.
  void add(SourceLocation place, QualType type, bool isOwn) {
    const TypeText &text = texts_.of(type);
    if (text.text.empty() || place.isInvalid())
      return;
    add(sources_.getExpansionLoc(place), text, isOwn);
    if (place.isMacroID()) // an argument of a macro is where it is written
      add(sources_.getFileLoc(place), text, isOwn);
  }

  std::string text() const {
    std::string all;
    for (const auto &[place, types] : places_)
      for (const auto &[kind, type] : types.memory.empty() ? types.own : types.memory)
        if (type)
          all += std::to_string(place.first) + ":" + std::to_string(place.second) + " " +
                 std::to_string(type->bytes) + " " + type->text + "\n";
    return all;
  }

private:
  /// By size, and whether they are pointers; null: there are several.
  using Types = std::map<std::pair<std::uint64_t, bool>, const TypeText *>;
  struct Place {
    Types memory, own;
  };

  void add(SourceLocation at, const TypeText &text, bool isOwn) {
    const PresumedLoc found = sources_.getPresumedLoc(at);
    if (found.isInvalid())
      return;
    Place &place = places_[{found.getLine(), found.getColumn()}];
    const auto note = [&](const TypeText &type) {
      const auto [entry, isNew] =
          (isOwn ? place.own : place.memory).try_emplace({type.bytes, type.isPointer}, &type);
      if (!isNew && entry->second != &type)
        entry->second = nullptr;
    };
    note(text);
    if (!text.part.isNull())
      note(texts_.of(text.part));
  }

  const SourceManager &sources_;
  TypeTexts &texts_;
  std::map<std::pair<unsigned, unsigned>, Place> places_; ///< by line and column
};

/// Walks over functions, and over what is declared within them.
class Collector : public DynamicRecursiveASTVisitor {
public:
  Collector(ASTContext &context, const llvm::StringSet<> &defined, VariableDeclarations &variables,
            FunctionLoops &loops)
      : context_(context), texts_(context), mangler_(context.createMangleContext()), defined_(defined),
        variables_(variables), loops_(loops) {
    ShouldVisitImplicitCode = true; // initialiser lists as they are converted
    ShouldWalkTypesOfTypeLocs = false;
  }

  /// What the unit itself declares there; what was read from precompiled headers may not all be among it.
  void addAll(const DeclContext &scope) {
    for (Decl *declaration : scope.noload_decls())
      add(declaration);
  }
  void add(Decl *declaration) {
    if (auto *const friendOf = dyn_cast<FriendDecl>(declaration))
      declaration = friendOf->getFriendDecl();
    if (!declaration)
      return;
    if (auto *const function = dyn_cast<FunctionDecl>(declaration)) {
      add(*function);
    } else if (auto *const functions = dyn_cast<FunctionTemplateDecl>(declaration)) {
      addInstances(*functions);
    } else if (auto *const classes = dyn_cast<ClassTemplateDecl>(declaration)) {
      addInstances(*classes);
    } else if (auto *const record = dyn_cast<CXXRecordDecl>(declaration)) {
      if (record->isThisDeclarationADefinition() && !record->isDependentContext() &&
          seen_.insert(record).second)
        addAll(*record);
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(declaration)) {
      addAll(*cast<DeclContext>(declaration));
    } else if (auto *const variables = dyn_cast<VarTemplateDecl>(declaration)) {
      addInstances(*variables);
    } else if (auto *const variable = dyn_cast<VarDecl>(declaration)) {
      if (seen_.insert(variable).second)
        addDeclaration(*variable, context_, *mangler_, variables_);
      if (!variable->isFromASTFile() && variable->getInit() && !variable->getType()->isDependentType())
        walk(nullptr, nullptr, [&] { TraverseStmt(variable->getInit()); }); // for lambdas
    }
  }
  AccessTypes take() { return std::move(found_); }

  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    add(lambda->getLambdaClass());
    for (Expr *const captured : lambda->capture_inits())
      if (captured && !TraverseStmt(captured))
        return false;
    return true;
  }
  bool TraverseDecl(Decl *declaration) override {
    if (isa_and_nonnull<TagDecl>(declaration))
      add(declaration); // a class of the function
    else
      return DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    return true;
  }

  bool VisitForStmt(ForStmt *loop) override { return addLoop(*loop); }
  bool VisitWhileStmt(WhileStmt *loop) override { return addLoop(*loop); }
  bool VisitDoStmt(DoStmt *loop) override { return addLoop(*loop); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *loop) override { return addLoop(*loop); }
  bool VisitVarDecl(VarDecl *variable) override {
    if (seen_.insert(variable).second)
      addDeclaration(*variable, context_, *mangler_, variables_);
    return true;
  }
  bool VisitCastExpr(CastExpr *cast) override {
    if (cast->getCastKind() == CK_LValueToRValue)
      addRead(cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *operation) override {
    if (operation->isAssignmentOp()) // compound ones, too
      add(operation->getExprLoc(), operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *operation) override {
    if (operation->isIncrementDecrementOp())
      add(operation->getExprLoc(), operation->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *construction) override {
    const CXXConstructorDecl *const constructor = construction->getConstructor();
    if (constructor->isCopyOrMoveConstructor() && constructor->isTrivial() && construction->getNumArgs() != 0)
      add(construction->getExprLoc(), construction->getArg(0));
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    if (const auto *const method = dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl());
        method && method->isTrivial() &&
        (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()))
      add(call->getExprLoc(), call->getArg(0));
    return true;
  }
  bool VisitInitListExpr(InitListExpr *list) override {
    for (const Expr *const each : list->inits())
      if (each && each->isPRValue())
        addObject(list->getExprLoc(), each->getType());
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *creation) override {
    addObject(creation->getExprLoc(), creation->getAllocatedType());
    return true;
  }
  /// Built-in functions get pointers as other types than they have: headers cast them.
  bool VisitCallExpr(CallExpr *call) override {
    if (call->getBuiltinCallee() != 0)
      for (const Expr *const argument : call->arguments())
        addPointee(call->getExprLoc(), argument);
    return true;
  }
  bool VisitAtomicExpr(AtomicExpr *operation) override {
    addPointee(operation->getExprLoc(), operation->getPtr());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *assembly) override {
    for (unsigned i = 0; i < assembly->getNumInputs(); ++i)
      addPointee(assembly->getBeginLoc(), assembly->getInputExpr(i));
    return true;
  }

private:
  /// Those of a template that was read from precompiled headers are told when they are read or made.
  template <typename Template> void addInstances(Template &of) {
    if (!of.isFromASTFile() && of.isCanonicalDecl())
      for (auto *const each : of.specializations())
        add(static_cast<Decl *>(each));
  }

  void add(FunctionDecl &declared) {
    const FunctionDecl *found = nullptr;
    if (declared.isDependentContext() || !declared.isDefined(found))
      return;
    auto &function = const_cast<FunctionDecl &>(*found);
    if (!mayBeEmitted(function) || !seen_.insert(&function).second || !function.getBody())
      return;
    PlacedTypes types(context_.getSourceManager(), texts_);
    LoopExtents loops(context_.getSourceManager());
    loops.addNested(function);
    const bool hasTypes =
        context_.getLangOpts().CUDAIsDevice && isOnDevice(function) && !isOfAnyType(function);
    walk(hasTypes ? &types : nullptr, &loops, [&] {
      if (const auto *const constructor = dyn_cast<CXXConstructorDecl>(&function))
        for (CXXCtorInitializer *const each : constructor->inits()) {
          if (const FieldDecl *const member = each->getAnyMember())
            addObject(each->getSourceLocation(), member->getType());
          TraverseStmt(each->getInit());
        }
      TraverseStmt(function.getBody());
    });
    const std::string text = types.text();
    const std::vector<LoopExtents::Extent> extents = loops.take();
    if (text.empty() && extents.empty())
      return;
    for (const std::string &name : linkageNames(function, *mangler_)) {
      if (!text.empty())
        found_[name] = text;
      if (!extents.empty())
        loops_[name] = extents;
    }
  }

  /// Reading the body of what is not in the module would read what it needs, too.
  bool mayBeEmitted(const FunctionDecl &function) const {
    if (function.isFromASTFile())
      return llvm::any_of(linkageNames(function, *mangler_),
                          [&](const std::string &name) { return defined_.contains(name); });
    return function.isUsed() || function.isReferenced() ||
           !isDiscardableGVALinkage(context_.GetGVALinkageForFunction(&function));
  }

  /// `types` and `extents`: of the function that `body` walks over; null: it is none of the device, or no function.
  void walk(PlacedTypes *types, LoopExtents *extents, llvm::function_ref<void()> body) {
    PlacedTypes *const outerTypes = std::exchange(types_, types);
    LoopExtents *const outerExtents = std::exchange(extents_, extents);
    body();
    types_ = outerTypes;
    extents_ = outerExtents;
  }

  template <typename Loop> bool addLoop(const Loop &loop) {
    if (extents_)
      extents_->add(loop);
    return true;
  }

  void addObject(SourceLocation place, QualType type, bool isOwn = false) {
    if (types_ && !type->isDependentType())
      types_->add(place, type.getNonReferenceType(), isOwn);
  }
  void add(SourceLocation place, const Expr *lvalue) {
    const bool isOwn = isOwnVariable(lvalue),
               isInRegister = isOwn && isa<DeclRefExpr>(lvalue->IgnoreParens());
    if (!isInRegister && !lvalue->refersToBitField())
      addObject(place, lvalue->getType(), isOwn);
  }
  /// Which lvalue is read in the end has the place.
  void addRead(const Expr *lvalue) {
    lvalue = lvalue->IgnoreParens();
    if (const auto *const choice = dyn_cast<AbstractConditionalOperator>(lvalue)) {
      addRead(choice->getTrueExpr());
      addRead(choice->getFalseExpr());
    } else if (const auto *const comma = dyn_cast<BinaryOperator>(lvalue);
               comma && comma->getOpcode() == BO_Comma) {
      addRead(comma->getRHS());
    } else {
      add(lvalue->getExprLoc(), lvalue);
    }
  }
  void addPointee(SourceLocation place, const Expr *pointer) {
    pointer = pointer->IgnoreParenCasts();
    if (const QualType type = pointer->getType(); type->isPointerType())
      addObject(place, type->getPointeeType());
  }

  ASTContext &context_;
  TypeTexts texts_;
  std::unique_ptr<MangleContext> mangler_;
  const llvm::StringSet<> &defined_;
  VariableDeclarations &variables_;
  FunctionLoops &loops_;
  llvm::SmallPtrSet<const Decl *, 32> seen_;
  PlacedTypes *types_ = nullptr;   ///< of the function at hand; null: it is none of the device
  LoopExtents *extents_ = nullptr; ///< likewise; null: it is none
  AccessTypes found_;
};

} // namespace

AccessTypes accessTypesOf(ASTContext &context, const TreeGrowth &growth, const llvm::StringSet<> &defined,
                          VariableDeclarations &variables, FunctionLoops &loops) {
  Collector collector(context, defined, variables, loops);
  collector.addAll(*context.getTranslationUnitDecl());
  for (Decl *const declaration : growth.declarations())
    collector.add(declaration);
  return collector.take();
}

} // namespace cupr::language

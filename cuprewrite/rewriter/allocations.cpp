#include "allocations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace cupr::rewrite {

using namespace clang;

namespace {

/// What the first argument of a call says.
enum class Names {
  Pointer, ///< the address of the pointer that is set
  Memory,  ///< the memory itself
  Handle,  ///< the address of what stands for it, and has no elements
};

struct AllocationFunction {
  std::string_view name;
  Names names;
};

/// hostlib/runtime/hooks/hook_memory.cpp and hook_driver_memory.cpp record what they allocate.
constexpr AllocationFunction kFunctions[] = {
    {"cudaMalloc", Names::Pointer},
    {"cudaMallocHost", Names::Pointer},
    {"cudaMallocManaged", Names::Pointer},
    {"cudaMallocPitch", Names::Pointer},
    {"cudaMallocAsync", Names::Pointer},
    {"cudaMallocFromPoolAsync", Names::Pointer},
    {"cudaHostAlloc", Names::Pointer},
    {"cudaHostRegister", Names::Memory},
    {"cudaMalloc3D", Names::Handle},
    {"cudaMallocArray", Names::Handle},
    {"cudaMalloc3DArray", Names::Handle},
    {"cudaMallocMipmappedArray", Names::Handle},
    {"cudaExternalMemoryGetMappedBuffer", Names::Pointer},
    {"cudaExternalMemoryGetMappedMipmappedArray", Names::Handle},
    {"cudaIpcOpenMemHandle", Names::Pointer},
    {"cudaMemPoolImportPointer", Names::Pointer},
    {"cuMemAlloc", Names::Pointer},
    {"cuMemAllocPitch", Names::Pointer},
    {"cuMemAllocManaged", Names::Pointer},
    {"cuMemAllocHost", Names::Pointer},
    {"cuMemAllocAsync", Names::Pointer},
    {"cuMemAllocFromPoolAsync", Names::Pointer},
    {"cuMemHostAlloc", Names::Pointer},
    {"cuMemHostRegister", Names::Memory},
    {"cuMemMap", Names::Memory},
    {"cuArrayCreate", Names::Handle},
    {"cuArray3DCreate", Names::Handle},
    {"cuMipmappedArrayCreate", Names::Handle},
    {"cuExternalMemoryGetMappedBuffer", Names::Pointer},
    {"cuExternalMemoryGetMappedMipmappedArray", Names::Handle},
    {"cuIpcOpenMemHandle", Names::Pointer},
    {"cuMemPoolImportPointer", Names::Pointer},
};

const AllocationFunction *findFunction(std::string_view name) {
  // The headers rename functions: cuMemAlloc_v2, cudaMallocAsync_ptsz.
  name = name.substr(0, name.find('_'));
  const auto *const found =
      std::find_if(std::begin(kFunctions), std::end(kFunctions),
                   [&](const AllocationFunction &function) { return function.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

/// Longer ones are no names that anybody reads.
constexpr std::size_t kMostBytes = 200;

std::string printed(const ASTContext &context, const Expr *expression) {
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressImplicitBase = true;
  std::string out;
  llvm::raw_string_ostream stream(out);
  expression->printPretty(stream, nullptr, policy);
  return out.size() > kMostBytes || out.find('\n') != std::string::npos ? std::string() : out;
}

/// What pointers of this type point to; empty where that says nothing.
std::string elementType(const ASTContext &context, QualType pointer) {
  QualType element;
  if (const auto *array = context.getAsArrayType(pointer.getNonReferenceType()))
    element = array->getElementType();
  else if (const auto *type = pointer.getNonReferenceType()->getAs<PointerType>())
    element = type->getPointeeType();
  if (element.isNull() || element->isVoidType() || element->isFunctionType())
    return {};
  std::string out = element.getUnqualifiedType().getAsString(context.getPrintingPolicy());
  return out.size() > kMostBytes ? std::string() : out;
}

bool isUnevaluated(const Stmt *statement) {
  return isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, RequiresExpr, CXXTypeidExpr>(statement);
}

} // namespace

bool isAllocationFunction(std::string_view name) { return findFunction(name) != nullptr; }

/// Whether the token stands where it is written: in no macro's body.
bool AllocationCalls::isWritten(SourceLocation location) const {
  const SourceManager &sources = context_.getSourceManager();
  while (location.isMacroID()) {
    if (!sources.isMacroArgExpansion(location))
      return false;
    location = sources.getImmediateSpellingLoc(location);
  }
  return true;
}

/// Whether a macro that the token was an argument of makes a text of one: what is put there would be seen.
bool AllocationCalls::isQuoted(SourceLocation location) const {
  const SourceManager &sources = context_.getSourceManager();
  const auto isIn = [&](SourceLocation at) {
    return quoted_.contains(sources.getExpansionLoc(at).getRawEncoding());
  };
  for (SourceLocation at = location; at.isMacroID(); at = sources.getImmediateMacroCallerLoc(at))
    if (isIn(at))
      return true;
  for (SourceLocation at = location; at.isMacroID(); at = sources.getImmediateSpellingLoc(at))
    if (isIn(at))
      return true;
  return false;
}

/// Around the first argument, in parentheses: what stands in front of a comma is evaluated first and changes neither
/// its type nor its value.
bool AllocationCalls::markArgument(const CallExpr &call, Allocation &out) {
  const Expr *const argument = call.getArg(0);
  const std::optional<std::size_t> name = tokens_.find(call.getCallee()->getEndLoc());
  const std::optional<std::size_t> last = tokens_.find(argument->getEndLoc());
  if (!name || !last || *name + 1 >= tokens_.size() || *last + 1 >= tokens_.size() || *last <= *name + 1)
    return false;
  const TokenStream::Entry &open = tokens_[*name + 1], &first = tokens_[*name + 2],
                           &close = tokens_[*last + 1];
  // A null pointer written as a number is one no more behind a comma; a list in braces is no expression.
  if (open.kind != tok::l_paren || (close.kind != tok::comma && close.kind != tok::r_paren) ||
      first.kind == tok::l_brace || first.kind == tok::numeric_constant || first.kind == tok::kw___null ||
      !isWritten(open.location) || !isWritten(close.location) || isQuoted(open.location))
    return false;
  out.spot = files_.spot(open.location, open.length);
  out.endSpot = files_.spot(close.location, 0);
  return out.spot && out.endSpot && out.spot->file == out.endSpot->file && *out.spot < *out.endSpot;
}

/// In front of the whole statement, if that stands by itself among others, and makes the call in any case.
bool AllocationCalls::markStatement(llvm::ArrayRef<const Stmt *> above, Allocation &out) {
  const SourceManager &sources = context_.getSourceManager();
  for (std::size_t i = above.size() - 1; i > 0; --i) {
    const Stmt *const statement = above[i];
    const SourceLocation begin = statement->getBeginLoc();
    const bool isOfMacro = begin.isMacroID() && !isWritten(begin);
    const auto *const binary = dyn_cast<BinaryOperator>(statement);
    const auto *const declarations = dyn_cast<DeclStmt>(statement);
    const bool isDoneOnce = declarations && llvm::any_of(declarations->decls(), [](const Decl *declaration) {
                              const auto *const variable = dyn_cast<VarDecl>(declaration);
                              return variable && variable->isStaticLocal();
                            });
    const bool isAlwaysDone = !isDoneOnce && isa<Expr, DeclStmt, ReturnStmt>(statement) &&
                              !isa<LambdaExpr, AbstractConditionalOperator, StmtExpr>(statement) &&
                              !(binary && binary->isLogicalOp());
    if (!isOfMacro && !isAlwaysDone)
      return false;
    const auto *const block = dyn_cast<CompoundStmt>(above[i - 1]);
    if (!block || !block->getLBracLoc().isFileID())
      continue;
    const std::optional<std::size_t> token = tokens_.find(begin);
    if (!token || *token == 0)
      return false;
    const tok::TokenKind before = tokens_[*token - 1].kind;
    if (before != tok::semi && before != tok::l_brace && before != tok::r_brace)
      return false;
    out.spot = files_.spot(sources.getExpansionLoc(begin), 0);
    out.endSpot = std::nullopt;
    return out.spot.has_value();
  }
  return false;
}

void AllocationCalls::describe(const CallExpr &call, std::string_view function, Allocation &out) const {
  const Names names = findFunction(function)->names;
  const Expr *const written = call.getArg(0);
  const Expr *const argument = written->IgnoreParenCasts();
  const auto *const address = dyn_cast<UnaryOperator>(argument);
  const bool takesAddress = address && address->getOpcode() == UO_AddrOf;
  const Expr *const variable = takesAddress ? address->getSubExpr()->IgnoreParens() : argument;
  out.name = printed(context_, variable);
  if (names != Names::Memory && !takesAddress && !out.name.empty())
    out.name = isa<BinaryOperator, ConditionalOperator>(variable) ? "*(" + out.name + ")" : "*" + out.name;
  out.depends = variable->isTypeDependent();
  if (names == Names::Handle)
    return;
  const auto pointedTo = [&](QualType type) {
    if (const ArrayType *array = context_.getAsArrayType(type))
      return array->getElementType();
    return type->isPointerType() ? type->getPointeeType() : QualType();
  };
  QualType pointer = variable->getType();
  if (names == Names::Pointer && !takesAddress)
    pointer = pointedTo(pointer);
  if (!pointer.isNull())
    out.type = elementType(context_, pointer);
  // `void *` all over, but what the call itself casts to.
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(written->IgnoreParenImpCasts());
      cast && out.type.empty()) {
    const QualType to =
        names == Names::Pointer ? pointedTo(cast->getTypeAsWritten()) : cast->getTypeAsWritten();
    if (!to.isNull())
      out.type = elementType(context_, to);
  }
}

std::optional<Allocation> AllocationCalls::find(const CallExpr &call, llvm::ArrayRef<const Stmt *> above,
                                                std::string_view function) {
  if (call.getNumArgs() == 0 || std::any_of(above.begin(), above.end(), isUnevaluated))
    return std::nullopt;
  Allocation out;
  if (!markArgument(call, out) && !markStatement(above, out))
    return std::nullopt;
  const SourceManager &sources = context_.getSourceManager();
  const PresumedLoc presumed = sources.getPresumedLoc(sources.getFileLoc(call.getBeginLoc()));
  if (presumed.isInvalid())
    return std::nullopt;
  out.line = presumed.getLine();
  out.column = presumed.getColumn();
  out.place = files_.place(call.getBeginLoc());
  describe(call, function, out);
  return out;
}

} // namespace cupr::rewrite

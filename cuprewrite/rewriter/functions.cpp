#include "functions.h"

#include "devicelib/abi/trace_argument.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Index/USRGeneration.h"
#include "llvm/ADT/SmallString.h"

namespace cupr::rewrite {

using namespace clang;

const FunctionDecl *decidingDeclaration(const FunctionDecl *function) {
  for (;;) {
    const FunctionDecl *next = nullptr;
    if (const FunctionTemplateDecl *primary = function->getPrimaryTemplate()) {
      while (const FunctionTemplateDecl *member = primary->getInstantiatedFromMemberTemplate())
        primary = member;
      next = primary->getTemplatedDecl();
    } else if (const FunctionTemplateDecl *described = function->getDescribedFunctionTemplate()) {
      while (const FunctionTemplateDecl *member = described->getInstantiatedFromMemberTemplate())
        described = member;
      next = described->getTemplatedDecl();
    } else if (const FunctionDecl *member = function->getInstantiatedFromMemberFunction()) {
      next = member;
    }
    if (!next || next->getCanonicalDecl() == function->getCanonicalDecl())
      return function->getCanonicalDecl();
    function = next;
  }
}

std::string functionKey(const FunctionDecl *deciding) {
  llvm::SmallString<128> key;
  index::generateUSRForDecl(deciding, key);
  return key.str().str();
}

FunctionKind functionKind(const FunctionDecl *deciding) {
  if (deciding->hasAttr<CUDAGlobalAttr>())
    return FunctionKind::Kernel;
  if (!deciding->hasAttr<CUDADeviceAttr>())
    return FunctionKind::Host;
  return deciding->hasAttr<CUDAHostAttr>() ? FunctionKind::HostDevice : FunctionKind::Device;
}

std::string keepReason(const FunctionDecl *deciding) {
  switch (functionKind(deciding)) {
  case FunctionKind::Host:
    return "it is a host function";
  case FunctionKind::HostDevice:
    return deciding->isConstexpr() ? "it is constexpr" : "host code may call it too";
  case FunctionKind::Device:
  case FunctionKind::Kernel:
    break;
  }
  if (deciding->isConstexpr())
    return "it is constexpr";
  if (isa<CXXConstructorDecl>(deciding))
    return "it is a constructor";
  if (isa<CXXDestructorDecl>(deciding))
    return "it is a destructor";
  if (isa<CXXConversionDecl>(deciding))
    return "it is a conversion";
  if (deciding->isOverloadedOperator() || !deciding->getDeclName().isIdentifier())
    return "it is an operator";
  if (const auto *method = dyn_cast<CXXMethodDecl>(deciding)) {
    if (method->getParent()->isLambda())
      return "it is a lambda";
    if (method->isExplicitObjectMemberFunction())
      return "its object is its first parameter";
    if (method->isVirtual())
      return "it is virtual";
    // With a base that depends on template arguments, the keyword tells.
    if (method->hasAttr<OverrideAttr>() || method->hasAttr<FinalAttr>())
      return "it is virtual";
  }
  const auto *label = deciding->getAttr<AsmLabelAttr>();
  if (deciding->getBuiltinID() != 0 || deciding->getName().starts_with("__nv_") ||
      (label && label->getLabel().starts_with("llvm."))) // an intrinsic of the compiler's
    return "it is a builtin";
  for (const FunctionDecl *declaration : deciding->redecls())
    if (!declaration->isImplicit() && !declaration->getFunctionTypeLoc())
      return "it is declared through the name of a function type";
  return "";
}

bool hasRoomForTrace(const FunctionDecl *kernel) {
  const ASTContext &context = kernel->getASTContext();
  std::uint64_t bytes = sizeof(Trace);
  for (const ParmVarDecl *parameter : kernel->parameters()) {
    const QualType type = parameter->getType();
    if (type->isDependentType() || type->isIncompleteType())
      return true;
    const std::uint64_t alignment = context.getTypeAlignInChars(type).getQuantity();
    bytes = llvm::alignTo(bytes, alignment) + context.getTypeSizeInChars(type).getQuantity();
  }
  return bytes <= abi::kMaxParameterBytes;
}

bool isShared(const FunctionDecl *deciding) {
  return deciding->isExternallyVisible() && !deciding->isTemplated() && !deciding->isInlined() &&
         !deciding->isInAnonymousNamespace();
}

} // namespace cupr::rewrite

#include "linkage_names.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/GlobalDecl.h"

#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace cupr::language {
namespace {

std::string nameOf(const GlobalDecl &declaration, MangleContext &mangler) {
  const auto &named = *cast<NamedDecl>(declaration.getDecl());
  if (!mangler.shouldMangleDeclName(&named))
    return named.getName().str();
  std::string name;
  llvm::raw_string_ostream out(name);
  mangler.mangleName(declaration, out);
  return name;
}

} // namespace

std::vector<std::string> linkageNames(const FunctionDecl &function, MangleContext &mangler) {
  std::vector<GlobalDecl> variants;
  if (const auto *const constructor = dyn_cast<CXXConstructorDecl>(&function))
    variants = {GlobalDecl(constructor, Ctor_Base), GlobalDecl(constructor, Ctor_Complete)};
  else if (const auto *const destructor = dyn_cast<CXXDestructorDecl>(&function))
    variants = {GlobalDecl(destructor, Dtor_Base), GlobalDecl(destructor, Dtor_Complete)};
  else if (function.hasAttr<CUDAGlobalAttr>())
    variants = {GlobalDecl(&function, KernelReferenceKind::Kernel)};
  else
    variants = {GlobalDecl(&function)};
  std::vector<std::string> names;
  for (const GlobalDecl &variant : variants)
    names.push_back(nameOf(variant, mangler));
  return names;
}

std::string linkageName(const VarDecl &variable, MangleContext &mangler) {
  return nameOf(GlobalDecl(&variable), mangler);
}

} // namespace cupr::language

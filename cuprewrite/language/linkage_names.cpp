#include "linkage_names.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/GlobalDecl.h"

#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace cupr::language {

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
  for (const GlobalDecl &variant : variants) {
    names.emplace_back();
    llvm::raw_string_ostream out(names.back());
    if (mangler.shouldMangleDeclName(&function))
      mangler.mangleName(variant, out);
    else
      out << function.getName();
  }
  return names;
}

} // namespace cupr::language

#include "tree_growth.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cupr::language {

void TreeGrowth::DeclRead(GlobalDeclID, const Decl *declaration) { add(declaration); }

void TreeGrowth::AddedCXXImplicitMember(const CXXRecordDecl *, const Decl *member) { add(member); }

void TreeGrowth::AddedCXXTemplateSpecialization(const ClassTemplateDecl *,
                                                const ClassTemplateSpecializationDecl *instance) {
  add(instance);
}

void TreeGrowth::AddedCXXTemplateSpecialization(const VarTemplateDecl *,
                                                const VarTemplateSpecializationDecl *instance) {
  add(instance);
}

void TreeGrowth::AddedCXXTemplateSpecialization(const FunctionTemplateDecl *, const FunctionDecl *instance) {
  add(instance);
}

void TreeGrowth::add(const Decl *declaration) {
  if (isa<FunctionDecl, VarDecl, CXXRecordDecl>(declaration) && !isa<ParmVarDecl>(declaration))
    declarations_.push_back(const_cast<Decl *>(declaration));
}

} // namespace cupr::language

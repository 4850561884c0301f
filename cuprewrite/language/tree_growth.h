/// What the syntax tree of a translation unit got besides what the unit itself declares.
///
/// Problem: headers that clang has read before (precompiled ones) hold tens of thousands of declarations, of which a source needs
/// few hundred. Clang reads each when it first needs it. Who walks over the tree makes it read all: of a small program that took
/// longer than all else of its compilation.
///
/// So clang is asked to say what it adds to the tree:
///
///     declared in the unit                       in the lists of the tree's scopes, and of what they hold
///     read from precompiled headers              told here (ASTDeserializationListener)
///     instances, and members that no text has,   told here (ASTMutationListener), as the templates and classes that they
///     of what was read                           belong to are in no list that is at hand
///
/// When the module is complete, all that is in it has been read.
#ifndef CUPR_LANGUAGE_TREE_GROWTH_H
#define CUPR_LANGUAGE_TREE_GROWTH_H

#include "clang/AST/ASTMutationListener.h"
#include "clang/AST/Decl.h"
#include "clang/Serialization/ASTDeserializationListener.h"

#include <vector>

namespace cupr::language {

/// Functions, variables and classes, in the order in which they came; some more than once. A declaration that was only just added is
/// not complete yet.
class TreeGrowth : public clang::ASTMutationListener, public clang::ASTDeserializationListener {
public:
  /// Those so far: who looks at them may make clang read more.
  std::vector<clang::Decl *> declarations() const { return declarations_; }

  void DeclRead(clang::GlobalDeclID id, const clang::Decl *declaration) override;
  void AddedCXXImplicitMember(const clang::CXXRecordDecl *record, const clang::Decl *member) override;
  void AddedCXXTemplateSpecialization(const clang::ClassTemplateDecl *of,
                                      const clang::ClassTemplateSpecializationDecl *instance) override;
  void AddedCXXTemplateSpecialization(const clang::VarTemplateDecl *of,
                                      const clang::VarTemplateSpecializationDecl *instance) override;
  void AddedCXXTemplateSpecialization(const clang::FunctionTemplateDecl *of,
                                      const clang::FunctionDecl *instance) override;

private:
  void add(const clang::Decl *declaration);

  std::vector<clang::Decl *> declarations_;
};

} // namespace cupr::language

#endif

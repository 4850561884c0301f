#include "shared_objects.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

namespace cupr::language {
namespace {

using namespace clang;

bool needsAttribute(Sema &sema, const VarDecl &variable) {
  if (variable.getStorageClass() == SC_Extern || isa<ParmVarDecl>(variable))
    return false;
  const QualType type = variable.getType();
  if (type->isArrayType())
    return true;
  if (type->isDependentType() || !sema.isCompleteType(variable.getLocation(), type))
    return false;
  const CXXRecordDecl *const record = type->getAsCXXRecordDecl();
  return record && record->hasTrivialDefaultConstructor() && !record->hasTrivialDestructor();
}

class SharedObject : public ParsedAttrInfo {
public:
  SharedObject() {
    static constexpr Spelling kSpellings[] = {{ParsedAttr::AS_GNU, "cupr_uninitialized"}};
    Spellings = kSpellings;
  }

  bool diagAppertainsToDecl(Sema &, const ParsedAttr &, const Decl *) const override {
    return true; // `shared` beside it says what it can stand at
  }

  AttrHandling handleDeclAttribute(Sema &sema, Decl *declaration, const ParsedAttr &) const override {
    if (auto *const variable = dyn_cast<VarDecl>(declaration); variable && needsAttribute(sema, *variable))
      variable->addAttr(LoaderUninitializedAttr::CreateImplicit(sema.Context));
    return AttributeApplied;
  }
};

const ParsedAttrInfoRegistry::Add<SharedObject> kRegisteredAttribute("cupr_uninitialized",
                                                                     "a shared variable with a constructor");

} // namespace

void acceptSharedObjects() {} // to be linked is all that it takes

} // namespace cupr::language

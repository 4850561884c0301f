#include "variable_declarations.h"

#include "linkage_names.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cupr::language {
namespace {

bool isOfDevice(const VarDecl &variable) {
  return variable.hasAttr<CUDASharedAttr>() || variable.hasAttr<CUDADeviceAttr>() ||
         variable.hasAttr<CUDAConstantAttr>();
}

/// Functions may declare an `extern` variable as each needs it; of the rest one declaration counts.
bool counts(const VarDecl &variable) {
  if (const VarDecl *const definition = variable.getDefinition())
    return definition == &variable;
  return variable.isLocalExternDecl() || variable.isFirstDecl();
}

/// In the source's words, without qualifiers; empty: it has no name.
std::string nameOf(QualType type, const ASTContext &context) {
  if (const TagDecl *const tag = type->getAsTagDecl(); tag && !tag->hasNameForLinkage())
    return "";
  return type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
}

} // namespace

void addDeclaration(const VarDecl &variable, ASTContext &context, MangleContext &mangler,
                    VariableDeclarations &to) {
  if (!isOfDevice(variable) || variable.getDeclContext()->isDependentContext() || !counts(variable))
    return;
  const QualType type = context.getBaseElementType(variable.getType());
  if (type->isDependentType() || type->isIncompleteType())
    return;
  const SourceManager &sources = context.getSourceManager();
  const PresumedLoc place = sources.getPresumedLoc(sources.getFileLoc(variable.getLocation()));
  VariableDeclaration declaration;
  declaration.declared.type = nameOf(type, context);
  declaration.declared.bytes = static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
  if (place.isValid()) {
    declaration.declared.file = place.getFilename();
    declaration.declared.line = place.getLine();
    declaration.declared.column = place.getColumn();
  }
  if (const auto *const function = dyn_cast_or_null<FunctionDecl>(variable.getParentFunctionOrMethod());
      function && variable.isLocalExternDecl())
    declaration.function = linkageNames(*function, mangler).front();
  to[linkageName(variable, mangler)].push_back(std::move(declaration));
}

} // namespace cupr::language

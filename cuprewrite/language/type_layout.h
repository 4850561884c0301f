/// The types of accesses as text: their names, and what their bytes mean (devicelib/abi/access_types.h).
///
/// Types with a text are scalars (arithmetic types, enumerations, pointers) and classes. A class has a layout if all that it
/// holds are scalars, each with bytes of its own, and values of its size are recorded: no bit-fields, unions, virtual functions.
#ifndef CUPR_LANGUAGE_TYPE_LAYOUT_H
#define CUPR_LANGUAGE_TYPE_LAYOUT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Type.h"

#include <map>
#include <string>
#include <vector>

namespace cupr::language {

struct TypeText {
  std::string text;        ///< the name, and behind a separator the layout; empty: the type has no text
  std::uint64_t bytes = 0; ///< its size
  bool isPointer = false;
  /// Of a class that consists of several scalars of one type, and of nothing else: that type. Else null.
  clang::QualType part;
};

class TypeTexts {
public:
  explicit TypeTexts(const clang::ASTContext &context);

  /// Of a complete type that depends on no template; qualifiers count for nothing. Valid as long as this is.
  const TypeText &of(clang::QualType type);

private:
  /// A scalar within a class.
  struct Field {
    std::uint64_t offset;
    std::string name;
    clang::QualType type;
  };
  // Types are canonical and have no qualifiers from here on.
  TypeText make(clang::QualType type);
  std::string nameOf(clang::QualType type) const;
  /// The name of the scalar type that says what the bytes mean; empty: the type is none.
  std::string meaningOf(clang::QualType type) const;
  /// False: the type has no layout.
  bool addFields(clang::QualType type, std::uint64_t offset, const std::string &name,
                 std::vector<Field> &fields) const;
  bool addMembers(const clang::RecordDecl &record, std::uint64_t offset, const std::string &prefix,
                  std::vector<Field> &fields) const;

  const clang::ASTContext &context_;
  clang::PrintingPolicy policy_;
  std::map<const void *, TypeText> known_;
};

} // namespace cupr::language

#endif

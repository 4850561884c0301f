#include "type_layout.h"

#include "devicelib/abi/access_types.h"
#include "devicelib/abi/value_record.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace cupr::language {
namespace {

/// Scalars to the program, whatever the toolkit's headers make them of.
bool isToolkitScalar(const RecordDecl &record) {
  return record.getIdentifier() && (record.getName() == "__half" || record.getName() == "__nv_bfloat16") &&
         record.getDeclContext()->getRedeclContext()->isTranslationUnit();
}

bool isNamed(const RecordDecl &record) {
  return record.getIdentifier() != nullptr || record.getTypedefNameForAnonDecl() != nullptr;
}

QualType plainOf(const ASTContext &context, QualType type) {
  return QualType(context.getCanonicalType(type)).getUnqualifiedType();
}

} // namespace

TypeTexts::TypeTexts(const ASTContext &context) : context_(context), policy_(context.getLangOpts()) {
  policy_.SuppressTagKeyword = true;
  policy_.AnonymousTagLocations = false; // places in a copy of the source
  policy_.PrintAsCanonical = true;
}

const TypeText &TypeTexts::of(QualType type) {
  const QualType plain = plainOf(context_, type);
  const auto [entry, isNew] = known_.try_emplace(plain.getAsOpaquePtr());
  if (isNew)
    entry->second = make(plain);
  return entry->second;
}

TypeText TypeTexts::make(QualType type) {
  if (type->isDependentType() || type->isIncompleteType())
    return {};
  TypeText result;
  const std::string name = nameOf(type), meaning = meaningOf(type);
  result.bytes = static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
  result.isPointer = type->isAnyPointerType();
  if (!meaning.empty()) {
    result.text = meaning == name ? name : name + abi::kAccessTypesSeparator + meaning;
    return result;
  }
  const RecordDecl *const record = type->getAsRecordDecl();
  if (!record || !isNamed(*record))
    return {};
  result.text = name;
  std::vector<Field> fields;
  if (result.bytes > abi::kMaxValueBytes || !addMembers(*record, 0, "", fields) || fields.empty())
    return result;
  std::string layout;
  for (const Field &field : fields) {
    layout += (layout.empty() ? "{" : ";") + std::to_string(field.offset) + " " + meaningOf(field.type) +
              " " + field.name;
  }
  const QualType first = fields.front().type;
  const bool isOneType = llvm::all_of(fields, [&](const Field &field) { return field.type == first; });
  if (isOneType && fields.size() > 1 && fields.size() * of(first).bytes == result.bytes)
    result.part = first;
  result.text += abi::kAccessTypesSeparator + layout + "}";
  return result;
}

std::string TypeTexts::nameOf(QualType type) const { return type.getAsString(policy_); }

std::string TypeTexts::meaningOf(QualType type) const {
  if (type->isAnyPointerType())
    return abi::kPointerLayout;
  if (const EnumDecl *const enumeration = type->getAsEnumDecl())
    return nameOf(plainOf(context_, enumeration->getIntegerType()));
  if (type->isSpecificBuiltinType(BuiltinType::LongDouble))
    return "double"; // of the device
  if (isa<BuiltinType>(type) && type->isArithmeticType())
    return nameOf(type);
  if (const RecordDecl *const record = type->getAsRecordDecl(); record && isToolkitScalar(*record))
    return nameOf(type);
  return "";
}

bool TypeTexts::addFields(QualType type, std::uint64_t offset, const std::string &name,
                          std::vector<Field> &fields) const {
  if (!meaningOf(type).empty()) {
    fields.push_back({offset, name, type});
    return true;
  }
  if (const ConstantArrayType *const array = context_.getAsConstantArrayType(type)) {
    const QualType element = plainOf(context_, array->getElementType());
    const auto bytes = static_cast<std::uint64_t>(context_.getTypeSizeInChars(element).getQuantity());
    for (std::uint64_t i = 0, count = array->getZExtSize(); i < count; ++i)
      if (!addFields(element, offset + i * bytes, name + "[" + std::to_string(i) + "]", fields))
        return false;
    return true;
  }
  const RecordDecl *const record = type->getAsRecordDecl();
  return record && addMembers(*record, offset, name + ".", fields);
}

bool TypeTexts::addMembers(const RecordDecl &record, std::uint64_t offset, const std::string &prefix,
                           std::vector<Field> &fields) const {
  const auto *const definition = record.getDefinition();
  if (!definition || definition->isUnion() || definition->isInvalidDecl())
    return false;
  const ASTRecordLayout &layout = context_.getASTRecordLayout(definition);
  if (const auto *const ofCxx = dyn_cast<CXXRecordDecl>(definition)) {
    if (ofCxx->isDynamicClass())
      return false;
    for (const CXXBaseSpecifier &base : ofCxx->bases()) {
      const CXXRecordDecl &decl = *base.getType()->getAsCXXRecordDecl();
      const auto at = static_cast<std::uint64_t>(layout.getBaseClassOffset(&decl).getQuantity());
      if (!decl.isEmpty() && !addMembers(decl, offset + at, prefix, fields))
        return false;
    }
  }
  for (const FieldDecl *field : definition->fields()) {
    if (field->isBitField() || field->getType()->isReferenceType() || !field->getIdentifier())
      return false;
    const CharUnits at = context_.toCharUnitsFromBits(
        static_cast<std::int64_t>(layout.getFieldOffset(field->getFieldIndex())));
    const QualType type = plainOf(context_, field->getType());
    if (const CXXRecordDecl *const empty = type->getAsCXXRecordDecl(); empty && empty->isEmpty())
      continue;
    if (!addFields(type, offset + static_cast<std::uint64_t>(at.getQuantity()),
                   prefix + field->getName().str(), fields))
      return false;
  }
  return true;
}

} // namespace cupr::language

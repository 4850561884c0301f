/// What the compiler's front end tells the pass of the types of accesses: the C++ type of each object that is read or
/// written, which LLVM's IR does not have.
///
/// The named metadata kAccessTypes has a node for each function, `!{!DISubprogram, !"..."}`. Its text has a line for each
/// place of an access and each size that accesses there may have:
///
///     12:7 16 float4 TAB {0 float x;4 float y;8 float z;12 float w}
///     line : column, as in the debug information; bytes; the type's name; what its bytes mean
///
/// Where several types have one place and size, none stands there; pointers count apart from others. What bytes mean (the layout of site_table.h) is
///
///     nothing                    the type's name says it, or it is not known
///     unsigned char              of an enumeration; of a pointer kPointerLayout
///     {0 float x;16 int n[0]}    of a class its fields, down to scalars: offset, scalar type, name
#ifndef CUPR_ABI_ACCESS_TYPES_H
#define CUPR_ABI_ACCESS_TYPES_H

namespace cupr {
namespace abi {

constexpr const char *kAccessTypes = "cupr.access.types";
/// Who tells: a plugin of clang by this name. With the argument kNoAccessTypes it does not: nobody would take the types out of
/// a module that is not instrumented, and they keep debug information alive.
constexpr const char *kAccessTypesPlugin = "cupr-access-types";
constexpr const char *kNoAccessTypes = "off";
constexpr const char *kPointerLayout = "void *";
constexpr char kAccessTypesSeparator = '\t'; ///< between a type and its layout

} // namespace abi
} // namespace cupr

#endif

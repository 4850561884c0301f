/// What the first line of each copy that cuprewrite makes holds.
#ifndef CUPR_ABI_AUGMENTED_MARK_H
#define CUPR_ABI_AUGMENTED_MARK_H

namespace cupr {
namespace abi {

constexpr char kAugmentedMark[] = "// augmented by cuprewrite";

} // namespace abi
} // namespace cupr

#endif

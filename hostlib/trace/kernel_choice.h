/// Which kernels a person means, in Nsight Compute's words: `-k NAME` or `-k regex:EXPR`, and `--kernel-name-base`.
#ifndef CUPR_TRACE_KERNEL_CHOICE_H
#define CUPR_TRACE_KERNEL_CHOICE_H

#include <string>
#include <string_view>

namespace cupr::trace {

/// What of a kernel's name is looked at: `f`, `ns::f`, or `void ns::f<int>(int*)`.
enum class NamePart { Function, Qualified, Demangled };

/// The part that a word of CUPR_KERNEL_NAME (devicelib/abi/settings.def) means.
NamePart namePart(std::string_view word);

std::string partOf(const std::string &demangledKernel, NamePart part);

struct KernelChoice {
  std::string expression; ///< a regular expression (ECMAScript), found anywhere in the part
  std::string part;       ///< a word of CUPR_KERNEL_NAME
};

/// `name`: all of the part of the name that `part` says, or `regex:` and an expression. Throws std::regex_error where it is none.
KernelChoice kernelChoice(const std::string &name, const std::string &part);

} // namespace cupr::trace

#endif

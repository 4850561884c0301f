/// Dependency files: rules of make that say which files an object was made of.
///
///     build/k.o: k.cu heat.cuh \
///       include/size.h
///
/// clang writes one for the host's side of a source and one for each device side, of the augmented copies.
/// The user's build gets one rule of them all, which names the originals.
#ifndef CUPR_COMMANDLINE_DEPENDENCY_FILE_H
#define CUPR_COMMANDLINE_DEPENDENCY_FILE_H

#include <string>
#include <vector>

namespace cupr::commandline {

/// The files behind the colon of the first rule, unquoted, in their order.
std::vector<std::string> prerequisitesOf(const std::string &rules);

/// A path as a word in a rule of make.
std::string makeQuoted(const std::string &path);

/// One rule; `targets` are words of make already. `phony`: an empty rule for each prerequisite but the first,
/// so that make does not stop when a header is gone.
std::string dependencyRule(const std::vector<std::string> &targets,
                           const std::vector<std::string> &prerequisites, bool phony);

} // namespace cupr::commandline

#endif

/// How cupr++ calls cuprewrite, and where the copies go that the user wants to keep.
///
/// Each source is rewritten by itself, for its own compilation, into a temporary folder. Kept copies (--keep)
/// are for the user to read, and are put where they belong whole, under their last names: other builds may
/// write there too.
#ifndef CUPR_TOOL_REWRITING_H
#define CUPR_TOOL_REWRITING_H

#include "command.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"

#include <string>
#include <vector>

namespace cupr::tool {

/// Rewrites the sources into `folder`, which mirrors `root`. `more` are further options of cuprewrite.
Command rewriteCommand(const Installation &installation, const DriverOptions &options,
                       const std::vector<std::string> &sources, const std::string &root,
                       const std::string &folder, const std::vector<std::string> &more = {});

/// Puts all files of a folder into another one, with their tree. Returns an exit code; says what went wrong.
int publishCopies(const std::string &from, const std::string &to);

/// The copies of all sources as one tree: a header that several include with different macros has what each
/// of them needs. `folder` is for intermediate files. Returns an exit code.
int keepTogether(const Installation &installation, const DriverOptions &options, Execution &execution,
                 const std::string &folder);

} // namespace cupr::tool

#endif

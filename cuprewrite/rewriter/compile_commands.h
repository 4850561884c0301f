/// compile_commands.json: how each source of a project is compiled, as CMake and others write it.
#ifndef CUPR_REWRITE_COMPILE_COMMANDS_H
#define CUPR_REWRITE_COMPILE_COMMANDS_H

#include "unit.h"

namespace cupr::rewrite {

/// The translation units of `inputs` by the database at `path`, the file or its folder; without inputs, those
/// of all CUDA sources in it. A source that is compiled several times gives as many units. On failure `error`
/// says what to do.
std::vector<Unit> readCompileCommands(const std::string &path, const std::vector<std::string> &inputs,
                                      std::string &error);

} // namespace cupr::rewrite

#endif

/// Where things lie: our own files (beside this program, in the build tree as in an
/// installation), LLVM 22's tools and the CUDA toolkit.
#ifndef CUPR_TOOL_INSTALLATION_H
#define CUPR_TOOL_INSTALLATION_H

#include <string>
#include <vector>

namespace cupr::tool {

struct Installation {
  std::string prefix; ///< holds bin, lib and include
  std::string cuda;   ///< CUDA_PATH, or /usr/local/cuda

  /// Found from the running program's own path.
  static Installation find();

  std::string program(const std::string &name) const { return prefix + "/bin/" + name; }
  std::string library(const std::string &name) const { return prefix + "/lib/" + name; }
  std::string cudaProgram(const std::string &name) const { return cuda + "/bin/" + name; }
  std::string includeFolder() const { return prefix + "/include"; }
  /// Headers that stand before a project's of the same name, and include those.
  std::string quotedFolder() const { return includeFolder() + "/cupr/quoted"; }

  /// What is missing, as one line that says what to do; empty when all is there.
  std::string problem() const;

  /// What `nvcc --version` of the toolkit says, or would say if it were there: scripts look for the release.
  std::string nvccVersion() const;
  /// Changes whenever one of our programs and libraries does.
  std::string fingerprint() const;

  /// Flags that every compilation of CUDA sources needs.
  std::vector<std::string> cudaFlags() const;
  /// Those of them that give sources our own headers, and what nvcc has and clang has not.
  std::vector<std::string> compatibilityFlags() const;
  /// What any source in C++, or in C, needs to be taken as nvcc and gcc take it.
  std::vector<std::string> hostFlags(bool isC = false) const;
  /// What a program must be linked with.
  std::vector<std::string> linkFlags() const;
  /// The same for a shared library: all of those in one process have one runtime.
  std::vector<std::string> sharedLinkFlags() const;

private:
  std::vector<std::string> driverFlags() const;
};

} // namespace cupr::tool

#endif

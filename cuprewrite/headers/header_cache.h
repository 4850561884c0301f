/// CUDA's headers as clang has read them before, kept for its next look at a source.
///
/// Problem: in front of every CUDA source stand CUDA's own headers, and with them much of the C++ library: 230 files, which take
/// clang 0.4 s and more to read. A source is read four times: for the host and for each architecture, by cuprewrite and by the
/// compiler. Of a small program that is most of what building takes.
///
/// Clang can write down what it has read (a precompiled header), and goes on from there in a tenth of the time, with the same code in
/// the end. It takes one only for a compilation whose language, macros and target are the same, so there is one for each set of
/// flags that say how headers are read: warnings, debug information and what is made of the source are left out of it, and so cuprewrite
/// and the compiler have one for each side. They lie in a folder of the user:
///
///     KEY.pch      what clang has read; about 10 MB
///     KEY.files    the files that it has read (stamped_files.h): one that has changed makes it useless
///     KEY.cu       an empty source, behind which nothing stands but the headers
///     KEY.lock     of who is writing them
///
/// Writing one takes longer than reading the headers once, and less than reading them twice. It is done when flags are seen for the second time, or are known to be seen again.
///
/// The folder is the one that CUPREWRITE_CACHE names, else `cuprewrite` in XDG_CACHE_HOME or ~/.cache; CUPREWRITE_CACHE=off: none. Several
/// processes may use it at the same time. When it is larger than 1 GiB, what has not been used for the longest time goes.
///
/// Not for compilations that read more in front of the source (-include), or that have a folder where a header of one of those names
/// lies: which of two is read is the compiler's to find out.
#ifndef CUPR_HEADERS_HEADER_CACHE_H
#define CUPR_HEADERS_HEADER_CACHE_H

#include <string>
#include <vector>

namespace cupr::headers {

struct Compilation {
  /// Clang's command: the program, and all that says how a source is read; neither the source nor what is made of it.
  std::vector<std::string> command;
  /// Folders of the source's own, in which includes look as well.
  std::vector<std::string> folders;
  /// Another one like it follows.
  bool isRepeated = false;
};

/// Flags by which clang takes the headers from the cache; none: it has to read them. Runs clang where it is time to write them down.
/// Never fails: what can't be written isn't there.
std::vector<std::string> cachedHeaders(const Compilation &compilation);

/// Whether the file is one of the cache's: the compiler's lists of what it has read name the empty source.
bool isOfCache(const std::string &path);

} // namespace cupr::headers

#endif

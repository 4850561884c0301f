/// The files that something was made of, as they were then: their sizes and times.
///
///     1763000000.123456789 4711 /usr/include/stdio.h
///
/// One line each: when it was written last, its bytes, its path.
#ifndef CUPR_HEADERS_STAMPED_FILES_H
#define CUPR_HEADERS_STAMPED_FILES_H

#include <string>
#include <vector>

namespace cupr::headers {

class StampedFiles {
public:
  /// As they are now. One that is not there has a stamp that no file has.
  static StampedFiles of(const std::vector<std::string> &paths);
  /// What text() has given; what is no such line is left out.
  static StampedFiles read(const std::string &text);

  std::string text() const;
  /// Whether all are now what they were; none are not.
  bool areUnchanged() const;
  /// Whether a look for one of them in this folder finds a file: under its name, or with the one or two folders in front of it that a
  /// directive may name.
  bool areHiddenBy(const std::string &folder) const;

private:
  struct File {
    std::string stamp, path;
  };

  std::vector<File> files_;
};

} // namespace cupr::headers

#endif

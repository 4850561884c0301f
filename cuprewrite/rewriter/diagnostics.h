/// What the rewriter has to say, in clang's manner: a place in the user's file,
/// a sentence, the line with a caret.
#ifndef CUPR_REWRITE_DIAGNOSTICS_H
#define CUPR_REWRITE_DIAGNOSTICS_H

#include "facts.h"

namespace cupr::rewrite {

enum class Severity { Remark, Note, Warning, Error };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::optional<Place> place;
  std::string text;
};

class Diagnostics {
public:
  void report(Severity severity, std::optional<Place> place, std::string text);
  const std::vector<Diagnostic> &all() const { return all_; }
  bool hasErrors() const { return errors_ != 0; }
  unsigned errors() const { return errors_; }
  unsigned warnings() const { return warnings_; }

private:
  std::vector<Diagnostic> all_;
  unsigned errors_ = 0, warnings_ = 0;
};

/// The diagnostic as text, with the source line where there is one.
std::string render(const Diagnostic &diagnostic, const Facts &facts);

} // namespace cupr::rewrite

#endif

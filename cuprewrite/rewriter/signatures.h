/// Who gets the trace argument, and who keeps the signature that is written.
///
/// All kernels and device functions get it that nothing keeps: a use of their address with its type, a library that
/// calls them, a template that asks whether they can be called. And one text has one version: where it means, in
/// different instantiations, expansions or parses, functions that change and others that don't, all of them keep their
/// signatures; which may make others keep theirs, until nothing changes any more.
#ifndef CUPR_REWRITE_SIGNATURES_H
#define CUPR_REWRITE_SIGNATURES_H

#include "decision.h"
#include "facts.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::rewrite {

Subject subjectOf(const Function &function);
/// The name without its scopes.
std::string_view lastName(const Function &function);
/// Whether a launch is written with the kernel's arguments, among which another may stand.
bool handsArguments(const Launch &launch);

class Signatures {
public:
  /// Reports an error for each function that must keep its signature where not all can see that it does.
  Signatures(const Facts &facts, Diagnostics &diagnostics);

  /// `key`: of Facts::functions, or of what is none.
  bool changes(const std::string &key) const { return changed_.contains(key); }
  /// Keys.
  const std::set<std::string> &changed() const { return changed_; }
  /// Decisions on those that keep theirs.
  const std::vector<Decision> &kept() const { return kept_; }
  /// The templates that an instantiation may mean, by all that is written of it. All change, or none does.
  std::set<std::string> meantBy(const Instantiation &instantiation) const;

  /// Where one text would have to be two, the functions that it calls or launches keep their signatures. Whether any
  /// is new to it.
  bool keepAt(const std::set<Spot> &spots);

private:
  /// What one text means in different instantiations, expansions or parses.
  struct Meaning {
    std::string target;
    Place place;
  };
  void decide();
  void keep(const Function &function, const std::vector<Place> &uses, std::string_view reason);
  bool keepMeant(const Meaning &meaning, std::string_view reason);
  void keepWhatIsAsked();
  void keepWhatMixes();

  const Facts &facts_;
  Diagnostics &diagnostics_;
  std::vector<Decision> kept_;
  std::set<std::string> changed_;
};

} // namespace cupr::rewrite

#endif

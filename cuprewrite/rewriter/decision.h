/// What becomes of each kernel, device function and launch: the one answer of which the
/// diagnostics, the summary and `cuprewrite --list` are made.
#ifndef CUPR_REWRITE_DECISION_H
#define CUPR_REWRITE_DECISION_H

#include "diagnostics.h"

namespace cupr::rewrite {

/// A call is listed only where something is wrong with it: the others follow from the functions.
enum class Subject { Kernel, DeviceFunction, Launch, Call };

enum class Treatment {
  Augmented, ///< its text gets the trace argument
  Carried,   ///< its text stays; the compiler pass and the runtime hand the trace on
  LeftAlone, ///< what it does is not traced
};

struct Decision {
  Subject subject = Subject::Kernel;
  Treatment treatment = Treatment::Augmented;
  std::string name; ///< of the function, or of what is launched or called; empty: known at run time only
  Place place;
  std::string reason;           ///< why it is not augmented
  std::optional<Place> because; ///< where the reason stands, if not at `place`
  std::string caution;          ///< what may go wrong all the same
  std::string form;             ///< of a launch: `<<<>>>`, or the function that launches
};

/// Says in clang's manner what is carried (a remark), and what is left alone or calls for caution (a
/// warning).
void report(const Decision &decision, Diagnostics &diagnostics);

/// How many decisions there are of a kind.
unsigned count(const std::vector<Decision> &decisions, Subject subject, Treatment treatment);

} // namespace cupr::rewrite

#endif

#include "fault_text.h"

#include "analysis/output/terminal.h"
#include "analysis/output/text.h"
#include "analysis/output/utf8.h"

#include <fmt/color.h>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

std::string dimOf(const trace::Dim3 &at) { return fmt::format("({},{},{})", at.x, at.y, at.z); }

std::string placeText(const ShownPlace &place) {
  std::string text = place.place();
  if (text.empty())
    text = place.block && !place.function.empty() ? place.function + ", line not known"
           : place.hostPath.empty()               ? "(place not known)"
                                                  : place.hostPath;
  text += fmt::format(" ({}{}{})", place.operation, place.expression.text.empty() ? "" : " of ",
                      place.expression.text);
  std::string lines = fmt::format("  {}\n", shown(text));
  if (place.block && place.thread)
    lines += fmt::format("    thread {} of block {}, launch {} of {}\n", dimOf(*place.thread),
                         dimOf(*place.block), place.launch, shown(place.kernel));
  else if (place.launch != 0)
    lines += fmt::format("    launch {} of {}\n", place.launch, shown(place.kernel));
  if (!place.hostThread.empty())
    lines += fmt::format("    host thread {}\n", shown(place.hostThread));
  for (std::size_t i = 0; i < place.callers.size(); ++i)
    lines += fmt::format("    called by {}{}\n", shown(place.callers[i]),
                         place.callSites[i].empty() ? "" : " at " + shown(place.callSites[i]));
  if (!place.hostPath.empty() && place.hostPath != text)
    lines += fmt::format("    from {}\n", shown(place.hostPath));
  return lines;
}

} // namespace

std::string faultText(const ShownFault &fault) {
  const bool fails = failsBy(fault.fault->rule);
  std::string lines = fmt::format(
      "{}: {}\n",
      coloured(idOf(fault.fault->rule),
               fmt::emphasis::bold | fmt::fg(fails ? fmt::terminal_color::red : fmt::terminal_color::yellow)),
      shown(fault.title));
  for (const ShownPlace &place : fault.places)
    lines += placeText(place);
  if (!fault.memory.empty())
    lines +=
        fmt::format("  {}{}\n", fault.fault->rule == FaultRule::Misaligned ? "at " : "", shown(fault.memory));
  if (fault.fault->count > 1)
    lines += fmt::format("  {} times\n", grouped(fault.fault->count));
  return lines + fmt::format("  {}\n\n", shown(fault.advice));
}

std::string checkedText(const Checked &checked, std::size_t faults) {
  return fmt::format("{} in {} accesses of {} launches{}; looked for: {}\n",
                     faults == 0   ? "nothing found"
                     : faults == 1 ? "1 fault"
                                   : fmt::format("{} faults", faults),
                     grouped(checked.accesses), grouped(checked.launches),
                     checked.model == RaceModel::Scoped ? ", by the model of scoped races" : "",
                     rulesText({kFaultRules.begin(), kFaultRules.end()}));
}

std::string uncheckedText(const Checked &checked) {
  std::string lines;
  for (const Unchecked &unchecked : checked.unchecked)
    lines += fmt::format("not checked: {}: {}\n", rulesText(unchecked.rules), shown(unchecked.why));
  return lines;
}

} // namespace cupr::analysis

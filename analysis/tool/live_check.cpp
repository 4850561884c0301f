#include "live_check.h"

#include "verb.h"

#include "analysis/render/fault_text.h"
#include "hostlib/trace/work_limit.h"

#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

std::string textOf(const Model &model, const std::vector<Fault> &faults) {
  std::string text;
  for (const ShownFault &fault : shownFaults(model, faults))
    text += faultText(fault);
  return text;
}

void answer(std::size_t faults, const std::string &text) {
  fmt::print("{:19} {:19}\n{}", faults, text.size(), text);
  std::fflush(stdout);
}

} // namespace

int followLive(const std::string &path, const CheckOptions &options) {
  trace::WorkLimit::allowAnySize(); // it is the program's own
  Model model(path, Growing{});
  GrowingCheck check(model, options);
  std::vector<Fault> untold;
  std::size_t faults = 0;
  for (std::string request; std::getline(std::cin, request);) {
    const Growth growth = request == "end" ? Growth::Over : Growth::GoesOn;
    model.readOn(growth);
    for (const Fault &fault : check.extend(growth)) {
      untold.push_back(fault);
      ++faults;
    }
    if (request == "look") {
      answer(faults, "");
      continue;
    }
    std::string text = textOf(model, std::exchange(untold, {}));
    if (growth == Growth::Over) {
      const Checked checked = check.result();
      faults = checked.faults.size();
      if (faults != 0)
        text += checkedText(checked, faults);
      text += uncheckedText(checked);
    }
    answer(faults, text);
  }
  return kExitGood;
}

} // namespace cupr::analysis

/// Any bytes as the facts of a program in two files: what a parse could say, and much that none would.
#ifndef CUPR_TEST_RANDOM_FACTS_H
#define CUPR_TEST_RANDOM_FACTS_H

#include "cuprewrite/rewriter/augment.h"
#include "edit_oracle.h"

#include <cstddef>
#include <cstdint>

namespace cupr::test {

class RandomFacts {
public:
  RandomFacts(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}

  rewrite::Facts facts() {
    using namespace rewrite;
    for (const char *path : {"/p/a.cu", "/p/b.cuh"}) {
      File &file = facts_.file(facts_.intern(path, path + 3));
      file.input = path[4] == 'u';
      file.nested = flag(8);
      file.text = flag(8) ? "\xef\xbb\xbf" : "";
      for (std::size_t length = below(160); length > 0; --length)
        file.text += "ab(), \n\t\r{<>"[below(12)];
    }
    const std::size_t functions = 1 + below(6);
    for (std::size_t i = 0; i < functions; ++i) {
      Function function;
      function.key = key(i);
      function.name = flag(4) ? "scope::" + function.key : function.key;
      function.kind = kind();
      function.keepReason = flag(4) || function.kind == FunctionKind::Host ? "so" : "";
      function.shared = flag(2);
      function.defined = flag(2);
      function.place = place();
      facts_.add(function);
    }
    while (size_ > 0)
      addOne(functions);
    return std::move(facts_);
  }

private:
  void addOne(std::size_t functions) {
    using namespace rewrite;
    const std::string function = key(below(functions));
    const auto common = [&](auto &fact) {
      fact.target = flag(6) ? "" : function;
      fact.name = flag(6) ? "" : function;
      fact.certainty = static_cast<Certainty>(below(3));
      fact.spot = flag(8) ? std::nullopt : std::optional(spot());
      fact.form = form();
      fact.enclosing = flag(2) ? "" : key(below(functions));
      fact.place = place();
    };
    switch (below(5)) {
    case 0: {
      ParameterList list;
      list.function = function;
      list.kind = facts_.functions.at(function).kind;
      list.place = place();
      list.form = form();
      list.spot = spot();
      if (list.form == ListForm::Void) {
        list.voidBytes = 4;
        if (list.spot->offset + 4 > facts_.file(list.spot->file).text.size())
          return;
      }
      facts_.parameterLists.push_back(list);
      return;
    }
    case 1: {
      Call call;
      common(call);
      facts_.calls.push_back(call);
      return;
    }
    case 2: {
      Launch launch;
      common(launch);
      launch.launchForm = static_cast<LaunchForm>(below(4));
      if (launch.launchForm == LaunchForm::Array || launch.launchForm == LaunchForm::Handle) {
        launch.spot = std::nullopt;
        launch.function = flag(2) ? "cudaLaunchKernel" : "cuLaunchKernel";
      }
      if (launch.launchForm != LaunchForm::Handle && flag(2))
        launch.markSpot = spot();
      launch.onDevice = flag(4);
      facts_.launches.push_back(launch);
      return;
    }
    case 3:
      facts_.uses.insert({function, place(), flag(2)});
      return;
    default: {
      Instantiation instantiation;
      instantiation.functions = {function, key(below(functions))};
      instantiation.scope = flag(4) ? "scope" : "";
      instantiation.spot = flag(8) ? std::nullopt : std::optional(spot());
      instantiation.form = ListForm::Filled;
      instantiation.place = place();
      facts_.instantiations.push_back(instantiation);
    }
    }
  }

  std::size_t below(std::size_t n) {
    if (size_ == 0)
      return 0;
    --size_;
    return *data_++ % n;
  }
  /// True in one of `n` cases.
  bool flag(std::size_t n) { return below(n) == 1; }
  static std::string key(std::size_t index) { return {static_cast<char>('f' + index)}; }
  rewrite::FunctionKind kind() { return static_cast<rewrite::FunctionKind>(below(4)); }
  rewrite::ListForm form() { return static_cast<rewrite::ListForm>(below(5)); }
  rewrite::FileId file() { return rewrite::FileId(below(2)); }
  rewrite::Place place() {
    const rewrite::FileId id = file();
    return {id, static_cast<std::uint32_t>(1 + below(9)), static_cast<std::uint32_t>(1 + below(30))};
  }
  rewrite::Spot spot() {
    const rewrite::FileId id = file();
    const std::string &text = facts_.file(id).text;
    const std::size_t mark = text.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0; // no token stands in front of it
    return {id, static_cast<std::uint32_t>(mark + below(text.size() + 1 - mark))};
  }

  const std::uint8_t *data_;
  std::size_t size_;
  rewrite::Facts facts_;
};

/// The rule that the plan for the facts in these bytes breaks; empty: none.
inline std::string brokenPlanRule(const std::uint8_t *data, std::size_t size) {
  using namespace rewrite;
  Facts facts = RandomFacts(data, size).facts();
  Diagnostics diagnostics;
  const Augmentation once = augment(facts, diagnostics);
  if (!once.plan.conflicts().empty() && !diagnostics.hasErrors())
    return "a conflict is not told";
  for (const Decision &decision : once.decisions)
    if (decision.treatment == Treatment::Augmented ? !decision.reason.empty() : decision.reason.empty())
      return "a decision without its reason, or with one too many";
  // Several parses say the same.
  const Facts copy = facts;
  facts.merge(copy);
  Diagnostics ignored;
  const Augmentation twice = augment(facts, ignored);
  for (std::size_t i = 0; i < facts.files.size(); ++i) {
    const std::vector<Edit> edits = once.plan.edits(FileId(i));
    if (const std::string rule = brokenEditRule(facts.files[i], edits); !rule.empty())
      return rule;
    if (edits != twice.plan.edits(FileId(i)))
      return "the same facts twice change the plan";
  }
  return "";
}

} // namespace cupr::test

#endif

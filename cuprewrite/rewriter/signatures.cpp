#include "signatures.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace cupr::rewrite {

namespace {

bool handsArguments(const Call &) { return true; }

} // namespace

bool handsArguments(const Launch &launch) {
  return launch.launchForm == LaunchForm::Chevrons || launch.launchForm == LaunchForm::Ex;
}

Subject subjectOf(const Function &function) {
  return function.kind == FunctionKind::Kernel ? Subject::Kernel : Subject::DeviceFunction;
}

std::string_view lastName(const Function &function) {
  return std::string_view(function.name).substr(function.name.rfind(':') + 1);
}

Signatures::Signatures(const Facts &facts, Diagnostics &diagnostics)
    : facts_(facts), diagnostics_(diagnostics) {
  decide();
  keepWhatIsAsked();
  keepWhatMixes();
}

void Signatures::decide() {
  struct Uses {
    std::vector<Place> places;
    bool byLibrary; ///< the first of them
  };
  std::map<std::string, Uses> uses;
  for (const Use &use : facts_.uses)
    uses.try_emplace(use.function, Uses{{}, use.byLibrary}).first->second.places.push_back(use.place);
  for (const auto &[key, function] : facts_.functions) {
    if (function.kind == FunctionKind::Host)
      continue;
    if (!function.keepReason.empty())
      kept_.push_back({subjectOf(function), Treatment::Carried, function.name, function.place,
                       function.keepReason, std::nullopt, "", ""});
    else if (const auto use = uses.find(key); use != uses.end())
      keep(function, use->second.places,
           use->second.byLibrary ? "a template of a library calls it"
                                 : "its address is used with its type here");
    else
      changed_.insert(key);
  }
}

/// A function that can't change because of how it is used keeps its signature.
/// Everybody who sees its declaration must come to the same result.
void Signatures::keep(const Function &function, const std::vector<Place> &uses, std::string_view reason) {
  // Nobody else sees a declaration in a source, as against a header; who defines the function sees it.
  const bool isOwn = facts_.file(function.place.file).input && !function.defined;
  bool seenByAll = !function.shared;
  for (const Place &use : uses)
    seenByAll |= use.file == function.place.file && !isOwn;
  const Place &first = uses.front();
  if (seenByAll || function.defined) {
    kept_.push_back(
        {subjectOf(function), Treatment::Carried, function.name, function.place, std::string(reason), first,
         seenByAll ? ""
                   : std::string("which files that are rewritten in another call of cuprewrite don't see; ") +
                         "rewrite all files in one call, or all with --keep-signature=" + function.name,
         ""});
    return;
  }
  diagnostics_.report(
      Severity::Error, first,
      fmt::format("{0} '{1}' must keep its signature: {2}; but its definition lies in a file that is not "
                  "rewritten in this call, so rewrite all files in one call, or all with "
                  "--keep-signature={1}",
                  function.kind == FunctionKind::Kernel ? "kernel" : "device function", function.name,
                  reason));
  diagnostics_.report(Severity::Note, function.place, "it is declared here");
}

/// In a concept or in a declaration's decltype, a call whose meaning depends on template arguments is a question:
/// the compiler tries whether it is possible, and takes no for an answer. No instantiation tells what was tried, so
/// all functions that the name may mean stay as they are.
void Signatures::keepWhatIsAsked() {
  std::set<Spot> known;
  for (const Call &call : facts_.calls)
    if (call.spot && call.certainty != Certainty::Unknown)
      known.insert(*call.spot);
  std::map<std::string_view, Place> asked;
  for (const Call &call : facts_.calls)
    if (call.certainty == Certainty::Unknown && call.enclosing.empty() && !call.name.empty() &&
        !(call.spot && known.contains(*call.spot)))
      asked.try_emplace(call.name, call.place);
  for (const auto &[key, function] : facts_.functions)
    if (const auto call = asked.find(lastName(function)); call != asked.end())
      keepMeant({key, call->second}, "a template asks whether a function of this name can be called");
}

/// Where one text means functions that change and others that don't, or was written where it can't be
/// edited, those that would change keep their signatures. Each that does may make others do.
void Signatures::keepWhatMixes() {
  struct Group {
    std::string_view reason;
    std::vector<Meaning> meanings;
  };
  std::map<Spot, Group> groups;
  const auto add = [&](const auto &items, std::string_view foreign, std::string_view mixed) {
    for (const auto &item : items) {
      if (item.certainty != Certainty::Resolved || !handsArguments(item))
        continue;
      if (item.spot) {
        Group &group = groups[*item.spot];
        group.reason = mixed;
        group.meanings.push_back({item.target, item.place});
      } else {
        keepMeant({item.target, item.place}, foreign);
      }
    }
  };
  add(facts_.calls, "this call is implied, or written by a macro of a file that is not rewritten",
      "the text of this call means also functions that keep theirs");
  add(facts_.launches, "this launch is written by a macro of a file that is not rewritten",
      "the text of this launch means also kernels that keep theirs");
  std::vector<Group> all;
  for (auto &[spot, group] : groups)
    all.push_back(std::move(group));
  for (const Instantiation &instantiation : facts_.instantiations) {
    Group group{"this instantiation may mean also templates that keep theirs", {}};
    for (const std::string &key : meantBy(instantiation)) {
      group.meanings.push_back({key, instantiation.place});
      if (!instantiation.spot)
        keepMeant(group.meanings.back(),
                  "this instantiation is written by a macro of a file that is not rewritten");
    }
    all.push_back(std::move(group));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Group &group : all) {
      std::set<std::optional<FunctionKind>> kinds; // a kernel's text is another than a device function's
      for (const Meaning &meaning : group.meanings)
        kinds.insert(changes(meaning.target) ? std::optional(facts_.functions.at(meaning.target).kind)
                                             : std::nullopt);
      if (kinds.size() > 1)
        for (const Meaning &meaning : group.meanings)
          changed |= keepMeant(meaning, group.reason);
    }
  }
}

bool Signatures::keepMeant(const Meaning &meaning, std::string_view reason) {
  if (!changed_.erase(meaning.target))
    return false;
  keep(facts_.functions.at(meaning.target), {meaning.place}, reason);
  return true;
}

bool Signatures::keepAt(const std::set<Spot> &spots) {
  bool changed = false;
  const auto keepIn = [&](const auto &items) {
    for (const auto &item : items)
      if (item.spot && spots.contains(*item.spot))
        changed |=
            keepMeant({item.target, item.place}, "the text written here is needed in several versions");
  };
  keepIn(facts_.calls);
  keepIn(facts_.launches);
  if (changed)
    keepWhatMixes();
  return changed;
}

std::set<std::string> Signatures::meantBy(const Instantiation &instantiation) const {
  std::set<std::string> keys;
  for (const std::string &key : instantiation.functions) {
    const auto function = facts_.functions.find(key);
    if (function == facts_.functions.end())
      continue;
    const bool sameKind = !instantiation.kind || function->second.kind == *instantiation.kind;
    const bool sameScope =
        instantiation.scope.empty() ||
        ("::" + function->second.name).find("::" + instantiation.scope + "::") != std::string::npos;
    if (sameKind && sameScope)
      keys.insert(key);
  }
  return keys.empty() ? instantiation.functions : keys;
}

} // namespace cupr::rewrite

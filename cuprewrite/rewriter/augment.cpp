#include "augment.h"

#include "api_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace cupr::rewrite {

namespace {

constexpr std::string_view kKernelParameter = "const __grid_constant__ cupr::Trace cupr_trace";
constexpr std::string_view kDeviceParameter = "const cupr::Trace &cupr_trace";
constexpr std::string_view kOwnTrace = "cupr_trace";
constexpr std::string_view kCurrentTrace = "cupr::current()";

/// The argument or parameter `text` at the head of a list.
std::string headOf(ListForm form, std::string_view text) {
  switch (form) {
  case ListForm::Empty:
    return std::string(text);
  case ListForm::Emptied:
    return fmt::format("{} ", text);
  case ListForm::Void:
    return fmt::format("{} /*", text);
  case ListForm::Filled:
    return fmt::format("{}, ", text);
  case ListForm::Variadic:
    return fmt::format("{} __VA_OPT__(,) ", text);
  case ListForm::Named: // __VA_OPT__ is for __VA_ARGS__ alone
    return fmt::format("{}, ##", text);
  }
  return std::string(text);
}

class Augmenter {
public:
  Augmenter(const Facts &facts, Diagnostics &diagnostics) : facts_(facts), diagnostics_(diagnostics) {}

  Augmentation run() {
    decide();
    keepWhatIsAsked();
    do {
      keepWhatMixes();
      makePlan();
    } while (keepWhatConflicts());
    out_.decisions.insert(out_.decisions.end(), kept_.begin(), kept_.end());
    std::sort(out_.decisions.begin(), out_.decisions.end(), [](const Decision &a, const Decision &b) {
      return std::tie(a.place, a.subject, a.name) < std::tie(b.place, b.subject, b.name);
    });
    for (const Conflict &conflict : plan_.conflicts()) {
      // Which parse wants what matters where they differ in it.
      const bool sidesDiffer = conflict.first.side != conflict.second.side;
      const auto needed = [&](const std::string &text, const Place &place) {
        return fmt::format("{} is needed here{}", describe(text),
                           sidesDiffer && place.side < facts_.sides.size()
                               ? " when it is compiled for " + facts_.sides[place.side]
                               : "");
      };
      diagnostics_.report(
          Severity::Error, conflict.first,
          fmt::format("the text written once is needed in two versions: {}; write the two uses apart",
                      needed(conflict.firstText, conflict.first)));
      diagnostics_.report(Severity::Note, conflict.second, needed(conflict.secondText, conflict.second));
    }
    return std::move(out_);
  }

private:
  static std::string describe(const std::string &text) {
    return text.empty() ? "the original text" : fmt::format("an inserted '{}'", text);
  }

  bool isAugmented(const std::string &key) const { return augmented_.contains(key); }

  /// Who gets the trace argument.
  void decide() {
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
        augmented_.insert(key);
    }
  }

  static Subject subjectOf(const Function &function) {
    return function.kind == FunctionKind::Kernel ? Subject::Kernel : Subject::DeviceFunction;
  }

  /// A function that can't change because of how it is used keeps its signature.
  /// Everybody who sees its declaration must come to the same result.
  void keep(const Function &function, const std::vector<Place> &uses, std::string_view reason) {
    // Nobody else sees a declaration in a source, as against a header; who defines the function sees it.
    const bool isOwn = facts_.file(function.place.file).input && !function.defined;
    bool seenByAll = !function.shared;
    for (const Place &use : uses)
      seenByAll |= use.file == function.place.file && !isOwn;
    const Place &first = uses.front();
    if (seenByAll || function.defined) {
      kept_.push_back(
          {subjectOf(function), Treatment::Carried, function.name, function.place, std::string(reason), first,
           seenByAll
               ? ""
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
  void keepWhatIsAsked() {
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

  /// The name without its scopes.
  static std::string_view lastName(const Function &function) {
    return std::string_view(function.name).substr(function.name.rfind(':') + 1);
  }

  /// What one text means in different instantiations, expansions or parses.
  struct Meaning {
    std::string target;
    Place place;
  };

  /// Where one text means functions that change and others that don't, or was written where it can't be
  /// edited, those that would change keep their signatures. Each that does may make others do.
  void keepWhatMixes() {
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
      for (const std::string &key : narrowed(instantiation)) {
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
        std::set<std::optional<FunctionKind>> changes; // a kernel's text is another than a device function's
        for (const Meaning &meaning : group.meanings)
          changes.insert(isAugmented(meaning.target) ? std::optional(facts_.functions.at(meaning.target).kind)
                                                     : std::nullopt);
        if (changes.size() > 1)
          for (const Meaning &meaning : group.meanings)
            changed |= keepMeant(meaning, group.reason);
      }
    }
  }

  static bool handsArguments(const Call &) { return true; }
  static bool handsArguments(const Launch &launch) {
    return launch.launchForm == LaunchForm::Chevrons || launch.launchForm == LaunchForm::Ex;
  }

  bool keepMeant(const Meaning &meaning, std::string_view reason) {
    if (!augmented_.erase(meaning.target))
      return false;
    keep(facts_.functions.at(meaning.target), {meaning.place}, reason);
    return true;
  }

  void makePlan() {
    out_ = Augmentation();
    names_.clear();
    noteAugmented();
    for (const ParameterList &list : facts_.parameterLists)
      addList(list, isAugmented(list.function), list.kind);
    addInstantiations();
    addCalls();
    addLaunches();
  }

  /// Where one text would have to be two, the functions that it calls or launches keep their signatures.
  bool keepWhatConflicts() {
    std::set<Spot> spots;
    for (const Conflict &conflict : plan_.conflicts())
      spots.insert(conflict.spot);
    bool changed = false;
    const auto keepAt = [&](const auto &items) {
      for (const auto &item : items)
        if (item.spot && spots.contains(*item.spot))
          changed |=
              keepMeant({item.target, item.place}, "the text written here is needed in several versions");
    };
    if (!spots.empty()) {
      keepAt(facts_.calls);
      keepAt(facts_.launches);
    }
    return changed;
  }

  void noteAugmented() {
    for (const std::string &key : augmented_) {
      const Function &function = facts_.functions.at(key);
      out_.decisions.push_back({subjectOf(function), Treatment::Augmented, function.name, function.place, "",
                                std::nullopt, "", ""});
    }
    for (const auto &[key, function] : facts_.functions) {
      auto [it, isNew] = names_.emplace(lastName(function), isAugmented(key));
      if (!isNew && it->second != isAugmented(key))
        it->second = std::nullopt;
    }
  }

  template <class List> void addList(const List &list, bool isAugmented, FunctionKind kind) {
    if (!list.spot)
      return;
    if (!isAugmented) {
      plan_.want(*list.spot, "", list.place);
      return;
    }
    plan_.want(*list.spot,
               headOf(list.form, kind == FunctionKind::Kernel ? kKernelParameter : kDeviceParameter),
               list.place);
    if (list.form == ListForm::Void)
      plan_.want({list.spot->file, list.spot->offset + list.voidBytes}, "*/", list.place);
  }

  /// The templates that an instantiation may mean, by all that is written of it.
  std::set<std::string> narrowed(const Instantiation &instantiation) const {
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

  void addInstantiations() {
    for (const Instantiation &instantiation : facts_.instantiations) {
      const std::set<std::string> keys = narrowed(instantiation); // all change alike, or none does
      const std::string key = keys.empty() ? std::string() : *keys.begin();
      addList(instantiation, isAugmented(key),
              isAugmented(key) ? facts_.functions.at(key).kind : FunctionKind::Host);
    }
  }

  bool standsInHostCode(const std::string &enclosing) const {
    const auto function = facts_.functions.find(enclosing);
    return function != facts_.functions.end() && function->second.kind == FunctionKind::Host;
  }

  /// What all facts about one spot say together.
  template <class Item> struct Verdict {
    const Item *yes = nullptr, *no = nullptr;
    bool ownTrace = true; ///< each place can name a parameter
  };

  template <class Item>
  Verdict<Item> judge(const std::vector<const Item *> &items, Certainty certainty) const {
    Verdict<Item> verdict;
    for (const Item *item : items) {
      if (item->certainty != certainty)
        continue;
      (isAugmented(item->target) ? verdict.yes : verdict.no) = item;
      if (isAugmented(item->target))
        verdict.ownTrace &= isAugmented(item->enclosing);
    }
    return verdict;
  }

  /// Facts that have a spot, grouped by it.
  template <class Item>
  static std::map<Spot, std::vector<const Item *>> bySpot(const std::vector<Item> &items) {
    std::map<Spot, std::vector<const Item *>> groups;
    for (const Item &item : items)
      if (item.spot)
        groups[*item.spot].push_back(&item);
    return groups;
  }

  /// Whether the spot is to be edited, by the surest facts there are.
  template <class Item> std::optional<Verdict<Item>> decideSpot(const std::vector<const Item *> &items) {
    Verdict<Item> verdict = judge(items, Certainty::Resolved);
    if (verdict.yes || verdict.no)
      return verdict;
    verdict = judge(items, Certainty::Candidate);
    if (verdict.yes && verdict.no) {
      note(*verdict.yes, Treatment::LeftAlone,
           "it depends on template arguments which of several functions it means, and nothing instantiates "
           "it here");
      return std::nullopt;
    }
    if (verdict.yes || verdict.no)
      return verdict;
    // Nothing but the name is known, and nothing instantiates it here: what all functions of that name
    // have in common is the best guess for other files that share the header.
    for (const Item *item : items) {
      const auto named = names_.find(item->name);
      if (named == names_.end() || named->second == false || standsInHostCode(item->enclosing))
        continue;
      if (named->second == true && isAugmented(item->enclosing)) {
        verdict.yes = item;
        for (const Item *other : items)
          verdict.ownTrace &= isAugmented(other->enclosing);
        return verdict;
      }
      note(*item, Treatment::LeftAlone,
           "it depends on template arguments which function it means, and nothing instantiates it here");
      break;
    }
    return std::nullopt;
  }

  void addCalls() {
    for (const auto &[spot, items] : bySpot(facts_.calls)) {
      const std::optional<Verdict<Call>> verdict = decideSpot(items);
      if (!verdict)
        continue;
      if (!verdict->yes) {
        plan_.want(spot, "", verdict->no->place);
        continue;
      }
      for (const Call *item : items)
        if (item == verdict->yes || isAugmented(item->target))
          plan_.want(spot, headOf(item->form, verdict->ownTrace ? kOwnTrace : kCurrentTrace), item->place);
    }
  }

  void addLaunches() {
    std::map<Spot, std::vector<const Launch *>>
        groups;                          // in the order of the file, by which they are numbered
    std::vector<const Launch *> outside; // nothing of theirs can be edited
    for (const Launch &launch : facts_.launches)
      if (launch.spot || launch.markSpot)
        groups[launch.spot ? *launch.spot : *launch.markSpot].push_back(&launch);
      else
        outside.push_back(&launch);
    std::map<FileId, unsigned> ordinals;
    for (const auto &[spot, items] : groups) {
      const unsigned ordinal = ordinals[spot.file]++;
      if (!handsArguments(*items.front())) {
        addMark(items, ordinal, /*decided=*/true);
        noteUnchanged(items);
        continue;
      }
      const std::size_t noted = out_.decisions.size();
      const std::optional<Verdict<Launch>> verdict = decideSpot(items);
      if (verdict && verdict->yes) {
        addArgument(spot, items, *verdict, ordinal);
        continue;
      }
      addMark(items, ordinal, verdict.has_value());
      if (noted == out_.decisions.size())
        noteUnchanged(items);
    }
    noteUnchanged(outside);
  }

  void addArgument(const Spot &spot, const std::vector<const Launch *> &items, const Verdict<Launch> &verdict,
                   unsigned ordinal) {
    for (const Launch *item : items) {
      if (item != verdict.yes && !isAugmented(item->target))
        continue;
      const std::string trace = !item->onDevice    ? fmt::format("cupr_launch({})", ordinal)
                                : verdict.ownTrace ? std::string(kOwnTrace)
                                                   : std::string(kCurrentTrace);
      plan_.want(spot, item->launchForm == LaunchForm::Ex ? ", " + trace : headOf(item->form, trace),
                 item->place);
    }
    for (const Launch &launch : byPlace(items)) {
      if (launch.onDevice) // its text changes all the same, to fit the kernel
        note(launch, Treatment::LeftAlone, "kernels that kernels launch are not traced");
      else
        note(launch, Treatment::Augmented, "");
    }
  }

  /// The arguments stay as they are; the trace is to tell the place all the same.
  void addMark(const std::vector<const Launch *> &items, unsigned ordinal, bool decided) {
    for (const Launch *item : items) {
      if (item->spot && decided)
        plan_.want(*item->spot, "", item->place);
      if (item->markSpot && !item->onDevice)
        plan_.want(*item->markSpot, fmt::format("cupr_place({})->*", ordinal), item->place);
    }
  }

  void note(const Call &call, Treatment treatment, std::string reason) {
    out_.decisions.push_back(
        {Subject::Call, treatment, call.name, call.place, std::move(reason), std::nullopt, "", ""});
  }

  void note(const Launch &launch, Treatment treatment, std::string reason) {
    out_.decisions.push_back({Subject::Launch, treatment, launch.name, launch.place, std::move(reason),
                              std::nullopt, "", launch.function.empty() ? "<<<>>>" : launch.function});
  }

  void noteUnchanged(const std::vector<const Launch *> &items) {
    for (const Launch &launch : byPlace(items)) {
      const LaunchFunction *api = findLaunchFunction(launch.function);
      const std::string why = api                      ? "the runtime hands the trace on"
                              : !launch.target.empty() ? "its kernel keeps its signature"
                              : launch.name.empty()    ? "its kernel is known only when the program runs"
                                                       : "its kernel belongs to a library";
      if (api && !api->untraced.empty())
        note(launch, Treatment::LeftAlone, std::string(api->untraced));
      else if (launch.onDevice) // the runtime is on the host
        note(launch, Treatment::LeftAlone, "kernels that kernels launch are not traced");
      else
        note(launch, Treatment::Carried, why);
    }
  }

  /// A launch for each place: those of a macro's body have several. What they launch there, in all parses and
  /// instantiations, is put together in their names.
  static std::vector<Launch> byPlace(const std::vector<const Launch *> &items) {
    std::map<Place, Launch> merged;
    std::map<Place, std::set<std::string>> names;
    for (const Launch *item : items) {
      auto [it, isNew] = merged.emplace(item->place, *item);
      if (item->certainty < it->second.certainty) { // an instantiation knows better than the pattern
        it->second = *item;
        names[item->place].clear();
      }
      if (item->certainty == it->second.certainty && !item->name.empty())
        names[item->place].insert(item->name);
    }
    std::vector<Launch> out;
    for (auto &[place, launch] : merged) {
      launch.name = fmt::format("{}", fmt::join(names[place], ", "));
      out.push_back(std::move(launch));
    }
    return out;
  }

  const Facts &facts_;
  Diagnostics &diagnostics_;
  Augmentation out_;
  EditPlan &plan_ = out_.plan;
  std::vector<Decision> kept_;      ///< of functions that keep their signatures, whatever the plan
  std::set<std::string> augmented_; ///< keys
  /// Of each name without its scopes: whether the functions get the trace argument; none: some do.
  std::map<std::string, std::optional<bool>> names_;
};

} // namespace

Augmentation augment(const Facts &facts, Diagnostics &diagnostics) {
  return Augmenter(facts, diagnostics).run();
}

} // namespace cupr::rewrite

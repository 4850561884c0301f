#include "augment.h"

#include "api_launch.h"
#include "signatures.h"

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

/// As it stands in a literal.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') // `??` may begin a trigraph
      out += '\\';
    out += c;
  }
  return out;
}

class Augmenter {
public:
  Augmenter(const Facts &facts, Diagnostics &diagnostics)
      : facts_(facts), diagnostics_(diagnostics), signatures_(facts, diagnostics) {}

  Augmentation run() {
    do
      makePlan();
    while (signatures_.keepAt(conflictingSpots()));
    const std::vector<Decision> &kept = signatures_.kept();
    out_.decisions.insert(out_.decisions.end(), kept.begin(), kept.end());
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

  bool isAugmented(const std::string &key) const { return signatures_.changes(key); }

  void makePlan() {
    out_ = Augmentation();
    names_.clear();
    noteAugmented();
    for (const ParameterList &list : facts_.parameterLists)
      addList(list, isAugmented(list.function), list.kind);
    addInstantiations();
    addCalls();
    addLaunches();
    addAllocations();
  }

  std::set<Spot> conflictingSpots() const {
    std::set<Spot> spots;
    for (const Conflict &conflict : plan_.conflicts())
      spots.insert(conflict.spot);
    return spots;
  }

  void noteAugmented() {
    for (const std::string &key : signatures_.changed()) {
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

  void addInstantiations() {
    for (const Instantiation &instantiation : facts_.instantiations) {
      const std::set<std::string> keys = signatures_.meantBy(instantiation); // all change alike, or none does
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

  /// Places only: where the text is needed for more, or means several things, it stays as it is.
  void addAllocations() {
    // One parse may see a macro that makes a text of a call, and the other not.
    std::set<std::tuple<FileId, std::uint32_t, std::uint32_t>> inFrontOfStatements;
    const auto placeOf = [](const Allocation &item) {
      return std::tuple(item.spot->file, item.line, item.column);
    };
    for (const Allocation &item : facts_.allocations)
      if (!item.endSpot)
        inFrontOfStatements.insert(placeOf(item));
    for (const auto &[spot, items] : bySpot(facts_.allocations)) {
      const Allocation &first = *items.front(); // of a template, the pattern
      if (first.endSpot && inFrontOfStatements.contains(placeOf(first)))
        continue;
      std::set<std::string> types;
      for (const Allocation *item : items)
        if (!item->depends)
          types.insert(item->type);
      const auto isOfAnother = [&](const Allocation *item) {
        return item->endSpot != first.endSpot || item->line != first.line || item->column != first.column ||
               (!item->endSpot && item->name != first.name);
      };
      if (!plan_.isFree(spot) || (first.endSpot && !plan_.isFree(*first.endSpot)) ||
          std::any_of(items.begin(), items.end(), isOfAnother))
        continue;
      const std::string text =
          fmt::format("{}(\"{}\", \"{}\", {}, {})",
                      first.endSpot ? "cupr_allocation" : "cupr_next_allocation", quoted(first.name),
                      quoted(types.size() == 1 ? *types.begin() : first.type), first.line, first.column);
      plan_.want(spot, first.endSpot ? "(" + text + ", " : text + "; ", first.place);
      if (first.endSpot)
        plan_.want(*first.endSpot, ")", first.place);
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
  Signatures signatures_;
  /// Of each name without its scopes: whether the functions get the trace argument; none: some do.
  std::map<std::string, std::optional<bool>> names_;
};

} // namespace

Augmentation augment(const Facts &facts, Diagnostics &diagnostics) {
  return Augmenter(facts, diagnostics).run();
}

} // namespace cupr::rewrite

#include "augment.h"

#include <fmt/format.h>

#include <algorithm>

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
    keepWhatMixes();
    count();
    for (const ParameterList &list : facts_.parameterLists)
      addList(list, isAugmented(list.function), list.kind);
    addInstantiations();
    addCalls();
    addLaunches();
    for (const Conflict &conflict : plan_.conflicts()) {
      diagnostics_.report(
          Severity::Error, conflict.first,
          fmt::format("the text written once in a macro or template is needed in two versions: "
                      "{} is needed here; write the two uses apart",
                      describe(conflict.firstText)));
      diagnostics_.report(Severity::Note, conflict.second,
                          fmt::format("{} is needed here", describe(conflict.secondText)));
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
    std::map<std::string, std::vector<Place>> uses;
    for (const Use &use : facts_.uses)
      uses[use.function].push_back(use.place);
    for (const auto &[key, function] : facts_.functions) {
      if (function.kind != FunctionKind::Kernel && function.kind != FunctionKind::Device)
        continue;
      const bool isKernel = function.kind == FunctionKind::Kernel;
      const std::string what = fmt::format("{} '{}'", isKernel ? "kernel" : "device function", function.name);
      if (!function.keepReason.empty()) {
        diagnostics_.report(isKernel ? Severity::Warning : Severity::Remark, function.place,
                            fmt::format("{} keeps its signature: {}", what, function.keepReason));
        continue;
      }
      const auto use = uses.find(key);
      if (use == uses.end()) {
        augmented_.insert(key);
        continue;
      }
      keep(function, use->second, "its address is used with its type here");
    }
  }

  /// A function that can't change because of how it is used keeps its signature.
  /// Everybody who sees its declaration must come to the same result.
  void keep(const Function &function, const std::vector<Place> &uses, std::string_view reason) {
    const bool isKernel = function.kind == FunctionKind::Kernel;
    const std::string what = fmt::format("{} '{}'", isKernel ? "kernel" : "device function", function.name);
    // Nobody else sees a declaration in a source, as against a header; who defines the function sees it.
    const bool isOwn = facts_.file(function.place.file).input && !function.defined;
    bool seenByAll = !function.shared;
    for (const Place &use : uses)
      seenByAll |= use.file == function.place.file && !isOwn;
    const Place &first = uses.front();
    if (seenByAll) {
      diagnostics_.report(isKernel ? Severity::Warning : Severity::Remark, first,
                          fmt::format("{} keeps its signature: {}", what, reason));
    } else if (function.defined) {
      diagnostics_.report(
          Severity::Warning, first,
          fmt::format("{} keeps its signature: {}, which files that are rewritten in another call of "
                      "cuprewrite don't see; rewrite all files in one call",
                      what, reason));
    } else {
      diagnostics_.report(
          Severity::Error, first,
          fmt::format("{} must keep its signature: {}; but its definition lies in a file that is not "
                      "rewritten in this call, so rewrite all files in one call",
                      what, reason));
    }
    diagnostics_.report(Severity::Note, function.place, "it is declared here");
  }

  /// A device function that is called where the call can't be edited, since the
  /// same text means other functions too or was written elsewhere, keeps its
  /// signature. Each that does may make others do.
  void keepWhatMixes() {
    std::map<Spot, std::vector<const Call *>> groups;
    for (const Call &call : facts_.calls)
      if (call.certainty == Certainty::Resolved) {
        if (call.spot)
          groups[*call.spot].push_back(&call);
        else
          keepCalled(call, "this call is written by a macro of a file that is not rewritten");
      }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto &[spot, calls] : groups) {
        const auto isOther = [&](const Call *call) { return !isAugmented(call->target); };
        if (std::any_of(calls.begin(), calls.end(), isOther))
          for (const Call *call : calls)
            changed |= keepCalled(*call, "the text of this call means also functions that keep theirs");
      }
    }
  }

  bool keepCalled(const Call &call, std::string_view reason) {
    if (!augmented_.erase(call.target))
      return false;
    keep(facts_.functions.at(call.target), {call.place}, reason);
    return true;
  }

  void count() {
    for (const std::string &key : augmented_)
      ++(facts_.functions.at(key).kind == FunctionKind::Kernel ? out_.kernels : out_.deviceFunctions);
    for (const auto &[key, function] : facts_.functions) {
      auto [it, isNew] = names_.emplace(function.name.substr(function.name.rfind(':') + 1), isAugmented(key));
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
      std::set<bool> answers;
      std::set<FunctionKind> kinds;
      for (const std::string &key : narrowed(instantiation)) {
        answers.insert(isAugmented(key));
        if (isAugmented(key))
          kinds.insert(facts_.functions.at(key).kind);
      }
      if (answers.size() > 1 || kinds.size() > 1)
        diagnostics_.report(
            Severity::Error, instantiation.place,
            "can't tell which of several templates of this name is instantiated here, and they "
            "change in different ways; give them different names");
      else if (answers.contains(true) && !instantiation.spot)
        diagnostics_.report(Severity::Error, instantiation.place,
                            "this instantiation is written by a macro of a file that is not rewritten");
      else
        addList(instantiation, answers.contains(true), kinds.empty() ? FunctionKind::Host : *kinds.begin());
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

  /// Facts grouped by spot; those without one that would need an edit are errors.
  template <class Item>
  std::map<Spot, std::vector<const Item *>> bySpot(const std::vector<Item> &items, std::string_view what) {
    std::map<Spot, std::vector<const Item *>> groups;
    for (const Item &item : items) {
      if (item.spot)
        groups[*item.spot].push_back(&item);
      else if (isAugmented(item.target) && item.certainty == Certainty::Resolved)
        diagnostics_.report(
            Severity::Error, item.place,
            fmt::format(
                "this {} of '{}' is written by a macro of a file that is not rewritten; write it out here",
                what, item.name));
    }
    return groups;
  }

  /// Whether the spot is to be edited, by the surest facts there are.
  template <class Item>
  std::optional<Verdict<Item>> decideSpot(const std::vector<const Item *> &items, std::string_view what) {
    Verdict<Item> verdict = judge(items, Certainty::Resolved);
    if (verdict.yes && verdict.no) {
      diagnostics_.report(
          Severity::Error, verdict.yes->place,
          fmt::format("this {} means '{}', which gets the trace argument, and elsewhere a function "
                      "that keeps its signature; write the two apart",
                      what, verdict.yes->name));
      diagnostics_.report(Severity::Note, verdict.no->place,
                          verdict.no->name.empty() ? std::string("the function that keeps its signature")
                                                   : fmt::format("here it means '{}'", verdict.no->name));
      return std::nullopt;
    }
    if (verdict.yes || verdict.no)
      return verdict;
    verdict = judge(items, Certainty::Candidate);
    if (verdict.yes && verdict.no) {
      diagnostics_.report(
          Severity::Warning, verdict.yes->place,
          fmt::format("this {} of '{}' is left alone: it depends on template arguments which of "
                      "several functions it means, and nothing instantiates it here",
                      what, verdict.yes->name));
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
      diagnostics_.report(Severity::Warning, item->place,
                          fmt::format("this {} of '{}' is left alone: it depends on template arguments which "
                                      "function it means, and nothing instantiates it here",
                                      what, item->name));
      break;
    }
    return std::nullopt;
  }

  void addCalls() {
    for (const auto &[spot, items] : bySpot(facts_.calls, "call")) {
      const std::optional<Verdict<Call>> verdict = decideSpot(items, "call");
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
    std::map<FileId, unsigned> ordinals;
    for (const auto &[spot, items] : bySpot(facts_.launches, "launch")) {
      const unsigned ordinal = ordinals[spot.file]++;
      const std::optional<Verdict<Launch>> verdict = decideSpot(items, "launch");
      if (!verdict)
        continue;
      if (!verdict->yes) {
        plan_.want(spot, "", verdict->no->place);
        diagnostics_.report(Severity::Remark, verdict->no->place,
                            "this launch is left alone: its kernel keeps its signature");
        continue;
      }
      for (const Launch *item : items) {
        if (item != verdict->yes && !isAugmented(item->target))
          continue;
        const std::string trace = !item->onDevice     ? fmt::format("cupr_launch({})", ordinal)
                                  : verdict->ownTrace ? std::string(kOwnTrace)
                                                      : std::string(kCurrentTrace);
        plan_.want(spot, item->launchForm == LaunchForm::Ex ? ", " + trace : headOf(item->form, trace),
                   item->place);
      }
      ++out_.launches;
      if (verdict->yes->onDevice)
        diagnostics_.report(
            Severity::Warning, verdict->yes->place,
            "a launch by a kernel gets no number of its own: what it does is recorded as part of "
            "the launch that makes it");
    }
  }

  const Facts &facts_;
  Diagnostics &diagnostics_;
  Augmentation out_;
  EditPlan &plan_ = out_.plan;
  std::set<std::string> augmented_; ///< keys
  /// Of each name without its scopes: whether the functions get the trace argument; none: some do.
  std::map<std::string, std::optional<bool>> names_;
};

} // namespace

Augmentation augment(const Facts &facts, Diagnostics &diagnostics) {
  return Augmenter(facts, diagnostics).run();
}

} // namespace cupr::rewrite

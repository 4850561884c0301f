#include "rewriter.h"

#include "augment.h"
#include "copy.h"
#include "cuprewrite/commandline/words.h"
#include "diff.h"
#include "list.h"
#include "mirror.h"
#include "parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <set>

namespace cupr::rewrite {

namespace fs = std::filesystem;

static bool contains(const fs::path &folder, const fs::path &path) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// What can be wrong before anything is parsed.
static void checkRequest(const Request &request, Diagnostics &diagnostics) {
  const auto error = [&](std::string text) {
    diagnostics.report(Severity::Error, std::nullopt, std::move(text));
  };
  if (request.units.empty())
    error("no input files");
  std::error_code failed;
  if (!fs::exists(request.cudaPath + "/include/cuda_runtime.h", failed))
    error(fmt::format("no CUDA toolkit at '{}': set CUDA_PATH or use --cuda-path", request.cudaPath));
  const fs::path output = fs::weakly_canonical(request.outputFolder, failed);
  std::set<fs::path> checked; // one file may be compiled several times
  for (const Unit &unit : request.units) {
    const fs::path path = located(unit, unit.input);
    if (!checked.insert(path).second)
      continue;
    std::ifstream stream(path, std::ios::binary);
    if (!stream || !fs::is_regular_file(path, failed)) {
      error(fmt::format("no such file: '{}'", unit.input));
      continue;
    }
    std::string head(256, '\0');
    stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (isAugmented(head))
      error(fmt::format("'{}' is augmented already: give the original", unit.input));
    if (request.output == Output::Copies && contains(output, fs::weakly_canonical(path, failed)))
      error(fmt::format("the output folder '{}' holds the input '{}': choose a folder of its own with -o",
                        request.outputFolder, unit.input));
  }
}

/// The user's word on who keeps the signature.
static void keepNamed(const std::string &names, Facts &facts, Diagnostics &diagnostics) {
  if (names.empty())
    return;
  try {
    const std::regex expression(names);
    for (auto &[key, function] : facts.functions)
      if (function.keepReason.empty() && std::regex_match(function.name, expression))
        function.keepReason = "--keep-signature names it";
  } catch (const std::regex_error &error) {
    diagnostics.report(Severity::Error, std::nullopt,
                       fmt::format("--keep-signature={}: not a regular expression: {}", names, error.what()));
  }
}

/// The units with their flags understood; relative -I folders are made absolute where the unit's compiler
/// runs elsewhere.
static std::vector<ParseUnit> understood(const std::vector<Unit> &units, Diagnostics &diagnostics) {
  std::vector<ParseUnit> out;
  std::set<std::string> told;
  for (const Unit &unit : units) {
    std::string error;
    const std::vector<std::string> words = commandline::withFilesRead(unit.flags, unit.folder, error);
    if (!error.empty()) {
      diagnostics.report(Severity::Error, std::nullopt,
                         fmt::format("{}, in the flags of '{}'", error, unit.input));
      continue;
    }
    ParseFlags flags = parseFlags(words);
    for (const std::string &flag : flags.unknown)
      if (told.insert(flag).second)
        diagnostics.report(Severity::Warning, std::nullopt,
                           fmt::format("the compiler flag '{}' is neither clang's nor nvcc's and is ignored: "
                                       "what it changes in the source's meaning is not seen",
                                       flag));
    if (!unit.folder.empty())
      for (std::string &folder : flags.includeFolders)
        folder = located(unit, folder).string();
    out.push_back({unit, std::move(flags)});
  }
  return out;
}

/// Each source once.
static std::vector<fs::path> sources(const std::vector<Unit> &units) {
  std::vector<fs::path> out;
  for (const Unit &unit : units)
    out.push_back(located(unit, unit.input));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// What only the parse can show.
static void checkFiles(const Facts &facts, const Request &request, const fs::path &root,
                       Diagnostics &diagnostics) {
  for (const File &file : facts.files)
    if (isAugmented(file.text))
      diagnostics.report(
          Severity::Error, std::nullopt,
          fmt::format("the header '{}' is augmented already: leave the output folder out of the "
                      "include path",
                      file.shown()));
  for (const fs::path &input : sources(request.units))
    if (!contains(root, fs::weakly_canonical(input)))
      diagnostics.report(
          Severity::Error, std::nullopt,
          fmt::format("'{}' does not lie below the root '{}': use --root", input.string(), root.string()));
  for (const std::string &path : facts.outsideRoot)
    diagnostics.report(
        Severity::Remark, std::nullopt,
        fmt::format("'{}' holds device code but does not lie below the root '{}', so it stays as it "
                    "is: use --root to include it, or -isystem to say that it is a library",
                    path, root.string()));
}

static std::string summaryOf(const std::vector<Decision> &decisions) {
  const auto traced = [&](Subject subject) {
    return count(decisions, subject, Treatment::Augmented) + count(decisions, subject, Treatment::Carried);
  };
  return fmt::format("{} kernels, {} device functions, {} launches", traced(Subject::Kernel),
                     traced(Subject::DeviceFunction), traced(Subject::Launch));
}

/// The original first in each pair; a copy adds two lines in front (copy.h).
static std::string diffOf(const std::vector<Copy> &copies, const Facts &facts) {
  std::string out;
  for (const Copy &copy : copies)
    out += unifiedDiff(facts.file(copy.file).text, copy.text, kLinesInFront,
                       "a/" + copy.path.generic_string(), "b/" + copy.path.generic_string());
  return out;
}

static void tell(std::vector<Decision> decisions, const Facts &facts, Listing listing,
                 Diagnostics &diagnostics, Result &result) {
  const auto isTraced = [](const Decision &decision) { return decision.treatment != Treatment::LeftAlone; };
  result.leftAlone =
      static_cast<unsigned>(std::count_if(decisions.begin(), decisions.end(), std::not_fn(isTraced)));
  switch (listing) {
  case Listing::None:
    for (const Decision &decision : decisions)
      report(decision, diagnostics);
    break;
  case Listing::Text:
    result.listing = listText(decisions, facts);
    break;
  case Listing::Json:
    result.listing = listJson(decisions, facts);
    break;
  case Listing::LeftAlone:
    std::erase_if(decisions, isTraced);
    result.listing = tableText(decisions, facts);
  }
}

Result rewrite(const Request &request) {
  Result result;
  Facts facts;
  Diagnostics diagnostics;
  const auto finish = [&](bool ok) {
    bool told = true; // a note belongs to what stands before it
    for (const Diagnostic &diagnostic : diagnostics.all()) {
      if (diagnostic.severity != Severity::Note)
        told = diagnostic.severity != Severity::Remark || request.remarks;
      if (told)
        result.messages += render(diagnostic, facts);
    }
    result.ok = ok && !diagnostics.hasErrors();
    return result;
  };
  checkRequest(request, diagnostics);
  if (diagnostics.hasErrors())
    return finish(false);
  std::error_code error;
  const fs::path root =
      request.root ? fs::weakly_canonical(*request.root, error) : defaultRoot(sources(request.units));
  ParseRequest parsing;
  parsing.units = understood(request.units, diagnostics);
  if (diagnostics.hasErrors())
    return finish(false);
  parsing.root = root.string();
  parsing.cudaPath = request.cudaPath;
  parsing.plugin = request.plugin;
  parsing.jobs = request.jobs;
  if (request.progress)
    parsing.progress = [&](std::size_t done, const Unit &unit) { request.progress(done, unit.input); };
  std::string messages;
  const bool parsed = parse(parsing, facts, messages);
  checkFiles(facts, request, root, diagnostics);
  if (!parsed) {
    // An augmented header explains whatever clang found.
    if (!diagnostics.hasErrors())
      result.messages += messages;
    return finish(false);
  }
  if (request.deviceLinked)
    for (auto &[key, function] : facts.functions)
      function.shared &= function.kind != FunctionKind::Device || !function.mangled;
  keepNamed(request.keepSignature, facts, diagnostics);
  const Augmentation augmentation = augment(facts, diagnostics);
  const EditPlan &plan = augmentation.plan;
  if (diagnostics.hasErrors())
    return finish(false);
  tell(augmentation.decisions, facts, request.listing, diagnostics, result);
  result.summary = summaryOf(augmentation.decisions);
  if (request.output == Output::Nothing)
    return finish(true);
  const fs::path folder = request.output == Output::Copies ? request.outputFolder : "";
  std::vector<Copy> copies = makeCopies(facts, plan, root, folder);
  if (request.output == Output::Diff) {
    result.diff = diffOf(copies, facts);
    return finish(true);
  }
  if (request.overlayFile)
    copies.push_back({FileId(0), *request.overlayFile, vfsOverlay(facts, copies)});
  if (!write(copies, diagnostics))
    return finish(false);
  if (request.overlayFile)
    copies.pop_back();
  for (const Copy &copy : copies)
    result.outputs.emplace_back(facts.file(copy.file).shown(), copy.path.string());
  result.summary += fmt::format("; wrote {} files to '{}'", copies.size(), request.outputFolder);
  std::vector<std::string> includeFolders;
  for (const ParseUnit &unit : parsing.units)
    includeFolders.insert(includeFolders.end(), unit.flags.includeFolders.begin(),
                          unit.flags.includeFolders.end());
  result.includeFlags = includeFlags(facts, copies, root, request.outputFolder, includeFolders);
  return finish(true);
}

} // namespace cupr::rewrite

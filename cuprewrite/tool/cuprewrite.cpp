/// The command line of cuprewrite: `cuprewrite -o DIR files... -- compiler flags`.
///
/// Standard output is for what was asked for (list, diff, flags), standard error for what there is to say.
#include "cuprewrite/rewriter/compile_commands.h"
#include "cuprewrite/rewriter/rewriter.h"
#include "devicelib/abi/memory_space.h"

#include "hostlib/manual/manual.h"
#include "installation.h"
#include "recording.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace {

/// Exit codes. Under --check, 1 is the answer "not all is traced", so that errors need another one.
enum ExitCode { kDone = 0, kNothingWritten = 1, kNotTraced = 1, kCheckFailed = 2 };

using Words = std::vector<std::string>;

void printLine(const Words &words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    std::printf("%s%s", i ? " " : "", words[i].c_str());
  std::printf("\n");
}

/// A response file (`@file`) for clang, a flag a line.
bool writeResponseFile(const std::string &path, const Words &flags) {
  std::ofstream file(path);
  for (const std::string &flag : flags) {
    file << '"';
    for (const char c : flag)
      file << (c == '"' || c == '\\' ? "\\" : "") << c;
    file << "\"\n";
  }
  file.close();
  if (!file)
    std::fprintf(stderr, "cuprewrite: error: '%s' can't be written\n", path.c_str());
  return static_cast<bool>(file);
}

/// What a hand-written Makefile needs beside its own flags to compile copies with clang.
Words compileFlags(const cupr::tool::Installation &installation, const cupr::tool::Recording &recording) {
  Words flags = installation.cudaFlags();
  const std::string pass = installation.library("cupr-pass.so");
  flags.insert(flags.end(), {"-gline-tables-only", "-fpass-plugin=" + pass});
  const Words ofLanguage = recording.languageOptions(), ofPass = recording.passOptions();
  flags.insert(flags.end(), ofLanguage.begin(), ofLanguage.end());
  // clang reads -mllvm before it loads the pass's plugin, unless that is loaded as clang's
  if (!ofPass.empty())
    flags.insert(flags.end(), {"-Xclang", "-load", "-Xclang", pass});
  for (const std::string &flag : ofPass)
    flags.insert(flags.end(), {"-mllvm", flag});
  return flags;
}

/// A unified diff in the colours that git uses.
std::string coloured(const std::string &diff) {
  std::string out;
  for (std::size_t start = 0; start < diff.size();) {
    const std::size_t end = std::min(diff.find('\n', start), diff.size());
    const std::string_view line = std::string_view(diff).substr(start, end - start);
    const char *colour = line.starts_with("--- ") || line.starts_with("+++ ") ? "\033[1m"
                         : line.starts_with("@@")                             ? "\033[36m"
                         : line.starts_with("-")                              ? "\033[31m"
                         : line.starts_with("+")                              ? "\033[32m"
                                                                              : "";
    out += colour;
    out += line;
    out += *colour ? "\033[m\n" : "\n";
    start = end + 1;
  }
  return out;
}

bool wantsColour() {
  const char *no = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no && *no);
}

} // namespace

int main(int argc, char **argv) {
  cupr::rewrite::Request request;
  // All behind `--` belongs to the compiler.
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--")
    ++own;
  Words flags(argv + std::min(own + 1, argc), argv + argc), inputs;

  CLI::App app("Adds the trace argument to CUDA sources: writes augmented copies that compile as before.\n"
               "Put the compiler's flags (nvcc's or clang's) behind `--`, or name a compile_commands.json.",
               "cuprewrite");
  app.footer(
      "Exit: 0 when all copies were written (or the list, or the diff), 1 after an error, when nothing\n"
      "was written. With --check: 0 when all is traced, 1 when something is left alone, 2 after an error.\n"
      "Environment: CUDA_PATH, the CUDA 13 toolkit (default /usr/local/cuda); CUPREWRITE_CACHE, folder for "
      "CUDA's "
      "headers\n"
      "as clang has read them, or \"off\" (default: cuprewrite in XDG_CACHE_HOME, or ~/.cache/cuprewrite).");
  app.set_version_flag("--version", "cuprewrite 0.1.0");
  cupr::manual::addManual(app);
  if (const char *path = std::getenv("CUDA_PATH"); path && *path)
    request.cudaPath = path;
  request.jobs = std::max(1u, std::thread::hardware_concurrency());
  bool listOutputs = false, printFlags = false, quiet = false, cxxflags = false, ldflags = false;
  bool check = false, diff = false;
  cupr::tool::Recording recording;
  std::string root, database, overlay, responseFile, list;
  app.add_option("files", inputs, "CUDA sources; with -p none means all of the database");
  app.add_option("-o,--output", request.outputFolder, "folder for the copies; it mirrors the sources' tree");
  app.add_option("--root", root,
                 "project folder: what lies outside is a library. Default: the current folder when all "
                 "files lie below it, else the deepest folder that holds them");
  app.add_option("-p,--compile-commands", database,
                 "compile_commands.json, or its folder: each source is read with its own flags, in its own "
                 "folder. Flags behind `--` are added")
      ->option_text("PATH");
  app.add_option("-j,--jobs", request.jobs, "how many parses run at a time (default: one per processor)")
      ->option_text("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--cuda-path", request.cudaPath, "CUDA toolkit")->capture_default_str();
  app.add_flag("--list{text}", list,
               "write no copies, but list each kernel, device function and launch: whether it is augmented, "
               "carried by the pass, or left alone, and why. --list=json for programs")
      ->check([](const std::string &format) {
        return format == "text" || format == "json" ? std::string()
                                                    : "'" + format + "': expected text or json";
      });
  app.add_flag("--diff", diff, "write no copies, but print how they differ, as a unified diff for patch -p1");
  app.add_flag("--check", check,
               "write no copies, but tell by the exit code whether all is traced, and list "
               "what is not");
  app.add_flag("--cxxflags", cxxflags,
               "print what clang++-22 needs to compile the copies for the GPU, and exit");
  app.add_option(
         "--values", recording.values,
         "with --cxxflags: record what accesses read and write: all, or a list of FILE:LINE and regular "
         "expressions for names of functions, with commas between (default: none)")
      ->option_text("LIST");
  app.add_flag("--clock", recording.clock,
               "with --cxxflags: record the multiprocessor's clock at each access");
  app.add_flag("--synchronisation", recording.synchronisation,
               "with --cxxflags: record barriers, fences, copy groups, mbarriers and shuffles");
  app.add_flag("--host-accesses", recording.hostAccesses,
               "with --cxxflags: record what the host accesses of memory that the device is at, too");
  app.add_flag("--instructions", recording.instructions,
               "with --cxxflags: record how often each part of a kernel is executed, and what "
               "instructions it has");
  app.add_option(
         "--context-sites", recording.contextSites,
         "with --cxxflags: places of accesses, each once for every chain of calls that leads to it, that "
         "a module may have; above that calls share theirs (default: 32768)")
      ->option_text("N");
  app.add_option("--spaces", recording.spaces,
                 std::string("with --cxxflags: memory to trace accesses of: ") + cupr::abi::kSpaceNames +
                     ", with commas between (default: global)")
      ->option_text("LIST")
      ->check([](const std::string &list) {
        cupr::abi::SpaceSet set = 0;
        return cupr::abi::parseSpaces(list.c_str(), set)
                   ? std::string()
                   : "'" + list + "': expected a list of " + cupr::abi::kSpaceNames;
      });
  app.add_flag("--ldflags", ldflags, "print what the program must be linked with, and exit");
  app.add_option("--vfs-overlay", overlay,
                 "write a file for clang's -ivfsoverlay that puts copies over originals");
  app.add_flag("--list-outputs", listOutputs, "print a line for each copy: original, tab, copy");
  app.add_flag("--print-flags", printFlags,
               "print a line of -I flags: put them before your own when building the copies");
  app.add_option("--response-file", responseFile, "write the same flags to FILE, for clang's @FILE")
      ->option_text("FILE");
  app.add_flag(
      "--device-linked", request.deviceLinked,
      "the copies are built by cupr++ -rdc=true: files may differ in the signature of a device function");
  app.add_option(
         "--keep-signature", request.keepSignature,
         "kernels and device functions whose name with its scopes matches REGEX as a whole keep their "
         "signature; they are traced all the same")
      ->option_text("REGEX");
  app.add_flag("--remarks", request.remarks, "tell also what keeps its signature, and why");
  app.add_flag("-q,--quiet", quiet, "no summary; warnings and errors are printed all the same");
  const auto failure = [&] { return check ? kCheckFailed : kNothingWritten; };
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? kDone : failure();
  }
  if (cxxflags || ldflags) {
    cupr::tool::Installation installation = cupr::tool::Installation::find();
    installation.cuda = request.cudaPath;
    printLine(cxxflags ? compileFlags(installation, recording) : installation.linkFlags());
    return 0;
  }
  if (diff)
    request.output = cupr::rewrite::Output::Diff;
  else if (check || !list.empty())
    request.output = cupr::rewrite::Output::Nothing;
  const bool writes = request.output == cupr::rewrite::Output::Copies;
  if (!list.empty())
    request.listing = list == "json" ? cupr::rewrite::Listing::Json : cupr::rewrite::Listing::Text;
  else if (check)
    request.listing = cupr::rewrite::Listing::LeftAlone;
  const auto fail = [&](const std::string &text) {
    std::fprintf(stderr, "cuprewrite: error: %s\n", text.c_str());
    return failure();
  };
  const std::string seeHelp = "; cuprewrite --help explains the command line";
  if (inputs.empty() && database.empty())
    return fail("no input files" + seeHelp);
  if (writes && request.outputFolder.empty())
    return fail("no output folder: use -o DIR" + seeHelp);
  if (!root.empty())
    request.root = root;
  if (!overlay.empty())
    request.overlayFile = overlay;

  // As the copies are compiled.
  cupr::tool::Installation installation = cupr::tool::Installation::find();
  installation.cuda = request.cudaPath;
  const Words first = installation.cudaFlags();
  request.plugin = installation.library("cupr-language.so");
  if (database.empty()) {
    for (const std::string &input : inputs)
      request.units.push_back({input, "", flags});
  } else {
    std::string error;
    request.units = cupr::rewrite::readCompileCommands(database, inputs, error);
    if (!error.empty())
      return fail(error);
    for (cupr::rewrite::Unit &unit : request.units)
      unit.flags.insert(unit.flags.end(), flags.begin(), flags.end());
  }
  for (cupr::rewrite::Unit &unit : request.units)
    unit.flags.insert(unit.flags.begin(), first.begin(), first.end());
  if (!quiet && isatty(STDERR_FILENO) && request.units.size() > 1)
    request.progress = [units = request.units.size()](std::size_t done, const std::string &file) {
      // The line is written over, and gone in the end.
      std::fprintf(stderr, "\r\033[K");
      if (done < units)
        std::fprintf(stderr, "[%zu/%zu] %s", done, units, file.c_str());
    };

  const cupr::rewrite::Result result = cupr::rewrite::rewrite(request);
  std::fputs(result.messages.c_str(), stderr);
  if (!result.ok)
    return failure();
  if (!responseFile.empty() && !writeResponseFile(responseFile, result.includeFlags))
    return failure();
  if (!quiet && writes)
    std::fprintf(stderr, "cuprewrite: %s\n", result.summary.c_str());
  std::fputs(result.listing.c_str(), stdout);
  std::fputs((wantsColour() ? coloured(result.diff) : result.diff).c_str(), stdout);
  if (listOutputs)
    for (const auto &[original, copy] : result.outputs)
      std::printf("%s\t%s\n", original.c_str(), copy.c_str());
  if (printFlags)
    printLine(result.includeFlags);
  return check && result.leftAlone ? kNotTraced : kDone;
}

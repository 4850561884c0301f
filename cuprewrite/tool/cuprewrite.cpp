/// The command line of cuprewrite: `cuprewrite -o DIR files... -- compiler flags`.
#include "cuprewrite/rewriter/rewriter.h"
#include "devicelib/abi/memory_space.h"

#include "installation.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

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
Words compileFlags(const cupr::tool::Installation &installation, const std::string &spaces) {
  Words flags = installation.cudaFlags();
  const std::string pass = installation.library("cupr-pass.so");
  flags.insert(flags.end(), {"-gline-tables-only", "-fpass-plugin=" + pass});
  if (!spaces
           .empty()) // clang reads -mllvm before it loads the pass's plugin, unless that is loaded as clang's
    flags.insert(flags.end(), {"-Xclang", "-load", "-Xclang", pass, "-mllvm", "-cupr-spaces=" + spaces});
  return flags;
}

} // namespace

int main(int argc, char **argv) {
  cupr::rewrite::Request request;
  // All behind `--` belongs to the compiler.
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--")
    ++own;
  for (int i = own + 1; i < argc; ++i)
    request.flags.emplace_back(argv[i]);

  CLI::App app("Adds the trace argument to CUDA sources: writes augmented copies that compile as before.\n"
               "Put the compiler's flags (nvcc's or clang's) behind `--`.",
               "cuprewrite");
  app.footer("Exit: 0 when all copies were written, 1 when nothing was written.\n"
             "Environment: CUDA_PATH, the CUDA 13 toolkit (default /usr/local/cuda).");
  app.set_version_flag("--version", "cuprewrite 0.1.0");
  if (const char *path = std::getenv("CUDA_PATH"); path && *path)
    request.cudaPath = path;
  bool listOutputs = false, printFlags = false, quiet = false, cxxflags = false, ldflags = false;
  std::string root, overlay, responseFile, spaces;
  app.add_option("files", request.inputs, "CUDA sources");
  app.add_option("-o,--output", request.outputFolder, "folder for the copies; it mirrors the sources' tree");
  app.add_option("--root", root,
                 "project folder: what lies outside is a library. Default: the current folder when all "
                 "files lie below it, else the deepest folder that holds them");
  app.add_option("--cuda-path", request.cudaPath, "CUDA toolkit")->capture_default_str();
  app.add_flag("--cxxflags", cxxflags,
               "print what clang++-22 needs to compile the copies for the GPU, and exit");
  app.add_option("--spaces", spaces,
                 "with --cxxflags: memory to trace accesses of: global, shared, constant, local, with commas "
                 "between (default: global)")
      ->option_text("LIST")
      ->check([](const std::string &list) {
        cupr::abi::SpaceSet set = 0;
        return cupr::abi::parseSpaces(list.c_str(), set)
                   ? std::string()
                   : "'" + list + "': expected a list of global, shared, constant, local";
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
  app.add_flag("--remarks", request.remarks, "tell also what keeps its signature, and why");
  app.add_flag("-q,--quiet", quiet, "no summary; warnings and errors are printed all the same");
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  if (cxxflags || ldflags) {
    cupr::tool::Installation installation = cupr::tool::Installation::find();
    installation.cuda = request.cudaPath;
    printLine(cxxflags ? compileFlags(installation, spaces) : installation.linkFlags());
    return 0;
  }
  if (request.inputs.empty() || request.outputFolder.empty()) {
    std::fprintf(stderr, "cuprewrite: error: %s; cuprewrite --help explains the command line\n",
                 request.inputs.empty() ? "no input files" : "no output folder: use -o DIR");
    return 1;
  }
  if (!root.empty())
    request.root = root;
  if (!overlay.empty())
    request.overlayFile = overlay;

  // Sources may include <cupr/control.h> before anything is augmented.
  const std::string ours = cupr::tool::Installation::find().includeFolder();
  request.flags.insert(request.flags.end(), {"-isystem", ours});

  const cupr::rewrite::Result result = cupr::rewrite::rewrite(request);
  std::fputs(result.messages.c_str(), stderr);
  if (!result.ok)
    return 1;
  if (!responseFile.empty() && !writeResponseFile(responseFile, result.includeFlags))
    return 1;
  if (!quiet)
    std::fprintf(stderr, "cuprewrite: %s\n", result.summary.c_str());
  if (listOutputs)
    for (const auto &[original, copy] : result.outputs)
      std::printf("%s\t%s\n", original.c_str(), copy.c_str());
  if (printFlags) {
    printLine(result.includeFlags);
  }
  return 0;
}

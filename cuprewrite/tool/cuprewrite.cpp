/// The command line of cuprewrite: `cuprewrite -o DIR files... -- compiler flags`.
#include "cuprewrite/rewriter/rewriter.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>

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
  app.footer("Exit: 0 when all copies were written, 1 when nothing was written.");
  app.set_version_flag("--version", "cuprewrite 0.1.0");
  if (const char *path = std::getenv("CUDA_PATH"); path && *path)
    request.cudaPath = path;
  bool listOutputs = false, printFlags = false, quiet = false;
  std::string root, overlay;
  app.add_option("files", request.inputs, "CUDA sources")->required();
  app.add_option("-o,--output", request.outputFolder, "folder for the copies; it mirrors the sources' tree")
      ->required();
  app.add_option("--root", root,
                 "project folder: what lies outside is a library. Default: the current folder when all "
                 "files lie below it, else the deepest folder that holds them");
  app.add_option("--cuda-path", request.cudaPath, "CUDA toolkit")->capture_default_str();
  app.add_option("--vfs-overlay", overlay,
                 "write a file for clang's -ivfsoverlay that puts copies over originals");
  app.add_flag("--list-outputs", listOutputs, "print a line for each copy: original, tab, copy");
  app.add_flag("--print-flags", printFlags,
               "print a line of -I flags: put them before your own when building the copies");
  app.add_flag("--remarks", request.remarks, "tell also what keeps its signature, and why");
  app.add_flag("-q,--quiet", quiet, "no summary; warnings and errors are printed all the same");
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  if (!root.empty())
    request.root = root;
  if (!overlay.empty())
    request.overlayFile = overlay;

  const cupr::rewrite::Result result = cupr::rewrite::rewrite(request);
  std::fputs(result.messages.c_str(), stderr);
  if (!result.ok)
    return 1;
  if (!quiet)
    std::fprintf(stderr, "cuprewrite: %s\n", result.summary.c_str());
  if (listOutputs)
    for (const auto &[original, copy] : result.outputs)
      std::printf("%s\t%s\n", original.c_str(), copy.c_str());
  if (printFlags) {
    for (const std::string &flag : result.includeFlags)
      std::printf("%s%s", &flag == &result.includeFlags.front() ? "" : " ", flag.c_str());
    std::printf("\n");
  }
  return 0;
}

#include "parse.h"

#include "collector.h"
#include "spaced_brackets.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <thread>

namespace cupr::rewrite {

namespace {

struct Side {
  std::vector<std::string> flags;
  Facts facts;
  std::string messages;
  bool ok = false;
};

void run(const ParseRequest &request, Side &side) {
  std::vector<std::string> command{CUPR_CLANG,
                                   "-x",
                                   "cuda",
                                   "-fsyntax-only",
                                   "-w",
                                   "-fno-caret-diagnostics",
                                   "--cuda-path=" + request.cudaPath,
                                   "-Wno-unknown-cuda-version",
                                   "-resource-dir",
                                   CUPR_CLANG_RESOURCE_DIR};
  command.insert(command.end(), side.flags.begin(), side.flags.end());
  command.insert(command.end(), request.flags.clang.begin(), request.flags.clang.end());
  command.insert(command.end(), {"-isystem", request.cudaPath + "/include/cccl", "--", request.input});
  // The compiler instance counts references to it.
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions(), bracketJoiningFileSystem(request.root)));
  // The flag above keeps clang from counting its errors aloud; ours have carets.
  clang::DiagnosticOptions options;
  llvm::raw_string_ostream messages(side.messages);
  clang::TextDiagnosticPrinter printer(messages, options);
  clang::tooling::ToolInvocation invocation(command, makeCollectAction(request.root, side.facts),
                                            files.get());
  invocation.setDiagnosticConsumer(&printer);
  side.ok = invocation.run();
}

} // namespace

bool parse(const ParseRequest &request, Facts &facts, std::string &messages) {
  std::vector<Side> sides(1 + request.flags.architectures.size());
  sides[0].flags = {"--cuda-host-only", "--cuda-gpu-arch=" + request.flags.architectures.front()};
  for (std::size_t i = 1; i < sides.size(); ++i)
    sides[i].flags = {"--cuda-device-only", "--cuda-gpu-arch=" + request.flags.architectures[i - 1]};
  // The sides share nothing.
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < sides.size(); ++i)
    threads.emplace_back([&, i] { run(request, sides[i]); });
  run(request, sides[0]);
  for (std::thread &thread : threads)
    thread.join();
  // What is wrong on both sides is told once.
  bool told = false;
  for (const Side &side : sides) {
    if (!side.ok && !told) {
      messages += side.messages;
      told = !side.messages.empty();
    }
    facts.merge(side.facts);
  }
  return std::all_of(sides.begin(), sides.end(), [](const Side &side) { return side.ok; });
}

} // namespace cupr::rewrite

#include "parse.h"

#include "collector.h"
#include "cuprewrite/commandline/words.h"
#include "cuprewrite/headers/header_cache.h"
#include "cuprewrite/language/shared_objects.h"
#include "spaced_brackets.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

namespace cupr::rewrite {

namespace {

struct Side {
  Side(std::string flag, const std::string &architecture, std::string name)
      : flags{std::move(flag), "--cuda-gpu-arch=" + architecture} {
    facts.sides = {std::move(name)};
  }

  std::vector<std::string> flags;
  Facts facts;
  std::string messages;
  bool ok = false;
};

std::vector<Side> sidesOf(const ParseFlags &flags) {
  std::vector<Side> sides;
  sides.emplace_back("--cuda-host-only", flags.architectures.front(), "the host");
  for (const std::string &architecture : flags.architectures)
    sides.emplace_back("--cuda-device-only", architecture, architecture);
  return sides;
}

void run(const ParseRequest &request, const ParseUnit &unit, Side &side) {
  std::vector<std::string> command{CUPR_CLANG, "-x", "cuda"};
  commandline::append(command, side.flags);
  command.push_back("--cuda-path=" + request.cudaPath);
  const std::size_t behindPath = command.size();
  commandline::append(command, unit.flags.clang);
  if (unit.unit.folder.empty() && !request.plugin.empty()) { // else clang looks from there
    std::vector<std::string> folders = unit.flags.includeFolders;
    folders.push_back(located(unit.unit, unit.unit.input).parent_path().string());
    std::vector<std::string> compiler = command; // as the compiler's, which loads what is linked in here
    compiler.insert(compiler.begin() + static_cast<std::ptrdiff_t>(behindPath), "-fplugin=" + request.plugin);
    commandline::append(command, headers::cachedHeaders({compiler, folders}));
  }
  commandline::append(command, {"-w", "-fno-caret-diagnostics", "-Wno-unknown-cuda-version", "-resource-dir",
                                CUPR_CLANG_RESOURCE_DIR, "-fsyntax-only", "--", unit.unit.input});
  // Each side has a current folder of its own.
  const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk = bracketJoiningFileSystem(request.root);
  if (!unit.unit.folder.empty() && disk->setCurrentWorkingDirectory(unit.unit.folder)) {
    side.messages = fmt::format("cuprewrite: error: no such folder: '{}', in which '{}' is compiled\n",
                                unit.unit.folder, unit.unit.input);
    return;
  }
  // The compiler instance counts references to it.
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions(), disk));
  // The flag above keeps clang from counting its errors aloud; ours have carets.
  clang::DiagnosticOptions options;
  llvm::raw_string_ostream messages(side.messages);
  clang::TextDiagnosticPrinter printer(messages, options);
  clang::tooling::ToolInvocation invocation(command, makeCollectAction(request.root, side.facts),
                                            files.get());
  invocation.setDiagnosticConsumer(&printer);
  side.ok = invocation.run();
}

/// The work of all threads, and the place where it comes together.
class Parse {
public:
  Parse(const ParseRequest &request, Facts &facts, std::string &messages)
      : request_(request), facts_(facts), messages_(messages) {
    for (const ParseUnit &unit : request.units) {
      units_.push_back(sidesOf(unit.flags));
      open_.push_back(units_.back().size());
    }
  }

  bool run() {
    std::size_t tasks = 0;
    for (const std::vector<Side> &sides : units_)
      tasks += sides.size();
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(request_.jobs, tasks); ++i)
      threads.emplace_back([this] { work(); });
    work();
    for (std::thread &thread : threads)
      thread.join();
    return ok_;
  }

private:
  void work() {
    for (std::unique_lock lock(mutex_); nextUnit_ < units_.size();) {
      const std::size_t unit = nextUnit_, side = nextSide_;
      if (++nextSide_ == units_[unit].size()) {
        ++nextUnit_;
        nextSide_ = 0;
      }
      lock.unlock();
      rewrite::run(request_, request_.units[unit], units_[unit][side]);
      lock.lock();
      if (--open_[unit] == 0)
        finish(unit);
    }
  }

  /// Takes over all units that are done and have none in front of them that is not.
  void finish(std::size_t unit) {
    ++done_;
    if (request_.progress)
      request_.progress(done_, request_.units[unit].unit);
    for (; merged_ < units_.size() && open_[merged_] == 0; ++merged_) {
      bool told = false; // what is wrong on several sides is told once
      for (const Side &side : units_[merged_]) {
        ok_ &= side.ok;
        if (!side.ok && !told) {
          messages_ += side.messages;
          told = !side.messages.empty();
        }
        facts_.merge(side.facts);
      }
      units_[merged_].clear();
    }
  }

  const ParseRequest &request_;
  Facts &facts_;
  std::string &messages_;
  std::mutex mutex_; ///< of all below, apart from sides that are being parsed
  std::vector<std::vector<Side>> units_;
  std::vector<std::size_t> open_; ///< of each unit: sides that are not done
  std::size_t nextUnit_ = 0, nextSide_ = 0;
  std::size_t done_ = 0, merged_ = 0; ///< units
  bool ok_ = true;
};

} // namespace

bool parse(const ParseRequest &request, Facts &facts, std::string &messages) {
  language::acceptSharedObjects();
  return Parse(request, facts, messages).run();
}

} // namespace cupr::rewrite

#include "header_cache.h"

#include "cuprewrite/commandline/dependency_file.h"
#include "cuprewrite/commandline/words.h"
#include "stamped_files.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <spawn.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <xxhash.h>

namespace fs = std::filesystem;

extern char **environ;

namespace cupr::headers {
namespace {

constexpr std::uintmax_t kLargestCache = std::uintmax_t{1} << 30;
/// Stands in front of every CUDA source, and is in the cache itself.
constexpr std::string_view kOwnHeader = "cupr/compatibility.h";
/// Where versions of the C++ library lie, of which clang takes the newest.
constexpr const char *kLibraryFolders[] = {"/usr/lib/gcc", "/usr/include/c++"};
/// How they are written down: with the instances of templates that they need themselves, which else each source makes anew.
constexpr const char *kWritingFlags[] = {"-fpch-instantiate-templates", "-emit-llvm", "-c", "-Xclang",
                                         "-emit-pch"};
/// By which clang finds headers, besides flags.
constexpr const char *kFolderVariables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};

std::string fileText(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string variable(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "";
}

/// Empty: there is none.
fs::path cacheFolder() {
  std::string named = variable("CUPREWRITE_CACHE");
  const std::string shared = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (named == "off")
    return {};
  if (!named.empty())
    return fs::path(std::move(named));
  if (!shared.empty())
    return fs::path(shared) / "cuprewrite";
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "cuprewrite";
}

/// Makes the folder, for this user alone. Whether it is this user's: nobody else may say what our compiler reads.
bool isOwnFolder(const fs::path &folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  mkdir(folder.c_str(), S_IRWXU);
  struct stat state{};
  return stat(folder.c_str(), &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == geteuid() &&
         (state.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Whether clang reads something else in front of the source, or may.
bool readsMore(const std::vector<std::string> &command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string_view word = command[i];
    const bool isOwn = word == "-include" && i + 1 < command.size() && command[i + 1] == kOwnHeader;
    if ((word.starts_with("-include") && !isOwn) || word.starts_with("--include") ||
        word.starts_with("-imacros") || word.starts_with("-fmodule") || word.starts_with("-Xpreprocessor") ||
        word.starts_with("-Wp,") || word.starts_with("@"))
      return true;
  }
  return false;
}

/// Whether the word is about what clang says, or makes of the source, and not about how it reads headers. The level of optimisation is
/// not: clang wants it to be the same.
bool isAside(std::string_view word) {
  constexpr std::string_view kBeginnings[] = {"-w", "-W", "-g", "-fpass-plugin="};
  return !word.starts_with("-gcc") && std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
    return word.starts_with(beginning);
  });
}

/// The command in one spelling for all that read headers alike.
std::vector<std::string> readingCommand(const std::vector<std::string> &command) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string &word = command[i];
    const bool isFollowed = i + 1 < command.size();
    if (word == "-Xclang" && isFollowed && command[i + 1].starts_with("-plugin-arg-"))
      i += 3;                                                            // with its value
    else if (isFollowed && (word.starts_with("-X") || word == "-mllvm")) // the next one is not ours to read
      words.insert(words.end(), {word, command[++i]});
    else if (isFollowed && (word == "-D" || word == "-U" || word == "-I"))
      words.push_back(word + command[++i]);
    else if (!isAside(word))
      words.push_back(word);
  }
  return words;
}

/// Folders in which the command has headers looked for.
std::vector<std::string> foldersOf(const std::vector<std::string> &command) {
  constexpr std::string_view kFlags[] = {"-isystem", "-iquote", "-idirafter", "-cxx-isystem", "-I"};
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string &word = command[i];
    const auto *const flag =
        std::ranges::find_if(kFlags, [&](std::string_view each) { return word.starts_with(each); });
    if (flag == std::end(kFlags))
      continue;
    if (word.size() > flag->size())
      folders.push_back(word.substr(flag->size()));
    else if (i + 1 < command.size())
      folders.push_back(command[++i]);
  }
  return folders;
}

/// The file that is run, whatever links lead to it.
std::string programPath(const std::string &program) {
  std::error_code error;
  if (program.find('/') != program.npos)
    return fs::weakly_canonical(program, error).string();
  for (const std::string &folder : commandline::splitAt(variable("PATH"), ':'))
    if (const std::string candidate = fmt::format("{}/{}", folder, program);
        access(candidate.c_str(), X_OK) == 0)
      return fs::weakly_canonical(candidate, error).string();
  return program;
}

/// Whether it succeeds. What it prints is dropped: whoever compiles says what is wrong.
bool succeeds(const std::vector<std::string> &command) {
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool isStarted = posix_spawnp(&child, words.front(), &actions, nullptr, words.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!isStarted)
    return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Held by one process; gone with it.
class Lock {
public:
  explicit Lock(const fs::path &path)
      : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR)),
        isHeld_(file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0) {}
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  ~Lock() {
    if (file_ >= 0)
      close(file_);
  }

  bool isHeld() const { return isHeld_; }

private:
  const int file_;
  const bool isHeld_;
};

/// What has not been used for the longest time goes, until the folder is small enough.
void removeOldest(const fs::path &folder) {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".pch") {
      entries.push_back({entry.last_write_time(error), entry.file_size(error), entry.path()});
      bytes += entries.back().bytes;
    }
  std::ranges::sort(entries, {}, &Entry::used);
  for (auto oldest = entries.begin(); bytes > kLargestCache && oldest != entries.end(); ++oldest) {
    bytes -= oldest->bytes;
    for (const char *ending : {".pch", ".files", ".cu", ".lock"})
      fs::remove(fs::path(oldest->path).replace_extension(ending), error);
  }
}

/// One set of flags.
class Entry {
public:
  Entry(const fs::path &folder, const Compilation &compilation)
      : folder_(folder), compilation_(compilation), command_(readingCommand(compilation.command)),
        base_((folder / keyOf(command_)).string()) {}

  std::vector<std::string> flags() {
    const std::string seen = base_ + ".cu";
    if (std::error_code error; !fs::exists(seen, error)) { // for the first time
      std::ofstream file(seen);
      if (!compilation_.isRepeated)
        return {};
    }
    std::optional<StampedFiles> files = written();
    if (!files && write())
      files = written();
    if (!files)
      return {};
    const std::vector<std::string> trusted = trustedFolders();
    const auto hides = [&](const std::string &place) {
      const std::string whole = fs::weakly_canonical(place).string() + "/";
      const auto holds = [&](const std::string &folder) { return whole.starts_with(folder); };
      return std::ranges::none_of(trusted, holds) && files->areHiddenBy(place);
    };
    if (std::ranges::any_of(compilation_.folders, hides) || std::ranges::any_of(foldersOf(command_), hides) ||
        std::ranges::any_of(variableFolders(), hides))
      return {};
    utimensat(AT_FDCWD, (base_ + ".pch").c_str(), nullptr, 0);
    return {"-Xclang", "-include-pch", "-Xclang", base_ + ".pch"};
  }

private:
  static std::string keyOf(const std::vector<std::string> &command) {
    std::vector<std::string> loaded{programPath(command.front())};
    std::string text;
    for (std::size_t i = 1; i < command.size(); ++i)
      text += command[i] + '\0';
    for (const char *flag : kWritingFlags)
      text += std::string(flag) + '\0';
    for (const char *name : kFolderVariables)
      text += variable(name) + '\0';
    for (const std::string &word : command)
      if (const std::size_t value = word.find("plugin="); word.starts_with("-f") && value != word.npos)
        loaded.push_back(word.substr(value + std::string_view("plugin=").size()));
    std::error_code error;
    for (const char *const library : kLibraryFolders) {
      loaded.emplace_back(library);
      for (const auto &platform : fs::directory_iterator(library, error))
        loaded.push_back(platform.path().string());
    }
    std::ranges::sort(loaded);
    text += StampedFiles::of(loaded).text();
    if (std::ranges::any_of(foldersOf(command), [](const fs::path &folder) { return folder.is_relative(); }))
      text += fs::current_path().string();
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

  static std::vector<std::string> variableFolders() {
    std::vector<std::string> folders;
    for (const char *name : kFolderVariables)
      commandline::append(folders, commandline::splitAt(variable(name), ':'));
    return folders;
  }

  /// The system's, the toolkit's and ours: they don't hide what they have.
  std::vector<std::string> trustedFolders() const {
    std::vector<std::string> trusted = ownFolders();
    trusted.insert(trusted.end(), {"/usr/include", "/usr/lib", "/usr/local/include"});
    for (const std::string &word : command_)
      if (constexpr std::string_view kToolkit = "--cuda-path="; word.starts_with(kToolkit))
        trusted.push_back(word.substr(kToolkit.size()));
    for (std::string &folder : trusted)
      folder = fs::weakly_canonical(folder).string() + "/";
    return trusted;
  }

  /// Those that have our header.
  std::vector<std::string> ownFolders() const {
    std::vector<std::string> own;
    std::error_code error;
    for (const std::string &folder : foldersOf(command_))
      if (fs::exists(fs::path(folder) / kOwnHeader, error))
        own.push_back(folder);
    return own;
  }

  /// What was read, if it is there and nothing has changed since.
  std::optional<StampedFiles> written() const {
    std::error_code error;
    StampedFiles files = StampedFiles::read(fileText(base_ + ".files"));
    return fs::exists(base_ + ".pch", error) && files.areUnchanged() ? std::optional(std::move(files))
                                                                     : std::nullopt;
  }

  bool write() {
    const Lock lock(base_ + ".lock");
    if (!lock.isHeld()) // another does
      return false;
    const std::string own = fmt::format("{}.{}", base_, getpid()), headers = own + ".pch", rule = own + ".d",
                      files = own + ".files";
    std::vector<std::string> command = command_;
    command.insert(command.end(), std::begin(kWritingFlags), std::end(kWritingFlags));
    command.insert(command.end(), {"-MD", "-MF", rule, base_ + ".cu", "-o", headers});
    std::error_code error;
    bool isDone = succeeds(command);
    if (isDone) {
      std::vector<std::string> read = commandline::prerequisitesOf(fileText(rule));
      std::erase(read, base_ + ".cu");
      std::ofstream text(files);
      text << StampedFiles::of(read).text();
      text.close();
      isDone = !text.fail();
    }
    if (isDone) {
      fs::remove(base_ + ".files", error); // not of the headers that come
      fs::rename(headers, base_ + ".pch", error);
      if (!error)
        fs::rename(files, base_ + ".files", error);
      isDone = !error;
    }
    for (const std::string &left : {headers, rule, files})
      fs::remove(left, error);
    removeOldest(folder_);
    return isDone;
  }

  const fs::path folder_;
  const Compilation &compilation_;
  const std::vector<std::string> command_;
  const std::string base_;
};

} // namespace

std::vector<std::string> cachedHeaders(const Compilation &compilation) {
  try {
    const fs::path folder = cacheFolder();
    if (folder.empty() || readsMore(compilation.command) || !isOwnFolder(folder))
      return {};
    return Entry(fs::absolute(folder), compilation).flags();
  } catch (const std::exception &) { // a folder that is gone, no memory
    return {};
  }
}

bool isOfCache(const std::string &path) {
  const fs::path folder = cacheFolder();
  return !folder.empty() && fs::path(path).parent_path() == fs::absolute(folder);
}

} // namespace cupr::headers

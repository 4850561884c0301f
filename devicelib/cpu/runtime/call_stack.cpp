#include "call_stack.h"

#include <algorithm>
#include <cstdint>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <optional>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace cupr::cpu {

namespace {

struct SourcePlace {
  std::string file, line;
  bool known() const { return !file.empty() && file != "??" && line != "0"; }
  /// A library's header: the call that the user knows is further out.
  bool isLibrary() const { return file.find("/include/") != std::string::npos; }
};

/// What `program` with `arguments` writes to its standard output; empty if it can't be run.
std::string outputOf(const std::vector<std::string> &arguments) {
  int ends[2];
  if (pipe(ends) != 0)
    return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
  std::vector<char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(const_cast<char *>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_t child = 0;
  const bool runs = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; runs && (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  if (runs)
    waitpid(child, nullptr, 0);
  return text;
}

/// The symbolizer answers with a line per inlined frame, "file:line:column", and an empty one behind each
/// address.
std::vector<SourcePlace> placesIn(const std::string &object, const std::vector<std::string> &offsets) {
  std::vector<std::string> command{"llvm-symbolizer-22", "--functions=none", "--obj=" + object};
  command.insert(command.end(), offsets.begin(), offsets.end());
  std::istringstream text(outputOf(command));
  std::vector<SourcePlace> places;
  for (std::string line; std::getline(text, line);) {
    const std::size_t column = line.rfind(':');
    const std::size_t number = column == std::string::npos || !column ? column : line.rfind(':', column - 1);
    if (number != std::string::npos)
      places.push_back({line.substr(0, number), line.substr(number + 1, column - number - 1)});
  }
  return places;
}

struct LoadedObject {
  std::string path;
  std::uintptr_t bias; ///< what was added to the addresses in its file
  bool operator==(const LoadedObject &) const = default;
};

std::optional<LoadedObject> objectOf(const void *address) {
  Dl_info info{};
  const link_map *map = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void **>(const_cast<link_map **>(&map)), RTLD_DL_LINKMAP) ||
      !map)
    return std::nullopt;
  // The program itself has no name there, and its argv[0] may be relative to a folder that it has left.
  return LoadedObject{*map->l_name ? map->l_name : "/proc/" + std::to_string(getpid()) + "/exe", map->l_addr};
}

} // namespace

CallStack CallStack::here() {
  CallStack stack;
  stack.depth_ = backtrace(stack.frames_, kFrames);
  return stack;
}

CallStack CallStack::at(const void *instruction) {
  CallStack stack;
  stack.frames_[0] = const_cast<void *>(instruction);
  stack.depth_ = 1;
  stack.returns_ = false;
  return stack;
}

std::string CallStack::place() const {
  std::vector<SourcePlace> places;
  // Frames of one object that follow each other are asked for together.
  for (int i = 0; i < depth_;) {
    const std::optional<LoadedObject> object = objectOf(frames_[i]);
    std::vector<std::string> offsets;
    for (; object && i < depth_ && objectOf(frames_[i]) == object; ++i) {
      std::ostringstream text;
      text << "0x" << std::hex
           << reinterpret_cast<std::uintptr_t>(frames_[i]) - (returns_ ? 1 : 0) - object->bias;
      offsets.push_back(text.str());
    }
    if (!object) {
      ++i;
      continue;
    }
    for (SourcePlace &place : placesIn(object->path, offsets))
      places.push_back(std::move(place));
  }
  auto found = std::find_if(places.begin(), places.end(),
                            [](const SourcePlace &place) { return place.known() && !place.isLibrary(); });
  if (found == places.end())
    found =
        std::find_if(places.begin(), places.end(), [](const SourcePlace &place) { return place.known(); });
  return found == places.end() ? std::string() : found->file + ":" + found->line;
}

} // namespace cupr::cpu

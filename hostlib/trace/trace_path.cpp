#include "trace_path.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <unistd.h>

namespace cupr::trace {

namespace {

/// Where a starter of parallel jobs says rank and number of ranks.
struct Starter {
  const char *rank, *ranks;
};
constexpr std::array<Starter, 3> kStarters = {{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                               {"PMI_RANK", "PMI_SIZE"},
                                               {"SLURM_PROCID", "SLURM_NTASKS"}}};

std::string environment(const std::string &name) {
  const char *const text = ::secure_getenv(name.c_str());
  return text ? text : "";
}

std::string hostName() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 && *name ? name : "unknown";
}

/// Length of the sequence at the start of the text, which is a per cent sign; 0: it is none.
std::size_t sequenceLength(std::string_view text) {
  if (text.size() < 2)
    return 0;
  if (text[1] == 'q') {
    const std::size_t close = text.find('}');
    return text.size() > 3 && text[2] == '{' && close != std::string_view::npos && close > 3 ? close + 1 : 0;
  }
  return std::string_view("phr%").find(text[1]) != std::string_view::npos ? 2 : 0;
}

/// Calls `text` for each run of plain text and `sequence` for each sequence of the pattern.
template <typename Text, typename Sequence>
void split(std::string_view pattern, Text text, Sequence sequence) {
  while (!pattern.empty()) {
    const std::size_t at = pattern.find('%');
    text(pattern.substr(0, at));
    if (at == std::string_view::npos)
      return;
    pattern.remove_prefix(at);
    const std::size_t length = sequenceLength(pattern);
    if (length == 0)
      text(pattern.substr(0, 1));
    else
      sequence(pattern.substr(0, length));
    pattern.remove_prefix(length == 0 ? 1 : length);
  }
}

std::string expanded(const std::string &pattern, const NamedProcess &process) {
  std::string result;
  split(
      pattern, [&](std::string_view text) { result += text; },
      [&](std::string_view sequence) {
        switch (sequence[1]) {
        case 'p':
          result += std::to_string(process.pid);
          break;
        case 'h':
          result += hostName();
          break;
        case 'r':
          result += process.rank.empty() ? "0" : process.rank;
          break;
        case 'q':
          result += environment(std::string(sequence.substr(3, sequence.size() - 4)));
          break;
        default:
          result += '%';
        }
      });
  return result;
}

bool namesFolder(const std::string &path) {
  std::error_code ignored;
  return path.back() == '/' || std::filesystem::is_directory(path, ignored);
}

} // namespace

NamedProcess NamedProcess::of(std::string program, std::uint64_t pid) {
  NamedProcess process;
  process.program = std::move(program);
  process.pid = pid;
  for (const Starter &starter : kStarters) {
    process.rank = environment(starter.rank);
    if (process.rank.empty())
      continue;
    process.isOneOfMany = environment(starter.ranks) != "1";
    break;
  }
  return process;
}

std::string unknownSequence(const std::string &pattern) {
  for (std::size_t at = pattern.find('%'); at != std::string::npos; at = pattern.find('%', at)) {
    const std::size_t length = sequenceLength(std::string_view(pattern).substr(at));
    if (length == 0)
      return pattern.substr(at, 2);
    at += length;
  }
  return "";
}

bool namesProcess(const std::string &pattern) {
  bool found = false;
  split(
      pattern, [](std::string_view) {},
      [&](std::string_view sequence) {
        found |= sequence[1] == 'p' || sequence[1] == 'r' || sequence[1] == 'q';
      });
  return found;
}

std::string withWord(const std::string &path, const std::string &word) {
  const std::filesystem::path given(path);
  std::filesystem::path name = given.stem();
  name += "." + word + given.extension().string();
  return given.has_parent_path() ? (given.parent_path() / name).string() : name.string();
}

TracePath tracePath(const std::string &pattern, const NamedProcess &process) {
  const std::string path = expanded(pattern, process);
  if (path.empty() || namesFolder(path)) {
    std::string name = process.program;
    if (process.isOneOfMany)
      name += ".rank" + process.rank;
    name += "." + std::to_string(process.pid) + ".cuprtrace";
    return {path.empty() ? name : (std::filesystem::path(path) / name).string(), true};
  }
  if (process.isOneOfMany && !namesProcess(pattern))
    return {withWord(path, "rank" + process.rank), false};
  return {path, false};
}

} // namespace cupr::trace

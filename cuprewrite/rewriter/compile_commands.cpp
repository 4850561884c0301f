#include "compile_commands.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include <fmt/format.h>

#include <algorithm>

namespace cupr::rewrite {

namespace fs = std::filesystem;
using clang::tooling::CompileCommand;
using clang::tooling::JSONCompilationDatabase;

namespace {

/// Whether the command compiles CUDA: by the name of the source, or since `-x` says so.
bool isCuda(const CompileCommand &command) {
  if (fs::path(command.Filename).extension() == ".cu")
    return true;
  for (std::size_t i = 1; i < command.CommandLine.size(); ++i) {
    const std::string &word = command.CommandLine[i];
    const bool isNext = (word == "-x" || word == "--x") && i + 1 < command.CommandLine.size();
    const std::string language = isNext ? command.CommandLine[i + 1]
                                 : word.starts_with("-x=") || word.starts_with("--x=")
                                     ? word.substr(word.find('=') + 1)
                                 : word.starts_with("-x") ? word.substr(2)
                                                          : "";
    if (language == "cu" || language == "cuda")
      return true;
  }
  return false;
}

/// As the compiler is told: its command may name the file otherwise than the database does.
std::string spelledInput(const CompileCommand &command) {
  const auto word = std::find(command.CommandLine.begin() + 1, command.CommandLine.end(), command.Filename);
  if (word != command.CommandLine.end())
    return *word;
  const std::string name = fs::path(command.Filename).filename();
  for (auto it = command.CommandLine.begin() + 1; it != command.CommandLine.end(); ++it)
    if (!it->starts_with("-") && fs::path(*it).filename() == name)
      return *it;
  return command.Filename;
}

} // namespace

std::vector<Unit> readCompileCommands(const std::string &path, const std::vector<std::string> &inputs,
                                      std::string &error) {
  std::error_code failed;
  const fs::path file =
      fs::is_directory(path, failed) ? fs::path(path) / "compile_commands.json" : fs::path(path);
  std::string problem;
  const std::unique_ptr<JSONCompilationDatabase> database = JSONCompilationDatabase::loadFromFile(
      file.string(), problem, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!database) {
    error = fmt::format("can't read '{}': {}; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                        file.string(), problem);
    return {};
  }
  std::vector<fs::path> wanted;
  for (const std::string &input : inputs)
    wanted.push_back(fs::weakly_canonical(input, failed));
  std::vector<bool> found(wanted.size());
  std::vector<Unit> units;
  for (const CompileCommand &command : database->getAllCompileCommands()) {
    if (command.CommandLine.empty())
      continue;
    // Folders are relative to the database's own.
    Unit unit;
    unit.folder = fs::absolute(file).parent_path() / command.Directory;
    unit.input = spelledInput(command);
    unit.flags.assign(command.CommandLine.begin() + 1, command.CommandLine.end());
    if (inputs.empty()) {
      if (isCuda(command))
        units.push_back(std::move(unit));
      continue;
    }
    const fs::path real = fs::weakly_canonical(located(unit, command.Filename), failed);
    bool isWanted = false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] == real)
        isWanted = found[i] = true;
    if (isWanted)
      units.push_back(std::move(unit));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!found[i])
      error = fmt::format(
          "'{}' does not say how '{}' is compiled: rewrite it without -p, with its flags behind --",
          file.string(), inputs[i]);
  if (units.empty() && error.empty())
    error = fmt::format("'{}' holds no CUDA sources", file.string());
  return units;
}

} // namespace cupr::rewrite

#include "terminal.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cupr::analysis {

namespace {

TerminalChoices chosen;

bool isTerminal() { return ::isatty(STDOUT_FILENO) == 1; }

std::string_view environment(const char *name) {
  const char *const text = std::getenv(name);
  return text ? text : "";
}

bool hasColours() {
  if (chosen.colours != Colours::Auto)
    return chosen.colours == Colours::Always;
  return environment("NO_COLOR").empty() && environment("TERM") != "dumb" && isTerminal();
}

} // namespace

void choose(const TerminalChoices &choices) { chosen = choices; }

std::size_t lineWidth() {
  if (chosen.fullNames || !isTerminal())
    return SIZE_MAX;
  const std::string_view columns = environment("COLUMNS");
  std::size_t width = 0;
  if (std::from_chars(columns.data(), columns.data() + columns.size(), width).ec == std::errc() && width != 0)
    return width;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : SIZE_MAX;
}

std::string coloured(const std::string &text, const fmt::text_style &style) {
  return hasColours() ? fmt::format(style, "{}", text) : text;
}

} // namespace cupr::analysis

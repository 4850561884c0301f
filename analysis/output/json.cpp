/// JSON's rules for strings and commas.
#include "json.h"

#include "utf8.h"

#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace cupr::analysis {

std::string jsonString(std::string_view text) {
  std::string result = "\"";
  for (const char c : validUtf8(text)) {
    switch (c) {
    case '"':
      result += "\\\"";
      break;
    case '\\':
      result += "\\\\";
      break;
    case '\n':
      result += "\\n";
      break;
    case '\t':
      result += "\\t";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20)
        result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else
        result += c;
    }
  }
  return result + '"';
}

void Json::newLine() {
  if (style_ == Style::Indented) {
    text_ += '\n';
    text_.append(2 * filled_.size(), ' ');
  }
}

void Json::separate() {
  if (afterKey_) {
    afterKey_ = false;
    return;
  }
  if (filled_.empty())
    return;
  if (filled_.back())
    text_ += ',';
  filled_.back() = true;
  newLine();
}

Json &Json::key(std::string_view name) {
  assert(!afterKey_ && !filled_.empty());
  separate();
  text_ += jsonString(name);
  text_ += style_ == Style::Indented ? ": " : ":";
  afterKey_ = true;
  return *this;
}

Json &Json::value(double number) { return std::isfinite(number) ? raw(fmt::format("{}", number)) : null(); }

Json &Json::open(char bracket) {
  separate();
  text_ += bracket;
  filled_.push_back(false);
  return *this;
}

Json &Json::close(char bracket) {
  assert(!afterKey_ && !filled_.empty());
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled)
    newLine();
  text_ += bracket;
  return *this;
}

Json &Json::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

} // namespace cupr::analysis

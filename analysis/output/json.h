/// Writes JSON as it goes, so that a report needs no tree in memory.
#ifndef CUPR_ANALYSIS_JSON_H
#define CUPR_ANALYSIS_JSON_H

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// `text` as a JSON string, with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);

/// Commas are its business; the nesting is the caller's: each begin has its end.
class Json {
public:
  enum class Style { Line, Indented };
  explicit Json(Style style = Style::Line) : style_(style) {}

  Json &beginObject() { return open('{'); }
  Json &endObject() { return close('}'); }
  Json &beginArray() { return open('['); }
  Json &endArray() { return close(']'); }
  Json &key(std::string_view name);

  Json &value(std::string_view text) { return raw(jsonString(text)); }
  Json &value(const char *text) { return value(std::string_view(text)); }
  Json &value(const std::string &text) { return value(std::string_view(text)); }
  Json &value(std::same_as<bool> auto flag) { return raw(flag ? "true" : "false"); }
  Json &value(double number);
  Json &value(std::integral auto number)
    requires(!std::same_as<decltype(number), bool>)
  {
    return raw(std::to_string(number));
  }
  Json &null() { return raw("null"); }
  /// A value that is JSON already.
  Json &json(std::string_view text) { return raw(text); }
  template <typename T> Json &field(std::string_view name, const T &content) {
    key(name);
    return value(content);
  }

  const std::string &text() const { return text_; }
  /// Takes what was written so far, for output in pieces.
  std::string take() { return std::move(text_); }

private:
  Json &open(char bracket);
  Json &close(char bracket);
  Json &raw(std::string_view text);
  void separate();
  void newLine();

  Style style_;
  std::string text_;
  std::vector<bool> filled_; ///< per open bracket: something stands in it
  bool afterKey_ = false;
};

} // namespace cupr::analysis

#endif

#include "ptx_parser.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace cupr::cpu::ptx {

namespace {

class Parser {
public:
  explicit Parser(const std::string &text) : text_(text) {}

  std::optional<std::vector<Statement>> run() {
    for (skip(); at_ < text_.size(); skip()) {
      const char c = text_[at_];
      if (c == '{' || c == '}' || c == ';') { // scopes: names are unique in practice
        ++at_;
        continue;
      }
      if (!statement())
        return std::nullopt;
    }
    return std::move(statements_);
  }

private:
  static bool isName(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
  }

  void skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_.compare(at_, 2, "//") == 0) {
        at_ = text_.find('\n', at_);
        at_ = at_ == std::string::npos ? text_.size() : at_;
      } else if (text_.compare(at_, 2, "/*") == 0) {
        const std::size_t end = text_.find("*/", at_);
        at_ = end == std::string::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }

  std::string name() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && isName(text_[at_]))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  /// A name with the dotted parts that belong to it: an operation or `%tid.x`.
  std::string dotted() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size())
      if (isName(text_[at_]) || text_[at_] == '.')
        ++at_;
      else if (text_.compare(at_, 2, "::") == 0)
        at_ += 2;
      else
        break;
    return text_.substr(start, at_ - start);
  }

  bool statement() {
    Statement s;
    if (take('@')) {
      s.guardNegated = take('!');
      s.guard = name();
      if (s.guard.empty())
        return false;
    }
    const std::string word = dotted();
    if (word.empty())
      return false;
    if (take(':')) {
      s.kind = Statement::Kind::Label;
      s.operation = {word};
      statements_.push_back(std::move(s));
      return true;
    }
    split(word, s.operation);
    if (word[0] == '.') {
      if (s.operation[0] != "reg")
        return false;
      s.kind = Statement::Kind::Declaration;
      if (s.operation.size() == 1) { // ".reg .u32 x" has a space between
        const std::string type = dotted();
        split(type, s.operation);
      }
    }
    skip();
    while (at_ < text_.size() && text_[at_] != ';') {
      Operand operand;
      if (!parseOperand(operand))
        return false;
      s.operands.push_back(std::move(operand));
      skip();
      if (!take(','))
        break;
    }
    skip();
    if (at_ < text_.size() && !take(';') && text_[at_] != '}')
      return false;
    statements_.push_back(std::move(s));
    return true;
  }

  static void split(const std::string &word, std::vector<std::string> &parts) {
    std::size_t start = 0;
    while (start <= word.size()) {
      // "shared::cta" stays one part.
      std::size_t end = word.find('.', start);
      end = end == std::string::npos ? word.size() : end;
      if (end > start)
        parts.push_back(word.substr(start, end - start));
      start = end + 1;
    }
  }

  bool parseOperand(Operand &operand) {
    skip();
    if (at_ >= text_.size())
      return false;
    if (take('{')) {
      operand.kind = Operand::Kind::Vector;
      do {
        Operand element;
        if (!parseOperand(element))
          return false;
        operand.elements.push_back(std::move(element));
      } while (take(','));
      return take('}');
    }
    if (take('[')) {
      operand.kind = Operand::Kind::Address;
      skip();
      if (std::isdigit(static_cast<unsigned char>(text_[at_]))) {
        Operand base;
        if (!number(base))
          return false;
        operand.value = base.value;
      } else {
        operand.name = name();
        while (take('+')) {
          Operand offset;
          skip();
          if (at_ < text_.size() && text_[at_] == '$') { // an immediate asm operand
            operand.second = name();
            continue;
          }
          const bool minus = take('-');
          if (!number(offset))
            return false;
          operand.value += minus ? -offset.value : offset.value;
        }
      }
      return take(']');
    }
    if (take('!'))
      operand.negated = true;
    skip();
    const char c = text_[at_];
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c))) {
      const bool minus = take('-');
      skip();
      if (minus && !std::isdigit(static_cast<unsigned char>(text_[at_]))) {
        operand.negated = true;
        operand.name = name();
        return !operand.name.empty();
      }
      if (!number(operand))
        return false;
      if (minus) {
        if (operand.kind == Operand::Kind::Float)
          operand.value ^= operand.floatBits == 32 ? std::int64_t(0x80000000) : INT64_MIN;
        else
          operand.value = -operand.value;
      }
      return true;
    }
    if (c == '%') {
      ++at_;
      const std::string special = dotted();
      operand.kind = Operand::Kind::Special;
      operand.name = special;
      return !special.empty();
    }
    operand.name = name();
    if (operand.name.empty())
      return false;
    if (operand.name == "_")
      operand.kind = Operand::Kind::Discard;
    if (operand.name == "WARP_SZ")
      operand.kind = Operand::Kind::Special;
    if (take('|'))
      operand.second = name();
    return true;
  }

  bool number(Operand &operand) {
    skip();
    const char *start = text_.c_str() + at_;
    char *end = nullptr;
    if (start[0] == '0' && std::strchr("fFdD", start[1]) && start[1]) {
      operand.kind = Operand::Kind::Float;
      operand.floatBits = start[1] == 'f' || start[1] == 'F' ? 32 : 64;
      operand.value = static_cast<std::int64_t>(std::strtoull(start + 2, &end, 16));
    } else {
      operand.kind = Operand::Kind::Integer;
      operand.value = static_cast<std::int64_t>(std::strtoull(start, &end, 0));
      if (*end == '.' || ((*end == 'e' || *end == 'E') && std::strncmp(start, "0x", 2))) {
        const double value = std::strtod(start, &end);
        operand.kind = Operand::Kind::Float;
        operand.floatBits = 64;
        std::memcpy(&operand.value, &value, sizeof value);
      }
      if (*end == 'U')
        ++end;
    }
    if (end == start)
      return false;
    at_ += static_cast<std::size_t>(end - start);
    return true;
  }

  const std::string &text_;
  std::size_t at_ = 0;
  std::vector<Statement> statements_;
};

} // namespace

std::optional<std::vector<Statement>> parse(const std::string &text) { return Parser(text).run(); }

} // namespace cupr::cpu::ptx

#include "parser.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <set>

namespace cupr::ptx {

namespace {

class Parser {
public:
  explicit Parser(const std::string &text) : text_(text) {}

  std::vector<Statement> run() {
    for (skip(); at_ < text_.size(); skip()) {
      const char c = text_[at_];
      if (c == '{' || c == '}' || c == ';') { // scopes: names are unique in practice
        ++at_;
        continue;
      }
      const std::size_t start = at_;
      Statement s;
      std::size_t end = 0;
      if (statement(s)) {
        end = at_;
        take(';');
      } else {
        s.kind = Statement::Kind::Unparsed;
        end = at_ = std::min(text_.find(';', at_), text_.size());
      }
      s.text = text_.substr(start, end - start);
      while (!s.text.empty() && std::isspace(static_cast<unsigned char>(s.text.back())))
        s.text.pop_back();
      statements_.push_back(std::move(s));
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

  /// Up to the semicolon, or the brace that ends the scope.
  bool statement(Statement &s) {
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
      return true;
    }
    split(word, s.operation);
    if (s.operation.empty())
      return false;
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
      if (s.kind == Statement::Kind::Declaration)
        declare(std::move(operand), s.operands);
      else
        s.operands.push_back(std::move(operand));
      skip();
      if (!take(','))
        break;
    }
    skip();
    return at_ == text_.size() || text_[at_] == ';' || text_[at_] == '}';
  }

  /// A register, or with `<n>` behind it the registers name0 ... name(n-1). One that starts with a
  /// percent sign is no special register from here on.
  void declare(Operand name, std::vector<Operand> &declared) {
    if (name.kind == Operand::Kind::Special)
      name.name.insert(0, "%");
    name.kind = Operand::Kind::Register;
    if (Operand count; take('<') && number(count) && take('>')) {
      for (std::int64_t i = 0; i < count.value && i < 4096; ++i) {
        Operand one = name;
        one.name += std::to_string(i);
        registers_.insert(one.name);
        declared.push_back(std::move(one));
      }
      return;
    }
    registers_.insert(name.name);
    declared.push_back(std::move(name));
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
        for (bool minus; (minus = take('-')) || take('+');) {
          Operand offset;
          skip();
          if (!minus && at_ < text_.size() && text_[at_] == '$') { // an immediate asm operand
            operand.second = name();
            continue;
          }
          minus ^= take('-');
          if (!number(offset))
            return false;
          operand.value += minus ? -offset.value : offset.value;
        }
      }
      while (take(',')) { // [map, {x, y}]
        Operand coordinates;
        if (!parseOperand(coordinates))
          return false;
        operand.elements.push_back(std::move(coordinates));
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
      const std::string special = dotted();
      const bool declared = registers_.count(special) != 0;
      operand.kind = declared ? Operand::Kind::Register : Operand::Kind::Special;
      operand.name = declared ? special : special.substr(1);
      if (declared && take('|'))
        operand.second = name();
      return special.size() > 1;
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
      if (*end == '.' || ((*end == 'e' || *end == 'E') && std::strncmp(start, "0x", 2) != 0)) {
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
  std::set<std::string> registers_; ///< declared so far
};

} // namespace

std::vector<Statement> parse(const std::string &text) { return Parser(text).run(); }

std::string withOperandNames(const std::string &assembly) {
  std::string text;
  for (std::size_t i = 0; i < assembly.size(); ++i) {
    const char next = i + 1 < assembly.size() ? assembly[i + 1] : '\0';
    if (assembly[i] == '$' && next == '$') {
      text += "_dollar_";
      ++i;
    } else if (assembly[i] == '$' && next == '{') {
      const std::size_t end = std::min(assembly.find('}', i), assembly.size());
      const std::size_t colon = std::min(assembly.find(':', i), end);
      text += '$' + assembly.substr(i + 2, colon - i - 2);
      i = end;
    } else {
      text += assembly[i];
    }
  }
  return text;
}

} // namespace cupr::ptx

/// Objects are read by nlohmann's parser, which tells of each token: nothing of a file is kept but the row.
#include "row_reader.h"

#include <array>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace cupr::analysis {

namespace {

using ParsedJson = nlohmann::json;

/// The bytes of the source, as an iterator that comes to its end when there are no more. All copies go on together.
class Bytes {
public:
  // NOLINTBEGIN(readability-identifier-naming): the standard library's
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = char;
  // NOLINTEND(readability-identifier-naming)

  Bytes() = default;
  explicit Bytes(ByteSource &source) : source_(&source), end_(source.offset() + kLargestRow) {}

  char operator*() const { return source_->ahead().front(); }
  Bytes &operator++() {
    source_->pass(1);
    if (source_->offset() > end_)
      throw BrokenExport(fmt::format("an object must not be longer than {} bytes", kLargestRow));
    return *this;
  }
  friend bool operator==(const Bytes &a, const Bytes &b) { return a.isAtEnd() == b.isAtEnd(); }

private:
  bool isAtEnd() const { return !source_ || source_->ahead().empty(); }

  ByteSource *source_ = nullptr;
  std::uint64_t end_ = 0; ///< of the largest object
};

/// One object: its members, and what they have. Used again for the next one, with its memory.
class Members final : public nlohmann::json_sax<ParsedJson> {
public:
  struct Member {
    enum Kind { Null, Flag, Number, Text, List, Other };
    std::string name;
    Kind kind = Null;
    std::uint64_t number = 0;
    std::string text;
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> texts;
  };

  void clear() { count_ = depth_ = 0; }
  std::string error; ///< of the last object; empty: none

  /// Null: there is none. `guess`: where it may be.
  const Member *find(std::string_view name, std::size_t guess) const {
    if (guess < count_ && members_[guess].name == name)
      return &members_[guess];
    for (std::size_t i = 0; i < count_; ++i)
      if (members_[i].name == name)
        return &members_[i];
    return nullptr;
  }

  bool null() override {
    return take(Member::Null, [](Member &) {});
  }
  bool boolean(bool value) override {
    return take(Member::Flag, [&](Member &member) { member.number = value; });
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (isInList()) {
      members_[count_ - 1].numbers.push_back(value);
      return true;
    }
    return take(Member::Number, [&](Member &member) { member.number = value; });
  }
  bool string(string_t &value) override {
    if (isInList()) {
      members_[count_ - 1].texts.push_back(std::move(value));
      return true;
    }
    return take(Member::Text, [&](Member &member) { member.text = std::move(value); });
  }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_float(number_float_t, const string_t &) override { return other(); }
  bool binary(binary_t &) override { return other(); }

  bool start_object(std::size_t) override {
    if (depth_ != 0)
      other();
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0)
      return fail("a row must be an object");
    if (depth_ == 1)
      members_[count_ - 1].kind = Member::List;
    else
      other();
    ++depth_;
    return true;
  }
  bool end_array() override { return end_object(); }
  bool key(string_t &name) override {
    if (depth_ != 1)
      return true;
    if (count_ == kMostMembers)
      return fail(fmt::format("an object must not have more than {} members", kMostMembers));
    if (count_ == members_.size())
      members_.emplace_back();
    Member &member = members_[count_++];
    member.name = std::move(name);
    member.kind = Member::Null;
    member.numbers.clear();
    member.texts.clear();
    return true;
  }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &problem) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ...", of an object's own lines
    const std::string_view text = problem.what();
    const std::size_t at = text.find(": ");
    return fail("not JSON: " + std::string(at == text.npos ? text : text.substr(at + 2)));
  }

private:
  static constexpr std::size_t kMostMembers = 256; // far more than any kind of row has
  bool fail(std::string rule) {
    error = std::move(rule);
    return false;
  }
  bool isInList() const { return depth_ == 2 && members_[count_ - 1].kind == Member::List; }
  /// What no column can be.
  bool other() {
    if (depth_ == 0)
      return fail("a row must be an object");
    members_[count_ - 1].kind = Member::Other;
    return true;
  }
  template <typename Body> bool take(Member::Kind kind, Body body) {
    if (depth_ != 1)
      return other();
    members_[count_ - 1].kind = kind;
    body(members_[count_ - 1]);
    return true;
  }

  std::vector<Member> members_;
  std::size_t count_ = 0, depth_ = 0;
};

class JsonRows final : public RowReader {
public:
  explicit JsonRows(ByteSource &source) : source_(source) {
    for (std::size_t kind = 0; kind < kRowKindCount; ++kind) {
      kinds_[kind] = camelCase(kRowKinds[kind].name);
      for (const Column &column : kRowKinds[kind].columns)
        names_[kind].push_back(camelCase(column.name));
    }
  }

  const Row *next() override {
    while (readObject())
      if (takeRow())
        return &row_;
    return nullptr;
  }

private:
  /// False: there are no more.
  bool readObject() {
    for (std::string_view ahead; !(ahead = source_.ahead()).empty(); source_.pass(1)) {
      if (std::string_view(" \t\r\n").find(ahead.front()) != std::string_view::npos)
        continue;
      members_.clear();
      if (!ParsedJson::sax_parse(Bytes(source_), Bytes(), &members_, ParsedJson::input_format_t::json, false))
        throw BrokenExport(members_.error);
      return true;
    }
    return false;
  }

  /// False: rows of this kind are not known here.
  bool takeRow() {
    const Members::Member *const type = members_.find("type", 0);
    if (!type || type->kind != Members::Member::Text)
      throw BrokenExport("an object must have a `type`, which is a text");
    std::size_t kind = 0;
    while (kind < kRowKindCount && kinds_[kind] != type->text)
      ++kind;
    if (kind == kRowKindCount)
      return false;
    row_.kind = static_cast<RowKindId>(kind);
    row_.values.clear();
    for (std::size_t i = 0; i < names_[kind].size(); ++i) {
      const Members::Member *const member = members_.find(names_[kind][i], i + 1);
      row_.values.push_back(member ? valueOf(*member, storageOf(kRowKinds[kind].columns[i].type)) : Value());
    }
    return true;
  }

  static Value valueOf(const Members::Member &member, Storage storage) {
    using Member = Members::Member;
    if (member.kind == Member::Null)
      return {};
    if (storage == Storage::Number && member.kind == Member::Number)
      return member.number;
    if (storage == Storage::Flag && member.kind == Member::Flag)
      return member.number != 0;
    if (storage == Storage::Text && member.kind == Member::Text)
      return std::string_view(member.text);
    if (storage == Storage::Numbers && member.kind == Member::List && member.texts.empty())
      return std::span<const std::uint64_t>(member.numbers);
    if (storage == Storage::Texts && member.kind == Member::List && member.numbers.empty())
      return std::span<const std::string>(member.texts);
    throw BrokenExport(fmt::format("`{}` must be {}", member.name,
                                   storage == Storage::Number    ? "a number from 0 to 2^64 - 1"
                                   : storage == Storage::Flag    ? "true or false"
                                   : storage == Storage::Text    ? "a text"
                                   : storage == Storage::Numbers ? "a list of numbers from 0 to 2^64 - 1"
                                                                 : "a list of texts"));
  }

  ByteSource &source_;
  std::array<std::string, kRowKindCount> kinds_;
  std::array<std::vector<std::string>, kRowKindCount> names_;
  Members members_;
  Row row_;
};

} // namespace

std::unique_ptr<RowReader> jsonRows(ByteSource &source) { return std::make_unique<JsonRows>(source); }

} // namespace cupr::analysis

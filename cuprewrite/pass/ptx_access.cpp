#include "ptx_access.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cupr::pass {
namespace {

bool contains(ArrayRef<StringRef> words, StringRef word) { return is_contained(words, word); }

/// Bytes of a PTX type: `f32`, `b16`, `f16x2`, `bf16` ...; 0 when it is none.
std::uint64_t typeBytes(StringRef type) {
  if (type == "f16x2" || type == "bf16x2")
    return 4;
  if (type == "bf16")
    return 2;
  unsigned bits = 0;
  if (type.empty() || !StringRef("usbf").contains(type.front()) || type.drop_front().getAsInteger(10, bits) ||
      bits % 8 != 0)
    return 0;
  return bits / 8;
}

/// `$1`, `$1+16` between the brackets.
bool parseAddress(StringRef text, PtxAccess &access) {
  text = text.trim();
  if (!text.consume_front("$") || text.consumeInteger(10, access.operand))
    return false;
  text = text.ltrim();
  if (text.empty())
    return true;
  const bool negative = text.consume_front("-");
  if (!negative && !text.consume_front("+"))
    return false;
  if (text.trim().getAsInteger(0, access.offset))
    return false;
  if (negative)
    access.offset = -access.offset;
  return true;
}

enum class Kind { NoAccess, Recognised, Unknown };

Kind parseInstruction(StringRef instruction, PtxAccess &access) {
  const bool predicated = instruction.consume_front("@");
  if (predicated)
    instruction = instruction.drop_until([](char c) { return isSpace(c); }).ltrim();
  const StringRef opcode = instruction.take_until([](char c) { return isSpace(c) || c == '['; });
  SmallVector<StringRef, 8> words;
  opcode.split(words, '.', -1, /*KeepEmpty=*/false);
  if (words.empty())
    return Kind::NoAccess;
  const StringRef name = words.front();
  static const StringRef accessing[] = {"ld",       "ldu",      "st",   "atom", "red",
                                        "ldmatrix", "stmatrix", "wmma", "cp"};
  if (!contains(accessing, name))
    return Kind::NoAccess;
  if (name == "wmma" && !contains(words, "load") && !contains(words, "store"))
    return Kind::NoAccess;
  if (name == "cp" && (contains(words, "wait_all") || contains(words, "wait_group") ||
                       contains(words, "commit_group") || contains(words, "mbarrier")))
    return Kind::NoAccess;
  if (name != "cp" && name != "ldmatrix" && name != "stmatrix")
    for (const StringRef word : words)
      if (word.starts_with("shared") || word.starts_with("param") || word == "local" || word == "const")
        return Kind::NoAccess;
  if (name == "ldmatrix" || name == "stmatrix") // shared memory by definition
    return Kind::NoAccess;
  const std::size_t open = instruction.find('['), close = instruction.find(']');
  if (predicated || open == StringRef::npos || close == StringRef::npos || close < open ||
      !parseAddress(instruction.slice(open + 1, close), access))
    return Kind::Unknown;
  const std::uint64_t element = typeBytes(words.back());
  std::uint64_t count = 1;
  for (const StringRef word : words)
    if (word == "v2" || word == "v4" || word == "v8")
      count = static_cast<std::uint64_t>(word[1] - '0');
  access.bytes = element * count;
  access.isGlobal = contains(words, "global");
  if (name == "ld" || name == "ldu") {
    access.operation = abi::Operation::Load;
  } else if (name == "st") {
    access.operation = abi::Operation::Store;
  } else if (name == "atom" || name == "red") {
    std::optional<abi::Operation> operation;
    for (const StringRef word : words)
      if (!operation)
        operation = atomicOperation(word);
    if (!operation)
      return Kind::Unknown;
    access.operation = *operation;
  } else {
    return Kind::Unknown;
  }
  return access.bytes ? Kind::Recognised : Kind::Unknown;
}

} // namespace

std::optional<abi::Operation> atomicOperation(StringRef word) {
  static const std::pair<StringRef, abi::Operation> names[] = {
      {"add", abi::Operation::AtomicAdd}, {"exch", abi::Operation::AtomicExch},
      {"min", abi::Operation::AtomicMin}, {"max", abi::Operation::AtomicMax},
      {"inc", abi::Operation::AtomicInc}, {"dec", abi::Operation::AtomicDec},
      {"cas", abi::Operation::AtomicCAS}, {"and", abi::Operation::AtomicAnd},
      {"or", abi::Operation::AtomicOr},   {"xor", abi::Operation::AtomicXor},
  };
  for (const auto &[name, operation] : names)
    if (word == name)
      return operation;
  return std::nullopt;
}

SmallVector<PtxAccess, 2> parsePtxAccesses(StringRef assembly, std::string &unknown) {
  SmallVector<PtxAccess, 2> accesses;
  SmallVector<StringRef, 8> statements;
  SplitString(assembly, statements, ";\n{}");
  // A vector's operands stand in braces, `{$0, $1}, [$2]`: give the opcode its address back.
  std::string pending;
  for (StringRef statement : statements) {
    statement = statement.trim();
    if (statement.empty())
      continue;
    std::string text = pending.empty() ? statement.str() : pending + " " + statement.str();
    const StringRef opcode = StringRef(text).take_until([](char c) { return isSpace(c) || c == '['; });
    const bool vector = opcode.contains(".v2") || opcode.contains(".v4") || opcode.contains(".v8");
    if (vector && !StringRef(text).contains('[')) {
      pending = text;
      continue;
    }
    pending.clear();
    PtxAccess access;
    switch (parseInstruction(text, access)) {
    case Kind::NoAccess:
      break;
    case Kind::Recognised:
      accesses.push_back(access);
      break;
    case Kind::Unknown:
      if (unknown.empty())
        unknown = text;
      break;
    }
  }
  return accesses;
}

} // namespace cupr::pass

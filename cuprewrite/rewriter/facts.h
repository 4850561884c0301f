/// What the rewriter knows about a program: plain data, no clang, no text edits.
///
/// Terms:
/// - A file is user code that may be rewritten: an input, or a header that lies
///   below the project's root and was not found through `-isystem`.
/// - A spot is a place between two bytes of a file where text may be inserted.
/// - A function is named by a key that is equal in every translation unit that
///   means the same function; all specialisations of a template share the key
///   of the template.
/// - A translation unit is parsed several times (host side, device side), and
///   several units may share a header: facts of all of them are collected
///   here, and whoever uses them must expect the same fact more than once.
#ifndef CUPR_REWRITE_FACTS_H
#define CUPR_REWRITE_FACTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cupr::rewrite {

/// Index into Facts::files.
enum class FileId : std::uint32_t {};

struct Spot {
  FileId file{};
  std::uint32_t offset = 0; ///< bytes from the start of the file
  friend auto operator<=>(const Spot &, const Spot &) = default;
};

/// Where a diagnostic points to; line and column count from 1, in bytes.
struct Place {
  FileId file{};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t side = 0; ///< index into Facts::sides: who saw it; places differ by where they are
  friend auto operator<=>(const Place &a, const Place &b) {
    return std::tie(a.file, a.line, a.column) <=> std::tie(b.file, b.line, b.column);
  }
  friend bool operator==(const Place &a, const Place &b) { return (a <=> b) == 0; }
};

/// What a `#line` says of the line that follows it.
struct LineMark {
  std::string file;
  std::uint32_t line = 0;
};

struct File {
  std::string path;    ///< absolute, without links: the identity
  std::string spelled; ///< as the compiler was told, and as `__FILE__` says
  std::string located; ///< absolute, but with the links that `spelled` names
  std::string text;
  bool input = false;
  /// Of one translation unit or more, the file is included at a place where a
  /// declaration of a variable can't stand (in a class, a function, a list).
  bool nested = false;
  std::map<std::uint32_t, LineMark> lineMarks; ///< by the line that they speak of

  /// For people: as spelled, unless that means another file in the current folder.
  std::string shown() const;
};

/// `includer` names `included`; both are user files.
struct Inclusion {
  FileId includer{};
  FileId included{};
  std::string searchPath; ///< the folder in which it was found, as spelled
  friend auto operator<=>(const Inclusion &, const Inclusion &) = default;
};

enum class FunctionKind { Host, HostDevice, Device, Kernel };

struct Function {
  std::string key;
  std::string name; ///< as a person would write it, with its scopes
  FunctionKind kind = FunctionKind::Host;
  /// Why its signature stays, from its declaration alone; empty: it can change.
  std::string keepReason;
  Place place;          ///< of the name in its first declaration
  bool shared = false;  ///< other translation units may name the same object code
  bool mangled = true;  ///< its name in object code tells its parameters: it is not `extern "C"`
  bool defined = false; ///< a body was seen
};

/// What stands behind the opening parenthesis of a list.
enum class ListForm {
  Empty,    ///< `()`
  Emptied,  ///< `(NAME)` where a macro NAME leaves nothing
  Void,     ///< `(void)`
  Filled,   ///< anything else
  Variadic, ///< `(__VA_ARGS__` in a macro: may turn out empty
  Named,    ///< `(args` in a macro whose last parameter is `args...`: may turn out empty
};

/// A parameter list of a kernel or device function.
struct ParameterList {
  std::string function; ///< key
  FunctionKind kind = FunctionKind::Device;
  std::optional<Spot> spot; ///< behind `(`, or at `void`; none: written outside user files
  ListForm form = ListForm::Empty;
  std::uint32_t voidBytes = 0; ///< length of `void`
  Place place;
};

/// How sure it is that a call means its target.
enum class Certainty {
  Resolved,  ///< by the compiler
  Candidate, ///< a template's pattern: one of several that overload resolution may pick
  Unknown,   ///< a template's pattern: nothing but the name is known
};

struct Call {
  std::string target; ///< key, or empty when it is not a function of user files
  std::string name;
  Certainty certainty = Certainty::Resolved;
  std::optional<Spot> spot;
  ListForm form = ListForm::Empty;
  /// Key of the function in whose body the call stands; empty where its
  /// parameters can't be named (lambdas, default arguments, declarations).
  std::string enclosing;
  Place place;
};

enum class LaunchForm {
  Chevrons, ///< `k<<<...>>>(...)`; the spot is behind `(`
  Ex,       ///< `cudaLaunchKernelEx(config, k, ...)`; the spot is behind `k`
  Array,    ///< `cudaLaunchKernel(k, ..., arguments, ...)` and its like; no spot
  Handle,   ///< a call that names its kernel in a structure or by a handle; no spot, no place to mark
};

struct Launch {
  std::string target;
  std::string name;
  Certainty certainty = Certainty::Resolved;
  LaunchForm launchForm = LaunchForm::Chevrons;
  std::string function; ///< that launches; empty for chevrons
  std::optional<Spot> spot;
  /// In front of an expression that is evaluated before the launch is made, and may be an operand of `->*`.
  std::optional<Spot> markSpot;
  ListForm form = ListForm::Empty;
  bool onDevice = false;
  std::string enclosing;
  Place place;
};

/// A call of CUDA that allocates, in host code.
struct Allocation {
  /// Behind the `(` of its arguments, or, without `endSpot`, in front of the statement that makes the call.
  std::optional<Spot> spot;
  std::optional<Spot> endSpot;        ///< behind its first argument
  std::string name;                   ///< of the variable, as written
  std::string type;                   ///< of the elements; empty: unknown
  bool depends = false;               ///< on template arguments: an instantiation knows better
  std::uint32_t line = 0, column = 0; ///< as `#line` has it
  Place place;
};

/// A use of a function other than a call or a launch of user files, where its type matters.
struct Use {
  std::string function; ///< key
  Place place;
  bool byLibrary = false; ///< a library's template calls it; the place is where that is instantiated
  friend auto operator<=>(const Use &, const Use &) = default;
};

/// `template ... name<...>(...)`: an explicit instantiation, found by its name.
struct Instantiation {
  std::set<std::string> functions; ///< keys of the templates that it may mean
  /// What narrows them down: the attributes and the last scope, where written.
  std::optional<FunctionKind> kind;
  std::string scope;
  std::optional<Spot> spot;
  ListForm form = ListForm::Empty;
  std::uint32_t voidBytes = 0;
  Place place;
};

struct Facts {
  std::vector<File> files;
  std::vector<std::string> sides; ///< for what the sources were parsed: `the host`, `sm_90`
  std::set<Inclusion> inclusions;
  std::map<std::string, Function> functions; ///< by key
  std::vector<ParameterList> parameterLists;
  std::vector<Call> calls;
  std::vector<Launch> launches;
  std::vector<Allocation> allocations;
  std::set<Use> uses;
  std::vector<Instantiation> instantiations;
  /// User files below no root that hold device code, by path, with a place.
  std::set<std::string> outsideRoot;

  File &file(FileId id) { return files[static_cast<std::size_t>(id)]; }
  const File &file(FileId id) const { return files[static_cast<std::size_t>(id)]; }

  /// The file with this path, added if new.
  FileId intern(std::string_view path, std::string_view spelled, std::string_view located = "");
  /// Adds what is known of a function to what other parses said.
  void add(const Function &function);
  /// Takes over all facts of another parse.
  void merge(const Facts &other);
};

} // namespace cupr::rewrite

#endif

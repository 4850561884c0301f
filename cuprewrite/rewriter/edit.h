/// The edit planner: what to insert where, from many parses, as one ordered
/// list per file.
///
/// Invariants: insert-only; at one spot at most one text; texts hold no
/// newline, so every original line keeps its number.
#ifndef CUPR_REWRITE_EDIT_H
#define CUPR_REWRITE_EDIT_H

#include "facts.h"

#include <span>

namespace cupr::rewrite {

struct Edit {
  std::uint32_t offset = 0;
  std::string text;
  friend bool operator==(const Edit &, const Edit &) = default;
};

/// Two parses, or two expansions of a macro, that want different things.
struct Conflict {
  Spot spot;
  Place first, second;
  std::string firstText, secondText; ///< empty: nothing must be inserted
};

class EditPlan {
public:
  /// Wants `text` at `spot`; an empty text says that the spot must stay as it is.
  void want(const Spot &spot, std::string text, const Place &place);

  /// Whether nothing has been wanted there, not even that it stays.
  bool isFree(const Spot &spot) const { return !wishes_.contains(spot); }

  /// The edits of a file, by offset.
  std::vector<Edit> edits(FileId file) const;
  const std::vector<Conflict> &conflicts() const { return conflicts_; }

private:
  struct Wish {
    std::string text;
    Place place;
  };
  std::map<Spot, Wish> wishes_;
  std::vector<Conflict> conflicts_;
};

/// `text` with `edits` applied. Offsets must be in order and within the text.
std::string applyEdits(std::string_view text, std::span<const Edit> edits);

/// `line:column+length ...`: where the original text stands that each inserted text was put in front of, in the
/// lines of `file`.
struct EditTable {
  std::string file;
  std::string entries;
};

/// What was inserted into a file, as the compiler counts its lines: by the file's own name, as spelled, and by those
/// that its `#line` directives give.
std::vector<EditTable> editTables(const File &file, std::span<const Edit> edits);

} // namespace cupr::rewrite

#endif

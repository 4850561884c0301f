/// Kinds of dependence between two accesses to the same bytes, and how much of their order CUDA guarantees.
#ifndef CUPR_ANALYSIS_DEPENDENCE_H
#define CUPR_ANALYSIS_DEPENDENCE_H

#include <compare>
#include <cstdint>

namespace cupr::analysis {

/// Read after write, write after read, write after write.
enum class DependenceKind : std::uint8_t { Raw, War, Waw };

/// Ordered: between acts of which one happens before the other (Ordering). Concurrent: between acts that
/// nothing orders; which came first is not known. InsideLaunch: between CTAs of one launch; likewise.
enum class DependenceOrder : std::uint8_t { Ordered, Concurrent, InsideLaunch };

struct DependenceClass {
  DependenceKind kind = DependenceKind::Raw;
  DependenceOrder order = DependenceOrder::Ordered;
  constexpr unsigned number() const { return 3 * static_cast<unsigned>(order) + static_cast<unsigned>(kind); }
  static constexpr DependenceClass ofNumber(unsigned number) {
    return {static_cast<DependenceKind>(number % 3), static_cast<DependenceOrder>(number / 3)};
  }
  friend constexpr auto operator<=>(const DependenceClass &a, const DependenceClass &b) {
    return a.number() <=> b.number();
  }
  friend constexpr bool operator==(const DependenceClass &, const DependenceClass &) = default;
};
inline constexpr DependenceClass kCommunication{};

inline const char *dependenceName(DependenceKind kind) {
  static constexpr const char *kNames[] = {"RAW", "WAR", "WAW"};
  return kNames[static_cast<unsigned>(kind)];
}
inline const char *dependenceName(DependenceOrder order) {
  static constexpr const char *kNames[] = {"ordered", "concurrent", "insideLaunch"};
  return kNames[static_cast<unsigned>(order)];
}

} // namespace cupr::analysis

#endif

/// The names of the hooks (hooks.def), and what is known of each. They end in the version of the contract, so
/// that code made by another version is never linked.
#ifndef CUPR_ABI_HOOKS_H
#define CUPR_ABI_HOOKS_H

#include "version.h"

/// The function of a hook: `__cupr_access_v1` for the stem `access`. Who compiles the device library as code of
/// his own gives it other names.
#ifndef CUPR_HOOK_SYMBOL
#define CUPR_HOOK_SYMBOL(stem) CUPR_VERSIONED(__cupr_##stem##_v)
#endif
/// The twin of an inlined hook that is a function: `__cupr_called_access_v1`.
#define CUPR_CALLED_SYMBOL(stem) CUPR_HOOK_SYMBOL(called_##stem)
/// That of calls whose site is no constant: `__cupr_apart_access_v1`.
#define CUPR_APART_SYMBOL(stem) CUPR_HOOK_SYMBOL(apart_##stem)

/// bool (const Trace *): whether the calling thread's block is to be recorded in this launch.
#define CUPR_RECORDING_HOOK CUPR_ABI_TEXT(CUPR_HOOK_SYMBOL(recording))

/// void (const Trace *): the first thread of a block of a kernel whose accesses are derived (slice.h) says that the
/// block has begun (begun_blocks.h), if it is to be recorded in this launch.
#define CUPR_BLOCK_HOOK CUPR_ABI_TEXT(CUPR_HOOK_SYMBOL(block))

/// void (const Trace *, u32 place, const void *): behind it, the first thread of the launch's first block says where a shared variable lies
/// that the slice needs, its `place`-th one (begun_blocks.h).
#define CUPR_PLACE_HOOK CUPR_ABI_TEXT(CUPR_HOOK_SYMBOL(place))

/// u32 (const Trace *, bool recording, bool begins): the handle that hooks of timed accesses take in place of `recording` (stage.h). `begins`: the
/// thread does, at the kernel's beginning, and its warp's stage is made ready.
#define CUPR_STAGE_HOOK CUPR_ABI_TEXT(CUPR_HOOK_SYMBOL(stage))
/// void (const Trace *, bool recording): the thread's staged records go to the queue: before it ends, and before it leaves a record that is
/// not staged.
#define CUPR_UNSTAGE_HOOK CUPR_ABI_TEXT(CUPR_HOOK_SYMBOL(unstage))

/// The parameters of the hooks that take so many pieces of values, and the names of these.
#define CUPR_PIECES_1 unsigned long long piece0
#define CUPR_PIECES_2 CUPR_PIECES_1, unsigned long long piece1
#define CUPR_PIECES_4 CUPR_PIECES_2, unsigned long long piece2, unsigned long long piece3
#define CUPR_PIECES_8                                                                                        \
  CUPR_PIECES_4, unsigned long long piece4, unsigned long long piece5, unsigned long long piece6,            \
      unsigned long long piece7
#define CUPR_PIECE_NAMES_1 piece0
#define CUPR_PIECE_NAMES_2 CUPR_PIECE_NAMES_1, piece1
#define CUPR_PIECE_NAMES_4 CUPR_PIECE_NAMES_2, piece2, piece3
#define CUPR_PIECE_NAMES_8 CUPR_PIECE_NAMES_4, piece4, piece5, piece6, piece7

namespace cupr {
namespace abi {

enum class Hook {
#define CUPR_HOOK(identifier, stem, how) identifier,
#include "hooks.def"
};

enum class HookKind { Inlined, InlinedAtOneSite, Called };

struct HookNames {
  const char *symbol;
  const char *twin; ///< of an inlined hook, as a function; null: there is none
  const char *
      apart; ///< of an inlined hook that has one site: for calls whose site is no constant; null: it is the hook itself
  unsigned accesses; ///< that a call records
};

/// By Hook, then the grouped hooks by falling size.
constexpr HookNames kHooks[] = {
#define CUPR_HOOK(identifier, stem, how)                                                                     \
  {CUPR_ABI_TEXT(CUPR_HOOK_SYMBOL(stem)),                                                                    \
   HookKind::how != HookKind::Called ? CUPR_ABI_TEXT(CUPR_CALLED_SYMBOL(stem)) : nullptr,                    \
   HookKind::how == HookKind::InlinedAtOneSite ? CUPR_ABI_TEXT(CUPR_APART_SYMBOL(stem)) : nullptr, 1},
#define CUPR_GROUP_HOOK(count, stem)                                                                         \
  {CUPR_ABI_TEXT(CUPR_HOOK_SYMBOL(stem)), CUPR_ABI_TEXT(CUPR_CALLED_SYMBOL(stem)),                           \
   CUPR_ABI_TEXT(CUPR_APART_SYMBOL(stem)), count},
#include "hooks.def"
};

constexpr const HookNames &namesOf(Hook hook) { return kHooks[static_cast<unsigned>(hook)]; }

/// The hooks that take values, and how many pieces: by rising number.
struct ValueHook {
  Hook hook;
  unsigned pieces;
};
constexpr ValueHook kValueHooks[] = {
    {Hook::Values1, 1}, {Hook::Values2, 2}, {Hook::Values4, 4}, {Hook::Values8, 8}};
/// Those of timed kernels.
constexpr ValueHook kTimedHooks[] = {{Hook::Timed2, 2}, {Hook::Timed4, 4}, {Hook::Timed8, 8}};

constexpr bool isTimed(const HookNames &hook) {
  for (const ValueHook &timed : kTimedHooks)
    if (&namesOf(timed.hook) == &hook)
      return true;
  return false;
}

/// Arguments that every hook but the grouped ones has.
enum HookArgument : unsigned { kHookTrace, kHookSite, kHookAddress, kHookRecording };
/// The first site of a call of any hook.
constexpr unsigned siteArgument(const HookNames &hook) { return hook.accesses > 1 ? 2 : +kHookSite; }

} // namespace abi
} // namespace cupr

#endif

/// Which chains of calls lead from kernels to device functions that are not inlined, and which numbers the sites have in each.
///
/// Problem: a record holds the number of its site, and has room for nothing else; but who wants to know where time or traffic goes wants to
/// know who called. So a function has its sites once for each *calling context*, and adds what its caller hands it to their numbers:
///
///     kernel:  call f()          at line 3         sites of f, called at line 3:                  0, 1
///              call g()          at line 4         sites of g:                                    2
///     g:       call f()          at line 9         sites of f, called at line 9, in g at line 4:  3, 4
///
///     define internal void @f(ptr %p, ptr %trace, i32 %context) {     ; called with 0 and with 3
///       %site = add i32 %context, 1
///       call void @__cupr_access_v6(ptr %trace, i32 %site, ptr %p, i1 %recording)
///
/// What a caller hands on is what it was handed plus a constant of the call, since numbers are given tree by tree: those of a function, then
/// those of all that its first call leads to, then its second call's ... so the tree below a function looks the same wherever it hangs.
/// A function with one context needs no argument: its numbers are constants, as a kernel's are.
///
/// Functions that call each other in a cycle (a *component*) have one context for each way into the cycle: calls within hand on what
/// they were handed. The frame in between says so (abi::FrameKind::Recursive). Functions whose signature must stay, since code that is not
/// seen calls them, have one context, with numbers of their own; direct calls get a clone, as those of any other function.
///
/// Contexts may be exponentially many. Where all sites would be more than -cupr-context-sites (--context-sites of cupr++) says (32,768), functions that have more than so many contexts have one for each call of
/// them instead, whatever led to the caller (abi::FrameKind::Merged), for the largest limit that does.
#ifndef CUPR_PASS_CALLING_CONTEXTS_H
#define CUPR_PASS_CALLING_CONTEXTS_H

#include "plan.h"
#include "site_table.h"

#include <map>
#include <vector>

namespace cupr::pass {

/// One way to a body.
struct CallingContext {
  std::uint32_t firstSite;
  std::uint32_t frame; ///< the call that led here, in the site table
};

/// What is handed to a callee that has several contexts.
struct HandedOn {
  bool isAdded; ///< to what the caller was handed
  std::uint32_t number;
};

/// Of one body: the kernel's, a clone's, or that of a function that keeps its signature.
struct BodyContexts {
  std::vector<CallingContext> contexts;
  std::uint32_t offset = 0;  ///< of its first site, from what it is handed
  bool leadsToSites = false; ///< its own, or with numbers that depend on what it is handed
  std::map<const llvm::CallBase *, HandedOn> calls;
  /// Whether numbers of sites depend on the caller, who hands it the last argument.
  bool isHanded() const { return contexts.size() > 1 && leadsToSites; }
};

class CallingContexts {
public:
  /// Which bodies there are.
  enum class Bodies {
    Clones,       ///< of kernels and functions
    ClonesAndKept ///< and functions that keep their signature, which call clones
  };
  /// Reserves the sites.
  CallingContexts(const std::vector<ContextPlan> &plans, Bodies bodies, SiteTable &sites);

  /// Null: no kernel leads there.
  const BodyContexts *ofClone(const ContextPlan &plan) const { return found(clones_, plan); }
  const BodyContexts *ofKept(const ContextPlan &plan) const { return found(kept_, plan); }

private:
  using ByPlan = std::map<const ContextPlan *, BodyContexts>;
  static const BodyContexts *found(const ByPlan &bodies, const ContextPlan &plan) {
    const auto at = bodies.find(&plan);
    return at == bodies.end() ? nullptr : &at->second;
  }

  ByPlan clones_, kept_;
};

} // namespace cupr::pass

#endif

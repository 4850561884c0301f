/// The sites of one body, as its hooks are put in: each has a number for every calling context of the body.
#ifndef CUPR_PASS_BODY_SITES_H
#define CUPR_PASS_BODY_SITES_H

#include "calling_contexts.h"

#include "llvm/IR/IRBuilder.h"

namespace cupr::pass {

class BodySites {
public:
  /// `handed`: what the body is handed by its caller; null: it has one context.
  BodySites(SiteTable &sites, const BodyContexts &contexts, llvm::Value *handed)
      : sites_(sites), contexts_(contexts), handed_(handed) {}

  /// Adds the sites of an access, one for each space that it may be in, or of an execution, one for each line; returns the first number.
  llvm::Value *add(const TracedAccess &traced, llvm::IRBuilder<> &builder) {
    const std::uint32_t first = used_;
    for (const ExecutedLine &line : traced.executed) {
      for (const CallingContext &context : contexts_.contexts)
        sites_.setExecution(context.firstSite + used_, line, /*follows=*/used_ != first, context.frame);
      ++used_;
    }
    if (used_ != first)
      return number(first, builder);
    for (unsigned index = 0; index < abi::kMemorySpaces; ++index)
      if (const auto space = static_cast<abi::MemorySpace>(index); abi::holds(traced.spaces, space)) {
        for (const CallingContext &context : contexts_.contexts)
          sites_.setAccess(context.firstSite + used_, traced, space, context.frame);
        ++used_;
      }
    return number(first, builder);
  }

  /// Adds the site at which launches of the kernel say where a shared variable lies.
  llvm::Value *add(const llvm::GlobalVariable &variable, const llvm::Function &kernel,
                   llvm::IRBuilder<> &builder) {
    sites_.setVariable(contexts_.contexts.front().firstSite + used_, variable, kernel);
    return number(used_++, builder);
  }

  /// The number of the next site, of a body with one context.
  std::uint32_t next() const { return contexts_.contexts.front().firstSite + used_; }

private:
  /// In code: of the body's site with this number in each context.
  llvm::Value *number(std::uint32_t site, llvm::IRBuilder<> &builder) const {
    return handed_ ? builder.CreateAdd(handed_, builder.getInt32(contexts_.offset + site), "cupr.site")
                   : builder.getInt32(contexts_.contexts.front().firstSite + site);
  }

  SiteTable &sites_;
  const BodyContexts &contexts_;
  llvm::Value *handed_;
  std::uint32_t used_ = 0;
};

/// How many sites the plan's accesses and variables have, in one context.
inline std::uint32_t siteCount(const ContextPlan &plan) {
  auto count = static_cast<std::uint32_t>(plan.sharedVariables.size());
  for (const TracedAccess &traced : plan.accesses)
    count += traced.executed.empty() ? static_cast<std::uint32_t>(llvm::popcount(traced.spaces))
                                     : static_cast<std::uint32_t>(traced.executed.size());
  return count;
}

} // namespace cupr::pass

#endif

/// Numbers are given in three steps: components of the call graph, callees first, by Tarjan's algorithm; how many contexts each has, callers first, and
/// with that which are merged; how large the tree below each is, callees first. Then trees are put one behind the other.
#include "calling_contexts.h"

#include "body_sites.h"

#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/CommandLine.h"

#include <algorithm>
#include <deque>
#include <memory>

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<unsigned> mostSites("cupr-context-sites", cl::init(1u << 15), cl::value_desc("sites"),
                            cl::desc("Calling contexts are merged where a module would have more sites, "
                                     "and contexts of functions, than this"));

struct Component;

/// A body, as the call graph has it.
struct Node {
  unsigned number = 0; ///< in the order of the plans
  const ContextPlan *plan = nullptr;
  BodyContexts *body = nullptr;
  bool isRoot = false; ///< nothing that is seen calls it: a kernel, or a function as it is
  std::vector<std::pair<const CallBase *, Node *>> calls; ///< in the order of the code
  std::vector<Node *> callees;                            ///< the same, for SCCIterator
  Component *component = nullptr;
};

/// A call from one component to another.
struct Way {
  Node *caller;
  const CallBase *call;
  Node *callee;
  /// Where the callee's tree begins: in the caller's tree, or if the callee is merged, among all sites.
  std::uint32_t treeAt = 0;
};

/// Bodies that call each other in a cycle; mostly one body.
struct Component {
  std::vector<Node *> members; ///< in the order of the plans
  bool isRecursive = false;
  std::vector<Way> ways;                     ///< out of it
  std::size_t waysIn = 0;                    ///< how many lead here
  std::uint64_t sites = 0;                   ///< of its members, in one context
  std::uint64_t contexts = 0, treeSites = 0; ///< treeSites: of all below it as well
  bool isMerged = false;

  bool isRoot() const { return members.front()->isRoot; }
};

} // namespace
} // namespace cupr::pass

template <> struct llvm::GraphTraits<cupr::pass::Node *> {
  using NodeRef = cupr::pass::Node *;
  using ChildIteratorType = std::vector<NodeRef>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  // NOLINTBEGIN(readability-identifier-naming): LLVM's
  static ChildIteratorType child_begin(NodeRef node) { return node->callees.begin(); }
  static ChildIteratorType child_end(NodeRef node) { return node->callees.end(); }
  // NOLINTEND(readability-identifier-naming)
};

namespace cupr::pass {
namespace {

class Numbering {
public:
  Numbering(std::deque<Node> &nodes, SiteTable &sites) : nodes_(nodes), sites_(sites) {}

  void run() {
    findComponents();
    std::uint64_t limit = mostSites;
    while (countSites(limit) > mostSites && limit > 0)
      limit /= 2;
    layOut();
    for (Node &node : nodes_)
      if (node.isRoot)
        place(*node.component, sites_.reserve(node.component->treeSites), outsideOf(node), node);
    for (const auto &component : reverse(components_))
      placeMerged(*component, limit);
    for (const auto &component : components_)
      handOn(*component);
  }

private:
  void findComponents() {
    Node entry;
    for (Node &node : nodes_)
      if (node.isRoot)
        entry.callees.push_back(&node);
    for (auto at = scc_begin(&entry); !at.isAtEnd(); ++at) {
      if (at->front() == &entry)
        continue;
      Component &component = *components_.emplace_back(std::make_unique<Component>());
      component.isRecursive = at.hasCycle();
      component.members = *at;
      sort(component.members, [](const Node *a, const Node *b) { return a->number < b->number; });
      for (Node *member : component.members)
        member->component = &component;
    }
    for (const auto &component : components_)
      for (Node *member : component->members) {
        component->sites += siteCount(*member->plan);
        for (const auto &[call, callee] : member->calls)
          if (callee->component != component.get()) {
            component->ways.push_back({member, call, callee, 0});
            ++callee->component->waysIn;
          }
      }
  }

  /// Merges what has more contexts than `limit`, and counts the sites of all, and the contexts, which take memory, too.
  std::uint64_t countSites(std::uint64_t limit) {
    std::uint64_t sum = 0;
    for (const auto &component : components_)
      component->contexts = component->isRoot() ? 1 : 0;
    for (const auto &component : reverse(components_)) {
      const std::uint64_t merged = limit == 0 ? 1 : component->waysIn;
      component->isMerged = !component->isRoot() && component->contexts > std::max(limit, merged);
      if (component->isMerged)
        component->contexts = merged;
      for (const Way &way : component->ways)
        way.callee->component->contexts += component->contexts;
      sum += component->contexts * (component->sites + component->members.size());
    }
    return sum;
  }

  void layOut() {
    for (const auto &component : components_) {
      std::uint64_t size = 0;
      for (Node *member : component->members) {
        member->body->offset = static_cast<std::uint32_t>(size);
        size += siteCount(*member->plan);
      }
      for (Way &way : component->ways) {
        way.treeAt = static_cast<std::uint32_t>(size);
        if (const Component &callee = *way.callee->component; !callee.isMerged)
          size += callee.treeSites;
      }
      component->treeSites = size;
      for (Node *member : component->members)
        member->body->leadsToSites = size != 0;
    }
  }

  std::uint32_t outsideOf(const Node &root) {
    return root.plan->keepsSignature ? sites_.addPlaceless(abi::FrameKind::Indirect) : +abi::kNoFrame;
  }

  /// Gives a context to a component that was entered at `entry` from `frame`, and to all below it.
  void place(Component &component, std::uint32_t base, std::uint32_t frame, const Node &entry) {
    if (component.isRecursive)
      frame = sites_.addRecursion(*entry.plan->context->function, frame);
    for (Node *member : component.members)
      member->body->contexts.push_back({base + member->body->offset, frame});
    for (const Way &way : component.ways)
      if (Component &callee = *way.callee->component; !callee.isMerged)
        place(callee, base + way.treeAt, sites_.addCall(*way.call, frame), *way.callee);
  }

  /// The callees of `component` that are merged: a context for each call, or one for all.
  void placeMerged(Component &component, std::uint64_t limit) {
    for (Way &way : component.ways) {
      Component &callee = *way.callee->component;
      if (!callee.isMerged)
        continue;
      if (limit == 0 && !callee.members.front()->body->contexts.empty()) {
        const BodyContexts &known = *callee.members.front()->body;
        way.treeAt = known.contexts.front().firstSite - known.offset;
        continue;
      }
      way.treeAt = sites_.reserve(callee.treeSites);
      const std::uint32_t merged = sites_.addPlaceless(abi::FrameKind::Merged);
      place(callee, way.treeAt, limit == 0 ? merged : sites_.addCall(*way.call, merged), *way.callee);
    }
  }

  /// What the component's bodies hand on at their calls.
  static void handOn(const Component &component) {
    for (Node *member : component.members)
      for (const auto &[call, callee] : member->calls)
        member->body->calls[call] = {true, 0}; // what stays in the component
    for (const Way &way : component.ways)
      way.caller->body->calls[way.call] = {!way.callee->component->isMerged, way.treeAt};
    for (Node *member : component.members)
      if (BodyContexts &body = *member->body; !body.isHanded())
        for (auto &[call, handed] : body.calls)
          if (handed.isAdded)
            handed = {false, body.contexts.front().firstSite - body.offset + handed.number};
  }

  std::deque<Node> &nodes_;
  SiteTable &sites_;
  std::vector<std::unique_ptr<Component>> components_; ///< callees first
};

} // namespace

CallingContexts::CallingContexts(const std::vector<ContextPlan> &plans, Bodies bodies, SiteTable &sites) {
  std::deque<Node> nodes;
  DenseMap<const Context *, Node *> clones;
  const auto add = [&](const ContextPlan &plan, ByPlan &to, bool isRoot) {
    Node &node = nodes.emplace_back();
    node.number = static_cast<unsigned>(nodes.size());
    node.plan = &plan;
    node.body = &to[&plan];
    node.isRoot = isRoot;
    return &node;
  };
  for (const ContextPlan &plan : plans)
    if (plan.hasClone())
      clones[plan.context] = add(plan, clones_, isKernel(*plan.context->function));
  for (const ContextPlan &plan : plans)
    if (plan.isKept() && bodies == Bodies::ClonesAndKept)
      add(plan, kept_, /*isRoot=*/true);
  for (Node &node : nodes)
    for (Instruction &instruction : instructions(*node.plan->context->function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Node *callee = clones.lookup(node.plan->context->calls.lookup(call))) {
          node.calls.emplace_back(call, callee);
          node.callees.push_back(callee);
        }
  Numbering(nodes, sites).run();
  std::erase_if(clones_, [](const auto &body) { return body.second.contexts.empty(); });
}

} // namespace cupr::pass

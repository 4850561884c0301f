#include "source_loops.h"

#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace cupr::pass {

SourceLoops SourceLoops::take(Module &module, const ColumnMap &columns) {
  SourceLoops all;
  NamedMDNode *const nodes = module.getNamedMetadata(abi::kSourceLoops);
  if (!nodes)
    return all;
  StringMap<std::vector<abi::SourceLoop>> files;
  for (const MDNode *node : nodes->operands()) {
    const auto *const text =
        node->getNumOperands() == 1 ? dyn_cast_or_null<MDString>(node->getOperand(0)) : nullptr;
    abi::SourceLoop loop{};
    std::string file;
    if (!text || !abi::readLoop(text->getString().str(), loop, file))
      continue;
    for (abi::SourcePoint *const point : {&loop.begin, &loop.end})
      point->column = columns.original(file, point->line, point->column);
    files[file].push_back(loop);
  }
  for (auto &file : files)
    all.files_.try_emplace(file.first(), std::move(file.second));
  nodes->eraseFromParent();
  return all;
}

void SourceLoops::addAround(StringRef file, abi::SourcePoint place, std::set<std::string> &to) const {
  const auto known = files_.find(file);
  if (known == files_.end())
    return;
  const abi::LoopNest &nest = known->second;
  nest.around(place, [&](std::size_t index) {
    to.insert(abi::loopText(nest.loops()[index], file.str()));
    return true;
  });
}

} // namespace cupr::pass

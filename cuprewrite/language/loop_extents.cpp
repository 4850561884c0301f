#include "loop_extents.h"

#include "devicelib/abi/unit_suffix.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace clang;

namespace cupr::language {

void LoopExtents::add(const ForStmt &loop) {
  add(abi::LoopKind::For, loop.getSourceRange());
  addEntry(loop.getInit(), {loop.getCond(), loop.getInc(), loop.getBody()});
}

void LoopExtents::add(const WhileStmt &loop) { add(abi::LoopKind::While, loop.getSourceRange()); }

void LoopExtents::add(const DoStmt &loop) { add(abi::LoopKind::Do, loop.getSourceRange()); }

void LoopExtents::add(const CXXForRangeStmt &loop) {
  add(abi::LoopKind::RangeFor, loop.getSourceRange());
  addEntry(loop.getInit(), {loop.getLoopVarStmt(), loop.getBody()});
  addEntry(loop.getRangeInit(), {loop.getBody()});
}

void LoopExtents::addNested(const FunctionDecl &function) {
  for (const DeclContext *around = function.getDeclContext(); around && !around->isFileContext();
       around = around->getParent())
    if (around->isFunctionOrMethod())
      return add(abi::LoopKind::Function, function.getBody()->getSourceRange());
}

void LoopExtents::add(abi::LoopKind kind, SourceRange range) {
  if (range.isInvalid())
    return;
  const PresumedLoc begin = sources_.getPresumedLoc(beginOf(range.getBegin())),
                    end = sources_.getPresumedLoc(endOf(range.getEnd()));
  if (begin.isInvalid() || end.isInvalid() || llvm::StringRef(begin.getFilename()) != end.getFilename())
    return;
  Extent extent{{kind, {begin.getLine(), begin.getColumn()}, {end.getLine(), end.getColumn()}},
                begin.getFilename()};
  if (abi::isSound(extent.loop))
    extents_.push_back(std::move(extent));
}

void LoopExtents::addEntry(const Stmt *entry, std::initializer_list<const Stmt *> others) {
  if (!entry)
    return;
  for (const Stmt *const other : others)
    if (other &&
        !sources_.isBeforeInTranslationUnit(endOf(entry->getEndLoc()), beginOf(other->getBeginLoc())))
      return;
  add(abi::LoopKind::Entry, entry->getSourceRange());
}

SourceLocation LoopExtents::beginOf(SourceLocation location) const { return sources_.getFileLoc(location); }

SourceLocation LoopExtents::endOf(SourceLocation location) const {
  while (location.isMacroID())
    location = sources_.isMacroArgExpansion(location)
                   ? sources_.getImmediateSpellingLoc(location)
                   : sources_.getImmediateExpansionRange(location).getEnd();
  return location;
}

namespace {

std::string absolutePath(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> path(name);
  if (!llvm::sys::path::is_absolute(name) && !folder.empty()) {
    path = folder;
    llvm::sys::path::append(path, name);
  }
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

/// As the assembler reads it.
std::string quoted(llvm::StringRef text) {
  std::string all;
  llvm::raw_string_ostream out(all);
  for (const unsigned char letter : text)
    if (llvm::isPrint(static_cast<char>(letter)) && letter != '"' && letter != '\\')
      out << letter;
    else // three octal digits
      out << '\\' << static_cast<char>('0' + letter / 64) << static_cast<char>('0' + letter / 8 % 8)
          << static_cast<char>('0' + letter % 8);
  return all;
}

} // namespace

void tellLoops(llvm::Module &module, const FunctionLoops &loops, bool isOfDevice) {
  std::set<std::string> texts;
  for (const llvm::Function &function : module) {
    const llvm::DISubprogram *const described = function.getSubprogram();
    const auto known = described ? loops.find(abi::withoutUnit(function.getName().str())) : loops.end();
    if (known == loops.end())
      continue;
    for (const LoopExtents::Extent &extent : known->second)
      texts.insert(abi::loopText(extent.loop, absolutePath(described->getDirectory(), extent.file)));
  }
  if (texts.empty())
    return;
  if (isOfDevice) {
    llvm::NamedMDNode *const all = module.getOrInsertNamedMetadata(abi::kSourceLoops);
    for (const std::string &text : texts)
      all->addOperand(llvm::MDNode::get(module.getContext(), llvm::MDString::get(module.getContext(), text)));
    return;
  }
  std::string assembly = std::string(".pushsection ") + abi::kLoopSection + ",\"MS\",@progbits,1\n";
  for (const std::string &text : texts)
    assembly += ".asciz \"" + quoted(text) + "\"\n";
  module.appendModuleInlineAsm(assembly + ".popsection\n");
}

} // namespace cupr::language

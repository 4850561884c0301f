/// Keeps LLVM's vectoriser of loads and stores from taking two addresses for one.
///
/// It looks for accesses that are so many bytes apart, and compares two addresses by their last index alone where all else
/// is the same: the pointer, how many indices there are, and all indices but the last (LLVM 22, getConstantOffsetComplexAddrs in
/// lib/Transforms/Vectorize/LoadStoreVectorizer.cpp). What the index counts is not compared. So these are no bytes apart to it, and
/// one load is taken for the other:
///
///     %x = getelementptr i32, ptr %p, i64 %n
///     %y = getelementptr %struct.uint4, ptr %p, i64 %n
///
/// The back end lowers addresses to bytes before it vectorises. Here, where it is done earlier, those that could be confused are:
///
///     %x = getelementptr i32, ptr %p, i64 %n
///     %o = mul i64 %n, 16
///     %y = getelementptr i8, ptr %p, i64 %o
#ifndef CUPR_PASS_BYTE_OFFSETS_H
#define CUPR_PASS_BYTE_OFFSETS_H

#include "llvm/IR/PassManager.h"

namespace cupr::pass {

class ByteOffsetsPass : public llvm::PassInfoMixin<ByteOffsetsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace cupr::pass

#endif

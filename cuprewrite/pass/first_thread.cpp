#include "first_thread.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace cupr::pass {

void moveIntoFirstThread(IRBuilder<> &builder, Instruction &before) {
  Value *place = builder.getInt32(0); // not 0 in all threads but the first
  for (const Intrinsic::ID index : {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                    Intrinsic::nvvm_read_ptx_sreg_tid_z})
    place = builder.CreateOr(place, builder.CreateIntrinsic(builder.getInt32Ty(), index, {}));
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(builder.CreateIsNull(place, "cupr.first"),
                                                   before.getIterator(), /*Unreachable=*/false));
}

} // namespace cupr::pass

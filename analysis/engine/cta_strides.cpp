/// Shapes become strides as late as that: one shape has up to three.
#include "cta_strides.h"

namespace cupr::analysis {

void CtaStrides::moveTo(std::vector<CtaStride> &to) {
  using enum CtaStride::Kind;
  sums_.forEach([&](const Sum &sum) {
    const AccessShape &shape = shapes_[sum.shape];
    const auto add = [&](CtaStride::Kind kind, const ShapeBytes &bytes) {
      const auto put = [&](std::uint64_t stride, std::uint64_t more) {
        to.push_back({sum.launch, sum.cta, kind, stride, more});
      };
      if (sum.writes)
        forEachWrittenStride(shape, bytes, put);
      else
        forEachStride(shape, bytes, put);
    };
    add(sum.writes ? Stores : Loads, sum.flow.communicated);
    add(sum.writes ? HandedOnStores : HandedOnLoads, sum.flow.handedOn);
  });
  sums_.clear();
}

} // namespace cupr::analysis

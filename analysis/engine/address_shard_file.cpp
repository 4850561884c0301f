/// A shard on its way to disk, and back, between two batches of the trace.
#include "address_shard.h"

namespace cupr::analysis {

void AddressShard::save(std::FILE *file) {
  memory_.save(file);
  readings_.save(file);
  replaced_.save(file);
  reads_.save(file);
  writes_.save(file);
  otherReads_.save(file);
  late_.save(file);
  lateReads_.save(file);
  contributors_.save(file);
  growingSets_.save(file);
  producerSets_.save(file);
  saveVector(file, handedOn_);
  if (traffic_)
    traffic_->save(file);
}

void AddressShard::load(std::FILE *file) {
  std::rewind(file);
  memory_.load(file);
  readings_.load(file);
  replaced_.load(file);
  reads_.load(file);
  writes_.load(file);
  otherReads_.load(file);
  late_.load(file);
  lateReads_.load(file);
  contributors_.load(file);
  growingSets_.load(file);
  producerSets_.load(file);
  loadVector(file, handedOn_);
  for (const HandedOn &handed : handedOn_)
    numbersOfHandedOn_.try_emplace(handed, writerOfHandedOn(numbersOfHandedOn_.size()));
  if (traffic_)
    traffic_->load(file);
}

} // namespace cupr::analysis

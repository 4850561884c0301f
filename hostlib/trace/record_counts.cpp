#include "record_counts.h"

namespace cupr::trace {

SiteWeights weightsOf(const Module &module) {
  SiteWeights weights;
  weights.reserve(module.sites.size());
  for (const Site &site : module.sites)
    weights.push_back(
        {site.bytes, isAccess(site)
                         ? static_cast<std::uint32_t>(abi::spaceOf(site.space)) * abi::kOperationClasses +
                               static_cast<std::uint32_t>(abi::operationClass(site.operation))
                         : SiteWeight::kNoAccess});
  return weights;
}

FormCounts RecordCounts::total() const {
  FormCounts total;
  for (const FormCounts &form : forms) {
    total.records += form.records;
    total.words += form.words;
    total.accesses += form.accesses;
  }
  return total;
}

RecordCounts &RecordCounts::operator+=(const RecordCounts &other) {
  for (unsigned form = 0; form < abi::kRecordForms; ++form) {
    forms[form].records += other.forms[form].records;
    forms[form].words += other.forms[form].words;
    forms[form].accesses += other.forms[form].accesses;
  }
  counts += other.counts;
  malformedWords += other.malformedWords;
  unknownSites += other.unknownSites;
  for (const auto &[site, more] : other.boxes) {
    boxes[site].copies += more.copies;
    boxes[site].ranges += more.ranges;
    boxes[site].unknown += more.unknown;
  }
  return *this;
}

std::vector<Word> RunCount::rangesOf(abi::BoxRecord box) {
  box.head.cta = abi::ctaOf(box.head.cta);
  box.head.where = abi::withoutGeneration(box.head.where);
  std::vector<Word> ranges;
  RecordCounts::Boxes &boxes = boxes_[abi::siteOf(box.head.siteAndForm)];
  if (const abi::TensorMap *const map = maps_->find(box.head.base))
    appendRanges(box, *map, ranges);
  else
    ++boxes.unknown;
  ++boxes.copies;
  boxes.ranges += ranges.size() / kRangeWords;
  return ranges;
}

RecordCounts &RecordCounts::operator-=(const RecordCounts &other) {
  for (unsigned form = 0; form < abi::kRecordForms; ++form) {
    forms[form].records -= other.forms[form].records;
    forms[form].words -= other.forms[form].words;
    forms[form].accesses -= other.forms[form].accesses;
  }
  counts -= other.counts;
  malformedWords -= other.malformedWords;
  unknownSites -= other.unknownSites;
  return *this;
}

void RunCount::addTo(RecordCounts &recordCounts, std::uint64_t times) const {
  RecordCounts run;
  for (unsigned form = 0; form < abi::kRecordForms; ++form)
    run.forms[form] = {forms_[form].records * times, forms_[form].words * times,
                       forms_[form].accesses * times};
  run.malformedWords = malformedWords_ * times;
  run.unknownSites = unknownSites_ * times;
  run.boxes = boxes_;
  for (unsigned place = 0; place < SiteWeight::kNoAccess; ++place)
    if (threads_[place] != 0)
      run.counts.in(static_cast<abi::MemorySpace>(place / abi::kOperationClasses))
          .add(static_cast<abi::OperationClass>(place % abi::kOperationClasses), threads_[place] * times,
               bytes_[place] * times);
  recordCounts += run;
}

std::uint64_t RunCount::words() const {
  std::uint64_t words = 0;
  for (const FormCounts &form : forms_)
    words += form.words;
  return words;
}

} // namespace cupr::trace

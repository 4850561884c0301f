/// Readers of one trace for many threads, one for each.
#ifndef CUPR_ANALYSIS_THREAD_READERS_H
#define CUPR_ANALYSIS_THREAD_READERS_H

#include "analysis/model/model.h"

#include <memory>
#include <tbb/enumerable_thread_specific.h>

namespace cupr::analysis {

class ThreadReaders {
public:
  explicit ThreadReaders(const Model &model) : model_(model) {}

  /// Of the calling thread. Throws BadTrace.
  trace::Reader &mine() {
    std::unique_ptr<trace::Reader> &reader = readers_.local();
    std::string error;
    if (!reader)
      reader = trace::Reader::open(model_.path(), error);
    if (!reader)
      throw BadTrace(error);
    if (reader->fileBytes() < model_.reader().fileBytes())
      reader->grow();
    return *reader;
  }

private:
  const Model &model_;
  tbb::enumerable_thread_specific<std::unique_ptr<trace::Reader>> readers_;
};

} // namespace cupr::analysis

#endif

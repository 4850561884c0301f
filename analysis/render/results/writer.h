/// Where members of the results go, and what several of them need.
#ifndef CUPR_ANALYSIS_RENDER_RESULTS_WRITER_H
#define CUPR_ANALYSIS_RENDER_RESULTS_WRITER_H

#include "analysis/output/json.h"
#include "analysis/tables/table.h"

#include <functional>
#include <initializer_list>
#include <string_view>

namespace cupr::analysis {

struct ResultsWriter {
  /// Hands on what is there, so that memory doesn't grow with the text.
  void put() {
    constexpr std::uint64_t kStepsPerCharacter = 10;
    source.model.limit().spend(kStepsPerCharacter * json.text().size(),
                               [] { return std::string("writing results"); });
    write(json.take());
  }
  void putWhenLarge() {
    if (json.text().size() > (1u << 20))
      put();
  }

  /// The members of the object that is open: those of the only row.
  void row(const ResultTable &table);
  /// A list of objects.
  void rows(std::string_view key, const ResultTable &table);
  /// An object of lists, one for each of `names`: rows begin with theirs, and come in this order.
  void groups(std::string_view key, const ResultTable &table, std::initializer_list<std::string_view> names);

  const ResultSource &source;
  const std::function<void(std::string_view)> &write;
  Json json{Json::Style::Line};
};

} // namespace cupr::analysis

#endif

/// One table, since a CSV file has one heading.
#include "csv_table.h"
#include "exporter.h"

namespace cupr::analysis {

namespace {

class CsvExporter final : public RowExporter {
public:
  CsvExporter(const Model &model, ByteSink &sink, RowKindId table)
      : RowExporter(model, isShapeOfAccesses(table) ? table : RowKindId::Record), sink_(sink), table_(table),
        lines_(sink, rowKind(table)) {}

  void row(RowKindId kind, const Values &values) override {
    if (kind == table_)
      lines_.row(values);
  }
  void finish() override { sink_.finish(); }

private:
  ByteSink &sink_;
  const RowKindId table_;
  CsvTable lines_;
};

} // namespace

std::unique_ptr<Exporter> csvExporter(const Model &model, ByteSink &sink, RowKindId table) {
  return std::make_unique<CsvExporter>(model, sink, table);
}

} // namespace cupr::analysis

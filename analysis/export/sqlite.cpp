/// Records become one row per thread; a view joins them with what they name by number.
#include "exporter.h"

#include "schema.h"
#include "sqlite_tables.h"

namespace cupr::analysis {

namespace {

class SqliteExporter final : public RowExporter {
public:
  SqliteExporter(const Model &model, const PendingFile &file)
      : RowExporter(model, RowKindId::Access), tables_(file, kRowKinds, sqlSchema()) {}

  void row(RowKindId kind, const Values &values) override {
    constexpr std::uint64_t kStepsPerRow = 800; // beside what it takes to make it, indices counted
    steps_ += kStepsPerRow;
    tables_.row(static_cast<std::size_t>(kind), values);
  }
  void finish() override { tables_.finish(sqlIndices()); }

private:
  SqliteTables tables_;
};

} // namespace

std::unique_ptr<Exporter> sqliteExporter(const Model &model, const PendingFile &file) {
  return std::make_unique<SqliteExporter>(model, file);
}

} // namespace cupr::analysis

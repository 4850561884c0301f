#include "bank_table.h"

#include "analysis/engine/bank_json.h"
#include "analysis/output/text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace cupr::analysis {

namespace {

std::vector<unsigned> threadsOf(std::uint32_t lanes) {
  std::vector<unsigned> threads;
  for (; lanes != 0; lanes &= lanes - 1)
    threads.push_back(static_cast<unsigned>(std::countr_zero(lanes)));
  return threads;
}

/// "0-3,8".
std::string rangesText(std::uint32_t lanes) {
  std::string text;
  while (lanes != 0) {
    const int first = std::countr_zero(lanes), count = std::countr_one(lanes >> first);
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (count > 1)
      text += fmt::format("-{}", first + count - 1);
    lanes = first + count == abi::kLanes ? 0 : lanes >> (first + count) << (first + count);
  }
  return text;
}

bool isAtomic(const Record &record) {
  return abi::operationClass(record.site->operation) == abi::OperationClass::Atomic;
}

std::string threadsText(const BankUse &bank, bool takeTurns) {
  std::string text;
  const auto add = [&](const std::string &one) { text += (text.empty() ? "" : " | ") + one; };
  for (const BankWord &word : bank.words)
    if (takeTurns)
      for (const unsigned thread : threadsOf(word.lanes))
        add(fmt::format("{}", thread));
    else
      add(rangesText(word.lanes));
  return text;
}

} // namespace

std::string BankTable::text() const {
  const std::vector<std::string_view> names = namesOfAccessed(variables, launch, record.access);
  const BankFigures figures = bankFigures(record, width);
  const trace::Dim3 block = placeInGrid(launch.launch.grid, record.access.cta);
  std::string text =
      fmt::format("launch {}, block {},{},{}, warp {}: {} of {} bytes{}{} at {}:{}:{}\n"
                  "{} wavefronts for {} {}, where {} would do\n",
                  static_cast<std::uint64_t>(launch.launch.id), block.x, block.y, block.z, record.access.warp,
                  abi::operationName(record.site->operation), record.site->bytes, names.empty() ? "" : " of ",
                  shown(fmt::format("{}", fmt::join(names, ", "))), shown(module.strings[record.site->file]),
                  record.site->line, record.site->column, figures.wavefronts, figures.requests,
                  figures.requests == 1 ? "request" : "requests", figures.idealWavefronts);
  const std::vector<BankPhase> phases = bankPhases(record, width);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases.size() > 1)
      text += fmt::format("\nphase {} of {}, wavefronts: {}\n", i + 1, phases.size(), phases[i].wavefronts);
    using enum Table::Align;
    Table table({Right, Left, Left});
    table.row({"bank", "conflict", "threads"});
    for (const BankUse &bank : phases[i].banks)
      table.row({fmt::format("{}", bank.bank), bank.turns > 1 ? fmt::format("{}-way", bank.turns) : "",
                 threadsText(bank, isAtomic(record))});
    text += table.text();
  }
  return text;
}

std::string BankTable::json() const {
  Json json;
  json.beginObject();
  json.field("launch", static_cast<std::uint64_t>(launch.launch.id)).field("kernel", launch.kernel);
  json.field("cta", record.access.cta).field("warp", record.access.warp);
  json.field("file", module.strings[record.site->file]).field("line", record.site->line);
  json.field("column", record.site->column);
  json.field("operation", abi::operationName(record.site->operation)).field("bytes", record.site->bytes);
  addBanks(json, record, width, launch, variables);
  json.endObject();
  return json.take();
}

} // namespace cupr::analysis

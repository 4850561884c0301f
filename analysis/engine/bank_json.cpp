#include "bank_json.h"

#include <bit>
#include <string_view>

namespace cupr::analysis {

void addBanks(Json &json, const Record &record, BankWidth width, const LaunchInfo &launch,
              std::span<const SharedVariable> variables) {
  json.key("variables").beginArray();
  for (const std::string_view name : namesOfAccessed(variables, launch, record.access))
    json.value(name);
  json.endArray();
  const BankFigures figures = bankFigures(record, width);
  json.field("requests", figures.requests).field("wavefronts", figures.wavefronts);
  json.field("idealWavefronts", figures.idealWavefronts).key("phases").beginArray();
  for (const BankPhase &phase : bankPhases(record, width)) {
    json.beginObject().field("wavefronts", phase.wavefronts).key("banks").beginArray();
    for (const BankUse &bank : phase.banks) {
      json.beginObject().field("bank", bank.bank).field("turns", bank.turns).key("words").beginArray();
      for (const BankWord &word : bank.words) {
        json.beginObject().field("word", word.word).key("threads").beginArray();
        for (std::uint32_t left = word.lanes; left != 0; left &= left - 1)
          json.value(std::countr_zero(left));
        json.endArray().endObject();
      }
      json.endArray().endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();
}

} // namespace cupr::analysis

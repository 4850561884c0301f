/// RAW, WAR and WAW between places in the program.
#include "members.h"
#include "place_text.h"

#include <algorithm>
#include <vector>

namespace cupr::analysis {

namespace {

void place(ResultsWriter &to, const char *key, const Place &place) {
  const PlaceText text = placeText(to.model, to.communication, place);
  to.json.key(key).beginObject().field("kernel", text.kernel).field("file", text.file);
  to.json.field("line", text.line).field("column", text.column);
  to.json.field("operation", text.operation).endObject();
}

} // namespace

void dependences(ResultsWriter &to) {
  std::vector<const std::pair<const Dependence, DependenceVolume> *> sorted;
  for (const auto &entry : to.communication.dependences)
    sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto *a, const auto *b) {
    return a->second.bytes != b->second.bytes ? a->second.bytes > b->second.bytes : a->first < b->first;
  });
  to.json.key("dependences").beginArray();
  for (const auto *entry : sorted) {
    const auto &[dependence, volume] = *entry;
    const bool ordered = dependence.dependence.order == DependenceOrder::Ordered;
    to.json.beginObject().field("kind", dependenceName(dependence.dependence.kind));
    to.json.field("order", dependenceName(dependence.dependence.order));
    to.json.field("guaranteed", ordered).field("directed", ordered);
    place(to, "first", dependence.first);
    place(to, "second", dependence.second);
    to.json.field("bytes", volume.bytes).field("sameIndexBytes", volume.sameIndex);
    to.json.field("otherIndexBytes", volume.otherIndex).endObject();
    to.putWhenLarge();
  }
  to.json.endArray();
}

} // namespace cupr::analysis

#include "list.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cupr::rewrite {

namespace json = llvm::json;

namespace {

constexpr const char *kFormat = "cuprewrite-list";
constexpr int kVersion = 1;

/// How a subject and a treatment are written, for programs and for people.
template <class Value> struct Named {
  Value value;
  const char *json, *text, *plural;
};
constexpr Named<Subject> kSubjects[] = {
    {Subject::Kernel, "kernel", "kernel", "kernels"},
    {Subject::DeviceFunction, "deviceFunction", "device function", "device functions"},
    {Subject::Launch, "launch", "launch", "launches"},
    {Subject::Call, "call", "call", "calls"},
};
constexpr Named<Treatment> kTreatments[] = {
    {Treatment::Augmented, "augmented", "augmented", ""},
    {Treatment::Carried, "carried", "carried", ""},
    {Treatment::LeftAlone, "leftAlone", "left alone", ""},
};

template <class Value, std::size_t N> const Named<Value> &find(const Named<Value> (&names)[N], Value value) {
  return *std::find_if(names, names + N, [&](const Named<Value> &name) { return name.value == value; });
}

std::string placeText(const Place &place, const Facts &facts) {
  return fmt::format("{}:{}:{}", facts.file(place.file).shown(), place.line, place.column);
}

json::Object placeJson(const Place &place, const Facts &facts) {
  return json::Object{{"file", json::fixUTF8(facts.file(place.file).shown())},
                      {"line", place.line},
                      {"column", place.column}};
}

std::string whyText(const Decision &decision, const Facts &facts) {
  std::string out = decision.reason;
  if (decision.because)
    out += fmt::format(" ({})", placeText(*decision.because, facts));
  if (!decision.caution.empty())
    out += (out.empty() ? "" : ", ") + decision.caution;
  return out;
}

} // namespace

std::string tableText(const std::vector<Decision> &decisions, const Facts &facts) {
  std::vector<std::array<std::string, 5>> rows;
  std::array<std::size_t, 5> widths{};
  for (const Decision &decision : decisions) {
    std::string what = find(kSubjects, decision.subject).text;
    if (!decision.form.empty())
      what += ' ' + decision.form;
    rows.push_back({placeText(decision.place, facts), std::move(what),
                    decision.name.empty() ? "-" : decision.name, find(kTreatments, decision.treatment).text,
                    whyText(decision, facts)});
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], rows.back()[i].size());
  }
  std::string out;
  for (const auto &row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}  ", row[i], widths[i]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

std::string listText(const std::vector<Decision> &decisions, const Facts &facts) {
  std::string out = tableText(decisions, facts);
  const char *separator = "";
  for (const Named<Subject> &subject : kSubjects) {
    std::string counts;
    for (const Named<Treatment> &treatment : kTreatments)
      if (subject.value != Subject::Call || treatment.value == Treatment::LeftAlone)
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ",
                              count(decisions, subject.value, treatment.value), treatment.text);
    out += fmt::format("{}{}: {}", separator, subject.plural, counts);
    separator = "; ";
  }
  return out + '\n';
}

std::string listJson(const std::vector<Decision> &decisions, const Facts &facts) {
  json::Array items;
  for (const Decision &decision : decisions) {
    json::Object item = placeJson(decision.place, facts);
    item["what"] = find(kSubjects, decision.subject).json;
    item["name"] = json::fixUTF8(decision.name);
    item["treatment"] = find(kTreatments, decision.treatment).json;
    item["form"] = json::fixUTF8(decision.form);
    item["reason"] = json::fixUTF8(decision.reason);
    item["reasonAt"] =
        decision.because ? json::Value(placeJson(*decision.because, facts)) : json::Value(nullptr);
    item["caution"] = json::fixUTF8(decision.caution);
    items.push_back(std::move(item));
  }
  json::Object counts;
  for (const Named<Subject> &subject : kSubjects) {
    json::Object of;
    for (const Named<Treatment> &treatment : kTreatments)
      of[treatment.json] = count(decisions, subject.value, treatment.value);
    counts[subject.json] = std::move(of);
  }
  json::Value document = json::Object{
      {"format", kFormat}, {"version", kVersion}, {"counts", std::move(counts)}, {"items", std::move(items)}};
  std::string out;
  llvm::raw_string_ostream(out) << llvm::formatv("{0:2}\n", document);
  return out;
}

} // namespace cupr::rewrite

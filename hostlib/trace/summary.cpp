#include "summary.h"

#include "devicelib/abi/standard_error.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace cupr::trace {

namespace {

/// By abi::RecordForm.
constexpr std::array<const char *, abi::kRecordForms> kFormNames = {
#define CUPR_RECORD_FORM(enumerator, name, kind, lanesPerWord) name,
#include "devicelib/abi/record_form.def"
};

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string field(const char *name, std::uint64_t value) {
  return std::string(",\"") + name + "\":" + std::to_string(value);
}

} // namespace

std::string summaryOf(const char *sink, const Process &process, const Totals &totals) {
  const FormCounts all = totals.recordCounts.total();
  std::uint64_t accessBytes = 0;
  for (unsigned space = 0; space < abi::kMemorySpaces; ++space)
    accessBytes += totals.recordCounts.counts.in(static_cast<abi::MemorySpace>(space)).bytes();
  std::string line = "{\"format\":\"cupr-summary\",\"version\":1,\"sink\":" + quoted(sink) +
                     field("pid", process.pid) + ",\"program\":" + quoted(process.program) +
                     field("launches", totals.launches) + field("traced", totals.traced) +
                     field("records", all.records) + field("words", all.words) +
                     field("accesses", all.accesses) + field("accessBytes", accessBytes) + ",\"forms\":{";
  const char *separator = "";
  for (unsigned form = 0; form < abi::kRecordForms; ++form) {
    const FormCounts &counts = totals.recordCounts.forms[form];
    if (counts.records == 0)
      continue;
    line += separator + quoted(kFormNames[form]) + ":{\"records\":" + std::to_string(counts.records) +
            field("words", counts.words) + field("accesses", counts.accesses) + "}";
    separator = ",";
  }
  return line + "}}";
}

void appendSummary(const std::string &path, const char *sink, const Process &process, const Totals &totals) {
  if (path.empty())
    return;
  const std::string line = summaryOf(sink, process, totals) + "\n";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    abi::say("cuprewrite: can't write the summary to '%s': %s\n", path.c_str(), std::strerror(errno));
  if (file >= 0)
    ::close(file);
}

} // namespace cupr::trace

/// Any bytes as a trace: the reader and the verifier say what is wrong, and never crash, hang
/// or take memory that the bytes don't justify. Also: what decodes encodes to what decodes the
/// same, and any bytes as a site table and as columns.
#include "analysis/verify/verifier.h"
#include "framed_input.h"
#include "hostlib/trace/columns.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/warp_columns.h"

#include <algorithm>
#include <array>
#include <cstdlib>

using namespace cupr;
using namespace cupr::trace;

namespace {

void readAndVerify(const std::string &bytes) {
  test::MemoryFile file(bytes);
  std::string error;
  auto reader = Reader::open(file.path(), error);
  if (!reader)
    std::abort();
  const Verdict verdict = verify(*reader);
  Message message;
  const ReadStatus status = reader->next(message); // says the same again
  if (status == ReadStatus::Message || (status != ReadStatus::End && verdict.problems.empty()))
    std::abort();
}

void roundTrips(const std::string &bytes) {
  test::MemoryFile file(bytes);
  std::string error;
  auto reader = Reader::open(file.path(), error);
  Message message, again;
  while (reader->next(message) == ReadStatus::Message) {
    const Payload payload = std::visit([](const auto &value) { return encode(value); }, message);
    if (!decode(payload, again).empty() || again.index() != message.index() ||
        std::visit([](const auto &value) { return encode(value); }, again) != payload)
      std::abort();
  }
}

/// Any bytes as the columns of both encodings, behind three numbers: of records, of words, and of dense bytes
/// at the end.
void decodesAlike(std::span<const std::byte> bytes) {
  std::array<std::uint16_t, 3> sizes;
  if (bytes.size() < sizeof sizes)
    return;
  std::memcpy(sizes.data(), bytes.data(), sizeof sizes);
  bytes = bytes.subspan(sizeof sizes);
  const std::uint32_t records = sizes[0];
  std::vector<Word> words(sizes[1]);
  static_cast<void>(decodeColumns(bytes, records, words));
  const auto dense = bytes.last(std::min<std::size_t>(sizes[2], bytes.size()));
  if (!decodeWarps(bytes.first(bytes.size() - dense.size()), dense, records, words).empty() || words.empty())
    return;
  static WarpEncoder encoder;
  EncodedWarps encoded;
  if (!encoder.encode(words, 7, encoded))
    return;
  std::vector<std::byte> columns;
  for (const auto &part : encoded.parts)
    columns.insert(columns.end(), part.begin(), part.end());
  std::vector<Word> again(words.size());
  if (!decodeWarps(columns, encoded.dense, records, again).empty() ||
      std::memcmp(words.data(), again.data(), words.size() * sizeof(Word)) != 0)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  readAndVerify(std::string(reinterpret_cast<const char *>(data), size));
  const std::string mended = test::mended(data, size);
  readAndVerify(mended);
  roundTrips(mended);

  const auto bytes = std::as_bytes(std::span(data, size));
  std::string error;
  if (const auto module = parseSiteTable(bytes, error); module && !brokenModuleRule(*module).empty())
    std::abort();
  decodesAlike(bytes);
  return 0;
}

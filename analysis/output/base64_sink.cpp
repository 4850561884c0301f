#include "base64_sink.h"

#include <kj/encoding.h>

namespace cupr::analysis {

void Base64Sink::write(std::string_view bytes) {
  rest_ += bytes;
  const std::size_t whole = rest_.size() / 3 * 3; // four characters for three bytes
  encode(whole);
  rest_.erase(0, whole);
}

void Base64Sink::encode(std::size_t size) {
  const kj::String text =
      kj::encodeBase64(kj::arrayPtr(reinterpret_cast<const kj::byte *>(rest_.data()), size));
  sink_.write({text.begin(), text.size()});
}

} // namespace cupr::analysis

/// Plain values in a message from one process to another, one behind the other.
#ifndef CUPR_ANALYSIS_PEER_MESSAGE_H
#define CUPR_ANALYSIS_PEER_MESSAGE_H

#include "peers.h"

#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace cupr::analysis {

template <typename T> void put(Bytes &message, const T *values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto *bytes = reinterpret_cast<const std::byte *>(values);
  message.insert(message.end(), bytes, bytes + count * sizeof(T));
}
template <typename T> void put(Bytes &message, const T &value) { put(message, &value, 1); }

/// What is left of a message. Throws std::runtime_error where there is not enough.
class RestOfMessage {
public:
  explicit RestOfMessage(const Bytes &message) : left_(message) {}
  template <typename T> void take(T *values, std::size_t count) {
    if (count == 0)
      return;
    if (count > left_.size() / sizeof(T))
      throw std::runtime_error("a message from another process is too short");
    std::memcpy(values, left_.data(), count * sizeof(T));
    left_ = left_.subspan(count * sizeof(T));
  }
  template <typename T> T take() {
    T value;
    take(&value, 1);
    return value;
  }
  std::size_t size() const { return left_.size(); }

private:
  std::span<const std::byte> left_;
};

} // namespace cupr::analysis

#endif

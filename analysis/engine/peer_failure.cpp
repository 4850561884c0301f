/// A failure is a byte that says which, and its text, which is the rest of the message.
#include "peer_failure.h"

#include "analysis/model/model.h"

namespace cupr::analysis {

namespace {

enum class Failure : std::uint8_t { None, BadTrace, Other };

void putNews(Bytes &message, Failure kind, const char *what) {
  put(message, kind);
  put(message, what, std::strlen(what));
}

} // namespace

void putFailure(Bytes &message, const std::exception_ptr &failure) {
  if (!failure)
    return put(message, Failure::None);
  try {
    std::rethrow_exception(failure);
  } catch (const BadTrace &error) {
    putNews(message, Failure::BadTrace, error.what());
  } catch (const trace::TooMuch &error) {
    putNews(message, Failure::BadTrace, error.what());
  } catch (const std::exception &error) {
    putNews(message, Failure::Other, error.what());
  }
}

void takeFailure(RestOfMessage &message) {
  const auto failure = message.take<Failure>();
  if (failure == Failure::None)
    return;
  std::string what(message.size(), ' ');
  message.take(what.data(), what.size());
  throw PeerFailure(what, failure == Failure::BadTrace);
}

void agree(Peers &peers, const std::exception_ptr &failure) {
  if (peers.count() == 1) {
    if (failure)
      std::rethrow_exception(failure);
    return;
  }
  Bytes message;
  putFailure(message, failure);
  for (const Bytes &received : peers.exchange(std::vector<Bytes>(peers.count(), message))) {
    RestOfMessage rest(received);
    takeFailure(rest);
  }
}

} // namespace cupr::analysis

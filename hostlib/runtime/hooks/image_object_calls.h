/// What hooks tell the session of calls that make and destroy texture objects and surface objects.
///
/// A handle that is destroyed is announced before the call: another thread may be given the same one as soon as it is free.
#ifndef CUPR_RUNTIME_IMAGE_OBJECT_CALLS_H
#define CUPR_RUNTIME_IMAGE_OBJECT_CALLS_H

#include "hostlib/runtime/session/session.h"

#include <cstdint>
#include <string>

namespace cupr::host {

/// As trace::ImageObject has it. `letter`: of a PTX type of `bits` bits; 0: no channel is a plain number.
inline std::string texelFormat(char letter, unsigned bits, unsigned channels) {
  if (!letter)
    return "other";
  std::string text = letter + std::to_string(bits);
  if (channels != 1)
    text += "x" + std::to_string(channels);
  return text;
}

/// The program has made the call `call`, of which this object came. `describe(object)` says the rest of it: what it reads.
template <typename Describe>
void announceImageObject(trace::ImageKind kind, const char *call, std::uint64_t handle, Describe describe) {
  if (Session *const session = Session::current())
    session->contained([&] {
      trace::ImageObject object;
      object.kind = kind;
      object.object = handle;
      object.call = call;
      describe(object);
      session->events().imageObject(std::move(object));
    });
}

/// The call `call` is about to destroy it.
inline void announceImageObjectEnd(trace::ImageKind kind, const char *call, std::uint64_t handle) {
  announceImageObject(kind, call, handle, [](trace::ImageObject &object) { object.isDestroyed = true; });
}

} // namespace cupr::host

#endif

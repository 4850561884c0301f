/// Device printf: a format string and the arguments as clang packs them for
/// `vprintf`, one after the other, each at a multiple of its size.
#include "runtime_calls.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace cupr::cpu {

namespace {

class Arguments {
public:
  explicit Arguments(const void *packed) : start_(static_cast<const unsigned char *>(packed)) {}
  template <typename T> T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, start_ + offset_, sizeof value);
    offset_ += sizeof value;
    return value;
  }

private:
  const unsigned char *start_;
  std::size_t offset_ = 0;
};

template <typename T> void append(std::string &out, const std::string &conversion, T value) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, conversion.c_str(), value);
  if (length < 0)
    return;
  if (static_cast<std::size_t>(length) < sizeof text) {
    out.append(text, static_cast<std::size_t>(length));
    return;
  }
  std::string large(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), conversion.c_str(), value);
  out.append(large.data(), static_cast<std::size_t>(length));
}

} // namespace

namespace calls {

U32 Print(Ptr format, Ptr packed) {
  Arguments arguments(packed);
  std::string out;
  U32 count = 0;
  for (const char *p = static_cast<const char *>(format); *p;) {
    if (*p != '%') {
      out += *p++;
      continue;
    }
    if (p[1] == '%') {
      out += '%';
      p += 2;
      continue;
    }
    std::string conversion(1, *p++);
    unsigned longs = 0;
    for (; *p && !std::strchr("diouxXeEfFgGaAcspn", *p); ++p) {
      if (*p == '*')
        conversion += std::to_string(arguments.next<int>());
      else if (*p == 'l' || *p == 'z' || *p == 'j' || *p == 't')
        longs += 1;
      else if (*p != 'h' && *p != 'L')
        conversion += *p;
      else if (*p == 'h')
        conversion += 'h';
    }
    if (!*p)
      break;
    const char kind = *p++;
    ++count;
    if (std::strchr("diouxX", kind)) {
      if (longs)
        append(out, conversion + "ll" + kind, arguments.next<long long>());
      else
        append(out, conversion + kind, arguments.next<int>());
    } else if (kind == 'c') {
      append(out, conversion + kind, arguments.next<int>());
    } else if (kind == 's') {
      const char *text = arguments.next<const char *>();
      append(out, conversion + kind, text ? text : "(null)");
    } else if (kind == 'p') {
      append(out, conversion + kind, arguments.next<void *>());
    } else if (kind != 'n') {
      append(out, conversion + kind, arguments.next<double>());
    }
  }
  // One call, so that lines of threads on different host threads don't mix.
  std::fwrite(out.data(), 1, out.size(), stdout);
  return count;
}

} // namespace calls

} // namespace cupr::cpu

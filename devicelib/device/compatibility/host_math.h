/// Mathematics that nvcc declares for host code, too, outside of any namespace.
#ifndef CUPR_COMPATIBILITY_HOST_MATH_H
#define CUPR_COMPATIBILITY_HOST_MATH_H

#include <math.h>
#include <type_traits>

namespace cupr {
namespace compatibility {

/// Neither a class nor a scoped enumeration: those have functions of their own, or none.
template <class T> struct IsNumber {
  static constexpr bool value =
      std::is_arithmetic<T>::value || (std::is_enum<T>::value && std::is_convertible<T, int>::value);
};
template <class T> struct Promoted {
  typedef decltype(+T()) Type;
};

/// Whether nvcc has `min` for these: integers of one size, or numbers with a fraction.
template <class A, class B> struct Comparable {
  template <class T, bool = std::is_integral<T>::value> struct Size {
    static constexpr int value = 0;
  };
  template <class T> struct Size<T, true> {
    static constexpr int value = std::is_same<typename std::make_unsigned<T>::type, unsigned>::value ? 1
                                 : std::is_same<typename std::make_unsigned<T>::type, unsigned long>::value
                                     ? 2
                                     : 3;
  };
  static constexpr bool value = Size<A>::value == Size<B>::value && !std::is_same<A, long double>::value &&
                                !std::is_same<B, long double>::value;
};

template <class A, class B, bool> struct CommonIf {};
template <class A, class B> struct CommonIf<A, B, true> {
  typedef decltype(A() + B()) Type;
};
template <class A, class B, bool> struct MinMaxIf {};
template <class A, class B>
struct MinMaxIf<A, B, true>
    : CommonIf<typename Promoted<A>::Type, typename Promoted<B>::Type,
               Comparable<typename Promoted<A>::Type, typename Promoted<B>::Type>::value> {};

/// The type of `min` and `max` of two numbers; none where nvcc has no such function. `None` is empty
/// (compatibility.h).
template <class A, class B, class... None> struct MinMax {};
template <class A, class B> struct MinMax<A, B> : MinMaxIf<A, B, IsNumber<A>::value && IsNumber<B>::value> {};

template <class T> inline __host__ T least(T a, T b) { return b < a ? b : a; }
inline __host__ float least(float a, float b) { return fminf(a, b); }
inline __host__ double least(double a, double b) { return fmin(a, b); }
template <class T> inline __host__ T greatest(T a, T b) { return a < b ? b : a; }
inline __host__ float greatest(float a, float b) { return fmaxf(a, b); }
inline __host__ double greatest(double a, double b) { return fmax(a, b); }

template <class T, class... None> struct Only;
template <class T> struct Only<T> {
  typedef T Type;
};

} // namespace compatibility
} // namespace cupr

template <class A, class B, class... None>
inline __host__ typename cupr::compatibility::MinMax<A, B, None...>::Type min(A a, B b, None...) {
  return cupr::compatibility::least<typename cupr::compatibility::MinMax<A, B>::Type>(a, b);
}
template <class A, class B, class... None>
inline __host__ typename cupr::compatibility::MinMax<A, B, None...>::Type max(A a, B b, None...) {
  return cupr::compatibility::greatest<typename cupr::compatibility::MinMax<A, B>::Type>(a, b);
}

#define CUPR_HOST_MIN_MAX(prefix, T)                                                                         \
  template <class... None>                                                                                   \
  inline __host__ typename cupr::compatibility::Only<T, None...>::Type prefix##min(T a, T b, None...) {      \
    return b < a ? b : a;                                                                                    \
  }                                                                                                          \
  template <class... None>                                                                                   \
  inline __host__ typename cupr::compatibility::Only<T, None...>::Type prefix##max(T a, T b, None...) {      \
    return a < b ? b : a;                                                                                    \
  }
CUPR_HOST_MIN_MAX(u, unsigned)
CUPR_HOST_MIN_MAX(ll, long long)
CUPR_HOST_MIN_MAX(ull, unsigned long long)
#undef CUPR_HOST_MIN_MAX

template <class... None>
inline __host__ typename cupr::compatibility::Only<void, None...>::Type sincos(float angle, float *sine,
                                                                               float *cosine, None...) {
  *sine = sinf(angle);
  *cosine = cosf(angle);
}

#endif

/// Loads and stores with a cache hint: of the stores clang has __stwt alone, of the loads neither __ldca nor
/// __ldlu, and none of them for every type.
///
/// Inline PTX, as in the toolkit's own header (sm_32_intrinsics.hpp). The pass reads it like any other.
#ifndef CUPR_COMPATIBILITY_CACHE_HINTS_H
#define CUPR_COMPATIBILITY_CACHE_HINTS_H

namespace cupr {
namespace compatibility {

/// For each type that has these functions: how PTX moves it. `None` is empty (compatibility.h).
template <class T, class... None> struct Hinted;

// `Register` is the type by which the value travels, `letter` the class of its PTX register.
#define CUPR_SCALAR_LOAD(name, hint, T, type, letter, Register)                                              \
  static __device__ __forceinline__ T name(const T *p) {                                                     \
    Register r;                                                                                              \
    asm volatile("ld.global." hint "." type " %0, [%1];" : "=" letter(r) : "l"(p) : "memory");               \
    return static_cast<T>(r);                                                                                \
  }
#define CUPR_SCALAR_STORE(name, hint, T, type, letter, Register)                                             \
  static __device__ __forceinline__ void name(T *p, T v) {                                                   \
    asm volatile("st.global." hint "." type " [%0], %1;" ::"l"(p), letter(static_cast<Register>(v))          \
                 : "memory");                                                                                \
  }

#define CUPR_PAIR_LOAD(name, hint, T, type, letter, Register)                                                \
  static __device__ __forceinline__ T name(const T *p) {                                                     \
    Register x, y;                                                                                           \
    asm volatile("ld.global." hint ".v2." type " {%0, %1}, [%2];"                                            \
                 : "=" letter(x), "=" letter(y)                                                              \
                 : "l"(p)                                                                                    \
                 : "memory");                                                                                \
    T v;                                                                                                     \
    v.x = static_cast<decltype(v.x)>(x), v.y = static_cast<decltype(v.y)>(y);                                \
    return v;                                                                                                \
  }
#define CUPR_PAIR_STORE(name, hint, T, type, letter, Register)                                               \
  static __device__ __forceinline__ void name(T *p, T v) {                                                   \
    asm volatile("st.global." hint ".v2." type " [%0], {%1, %2};" ::"l"(p),                                  \
                 letter(static_cast<Register>(v.x)), letter(static_cast<Register>(v.y))                      \
                 : "memory");                                                                                \
  }

#define CUPR_QUAD_LOAD(name, hint, T, type, letter, Register)                                                \
  static __device__ __forceinline__ T name(const T *p) {                                                     \
    Register x, y, z, w;                                                                                     \
    asm volatile("ld.global." hint ".v4." type " {%0, %1, %2, %3}, [%4];"                                    \
                 : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)                                \
                 : "l"(p)                                                                                    \
                 : "memory");                                                                                \
    T v;                                                                                                     \
    v.x = static_cast<decltype(v.x)>(x), v.y = static_cast<decltype(v.y)>(y);                                \
    v.z = static_cast<decltype(v.z)>(z), v.w = static_cast<decltype(v.w)>(w);                                \
    return v;                                                                                                \
  }
#define CUPR_QUAD_STORE(name, hint, T, type, letter, Register)                                               \
  static __device__ __forceinline__ void name(T *p, T v) {                                                   \
    asm volatile("st.global." hint ".v4." type " [%0], {%1, %2, %3, %4};" ::"l"(p),                          \
                 letter(static_cast<Register>(v.x)), letter(static_cast<Register>(v.y)),                     \
                 letter(static_cast<Register>(v.z)), letter(static_cast<Register>(v.w))                      \
                 : "memory");                                                                                \
  }

#define CUPR_HINTED(shape, T, type, letter, Register)                                                        \
  template <> struct Hinted<T> {                                                                             \
    typedef T Value;                                                                                         \
    typedef void Nothing;                                                                                    \
    CUPR_##shape##_LOAD(ldca, "ca", T, type, letter, Register) CUPR_##shape                                  \
        ##_LOAD(ldcg, "cg", T, type, letter, Register) CUPR_##shape                                          \
        ##_LOAD(ldcs, "cs", T, type, letter, Register) CUPR_##shape                                          \
        ##_LOAD(ldlu, "lu", T, type, letter, Register) CUPR_##shape                                          \
        ##_LOAD(ldcv, "cv", T, type, letter, Register) CUPR_##shape                                          \
        ##_STORE(stwb, "wb", T, type, letter, Register) CUPR_##shape                                         \
        ##_STORE(stcg, "cg", T, type, letter, Register) CUPR_##shape                                         \
        ##_STORE(stcs, "cs", T, type, letter, Register) CUPR_##shape                                         \
        ##_STORE(stwt, "wt", T, type, letter, Register)                                                      \
  };

CUPR_HINTED(SCALAR, char, "s8", "r", int)
CUPR_HINTED(SCALAR, signed char, "s8", "r", int)
CUPR_HINTED(SCALAR, unsigned char, "u8", "r", unsigned)
CUPR_HINTED(SCALAR, short, "s16", "h", short)
CUPR_HINTED(SCALAR, unsigned short, "u16", "h", unsigned short)
CUPR_HINTED(SCALAR, int, "s32", "r", int)
CUPR_HINTED(SCALAR, unsigned, "u32", "r", unsigned)
CUPR_HINTED(SCALAR, long, "s64", "l", long)
CUPR_HINTED(SCALAR, unsigned long, "u64", "l", unsigned long)
CUPR_HINTED(SCALAR, long long, "s64", "l", long long)
CUPR_HINTED(SCALAR, unsigned long long, "u64", "l", unsigned long long)
CUPR_HINTED(SCALAR, float, "f32", "f", float)
CUPR_HINTED(SCALAR, double, "f64", "d", double)
CUPR_HINTED(PAIR, char2, "s8", "r", int)
CUPR_HINTED(PAIR, uchar2, "u8", "r", unsigned)
CUPR_HINTED(PAIR, short2, "s16", "h", short)
CUPR_HINTED(PAIR, ushort2, "u16", "h", unsigned short)
CUPR_HINTED(PAIR, int2, "s32", "r", int)
CUPR_HINTED(PAIR, uint2, "u32", "r", unsigned)
CUPR_HINTED(PAIR, longlong2, "s64", "l", long long)
CUPR_HINTED(PAIR, ulonglong2, "u64", "l", unsigned long long)
CUPR_HINTED(PAIR, float2, "f32", "f", float)
CUPR_HINTED(PAIR, double2, "f64", "d", double)
CUPR_HINTED(QUAD, char4, "s8", "r", int)
CUPR_HINTED(QUAD, uchar4, "u8", "r", unsigned)
CUPR_HINTED(QUAD, short4, "s16", "h", short)
CUPR_HINTED(QUAD, ushort4, "u16", "h", unsigned short)
CUPR_HINTED(QUAD, int4, "s32", "r", int)
CUPR_HINTED(QUAD, uint4, "u32", "r", unsigned)
CUPR_HINTED(QUAD, float4, "f32", "f", float)

#undef CUPR_HINTED
#undef CUPR_SCALAR_LOAD
#undef CUPR_SCALAR_STORE
#undef CUPR_PAIR_LOAD
#undef CUPR_PAIR_STORE
#undef CUPR_QUAD_LOAD
#undef CUPR_QUAD_STORE

} // namespace compatibility
} // namespace cupr

#define CUPR_HINTED_LOAD(name)                                                                               \
  template <class T, class... None>                                                                          \
  static __device__ __forceinline__ typename cupr::compatibility::Hinted<T, None...>::Value __##name(        \
      const T *p, None...) {                                                                                 \
    return cupr::compatibility::Hinted<T>::name(p);                                                          \
  }
#define CUPR_HINTED_STORE(name)                                                                              \
  template <class T, class... None>                                                                          \
  static __device__ __forceinline__ typename cupr::compatibility::Hinted<T, None...>::Nothing __##name(      \
      T *p, typename cupr::compatibility::Hinted<T>::Value v, None...) {                                     \
    cupr::compatibility::Hinted<T>::name(p, v);                                                              \
  }

CUPR_HINTED_LOAD(ldca)
CUPR_HINTED_LOAD(ldcg)
CUPR_HINTED_LOAD(ldcs)
CUPR_HINTED_LOAD(ldlu)
CUPR_HINTED_LOAD(ldcv)
CUPR_HINTED_STORE(stwb)
CUPR_HINTED_STORE(stcg)
CUPR_HINTED_STORE(stcs)
CUPR_HINTED_STORE(stwt)

#undef CUPR_HINTED_LOAD
#undef CUPR_HINTED_STORE

#endif

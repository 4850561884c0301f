/// nvcc's built-in atomic operations with an order and a scope (`__nv_atomic_load` and its like), and those of
/// CUDA's atomic functions that take 16 bytes.
///
/// They are inline PTX, instruction by instruction what nvcc 13 makes of them: a sequentially consistent operation
/// is a fence and an operation that acquires. nvcc takes orders and scopes as constants only; here each is of a
/// type of its own, which chooses the instruction's words.
#ifndef CUPR_COMPATIBILITY_ATOMICS_H
#define CUPR_COMPATIBILITY_ATOMICS_H

#include <type_traits>

// Orders and scopes, by nvcc's numbers.
enum __cupr_atomic_relaxed { __NV_ATOMIC_RELAXED = 0 };
enum __cupr_atomic_consume { __NV_ATOMIC_CONSUME = 1 };
enum __cupr_atomic_acquire { __NV_ATOMIC_ACQUIRE = 2 };
enum __cupr_atomic_release { __NV_ATOMIC_RELEASE = 3 };
enum __cupr_atomic_acq_rel { __NV_ATOMIC_ACQ_REL = 4 };
enum __cupr_atomic_seq_cst { __NV_ATOMIC_SEQ_CST = 5 };
enum __cupr_scope_thread { __NV_THREAD_SCOPE_THREAD = 0 };
enum __cupr_scope_block { __NV_THREAD_SCOPE_BLOCK = 1 };
enum __cupr_scope_cluster { __NV_THREAD_SCOPE_CLUSTER = 2 };
enum __cupr_scope_device { __NV_THREAD_SCOPE_DEVICE = 3 };
enum __cupr_scope_system { __NV_THREAD_SCOPE_SYSTEM = 4 };

namespace cupr {
namespace compatibility {

/// What clang takes for a text of inline assembly: a constant with size and data.
template <char... letters> struct Text {
  static constexpr char kLetters[] = {letters..., 0};
  constexpr unsigned long size() const { return sizeof...(letters); }
  constexpr const char *data() const { return kLetters; }
};
template <char... letters> constexpr char Text<letters...>::kLetters[];
template <char... left, char... right>
constexpr Text<left..., right...> operator+(Text<left...>, Text<right...>) {
  return {};
}
template <class Letter, Letter... letters> constexpr Text<letters...> operator""_cupr() { return {}; }

#define CUPR_TEXT(text) decltype(text##_cupr)

/// For loads, stores, and operations that do both: the word of the instruction. None: there is no such operation.
template <class Order, class... None> struct LoadOrder;
template <class Order, class... None> struct StoreOrder;
template <class Order, class... None> struct UpdateOrder;
#define CUPR_ORDER(Kind, Order, word)                                                                        \
  template <> struct Kind<__cupr_atomic_##Order> {                                                           \
    typedef CUPR_TEXT(word) Word;                                                                            \
  };
CUPR_ORDER(LoadOrder, relaxed, "relaxed")
CUPR_ORDER(LoadOrder, consume, "acquire")
CUPR_ORDER(LoadOrder, acquire, "acquire")
CUPR_ORDER(LoadOrder, seq_cst, "acquire")
CUPR_ORDER(StoreOrder, relaxed, "relaxed")
CUPR_ORDER(StoreOrder, release, "release")
CUPR_ORDER(StoreOrder, seq_cst, "relaxed")
CUPR_ORDER(UpdateOrder, relaxed, "relaxed")
CUPR_ORDER(UpdateOrder, consume, "acquire")
CUPR_ORDER(UpdateOrder, acquire, "acquire")
CUPR_ORDER(UpdateOrder, release, "release")
CUPR_ORDER(UpdateOrder, acq_rel, "acq_rel")
CUPR_ORDER(UpdateOrder, seq_cst, "acquire")
#undef CUPR_ORDER

template <class Scope> struct AtomicScope;
#define CUPR_SCOPE(Scope, word)                                                                              \
  template <> struct AtomicScope<__cupr_scope_##Scope> {                                                     \
    typedef CUPR_TEXT(word) Word;                                                                            \
  };
CUPR_SCOPE(thread, "cta")
CUPR_SCOPE(block, "cta")
CUPR_SCOPE(cluster, "cluster")
CUPR_SCOPE(device, "gpu")
CUPR_SCOPE(system, "sys")
#undef CUPR_SCOPE

/// How so many bytes travel: the type and the letter of the register, and the instruction's type.
template <unsigned long bytes> struct AtomicBits;
/// The same for numbers to compute with.
template <class T> struct AtomicNumber;
#define CUPR_REGISTER(Of, Register, letter, word)                                                            \
  template <> struct Of {                                                                                    \
    typedef Register Type;                                                                                   \
    typedef CUPR_TEXT(letter) Letter;                                                                        \
    typedef CUPR_TEXT(word) Word;                                                                            \
  };
CUPR_REGISTER(AtomicBits<1>, unsigned, "r", "b8")
CUPR_REGISTER(AtomicBits<2>, unsigned short, "h", "b16")
CUPR_REGISTER(AtomicBits<4>, unsigned, "r", "b32")
CUPR_REGISTER(AtomicBits<8>, unsigned long long, "l", "b64")
CUPR_REGISTER(AtomicBits<16>, unsigned __int128, "q", "b128")
CUPR_REGISTER(AtomicNumber<int>, int, "r", "s32")
CUPR_REGISTER(AtomicNumber<unsigned>, unsigned, "r", "u32")
CUPR_REGISTER(AtomicNumber<long>, long, "l", "s64")
CUPR_REGISTER(AtomicNumber<unsigned long>, unsigned long, "l", "u64")
CUPR_REGISTER(AtomicNumber<long long>, long long, "l", "s64")
CUPR_REGISTER(AtomicNumber<unsigned long long>, unsigned long long, "l", "u64")
CUPR_REGISTER(AtomicNumber<float>, float, "f", "f32")
CUPR_REGISTER(AtomicNumber<double>, double, "d", "f64")
#undef CUPR_REGISTER

// The registers' values are copied byte by byte: the types may be any of their size.
template <class T> __device__ __forceinline__ typename AtomicBits<sizeof(T)>::Type bitsOf(const T &value) {
  typename AtomicBits<sizeof(T)>::Type bits = 0;
  __builtin_memcpy(&bits, &reinterpret_cast<const char &>(value), sizeof(T));
  return bits;
}
template <class T, class Bits> __device__ __forceinline__ void setBits(T &value, Bits bits) {
  __builtin_memcpy(&reinterpret_cast<char &>(value), &bits, sizeof(T));
}

/// Order and scope of an instruction.
template <class Order, class Scope>
using AtomicWords =
    decltype("."_cupr + typename Order::Word() + "."_cupr + typename AtomicScope<Scope>::Word() + "."_cupr);

template <class Words, class T> __device__ __forceinline__ void atomicLoad(const T *p, T &result) {
  typedef AtomicBits<sizeof(T)> Bits;
  typename Bits::Type bits;
  asm volatile(("ld"_cupr + Words() + typename Bits::Word() + " %0, [%1];"_cupr)
               : ("="_cupr + typename Bits::Letter())(bits)
               : "l"(p)
               : "memory");
  setBits(result, bits);
}
template <class Words, class T> __device__ __forceinline__ void atomicStore(T *p, const T &value) {
  typedef AtomicBits<sizeof(T)> Bits;
  asm volatile(("st"_cupr + Words() + typename Bits::Word() + " [%0], %1;"_cupr)::"l"(p),
               (typename Bits::Letter())(bitsOf(value))
               : "memory");
}
template <class Words, class T>
__device__ __forceinline__ void atomicExchange(T *p, const T &value, T &result) {
  typedef AtomicBits<sizeof(T)> Bits;
  typename Bits::Type bits;
  asm volatile(("atom"_cupr + Words() + "exch."_cupr + typename Bits::Word() + " %0, [%1], %2;"_cupr)
               : ("="_cupr + typename Bits::Letter())(bits)
               : "l"(p), (typename Bits::Letter())(bitsOf(value))
               : "memory");
  setBits(result, bits);
}
/// Returns whether it was exchanged.
template <class Words, class T>
__device__ __forceinline__ bool atomicCompareExchange(T *p, const T &compared, const T &value, T &result) {
  typedef AtomicBits<sizeof(T)> Bits;
  typename Bits::Type bits;
  const typename Bits::Type wanted = bitsOf(compared);
  asm volatile(("atom"_cupr + Words() + "cas."_cupr + typename Bits::Word() + " %0, [%1], %2, %3;"_cupr)
               : ("="_cupr + typename Bits::Letter())(bits)
               : "l"(p), (typename Bits::Letter())(wanted), (typename Bits::Letter())(bitsOf(value))
               : "memory");
  setBits(result, bits);
  return bits == wanted;
}
/// `Register`: AtomicNumber or AtomicBits, for the operation in `Name`.
template <class Words, class Name, class Register, class T>
__device__ __forceinline__ T atomicUpdate(T *p, T value) {
  T before;
  asm volatile(("atom"_cupr + Words() + Name() + "."_cupr + typename Register::Word() + " %0, [%1], %2;"_cupr)
               : ("="_cupr + typename Register::Letter())(before)
               : "l"(p), (typename Register::Letter())(value)
               : "memory");
  return before;
}

template <class Words> __device__ __forceinline__ void atomicFence() {
  asm volatile(("fence"_cupr + Words())::: "memory");
}
/// Before a sequentially consistent operation.
template <class Order, class Scope> __device__ __forceinline__ void fenceBefore(Order, Scope) {}
template <class Scope> __device__ __forceinline__ void fenceBefore(__cupr_atomic_seq_cst, Scope) {
  atomicFence<decltype(".sc."_cupr + typename AtomicScope<Scope>::Word() + ";"_cupr)>();
}

/// As nvcc has it: all fences but one are sequentially consistent.
template <class Order, class Scope> __device__ __forceinline__ void fence(Order, Scope scope) {
  fenceBefore(__NV_ATOMIC_SEQ_CST, scope);
}
template <class Scope> __device__ __forceinline__ void fence(__cupr_atomic_acq_rel, Scope) {
  atomicFence<decltype(".acq_rel."_cupr + typename AtomicScope<Scope>::Word() + ";"_cupr)>();
}

template <class T> struct SameType {
  typedef T Type;
};
/// PTX adds to 64 bits without a sign, and has no sum of another kind.
template <class T> struct AtomicSum : AtomicNumber<T> {};
template <> struct AtomicSum<long> : AtomicNumber<unsigned long> {};
template <> struct AtomicSum<long long> : AtomicNumber<unsigned long long> {};

/// An object of 16 bytes that CUDA's own atomic functions take.
template <class T, class Result, class... None> struct IfWide;
template <class T, class Result>
struct IfWide<T, Result>
    : std::enable_if<sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T), Result> {};

} // namespace compatibility
} // namespace cupr

#define CUPR_ATOMIC_WORDS(Kind) ::cupr::compatibility::AtomicWords<::cupr::compatibility::Kind<Order>, Scope>
#define CUPR_SYSTEM_SCOPE class Scope = __cupr_scope_system
#define CUPR_BUILTIN static __device__ __forceinline__

template <class T, class Order, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN void __nv_atomic_load(T *p, T *result, Order order, Scope scope = Scope()) {
  ::cupr::compatibility::fenceBefore(order, scope);
  ::cupr::compatibility::atomicLoad<CUPR_ATOMIC_WORDS(LoadOrder)>(p, *result);
}
template <class T, class Order, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN T __nv_atomic_load_n(T *p, Order order, Scope scope = Scope()) {
  T result;
  __nv_atomic_load(p, &result, order, scope);
  return result;
}
template <class T, class Order, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN void __nv_atomic_store(T *p, T *value, Order order, Scope scope = Scope()) {
  ::cupr::compatibility::fenceBefore(order, scope);
  ::cupr::compatibility::atomicStore<CUPR_ATOMIC_WORDS(StoreOrder)>(p, *value);
}
template <class T, class Order, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN void __nv_atomic_store_n(T *p, typename cupr::compatibility::SameType<T>::Type value,
                                      Order order, Scope scope = Scope()) {
  __nv_atomic_store(p, &value, order, scope);
}
template <class T, class Order, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN void __nv_atomic_exchange(T *p, T *value, T *result, Order order, Scope scope = Scope()) {
  ::cupr::compatibility::fenceBefore(order, scope);
  ::cupr::compatibility::atomicExchange<CUPR_ATOMIC_WORDS(UpdateOrder)>(p, *value, *result);
}
template <class T, class Order, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN T __nv_atomic_exchange_n(T *p, typename cupr::compatibility::SameType<T>::Type value,
                                      Order order, Scope scope = Scope()) {
  T result;
  __nv_atomic_exchange(p, &value, &result, order, scope);
  return result;
}
// The order of success is that of both, and no exchange fails without a reason: as nvcc does.
template <class T, class Order, class OrderOfFailure, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN bool __nv_atomic_compare_exchange(T *p, T *expected, T *value, bool /*isWeak*/, Order order,
                                               OrderOfFailure, Scope scope = Scope()) {
  ::cupr::compatibility::fenceBefore(order, scope);
  return ::cupr::compatibility::atomicCompareExchange<CUPR_ATOMIC_WORDS(UpdateOrder)>(p, *expected, *value,
                                                                                      *expected);
}
template <class T, class Order, class OrderOfFailure, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN bool
__nv_atomic_compare_exchange_n(T *p, T *expected, typename cupr::compatibility::SameType<T>::Type value,
                               bool isWeak, Order order, OrderOfFailure failure, Scope scope = Scope()) {
  return __nv_atomic_compare_exchange(p, expected, &value, isWeak, order, failure, scope);
}

// `operand`: what PTX combines with what is there; it has no difference.
#define CUPR_FETCH(name, word, Register, operand)                                                            \
  template <class T, class Order, CUPR_SYSTEM_SCOPE>                                                         \
  CUPR_BUILTIN T __nv_atomic_fetch_##name(T *p, typename cupr::compatibility::SameType<T>::Type value,       \
                                          Order order, Scope scope = Scope()) {                              \
    using namespace cupr::compatibility;                                                                     \
    fenceBefore(order, scope);                                                                               \
    return atomicUpdate<CUPR_ATOMIC_WORDS(UpdateOrder), CUPR_TEXT(word), Register, T>(p, operand);           \
  }                                                                                                          \
  template <class T, class Order, CUPR_SYSTEM_SCOPE>                                                         \
  CUPR_BUILTIN void __nv_atomic_##name(T *p, typename cupr::compatibility::SameType<T>::Type value,          \
                                       Order order, Scope scope = Scope()) {                                 \
    __nv_atomic_fetch_##name(p, value, order, scope);                                                        \
  }
CUPR_FETCH(add, "add", AtomicSum<T>, value)
CUPR_FETCH(sub, "add", AtomicSum<T>, -value)
CUPR_FETCH(min, "min", AtomicNumber<T>, value)
CUPR_FETCH(max, "max", AtomicNumber<T>, value)
CUPR_FETCH(and, "and", AtomicBits<sizeof(T)>, value)
CUPR_FETCH(or, "or", AtomicBits<sizeof(T)>, value)
CUPR_FETCH(xor, "xor", AtomicBits<sizeof(T)>, value)
#undef CUPR_FETCH

template <class Order, CUPR_SYSTEM_SCOPE>
CUPR_BUILTIN void __nv_atomic_thread_fence(Order order, Scope scope = Scope()) {
  ::cupr::compatibility::fence(order, scope);
}

#ifndef __NV_DISABLE_128_ATOMICS
#define CUPR_WIDE_ATOMICS(suffix, words)                                                                     \
  template <class T, class... None>                                                                          \
  CUPR_BUILTIN typename cupr::compatibility::IfWide<T, T, None...>::type atomicExch##suffix(T *p, T value,   \
                                                                                            None...) {       \
    using namespace cupr::compatibility;                                                                     \
    atomicExchange<CUPR_TEXT(words)>(p, value, value);                                                       \
    return value;                                                                                            \
  }                                                                                                          \
  template <class T, class... None>                                                                          \
  CUPR_BUILTIN typename cupr::compatibility::IfWide<T, T, None...>::type atomicCAS##suffix(                  \
      T *p, T compared, T value, None...) {                                                                  \
    using namespace cupr::compatibility;                                                                     \
    atomicCompareExchange<CUPR_TEXT(words)>(p, compared, value, compared);                                   \
    return compared;                                                                                         \
  }
CUPR_WIDE_ATOMICS(, ".relaxed.gpu.")
CUPR_WIDE_ATOMICS(_block, ".relaxed.cta.")
CUPR_WIDE_ATOMICS(_system, ".relaxed.sys.")
#undef CUPR_WIDE_ATOMICS
#endif

#undef CUPR_TEXT
#undef CUPR_ATOMIC_WORDS
#undef CUPR_SYSTEM_SCOPE
#undef CUPR_BUILTIN

#endif

// Inline PTX, instruction by instruction, against what the PTX ISA manual says, written
// down again in plain C++.
#include "check.h"
#include <cstdint>
#include <cstring>
#include <vector>

struct Input {
  uint32_t a, b, c;
  float f, g;
};

// X(instruction on %1 = a, %2 = b, %3 = c; the same in C++)
#define INTEGERS(X)                                                                                          \
  X("add.u32 %0, %1, %2;", a + b)                                                                            \
  X("add.sat.s32 %0, %1, %2;", (uint32_t)clampTo((int64_t)sa + sb, INT32_MIN, INT32_MAX))                    \
  X("sub.sat.s32 %0, %1, %2;", (uint32_t)clampTo((int64_t)sa - sb, INT32_MIN, INT32_MAX))                    \
  X("mul.hi.u32 %0, %1, %2;", (uint32_t)((uint64_t)a * b >> 32))                                             \
  X("mul.hi.s32 %0, %1, %2;", (uint32_t)((int64_t)sa * sb >> 32))                                            \
  X("mad.lo.s32 %0, %1, %2, %3;", a *b + c)                                                                  \
  X("mad.hi.u32 %0, %1, %2, %3;", (uint32_t)((uint64_t)a * b >> 32) + c)                                     \
  X("mul24.lo.s32 %0, %1, %2;", (uint32_t)((int32_t)(a << 8) >> 8) * (uint32_t)((int32_t)(b << 8) >> 8))     \
  X("sad.s32 %0, %1, %2, %3;", (sa < sb ? b - a : a - b) + c)                                                \
  X("sad.u32 %0, %1, %2, %3;", (a < b ? b - a : a - b) + c)                                                  \
  X("abs.s32 %0, %1;", sa < 0 ? 0 - a : a)                                                                   \
  X("min.s32 %0, %1, %2;", (uint32_t)(sa < sb ? sa : sb))                                                    \
  X("max.u32 %0, %1, %2;", a > b ? a : b)                                                                    \
  X("min.relu.s32 %0, %1, %2;", (uint32_t)(sa < 0 || sb < 0 ? 0 : sa < sb ? sa : sb))                        \
  X("max.relu.s32 %0, %1, %2;", (uint32_t)(sa < 0 && sb < 0 ? 0 : sa > sb ? sa : sb))                        \
  X("div.u32 %0, %1, %2;", b ? a / b : ~0u)                                                                  \
  X("rem.s32 %0, %1, %2;", b == 0 ? a : sb == -1 ? 0u : (uint32_t)(sa % sb))                                 \
  X("cnot.b32 %0, %1;", (uint32_t)(a == 0))                                                                  \
  X("shl.b32 %0, %1, %3;", c < 32 ? a << c : 0)                                                              \
  X("shr.u32 %0, %1, %3;", c < 32 ? a >> c : 0)                                                              \
  X("shr.s32 %0, %1, %3;", (uint32_t)(sa >> (c < 32 ? c : 31)))                                              \
  X("shf.l.wrap.b32 %0, %1, %2, %3;", (uint32_t)((ba << (c & 31)) >> 32))                                    \
  X("shf.l.clamp.b32 %0, %1, %2, %3;", c < 32 ? (uint32_t)((ba << c) >> 32) : a)                             \
  X("shf.r.wrap.b32 %0, %1, %2, %3;", (uint32_t)(ba >> (c & 31)))                                            \
  X("shf.r.clamp.b32 %0, %1, %2, %3;", c < 32 ? (uint32_t)(ba >> c) : b)                                     \
  X("bfe.u32 %0, %1, %3, 9;", (c & 255) < 32 ? a >> (c & 255) & 511 : 0)                                     \
  X("bfe.u32 %0, %1, 28, 16;", a >> 28)                                                                      \
  X("bfe.s32 %0, %1, 3, 5;", (uint32_t)((int32_t)(a << 24) >> 27))                                           \
  X("bfe.s32 %0, %1, 28, 16;", (uint32_t)(sa >> 28))                                                         \
  X("bfi.b32 %0, %1, %2, 5, 7;", (b & ~(127u << 5)) | (a & 127u) << 5)                                       \
  X("bfi.b32 %0, %1, %2, 28, 9;", (b & 0x0fffffffu) | a << 28)                                               \
  X("bfind.u32 %0, %1;", a ? 31 - __builtin_clz(a) : ~0u)                                                    \
  X("bfind.s32 %0, %1;", bfindSigned(sa))                                                                    \
  X("bfind.shiftamt.u32 %0, %1;", a ? __builtin_clz(a) : ~0u)                                                \
  X("popc.b32 %0, %1;", (uint32_t)__builtin_popcount(a))                                                     \
  X("clz.b32 %0, %1;", a ? __builtin_clz(a) : 32)                                                            \
  X("bmsk.clamp.b32 %0, %3, 5;", c < 32 ? 31u << c : 0)                                                      \
  X("bmsk.wrap.b32 %0, %3, 5;", 31u << (c & 31))                                                             \
  X("szext.clamp.s32 %0, %1, 7;", (uint32_t)((int32_t)(a << 25) >> 25))                                      \
  X("prmt.b32 %0, %1, %2, 0x7531;", (a >> 8 & 255) | (a >> 24) << 8 | (b >> 8 & 255) << 16 | b >> 24 << 24)  \
  X("prmt.b32 %0, %1, %2, 0xba98;", sign(a) | sign(a >> 8) << 8 | sign(a >> 16) << 16 | sign(a >> 24) << 24) \
  X("prmt.b32.f4e %0, %1, %2, 1;", (uint32_t)(ba >> 8))                                                      \
  X("prmt.b32.rc8 %0, %1, %2, 2;", (a >> 16 & 255) * 0x01010101u)                                            \
  X("prmt.b32.rc16 %0, %1, %2, 1;", (a >> 16) * 0x00010001u)                                                 \
  X("lop3.b32 %0, %1, %2, %3, 0x96;", a ^ b ^ c)                                                             \
  X("lop3.b32 %0, %1, %2, %3, 0xe8;", (a & b) | (a & c) | (b & c))                                           \
  X("lop3.b32 %0, %1, %2, %3, 0xb8;", lop(a, b, c, 0xb8))                                                    \
  X("dp4a.s32.s32 %0, %1, %2, %3;", dot<int8_t, int8_t>(a, b) + c)                                           \
  X("dp4a.u32.u32 %0, %1, %2, %3;", dot<uint8_t, uint8_t>(a, b) + c)                                         \
  X("dp4a.u32.s32 %0, %1, %2, %3;", dot<uint8_t, int8_t>(a, b) + c)                                          \
  X("{.reg .u32 x; add.cc.u32 x, %1, %2; addc.u32 %0, %3, 0;}", (uint32_t)(((uint64_t)a + b) >> 32) + c)     \
  X("{.reg .u32 x; sub.cc.u32 x, %1, %2; subc.u32 %0, %3, 0;}", c - (a < b))                                 \
  X("{.reg .u32 x; mad.lo.cc.u32 x, %1, %2, %3; madc.hi.u32 %0, %1, %2, 0;}",                                \
    (uint32_t)(((uint64_t)a * b + c) >> 32))                                                                 \
  X("{.reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, %3, 7, p;}", sa < sb ? c : 7)                        \
  X("{.reg .pred p, q; setp.gt.u32 p|q, %1, %2; mov.u32 %0, 0; @p add.u32 %0, %0, 1; @q add.u32 %0, %0, 2; " \
    "@!p add.u32 %0, %0, 4;}",                                                                               \
    a > b ? 1u : 6u)                                                                                         \
  X("{.reg .pred p, q; setp.eq.u32 p, %3, 3; setp.ge.and.s32 q, %1, %2, p; selp.b32 %0, 1, 0, q;}",          \
    (uint32_t)(c == 3 && sa >= sb))                                                                          \
  X("{.reg .pred p, q; setp.eq.u32 q, %3, 3; lop3.or.b32 %0|p, %1, %2, %3, 0x96, q; @p add.u32 %0, %0, 1;}", \
    (a ^ b ^ c) + (unsigned)((a ^ b ^ c) != 0 || c == 3))                                                    \
  X("{.reg .pred p, q; mov.pred q, 1; lop3.and.b32 _|p, %1, %2, 5, 0x96, q; selp.u32 %0, 1, 0, p;}",         \
    (unsigned)((a ^ b) != 5))                                                                                \
  X("set.le.u32.s32 %0, %1, %2;", sa <= sb ? ~0u : 0u)                                                       \
  X("slct.u32.s32 %0, %1, %2, %3;", (int32_t)c >= 0 ? a : b)                                                 \
  X("{.reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l};}", a << 16 | a >> 16)                          \
  X("{.reg .s8 t; cvt.sat.s8.s32 t, %1; cvt.s32.s8 %0, t;}", (uint32_t)clampTo(sa, -128, 127))               \
  X("{.reg .u8 t; cvt.sat.u8.s32 t, %1; cvt.u32.u8 %0, t;}", (uint32_t)clampTo(sa, 0, 255))                  \
  X("{.reg .s16 t; cvt.s16.s32 t, %1; cvt.s32.s16 %0, t;}", (uint32_t)(int16_t)a)                            \
  X("{.reg .u32 n; .reg .pred p; mov.u32 %0, 0; and.b32 n, %3, 7; again: setp.eq.u32 p, n, 0; @p bra done; " \
    "add.u32 %0, %0, %1; sub.u32 n, n, 1; bra again; done: }",                                               \
    (c & 7) * a)                                                                                             \
  X("{.reg .b64 x; mul.wide.s32 x, %1, %2; shr.u64 x, x, 20; cvt.u32.u64 %0, x;}",                           \
    (uint32_t)((int64_t)sa * sb >> 20))

// X(instruction on %1 = f, %2 = g with a 32-bit result; the same in C++)
#define FLOATS(X)                                                                                            \
  X("add.rn.f32 %0, %1, %2;", bits(f + g))                                                                   \
  X("add.rm.f32 %0, %1, %2;", bits(directed((double)f + g, -1)))                                             \
  X("mul.rp.f32 %0, %1, %2;", bits(directed((double)f *g, 1)))                                               \
  X("mul.rz.f32 %0, %1, %2;", bits(directed((double)f *g, 0)))                                               \
  X("fma.rn.f32 %0, %1, %2, %1;", bits(std::fma(f, g, f)))                                                   \
  X("div.rn.f32 %0, %1, %2;", bits(f / g))                                                                   \
  X("mul.sat.f32 %0, %1, %2;", bits(f *g > 0 ? (f * g < 1 ? f * g : 1.0f) : 0.0f))                           \
  X("min.f32 %0, %1, %2;", bits(std::fmin(f, g)))                                                            \
  X("cvt.rni.f32.f32 %0, %1;", bits(std::nearbyint(f)))                                                      \
  X("cvt.rpi.f32.f32 %0, %1;", bits(std::ceil(f)))                                                           \
  X("copysign.f32 %0, %2, %1;", bits(std::copysign(f, g)))                                                   \
  X("{.reg .pred p; setp.gtu.f32 p, %1, %2; selp.f32 %0, %1, 0f3F800000, p;}", bits(!(f <= g) ? f : 1.0f))   \
  X("set.gt.f32.f32 %0, %1, %2;", bits(f > g ? 1.0f : 0.0f))

// X(instruction on %1 = f, %2 = g with an integer result; the same in C++)
#define CONVERSIONS(X)                                                                                       \
  X("cvt.rni.s32.f32 %0, %1;", (uint32_t)toInteger(std::nearbyint((double)f), INT32_MIN, INT32_MAX))         \
  X("cvt.rzi.s32.f32 %0, %1;", (uint32_t)toInteger(std::trunc((double)f), INT32_MIN, INT32_MAX))             \
  X("cvt.rmi.s32.f32 %0, %1;", (uint32_t)toInteger(std::floor((double)f), INT32_MIN, INT32_MAX))             \
  X("cvt.rzi.u32.f32 %0, %1;", (uint32_t)toInteger(std::trunc((double)f), 0, UINT32_MAX))                    \
  X("set.gt.u32.f32 %0, %1, %2;", f > g ? ~0u : 0u)                                                          \
  X("{.reg .pred p; testp.finite.f32 p, %1; selp.u32 %0, 1, 0, p;}", (uint32_t)std::isfinite(f))             \
  X("{.reg .b16 s, t; cvt.rn.f16.f32 s, %1; cvt.rn.f16.f32 t, %2; mov.b32 %0, {s, t};}",                     \
    half(f) | (uint32_t)half(g) << 16)                                                                       \
  X("cvt.rn.f16x2.f32 %0, %1, %2;", half(g) | (uint32_t)half(f) << 16)                                       \
  X("{.reg .b32 x; cvt.rn.f16x2.f32 x, %1, %2; add.f16x2 %0, x, x;}",                                        \
    half(2 * widen(half(g))) | (uint32_t)half(2 * widen(half(f))) << 16)

#define INSTRUCTION(text, ...)                                                                               \
  {                                                                                                          \
    uint32_t r;                                                                                              \
    asm volatile(text : "=r"(r) : "r"(a), "r"(b), "r"(c));                                                   \
    *out++ = r;                                                                                              \
  }
#define FLOAT_INSTRUCTION(text, ...)                                                                         \
  {                                                                                                          \
    float r;                                                                                                 \
    asm volatile(text : "=f"(r) : "f"(f), "f"(g));                                                           \
    *out++ = __float_as_uint(r);                                                                             \
  }
#define CONVERSION(text, ...)                                                                                \
  {                                                                                                          \
    uint32_t r;                                                                                              \
    asm volatile(text : "=r"(r) : "f"(f), "f"(g));                                                           \
    *out++ = r;                                                                                              \
  }
#define COUNT(text, ...) +1
constexpr int kCount = 0 INTEGERS(COUNT) FLOATS(COUNT) CONVERSIONS(COUNT);

__global__ void run(const Input *in, uint32_t *out) {
  const uint32_t a = in[threadIdx.x].a, b = in[threadIdx.x].b, c = in[threadIdx.x].c;
  const float f = in[threadIdx.x].f, g = in[threadIdx.x].g;
  out += threadIdx.x * kCount;
  INTEGERS(INSTRUCTION)
  FLOATS(FLOAT_INSTRUCTION)
  CONVERSIONS(CONVERSION)
}

static int64_t clampTo(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }
static uint32_t sign(uint32_t byte) { return byte & 128 ? 255 : 0; }
static uint32_t bfindSigned(int32_t x) {
  const uint32_t v = x < 0 ? ~(uint32_t)x : x;
  return v ? 31 - __builtin_clz(v) : ~0u;
}
static uint32_t lop(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i)
    r |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
  return r;
}
template <typename A, typename B> static uint32_t dot(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += (uint32_t)((int)(A)(a >> 8 * i) * (int)(B)(b >> 8 * i));
  return sum;
}
static uint32_t bits(float x) {
  uint32_t u;
  std::memcpy(&u, &x, 4);
  return u;
}
// A double that holds the exact result, rounded down (-1), towards zero (0) or up (1).
static float directed(double exact, int direction) {
  const float nearest = (float)exact;
  const bool up = direction > 0 || (direction == 0 && exact < 0);
  if ((double)nearest == exact || (nearest > exact) == up)
    return nearest;
  return std::nextafter(nearest, up ? INFINITY : -INFINITY);
}
static int64_t toInteger(double x, int64_t low, int64_t high) {
  return x <= (double)low ? low : x >= (double)high ? high : (int64_t)x;
}
static uint16_t half(float x) {
  const _Float16 h = (_Float16)x;
  uint16_t u;
  std::memcpy(&u, &h, 2);
  return u;
}
static float widen(uint16_t u) {
  _Float16 h;
  std::memcpy(&h, &u, 2);
  return (float)h;
}

int main() {
  const Input inputs[] = {{0, 0, 0, 0.5f, 1.0f},
                          {1, 7, 3, 1.5f, -2.25f},
                          {0x80000000u, 0xffffffffu, 31, 1e10f, 3e9f},
                          {0x12345678u, 0x9abcdef0u, 13, 0.1f, 0.3f},
                          {0xdeadbeefu, 17, 40, -123.456f, 7.89f},
                          {0xff00, 0x7fffffffu, 8, 2.5f, 2.5f},
                          {0xfffffff6u, 3, 5, 3.5e9f, -7e9f},
                          {77, 0x80000001u, 255, 65519.0f, 65504.0f},
                          {0x7fffffffu, 1, 64, -0.75f, 1e-6f},
                          {0xaaaaaaaau, 0x55555555u, 16, -1e20f, 16777216.0f},
                          {1000003, 998877, 3, 1234.5678f, 0.00012345f}};
  const int count = sizeof inputs / sizeof *inputs;
  Input *in;
  uint32_t *out;
  std::vector<uint32_t> results(count * kCount);
  CUDA(cudaMalloc(&in, sizeof inputs));
  CUDA(cudaMalloc(&out, results.size() * 4));
  CUDA(cudaMemcpy(in, inputs, sizeof inputs, cudaMemcpyHostToDevice));
  run<<<1, count>>>(in, out);
  CUDA(cudaMemcpy(results.data(), out, results.size() * 4, cudaMemcpyDeviceToHost));
  int wrong = 0;
  const uint32_t *r = results.data();
  for (int t = 0; t < count; ++t) {
    const uint32_t a = inputs[t].a, b = inputs[t].b, c = inputs[t].c;
    const int32_t sa = (int32_t)a, sb = (int32_t)b;
    const uint64_t ba = (uint64_t)b << 32 | a;
    const float f = inputs[t].f, g = inputs[t].g;
    (void)ba;
#define COMPARE(text, ...)                                                                                   \
  {                                                                                                          \
    const uint32_t expected = __VA_ARGS__;                                                                   \
    if (*r != expected && ++wrong)                                                                           \
      std::printf("input %d, \"%s\": %08x, not %08x\n", t, text, *r, expected);                              \
    ++r;                                                                                                     \
  }
    INTEGERS(COMPARE)
    FLOATS(COMPARE)
    CONVERSIONS(COMPARE)
  }
  CHECK(wrong == 0, "%d results of %d instructions are wrong", wrong, kCount);
  std::puts("ok");
}

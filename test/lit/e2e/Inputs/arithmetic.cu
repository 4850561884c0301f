// One operation per kernel, to see the instructions that a compiler chooses for it.
#define KERNEL(name, ...)                                                                                    \
  extern "C" __global__ void name(float *out, float a, float b, float c) { *out = (__VA_ARGS__); }

KERNEL(add, a + b)
KERNEL(multiply, a * b)
KERNEL(multiplyAdd, a *b + c)
KERNEL(divide, a / b)
KERNEL(reciprocal, 1.0f / b)
KERNEL(negativeReciprocal, -1.0f / b)
KERNEL(byConstant, a / 3.0f)
KERNEL(bySelf, a / a)
KERNEL(ratio, (a * c) / (b * c))
KERNEL(quotients, a / c + b / c)
KERNEL(root, sqrtf(a))
KERNEL(rootOfStd, sqrt(a))
KERNEL(reciprocalRoot, 1.0f / sqrtf(a))
KERNEL(byRoot, b / sqrtf(a))
KERNEL(rsqrt_, rsqrtf(a))
KERNEL(least, fminf(a, b))
KERNEL(magnitude, fabsf(a))
KERNEL(negative, -a)
KERNEL(less, a < b ? c : 1.0f)
KERNEL(isMinusInfinity, a == -__int_as_float(0x7f800000) ? 1.0f : 2.0f)
KERNEL(notReassociated, (a + b) - b)
KERNEL(notZero, a - a)
KERNEL(notZeroEither, a * 0.0f)
KERNEL(toInteger, static_cast<float>(static_cast<int>(a)))
KERNEL(down, floorf(a))
KERNEL(saturated, __saturatef(a))
KERNEL(sine, __sinf(a))
KERNEL(exponential, __expf(a))
KERNEL(logarithm, __logf(a) + c)
KERNEL(quotient, __fdividef(a, b))
KERNEL(fusedByName, fmaf(a, b, c))
KERNEL(separateByName, __fadd_rn(__fmul_rn(a, b), c))
KERNEL(divideByName, __fdiv_rn(a, b))
KERNEL(reciprocalByName, __frcp_rn(a))
KERNEL(rootByName, __fsqrt_rn(a))
KERNEL(exp_, expf(a))
KERNEL(exp2_, exp2f(a))
KERNEL(exp10_, exp10f(a))
KERNEL(tanh_, tanhf(a))
KERNEL(cubeRoot, cbrtf(a))
#ifdef FAST
KERNEL(sin_, sinf(a))
KERNEL(cos_, cosf(a))
KERNEL(tan_, tanf(a))
KERNEL(log_, logf(a) + c)
KERNEL(log2_, log2f(a))
KERNEL(log10_, log10f(a))
KERNEL(pow_, powf(a, b))
KERNEL(expOfStd, exp(a))
__device__ float both(float a) {
  float s, c;
  sincosf(a, &s, &c);
  return s * c;
}
KERNEL(sincos_, both(a))
#endif

extern "C" __global__ void doubles(double *out, double a, double b) { *out = a / b + sqrt(a); }
extern "C" __global__ void widened(double *out, float a) { *out = a; }
extern "C" __global__ void narrowed(float *out, double a) { *out = static_cast<float>(a); }

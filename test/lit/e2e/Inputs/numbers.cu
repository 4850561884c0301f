// Numbers that tell how device arithmetic was compiled. Inputs come at run time, so that nothing is known
// before.
//
// Each line is a name and a result; arithmetic knows all of them.
#include <cmath>
#include <cstdio>
#include <cstring>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "nvcc defines no such macro, on neither side"
#endif

struct Inputs {
  float denormal, tiny, one, nearOne, productOfTwo, huge, infinity, nan, minusTwo, two;
  double denormalDouble;
};

struct Results {
  float moved, sum, product, root, smaller, magnitude, raised;
  int positive, least;
  double widened, halved, narrowed;
  float fused, fusedByName, separate;
  float quotient, quotientOfInfinity, reciprocal, named, exactByName;
  float power, assembled;
  int seesNan, seesInfinity;
  float softmax;
};

__global__ void compute(const Inputs *in, Results *out) {
  const Inputs &i = *in;
  out->moved = i.denormal;
  out->sum = i.denormal + i.denormal;
  out->product = i.tiny * i.tiny;
  out->root = sqrtf(i.denormal) * 0x1p75f;
  out->smaller = fminf(i.denormal, i.one);
  out->magnitude = fabsf(-i.denormal);
  out->raised = ceilf(i.denormal);
  out->positive = i.denormal > 0.0f;
  out->least = __float2int_ru(i.denormal);
  out->widened = i.denormal;
  out->halved = i.denormalDouble * 0.5;
  out->narrowed = static_cast<float>(static_cast<double>(i.tiny) * 0x1p-70);

  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, whose last bit single precision lacks.
  out->fused = i.nearOne * i.nearOne - i.productOfTwo;
  out->fusedByName = fmaf(i.nearOne, i.nearOne, -i.productOfTwo);
  out->separate = __fsub_rn(__fmul_rn(i.nearOne, i.nearOne), i.productOfTwo);

  out->quotient = i.huge / i.huge;
  out->quotientOfInfinity = i.infinity / i.huge;
  out->reciprocal = 1.0f / i.huge;
  out->named = __fdividef(i.huge, i.huge);
  out->exactByName = __fdiv_rn(i.huge, i.huge);
  out->power = powf(i.minusTwo, i.two);
  asm("add.ftz.f32 %0, %1, %1;" : "=f"(out->assembled) : "f"(i.denormal));

  out->seesNan = isnan(i.nan) && i.nan != i.nan;
  out->seesInfinity = -i.infinity == -INFINITY && isinf(i.infinity);
  // A row whose entries are all masked: the largest is -infinity, and nothing is subtracted.
  const float largest = fmaxf(-i.infinity, -i.infinity);
  const float shift = largest == -INFINITY ? 0.0f : largest;
  out->softmax = expf(-i.infinity - shift);
}

static void print(const char *name, double value) {
  if (std::isnan(value)) // whose sign nobody promises
    std::printf("%s nan\n", name);
  else
    std::printf("%s %a\n", name, value);
}

int main() {
  const Inputs host{0x1p-140f, 0x1p-70f, 1.0f, 1.0f + 0x1p-12f, 1.0f + 0x1p-11f, 0x1p127f, INFINITY,
                    NAN,       -2.0f,    2.0f, 0x1p-1060};
  Inputs *in;
  Results *out, results;
  std::memset(&results, 0, sizeof results);
  cudaMalloc(&in, sizeof *in);
  cudaMalloc(&out, sizeof *out);
  cudaMemcpy(in, &host, sizeof host, cudaMemcpyHostToDevice);
  compute<<<1, 1>>>(in, out);
  if (cudaMemcpy(&results, out, sizeof results, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
#define SHOW(name) print(#name, results.name)
  SHOW(moved);
  SHOW(sum);
  SHOW(product);
  SHOW(root);
  SHOW(smaller);
  SHOW(magnitude);
  SHOW(raised);
  SHOW(positive);
  SHOW(least);
  SHOW(widened);
  SHOW(halved);
  SHOW(narrowed);
  SHOW(fused);
  SHOW(fusedByName);
  SHOW(separate);
  SHOW(quotient);
  SHOW(quotientOfInfinity);
  SHOW(reciprocal);
  SHOW(named);
  SHOW(exactByName);
  SHOW(power);
  SHOW(assembled);
  SHOW(seesNan);
  SHOW(seesInfinity);
  SHOW(softmax);

  // The host's side is nobody's fast arithmetic.
  const volatile float denormal = 0x1p-140f, nan = NAN, infinity = INFINITY;
  print("hostSum", denormal + denormal);
  print("hostSees", std::isnan(nan) && infinity == INFINITY);
}

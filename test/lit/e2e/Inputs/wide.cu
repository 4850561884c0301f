// Eight vectors at once, and data decides where they go: few registers, too many when traced without a limit.
__global__ void crossed(const float4 *in, float4 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 a = in[i], b = in[i + n], c = in[i + 2 * n], d = in[i + 3 * n], e = in[i + 4 * n],
               f = in[i + 5 * n], g = in[i + 6 * n], h = in[i + 7 * n];
  out[a.x < 0 ? i + n : i] = make_float4(
      a.x * b.y + c.z * d.w + e.x * f.y + g.z * h.w, a.y * b.z + c.w * d.x + e.y * f.z + g.w * h.x,
      a.z * b.w + c.x * d.y + e.z * f.w + g.x * h.y, a.w * b.x + c.y * d.z + e.w * f.x + g.y * h.z);
}

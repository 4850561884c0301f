// What is loaded is not used: so nothing waits for it but the second clock.
__global__ void look(const volatile float *in) {
  (void)in[threadIdx.x];
}
int main() {
  look<<<1, 32>>>(nullptr);
  return 0;
}

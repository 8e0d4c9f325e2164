#include <cstdio>
#include <cstdint>
#include <cmath>
#include <cstring>
// Sums of tensor cores that are smaller than any number of the result: c products of +-2^s and a C of either zero, by
// mma.sync (of bf16, of tf32, of f16 to f16) and wgmma (of bf16), beside a model. Tells that what is rounded to zero is
// +0, and that terms are not cut at some least exponent before.
//
//   nvcc -gencode arch=compute_90a,code=sm_90a -O1 tiny.cu -o tiny && ./tiny
__device__ uint32_t bf(int e, int neg) { return (uint32_t)(e + 127) << 7 | neg << 15; }
__global__ void sync_bf16(int e1, int e2, int neg, int c, uint32_t cw, uint32_t* out) {
  int t = threadIdx.x % 4; uint32_t a[4], b[2], d[4];
  auto el = [&](int k, uint32_t v) { return k < c ? v : 0u; };
  uint32_t av = bf(e1, neg), bv = bf(e2, 0);
  uint32_t lo = el(2*t, av) | el(2*t+1, av) << 16, hi = el(2*t+8, av) | el(2*t+9, av) << 16;
  a[0]=a[1]=lo; a[2]=a[3]=hi; b[0]=b[1]=bv | bv << 16;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
   "{%10,%10,%10,%10};"
   : "=r"(d[0]),"=r"(d[1]),"=r"(d[2]),"=r"(d[3]) : "r"(a[0]),"r"(a[1]),"r"(a[2]),"r"(a[3]),"r"(b[0]),"r"(b[1]),"r"(cw));
  out[threadIdx.x] = d[0]; 
}
__global__ void sync_tf32(int e1, int e2, int neg, int c, uint32_t cw, uint32_t* out) {
  int t = threadIdx.x % 4; uint32_t d[4];
  uint32_t av = (uint32_t)(e1+127) << 23 | (uint32_t)neg << 31, bv = (uint32_t)(e2+127) << 23;
  uint32_t lo = t < c ? av : 0, hi = t + 4 < c ? av : 0;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4,%5,%5},{%6,%6},{%7,%7,%7,%7};"
   : "=r"(d[0]),"=r"(d[1]),"=r"(d[2]),"=r"(d[3]) : "r"(lo),"r"(hi),"r"(bv),"r"(cw));
  out[threadIdx.x] = d[0];
}
__global__ void sync_f16(int e1, int e2, int neg, int c, uint32_t cw, uint32_t* out) {
  int t = threadIdx.x % 4; uint32_t d[2];
  uint32_t av = (uint32_t)(e1+15) << 10 | neg << 15, bv = (uint32_t)(e2+15) << 10;
  auto el = [&](int k) { return k < c ? av : 0u; };
  uint32_t lo = el(2*t) | el(2*t+1) << 16, hi = el(2*t+8) | el(2*t+9) << 16, bb = bv | bv << 16;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%2,%3,%3},{%4,%4},{%5,%5};"
   : "=r"(d[0]),"=r"(d[1]) : "r"(lo),"r"(hi),"r"(bb),"r"(cw));
  out[threadIdx.x] = d[0] & 0xffff;
}
__global__ void wg_bf16(int e1, int e2, int neg, int c, uint32_t cw, uint32_t* out) {
  __shared__ alignas(128) uint16_t sb[1024];
  uint32_t av = bf(e1, neg), bv = bf(e2, 0);
  for (int i = threadIdx.x; i < 1024; i += 128) sb[i] = (uint16_t) bv;
  __syncthreads(); asm volatile("fence.proxy.async;" ::: "memory");
  int t = threadIdx.x % 4; auto el = [&](int k) { return k < c ? av : 0u; };
  uint32_t lo = el(2*t) | el(2*t+1) << 16, hi = el(2*t+8) | el(2*t+9) << 16;
  uint32_t d0=cw,d1=cw,d2=cw,d3=cw;
  uint64_t desc = (uint64_t)((__cvta_generic_to_shared(sb) & 0x3ffff) >> 4) | (uint64_t)(128 >> 4) << 16
    | (uint64_t)(256 >> 4) << 32;
  asm volatile("{ .reg .f32 f<4>; wgmma.fence.sync.aligned;\n"
   "mov.b32 f0,%0; mov.b32 f1,%1; mov.b32 f2,%2; mov.b32 f3,%3;\n"
   "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0,f1,f2,f3},{%4,%4,%5,%5},%6,1,1,1,0;\n"
   "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
   "mov.b32 %0,f0; mov.b32 %1,f1; mov.b32 %2,f2; mov.b32 %3,f3; }"
   : "+r"(d0),"+r"(d1),"+r"(d2),"+r"(d3) : "r"(lo),"r"(hi),"l"(desc) : "memory");
  if (threadIdx.x < 32) out[threadIdx.x] = d0;
}
static uint32_t model(int s, int neg, int c, bool half) {
  double sum = ldexp((double) c, s + (half ? 24 : 149));
  uint32_t magnitude = (uint32_t) (half ? nearbyint(sum) : floor(sum));
  return magnitude == 0 ? 0 : magnitude | (uint32_t) neg << (half ? 15 : 31);
}
int main() {
  const char* names[] = {"mma.sync bf16", "mma.sync tf32", "mma.sync f16 to f16", "wgmma bf16"};
  uint32_t *out, word;
  cudaMalloc(&out, 128 * sizeof(uint32_t));
  for (int kind = 0; kind < 4; kind++) {
    bool half = kind == 2;
    long sums = 0, wrong = 0, zeros = 0;
    for (int s = half ? -20 : -131; s >= (half ? -28 : -240); s--)
      for (int neg = 0; neg < 2; neg++)
        for (int c : {0, 1, 2, 3, 5, 8, 16})
          for (uint32_t sign = 0; sign < 2; sign++) {
            if (kind == 1 && c > 8) continue;
            uint32_t zero = half ? sign * 0x80008000u : sign << 31;
            int e1 = s / 2, e2 = s - e1;
            if (kind == 0) sync_bf16<<<1, 32>>>(e1, e2, neg, c, zero, out);
            if (kind == 1) sync_tf32<<<1, 32>>>(e1, e2, neg, c, zero, out);
            if (kind == 2) sync_f16<<<1, 32>>>(e1, e2, neg, c, zero, out);
            if (kind == 3) wg_bf16<<<1, 128>>>(e1, e2, neg, c, zero, out);
            if (cudaMemcpy(&word, out, sizeof word, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
            sums++;
            wrong += word != model(s, neg, c, half);
            zeros += c > 0 && word == 0;
          }
    printf("%s: %ld of %ld sums differ from the model; %ld of them are rounded to zero\n", names[kind], wrong, sums,
           zeros);
  }
}

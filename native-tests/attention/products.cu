// What the products of attention take with nothing beside them: in a turn, each group of four warps multiplies 64 rows of
// Q by 128 keys, and as many weights by their values, of zeros. nvcc -gencode arch=compute_90a,code=sm_90a products.cu
#include <cstdio>
#define R8(i) "%" #i "0, %" #i "1, %" #i "2, %" #i "3, %" #i "4, %" #i "5, %" #i "6, %" #i "7, %" #i "8, %" #i "9, "
#define SUMS "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " R8(1) R8(2) R8(3) R8(4) R8(5) "%60, %61, %62, %63}"
#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define D D16(0), D16(16), D16(32), D16(48)
#define WGMMA "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
typedef unsigned long long u64;
__device__ __forceinline__ void shared(float* d, u64 a, u64 b) {
    asm volatile(WGMMA SUMS ", %64, %65, 1, 1, 1, 0, 0;" : D : "l"(a), "l"(b) : "memory");
}
__device__ __forceinline__ void registers(float* d, const unsigned* a, u64 b) {
    asm volatile(WGMMA SUMS ", {%64, %65, %66, %67}, %68, 1, 1, 1, 0;" : D : "r"(a[0]), "r"(a[1]), "r"(a[2]),
            "r"(a[3]), "l"(b) : "memory");
}
__device__ __forceinline__ void values(float* d, const unsigned* a, u64 b) {
    asm volatile(WGMMA SUMS ", {%64, %65, %66, %67}, %68, 1, 1, 1, 1;" : D : "r"(a[0]), "r"(a[1]), "r"(a[2]),
            "r"(a[3]), "l"(b) : "memory");
}
template<bool held> __global__ void __launch_bounds__(256, 1) turns(int count, long long* cycles, float* sink) {
    extern __shared__ __align__(1024) unsigned char memory[];
    for (int i = threadIdx.x; i < 96 * 256; i += blockDim.x) ((unsigned*)memory)[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(memory);
    u64 q = 4611686293305360384ULL + ((at + threadIdx.x / 128 * 16384) >> 4);
    u64 k = 4611686293305360384ULL + ((at + 32768) >> 4), v = 4611686293372403712ULL + ((at + 65536) >> 4);
    float s[64], o[64];
    unsigned w[32], rows[32];
    for (int i = 0; i < 64; i++) s[i] = o[i] = 0;
    for (int i = 0; i < 32; i++) w[i] = rows[i] = count < 0 ? threadIdx.x : 0;
    long long start = clock64();
    for (int turn = 0; turn < count; turn++) {
        asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
        for (int c = 0; c < 8; c++) {
            u64 b = k + (c & 3) * 2 + (c >> 2) * 1024;
            if (held) registers(s, rows + 4 * c, b); else shared(s, q + (c & 3) * 2 + (c >> 2) * 512, b);
        }
        asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
        for (int c = 0; c < 8; c++) values(o, w + 4 * c, v + c * 128);
        asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" : : : "memory");
        for (int i = 0; i < 64; i++) asm volatile("" : "+f"(s[i]), "+f"(o[i]) : : "memory");
    }
    if (threadIdx.x + blockIdx.x == 0) *cycles = clock64() - start;
    float sum = 0;
    for (int i = 0; i < 64; i++) sum += s[i] + o[i];
    if (sum > 1) *sink = sum;
}
template<bool held> void measure(const char* name) {
    long long* cycles;
    cudaMallocManaged(&cycles, 16);
    cudaFuncSetAttribute(turns<held>, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);
    for (int groups = 1; groups <= 2; groups++) {
        for (int count : {1000, 4000}) turns<held><<<132, groups * 128, 98304>>>(count, cycles, (float*)(cycles + 1));
        cudaDeviceSynchronize();
        printf("%s, %d groups: %.1f cycles a turn (%s)\n", name, groups, *cycles / 4000.0,
                cudaGetErrorString(cudaGetLastError()));
    }
}
int main() {
    measure<false>("queries in shared memory");
    measure<true>("queries in registers");
}

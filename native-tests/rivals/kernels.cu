// The kernels of both sides of the race. C++ loads them as a cubin of nvcc's, Java compiles this very text by NVRTC.

extern "C" {

// What a launch costs by itself.
__global__ void empty() {
}

// total[i] += in[i] * factor for i below n: a launch with four arguments, and each that ran can be counted afterwards.
__global__ void accumulate(unsigned* total, const unsigned* in, unsigned factor, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        total[i] += in[i] * factor;
    }
}

// out[i] = in[i] + value in each of four 32-bit words, of a whole slab.
__global__ void add(const uint4* in, uint4* out, unsigned value, unsigned long long n) {
    unsigned long long step = (unsigned long long) gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        uint4 v = in[i];
        out[i] = make_uint4(v.x + value, v.y + value, v.z + value, v.w + value);
    }
}

}

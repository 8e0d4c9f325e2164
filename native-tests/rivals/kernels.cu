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

// The same as many times as one likes: takes longer than the slab's copies. The value is read anew each time, so that
// the additions cannot be made one (ptxas does that with additions of a value that it knows to stay).
__global__ void add_often(const uint4* in, uint4* out, unsigned value, unsigned long long n, unsigned times) {
    __shared__ volatile unsigned held;
    if (threadIdx.x == 0) {
        held = value;
    }
    __syncthreads();
    unsigned long long step = (unsigned long long) gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        uint4 v = in[i];
        for (unsigned t = 0; t < times; t++) {
            unsigned again = held;
            v.x += again;
            v.y += again;
            v.z += again;
            v.w += again;
        }
        out[i] = v;
    }
}

}

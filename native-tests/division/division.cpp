// A kernel of f32 divisions whose registers do not suffice, by a cubin: every quotient is compared with the host's.
//     nvcc -cubin -arch=sm_90a --fmad=false drawn.cu -o drawn.cubin            (-DOURS: the quotients of the emitter)
//     g++ -O2 division.cpp -lcuda -o division && ./division drawn.cubin
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda.h>

constexpr int N = 15 * 9 * 6 * 16, TURNS = 20;

struct Numbers {
    uint64_t state;
    uint32_t word() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return uint32_t(state >> 32);
    }
    // Subnormal, huge, any, or half of the time near 1.
    float next() {
        uint32_t w = word(), kind = word() % 8;
        if (kind == 0) w &= 0x807fffff;
        if (kind == 1) w = (w & 0x807fffff) | 0x7e800000;
        if (kind >= 4) w = (w & 0x80ffffff) | 0x3f000000;
        float f;
        memcpy(&f, &w, 4);
        return f;
    }
};

int main(int, char** arguments) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    int registers = 0, local = 0, wrong = 0;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    if (int code = cuModuleLoad(&module, arguments[1])) return printf("load: error %d\n", code), 1;
    cuModuleGetFunction(&kernel, module, "drawn");
    cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel);
    cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel);
    printf("%s: %d registers, %d local bytes: ", arguments[1], registers, local);
    std::vector<float> a(N), b(N);
    std::vector<double> out(N);
    CUdeviceptr da, db, dout;
    cuMemAlloc(&da, 4 * N);
    cuMemAlloc(&db, 4 * N);
    cuMemAlloc(&dout, 8 * N);
    for (int turn = 0; turn < TURNS; turn++) {
        Numbers numbers{uint64_t(12345 + turn)};
        for (int i = 0; i < N; i++) a[i] = numbers.next(), b[i] = numbers.next();
        cuMemcpyHtoD(da, a.data(), 4 * N);
        cuMemcpyHtoD(db, b.data(), 4 * N);
        long long s0 = 9 * 6 * 16, s1 = 6 * 16, s2 = 16;
        void* values[] = {&da, &s0, &s1, &s2, &db, &s0, &s1, &s2, &dout, &s0, &s1, &s2};
        int launch = cuLaunchKernel(kernel, 1, 1, 1, 512, 1, 1, 16, nullptr, values, nullptr);
        int end = cuCtxSynchronize();
        if (launch || end) return printf("launch %d, sync %d in turn %d\n", launch, end, turn), 1;
        cuMemcpyDtoH(out.data(), dout, 8 * N);
        for (int i = 0; i < N; i++) {
            double want = a[i] / (std::isnan(b[i]) ? -2.5f : fmaxf(b[i], -2.5f));
            bool same = std::isnan(want) ? std::isnan(out[i])
                    : out[i] == want && std::signbit(out[i]) == std::signbit(want);
            wrong += !same;
        }
    }
    printf("%d of %d wrong\n", wrong, TURNS * N);
    return wrong > 0;
}

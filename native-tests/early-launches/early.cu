// What may stand before and after a launch that begins early (programmatic stream serialization). Each case runs plainly
// and as a captured graph, 100 times, and every element of its result is compared. A kernel without its wait must fail.
//     nvcc -std=c++17 -arch=sm_90a -O2 -o early early.cu && ./early
#include <cstdio>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

constexpr int N = 1 << 20, TURNS = 100;

void check(cudaError_t code, const char* call) {
    if (code != cudaSuccess) {
        printf("  %s: %s\n", call, cudaGetErrorString(code));
        throw 1;
    }
}
#define ok(call) check(call, #call)

__device__ void spin(long long nanoseconds) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

// Lets the next launch begin, takes 0.1 ms, writes.
__global__ void slow(int* out, int value, bool trigger) {
    if (trigger) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    spin(100000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) out[i] = value;
}

// Lets the next launch begin, waits for the one before unless told not to, adds 1.
__global__ void early(const int* in, int* out, bool waits) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (waits) asm volatile("griddepcontrol.wait;" ::: "memory");
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) out[i] = in[i] + 1;
}

__global__ void plain(const int* in, int* out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) out[i] = in[i] + 1;
}

cudaStream_t S, T;
cudaEvent_t forked, joined;
int *a, *b, *c, *d, *z;

void goSlow(cudaStream_t stream, int* out, int value, bool trigger = true) {
    slow<<<66, 256, 0, stream>>>(out, value, trigger);
    ok(cudaGetLastError());
}

void goEarly(cudaStream_t stream, const int* in, int* out, bool waits = true) {
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = 66, launch.blockDim = 256, launch.stream = stream, launch.attrs = attribute, launch.numAttrs = 1;
    ok(cudaLaunchKernelEx(&launch, early, in, out, waits));
}

void goPlain(cudaStream_t stream, const int* in, int* out) {
    plain<<<66, 256, 0, stream>>>(in, out);
    ok(cudaGetLastError());
}

void goCopy(cudaStream_t stream, int* to, const int* from) {
    ok(cudaMemcpyAsync(to, from, 4 * N, cudaMemcpyDeviceToDevice, stream));
}

void fork() {
    ok(cudaEventRecord(forked, S));
    ok(cudaStreamWaitEvent(T, forked));
}

void join() {
    ok(cudaEventRecord(joined, T));
    ok(cudaStreamWaitEvent(S, joined));
}

// Writes to `result` a number that follows from v: v + add, or that of a fill where add is negative.
struct Case {
    const char* name;
    std::function<void(int)> work;
    int** result;
    int add;
    bool capturable, mustFail = false;
};

void asGraph(const Case& k, int v, bool first, int& programmatic, size_t& edges) {
    cudaGraph_t graph;
    cudaGraphExec_t runnable;
    ok(cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed));
    k.work(v);
    ok(cudaStreamEndCapture(S, &graph));
    if (first) {
        std::vector<cudaGraphNode_t> from(32), to(32);
        std::vector<cudaGraphEdgeData> data(32);
        edges = 32;
        ok(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &edges));
        for (size_t i = 0; i < edges; i++) programmatic += data[i].type == cudaGraphDependencyTypeProgrammatic;
    }
    ok(cudaGraphInstantiate(&runnable, graph, 0));
    ok(cudaGraphLaunch(runnable, S));
    ok(cudaStreamSynchronize(S));
    ok(cudaGraphExecDestroy(runnable));
    ok(cudaGraphDestroy(graph));
}

int main() {
    cudaDeviceProp properties;
    int driver, *host;
    ok(cudaGetDeviceProperties(&properties, 0));
    ok(cudaDriverGetVersion(&driver));
    printf("%s, driver %d\n", properties.name, driver);
    ok(cudaStreamCreate(&S));
    ok(cudaStreamCreate(&T));
    ok(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    ok(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    for (int** q : {&a, &b, &c, &d, &z}) ok(cudaMalloc(q, 4 * N));
    ok(cudaMallocHost(&host, 4 * N));

    std::vector<Case> cases = {
        {"kernel that lets go, early, early",
            [](int v) { goSlow(S, a, v); goEarly(S, a, b); goEarly(S, b, c); }, &c, 2, true},
        {"kernel, early that touches nothing of it, early that does",
            [](int v) { goSlow(S, a, v); goEarly(S, z, d); goEarly(S, a, c); }, &c, 1, true},
        {"other library's kernel, early",
            [](int v) { goSlow(S, a, v, false); goEarly(S, a, c); }, &c, 1, true},
        {"kernel, early, plain kernel",
            [](int v) { goSlow(S, a, v); goEarly(S, z, d); goPlain(S, a, c); }, &c, 1, true},
        {"kernel, copy, early",
            [](int v) { goSlow(S, a, v); goCopy(S, b, a); goEarly(S, b, c); }, &c, 1, true},
        {"kernel, early, copy of the first's",
            [](int v) { goSlow(S, a, v); goEarly(S, z, d); goCopy(S, c, a); }, &c, 0, true},
        {"fill, early",
            [](int v) { goSlow(S, a, v); ok(cudaMemsetAsync(a, v & 1, 4 * N, S)); goEarly(S, a, c); }, &c, -1, true},
        {"kernel here; kernel there, joined; early",
            [](int v) { fork(); goSlow(T, a, v); goSlow(S, d, 0); join(); goEarly(S, a, c); }, &c, 1, true},
        {"kernel there that is longer, joined; nothing here; early",
            [](int v) { fork(); goSlow(T, b, v); goEarly(T, b, a); join(); goEarly(S, a, c); }, &c, 2, true},
        {"kernel here; kernel and copy there, joined; early",
            [](int v) { fork(); goSlow(T, b, v); goCopy(T, a, b); goEarly(S, z, d); join(); goEarly(S, a, c); },
            &c, 1, true},
        {"kernel, early; other stream waits for the early one",
            [](int v) { goSlow(S, a, v); goEarly(S, z, d); fork(); goPlain(T, a, c); join(); }, &c, 1, true},
        {"kernel, early; other stream begins early behind the event",
            [](int v) { goSlow(S, a, v); goEarly(S, z, d); fork(); goEarly(T, a, c); join(); }, &c, 1, true},
        {"kernel in a blocking stream, early in the default stream",
            [](int v) { goSlow(S, a, v); goEarly(0, a, c); }, &c, 1, false},
        {"kernel in the default stream, early in a blocking stream",
            [](int v) { goSlow(0, a, v); goEarly(S, a, c); }, &c, 1, false},
        {"must fail: kernel, early that does not wait",
            [](int v) { goSlow(S, a, v); goEarly(S, a, c, false); }, &c, 1, true, true},
    };
    int failed = 0;
    for (const Case& k : cases) {
        for (int graph = 0; graph <= k.capturable; graph++) {
            int wrong = 0, programmatic = 0;
            size_t edges = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                int v = 2 * turn + graph;
                for (int* q : {a, b, c}) ok(cudaMemset(q, 0x7f, 4 * N));
                ok(cudaDeviceSynchronize());
                if (graph) asGraph(k, v, turn == 0, programmatic, edges);
                else k.work(v);
                ok(cudaDeviceSynchronize());
                ok(cudaMemcpy(host, *k.result, 4 * N, cudaMemcpyDeviceToHost));
                int want = k.add < 0 ? (v & 1) * 0x01010101 + 1 : v + k.add, differ = 0;
                for (int i = 0; i < N; i++) differ += host[i] != want;
                wrong += differ > 0;
            }
            printf("%-62s %s: %3d of %d wrong", k.name, graph ? "graph" : "plain", wrong, TURNS);
            if (graph) printf(", %d of %zu edges programmatic", programmatic, edges);
            printf("\n");
            failed += (wrong > 0) != k.mustFail;
        }
    }
    printf("%d cases failed\n", failed);
    return failed > 0;
}

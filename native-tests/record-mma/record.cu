// Records tensor-core instructions of further kinds: random, wide, cancelling and special operands, one JSON object a line.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
template<class Q> __global__ void kernel(const unsigned char* as, const unsigned char* bs, unsigned char* ds) {
    __shared__ __align__(1024) unsigned char tile[8 * 32 * 8];
    constexpr int PA = Q::WA >= 4 ? 1 : 4 / Q::WA, PD = Q::WD >= 4 ? 1 : 4 / Q::WD;
    const unsigned char* A = as + (size_t)blockIdx.x * Q::M * Q::K * Q::WA;
    const unsigned char* B = bs + (size_t)blockIdx.x * Q::K * Q::N * Q::WA;
    unsigned char* D = ds + (size_t)blockIdx.x * Q::M * Q::N * Q::WD;
    int t = threadIdx.x, lane = t % 32, g = lane / 4, q = lane % 4, row0 = t / 32 * 16;
    typename Q::R a[Q::RA > 0 ? Q::RA : 1], b[Q::RB > 0 ? Q::RB : 1];
    typename Q::D d[Q::RD];
    for (int r = 0; r < Q::RA; r++) for (int i = 0; i < PA; i++) {
        int row = Q::M == 8 ? g : row0 + g + 8 * (r & 1), col = ((Q::M == 8 ? r : r >> 1) * 4 + q) * PA + i;
        memcpy((unsigned char*)&a[r] + i * Q::WA, A + (row * Q::K + col) * Q::WA, Q::WA);
    }
    for (int r = 0; r < Q::RB; r++) for (int i = 0; i < PA; i++)
        memcpy((unsigned char*)&b[r] + i * Q::WA, B + (((r * 4 + q) * PA + i) * Q::N + g) * Q::WA, Q::WA);
    for (int r = 0; r < Q::RD; r++) for (int i = 0; i < PD; i++) {
        int v = r * PD + i, row = row0 + g + (Q::M == 8 ? 0 : 8 * (v >> 1 & 1)), col = q * 2 + (v & 1);
        memcpy((unsigned char*)&d[r] + i * Q::WD, D + (row * Q::N + col) * Q::WD, Q::WD);
    }
    unsigned long long desc = 0;
    if (Q::WG) {
        for (int i = t; i < Q::K * Q::N * Q::WA; i += Q::TH) {
            int e = i / Q::WA, k = e / Q::N, n = e % Q::N, kb = k * Q::WA + i % Q::WA;
            tile[n * 16 + kb / 16 * 128 + kb % 16] = B[i];
        }
        __syncthreads();
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        unsigned s = (unsigned)__cvta_generic_to_shared(tile);
        desc = (unsigned long long)(s >> 4 & 0x3FFF) | (128ull >> 4) << 16 | (128ull >> 4) << 32;
    }
    Q::run(a, b, d, desc);
    for (int r = 0; r < Q::RD; r++) for (int i = 0; i < PD; i++) {
        int v = r * PD + i, row = row0 + g + (Q::M == 8 ? 0 : 8 * (v >> 1 & 1)), col = q * 2 + (v & 1);
        memcpy(D + (row * Q::N + col) * Q::WD, (unsigned char*)&d[r] + i * Q::WD, Q::WD);
    }
}
static uint64_t state = 12345;
static uint64_t rnd() { uint64_t x = state += 0x9E3779B97F4A7C15ull; x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull; x = (x ^ x >> 27) * 0x94D049BB133111EBull; return x ^ x >> 31; }
struct Format { int bits, exponent, fraction; };
static Format format(std::string t) {
    if (t == "f16") return {16, 5, 10}; if (t == "bf16") return {16, 8, 7}; if (t == "tf32" || t == "f32") return {32, 8, 23};
    if (t == "e4m3") return {8, 4, 3}; if (t == "e5m2") return {8, 5, 2}; if (t == "f64") return {64, 11, 52};
    return {t == "s32" ? 32 : 8, 0, 0};
}
// regime 0: ordinary, 1: any bits, 2: as 0 (made to cancel by the caller), 3: as 0 with specials and subnormals
static uint64_t number(Format f, int regime, int spread) {
    uint64_t x = rnd(), mask = f.bits == 64 ? ~0ull : (1ull << f.bits) - 1;
    if (!f.exponent || regime == 1) return x & mask;
    uint64_t fraction = x & ((1ull << f.fraction) - 1), sign = rnd() & 1;
    int bias = (1 << (f.exponent - 1)) - 1, most = (1 << f.exponent) - 1;
    int e = bias + (int)(rnd() % (2 * spread + 1)) - spread;
    if (regime == 3) switch (rnd() % 24) {
        case 0: e = most; fraction = 0; break;
        case 1: e = most; break;
        case 2: case 3: case 4: e = 0; break;
        case 5: case 6: e = 0; fraction = 0; break;
        case 7: e = most - 1; break;
    }
    if (regime == 3 && rnd() % 3) { if (e == most && rnd() % 8) e = most - 1; }
    if (e < 0) e = 0; if (e > most) e = most;
    return sign << (f.bits - 1) | (uint64_t)e << f.fraction | fraction;
}
static void put(std::vector<unsigned char>& v, int w, uint64_t x) { for (int i = 0; i < w; i++) v.push_back(x >> 8 * i & 255); }
static uint64_t get(const std::vector<unsigned char>& v, size_t i, int w) { uint64_t x = 0; memcpy(&x, &v[i * w], w); return x; }
static std::string hex(const std::vector<unsigned char>& v, size_t from, size_t count, int w) {
    std::string s; char c[20];
    for (size_t i = from; i < from + count; i++) { snprintf(c, 20, "%0*llx", 2 * w, (unsigned long long)get(v, i, w)); s += c; }
    return s;
}
static FILE* out;
template<class Q> void go(const char* kind, const char* shape, const char* types, const char* at, const char* bt, const char* dt,
        int sat, int sa, int sb, int rows) {
    std::vector<unsigned char> a, b, c;
    Format fa = format(at), fb = format(bt), fd = format(dt);
    for (int r = 0; r < rows; r++) {
        int regime = r % 4, spread = r / 4 % 3 == 0 ? 1 : r / 4 % 3 == 1 ? 4 : 12;
        for (int i = 0; i < Q::M * Q::K; i++) {
            if (regime == 2 && i % 2) { put(a, Q::WA, get(a, a.size() / Q::WA - 1, Q::WA) ^ (fa.exponent ? 1ull << (fa.bits - 1) : 0xff)); continue; }
            put(a, Q::WA, number(fa, regime, spread));
        }
        size_t first = b.size() / Q::WA;
        for (int i = 0; i < Q::K * Q::N; i++) {
            if (regime == 2 && i / Q::N % 2 && rnd() % 4) { put(b, Q::WA, get(b, first + i - Q::N, Q::WA) ^ (rnd() % 2)); continue; }
            put(b, Q::WA, number(fb, regime, spread));
        }
        for (int i = 0; i < Q::M * Q::N; i++) {
            if (sat) { put(c, 4, (rnd() & 1 ? 0x7fffffffu : 0x80000000u) ^ (unsigned)(rnd() % 400000)); continue; }
            put(c, Q::WD, number(fd, regime == 1 && rnd() % 4 ? 0 : regime, fd.exponent ? (rnd() % 2 ? spread : 2 * spread + 10) : 0));
        }
    }
    std::vector<unsigned char> d = c;
    unsigned char *da, *db, *dd;
    cudaMalloc(&da, a.size()); cudaMalloc(&db, b.size()); cudaMalloc(&dd, d.size());
    cudaMemcpy(da, a.data(), a.size(), cudaMemcpyHostToDevice); cudaMemcpy(db, b.data(), b.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dd, d.data(), d.size(), cudaMemcpyHostToDevice);
    kernel<Q><<<rows, Q::TH>>>(da, db, dd);
    cudaMemcpy(d.data(), dd, d.size(), cudaMemcpyDeviceToHost);
    cudaError_t e = cudaGetLastError();
    printf("%s %s %s sat %d scale %d %d: %s\n", kind, shape, types, sat, sa, sb, cudaGetErrorString(e));
    if (e != cudaSuccess) exit(1);
    for (int r = 0; r < rows; r++) {
        fprintf(out, "{\"kind\":\"%s\",\"shape\":\"%s\",\"types\":\"%s\"", kind, shape, types);
        if (sat) fprintf(out, ",\"satfinite\":1");
        if (sa != 1 || sb != 1) fprintf(out, ",\"scaleA\":%d,\"scaleB\":%d", sa, sb);
        fprintf(out, ",\"a\":\"%s\",\"b\":\"%s\",\"c\":\"%s\",\"d\":\"%s\"}\n", hex(a, (size_t)r * Q::M * Q::K, Q::M * Q::K, Q::WA).c_str(),
                hex(b, (size_t)r * Q::K * Q::N, Q::K * Q::N, Q::WA).c_str(), hex(c, (size_t)r * Q::M * Q::N, Q::M * Q::N, Q::WD).c_str(),
                hex(d, (size_t)r * Q::M * Q::N, Q::M * Q::N, Q::WD).c_str());
    }
    cudaFree(da); cudaFree(db); cudaFree(dd);
}
#include "kinds.inc"
int main(int, char** v) { out = fopen(v[1], "w"); all(); fclose(out); return 0; }

// From process start to the first tile checked: first_tile CUBIN.
#include "driver.hpp"

namespace {

constexpr unsigned WORDS = 64 * 64;
constexpr unsigned VALUE = 5;

void run(const char* cubin) {
    CU(cuInit(0));
    Gpu gpu(0, cubin);
    std::vector<unsigned> words(WORDS);
    for (unsigned i = 0; i < WORDS; i++) {
        words[i] = i * 2654435761u;
    }
    std::vector<unsigned> moved(WORDS);
    DeviceMemory in(WORDS * sizeof(unsigned));
    DeviceMemory out(WORDS * sizeof(unsigned));
    CUdeviceptr from = in;
    CUdeviceptr to = out;
    unsigned value = VALUE;
    unsigned long long n = WORDS / 4;
    void* arguments[] = {&from, &to, &value, &n};
    CU(cuMemcpyHtoD(in, words.data(), WORDS * sizeof(unsigned)));
    CU(cuLaunchKernel(gpu.kernel("add"), WORDS / 4 / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    CU(cuMemcpyDtoH(moved.data(), out, WORDS * sizeof(unsigned)));
    for (unsigned i = 0; i < WORDS; i++) {
        if (moved[i] != words[i] + VALUE) {
            throw std::runtime_error("word " + std::to_string(i) + " is wrong");
        }
    }
    std::puts("checked");
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count != 2) {
            throw std::runtime_error("name the cubin");
        }
        run(arguments[1]);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}

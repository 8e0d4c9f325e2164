// Copies between host and device: pinned memory on streams, and malloc'ed memory the driver's own way.
#include "figures.hpp"
#include "rivals.hpp"

#include <cstdlib>
#include <map>

namespace {

constexpr unsigned SEED = 11;

// Host memory of a kind, kept from command to command, as a program keeps its buffers.
class HostBuffers {
public:
    unsigned* pinned(size_t bytes, int which) {
        auto& kept = pinned_[which];
        if (!kept || kept->second < bytes) {
            kept.reset();
            kept = std::make_unique<std::pair<PinnedMemory, size_t>>(PinnedMemory(bytes), bytes);
        }
        return kept->first.words();
    }

    unsigned* pageable(size_t bytes, int which) {
        auto& kept = pageable_[which];
        if (!kept.first || kept.second < bytes) {
            std::free(kept.first);
            kept = {std::malloc(bytes), bytes};
            if (!kept.first) {
                throw std::bad_alloc();
            }
        }
        return static_cast<unsigned*>(kept.first);
    }

private:
    std::unique_ptr<std::pair<PinnedMemory, size_t>> pinned_[2];
    std::pair<void*, size_t> pageable_[2] = {};
};

void clear(unsigned* words, size_t n) {
    in_parallel(n, [=](size_t from, size_t to) { std::fill(words + from, words + to, 0xEEEEEEEEu); });
}

}  // namespace

void copy(const Gpu&, Words& words) {
    static HostBuffers buffers;
    std::string kind = words.next("memory: pinned or pageable");
    std::string way = words.next("way: up, down or both");
    size_t bytes = words.next<size_t>("bytes");
    int times = words.next<int>("number of copies");
    if ((kind != "pinned" && kind != "pageable") || (way != "up" && way != "down" && way != "both")
            || (way == "both" && kind == "pageable")) {
        throw std::runtime_error("no such copy: " + kind + " " + way);
    }
    bool pinned = kind == "pinned";
    size_t n = bytes / sizeof(unsigned);
    unsigned* source = pinned ? buffers.pinned(bytes, 0) : buffers.pageable(bytes, 0);
    unsigned* target = pinned ? buffers.pinned(bytes, 1) : buffers.pageable(bytes, 1);
    DeviceMemory upper(bytes);
    DeviceMemory lower(bytes);
    Stream up;
    Stream down;
    fill(source, n, SEED);
    clear(target, n);
    CU(cuMemcpyHtoD(lower, source, bytes));
    CU(cuMemsetD8(upper, 0, bytes));
    CU(cuCtxSynchronize());
    bool goes_up = way != "down";
    bool goes_down = way != "up";
    std::vector<double> rates;
    for (int i = -2; i < times; i++) {
        auto begin = Clock::now();
        if (pinned) {
            if (goes_up) {
                CU(cuMemcpyHtoDAsync(upper, source, bytes, up));
            }
            if (goes_down) {
                CU(cuMemcpyDtoHAsync(target, lower, bytes, down));
            }
            up.wait();
            down.wait();
        } else if (goes_up) {
            CU(cuMemcpyHtoD(upper, source, bytes));
            CU(cuCtxSynchronize());
        } else {
            CU(cuMemcpyDtoH(target, lower, bytes));
        }
        if (i >= 0) {
            rates.push_back(bytes / seconds(begin, Clock::now()) / 1e9);
        }
    }
    if (goes_down) {
        expect(target, n, SEED, 0, "copy down");
    }
    if (goes_up) {
        clear(target, n);
        CU(cuMemcpyDtoH(target, upper, bytes));
        expect(target, n, SEED, 0, "copy up");
    }
    report("copy " + kind + " " + way, "GB/s", rates);
}

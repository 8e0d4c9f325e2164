// Data larger than the GPU, slab by slab through a kernel: up, add, down, overlapped on several streams and GPUs.
// Pinned memory is changed in place, which saves half of it; what comes from a file goes into pinned memory.
#include "figures.hpp"
#include "rivals.hpp"

#include <cstring>
#include <exception>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr unsigned SEED = 13;
constexpr unsigned THREADS = 256;
// A slab of 64 MiB takes longer than its copies then, which take 1.4 ms.
constexpr unsigned ADDITIONS = 6000;

struct Work {
    const char* source;
    char* target;
    size_t bytes;
    size_t slab;
    unsigned value;
    // How often the value is added; more than once takes a kernel that takes its time.
    unsigned additions;
};

// A stream with its buffers: where one slab is on its way.
class Lane {
public:
    Lane(const Gpu& gpu, size_t slab)
        : add_(gpu.kernel("add")),
          add_often_(gpu.kernel("add_often")),
          blocks_(gpu.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) * 8),
          in_(slab),
          out_(slab) {}

    void start(const Work& work, size_t at, const char* source) {
        size_t bytes = std::min(work.slab, work.bytes - at);
        CUdeviceptr in = in_;
        CUdeviceptr out = out_;
        unsigned value = work.value;
        unsigned long long n = bytes / 16;
        unsigned additions = work.additions;
        void* arguments[] = {&in, &out, &value, &n, &additions};
        CUfunction kernel = additions == 1 ? add_ : add_often_;
        CU(cuMemcpyHtoDAsync(in, source, bytes, stream_));
        CU(cuLaunchKernel(kernel, blocks_, 1, 1, THREADS, 1, 1, 0, stream_, arguments, nullptr));
        CU(cuMemcpyDtoHAsync(work.target + at, out, bytes, stream_));
    }

    void wait() const { stream_.wait(); }
    CUstream stream() const { return stream_; }

private:
    CUfunction add_;
    CUfunction add_often_;
    unsigned blocks_;
    DeviceMemory in_;
    DeviceMemory out_;
    Stream stream_;
};

// A file mapped for reading.
class MappedFile {
public:
    MappedFile(const std::string& path, size_t bytes) : bytes_(bytes) {
        int file = open(path.c_str(), O_RDONLY);
        struct stat status {};
        if (file < 0 || fstat(file, &status) != 0 || static_cast<size_t>(status.st_size) < bytes) {
            throw std::runtime_error("no file of " + std::to_string(bytes) + " bytes: " + path);
        }
        address_ = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (address_ == MAP_FAILED) {
            throw std::runtime_error("cannot map " + path);
        }
    }
    MappedFile(const MappedFile&) = delete;
    ~MappedFile() { munmap(address_, bytes_); }
    const char* bytes() const { return static_cast<const char*>(address_); }

private:
    void* address_;
    size_t bytes_;
};

// Runs a body for each number on a thread of its own; the first exception is thrown on.
template <typename Body>
void on_threads(size_t count, Body body) {
    std::exception_ptr failure;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; i++) {
        threads.emplace_back([&, i] {
            try {
                body(i);
            } catch (...) {
                std::lock_guard lock(mutex);
                failure = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

// Lanes of every GPU, for as long as a command runs.
class Lanes {
public:
    Lanes(const Gpus& gpus, size_t count, size_t each, size_t slab) {
        for (size_t g = 0; g < count; g++) {
            gpus[g]->enter();
            lanes_.emplace_back();
            for (size_t i = 0; i < each; i++) {
                lanes_.back().emplace_back(*gpus[g], slab);
            }
        }
    }
    std::vector<Lane>& of(size_t gpu) { return lanes_[gpu]; }

private:
    std::vector<std::vector<Lane>> lanes_;
};

// From pinned memory a thread for each GPU only submits: the streams do the rest.
void from_pinned(const Gpus& gpus, size_t count, Lanes& lanes, const Work& work) {
    std::atomic<size_t> next{0};
    on_threads(count, [&](size_t g) {
        gpus[g]->enter();
        auto& own = lanes.of(g);
        for (size_t turn = 0;; turn++) {
            Lane& lane = own[turn % own.size()];
            if (count > 1) {
                // The faster GPU takes more: none runs ahead of what its streams have done.
                lane.wait();
            }
            size_t at = next.fetch_add(work.slab);
            if (at >= work.bytes) {
                break;
            }
            lane.start(work, at, work.source + at);
        }
        for (Lane& lane : own) {
            lane.wait();
        }
    });
}

// From a mapped file workers copy into pinned slabs, two each, so that one is filled while the other is read.
void from_file(const Gpus& gpus, size_t count, Lanes& lanes, std::vector<PinnedMemory>& staging, const Work& work) {
    std::atomic<size_t> next{0};
    size_t each = lanes.of(0).size();
    on_threads(count * each, [&](size_t worker) {
        gpus[worker % count]->enter();
        Lane& lane = lanes.of(worker % count)[worker / count];
        char* slabs[2] = {staging[worker].bytes(), staging[worker].bytes() + work.slab};
        CUevent read[2];
        for (CUevent& event : read) {
            CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
        }
        for (size_t turn = 0;; turn++) {
            size_t at = next.fetch_add(work.slab);
            if (at >= work.bytes) {
                break;
            }
            size_t side = turn % 2;
            CU(cuEventSynchronize(read[side]));
            std::memcpy(slabs[side], work.source + at, std::min(work.slab, work.bytes - at));
            lane.start(work, at, slabs[side]);
            CU(cuEventRecord(read[side], lane.stream()));
        }
        lane.wait();
        for (CUevent event : read) {
            CU(cuEventDestroy(event));
        }
    });
}

// Pinned host memory, kept from command to command: locking its pages takes far longer than a pass.
unsigned* host_memory(size_t bytes) {
    static std::unique_ptr<PinnedMemory> kept;
    static size_t kept_bytes = 0;
    if (kept_bytes < bytes) {
        kept.reset();
        kept_bytes = 0;
        kept = std::make_unique<PinnedMemory>(bytes);
        kept_bytes = bytes;
    }
    return kept->words();
}

}  // namespace

void stream(const Gpus& gpus, Words& words) {
    std::string kind = words.next("source: pinned, computed or file");
    size_t bytes = words.next<size_t>("bytes");
    size_t slab = words.next<size_t>("bytes of a slab");
    size_t each = words.next<size_t>("number of streams of a GPU");
    size_t count = words.next<size_t>("number of GPUs");
    int times = words.next<int>("number of passes");
    if ((kind != "pinned" && kind != "computed" && kind != "file") || bytes % 16 != 0 || slab % 16 != 0 || each == 0) {
        throw std::runtime_error("no such streaming: " + kind + ", in whole words of 16 bytes");
    }
    if (count == 0 || count > gpus.size()) {
        throw std::runtime_error("there are " + std::to_string(gpus.size()) + " GPUs");
    }
    bool from_memory = kind != "file";
    unsigned additions = kind == "computed" ? ADDITIONS : 1;
    std::string path = from_memory ? "" : words.next("path");
    unsigned* target = host_memory(bytes);
    if (from_memory) {
        fill(target, bytes / sizeof(unsigned), SEED);
    }
    unsigned added = 0;
    Lanes lanes(gpus, count, each, slab);
    std::vector<PinnedMemory> staging;
    for (size_t i = 0; !from_memory && i < count * each; i++) {
        staging.emplace_back(2 * slab);
    }
    std::vector<double> rates;
    for (int pass = 0; pass < times; pass++) {
        // Each pass adds another value, so that what an earlier one left is not taken for this one's.
        Work work{nullptr, reinterpret_cast<char*>(target), bytes, slab, 1000u + pass, additions};
        added = from_memory ? added + work.value * additions : work.value;
        Clock::time_point begin;
        if (from_memory) {
            work.source = work.target;
            begin = Clock::now();
            from_pinned(gpus, count, lanes, work);
        } else {
            begin = Clock::now();
            MappedFile file(path, bytes);
            work.source = file.bytes();
            from_file(gpus, count, lanes, staging, work);
        }
        rates.push_back(bytes / seconds(begin, Clock::now()) / 1e9);
        expect(target, bytes / sizeof(unsigned), SEED, added, "stream");
    }
    report("stream " + kind + " " + std::to_string(count), "GB/s", rates);
}

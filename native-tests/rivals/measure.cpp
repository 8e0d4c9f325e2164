// kernel NAME BYTES SEED TURNS [BATCH [SETS]]: a kernel of the catalogue beside cuMemcpyDtoD of arrays of so many bytes,
// turn by turn, checked before and after on the device.
#include "measure.hpp"

#include "catalogue.hpp"
#include "rivals.hpp"
#include "tensor_maps.hpp"
#include "turns.hpp"

#include <cstring>

namespace {

constexpr float FACTOR = 2.5f;
constexpr size_t MEBI = 1 << 20;
// Where every array begins at a multiple of: as one does that cuMemAlloc has made for itself. cuMemcpy of 64 MiB takes a
// twentieth longer where an array begins 4 bytes later or is 4 bytes shorter; it is what all are compared with, so it
// copies whole arrays whatever the kernel does.
constexpr size_t ALIGNED = 2 * MEBI;

// Device memory kept from command to command.
struct Kept {
    std::unique_ptr<DeviceMemory> memory;
    size_t bytes = 0;

    CUdeviceptr at_least(size_t wanted) {
        if (bytes < wanted) {
            memory.reset();
            bytes = 0;
            memory = std::make_unique<DeviceMemory>(wanted);
            bytes = wanted;
        }
        return *memory;
    }
};

struct Buffers {
    Kept in;
    Kept out;
};

Buffers& buffers() {
    static Buffers kept;
    return kept;
}

size_t up(size_t value, size_t step) {
    return (value + step - 1) / step * step;
}

size_t over(size_t value, size_t step) {
    return (value + step - 1) / step;
}

// What one launch is given: a place for every kind of argument, and the pointers to those that the kernel takes.
struct Arguments {
    CUdeviceptr in;
    CUdeviceptr out;
    unsigned long long bytes;
    float factor = FACTOR;
    unsigned rows = 0;
    unsigned columns = 0;
    CUtensorMap in_map;
    CUtensorMap out_map;
    CUdeviceptr maps = 0;
    Boxes boxes{};

    std::vector<void*> of(Takes takes) {
        switch (takes) {
            case Takes::ARRAYS:
                return {&in, &out, &bytes};
            case Takes::ARRAYS_AND_FACTOR:
                return {&in, &out, &bytes, &factor};
            case Takes::MATRIX:
                return {&in, &out, &rows, &columns};
            case Takes::MAPS:
                return {&in_map, &out_map, &boxes};
            case Takes::MAPS_AND_RESULT:
                return {&in_map, &out_map, &boxes, &out, &columns, &rows};
            case Takes::MAP_TO_CHANGE:
                return {&in_map, &in, &out, &maps, &boxes};
        }
        throw std::logic_error("no such arguments");
    }
};

class Measured {
public:
    // whole: bytes of an array, of which the kernel works on the first.
    Measured(const Gpu& gpu, Modules& modules, const Variant& variant, size_t whole, size_t bytes, unsigned seed,
             size_t sets)
        : gpu_(gpu), modules_(modules), variant_(variant), whole_(whole), bytes_(bytes), seed_(seed), result_(16) {
        refuse_what_does_not_fit();
        int l2 = gpu.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
        stride_ = up(whole + (variant.aligned < 16 ? variant.aligned : 0), ALIGNED);
        size_t free = 0;
        size_t total = 0;
        CU(cuMemGetInfo(&free, &total));
        // Rotated over a hundred times the L2, so that next to nothing of a set is there when its turn comes again, in half of
        // the memory at most.
        size_t one = stride_ * (1 + variant.copies);
        size_t most = std::min<size_t>(1024, std::max<size_t>(1, total / 2 / one));
        sets_ = sets != 0 ? sets : std::min(most, std::max<size_t>(1, over(100 * static_cast<size_t>(l2), one)));
        size_t in_bytes = stride_ * sets_;
        size_t out_bytes = in_bytes * variant.copies;
        size_t there = free + buffers().in.bytes + buffers().out.bytes;
        if (in_bytes + out_bytes + 64 * MEBI > there) {
            throw Refusal("the GPU has " + std::to_string(there / MEBI) + " MiB free, and this takes "
                          + std::to_string((in_bytes + out_bytes) / MEBI));
        }
        in_ = buffers().in.at_least(in_bytes);
        out_ = buffers().out.at_least(out_bytes);
        prepare();
    }

    void check(const char* when) {
        bool floats = variant_.work == Work::SCALE;
        bool adds = variant_.work == Work::ACCUMULATE;
        CUdeviceptr result = result_;
        for (size_t set = 0; set < sets_; set++) {
            Arguments& a = arguments_[set];
            unsigned long long n = bytes_ / 4;
            // What is added is another's data, since the result is the first's with it.
            make(a.in, n, adds ? seed_ + 1 : seed_, floats);
            if (adds) {
                make(a.out, n, seed_, floats);
            } else {
                CU(cuMemsetD8Async(a.out, 0xCD, variant_.work == Work::READ ? 4 : bytes_ * variant_.copies, stream_));
            }
            unsigned long long none[2] = {0, ~0ull};
            CU(cuMemcpyHtoDAsync(result, none, sizeof none, stream_));
            if (variant_.work == Work::READ) {
                check_total(a, n, when);
                continue;
            }
            start(stream_, set);
            for (unsigned copy = 0; copy < variant_.copies; copy++) {
                check_words(a, a.out + copy * bytes_, n, result);
            }
            // That the kernel leaves its source alone.
            unsigned added = 0;
            unsigned seed = adds ? seed_ + 1 : seed_;
            void* source[] = {&a.in, &n, &seed, &floats, &added, &result};
            on_device("check_words", source);
            unsigned long long found[2];
            CU(cuMemcpyDtoHAsync(found, result, sizeof found, stream_));
            stream_.wait();
            if (found[0] != 0) {
                throw Wrong(variant_.name + ", " + when + ": " + std::to_string(found[0]) + " of " + std::to_string(n)
                            + " words are wrong, the first is number " + std::to_string(found[1]));
            }
        }
    }

    void measure(int turns, int batch) {
        std::vector<Timed> sides(2);
        sides[0].start = [this](CUstream stream, size_t turn) {
            size_t place = turn % sets_ * stride_;
            CU(cuMemcpyDtoDAsync(out_ + place * variant_.copies, in_ + place, whole_, stream));
        };
        sides[1].start = [this](CUstream stream, size_t turn) { start(stream, turn % sets_); };
        std::vector<int> batches = take_turns(stream_, sides, turns, batch);
        check("after it was timed");
        double moved = static_cast<double>(bytes_)
                       * (variant_.work == Work::READ         ? static_cast<int>(variant_.readers)
                          : variant_.work == Work::ACCUMULATE ? 3
                                                              : 1 + static_cast<int>(variant_.copies));
        double ofMemcpy = ratio(sides[0].milliseconds, sides[1].milliseconds) * moved / (2.0 * whole_);
        std::string common = "\"bytes\":" + std::to_string(bytes_) + ",\"sets\":" + std::to_string(sets_) + ",";
        report_times("cuMemcpy", "GB/s", 2.0 * whole_, 1e9, sides[0].milliseconds,
                     common + "\"batch\":" + std::to_string(batches[0]) + ",");
        report_times(variant_.name, "GB/s", moved, 1e9, sides[1].milliseconds,
                     common + "\"batch\":" + std::to_string(batches[1]) + ",\"mechanism\":\"" + variant_.mechanism
                             + "\",\"parameters\":\"" + variant_.parameters
                             + "\",\"blocks\":" + std::to_string(grid_x_ * static_cast<size_t>(grid_y_))
                             + ",\"ofMemcpy\":" + std::to_string(ofMemcpy) + ",\"verified\":true,");
    }

private:
    void refuse_what_does_not_fit() {
        int have = gpu_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10
                   + gpu_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        if (have < variant_.target) {
            throw Refusal(variant_.name + " needs compute capability " + std::to_string(variant_.target / 10) + "."
                          + std::to_string(variant_.target % 10) + ", and this GPU has " + std::to_string(have / 10)
                          + "." + std::to_string(have % 10));
        }
        size_t most = gpu_.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        if (variant_.shared > most) {
            throw Refusal(variant_.name + " takes " + std::to_string(variant_.shared)
                          + " bytes of shared memory a block, and this GPU has " + std::to_string(most));
        }
        size_t unit = variant_.readers > 1 ? variant_.tile : variant_.aligned;
        if (bytes_ == 0 || bytes_ % unit != 0) {
            throw Refusal(variant_.name + " takes whole multiples of " + std::to_string(unit) + " bytes, not "
                          + std::to_string(bytes_));
        }
    }

    void prepare() {
        function_ = modules_.kernel(variant_.file, variant_.function);
        if (variant_.shared > 0) {
            CU(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  static_cast<int>(variant_.shared)));
            CU(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100));
        }
        size_t tiles = over(bytes_, variant_.tile);
        // Data that is aligned to 4 bytes is aligned to no more.
        size_t offset = variant_.aligned < 16 ? variant_.aligned : 0;
        for (size_t set = 0; set < sets_; set++) {
            Arguments a{};
            a.in = in_ + set * stride_ + offset;
            a.out = out_ + set * stride_ * variant_.copies + offset;
            a.bytes = bytes_;
            a.factor = FACTOR;
            if (variant_.rank != 0) {
                TensorShape shape = tensor_shape(bytes_, variant_);
                a.boxes = boxes_of(shape, variant_);
                a.in_map = tensor_map(a.in, shape, variant_);
                a.out_map = tensor_map(a.out, shape, variant_);
                a.columns = static_cast<unsigned>(shape.sides[0]);
                a.rows = static_cast<unsigned>(shape.sides[1]);
                tiles = a.boxes.total;
            }
            if (variant_.takes == Takes::MATRIX) {
                matrix(a);
            }
            arguments_.push_back(a);
        }
        choose_grid(tiles);
        if (variant_.takes == Takes::MAP_TO_CHANGE) {
            maps_ = std::make_unique<DeviceMemory>(grid_x_ * 2ul * sizeof(CUtensorMap));
            for (Arguments& a : arguments_) {
                a.maps = *maps_;
                // A map of another array: the address is what the kernel changes.
                a.in_map = tensor_map(*maps_, tensor_shape(bytes_, variant_), variant_);
            }
        }
        for (Arguments& a : arguments_) {
            pointers_.push_back(a.of(variant_.takes));
        }
    }

    // As square as powers of two are.
    void matrix(Arguments& a) const {
        size_t n = bytes_ / 4;
        size_t columns = 1;
        while (columns * columns * 4 <= n && n % (columns * 2) == 0) {
            columns *= 2;
        }
        if (n == 100000000) {
            columns = 10000;
        }
        if (over(n / columns, variant_.box[1]) > 65535) {
            throw Refusal(std::to_string(bytes_) + " bytes make no matrix that can be transposed here: take 1 MiB"
                          " times a power of two");
        }
        a.columns = static_cast<unsigned>(columns);
        a.rows = static_cast<unsigned>(n / columns);
    }

    void choose_grid(size_t tiles) {
        if (variant_.takes == Takes::MATRIX) {
            grid_x_ = static_cast<unsigned>(over(arguments_[0].columns, variant_.box[0]));
            grid_y_ = static_cast<unsigned>(over(arguments_[0].rows, variant_.box[1]));
            return;
        }
        size_t blocks = tiles;
        if (variant_.blocks > 0) {
            int resident;
            CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function_, variant_.threads * variant_.rows,
                                                           variant_.shared));
            size_t multiprocessors = gpu_.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
            size_t at_once = multiprocessors * std::min(variant_.blocks, std::max(1, resident)) / variant_.readers;
            if (variant_.clustered) {
                at_once = std::min(at_once, resident_clusters());
            }
            blocks = std::min(tiles, at_once) * variant_.readers;
        } else if (variant_.blocks < 0) {
            blocks = over(tiles, -variant_.blocks);
        }
        grid_x_ = static_cast<unsigned>(blocks);
    }

    // Clusters that the whole GPU holds at once: blocks of one are together in a part of it, whose places need not be a
    // multiple of theirs. One cluster more would start when the others are done, and take as long again alone.
    size_t resident_clusters() const {
        CUlaunchAttribute size{};
        size.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        size.value.clusterDim = {variant_.readers, 1, 1};
        CUlaunchConfig config{};
        config.gridDimX = variant_.readers;
        config.gridDimY = 1;
        config.gridDimZ = 1;
        config.blockDimX = variant_.threads;
        config.blockDimY = variant_.rows;
        config.blockDimZ = 1;
        config.sharedMemBytes = static_cast<unsigned>(variant_.shared);
        config.attrs = &size;
        config.numAttrs = 1;
        int clusters;
        CU(cuOccupancyMaxActiveClusters(&clusters, function_, &config));
        return std::max(1, clusters);
    }

    void start(CUstream stream, size_t set) {
        CU(cuLaunchKernel(function_, grid_x_, grid_y_, 1, variant_.threads, variant_.rows, 1,
                          static_cast<unsigned>(variant_.shared), stream, pointers_[set].data(), nullptr));
    }

    void on_device(const char* name, void** arguments) {
        unsigned blocks = gpu_.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) * 8;
        CU(cuLaunchKernel(modules_.kernel("check", name), blocks, 1, 1, 256, 1, 1, 0, stream_, arguments, nullptr));
    }

    void make(CUdeviceptr words, unsigned long long n, unsigned seed, bool floats) {
        void* arguments[] = {&words, &n, &seed, &floats};
        on_device("make_words", arguments);
    }

    void check_words(Arguments& a, CUdeviceptr words, unsigned long long n, CUdeviceptr result) {
        bool floats = false;
        if (variant_.work == Work::SCALE) {
            void* arguments[] = {&words, &n, &seed_, &a.factor, &result};
            on_device("check_scaled", arguments);
        } else if (variant_.work == Work::TRANSPOSE) {
            unsigned long long rows = a.rows;
            unsigned long long columns = a.columns;
            void* arguments[] = {&words, &rows, &columns, &seed_, &result};
            on_device("check_transposed", arguments);
        } else {
            unsigned added = variant_.work == Work::ACCUMULATE ? 1 : 0;
            void* arguments[] = {&words, &n, &seed_, &floats, &added, &result};
            on_device("check_words", arguments);
        }
    }

    void check_total(Arguments& a, unsigned long long n, const char* when) {
        CU(cuMemsetD8Async(a.out, 0, 4, stream_));
        start(stream_, static_cast<size_t>(&a - arguments_.data()));
        CUdeviceptr expected = result_;
        CU(cuMemsetD8Async(expected, 0, 4, stream_));
        void* arguments[] = {&n, &seed_, &expected};
        // Each of them reads all.
        for (unsigned block = 0; block < variant_.readers; block++) {
            on_device("add_expected", arguments);
        }
        unsigned sums[2];
        CU(cuMemcpyDtoHAsync(&sums[0], a.out, 4, stream_));
        CU(cuMemcpyDtoHAsync(&sums[1], expected, 4, stream_));
        stream_.wait();
        if (sums[0] != sums[1]) {
            throw Wrong(variant_.name + ", " + when + ": the total is " + std::to_string(sums[0]) + " and not "
                        + std::to_string(sums[1]));
        }
    }

    const Gpu& gpu_;
    Modules& modules_;
    const Variant& variant_;
    size_t whole_;
    size_t bytes_;
    unsigned seed_;
    size_t sets_ = 1;
    size_t stride_ = 0;
    CUdeviceptr in_ = 0;
    CUdeviceptr out_ = 0;
    Stream stream_;
    DeviceMemory result_;
    std::unique_ptr<DeviceMemory> maps_;
    CUfunction function_ = nullptr;
    unsigned grid_x_ = 1;
    unsigned grid_y_ = 1;
    std::vector<Arguments> arguments_;
    std::vector<std::vector<void*>> pointers_;
};

} // namespace

void kernel(const Gpu& gpu, Modules& modules, Words& words) {
    std::string name = words.next("kernel's name");
    const Variant& wanted = variant(name);
    size_t whole = words.next<size_t>("bytes");
    unsigned seed = words.next<unsigned>("seed");
    int turns = words.next<int>("number of turns");
    int batch = words.next_or(0);
    size_t sets = words.next_or<size_t>(0);
    if (turns < 1 || batch < 0) {
        throw Refusal("there is at least one turn, and no negative number of launches in it");
    }
    size_t bytes = whole;
    if (wanted.columns != 0) {
        size_t row = 4ul * wanted.columns;
        bytes = bytes / row * row;
    }
    Measured measured(gpu, modules, wanted, whole, bytes, seed, sets);
    measured.check("before it was timed");
    measured.measure(turns, batch);
}

void list() {
    for (const Variant& one : catalogue()) {
        std::printf("{\"kernel\":\"%s\",\"mechanism\":\"%s\",\"parameters\":\"%s\",\"target\":%d}\n", one.name.c_str(),
                    one.mechanism.c_str(), one.parameters.c_str(), one.target);
    }
}

void release() {
    buffers() = {};
}

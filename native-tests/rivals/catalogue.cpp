#include "catalogue.hpp"

#include "rivals.hpp"
#include "variants.hpp"

#include <algorithm>

namespace {

std::string hyphened(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

Variant start(const char* name, const char* mechanism, const char* file, unsigned threads, size_t tile) {
    Variant v;
    v.function = name;
    v.name = hyphened(name);
    v.mechanism = mechanism;
    v.file = file;
    v.threads = threads;
    v.tile = tile;
    return v;
}

std::string kib(size_t bytes) {
    return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB" : std::to_string(bytes) + " B";
}

std::string grid(int blocks) {
    return blocks == 0  ? "a block for each tile"
           : blocks > 0 ? std::to_string(blocks) + " blocks a multiprocessor"
                        : "a block for each run of " + std::to_string(-blocks) + " tiles";
}

Variant registers(const char* name, const char* mechanism, const char* file, unsigned threads, unsigned each, bool hint,
                  int blocks) {
    Variant v = start(name, mechanism, file, threads, static_cast<size_t>(threads) * each * 16);
    v.blocks = blocks;
    v.parameters = std::to_string(threads) + " threads, " + std::to_string(each) + " x 16 B each, " + grid(blocks)
                   + (hint ? ", streaming hints" : "");
    return v;
}

Variant ring(Variant v, unsigned stages, int blocks) {
    v.shared = v.tile * stages;
    v.blocks = blocks;
    v.parameters = "tiles of " + kib(v.tile) + (stages == 1 ? "" : ", " + std::to_string(stages) + " stages") + ", "
                   + std::to_string(v.threads) + " threads, " + grid(blocks);
    return v;
}

Variant async(const char* name, const char* mechanism, unsigned threads, unsigned each, unsigned bytes, unsigned stages,
              int blocks) {
    Variant v = ring(start(name, mechanism, "copy_async", threads, static_cast<size_t>(threads) * each * bytes), stages,
                     blocks);
    v.aligned = bytes;
    return v;
}

// blocks: how many at most are to be on a multiprocessor at once; see variants.hpp.
Variant resident(Variant v, bool hint, unsigned blocks) {
    // What a multiprocessor of Hopper's has for all, and what each block takes for the system, barriers and rounding.
    constexpr size_t ALL = 228 * 1024;
    constexpr size_t OF_EACH = 1024 + 256;
    if (blocks != 0) {
        v.shared = std::max(v.shared, (ALL / blocks - OF_EACH) / 128 * 128);
        v.parameters += ", at most " + std::to_string(blocks) + " blocks a multiprocessor at once";
    }
    v.parameters += hint ? ", evict-first hints" : "";
    return v;
}

Variant on_hopper(Variant v) {
    v.target = 90;
    return v;
}

Variant boxes(const char* name, const char* mechanism, const char* file, int rank, std::array<unsigned, 5> box,
              unsigned stages, int blocks) {
    size_t bytes = 4;
    std::string sides;
    for (int d = rank - 1; d >= 0; d--) {
        bytes *= box[d];
        sides += std::to_string(box[d]) + (d == 0 ? "" : "x");
    }
    Variant v = ring(on_hopper(start(name, mechanism, file, 32, bytes)), stages, blocks);
    v.parameters = "boxes of " + sides + " f32" + (stages == 1 ? "" : ", " + std::to_string(stages) + " stages") + ", "
                   + grid(blocks);
    v.takes = Takes::MAPS;
    v.rank = rank;
    v.box = box;
    return v;
}

Variant scaling(Variant v) {
    v.work = Work::SCALE;
    v.takes = Takes::ARRAYS_AND_FACTOR;
    return v;
}

Variant reading(Variant v) {
    v.work = Work::READ;
    return v;
}

// Warps that compute beside one that loads.
Variant warps(const char* name, const char* mechanism, const char* file, unsigned threads, unsigned size,
              unsigned stages, int blocks) {
    Variant v = ring(on_hopper(start(name, mechanism, file, threads + 32, size * 1024ul)), stages, blocks);
    v.parameters = "tiles of " + kib(v.tile) + ", " + std::to_string(stages) + " stages, one warp loads, "
                   + std::to_string(threads / 32) + " compute, " + grid(blocks);
    return v;
}

Variant accumulating(Variant v) {
    v.work = Work::ACCUMULATE;
    return v;
}

Variant broadcasting(const char* name, unsigned copies, unsigned each) {
    Variant v = registers(name, "broadcast-vector", "broadcast", 256, each, false, 0);
    v.parameters += ", to " + std::to_string(copies) + " arrays";
    v.work = Work::BROADCAST;
    v.copies = copies;
    return v;
}

// way: see variants.hpp.
Variant shared_reading(const char* name, const std::string& way, unsigned readers, unsigned kib, unsigned stages,
                       int blocks) {
    Variant v = warps(name, way == "multicast" ? "shared-read-multicast" : "shared-read", "shared_read", 256, kib,
                      stages, blocks);
    v.clustered = way != "apart";
    v.parameters += (v.clustered ? ", clusters of " : ", no clusters, readers of a tile ") + std::to_string(readers);
    v.work = Work::READ;
    v.readers = readers;
    return v;
}

Variant transposing(const char* name, unsigned side, unsigned rows, const std::string& layout) {
    const char* mechanism = layout == "plain"      ? "transpose"
                            : layout == "padded"   ? "transpose-padded"
                            : layout == "swizzled" ? "transpose-swizzled"
                                                   : "transpose-xored";
    Variant v = start(name, mechanism, "transpose", 32, side * side * 4ul);
    v.rows = rows;
    v.box = {side, side, 1, 1, 1};
    v.parameters = "tiles of " + std::to_string(side) + "x" + std::to_string(side) + " f32, 32x" + std::to_string(rows)
                   + " threads, " + layout;
    v.work = Work::TRANSPOSE;
    v.takes = Takes::MATRIX;
    return v;
}

std::vector<Variant> make() {
    std::vector<Variant> all;
#define ADD(NAME, THREADS, EACH, HINT, BLOCKS) \
    all.push_back(registers(#NAME, "vector", "copy_vector", THREADS, EACH, HINT, BLOCKS));
    VECTOR_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, EACH, BYTES, HINT, RESIDENT) \
    all.push_back(resident(async(#NAME, "async", THREADS, EACH, BYTES, 1, 0), HINT, RESIDENT));
    ASYNC_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, EACH, BYTES, HINT, RESIDENT) \
    all.push_back(resident(async(#NAME, "async-4", THREADS, EACH, BYTES, 1, 0), HINT, RESIDENT));
    ASYNC_4_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS) \
    all.push_back(async(#NAME, "async-pipeline", THREADS, EACH, BYTES, STAGES, BLOCKS));
    ASYNC_PIPELINE_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS) \
    all.push_back(async(#NAME, "async-4-pipeline", THREADS, EACH, BYTES, STAGES, BLOCKS));
    ASYNC_4_PIPELINE_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, KIB, HINT, RESIDENT) \
    all.push_back(resident(on_hopper(ring(start(#NAME, "bulk", "copy_bulk", 32, KIB * 1024ul), 1, 0)), HINT, RESIDENT));
    BULK_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, KIB, STAGES, BLOCKS) \
    all.push_back(on_hopper(ring(start(#NAME, "bulk-pipeline", "copy_bulk", 32, KIB * 1024ul), STAGES, BLOCKS)));
    BULK_PIPELINE_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, RANK, S0, S1, S2, S3, S4, RESIDENT)                              \
    all.push_back(resident(boxes(#NAME,                                            \
                                 RANK == 2   ? "tensor"                            \
                                 : RANK == 3 ? "tensor-3d"                         \
                                 : RANK == 4 ? "tensor-4d"                         \
                                             : "tensor-5d",                        \
                                 "copy_tensor", RANK, {S0, S1, S2, S3, S4}, 1, 0), \
                           false, RESIDENT));
    TENSOR_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, COLUMNS, ROWS, RESIDENT)                                                                         \
    all.push_back(resident(boxes(#NAME, "tensor-ragged", "copy_tensor", 2, {COLUMNS, ROWS, 1, 1, 1}, 1, 0), false, \
                           RESIDENT));                                                                             \
    all.back().columns = 4084;
    TENSOR_RAGGED_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, RANK, S0, S1, S2, S3, S4, STAGES, BLOCKS) \
    all.push_back(boxes(#NAME, "tensor-pipeline", "copy_tensor", RANK, {S0, S1, S2, S3, S4}, STAGES, BLOCKS));
    TENSOR_PIPELINE_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, COLUMNS, ROWS, STAGES, BLOCKS)                                                         \
    all.push_back(boxes(#NAME, "tensor-rebind", "rebind", 2, {COLUMNS, ROWS, 1, 1, 1}, STAGES, BLOCKS)); \
    all.back().takes = Takes::MAP_TO_CHANGE;
    REBIND_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, WAY, THREADS, EACH, STAGES, BLOCKS) \
    all.push_back(ring(start(#NAME, "libcu-" #WAY, "copy_libcu", THREADS, THREADS * EACH * 16ul), STAGES, BLOCKS));
    LIBCU_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, BYTES)                                                           \
    all.push_back(start(#NAME, "tutorial-async", "tutorial", THREADS, THREADS* BYTES##ul)); \
    all.back().aligned = BYTES;                                                             \
    all.back().parameters = std::to_string(THREADS) + " threads, one word of " + std::to_string(BYTES) + " B each";
    TUTORIAL_ASYNC_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, STORE)                                                                    \
    all.push_back(boxes(#NAME, "tutorial-tensor", "tutorial", 2, {32, 32, 1, 1, 1}, 1, 0)); \
    all.back().takes = Takes::MAPS_AND_RESULT;                                              \
    all.back().shared = 0;                                                                  \
    all.back().threads = 32;                                                                \
    all.back().rows = 32;                                                                   \
    all.back().parameters =                                                                 \
            std::string("boxes of 32x32 f32, 1024 threads, ") + (STORE ? "tensor store" : "one store each");
    TUTORIAL_TENSOR_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, EACH, HINT, BLOCKS) \
    all.push_back(scaling(registers(#NAME, "scale-vector", "scale", THREADS, EACH, HINT, BLOCKS)));
    SCALE_VECTOR_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, KIB, STAGES, BLOCKS) \
    all.push_back(scaling(warps(#NAME, "scale-warps", "scale", THREADS, KIB, STAGES, BLOCKS)));
    SCALE_WARPS_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, EACH, BLOCKS) \
    all.push_back(reading(registers(#NAME, "read-vector", "read", THREADS, EACH, true, BLOCKS)));
    READ_VECTOR_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS)                                       \
    all.push_back(reading(async(#NAME, "read-async", THREADS, EACH, BYTES, STAGES, BLOCKS))); \
    all.back().file = "read";
    READ_ASYNC_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, THREADS, KIB, STAGES, BLOCKS) \
    all.push_back(reading(warps(#NAME, "read-bulk", "read", THREADS, KIB, STAGES, BLOCKS)));
    READ_BULK_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, SIDE, ROWS, LAYOUT) all.push_back(transposing(#NAME, SIDE, ROWS, #LAYOUT));
    TRANSPOSE_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, WAY, THREADS, EACH) \
    all.push_back(accumulating(registers(#NAME, "accumulate-" #WAY, "accumulate", THREADS, EACH, false, 0)));
    ACCUMULATE_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, KIB, RESIDENT)                                                                                    \
    all.push_back(accumulating(                                                                                     \
            resident(on_hopper(ring(start(#NAME, "accumulate-bulk", "accumulate", 32, KIB * 1024ul), 1, 0)), false, \
                     RESIDENT)));
    ACCUMULATE_BULK_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, COPIES, EACH) all.push_back(broadcasting(#NAME, COPIES, EACH));
    BROADCAST_VARIANTS(ADD)
#undef ADD
#define ADD(NAME, WAY, READERS, KIB, STAGES, BLOCKS) \
    all.push_back(shared_reading(#NAME, #WAY, READERS, KIB, STAGES, BLOCKS));
    SHARED_READ_VARIANTS(ADD)
#undef ADD
    return all;
}

} // namespace

const std::vector<Variant>& catalogue() {
    static const std::vector<Variant> all = make();
    return all;
}

const Variant& variant(const std::string& name) {
    for (const Variant& one : catalogue()) {
        if (one.name == name) {
            return one;
        }
    }
    throw Refusal("there is no kernel '" + name + "': 'list' names them");
}

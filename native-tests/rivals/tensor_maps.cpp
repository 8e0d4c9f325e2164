#include "tensor_maps.hpp"

#include "rivals.hpp"

namespace {

// The inner sides of a tensor of each rank: rows of 16 KiB or, for 10^8 floats, of 10,000; above two dimensions as many
// elements in all as makes whole MiB fit.
const std::vector<std::vector<unsigned long long>>& inner_sides(int rank) {
    static const std::vector<std::vector<unsigned long long>> two = {{4096}, {10000}};
    static const std::vector<std::vector<unsigned long long>> three = {{1024, 64}};
    static const std::vector<std::vector<unsigned long long>> four = {{512, 32, 8}};
    static const std::vector<std::vector<unsigned long long>> five = {{256, 16, 8, 4}};
    return rank == 2 ? two : rank == 3 ? three : rank == 4 ? four : five;
}

} // namespace

TensorShape tensor_shape(size_t bytes, const Variant& variant) {
    int rank = variant.rank;
    if (variant.columns != 0) {
        return {2, {variant.columns, bytes / 4 / variant.columns}};
    }
    for (const auto& inner : inner_sides(rank)) {
        size_t slice = 4;
        TensorShape shape{rank, {}};
        for (size_t d = 0; d < inner.size(); d++) {
            slice *= inner[d];
            shape.sides[d] = inner[d];
        }
        if (bytes % slice == 0) {
            shape.sides[rank - 1] = bytes / slice;
            return shape;
        }
    }
    throw Refusal(std::to_string(bytes) + " bytes make no tensor of rank " + std::to_string(rank)
                  + " here: take a multiple of 1 MiB, or 400000000 for rank 2");
}

Boxes boxes_of(const TensorShape& shape, const Variant& variant) {
    Boxes boxes{{1, 1, 1, 1, 1}, 1};
    unsigned long long total = 1;
    for (int d = 0; d < shape.rank; d++) {
        unsigned long long count = (shape.sides[d] + variant.box[d] - 1) / variant.box[d];
        boxes.counts[d] = static_cast<unsigned>(count);
        total *= count;
    }
    // A ring looks some boxes ahead: these numbers, too, have to fit into 32 bits.
    if (total > 0x7F000000ull) {
        throw Refusal("too many boxes: " + std::to_string(total));
    }
    boxes.total = static_cast<unsigned>(total);
    return boxes;
}

CUtensorMap tensor_map(CUdeviceptr address, const TensorShape& shape, const Variant& variant) {
    cuuint64_t sides[5];
    cuuint64_t strides[4];
    cuuint32_t box[5];
    cuuint32_t steps[5];
    size_t bytes = 4;
    for (int d = 0; d < shape.rank; d++) {
        sides[d] = shape.sides[d];
        box[d] = variant.box[d];
        steps[d] = 1;
        bytes *= shape.sides[d];
        if (d < shape.rank - 1) {
            strides[d] = bytes;
        }
    }
    CUtensorMap map;
    CU(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, shape.rank, reinterpret_cast<void*>(address),
                              sides, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}

// Tensor maps of an array of f32, and how boxes cut it.
#pragma once

#include "boxes.hpp"
#include "catalogue.hpp"

#include <cuda.h>

// An array of f32 as a tensor: its sides, innermost first.
struct TensorShape {
    int rank;
    std::array<unsigned long long, 5> sides;
};

// How an array of this size is taken as a tensor of a rank; throws Refusal where it cannot be.
TensorShape tensor_shape(size_t bytes, const Variant& variant);

Boxes boxes_of(const TensorShape& shape, const Variant& variant);

CUtensorMap tensor_map(CUdeviceptr address, const TensorShape& shape, const Variant& variant);

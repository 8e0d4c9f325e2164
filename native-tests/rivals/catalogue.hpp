// What kernels there are, with all that a launch of each needs to know.
#pragma once

#include "driver.hpp"

#include <array>
#include <string>
#include <vector>

// What becomes of the data.
enum class Work { COPY, SCALE, READ, TRANSPOSE, ACCUMULATE, BROADCAST };

// What a kernel takes.
enum class Takes { ARRAYS, ARRAYS_AND_FACTOR, MATRIX, MAPS, MAPS_AND_RESULT, MAP_TO_CHANGE };

struct Variant {
    std::string name;     // as in variants.hpp, with hyphens
    std::string function; // as in variants.hpp
    std::string mechanism;
    std::string parameters; // in words
    const char* file;       // the .cu file, without its ending
    Work work = Work::COPY;
    Takes takes = Takes::ARRAYS;
    unsigned threads = 0;
    unsigned rows = 1; // of threads
    size_t shared = 0; // dynamic shared memory, bytes
    size_t tile = 0;   // bytes that a block takes at once
    int blocks = 0;    // see variants.hpp
    int rank = 0;
    unsigned columns = 0; // of the matrix, where it is not any that the bytes make: what is left of them is not copied
    std::array<unsigned, 5> box = {1, 1, 1, 1, 1};
    unsigned copies = 1;
    unsigned readers = 1;   // blocks that each work on all that these work on together
    bool clustered = false; // whether these are a cluster
    size_t aligned = 16;  // what the addresses of its data are multiples of, and no more
    int target = 80;      // compute capability, times ten, that it needs
};

// All, for whatever GPU.
const std::vector<Variant>& catalogue();

// Throws Refusal where there is none of this name.
const Variant& variant(const std::string& name);

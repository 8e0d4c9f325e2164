// Every kernel with its parameters, once for the device's side (which makes the kernels of them) and once for the
// host's (which launches them). Tiles are of THREADS * EACH words, or of KIB KiB, or of boxes of f32.
#pragma once

// "Blocks" of a variant: 0 launches a block for every tile; N > 0 launches N blocks for each multiprocessor, which go
// on from tile to tile as the whole grid does; -N launches a block for every run of N tiles. "Resident": how many
// blocks at most are on a multiprocessor at once, held by shared memory that the kernel does not use; 0 for as many as
// fit. "Hint": to the L2, that data is not used again.
//
// Parameters are those that were found best on an H200 among some 1,650, the ones that one chooses first, and of
// pipelines both kinds of grid.

// Loads of 16 bytes into registers and stores. X(name, threads, words of a thread, hint, blocks)
#define VECTOR_VARIANTS(X)                \
    X(vector_128x1, 128, 1, false, 0)     \
    X(vector_256x1, 256, 1, false, 0)     \
    X(vector_128x2_hint, 128, 2, true, 0) \
    X(vector_256x4, 256, 4, false, 0)     \
    X(vector_grid_512x4, 512, 4, false, 4)

// cp.async, one tile for a block. X(name, threads, words of a thread, bytes of a word, hint, resident)
#define ASYNC_VARIANTS(X)                    \
    X(async_128x1, 128, 1, 16, false, 0)     \
    X(async_256x1, 256, 1, 16, false, 0)     \
    X(async_256x1_hint, 256, 1, 16, true, 0) \
    X(async_256x4_r3, 256, 4, 16, false, 3)  \
    X(async_512x4, 512, 4, 16, false, 2)

// cp.async in a ring of stages. X(name, threads, words of a thread, bytes of a word, stages, blocks)
#define ASYNC_PIPELINE_VARIANTS(X)                   \
    X(async_pipeline_256x1_2s_t4, 256, 1, 16, 2, -4) \
    X(async_pipeline_128x1_4s_t4, 128, 1, 16, 4, -4) \
    X(async_pipeline_512x1_8s_t4, 512, 1, 16, 8, -4) \
    X(async_pipeline_512x1_4s, 512, 1, 16, 4, 1)     \
    X(async_pipeline_256x1_8s, 256, 1, 16, 8, 1)     \
    X(async_pipeline_256x4_4s, 256, 4, 16, 4, 3)

// cp.async of 4 bytes, for data that is aligned to no more. The same as the two above.
#define ASYNC_4_VARIANTS(X)                \
    X(async4_128x16, 128, 16, 4, false, 0) \
    X(async4_128x8, 128, 8, 4, false, 0)   \
    X(async4_256x4, 256, 4, 4, false, 0)   \
    X(async4_256x16, 256, 16, 4, false, 0)

#define ASYNC_4_PIPELINE_VARIANTS(X)                 \
    X(async4_pipeline_512x8_4s_t4, 512, 8, 4, 4, -4) \
    X(async4_pipeline_128x8_4s_t4, 128, 8, 4, 4, -4) \
    X(async4_pipeline_256x8_4s, 256, 8, 4, 4, 6)

// 1-D bulk copies both ways, one tile for a block. X(name, KiB, hint, resident)
#define BULK_VARIANTS(X)             \
    X(bulk_2k_hint, 2, true, 16)     \
    X(bulk_4k, 4, false, 0)          \
    X(bulk_4k_r12, 4, false, 12)     \
    X(bulk_4k_r12_hint, 4, true, 12) \
    X(bulk_16k_r3, 16, false, 3)

// The same in a ring of stages. X(name, KiB, stages, blocks)
#define BULK_PIPELINE_VARIANTS(X)       \
    X(bulk_pipeline_2k_4s_t4, 2, 4, -4) \
    X(bulk_pipeline_4k_4s_t4, 4, 4, -4) \
    X(bulk_pipeline_4k_4s, 4, 4, 3)     \
    X(bulk_pipeline_16k_4s, 16, 4, 3)   \
    X(bulk_pipeline_32k_6s, 32, 6, 1)

// Boxes by tensor maps, both ways, one for a block. X(name, rank, box innermost first, resident)
#define TENSOR_VARIANTS(X)                         \
    X(tensor_256x2, 2, 256, 2, 1, 1, 1, 0)         \
    X(tensor_256x16_r3, 2, 256, 16, 1, 1, 1, 3)    \
    X(tensor_256x32_r2, 2, 256, 32, 1, 1, 1, 2)    \
    X(tensor_64x32_r6, 2, 64, 32, 1, 1, 1, 6)      \
    X(tensor_32x32, 2, 32, 32, 1, 1, 1, 0)         \
    X(tensor3_64x16x2_r6, 3, 64, 16, 2, 1, 1, 6)   \
    X(tensor3_256x4x2, 3, 256, 4, 2, 1, 1, 0)      \
    X(tensor3_256x8x2_r3, 3, 256, 8, 2, 1, 1, 3)   \
    X(tensor4_64x8x2x2_r6, 4, 64, 8, 2, 2, 1, 6)   \
    X(tensor4_256x4x2x1, 4, 256, 4, 2, 1, 1, 0)    \
    X(tensor4_256x4x2x2_r3, 4, 256, 4, 2, 2, 1, 3) \
    X(tensor5_64x8x2x2x1_r6, 5, 64, 8, 2, 2, 1, 6) \
    X(tensor5_256x4x2x1x1, 5, 256, 4, 2, 1, 1, 0)  \
    X(tensor5_256x2x2x2x2_r3, 5, 256, 2, 2, 2, 2, 3)

// The same of a matrix whose rows of 4,084 f32 are no whole number of boxes. X(name, box, resident)
#define TENSOR_RAGGED_VARIANTS(X)          \
    X(tensor_ragged_256x2, 256, 2, 0)      \
    X(tensor_ragged_256x16_r3, 256, 16, 3) \
    X(tensor_ragged_64x32_r6, 64, 32, 6)

// The same as before in a ring of stages. X(name, rank, box innermost first, stages, blocks)
#define TENSOR_PIPELINE_VARIANTS(X)                             \
    X(tensor_pipeline_256x8_4s_t2, 2, 256, 8, 1, 1, 1, 4, -2)   \
    X(tensor_pipeline_256x16_4s_t2, 2, 256, 16, 1, 1, 1, 4, -2) \
    X(tensor_pipeline_256x4_4s, 2, 256, 4, 1, 1, 1, 4, 3)       \
    X(tensor_pipeline_256x16_4s, 2, 256, 16, 1, 1, 1, 4, 2)

// Boxes through a map whose address the kernel writes, by each block. X(name, box, stages, blocks)
#define REBIND_VARIANTS(X)                 \
    X(rebind_256x16_4s_t4, 256, 16, 4, -4) \
    X(rebind_256x16_4s_t8, 256, 16, 4, -8) \
    X(rebind_256x8_4s_t4, 256, 8, 4, -4)   \
    X(rebind_256x16_4s, 256, 16, 4, 2)

// libcu++. X(name, threads, words of 16 bytes of a thread, stages, blocks)
#define LIBCU_VARIANTS(X)                              \
    X(libcu_thread_256x2_4s, thread, 256, 2, 4, 6)     \
    X(libcu_thread_256x4_3s, thread, 256, 4, 3, 4)     \
    X(libcu_thread_256x4_3s_t8, thread, 256, 4, 3, -8) \
    X(libcu_block_256x4_3s, block, 256, 4, 3, 4)       \
    X(libcu_block_256x2_4s, block, 256, 2, 4, 6)       \
    X(libcu_barrier_256x4, barrier, 256, 4, 1, 0)      \
    X(libcu_barrier_256x2, barrier, 256, 2, 1, 0)

// As tutorials write it. X(name, threads, bytes of a word): each thread loads one word by cp.async
#define TUTORIAL_ASYNC_VARIANTS(X)   \
    X(tutorial_async4_256, 256, 4)   \
    X(tutorial_async4_1024, 1024, 4) \
    X(tutorial_async16_256, 256, 16) \
    X(tutorial_async16_1024, 1024, 16)

// A 32x32 box by a tensor map, 1,024 threads that each write one element or the tensor store. X(name, by a tensor
// store)
#define TUTORIAL_TENSOR_VARIANTS(X) \
    X(tutorial_tensor_1024, false)  \
    X(tutorial_tensor_1024_store, true)

// out = in * factor in f32. X(name, threads, words, hint, blocks)
#define SCALE_VECTOR_VARIANTS(X)            \
    X(scale_vector_128x1, 128, 1, false, 0) \
    X(scale_vector_256x1, 256, 1, false, 0) \
    X(scale_vector_128x2_hint, 128, 2, true, 0)

// A warp that loads, warps that compute in place and store, both by bulk copies. X(name, computing threads, KiB,
// stages, blocks)
#define SCALE_WARPS_VARIANTS(X)                \
    X(scale_warps_128_4k, 128, 4, 1, 0)        \
    X(scale_warps_256_4k_3s_t3, 256, 4, 3, -3) \
    X(scale_warps_128_4k_6s, 128, 4, 6, 2)     \
    X(scale_warps_256_32k_3s, 256, 32, 3, 2)

// Reads only: a sum of all words. X(name, threads, words of a thread, blocks)
#define READ_VECTOR_VARIANTS(X)     \
    X(read_vector_512x4, 512, 4, 4) \
    X(read_vector_256x4, 256, 4, 2)

#define READ_ASYNC_VARIANTS(X)               \
    X(read_async_256x4_4s, 256, 4, 16, 4, 3) \
    X(read_async_256x2_4s, 256, 2, 16, 4, 6)

#define READ_BULK_VARIANTS(X)              \
    X(read_bulk_256_16k_2s, 256, 16, 2, 4) \
    X(read_bulk_256_32k_3s, 256, 32, 3, 2) \
    X(read_bulk_256_16k_6s, 256, 16, 6, 2) \
    X(read_bulk_256_32k_6s, 256, 32, 6, 1)

// Several blocks read every tile: each its own copy out of the L2, as blocks that know nothing of each other (apart) or
// as a cluster (own), or, as a cluster, parts that all of them get by multicast. X(name, way, blocks that read a tile,
// KiB, stages, blocks for each multiprocessor)
#define SHARED_READ_VARIANTS(X)                              \
    X(shared_read2_apart_16k_4s, apart, 2, 16, 4, 3)         \
    X(shared_read2_apart_32k_6s, apart, 2, 32, 6, 1)         \
    X(shared_read2_bulk_16k_4s, own, 2, 16, 4, 3)            \
    X(shared_read2_multicast_16k_4s, multicast, 2, 16, 4, 3) \
    X(shared_read2_multicast_32k_6s, multicast, 2, 32, 6, 1) \
    X(shared_read4_apart_16k_4s, apart, 4, 16, 4, 3)         \
    X(shared_read4_apart_32k_6s, apart, 4, 32, 6, 1)         \
    X(shared_read4_bulk_16k_4s, own, 4, 16, 4, 3)            \
    X(shared_read4_multicast_16k_4s, multicast, 4, 16, 4, 3) \
    X(shared_read4_multicast_32k_6s, multicast, 4, 32, 6, 1)

// Transposes of f32. X(name, side of a tile, rows of threads, how the tile lies)
#define TRANSPOSE_VARIANTS(X)                     \
    X(transpose_32_plain, 32, 8, plain)           \
    X(transpose_32_plain_4, 32, 4, plain)         \
    X(transpose_64_plain, 64, 8, plain)           \
    X(transpose_64_plain_16, 64, 16, plain)       \
    X(transpose_32_padded, 32, 8, padded)         \
    X(transpose_32_padded_4, 32, 4, padded)       \
    X(transpose_64_padded, 64, 8, padded)         \
    X(transpose_64_padded_16, 64, 16, padded)     \
    X(transpose_32_swizzled, 32, 8, swizzled)     \
    X(transpose_32_swizzled_4, 32, 4, swizzled)   \
    X(transpose_64_swizzled, 64, 8, swizzled)     \
    X(transpose_64_swizzled_16, 64, 16, swizzled) \
    X(transpose_32_xored, 32, 8, xored)           \
    X(transpose_32_xored_4, 32, 4, xored)         \
    X(transpose_64_xored, 64, 8, xored)           \
    X(transpose_64_xored_16, 64, 16, xored)

// out += in in 32-bit whole numbers, by loads and stores, and by red. X(name, way, threads, words of 16 bytes of a
// thread)
#define ACCUMULATE_VARIANTS(X)                 \
    X(accumulate_vector_256x1, vector, 256, 1) \
    X(accumulate_vector_256x4, vector, 256, 4) \
    X(accumulate_red_256x1, red, 256, 1)       \
    X(accumulate_red_256x4, red, 256, 4)

// The same by bulk loads and bulk copies that add. X(name, KiB, resident)
#define ACCUMULATE_BULK_VARIANTS(X)  \
    X(accumulate_bulk_4k_r12, 4, 12) \
    X(accumulate_bulk_8k, 8, 0)      \
    X(accumulate_bulk_16k, 16, 0)

// One array to several, by registers. X(name, copies, words of a thread)
#define BROADCAST_VARIANTS(X)        \
    X(broadcast2_vector_256x1, 2, 1) \
    X(broadcast2_vector_256x4, 2, 4) \
    X(broadcast4_vector_256x1, 4, 1) \
    X(broadcast4_vector_256x2, 4, 2)

// Every kernel with its parameters, once for the device's side (which makes the kernels of them) and once for the host's
// (which launches them). Tiles are of THREADS * EACH words, or of KIB KiB, or of boxes of f32.
#pragma once

// "Blocks" of a variant: 0 launches a block for every tile; N > 0 launches N blocks for each multiprocessor, which go on
// from tile to tile; -N launches a block for every N tiles.

// Loads of 16 bytes into registers and stores. X(name, threads, words of a thread, hint that data is not used again, blocks)
#define VECTOR_VARIANTS(X)               \
    X(vector_256x1, 256, 1, false, 0)    \
    X(vector_256x4, 256, 4, false, 0)    \
    X(vector_512x2, 512, 2, false, 0)    \
    X(vector_256x4_hint, 256, 4, true, 0) \
    X(vector_256x8_hint, 256, 8, true, 0) \
    X(vector_grid_512x4, 512, 4, false, 4)

// cp.async, one tile for a block. X(name, threads, words of a thread, bytes of a word)
#define ASYNC_VARIANTS(X)        \
    X(async_256x1, 256, 1, 16)   \
    X(async_256x2, 256, 2, 16)   \
    X(async_256x4, 256, 4, 16)   \
    X(async_512x4, 512, 4, 16)   \
    X(async_128x8, 128, 8, 16)

// cp.async in a ring of stages. X(name, threads, words of a thread, bytes of a word, stages, blocks)
#define ASYNC_PIPELINE_VARIANTS(X)                   \
    X(async_pipeline_256x2_4s, 256, 2, 16, 4, 6)     \
    X(async_pipeline_256x4_3s, 256, 4, 16, 3, 4)     \
    X(async_pipeline_256x4_4s, 256, 4, 16, 4, 3)     \
    X(async_pipeline_128x4_4s, 128, 4, 16, 4, 6)     \
    X(async_pipeline_512x2_4s_t4, 512, 2, 16, 4, -4) \
    X(async_pipeline_256x4_3s_t8, 256, 4, 16, 3, -8)

// cp.async of 4 bytes, for data that is aligned to no more. The same as the two above.
#define ASYNC_4_VARIANTS(X)      \
    X(async4_256x4, 256, 4, 4)   \
    X(async4_256x8, 256, 8, 4)   \
    X(async4_512x8, 512, 8, 4)   \
    X(async4_256x16, 256, 16, 4)

#define ASYNC_4_PIPELINE_VARIANTS(X)                 \
    X(async4_pipeline_256x8_4s, 256, 8, 4, 4, 6)     \
    X(async4_pipeline_512x8_3s_t4, 512, 8, 4, 3, -4)

// 1-D bulk copies both ways, one tile for a block. X(name, KiB)
#define BULK_VARIANTS(X) \
    X(bulk_4k, 4)        \
    X(bulk_8k, 8)        \
    X(bulk_16k, 16)      \
    X(bulk_32k, 32)

// The same in a ring of stages. X(name, KiB, stages, blocks)
#define BULK_PIPELINE_VARIANTS(X)        \
    X(bulk_pipeline_4k_8s, 4, 8, 6)      \
    X(bulk_pipeline_8k_4s, 8, 4, 6)      \
    X(bulk_pipeline_16k_4s, 16, 4, 3)    \
    X(bulk_pipeline_32k_6s, 32, 6, 1)    \
    X(bulk_pipeline_8k_4s_t4, 8, 4, -4)

// Boxes by tensor maps, both ways, one for a block. X(name, rank, box innermost first)
#define TENSOR_VARIANTS(X)                      \
    X(tensor_32x32, 2, 32, 32, 1, 1, 1)         \
    X(tensor_64x32, 2, 64, 32, 1, 1, 1)         \
    X(tensor_256x8, 2, 256, 8, 1, 1, 1)         \
    X(tensor_256x16, 2, 256, 16, 1, 1, 1)       \
    X(tensor_256x32, 2, 256, 32, 1, 1, 1)       \
    X(tensor3_256x8, 3, 256, 8, 1, 1, 1)        \
    X(tensor3_256x4x4, 3, 256, 4, 4, 1, 1)      \
    X(tensor4_256x4x2x1, 4, 256, 4, 2, 1, 1)    \
    X(tensor4_256x4x2x2, 4, 256, 4, 2, 2, 1)    \
    X(tensor5_256x4x2x1x1, 5, 256, 4, 2, 1, 1)  \
    X(tensor5_256x2x2x2x2, 5, 256, 2, 2, 2, 2)

// The same in a ring of stages. X(name, rank, box innermost first, stages, blocks)
#define TENSOR_PIPELINE_VARIANTS(X)                               \
    X(tensor_pipeline_256x8_4s, 2, 256, 8, 1, 1, 1, 4, 6)         \
    X(tensor_pipeline_256x16_4s, 2, 256, 16, 1, 1, 1, 4, 3)       \
    X(tensor_pipeline_64x64_4s, 2, 64, 64, 1, 1, 1, 4, 3)         \
    X(tensor_pipeline_256x8_4s_t4, 2, 256, 8, 1, 1, 1, 4, -4)

// Boxes through a map whose address the kernel writes. X(name, box, stages, blocks)
#define REBIND_VARIANTS(X)               \
    X(rebind_256x8_4s, 256, 8, 4, 6)     \
    X(rebind_256x16_4s, 256, 16, 4, 3)   \
    X(rebind_256x16_3s, 256, 16, 3, 4)

// libcu++. X(name, threads, words of 16 bytes of a thread, stages, blocks)
#define LIBCU_VARIANTS(X)                                \
    X(libcu_thread_256x2_4s, thread, 256, 2, 4, 6)       \
    X(libcu_thread_256x4_3s, thread, 256, 4, 3, 4)       \
    X(libcu_thread_256x4_3s_t8, thread, 256, 4, 3, -8)   \
    X(libcu_block_256x4_3s, block, 256, 4, 3, 4)         \
    X(libcu_block_256x2_4s, block, 256, 2, 4, 6)         \
    X(libcu_barrier_256x4, barrier, 256, 4, 1, 0)        \
    X(libcu_barrier_256x2, barrier, 256, 2, 1, 0)

// As tutorials write it. X(name, threads, bytes of a word): each thread loads one word by cp.async
#define TUTORIAL_ASYNC_VARIANTS(X)       \
    X(tutorial_async4_256, 256, 4)       \
    X(tutorial_async4_1024, 1024, 4)     \
    X(tutorial_async16_256, 256, 16)     \
    X(tutorial_async16_1024, 1024, 16)

// A 32x32 box by a tensor map, 1,024 threads that each write one element or the tensor store. X(name, by a tensor store)
#define TUTORIAL_TENSOR_VARIANTS(X)        \
    X(tutorial_tensor_1024, false)         \
    X(tutorial_tensor_1024_store, true)

// out = in * factor in f32. X(name, threads, words, hint, blocks)
#define SCALE_VECTOR_VARIANTS(X)                   \
    X(scale_vector_256x1, 256, 1, false, 0)        \
    X(scale_vector_256x4, 256, 4, false, 0)        \
    X(scale_vector_256x4_hint, 256, 4, true, 0)

// A warp that loads, warps that compute in place and store, both by bulk copies. X(name, computing threads, KiB, stages, blocks)
#define SCALE_WARPS_VARIANTS(X)                    \
    X(scale_warps_128_8k_4s, 128, 8, 4, 6)         \
    X(scale_warps_128_16k_4s, 128, 16, 4, 3)       \
    X(scale_warps_256_16k_4s, 256, 16, 4, 3)       \
    X(scale_warps_256_32k_3s, 256, 32, 3, 2)

// Reads only: a sum of all words. X(name, threads, words of a thread, blocks)
#define READ_VECTOR_VARIANTS(X)          \
    X(read_vector_512x4, 512, 4, 4)      \
    X(read_vector_256x8, 256, 8, 8)      \
    X(read_vector_1024x4, 1024, 4, 2)

#define READ_ASYNC_VARIANTS(X)                 \
    X(read_async_256x4_4s, 256, 4, 16, 4, 3)   \
    X(read_async_256x2_4s, 256, 2, 16, 4, 6)

#define READ_BULK_VARIANTS(X)                    \
    X(read_bulk_128_16k_4s, 128, 16, 4, 3)       \
    X(read_bulk_256_16k_6s, 256, 16, 6, 2)       \
    X(read_bulk_256_32k_6s, 256, 32, 6, 1)

// Transposes of f32. X(name, side of a tile, rows of threads, padding of a row in words)
#define TRANSPOSE_VARIANTS(X)                \
    X(transpose_32_plain, 32, 8, 0)          \
    X(transpose_32_padded, 32, 8, 1)         \
    X(transpose_32_padded_4, 32, 4, 1)       \
    X(transpose_64_padded, 64, 8, 1)

// out += in in 32-bit whole numbers: reads and writes; red; cp.reduce.async.bulk. X(name, way, threads or KiB, words or 0)
#define ACCUMULATE_VARIANTS(X)                     \
    X(accumulate_vector_256x4, vector, 256, 4)     \
    X(accumulate_red_256x4, red, 256, 4)           \
    X(accumulate_bulk_8k, bulk, 32, 8)             \
    X(accumulate_bulk_16k, bulk, 32, 16)

// One array to several. X(name, way, copies, KiB or words of a thread)
#define BROADCAST_VARIANTS(X)                           \
    X(broadcast2_vector_256x4, vector, 2, 4)            \
    X(broadcast4_vector_256x2, vector, 4, 2)            \
    X(broadcast2_multicast_8k, multicast, 2, 8)         \
    X(broadcast2_multicast_16k, multicast, 2, 16)       \
    X(broadcast4_multicast_8k, multicast, 4, 8)         \
    X(broadcast4_multicast_16k, multicast, 4, 16)

// One tensor copy at the coordinates that the command line gives, in a process of its own, as a fault ends its context: does
// the GPU fault? Prints a row of a recording of kind "start" (docs/recordings.md).
//
//   starts WAY MODE DTYPE INTERLEAVE SWIZZLE C0 [C1 ...]
//
// WAY is load, store, add or prefetch; MODE tile or im2col; DTYPE, INTERLEAVE and SWIZZLE as in cuda.h. The tensor has 64, 6, 6,
// 4 and 4 elements, the box 32 or 16 bytes, 4, 4, 2 and 2.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>

constexpr int kBytes = 1 << 20;
constexpr int kTile = 16384;

#define COORDINATES_1 "{%2}"
#define COORDINATES_2 "{%2, %3}"
#define COORDINATES_3 "{%2, %3, %4}"
#define COORDINATES_4 "{%2, %3, %4, %5}"
#define COORDINATES_5 "{%2, %3, %4, %5, %6}"
#define OFFSETS_3 ", {zero}"
#define OFFSETS_4 ", {zero, zero}"
#define OFFSETS_5 ", {zero, zero, zero}"
#define OPERANDS "l"(&tensor), "r"(box), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]), "r"(at.c[3]), "r"(at.c[4]), "r"(barrier)
#define LOAD(RANK, MODE, OFFSETS)                                                                                         \
  asm volatile("{ .reg .u16 zero; mov.u16 zero, 0; cp.async.bulk.tensor." #RANK "d.shared::cluster.global." MODE          \
               ".mbarrier::complete_tx::bytes [%1], [%0, " COORDINATES_##RANK "], [%7]" OFFSETS "; }" ::OPERANDS : "memory")
#define PREFETCH(RANK)                                                                                                    \
  asm volatile("cp.async.bulk.prefetch.tensor." #RANK "d.L2.global.tile [%0, " COORDINATES_##RANK "];" ::OPERANDS : "memory")
#define CASE(RANK)                                                                                                        \
  case RANK:                                                                                                              \
    if (way == 'l') LOAD(RANK, "tile", "");                                                                               \
    if (way == 's')                                                                                                       \
      asm volatile("cp.async.bulk.tensor." #RANK "d.global.shared::cta.tile.bulk_group [%0, " COORDINATES_##RANK          \
                   "], [%1];" ::OPERANDS : "memory");                                                                     \
    if (way == 'a')                                                                                                       \
      asm volatile("cp.reduce.async.bulk.tensor." #RANK "d.global.shared::cta.add.tile.bulk_group [%0, "                  \
                   COORDINATES_##RANK "], [%1];" ::OPERANDS : "memory");                                                  \
    if (way == 'p') PREFETCH(RANK);                                                                                       \
    break;

struct Coordinates { int c[5]; };

__global__ void copy(const __grid_constant__ CUtensorMap tensor, Coordinates at, int rank, bool im2col, char way, int bytes) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ uint64_t full;
  const unsigned box = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full));
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) tile[i] = 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  if (way == 'l')
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  if (im2col) {
    switch (rank) {
      case 3: LOAD(3, "im2col", OFFSETS_3); break;
      case 4: LOAD(4, "im2col", OFFSETS_4); break;
      case 5: LOAD(5, "im2col", OFFSETS_5); break;
    }
  } else {
    switch (rank) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) }
  }
  if (way == 'l') {
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(barrier)
                 : "memory");
  } else {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

static void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}

template <typename T> static void list(const char* name, const T* values, int count) {
  std::printf("\"%s\":[", name);
  for (int i = 0; i < count; i++) std::printf(i == 0 ? "%lld" : ",%lld", static_cast<long long>(values[i]));
  std::printf("],");
}

int main(int argc, char** argv) {
  if (argc < 7 || argc > 11) {
    std::fprintf(stderr, "starts WAY MODE DTYPE INTERLEAVE SWIZZLE C0 [C1 ...]\n");
    return 2;
  }
  const std::string way = argv[1], mode = argv[2];
  const bool im2col = mode == "im2col";
  const int dtype = std::atoi(argv[3]), interleave = std::atoi(argv[4]), swizzle = std::atoi(argv[5]), rank = argc - 6;
  const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  const int size = sizes[dtype], slice = interleave == 0 ? size : 16 * interleave;
  Coordinates at = {};
  for (int d = 0; d < rank; d++) at.c[d] = std::atoi(argv[6 + d]);

  // With interleave dimension 0 is one of slices.
  uint64_t dims[5] = {64, 6, 6, 4, 4}, strides[4];
  uint32_t box[5] = {static_cast<uint32_t>((swizzle == 0 ? 16 : 32) / size), 4, 4, 2, 2}, steps[5] = {1, 1, 1, 1, 1};
  uint64_t stride = slice;
  for (int d = 0; d < rank - 1; d++) strides[d] = stride = stride * dims[d];
  int lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
  const uint32_t channels = box[0], pixels = 8;

  unsigned char* memory;
  require(cudaMalloc(&memory, kBytes), "cudaMalloc");
  require(cudaMemset(memory, 0, kBytes), "cudaMemset");
  void *tiled, *pixelwise;
  cudaDriverEntryPointQueryResult found;
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &tiled, 12000, cudaEnableDefault, &found), "entry point");
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &pixelwise, 12000, cudaEnableDefault, &found), "entry point");
  CUtensorMap map;
  const CUresult made = im2col
      ? reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(pixelwise)(&map, (CUtensorMapDataType)dtype, rank, memory, dims, strides,
            lower, upper, channels, pixels, steps, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
      : reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(tiled)(&map, (CUtensorMapDataType)dtype, rank, memory, dims, strides, box,
            steps, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (made != CUDA_SUCCESS) {
    std::fprintf(stderr, "no such map (%d)\n", made);
    return 1;
  }
  int elements = 1;
  for (int d = 0; d < rank; d++) elements *= box[d];
  // With interleave a row is a slice, there are as many as box[0] says, and dimension rank - 2 is not walked along.
  const int bytes = im2col ? static_cast<int>(channels * pixels) * size
      : interleave == 0 ? elements * size : elements / static_cast<int>(box[rank - 2]) * slice;
  copy<<<1, 32, kTile>>>(map, at, rank, im2col, way[0], bytes);
  const cudaError_t error = cudaDeviceSynchronize();
  // The names of errors begin with cudaError: cudaErrorIllegalInstruction.
  const std::string fault = error == cudaSuccess ? "" : std::string(cudaGetErrorName(error)).substr(9);
  std::printf("{\"kind\":\"start\",\"way\":\"%s\",\"mode\":\"%s\",\"dtype\":%d,", way.c_str(), mode.c_str(), dtype);
  list("dim", dims, rank);
  list("stride", strides, rank - 1);
  if (im2col) {
    list("lower", lower, rank - 2);
    list("upper", upper, rank - 2);
    std::printf("\"channels\":%u,\"pixels\":%u,", channels, pixels);
  } else {
    list("box", box, rank);
  }
  list("elementStride", steps, rank);
  std::printf("\"interleave\":%d,\"swizzle\":%d,\"l2\":0,\"oob\":0,\"address\":0,", interleave, swizzle);
  list("coord", at.c, rank);
  std::printf("\"fault\":\"%s\"}\n", fault.c_str());
}

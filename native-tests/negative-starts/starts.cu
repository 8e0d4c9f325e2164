// One tensor copy of a box of 32-bit words at the coordinates that the command line gives, in a process of its own: does the
// GPU fault, and if it does not, which words of the tensor are changed?
//
//   starts WAY MODE SWIZZLE INTERLEAVE C0 [C1 ...]
//
// WAY is store, add, or load; MODE tile, or im2col:LOWER:UPPER with both corners of every spatial dimension; SWIZZLE and
// INTERLEAVE as in cuda.h. Prints one line.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>

constexpr int kWords = 1 << 16;
constexpr uint32_t kBefore = 1000000;

#define COORDINATES_1 "{%2}"
#define COORDINATES_2 "{%2, %3}"
#define COORDINATES_3 "{%2, %3, %4}"
#define COORDINATES_4 "{%2, %3, %4, %5}"
#define COORDINATES_5 "{%2, %3, %4, %5, %6}"
#define OPERANDS "l"(map), "r"(box), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])
#define BOX(RANK, MODE)                                                                                                          \
  if (add)                                                                                                                       \
    asm volatile("cp.reduce.async.bulk.tensor." #RANK "d.global.shared::cta.add." MODE ".bulk_group [%0, " COORDINATES_##RANK    \
                 "], [%1];" ::OPERANDS : "memory");                                                                              \
  else                                                                                                                           \
    asm volatile("cp.async.bulk.tensor." #RANK "d.global.shared::cta." MODE ".bulk_group [%0, " COORDINATES_##RANK               \
                 "], [%1];" ::OPERANDS : "memory");                                                                              \
  break;

struct Coordinates { int c[5]; };

__global__ void out(const __grid_constant__ CUtensorMap tensor, Coordinates at, int rank, bool im2col, bool add, int words) {
  extern __shared__ __align__(1024) uint32_t tile[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) tile[i] = i + 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const CUtensorMap* map = &tensor;
  const int* c = at.c;
  unsigned box = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (im2col) {
    switch (rank) {
      case 3: BOX(3, "im2col_no_offs")
      case 4: BOX(4, "im2col_no_offs")
      case 5: BOX(5, "im2col_no_offs")
    }
  } else {
    switch (rank) {
      case 1: BOX(1, "tile")
      case 2: BOX(2, "tile")
      case 3: BOX(3, "tile")
      case 4: BOX(4, "tile")
      case 5: BOX(5, "tile")
    }
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/** A load of a box of two dimensions, as a check of the map: what comes is counted in sum. */
__global__ void in(const __grid_constant__ CUtensorMap tensor, Coordinates at, int words, unsigned* sum) {
  extern __shared__ __align__(1024) uint32_t tile[];
  __shared__ uint64_t barrier;
  unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  unsigned box = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x != 0) return;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(words * 4) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(box),
               "l"(&tensor), "r"(at.c[0]), "r"(at.c[1]), "r"(b) : "memory");
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(b) : "memory");
  unsigned found = 0;
  for (int i = 0; i < words; i++) found += tile[i] != 0;
  *sum = found;
}

static void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) std::printf("%s ", argv[i]);
  std::printf(": ");
  std::string way = argv[1];
  int low = 0, high = 0;
  bool im2col = std::sscanf(argv[2], "im2col:%d:%d", &low, &high) == 2;
  int swizzle = std::atoi(argv[3]), interleave = std::atoi(argv[4]), rank = argc - 5;
  Coordinates at = {};
  for (int d = 0; d < rank; d++) at.c[d] = std::atoi(argv[5 + d]);

  // With interleave dimension 0 is one of slices, and as many words in memory as channels.
  uint64_t dims[5] = {16, 6, 6, 4, 4}, strides[4];
  uint32_t box[5] = {8, 4, 4, 2, 2}, steps[5] = {1, 1, 1, 1, 1};
  uint64_t stride = 4;
  for (int d = 0; d < rank - 1; d++) strides[d] = stride = stride * dims[d];
  if (interleave) for (int d = 0; d < rank - 1; d++) strides[d] = 32 * (d == 0 ? 16 : strides[d] / 4);
  uint32_t* memory;
  require(cudaMalloc(&memory, 4 * kWords), "cudaMalloc");
  std::vector<uint32_t> before(kWords, kBefore), after(kWords);
  require(cudaMemcpy(memory, before.data(), 4 * kWords, cudaMemcpyHostToDevice), "cudaMemcpy");

  void *tiled, *pixels;
  cudaDriverEntryPointQueryResult found;
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &tiled, 12000, cudaEnableDefault, &found), "entry point");
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &pixels, 12000, cudaEnableDefault, &found), "entry point");
  CUtensorMap map;
  int lower[3] = {low, low, low}, upper[3] = {high, high, high};
  CUresult made = im2col
      ? reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(pixels)(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, memory, dims, strides,
            lower, upper, 8, 8, steps, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
      : reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(tiled)(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, memory, dims, strides, box,
            steps, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (made != CUDA_SUCCESS) {
    std::printf("no such map (%d)\n", made);
    return 2;
  }
  if (way == "load") {
    unsigned* sum;
    require(cudaMalloc(&sum, 4), "cudaMalloc");
    in<<<1, 32, 16384>>>(map, at, box[0] * box[1], sum);
    require(cudaDeviceSynchronize(), "fault");
    unsigned words;
    require(cudaMemcpy(&words, sum, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    std::printf("works, %u words of the tensor came\n", words);
    return 0;
  }
  out<<<1, 32, 16384>>>(map, at, rank, im2col, way == "add", 4096);
  require(cudaDeviceSynchronize(), "fault");
  require(cudaMemcpy(after.data(), memory, 4 * kWords, cudaMemcpyDeviceToHost), "cudaMemcpy");
  int changed = 0, first = -1;
  for (int i = 0; i < kWords; i++) if (after[i] != before[i]) { if (first < 0) first = i; changed++; }
  std::printf("works, %d words changed", changed);
  if (changed) std::printf(", the first at %d is %u", first, after[first] - (way == "add" ? kBefore : 0));
  std::printf("\n");
}

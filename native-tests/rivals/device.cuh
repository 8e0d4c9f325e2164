// The instructions that the kernels here are written with, as PTX: cp.async, mbarriers, bulk and tensor copies. Facts
// from the PTX ISA.
#pragma once

using u32 = unsigned;
using u64 = unsigned long long;

__device__ __forceinline__ u32 shared_address(const void* in_shared) {
    return static_cast<u32>(__cvta_generic_to_shared(in_shared));
}

// Which tiles a block takes: every so many blocks' (BLOCKS >= 0), or a run of -BLOCKS.
template <int BLOCKS>
struct Walk {
    u64 first;
    u64 step;
    u64 end;

    __device__ __forceinline__ explicit Walk(u64 tiles) {
        if constexpr (BLOCKS < 0) {
            constexpr u64 RUN = BLOCKS < 0 ? -BLOCKS : 0;
            first = blockIdx.x * RUN;
            step = 1;
            end = first + RUN < tiles ? first + RUN : tiles;
        } else {
            first = blockIdx.x;
            step = gridDim.x;
            end = tiles;
        }
    }
};

// Says of what is loaded or stored that the L2 gives it up before anything else.
__device__ __forceinline__ u64 evict_first() {
    u64 policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    return policy;
}

template <bool HINT>
__device__ __forceinline__ void store(uint4* to, uint4 v, u64 policy) {
    if constexpr (HINT) {
        asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "r"(v.x), "r"(v.y),
                     "r"(v.z), "r"(v.w), "l"(policy)
                     : "memory");
    } else {
        *to = v;
    }
}

template <bool HINT>
__device__ __forceinline__ void store(u32* to, u32 v, u64) {
    *to = v;
}

// cp.async: 16 bytes go past L1, fewer go through it.
template <int BYTES, bool HINT = false>
__device__ __forceinline__ void async_load(void* to, const void* from, u64 policy = 0) {
    if constexpr (BYTES == 16 && HINT) {
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "l"(policy)
                     : "memory");
    } else if constexpr (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(BYTES)
                     : "memory");
    }
}

__device__ __forceinline__ void async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int PENDING>
__device__ __forceinline__ void async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ __forceinline__ void barrier_init(u64* barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// After the last barrier_init: makes the barriers known to the copy engine and to the cluster.
__device__ __forceinline__ void barriers_are_made() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void barrier_expect(u64* barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void barrier_arrive(u64* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ __forceinline__ void barrier_wait(u64* barrier, u32 parity) {
    asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@done bra.uni gone;\n"
            "bra.uni again;\n"
            "gone:\n"
            "}" ::"r"(shared_address(barrier)),
            "r"(parity)
            : "memory");
}

template <bool HINT = false>
__device__ __forceinline__ void bulk_load(void* to, const void* from, u32 bytes, u64* barrier, u64 policy = 0) {
    if constexpr (HINT) {
        asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                "[%3], "
                "%4;" ::"r"(shared_address(to)),
                "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
                : "memory");
    } else {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             shared_address(to)),
                     "l"(from), "r"(bytes), "r"(shared_address(barrier))
                     : "memory");
    }
}

template <bool HINT = false>
__device__ __forceinline__ void bulk_store(void* to, const void* from, u32 bytes, u64 policy = 0) {
    if constexpr (HINT) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
                     "r"(shared_address(from)), "r"(bytes), "l"(policy)
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                     "r"(bytes)
                     : "memory");
    }
}

__device__ __forceinline__ void bulk_commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until all but the last groups of stores have read their shared memory.
template <int PENDING>
__device__ __forceinline__ void bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

// What this thread's ordinary stores have put into shared memory is there for the copy engine.
__device__ __forceinline__ void fence_shared_for_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// A box at coordinates, innermost first.
template <int RANK>
__device__ __forceinline__ void tensor_load(void* to, const void* map, const int (&at)[5], u64* barrier) {
    if constexpr (RANK == 2) {
        asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                "[%4];" ::"r"(shared_address(to)),
                "l"(map), "r"(at[0]), "r"(at[1]), "r"(shared_address(barrier))
                : "memory");
    } else if constexpr (RANK == 3) {
        asm volatile(
                "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                "[%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
                "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(shared_address(barrier))
                : "memory");
    } else if constexpr (RANK == 4) {
        asm volatile(
                "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                "[%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(to)),
                "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(shared_address(barrier))
                : "memory");
    } else {
        asm volatile(
                "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                "[%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared_address(to)),
                "l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(shared_address(barrier))
                : "memory");
    }
}

template <int RANK>
__device__ __forceinline__ void tensor_store(const void* map, const int (&at)[5], const void* from) {
    if constexpr (RANK == 2) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                     "r"(at[0]), "r"(at[1]), "r"(shared_address(from))
                     : "memory");
    } else if constexpr (RANK == 3) {
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
                     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(shared_address(from))
                     : "memory");
    } else if constexpr (RANK == 4) {
        asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(map),
                     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(shared_address(from))
                     : "memory");
    } else {
        asm volatile(
                "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(map),
                "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(shared_address(from))
                : "memory");
    }
}

#endif

package dev.tilewright.gpu.cuda;

import java.util.Optional;

/**
 * The functions of the CUDA driver API that Tilewright calls, named and typed as in {@code cuda.h}: handles and device
 * addresses are {@code long}s (a CUdevice is an {@code int}), structures and results are segments that the caller
 * keeps, so that a call allocates nothing, and every function returns its CUresult, for the caller to judge.
 *
 * <p>{@link LibCuda} is the driver of this machine. Another implementation can stand in for it: one that runs on the
 * CPU, or one that fails where a test wants it to. Where cuda.h gives a name a later version ({@code cuMemAlloc} is
 * {@code cuMemAlloc_v2}), that one is meant.
 */
public interface DriverApi extends DeviceApi, MemoryApi, StreamApi, ModuleApi, GraphApi {

    /**
     * The fault that lost a device, where the driver can tell: an emulated one, whose reference executor knows the
     * kernel, block, thread and step. CUDA's own driver says no more than an error.
     *
     * @param ordinal the device's number
     */
    default Optional<DeviceLoss> loss(int ordinal) {
        return Optional.empty();
    }

    /** {@code CUDA_SUCCESS}. */
    int SUCCESS = 0;
    /** {@code CUDA_ERROR_INVALID_VALUE}. */
    int INVALID_VALUE = 1;
    /** {@code CUDA_ERROR_OUT_OF_MEMORY}. */
    int OUT_OF_MEMORY = 2;
    /** {@code CUDA_ERROR_INVALID_CONTEXT}. */
    int INVALID_CONTEXT = 201;
    /** {@code CUDA_ERROR_NO_BINARY_FOR_GPU}. */
    int NO_BINARY_FOR_GPU = 209;
    /** {@code CUDA_ERROR_INVALID_HANDLE}. */
    int INVALID_HANDLE = 400;
    /** {@code CUDA_ERROR_NOT_FOUND}. */
    int NOT_FOUND = 500;
    /** {@code CUDA_ERROR_NOT_READY}. */
    int NOT_READY = 600;
    /** {@code CUDA_ERROR_ILLEGAL_ADDRESS}. */
    int ILLEGAL_ADDRESS = 700;
    /** {@code CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED}. */
    int PEER_ACCESS_ALREADY_ENABLED = 704;
    /** {@code CUDA_ERROR_NOT_SUPPORTED}. */
    int NOT_SUPPORTED = 801;
}

package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.Device;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.Refusal;

/** What {@code cuDeviceGetAttribute} says: numbers of CUdevice_attribute by {@code cuda.h}, values as an H200's. */
final class DeviceAttributes {
    private static final int FIRST_BUS = 0x10;
    private static final int SHARED_OF_A_BLOCK = 48 << 10;

    private DeviceAttributes() { }

    static int of(Device device, int attribute) {
        DeviceModel model = device.model();
        return switch (attribute) {
            case 1 -> Occupancy.THREADS_OF_A_BLOCK; // MAX_THREADS_PER_BLOCK
            case 2, 3 -> 1024; // MAX_BLOCK_DIM_X, Y
            case 4 -> 64; // MAX_BLOCK_DIM_Z
            case 5 -> Integer.MAX_VALUE; // MAX_GRID_DIM_X
            case 6, 7 -> 65_535; // MAX_GRID_DIM_Y, Z
            case 8 -> Math.min(SHARED_OF_A_BLOCK, model.sharedMemoryPerBlock()); // MAX_SHARED_MEMORY_PER_BLOCK
            case 9 -> 64 << 10; // TOTAL_CONSTANT_MEMORY
            case 10 -> 32; // WARP_SIZE
            case 11 -> Integer.MAX_VALUE; // MAX_PITCH
            case 12, 82 -> 64 << 10; // MAX_REGISTERS_PER_BLOCK, PER_MULTIPROCESSOR
            case 13 -> 1_980_000; // CLOCK_RATE
            case 14, 30 -> 512; // TEXTURE_ALIGNMENT, SURFACE_ALIGNMENT
            case 16 -> model.multiprocessors(); // MULTIPROCESSOR_COUNT
            case 17, 18, 20, 35 -> 0; // KERNEL_EXEC_TIMEOUT, INTEGRATED, COMPUTE_MODE, TCC_DRIVER
            case 19, 31, 32, 41 -> 1; // CAN_MAP_HOST_MEMORY, CONCURRENT_KERNELS, ECC_ENABLED, UNIFIED_ADDRESSING
            case 33 -> bus(device); // PCI_BUS_ID
            case 34, 50 -> 0; // PCI_DEVICE_ID, PCI_DOMAIN_ID
            case 36 -> 3_201_000; // MEMORY_CLOCK_RATE
            case 37 -> 6144; // GLOBAL_MEMORY_BUS_WIDTH
            case 38 -> 60 << 20; // L2_CACHE_SIZE
            case 39 -> Occupancy.EACH.threads(); // MAX_THREADS_PER_MULTIPROCESSOR
            case 15, 40 -> 3; // GPU_OVERLAP, ASYNC_ENGINE_COUNT
            case 75 -> model.major(); // COMPUTE_CAPABILITY_MAJOR
            case 76 -> model.minor(); // COMPUTE_CAPABILITY_MINOR
            case 78, 79, 80 -> 1; // STREAM_PRIORITIES_SUPPORTED, GLOBAL_L1_CACHE_SUPPORTED, LOCAL_L1_...
            case 81 -> Occupancy.EACH.sharedBytes(); // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
            case 83, 84, 88, 89, 90, 98, 100, 101 -> 0; // managed and pageable memory: none
            case 91, 95, 99 -> 1; // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, COOPERATIVE_LAUNCH, HOST_REGISTER_...
            case 97 -> model.sharedMemoryPerBlock(); // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
            case 106 -> Occupancy.EACH.blocks(); // MAX_BLOCKS_PER_MULTIPROCESSOR
            case 108, 109, 112, 116, 119, 125, 128, 132 -> 0;
            case 111 -> Occupancy.RESERVED; // RESERVED_SHARED_MEMORY_PER_BLOCK
            case 113, 115 -> 1; // READ_ONLY_HOST_REGISTER_SUPPORTED, MEMORY_POOLS_SUPPORTED
            case 120, 127 -> model.major() >= 9 ? 1 : 0; // CLUSTER_LAUNCH, TENSOR_MAP_ACCESS_SUPPORTED
            case 130 -> 0; // NUMA_CONFIG: none
            case 131, 134 -> -1; // NUMA_ID, HOST_NUMA_ID: none
            default -> throw new Refusal(DriverApi.INVALID_VALUE);
        };
    }

    private static int bus(Device device) {
        return FIRST_BUS + device.ordinal();
    }

    /** {@code 0000:10:00.0}, as {@code cuDeviceGetPCIBusId} writes it. */
    static String busId(Device device) {
        return "%04X:%02X:00.0".formatted(0, bus(device));
    }
}

package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Names of CUresults: those of {@code cuda.h} that a driver gives for what Tilewright calls. */
final class ErrorNames {
    private static final String PREFIX = "CUDA_ERROR_";
    private static final Map<Integer, String> NAMES = new TreeMap<>();

    static {
        NAMES.put(0, "CUDA_SUCCESS");
        String[] errors = {
            "1 INVALID_VALUE", "2 OUT_OF_MEMORY", "3 NOT_INITIALIZED", "4 DEINITIALIZED", "34 STUB_LIBRARY",
            "36 CALL_REQUIRES_NEWER_DRIVER", "46 DEVICE_UNAVAILABLE", "100 NO_DEVICE", "101 INVALID_DEVICE",
            "102 DEVICE_NOT_LICENSED", "200 INVALID_IMAGE", "201 INVALID_CONTEXT", "205 MAP_FAILED",
            "206 UNMAP_FAILED", "208 ALREADY_MAPPED", "209 NO_BINARY_FOR_GPU", "211 NOT_MAPPED",
            "214 ECC_UNCORRECTABLE", "215 UNSUPPORTED_LIMIT", "216 CONTEXT_ALREADY_IN_USE",
            "217 PEER_ACCESS_UNSUPPORTED", "218 INVALID_PTX", "220 NVLINK_UNCORRECTABLE",
            "221 JIT_COMPILER_NOT_FOUND", "222 UNSUPPORTED_PTX_VERSION", "226 CONTAINED", "300 INVALID_SOURCE",
            "301 FILE_NOT_FOUND", "302 SHARED_OBJECT_SYMBOL_NOT_FOUND", "303 SHARED_OBJECT_INIT_FAILED",
            "304 OPERATING_SYSTEM", "400 INVALID_HANDLE", "401 ILLEGAL_STATE", "402 LOSSY_QUERY", "500 NOT_FOUND",
            "600 NOT_READY", "700 ILLEGAL_ADDRESS", "701 LAUNCH_OUT_OF_RESOURCES", "702 LAUNCH_TIMEOUT",
            "704 PEER_ACCESS_ALREADY_ENABLED", "705 PEER_ACCESS_NOT_ENABLED", "708 PRIMARY_CONTEXT_ACTIVE",
            "709 CONTEXT_IS_DESTROYED", "710 ASSERT", "711 TOO_MANY_PEERS", "712 HOST_MEMORY_ALREADY_REGISTERED",
            "713 HOST_MEMORY_NOT_REGISTERED", "714 HARDWARE_STACK_ERROR", "715 ILLEGAL_INSTRUCTION",
            "716 MISALIGNED_ADDRESS", "717 INVALID_ADDRESS_SPACE", "718 INVALID_PC", "719 LAUNCH_FAILED",
            "720 COOPERATIVE_LAUNCH_TOO_LARGE", "721 TENSOR_MEMORY_LEAK", "800 NOT_PERMITTED", "801 NOT_SUPPORTED",
            "802 SYSTEM_NOT_READY", "803 SYSTEM_DRIVER_MISMATCH", "804 COMPAT_NOT_SUPPORTED_ON_DEVICE",
            "900 STREAM_CAPTURE_UNSUPPORTED", "901 STREAM_CAPTURE_INVALIDATED", "902 STREAM_CAPTURE_MERGE",
            "903 STREAM_CAPTURE_UNMATCHED", "904 STREAM_CAPTURE_UNJOINED", "905 STREAM_CAPTURE_ISOLATION",
            "906 STREAM_CAPTURE_IMPLICIT", "907 CAPTURED_EVENT", "908 STREAM_CAPTURE_WRONG_THREAD", "909 TIMEOUT",
            "910 GRAPH_EXEC_UPDATE_FAILURE", "911 EXTERNAL_DEVICE", "912 INVALID_CLUSTER_SIZE",
            "913 FUNCTION_NOT_LOADED", "914 INVALID_RESOURCE_TYPE", "915 INVALID_RESOURCE_CONFIGURATION",
            "999 UNKNOWN"};
        for (String error : errors) {
            String[] numberAndName = error.split(" ");
            NAMES.put(Integer.parseInt(numberAndName[0]), PREFIX + numberAndName[1]);
        }
    }

    /** The C strings live as long as the driver. */
    private final Arena arena = Arena.ofAuto();
    private final Map<String, MemorySegment> strings = new TreeMap<>();

    int name(int error, MemorySegment pointer) {
        return give(NAMES.get(error), pointer);
    }

    /** The name's words. */
    int text(int error, MemorySegment pointer) {
        String name = NAMES.get(error);
        return give(name == null ? null : name.replace(PREFIX, "").replace("CUDA_", "").replace('_', ' ')
                .toLowerCase(Locale.ROOT), pointer);
    }

    private synchronized int give(String text, MemorySegment pointer) {
        if (pointer.address() == 0) {
            return DriverApi.INVALID_VALUE;
        }
        pointer.reinterpret(ADDRESS.byteSize()).set(ADDRESS, 0,
                text == null ? MemorySegment.NULL : strings.computeIfAbsent(text, arena::allocateFrom));
        return text == null ? DriverApi.INVALID_VALUE : DriverApi.SUCCESS;
    }
}

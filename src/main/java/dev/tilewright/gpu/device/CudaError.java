package dev.tilewright.gpu.device;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A CUresult other than success, in the driver's words. Numbers and their meaning are those of {@code cuda.h}, enum
 * CUresult.
 *
 * @param number the CUresult
 * @param name its name there, such as {@code CUDA_ERROR_INVALID_VALUE}; {@code CUresult 34} if the driver gives none
 * @param text what the driver says it means; may be empty
 */
public record CudaError(int number, String name, String text) {
    public CudaError {
        NotNull.all("name, text", name, text);
    }

    /** {@code CUDA_SUCCESS}. */
    public static final int SUCCESS = 0;
    /** CUDA_ERROR_INVALID_VALUE. */
    public static final int INVALID_VALUE = 1;

    private interface Query {
        int ask(int error, MemorySegment pointer);
    }

    /** The error of this number, as this machine's driver describes it. Works without a driver too. */
    public static CudaError of(int number) {
        return of(LibCuda.get(), number);
    }

    /** The error of this number, as a driver describes it. */
    @SuppressWarnings("exports") // for the runtime itself
    public static CudaError of(DriverApi api, int number) {
        NotNull.all("api", api);
        return new CudaError(number, ask(api::cuGetErrorName, number, "CUresult " + number),
                ask(api::cuGetErrorString, number, ""));
    }

    private static String ask(Query query, int number, String otherwise) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            String answer = query.ask(number, pointer) == SUCCESS
                    ? NativeLibrary.text(pointer.get(ValueLayout.ADDRESS, 0)) : null;
            return answer == null ? otherwise : answer;
        } catch (MissingRequirementException e) {
            return otherwise;
        }
    }

    /**
     * Whether nothing can run in the context any more: the errors of which cuda.h says that the process is left in an
     * inconsistent state, that all further work will return the same error, or (710) that the context must be
     * destroyed.
     */
    public boolean isSticky() {
        return switch (number) {
            case 226, // CONTAINED
                    700, // ILLEGAL_ADDRESS
                    702, // LAUNCH_TIMEOUT
                    710, // ASSERT
                    714, // HARDWARE_STACK_ERROR
                    715, // ILLEGAL_INSTRUCTION
                    716, // MISALIGNED_ADDRESS
                    717, // INVALID_ADDRESS_SPACE
                    718, // INVALID_PC
                    719, // LAUNCH_FAILED
                    721, // TENSOR_MEMORY_LEAK
                    911 // EXTERNAL_DEVICE
                    -> true;
            default -> false;
        };
    }

    /** {@code CUDA_ERROR_INVALID_VALUE (1): invalid argument}. */
    @Override
    public String toString() {
        return name.endsWith(" " + number) ? name + (text.isEmpty() ? "" : ": " + text)
                : name + " (" + number + ")" + (text.isEmpty() ? "" : ": " + text);
    }
}

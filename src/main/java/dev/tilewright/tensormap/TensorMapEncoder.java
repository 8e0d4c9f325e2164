package dev.tilewright.tensormap;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import java.lang.foreign.MemorySegment;

/**
 * Makes the 128 bytes of a tensor map. There are three: {@link #java()}, which needs no driver and knows sm_90; the
 * driver's, which knows the targets of the GPUs that are there; and {@link #comparing} of any two. Which one is used is
 * always the caller's choice.
 */
public interface TensorMapEncoder {

    /** Bytes of a {@code CUtensorMap}. */
    int BYTES = 128;

    /** Alignment in bytes of a {@code CUtensorMap} where a GPU reads it (cuda.h: 128 since CUDA 13, 64 before). */
    int ALIGNMENT = 128;

    /** What messages call this encoder: "pure Java", "the driver". */
    String name();

    /** Whether this encoder knows the target's layout. */
    boolean supports(Target target);

    /**
     * Encodes one call's arguments.
     *
     * @param destination where the 128 bytes go, from its first byte on; untouched if the call is refused
     * @throws TensorMapException if the call is refused, with every rule that explains it
     * @throws dev.tilewright.MissingRequirementException if {@link #supports} says no
     * @throws IllegalArgumentException if the destination is shorter than 128 bytes
     */
    void encode(EncodeCall call, Target target, MemorySegment destination);

    /**
     * Encodes a description for a tensor at {@code address}; errors as {@link #encode(EncodeCall, Target,
     * MemorySegment)}
     */
    default void encode(TensorMap map, long address, Target target, MemorySegment destination) {
        NotNull.all("map, target, destination", map, target, destination);
        encode(map.at(address), target, destination);
    }

    /** A descriptor for a tensor at {@code address}, as a value. */
    default TensorMapDescriptor encode(TensorMap map, long address, Target target) {
        NotNull.all("map, target", map, target);
        byte[] bytes = new byte[BYTES];
        encode(map, address, target, MemorySegment.ofArray(bytes));
        return TensorMapDescriptor.of(bytes);
    }

    /** A descriptor for a call, as a value. */
    default TensorMapDescriptor encode(EncodeCall call, Target target) {
        NotNull.all("call, target", call, target);
        byte[] bytes = new byte[BYTES];
        encode(call, target, MemorySegment.ofArray(bytes));
        return TensorMapDescriptor.of(bytes);
    }

    /** The encoder in Java: the same bytes as the driver's on sm_90, with no driver. */
    static TensorMapEncoder java() {
        return JavaTensorMapEncoder.INSTANCE;
    }

    /**
     * Encodes with both and gives the first one's bytes, or throws {@link TensorMapMismatchException} if they differ.
     */
    static TensorMapEncoder comparing(TensorMapEncoder first, TensorMapEncoder second) {
        NotNull.all("first, second", first, second);
        return new ComparingTensorMapEncoder(first, second);
    }
}

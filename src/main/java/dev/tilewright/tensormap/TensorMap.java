package dev.tilewright.tensormap;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;
import java.util.Objects;

/**
 * The description of a tensor and its boxes in a {@code CUtensorMap}, without the address: the address is bound when
 * the map is encoded, so that one description serves many buffers. Immutable; two that say the same are equal.
 *
 * <p>All lists run from the innermost (contiguous) dimension outwards, as in cuda.h. A description can hold values that
 * the driver refuses; {@link #validate} names them all, and nothing encodes it before they are gone.
 */
public sealed interface TensorMap permits TiledTensorMap, Im2colTensorMap, Im2colWideTensorMap {

    /** An address that breaks no rule, for looking at a description before its tensor has been allocated. */
    long SOME_ADDRESS = 1 << 20;

    /** Element type. */
    TensorDataType type();

    /** Elements along each dimension. */
    List<Long> dims();

    /** Bytes between neighbours along dimensions 1 and up. */
    List<Long> strides();

    /** Step between the elements that are taken, along each dimension. */
    List<Integer> elementStrides();

    /** How channels are interleaved. */
    Interleave interleave();

    /** In which pattern the box lies in shared memory. */
    Swizzle swizzle();

    /** How much the L2 cache fetches at once. */
    L2Promotion l2Promotion();

    /** What stands for elements outside the tensor. */
    OobFill fill();

    /** How many dimensions the tensor has, 1 to 5. */
    default int rank() {
        return dims().size();
    }

    /** Bytes of one row of the box in shared memory, without a swizzle's gap. */
    int rowBytes();

    /** Rows of the box in shared memory. */
    int boxRows();

    /**
     * Bytes that one load counts on its mbarrier: the whole box, in bounds or not, swizzle gaps left out.
     *
     * @throws ArithmeticException if an element stride is 0, or this is more than 2 GiB. A valid map has so large a box
     *     only where an extent is below its element stride: the driver counts none of its bytes then
     */
    default int transactionBytes() {
        return Math.multiplyExact(rowBytes(), boxRows());
    }

    /**
     * Bytes of shared memory that one box takes from its first byte on, swizzle gaps included.
     *
     * @throws ArithmeticException as {@link #transactionBytes()} does
     */
    default int sharedBytes() {
        if (interleave() == Interleave.NONE) {
            return Math.multiplyExact(swizzle().rowPitch(rowBytes()), boxRows());
        }
        // Interleaved rows are dense, and the swizzle moves 16-byte chunks within spans: the last span may reach past
        // the last row.
        int span = Math.max(16, swizzle().span());
        return Math.multiplyExact(Math.ceilDiv(transactionBytes(), span), span);
    }

    /** The arguments of the driver call that encodes this map for a tensor at {@code address}. */
    EncodeCall at(long address);

    /**
     * The map that a driver call describes. Whatever {@link Validation} finds no error in for sm_90 can be converted.
     *
     * @throws IllegalArgumentException if a number is no value of its enum, does not fit an {@code int}, or a list has
     *     the wrong length; the packed 4-bit and 6-bit types and the swizzles of other atoms have no description yet
     */
    static TensorMap of(EncodeCall call) {
        Objects.requireNonNull(call, "call");
        return switch (call) {
            case TiledCall tiled -> TiledTensorMap.of(tiled);
            case Im2colCall im2col -> Im2colTensorMap.of(im2col);
            case Im2colWideCall wide -> Im2colWideTensorMap.of(wide);
        };
    }

    /** Every rule that this description breaks on a target, whatever its address will be. Never throws. */
    default Validation validate(Target target) {
        Objects.requireNonNull(target, "target");
        return Validation.of(at(SOME_ADDRESS), target);
    }

    /**
     * The 128 bytes, made in Java.
     *
     * @param address the tensor's first byte in global memory
     * @throws TensorMapException with every violated rule
     * @throws dev.tilewright.MissingRequirementException if the target's layout is not known: only the driver can
     *     encode for it
     */
    default TensorMapDescriptor encode(Target target, long address) {
        return TensorMapEncoder.java().encode(this, address, target);
    }

    /** The description for people: what a box is, what it takes, and where boxes reach out of bounds. */
    default String describe() {
        return TensorMapText.of(this);
    }
}

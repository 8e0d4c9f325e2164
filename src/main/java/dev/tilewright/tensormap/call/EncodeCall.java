package dev.tilewright.tensormap.call;

import java.util.List;

/**
 * The arguments of one {@code cuTensorMapEncode*} call (cuda.h), as integers. Nothing about them is checked when they
 * are put together, so that everything that is wrong with them can be reported together; enums are cuda.h's
 * integers. All lists run from the innermost dimension outwards; the rank is the number of {@link #dims()}.
 *
 * <p>The driver takes unsigned numbers where a Java {@code long} can be negative: such a value is out of every range
 * here, as the huge number that the driver would see is there.
 */
public sealed interface EncodeCall permits TiledCall, Im2colCall, Im2colWideCall {

    /** The kind of map as recordings and messages name it: {@code tile}, {@code im2col} or {@code im2col-wide}. */
    String mode();

    /** {@code CUtensorMapDataType}. */
    long dataType();

    /** The tensor's first byte in global memory. */
    long address();

    /** Elements along each dimension. */
    List<Long> dims();

    /** Bytes between neighbours along dimensions 1 and up. */
    List<Long> strides();

    /** Step between the elements that are taken, along each dimension. */
    List<Long> elementStrides();

    /** {@code CUtensorMapInterleave}. */
    long interleave();

    /** {@code CUtensorMapSwizzle}. */
    long swizzle();

    /** {@code CUtensorMapL2promotion}. */
    long l2Promotion();

    /** {@code CUtensorMapFloatOOBfill}. */
    long fill();

    /** Elements of one row of shared memory: the innermost box extent or the channels per pixel; 0 if there is none. */
    long innerElements();

    /** The field's name of {@link #innerElements()}: {@code box} (index 0) or {@code channels} (no index). */
    default String innerField() {
        return this instanceof TiledCall ? "box" : "channels";
    }

    /** How many dimensions the tensor has. */
    default int rank() {
        return dims().size();
    }
}

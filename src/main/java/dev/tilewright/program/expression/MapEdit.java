package dev.tilewright.program.expression;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.tensormap.TensormapReplace.Field;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import java.util.Objects;
import java.util.Optional;

/**
 * One field of a tensor map and its new value, in the terms of the map's description: dimensions from the innermost
 * out, strides in bytes. What the instruction wants instead (rank less one, numbers of its own for element types) is
 * made of that here.
 *
 * <p>Sources: PTX ISA, "tensormap.replace". Strides are bytes since the assembler of CUDA 12.5; earlier ones took units
 * of 16.
 */
public sealed interface MapEdit {

    /** The instruction that makes the change. */
    default TensormapReplace form() {
        return switch (this) {
            case GlobalAddress _ -> new TensormapReplace(Field.GLOBAL_ADDRESS, 0);
            case Rank _ -> new TensormapReplace(Field.RANK, 0);
            case BoxDim(int dimension, Expr _) -> new TensormapReplace(Field.BOX_DIM, dimension);
            case GlobalDim(int dimension, Expr _) -> new TensormapReplace(Field.GLOBAL_DIM, dimension);
            case GlobalStride(int stride, Expr _) -> new TensormapReplace(Field.GLOBAL_STRIDE, stride);
            case ElementStride(int dimension, Expr _) -> new TensormapReplace(Field.ELEMENT_STRIDE, dimension);
            case ElementType(TensorDataType type) -> new TensormapReplace(Field.ELEMTYPE, number(type));
            case InterleaveLayout(Interleave how) -> new TensormapReplace(Field.INTERLEAVE_LAYOUT, how.ordinal());
            case SwizzleMode(Swizzle how) -> new TensormapReplace(Field.SWIZZLE_MODE, how.ordinal());
            case FillMode(OobFill how) -> new TensormapReplace(Field.FILL_MODE, how.ordinal());
        };
    }

    /** The value that the instruction takes in a register. */
    default Optional<Expr> value() {
        return switch (this) {
            case GlobalAddress(Expr address) -> Optional.of(address);
            case Rank(int rank) -> Optional.of(Expr.of(rank - 1));
            case BoxDim(int _, Expr elements) -> Optional.of(elements);
            case GlobalDim(int _, Expr elements) -> Optional.of(elements);
            case GlobalStride(int _, Expr bytes) -> Optional.of(bytes);
            case ElementStride(int _, Expr step) -> Optional.of(step);
            case ElementType _, InterleaveLayout _, SwizzleMode _, FillMode _ -> Optional.empty();
        };
    }

    /**
     * Where the tensor starts.
     *
     * @param address 64 bits, a device address that is a multiple of 16
     */
    record GlobalAddress(Expr address) implements MapEdit {
        public GlobalAddress {
            Objects.requireNonNull(address, "address");
            IntType.S64.require(address, "a device address");
        }
    }

    /**
     * How many dimensions there are.
     *
     * @param rank 1 to 5
     */
    record Rank(int rank) implements MapEdit {
        public Rank {
            if (rank < 1 || rank > 5) {
                throw new IllegalArgumentException("a tensor map has rank 1 to 5, got " + rank);
            }
        }
    }

    /**
     * How far a box reaches along a dimension.
     *
     * @param dimension 0 for the innermost
     * @param elements 32 bits, 1 to 256
     */
    record BoxDim(int dimension, Expr elements) implements MapEdit {
        public BoxDim {
            Objects.requireNonNull(elements, "elements");
            requireDimension(dimension, 4);
            IntType.S32.require(elements, "an extent of the box");
        }

        /** A reach of this many elements, 1 to 256. */
        public BoxDim(int dimension, int elements) {
            this(dimension, Expr.of(elements));
        }
    }

    /**
     * How far the tensor reaches along a dimension.
     *
     * @param dimension 0 for the innermost
     * @param elements 32 bits, at least 1
     */
    record GlobalDim(int dimension, Expr elements) implements MapEdit {
        public GlobalDim {
            Objects.requireNonNull(elements, "elements");
            requireDimension(dimension, 4);
            IntType.S32.require(elements, "an extent of the tensor");
        }

        /** A reach of this many elements, at least 1. */
        public GlobalDim(int dimension, int elements) {
            this(dimension, Expr.of(elements));
        }
    }

    /**
     * How far apart neighbours along a dimension are.
     *
     * @param stride 0 for dimension 1, as in cuda.h
     * @param bytes 64 bits, a multiple of 16
     */
    record GlobalStride(int stride, Expr bytes) implements MapEdit {
        public GlobalStride {
            Objects.requireNonNull(bytes, "bytes");
            requireDimension(stride, 3);
            IntType.S64.require(bytes, "a stride");
        }

        /** A stride of this many bytes, a multiple of 16. */
        public GlobalStride(int stride, long bytes) {
            this(stride, Expr.of(bytes));
        }
    }

    /**
     * The step between elements that are taken along a dimension.
     *
     * @param step 32 bits, 1 to 8
     */
    record ElementStride(int dimension, Expr step) implements MapEdit {
        public ElementStride {
            Objects.requireNonNull(step, "step");
            requireDimension(dimension, 4);
            IntType.S32.require(step, "an element stride");
        }

        /** A step of 1 to 8 elements. */
        public ElementStride(int dimension, int step) {
            this(dimension, Expr.of(step));
        }
    }

    /**
     * The type of the elements. On sm_90a a map of TF32 elements cannot be given another type: 32-bit floats are still
     * rounded to TF32, and with other types a copy through the map is an illegal instruction.
     */
    record ElementType(TensorDataType type) implements MapEdit {
        public ElementType {
            Objects.requireNonNull(type, "type");
        }
    }

    /** How the tensor is interleaved. */
    record InterleaveLayout(Interleave interleave) implements MapEdit {
        public InterleaveLayout {
            Objects.requireNonNull(interleave, "interleave");
        }
    }

    /** How boxes are swizzled in shared memory. */
    record SwizzleMode(Swizzle swizzle) implements MapEdit {
        public SwizzleMode {
            Objects.requireNonNull(swizzle, "swizzle");
            if (swizzle.usesLargeAtoms()) {
                throw new IllegalArgumentException("a map's swizzle mode is changed to none, 32B, 64B or 128B, got "
                        + swizzle + ": how much it moves at a time is another field, which sm_90 does not have");
            }
        }
    }

    /** The value that a load gives for elements outside the tensor. */
    record FillMode(OobFill fill) implements MapEdit {
        public FillMode {
            Objects.requireNonNull(fill, "fill");
        }
    }

    /** The instruction's number of a type. */
    private static int number(TensorDataType type) {
        return switch (type) {
            case UINT8 -> 0;
            case UINT16 -> 1;
            case UINT32 -> 2;
            case INT32 -> 3;
            case UINT64 -> 4;
            case INT64 -> 5;
            case FLOAT16 -> 6;
            case FLOAT32 -> 7;
            case FLOAT32_FTZ -> 8;
            case FLOAT64 -> 9;
            case BFLOAT16 -> 10;
            case TFLOAT32 -> 11;
            case TFLOAT32_FTZ -> 12;
        };
    }

    private static void requireDimension(int number, int last) {
        if (number < 0 || number > last) {
            throw new IllegalArgumentException("a tensor map numbers its " + (last == 3 ? "strides" : "dimensions")
                    + " 0 to " + last + ", got " + number);
        }
    }
}

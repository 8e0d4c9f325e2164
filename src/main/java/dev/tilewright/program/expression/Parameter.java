package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.value.ValueType;
import java.util.Objects;
import java.util.Optional;

/** One parameter of a kernel. */
public sealed interface Parameter {

    /** The parameter's name in the emitted kernel; arguments are given by it. */
    String name();

    /**
     * A pointer to global memory.
     *
     * @param written whether the kernel writes through it
     * @param type of the elements there, where the kernel says so
     */
    record Pointer(String name, boolean written, Optional<ValueType> type) implements Parameter, Elements {
        public Pointer {
            NotNull.all("name, type", name, type);
            Identifiers.require(name);
            if (type.equals(Optional.of(ValueType.PRED))) {
                throw new IllegalArgumentException("pointer '" + name + "' must be to elements of 8 to 64 bits");
            }
        }

        /** A pointer to bytes, or to elements of several types. */
        public Pointer(String name, boolean written) {
            this(name, written, Optional.empty());
        }

        /** A pointer to elements that the kernel only reads. */
        public static Pointer reading(String name, ValueType elementType) {
            Objects.requireNonNull(elementType, "elementType");
            return new Pointer(name, false, Optional.of(elementType));
        }

        /** A pointer to elements that the kernel writes, and may read. */
        public static Pointer writing(String name, ValueType elementType) {
            Objects.requireNonNull(elementType, "elementType");
            return new Pointer(name, true, Optional.of(elementType));
        }

        @Override
        public ValueType elementType() {
            return type.orElseThrow(() -> new IllegalArgumentException("pointer '" + name + "' has no element type: "
                    + "make it by Pointer.reading or writing, or give a byte offset with new Address.Global"));
        }

        /**
         * The address of an element.
         *
         * @param index 32 or 64 bits; the offset in bytes is computed in 64
         */
        @Override
        public Address.Global at(Expr index) {
            Objects.requireNonNull(index, "index");
            return new Address.Global(this, index.toS64().times(elementType().bytes()));
        }

        @Override
        public Address.Global at(int index) {
            return at(Expr.of(index));
        }

        /** The device address that it points to, as an expression. */
        public Expr deviceAddress() {
            return new Expr.DeviceAddress(this);
        }
    }

    /** An integer, 32 or 64 bits wide. */
    record Int(String name, IntType type) implements Parameter {
        public Int {
            NotNull.all("name, type", name, type);
            Identifiers.require(name);
            if (type == IntType.BOOL) {
                throw new IllegalArgumentException("parameter '" + name + "' must be an integer");
            }
        }

        /** The parameter's value as an expression. */
        public Expr value() {
            return new Expr.ParamValue(this);
        }
    }

    /**
     * A number that every thread has, such as a scalar of an element step: see {@code ElementStep}.
     *
     * @param type the scalar's own type
     */
    record Scalar(String name, ElementType type) implements Parameter {
        public Scalar {
            NotNull.all("name, type", name, type);
            Identifiers.require(name);
        }

        /** The parameter's value. */
        public Value value() {
            return new Value.Scalar(this);
        }
    }

    /**
     * A tensor map by value ({@code const __grid_constant__}, 128 bytes, aligned to 128).
     *
     * @param rank dimensions of the tensor, 1 to 5
     */
    record TensorMap(String name, int rank) implements Parameter, MapSource {
        public TensorMap {
            Objects.requireNonNull(name, "name");
            Identifiers.require(name);
            if (rank < 1 || rank > 5) {
                throw new IllegalArgumentException("tensor map '" + name + "' must have rank 1 to 5, got " + rank);
            }
        }

        @Override
        public String title() {
            return "tensor map '" + name + "'";
        }
    }
}

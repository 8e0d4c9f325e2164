package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import java.util.Objects;

/** One parameter of a kernel. */
public sealed interface Parameter {

    /** Its name in the emitted kernel; arguments are given by it. */
    String name();

    /** A pointer to global memory. @param written whether the kernel writes through it */
    record Pointer(String name, boolean written) implements Parameter {
        public Pointer {
            Objects.requireNonNull(name, "name");
            Identifiers.require(name);
        }

        /** The device address that it points to, as an expression. */
        public Expr deviceAddress() {
            return new Expr.DeviceAddress(this);
        }
    }

    /** An integer, 32 or 64 bits wide. */
    record Int(String name, IntType type) implements Parameter {
        public Int {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(type, "type");
            Identifiers.require(name);
            if (type == IntType.BOOL) {
                throw new IllegalArgumentException("parameter '" + name + "' must be an integer");
            }
        }

        /** Its value as an expression. */
        public Expr value() {
            return new Expr.ParamValue(this);
        }
    }

    /**
     * A number that every thread has, such as a scalar of an element step: see {@link ElementStep}.
     *
     * @param type the scalar's own type
     */
    record Scalar(String name, ElementType type) implements Parameter {
        public Scalar {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(type, "type");
            Identifiers.require(name);
        }

        /** Its value. */
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

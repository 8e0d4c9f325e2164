package dev.tilewright.program.expression;

import java.util.Objects;

/** A named piece of a block's shared memory. */
public sealed interface SharedRegion {

    /** The region's name in the emitted kernel. */
    String name();

    /** Size in bytes. */
    int bytes();

    /** What the region's address is a multiple of, in bytes: a power of two up to 1024. */
    int alignment();

    /** Raw bytes, such as the stages of a pipeline. */
    record Buffer(String name, int bytes, int alignment) implements SharedRegion {
        public Buffer {
            Objects.requireNonNull(name, "name");
            Identifiers.require(name);
            if (bytes < 1) {
                throw new IllegalArgumentException("shared buffer '" + name + "' must have at least 1 byte, got "
                        + bytes);
            }
            if (Integer.bitCount(alignment) != 1 || alignment < 1 || alignment > 1024) {
                throw new IllegalArgumentException(
                        "shared buffer '" + name + "': alignment must be a power of two up to 1024, got " + alignment);
            }
        }

        /** The address of one of its bytes. */
        public Address.Shared at(Expr byteOffset) {
            Objects.requireNonNull(byteOffset, "byteOffset");
            return new Address.Shared(this, byteOffset);
        }

        /** The address of one of its bytes. */
        public Address.Shared at(int byteOffset) {
            return at(Expr.of(byteOffset));
        }

        /** The address of its first byte as a number, see {@link Expr.SharedAddress}. */
        public Expr address() {
            return new Expr.SharedAddress(this);
        }
    }

    /** An array of mbarriers, 8 bytes each. */
    record Barriers(String name, int count) implements SharedRegion {
        /** Size of one, and what its address is a multiple of (PTX ISA, "Size and alignment of mbarrier object"). */
        private static final int BYTES = 8;

        public Barriers {
            Objects.requireNonNull(name, "name");
            Identifiers.require(name);
            if (count < 1 || count > SharedLayout.LARGEST / BYTES) {
                throw new IllegalArgumentException("barrier array '" + name + "' must have 1 to "
                        + SharedLayout.LARGEST / BYTES + " barriers, got " + count);
            }
        }

        @Override
        public int bytes() {
            return BYTES * count;
        }

        @Override
        public int alignment() {
            return BYTES;
        }

        /** One of the barriers, the first of which is number 0. */
        public Address.Barrier at(int index) {
            return at(Expr.of(index));
        }

        /** One of the barriers. */
        public Address.Barrier at(Expr index) {
            Objects.requireNonNull(index, "index");
            return new Address.Barrier(this, index);
        }
    }
}

package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.ptx.Operand;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A place in memory that an operation names. Offsets are in bytes. */
public sealed interface Address {

    /** What it is a place in, a {@link SharedRegion} or a {@link Parameter}; none where only the launch tells. */
    Optional<Object> memory();

    /** The index expressions that it is made of. */
    List<Expr> numbers();

    /** The numbers as values. */
    default Stream<Value> parts() {
        return numbers().stream().map(Value.Index::new);
    }

    /** In words, with the memory's name. */
    String title();

    /** The operands of instructions that it may be given to. */
    default Predicate<Operand> fits() {
        return operand -> switch (operand.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS, GENERIC_ADDRESS, GENERIC_DESTINATION -> true;
            // As a number an address is only what the instruction asks for as one.
            case U32 -> operand.name().equals("address");
            default -> false;
        };
    }

    /** Whether the block must be one of a cluster for it. */
    default boolean needsCluster() {
        return false;
    }

    /** Refuses a place that elements cannot be loaded from or stored to. */
    default void requireMemory() { }

    /** Refuses a place that a kernel cannot write to. */
    default void requireWritable() { }

    /**
     * A byte of a shared buffer.
     *
     * @param byteOffset 32-bit offset from the buffer's start
     */
    record Shared(SharedRegion.Buffer buffer, Expr byteOffset) implements Address {
        public Shared {
            NotNull.all("buffer, byteOffset", buffer, byteOffset);
            IntType.S32.require(byteOffset, "a shared offset");
        }

        @Override
        public Optional<Object> memory() {
            return Optional.of(buffer);
        }

        @Override
        public String title() {
            return "an address in '" + buffer.name() + "'";
        }

        @Override
        public List<Expr> numbers() {
            return List.of(byteOffset);
        }

        /**
         * The byte at this place in another block of the cluster.
         *
         * @param rank of the block, 32 bits
         */
        public Remote in(Expr rank) {
            Objects.requireNonNull(rank, "rank");
            return new Remote(buffer, byteOffset, rank);
        }

        /** The byte at this place in the block of this rank in the cluster. */
        public Remote in(int rank) {
            return in(Expr.of(rank));
        }

        /** The number that PTX instructions know the byte by, see {@link Expr.SharedAddress}: 32 bits. */
        public Expr number() {
            return buffer.address().plus(byteOffset);
        }

        /**
         * The matrix descriptor, 64 bits, by which {@code wgmma} finds a tile whose first byte this is. That of an
         * operand within the tile is greater by {@link MatrixTile#startOf} in units of 16 bytes.
         *
         * @throws IllegalArgumentException if the tile cannot start there, or the buffer is not aligned as it must be
         */
        public Expr descriptor(MatrixTile tile) {
            Objects.requireNonNull(tile, "tile");
            int alignment = tile.alignment();
            if (buffer.alignment() < alignment) {
                throw new IllegalArgumentException("a tile with swizzle " + tile.swizzle()
                        + " must start at a multiple of "
                        + alignment + " bytes, and shared buffer '" + buffer.name() + "' has an alignment of "
                        + buffer.alignment() + ": give it the tile's, MatrixTile.alignment()");
            }
            byteOffset.constant().ifPresent(offset -> {
                if (offset % alignment != 0) {
                    throw new IllegalArgumentException("a tile with swizzle " + tile.swizzle()
                            + " must start at a multiple of " + alignment + " bytes, got byte " + offset + " of '"
                            + buffer.name() + "'; a part of a tile starts there by MatrixTile.startOf");
                }
            });
            Expr start = number().bitAnd(MatrixDescriptor.LIMIT - 1).shiftRight(4);
            return Expr.of(tile.descriptor(0).encode()).plus(start.toS64());
        }
    }

    /**
     * A byte of global memory.
     *
     * @param byteOffset offset from where the pointer points; 32 bits are widened to 64
     */
    record Global(Parameter.Pointer pointer, Expr byteOffset) implements Address {
        public Global {
            NotNull.all("pointer, byteOffset", pointer, byteOffset);
            byteOffset = byteOffset.toS64();
        }

        /** The byte at this offset from where the pointer points. */
        public Global(Parameter.Pointer pointer, long byteOffset) {
            this(pointer, Expr.of(byteOffset));
        }

        @Override
        public Optional<Object> memory() {
            return Optional.of(pointer);
        }

        @Override
        public String title() {
            return "an address in '" + pointer.name() + "'";
        }

        @Override
        public Predicate<Operand> fits() {
            return Address::takesGlobal;
        }

        @Override
        public List<Expr> numbers() {
            return List.of(byteOffset);
        }

        @Override
        public void requireWritable() {
            if (!pointer.written()) {
                throw new IllegalArgumentException("pointer '" + pointer.name() + "' is declared read-only");
            }
        }
    }

    /**
     * A byte of global memory at an address that the kernel has found: an element of an array of pointers, or a choice
     * between {@link Parameter.Pointer#deviceAddress device addresses}.
     *
     * @param number the address, 64 bits
     */
    record Pointed(Expr number) implements Address {
        public Pointed {
            Objects.requireNonNull(number, "number");
            IntType.S64.require(number, "an address in global memory");
        }

        @Override
        public Optional<Object> memory() {
            return Optional.empty();
        }

        @Override
        public List<Expr> numbers() {
            return List.of(number);
        }

        @Override
        public String title() {
            return "an address that the kernel found";
        }

        @Override
        public Predicate<Operand> fits() {
            return Address::takesGlobal;
        }
    }

    /**
     * An mbarrier.
     *
     * @param index 32-bit number of the barrier in its array
     */
    record Barrier(SharedRegion.Barriers barriers, Expr index) implements Address {
        public Barrier {
            NotNull.all("barriers, index", barriers, index);
            IntType.S32.require(index, "a barrier index");
        }

        @Override
        public Optional<Object> memory() {
            return Optional.of(barriers);
        }

        @Override
        public String title() {
            return "a barrier of '" + barriers.name() + "'";
        }

        @Override
        public void requireMemory() {
            throw new IllegalArgumentException("barrier '" + barriers.name() + "' is not memory for elements");
        }

        @Override
        public List<Expr> numbers() {
            return List.of(index);
        }
    }

    /**
     * A byte of a kernel parameter that is a tensor map; it can only be loaded from.
     *
     * @param byteOffset 32-bit offset, 0 to 127
     */
    record MapBytes(Parameter.TensorMap map, Expr byteOffset) implements Address {
        public MapBytes {
            NotNull.all("map, byteOffset", map, byteOffset);
            IntType.S32.require(byteOffset, "an offset into a tensor map");
        }

        /** The byte at this offset, 0 to 127. */
        public MapBytes(Parameter.TensorMap map, int byteOffset) {
            this(map, Expr.of(byteOffset));
        }

        @Override
        public Optional<Object> memory() {
            return Optional.of(map);
        }

        @Override
        public String title() {
            return "an address in " + map.title();
        }

        @Override
        public Predicate<Operand> fits() {
            return operand -> operand.kind() == Operand.Kind.GENERIC_ADDRESS
                    || operand.kind() == Operand.Kind.TENSOR_MAP;
        }

        @Override
        public List<Expr> numbers() {
            return List.of(byteOffset);
        }

        @Override
        public void requireWritable() {
            throw new IllegalArgumentException(map.title()
                    + " is a kernel parameter, which cannot be written: copy it to shared memory");
        }
    }

    /**
     * A byte of the same shared buffer of another block of the cluster: distributed shared memory. Ordinary accesses
     * take it, and methods of {@code Body} that say so; an instruction's form takes the number that {@code mapa} gives.
     *
     * @param byteOffset 32-bit offset from the buffer's start
     * @param rank 32-bit number of the block within its cluster
     */
    record Remote(SharedRegion.Buffer buffer, Expr byteOffset, Expr rank) implements Address {
        public Remote {
            NotNull.all("buffer, byteOffset, rank", buffer, byteOffset, rank);
            IntType.S32.require(byteOffset, "a shared offset");
            IntType.S32.require(rank, "a block's rank");
        }

        @Override
        public Optional<Object> memory() {
            return Optional.of(buffer);
        }

        @Override
        public String title() {
            return "an address in '" + buffer.name() + "' of another block";
        }

        @Override
        public Predicate<Operand> fits() {
            return _ -> false;
        }

        @Override
        public boolean needsCluster() {
            return true;
        }

        @Override
        public List<Expr> numbers() {
            return List.of(byteOffset, rank);
        }
    }

    private static boolean takesGlobal(Operand operand) {
        return switch (operand.kind()) {
            case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION, TENSOR_MAP -> true;
            default -> false;
        };
    }
}

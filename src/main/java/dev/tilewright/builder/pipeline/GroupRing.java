package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A ring of stages in shared memory that all threads of a block fill by {@code cp.async} and read, without mbarriers:
 * each thread's copies of a turn are one group, and a thread waits until all but its youngest groups have landed. What
 * Ampere has; what {@code cuda::pipeline} is for a thread. PTX ISA, "cp.async.wait_group".
 *
 * {@snippet :
 * GroupRing ring = GroupRing.stages(4).buffer(StageBuffer.of("tiles", 8192)).build();
 * ring.open(body).overlap(body, tiles, (b, turn, stage) -> load(b, turn, stage), (b, turn, stage) -> read(b, stage));
 * }
 */
public final class GroupRing {
    /** Who reads what a thread has copied. */
    public enum Readers {
        /** All threads of the block, which meet in each turn ({@code __syncthreads}). */
        BLOCK,
        /** Threads of the same warp, which meet in each turn ({@code __syncwarp}). */
        WARP,
        /** The thread itself alone: nothing meets. */
        THREAD
    }

    final RingMemory memory;
    final int ahead;
    final Readers readers;

    private GroupRing(Builder b) {
        memory = new RingMemory("'ring'", b.stages, 1, b.buffers);
        readers = b.readers;
        ahead = b.ahead == 0 ? Math.max(1, memory.count() - 1) : b.ahead;
        if (ahead < 1 || ahead > memory.count()) {
            throw new IllegalArgumentException("of " + memory.count() + " stages, 1 to " + memory.count()
                    + " can be filled ahead, got " + ahead);
        }
    }

    /** Starts a ring of this many stages, 1 or more. */
    public static Builder stages(int stages) {
        return new Builder(Expr.of(stages));
    }

    /**
     * Starts a ring of this many stages, 1 or more.
     *
     * @param stages a constant, named or not, 32 bits
     */
    public static Builder stages(Expr stages) {
        Objects.requireNonNull(stages, "stages");
        return new Builder(stages);
    }

    /** Choices for a {@link GroupRing}. */
    public static final class Builder {
        private final Expr stages;
        private final List<StageBuffer> buffers = new ArrayList<>();
        private int ahead;
        private Readers readers = Readers.BLOCK;

        private Builder(Expr stages) {
            this.stages = stages;
        }

        /** Adds a buffer that each stage has room for. */
        public Builder buffer(StageBuffer buffer) {
            buffers.add(Objects.requireNonNull(buffer, "buffer"));
            return this;
        }

        /**
         * How many turns are loading while one is read. With one fewer than there are stages, which is so without this,
         * the meeting that shows what has landed also says that the stage filled next is free; with all of them a turn
         * has a second meeting.
         */
        public Builder ahead(int turns) {
            if (turns < 1) {
                throw new IllegalArgumentException("at least 1 turn is filled ahead, got " + turns);
            }
            ahead = turns;
            return this;
        }

        /** Who reads what a thread has copied: the block, without this. */
        public Builder readBy(Readers who) {
            readers = Objects.requireNonNull(who, "who");
            return this;
        }

        /**
         * The ring.
         *
         * @throws IllegalArgumentException if the choices do not go together; the message says what would
         */
        public GroupRing build() {
            return new GroupRing(this);
        }

        /** {@code builder of a ring}. */
        @Override
        public String toString() {
            return "builder of a ring of " + stages + " stages";
        }
    }

    /**
     * A byte of the ring's only buffer in a stage: for procedures, which are given the number of a stage.
     *
     * @param stage its number, 32 bits
     * @param offset from the stage's first byte, 32 bits
     */
    public Address.Shared at(Expr stage, Expr offset) {
        NotNull.all("stage, offset", stage, offset);
        return memory.at(memory.only(), stage, offset);
    }

    /**
     * A byte of the ring's only buffer in a stage.
     *
     * @param stage its number, 32 bits
     * @param offset from the stage's first byte
     */
    public Address.Shared at(Expr stage, int offset) {
        return at(stage, Expr.of(offset));
    }

    /**
     * A byte of one of the ring's buffers in a stage.
     *
     * @param stage its number
     * @param offset both 32 bits
     */
    public Address.Shared at(StageBuffer buffer, Expr stage, Expr offset) {
        NotNull.all("buffer, stage, offset", buffer, stage, offset);
        return memory.at(buffer, stage, offset);
    }

    /**
     * A byte of one of the ring's buffers in a stage.
     *
     * @param stage its number, 32 bits
     * @param offset from the stage's first byte
     */
    public Address.Shared at(StageBuffer buffer, Expr stage, int offset) {
        return at(buffer, stage, Expr.of(offset));
    }

    /** The regions of shared memory that it needs, for the kernel's layout. */
    public List<SharedRegion> regions() {
        return memory.regions();
    }

    /** How many turns are filled ahead, as the kernel writes it. */
    Expr namedAhead() {
        return ahead == memory.count() ? memory.stages() : memory.stages().minus(memory.count() - ahead);
    }

    /** Begins its use in a kernel; there is nothing to set up. */
    public GroupPipeline open(Body body) {
        Objects.requireNonNull(body, "body");
        return new GroupPipeline(this);
    }

    /** {@code ring a of 4 stages, by groups of cp.async}. */
    @Override
    public String toString() {
        return memory + ", by groups of cp.async";
    }
}

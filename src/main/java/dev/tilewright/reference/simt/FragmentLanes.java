package dev.tilewright.reference.simt;

import dev.tilewright.program.expression.IntType;
import dev.tilewright.reference.op.FragmentOps;
import dev.tilewright.reference.op.GlobalPlace;
import dev.tilewright.reference.op.SharedPlace;
import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.SharedMemory;
import java.util.Arrays;

/** {@link FragmentOps} for many threads at once. */
final class FragmentLanes {

    private FragmentLanes() { }

    static LaneOp loadShared(FragmentOps.LoadShared op, LaneCompiler compiler) {
        Addresses from = new SharedAddresses(op.from(), op.bytes(), compiler);
        int word = Math.min(8, op.bytes());
        return new Touching((lanes, pc) -> {
            long[] at = from.of(lanes);
            long base = lanes.same;
            byte[] shared = lanes.memory.readsShared(lanes, at, base, op.bytes());
            if (shared == null) {
                return pc;
            }
            for (int w = 0; w < op.bytes(); w += word) {
                int first = (int) base + w;
                if (at == null) {
                    lanes.put(op.slot() + w / word, SharedMemory.get(shared, first, word));
                    continue;
                }
                long[] to = lanes.writable(op.slot() + w / word);
                int until = lanes.until;
                for (int i = lanes.from; i < until; i++) {
                    to[i] = SharedMemory.get(shared, (int) at[i] + first, word);
                }
            }
            return pc + 1;
        });
    }

    static LaneOp loadGlobal(FragmentOps.LoadGlobal op, LaneCompiler compiler) {
        Addresses from = new GlobalAddresses(op.from(), op.bytes(), compiler);
        GlobalMemory memory = op.from().memory();
        int word = Math.min(8, op.bytes());
        return new Touching((lanes, pc) -> {
            long[] at = from.of(lanes);
            long base = lanes.same;
            if (!lanes.memory.readsGlobal(lanes, memory, at, base, op.bytes())) {
                return pc;
            }
            for (int w = 0; w < op.bytes(); w += word) {
                if (at == null) {
                    lanes.put(op.slot() + w / word, memory.get(base + w, word));
                    continue;
                }
                long[] to = lanes.writable(op.slot() + w / word);
                for (int i = lanes.from; i < lanes.until; i++) {
                    to[i] = memory.get(at[i] + base + w, word);
                }
            }
            return pc + 1;
        });
    }

    static LaneOp storeShared(FragmentOps.StoreShared op, LaneCompiler compiler) {
        return store(op.slot(), op.bytes(), new SharedAddresses(op.to(), op.bytes(), compiler), null, compiler);
    }

    static LaneOp storeGlobal(FragmentOps.StoreGlobal op, LaneCompiler compiler) {
        return store(op.slot(), op.bytes(), new GlobalAddresses(op.to(), op.bytes(), compiler), op.to().memory(),
                compiler);
    }

    private static LaneOp store(int slot, int bytes, Addresses to, GlobalMemory memory, LaneCompiler compiler) {
        int spread = compiler.scratch();
        int spreadHigh = compiler.scratch();
        return new Touching((lanes, pc) -> {
            long[] at = to.of(lanes);
            LaneShape shape = lanes.shape;
            long base = lanes.same;
            long[] low = column(lanes, slot, spread);
            long[] high = bytes == 16 ? column(lanes, slot + 1, spreadHigh) : null;
            lanes.shape = shape;
            lanes.memory.stores(lanes, memory, at, base, bytes, low, high);
            return pc + 1;
        });
    }

    private static long[] column(Lanes lanes, int slot, int scratch) {
        if (!lanes.find(slot)) {
            return lanes.column(slot);
        }
        long[] column = lanes.spread(scratch);
        if (column == null) {
            column = lanes.scratch(scratch);
            Arrays.fill(column, lanes.from, lanes.until, lanes.same);
        }
        return column;
    }

    /** An operation that touches memory. */
    record Touching(Body body) implements LaneOp {
        @FunctionalInterface
        interface Body {
            int run(Lanes lanes, int pc);
        }

        @Override
        public int run(Lanes lanes, int pc) {
            return body.run(lanes, pc);
        }

        @Override
        public boolean touches() {
            return true;
        }
    }

    /** Addresses that are there and aligned, or the lanes go apart. */
    private abstract static class Addresses {
        private final LaneCode offset;
        private final long size;
        private final long start;
        private final int bytes;
        private final long base;

        /**
         * @param size of the memory that offsets count from
         * @param start what alignment counts from
         * @param base what is added to offsets
         */
        Addresses(LaneCode offset, long size, long start, int bytes, long base) {
            this.offset = offset;
            this.size = size;
            this.start = start;
            this.bytes = bytes;
            this.base = base;
        }

        /**
         * Finds them for the active lanes: what is returned for each, if anything, and {@link Lanes#same} for all.
         * {@link Lanes#shape} says more of what is returned, unless it is null.
         */
        long[] of(Lanes lanes) {
            if (offset.isShaped(lanes) && areRight(lanes.shape, lanes.same)) {
                lanes.same += base;
                return lanes.shape == null ? null : lanes.shape.values;
            }
            // Perhaps it is a lane that does not take part.
            long[] at = offset.of(lanes);
            lanes.shape = null;
            long outside = 0;
            long low = 0;
            if (at == null) {
                outside = lanes.same | size - bytes - lanes.same;
                low = start + lanes.same;
            } else {
                for (int i = lanes.from; i < lanes.until; i++) {
                    outside |= at[i] | size - bytes - at[i];
                    low |= start + at[i];
                }
            }
            if (outside < 0 || (low & bytes - 1) != 0) {
                lanes.goApart();
            }
            lanes.same = at == null ? base + lanes.same : base;
            return at;
        }

        private boolean areRight(LaneShape shape, long at) {
            long least = shape == null ? at : at + shape.least;
            long most = shape == null ? at : at + shape.most;
            long bits = shape == null ? 0 : shape.bits;
            return ShapeOperator.fits(shape, at, IntType.S64) && least >= 0 && most <= size - bytes
                    && ((start + at | bits) & bytes - 1) == 0;
        }
    }

    private static final class SharedAddresses extends Addresses {
        SharedAddresses(SharedPlace place, int bytes, LaneCompiler compiler) {
            super(compiler.value(place.offset()), place.size(), place.start(), bytes, place.start());
        }
    }

    private static final class GlobalAddresses extends Addresses {
        GlobalAddresses(GlobalPlace place, int bytes, LaneCompiler compiler) {
            super(compiler.value(place.offset()), place.memory().bytes(), place.memory().known().offset(), bytes, 0);
        }
    }
}

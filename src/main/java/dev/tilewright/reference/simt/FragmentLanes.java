package dev.tilewright.reference.simt;

import dev.tilewright.reference.op.FragmentOps;
import dev.tilewright.reference.op.GlobalPlace;
import dev.tilewright.reference.op.SharedPlace;
import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.SharedMemory;
import java.util.Arrays;

/** {@link FragmentOps} for many threads at once. */
final class FragmentLanes {

    private FragmentLanes() {
    }

    static LaneOp loadShared(FragmentOps.LoadShared op, LaneCompiler compiler) {
        SharedAddresses from = new SharedAddresses(op.from(), op.bytes(), compiler);
        int word = Math.min(8, op.bytes());
        return new Touching((lanes, pc) -> {
            long[] at = from.of(lanes);
            long same = lanes.same;
            byte[] shared = lanes.memory.readsShared(lanes, at, same, op.bytes());
            for (int w = 0; w < op.bytes(); w += word) {
                if (at == null) {
                    lanes.put(op.slot() + w / word, SharedMemory.get(shared, (int) same + w, word));
                    continue;
                }
                long[] to = lanes.writable(op.slot() + w / word);
                int until = lanes.until;
                for (int i = lanes.from; i < until; i++) {
                    to[i] = SharedMemory.get(shared, (int) at[i] + w, word);
                }
            }
            return pc + 1;
        });
    }

    static LaneOp loadGlobal(FragmentOps.LoadGlobal op, LaneCompiler compiler) {
        GlobalAddresses from = new GlobalAddresses(op.from(), op.bytes(), compiler);
        GlobalMemory memory = op.from().memory();
        int word = Math.min(8, op.bytes());
        return new Touching((lanes, pc) -> {
            long[] at = from.of(lanes);
            long same = lanes.same;
            lanes.memory.readsGlobal(lanes, memory, at, same, op.bytes());
            for (int w = 0; w < op.bytes(); w += word) {
                if (at == null) {
                    lanes.put(op.slot() + w / word, memory.get(same + w, word));
                    continue;
                }
                long[] to = lanes.writable(op.slot() + w / word);
                for (int i = lanes.from; i < lanes.until; i++) {
                    to[i] = memory.get(at[i] + w, word);
                }
            }
            return pc + 1;
        });
    }

    static LaneOp storeShared(FragmentOps.StoreShared op, LaneCompiler compiler) {
        SharedAddresses to = new SharedAddresses(op.to(), op.bytes(), compiler);
        return store(op.slot(), op.bytes(), to, null, compiler);
    }

    static LaneOp storeGlobal(FragmentOps.StoreGlobal op, LaneCompiler compiler) {
        GlobalAddresses to = new GlobalAddresses(op.to(), op.bytes(), compiler);
        return store(op.slot(), op.bytes(), to, op.to().memory(), compiler);
    }

    private static LaneOp store(int slot, int bytes, LaneCode to, GlobalMemory memory, LaneCompiler compiler) {
        int spread = compiler.scratch();
        int spreadHigh = compiler.scratch();
        return new Touching((lanes, pc) -> {
            long[] at = to.of(lanes);
            long same = lanes.same;
            lanes.memory.stores(lanes, memory, at, same, bytes, column(lanes, slot, spread),
                    bytes == 16 ? column(lanes, slot + 1, spreadHigh) : null);
            return pc + 1;
        });
    }

    private static long[] column(Lanes lanes, int slot, int scratch) {
        long[] column = lanes.column(slot);
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

    /** Addresses in shared memory, which are there and aligned. */
    private record SharedAddresses(LaneCode offset, int start, int size, int bytes, int scratch) implements LaneCode {
        SharedAddresses(SharedPlace place, int bytes, LaneCompiler compiler) {
            this(compiler.value(place.offset()), place.start(), place.size(), bytes, compiler.scratch());
        }

        @Override
        public long[] of(Lanes lanes) {
            long[] at = offset.of(lanes);
            if (at == null) {
                long same = lanes.same;
                require(same >= 0 && same <= size - bytes && (start + same & bytes - 1) == 0);
                lanes.same = start + same;
                return null;
            }
            long[] to = lanes.scratch(scratch);
            long outside = 0;
            long low = 0;
            for (int i = lanes.from; i < lanes.until; i++) {
                long a = at[i];
                outside |= a | size - bytes - a;
                low |= start + a;
                to[i] = start + a;
            }
            require(outside >= 0 && (low & bytes - 1) == 0);
            return to;
        }
    }

    /** Offsets in global memory, which are there and aligned. */
    private record GlobalAddresses(LaneCode offset, long size, long start, int bytes) implements LaneCode {
        GlobalAddresses(GlobalPlace place, int bytes, LaneCompiler compiler) {
            this(compiler.value(place.offset()), place.memory().bytes(), place.memory().known().offset(), bytes);
        }

        @Override
        public long[] of(Lanes lanes) {
            long[] at = offset.of(lanes);
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
            require(outside >= 0 && (low & bytes - 1) == 0);
            return at;
        }
    }

    private static void require(boolean right) {
        if (!right) {
            throw ApartException.INSTANCE;
        }
    }
}

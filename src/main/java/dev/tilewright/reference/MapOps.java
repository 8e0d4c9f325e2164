package dev.tilewright.reference;

import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.tensormap.Sm90Replace;
import java.lang.foreign.MemorySegment;

/** Changing, publishing and acquiring tensor maps. */
final class MapOps {
    private static final int MAP_BYTES = 128;

    private MapOps() {
    }

    /** @param value what the instruction takes in a register; 0 where it takes none */
    record Replace(String purpose, SharedPlace map, TensormapReplace form, IndexCode value) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int address = map.address(t, MAP_BYTES, MAP_BYTES);
            Sm90Replace.apply(MemorySegment.ofArray(t.block.shared().bytes()).asSlice(address, MAP_BYTES), form, value.value(t));
            t.block.maps().edited(address, t.index);
            return pc + 1;
        }
    }

    /** The same wherever the map is; one in global memory is changed as by an ordinary store. */
    record ReplaceAnywhere(String purpose, AddressOperand map, TensormapReplace form, IndexCode value) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            switch (map.at(t, MAP_BYTES, MAP_BYTES)) {
                case ResolvedAddress.InShared s -> {
                    Sm90Replace.apply(MemorySegment.ofArray(s.block().shared().bytes()).asSlice(s.address(), MAP_BYTES), form,
                            value.value(t));
                    s.block().maps().edited(s.address(), t.index);
                }
                case ResolvedAddress.InGlobal g -> Sm90Replace.apply(g.writable().memory().segment().asSlice(g.offset(), MAP_BYTES), form,
                        value.value(t));
            }
            return pc + 1;
        }
    }

    record Publish(String purpose, GlobalPlace to, SharedPlace from) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int address = from.address(t, MAP_BYTES, MAP_BYTES);
            TensorMapVersions.Place place = TensorMapVersions.Place.of(to, t);
            WarpConvergence warps = t.block.warps();
            if (!warps.arrive(t, pc, place.offset(), address)) {
                return YIELD;
            }
            t.block.maps().publish(address, place, WarpConvergence.first(t), warps.last(t));
            to.memory().copyFrom(place.offset(), t.block.shared(), address, MAP_BYTES);
            return pc + 1;
        }
    }

    record Acquire(String purpose, GlobalPlace map) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.block.maps().acquire(TensorMapVersions.Place.of(map, t), t.index);
            return pc + 1;
        }
    }

    record Release(String purpose, GlobalPlace map) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.block.maps().release(TensorMapVersions.Place.of(map, t), t.index, t.index);
            return pc + 1;
        }
    }

    /** Moves no byte, but needs a map that a copy could go through. */
    record Prefetch(String purpose, TensorSource map) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            map.of(t);
            return pc + 1;
        }
    }
}

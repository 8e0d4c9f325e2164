package dev.tilewright.reference.op;

import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.TensorSource;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.WarpConvergence;
import dev.tilewright.tensormap.sm90.Sm90Replace;
import java.lang.foreign.MemorySegment;

/** Changing, publishing and acquiring tensor maps. */
public final class MapOps {
    private static final int MAP_BYTES = 128;

    private MapOps() { }

    /**
     * Sets a field of a map; one in global memory is changed as by an ordinary store.
     *
     * @param value what the instruction takes in a register; 0 where it takes none
     */
    public record Replace(OpAccess access, AddressOperand map, TensormapReplace form, IndexCode value) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            switch (map.at(t, MAP_BYTES, MAP_BYTES, access)) {
                case ResolvedAddress.InShared s -> {
                    MemorySegment shared = MemorySegment.ofArray(s.block().shared().at(s.address(), MAP_BYTES));
                    Sm90Replace.apply(shared.asSlice(s.address(), MAP_BYTES), form, value.value(t));
                }
                case ResolvedAddress.InGlobal g ->
                        Sm90Replace.apply(g.writable().memory().segment().asSlice(g.offset(), MAP_BYTES), form,
                                value.value(t));
            }
            return pc + 1;
        }
    }

    public record Publish(Site site, OpAccess writes, AddressOperand to, OpAccess reads, AddressOperand from)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            ResolvedAddress.InShared source = from.own(t, MAP_BYTES, MAP_BYTES, OpAccess.NONE,
                    "the map that is published");
            ResolvedAddress.InGlobal place = to.global(t, MAP_BYTES, MAP_BYTES, OpAccess.NONE,
                    "where a map is published");
            WarpConvergence warps = t.block.warps();
            if (!site.comesTogether(warps, t, pc, place.offset(), source.address())) {
                return YIELD;
            }
            place.memory().copyFrom(place.offset(), t.block.shared(), source.address(), MAP_BYTES);
            // That the warp comes together here does not order what its threads have done to the map before.
            for (int lane = WarpConvergence.first(t); lane <= warps.last(t); lane++) {
                reads.report(t.block.threads()[lane], source, MAP_BYTES);
            }
            site.warp(t);
            writes.report(t, place, MAP_BYTES);
            site.fence(t);
            site.mapPublished(t, place);
            site.storesWhatWasRead(t);
            site.warp(t);
            return pc + 1;
        }
    }

    public record Acquire(Site site, AddressOperand map) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            ResolvedAddress.InGlobal at =
                    map.global(t, MAP_BYTES, MAP_BYTES, OpAccess.NONE, "the map that is acquired");
            site.fence(t);
            site.mapAcquired(t, at);
            return pc + 1;
        }
    }

    /** Moves no byte, but needs a map that a copy could go through. */
    public record Prefetch(TensorSource map) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            map.of(t);
            return pc + 1;
        }
    }
}

package dev.tilewright.verify.draw;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.cache.Discard;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveNoComplete;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import java.util.List;
import java.util.Optional;

/**
 * What is drawn for a form before any of its program is written.
 *
 * @param box of a form that copies one
 * @param genericIsGlobal whether generic addresses are of global memory
 * @param bytes that a form is told to move
 * @param arriving the arrivals of a form that counts them
 * @param missingArrivals 1 for an arrival, or a phase, that never comes; else 0
 * @param below32 0 to 31
 * @param sharedAt where its shared memory begins, in the part's buffer
 * @param oneOfThree 0, 1 or 2
 */
record FormChoices(PtxInstruction form, Optional<DrawnBox> box, boolean genericIsGlobal, int bytes, int arriving,
        int missingArrivals, int below32, int sharedAt, int oneOfThree) {

    static FormChoices draw(PtxInstruction form, DrawnChoices choices) {
        Optional<DrawnBox> box = box(form, choices);
        return new FormChoices(form, box, choices.flag() || form instanceof Discard
                || form instanceof FenceProxyTensormapAcquire || form instanceof TensormapCpFenceproxy
                || form instanceof CacheInstruction, 16 * choices.between(1, 8), choices.between(1, 4),
                choices.oneIn(3) ? 1 : 0, choices.below(32),
                // Where the swizzle's pattern begins, if there is one.
                box.isPresent() && box.get().map().swizzle() == Swizzle.NONE ? 128 * choices.below(8) : 0,
                choices.below(3));
    }

    /** The box of a form that copies one. */
    private static Optional<DrawnBox> box(PtxInstruction form, DrawnChoices choices) {
        return switch (form) {
            case TensorLoad f -> Optional.of(DrawnBox.draw(choices, f.rank(), f.mode() == LoadMode.IM2COL,
                    DrawnBox.Use.LOAD, Optional.empty()));
            case TensorPrefetch f -> Optional.of(DrawnBox.draw(choices, f.rank(), f.mode() == LoadMode.IM2COL,
                    DrawnBox.Use.LOAD, Optional.empty()));
            case TensorStore f -> Optional.of(DrawnBox.draw(choices, f.rank(), f.mode() == StoreMode.IM2COL_NO_OFFS,
                    DrawnBox.Use.STORE, Optional.empty()));
            case TensorReduce f -> Optional.of(DrawnBox.draw(choices, f.rank(), f.mode() == StoreMode.IM2COL_NO_OFFS,
                    DrawnBox.Use.REDUCE, Optional.of(f.op())));
            default -> Optional.empty();
        };
    }

    boolean has(String operand) {
        return form.inputs().stream().anyMatch(o -> o.name().equals(operand));
    }

    /** How many arrivals the part's barrier waits for: as many as come, or one more, which never comes. */
    int arrivals() {
        return switch (form) {
            case MbarrierArrive _ -> (has("count") ? arriving : 1) + missingArrivals;
            case MbarrierArriveNoComplete _ -> (has("count") ? arriving : 1) + 1;
            case CpAsyncMbarrierArrive _ -> 1;
            default -> 1;
        };
    }

    /** The blocks whose barriers count the bytes. */
    List<Integer> owners() {
        return has("cta_mask") ? List.of(0, 1) : form.inputs().stream().anyMatch(o -> o.name().equals("dst")
                && o.kind() == Operand.Kind.CLUSTER_ADDRESS) ? List.of(1) : List.of(0);
    }

    /** Bytes that each owner's barrier counts. */
    int countedBytes(int threads) {
        int each = form.effects().accesses().stream().filter(a -> a.operand().equals("dst"))
                .mapToInt(a -> switch (a.extent()) {
            case Effects.Extent.Fixed(int fixed) -> fixed;
            case Effects.Extent.Counted _ -> bytes;
            case Effects.Extent.Box() -> box.orElseThrow().box().transactionBytes(box.orElseThrow().offsets());
            case Effects.Extent.Matrix() -> throw new IllegalStateException(form.opcode());
        }).findFirst().orElseThrow();
        return Forms.isOfEachThread(form) ? each * threads : each;
    }
}

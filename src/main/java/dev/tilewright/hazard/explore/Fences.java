package dev.tilewright.hazard.explore;

import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;

/** What fences do to what their thread knows. */
record Fences(World w) {
    void fence(ThreadState t, FenceInstruction fence) {
        switch (fence) {
            case Fence(Fence.Strength strength, Scope scope) -> order(t, strength, scope);
            case FenceProxyAsync(FenceProxyAsync.Memory memory) -> show(t, memory);
            case FenceMbarrierInit _ -> {
                View before = w.launched.view();
                for (int number = 0; number < w.barriers.length; number++) {
                    if (number / w.launched.barriersPerBlock == w.block(t.number)) {
                        for (int c : new Barriers(w, null, null).cells(number)) {
                            t.view.async.set(c, t.view.generic.get(c));
                            before.generic.set(c, t.view.generic.get(c));
                            before.async.set(c, t.view.generic.get(c));
                        }
                    }
                }
                t.initialised = before;
            }
            default -> throw new Unsupported(fence.opcode());
        }
    }

    private void order(ThreadState t, Fence.Strength strength, Scope scope) {
        boolean acquires = strength != Fence.Strength.RELEASE;
        boolean releases = strength != Fence.Strength.ACQUIRE;
        for (int level = 0; level <= World.level(scope); level++) {
            if (acquires && t.seen[level] != null) {
                t.view.join(t.seen[level]);
            }
        }
        if (strength == Fence.Strength.SC) {
            t.view.join(w.strict);
            w.strict.join(t.view);
        }
        for (int level = 0; releases && level <= World.level(scope); level++) {
            t.released[level] = t.view.copy();
        }
    }

    /** Shows the asynchronous proxy what the thread knows of ordinary writes. */
    private void show(ThreadState t, FenceProxyAsync.Memory memory) {
        Cells cells = w.launched.cells;
        for (int c = 0; c < cells.count(); c++) {
            boolean shared = cells.isShared(c);
            boolean meant = switch (memory) {
                case ALL -> true;
                case GLOBAL -> !shared;
                case SHARED -> shared && cells.block(c) == w.block(t.number);
                case SHARED_CLUSTER -> shared
                        && cells.block(c) / w.launched.clusterBlocks == w.cluster(t.number);
            };
            if (meant) {
                t.view.async.raise(c, t.view.generic.get(c));
            }
        }
    }
}

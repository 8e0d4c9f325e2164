package dev.tilewright.reference.op;

import dev.tilewright.reference.state.ThreadState;

/** A computation of a run whose observer wants to be told of it. */
public record Computes(Op bare, Site site) implements Op {
    @Override
    public int run(ThreadState t, int pc) {
        site.observer().computes(t.block.index(), t.index, site.step());
        return bare.run(t, pc);
    }
}

package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.Gates;

/** What mbarrier instructions have in common: names and needs by their barrier's place. */
public final class MbarrierOp {
    private MbarrierOp() {
    }

    /** Barriers of other blocks came after the space that they are in. */
    static Gate gate(Space space) {
        return space == Space.SHARED_CLUSTER ? Gates.HOPPER : space.gate();
    }

    /** Nothing for the block's own shared memory as it is spelled since there are clusters. */
    public static String suffix(Space space) {
        return switch (space) {
            case SHARED_CTA -> "";
            case GENERIC -> "_generic";
            default -> space.suffix();
        };
    }
}

package dev.tilewright.ptx;

/** What the functions of mbarrier instructions are called by their barrier's place. */
final class MbarrierOp {
    private MbarrierOp() {
    }

    /** Nothing for the block's own shared memory as it is spelled since there are clusters. */
    static String suffix(Space space) {
        return switch (space) {
            case SHARED_CTA -> "";
            case GENERIC -> "_generic";
            default -> space.suffix();
        };
    }
}

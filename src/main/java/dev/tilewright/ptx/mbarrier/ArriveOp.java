package dev.tilewright.ptx.mbarrier;

/** Whether an arrival at an mbarrier counts for the current phase alone (PTX ISA, "mbarrier.arrive_drop"). */
public enum ArriveOp {
    /** For the current phase. */
    ARRIVE,
    /** For the current phase, and the later phases expect one less. */
    ARRIVE_DROP;

    /** The name in PTX. */
    public String text() {
        return this == ARRIVE ? "arrive" : "arrive_drop";
    }
}

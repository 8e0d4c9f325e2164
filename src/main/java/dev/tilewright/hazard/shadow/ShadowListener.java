package dev.tilewright.hazard.shadow;

/** Is told what is wrong with accesses. */
public interface ShadowListener {

    /**
     * Nothing orders an access after an earlier one.
     *
     * @param lane what an access of the copy engine there has to look at
     */
    void conflict(ShadowAccess before, ShadowAccess now, ByteRange bytes, int lane);
}

package dev.tilewright.reference.op;

/**
 * Which bytes of every 16 a bulk store writes ({@code .cp_mask}): bit n stands for byte n. By the documents (PTX ISA,
 * "cp.async.bulk"), not seen on hardware: sm_100 is the first that has it.
 *
 * @param bits 16 of them; those above mean nothing
 */
record ByteMask(int bits) {
    private static final int CHUNK = 16;
    private static final int ALL = 0xFFFF;

    /** Bytes that lie together. */
    @FunctionalInterface
    interface Run {
        void bytes(int first, int length);
    }

    /**
     * The runs of written bytes within each chunk; one for all where no byte is left out. @param count a multiple of 16
     */
    void runs(int count, Run run) {
        if ((bits & ALL) == ALL) {
            run.bytes(0, count);
            return;
        }
        for (int chunk = 0; chunk < count; chunk += CHUNK) {
            int left = bits & ALL;
            while (left != 0) {
                int first = Integer.numberOfTrailingZeros(left);
                int length = Integer.numberOfTrailingZeros(~(left >>> first));
                run.bytes(chunk + first, length);
                left &= -1 << first + length;
            }
        }
    }
}

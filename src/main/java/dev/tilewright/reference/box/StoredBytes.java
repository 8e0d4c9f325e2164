package dev.tilewright.reference.box;

/** Shows which bytes of a box in shared memory are inside of the tensor. */
record StoredBytes(SharedRows layout, Clip clip, int address, TensorBox.SharedStretch stretch) implements RowSink {
    /** Bytes that lie together under every swizzle, in a slice of an interleaved tensor too. */
    private static final int HALF = 8;

    @Override
    public void inside(int row, int rows, long offset, long stride) {
        int from = address + row * layout.pitch();
        for (int i = 0; i < rows; i++, from += layout.pitch()) {
            int x = layout.pattern(from);
            if (x == 0) {
                stretch.bytes(from + clip.first(), clip.end() - clip.first());
                continue;
            }
            for (int half = clip.first(); half < clip.end(); half += HALF) {
                stretch.bytes(from + half ^ x, HALF);
            }
        }
    }

    @Override
    public void outside(int row, int rows) {
        // Skipped.
    }
}

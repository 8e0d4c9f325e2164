package dev.tilewright.reference.box;

/** Finds out whether a walk reports one run of all rows and nothing else. */
final class WholeRows implements RowSink {
    private final int all;
    private boolean found;
    private long offset;
    private long stride;

    /** @param all rows that there are */
    WholeRows(int all) {
        this.all = all;
    }

    boolean found() {
        return found;
    }

    long offset() {
        return offset;
    }

    long stride() {
        return stride;
    }

    @Override
    public void inside(int row, int rows, long first, long apart) {
        found = rows == all;
        offset = first;
        stride = apart;
    }

    @Override
    public void outside(int row, int rows) {
        // Then some rows are missing among those inside.
    }
}

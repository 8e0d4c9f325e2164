package dev.tilewright.bench.report;

/**
 * An axis of a chart.
 *
 * @param title with the unit, as it stands at the axis
 * @param unit of the values, as it follows one, such as {@code GB/s}
 */
record ChartAxis(String title, String unit, Scale scale) {

    /** How values lie on an axis. */
    enum Scale {
        /** From nought, in equal steps. */
        LINEAR,
        /** Parts of something else: in equal steps, from below the least. */
        RATIO,
        /** In powers of ten. */
        DECADES,
        /** Numbers of bytes, in powers of two. */
        BYTES
    }
}

package dev.tilewright.spark;

/**
 * What becomes of rows that have a null in a column that the kernel reads, or an array with a null among its elements.
 */
public enum Nulls {
    /** The task fails, and says where the null was. */
    REFUSE,
    /** Such a row's results are null, and no kernel sees it. */
    KEEP
}

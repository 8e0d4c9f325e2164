package dev.tilewright.spark;

/**
 * What becomes of rows that have a null in a column that the kernel reads, or an array with a null among its elements.
 */
public enum Nulls {
    /** The task fails, and says where the null was. */
    REFUSE,
    /** Such a row's results are null, and no kernel sees it. */
    KEEP;

    /** The refusal of a null where nothing says what becomes of nulls. */
    public static String refusal(String column, String kernel) {
        return "column '" + column + "' has a null, and kernel '" + kernel + "' takes none: drop such rows, or say "
                + "nulls(Nulls.KEEP), and their results are null";
    }
}

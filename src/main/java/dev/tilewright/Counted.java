package dev.tilewright;

/** Numbers of things as sentences say them: {@code 1 block}, {@code 2 blocks}. */
public final class Counted {
    private Counted() { }

    /** A number, or extents, as they are written, of what has a plural in {@code s}: {@code 32 x 4 threads}. */
    public static String of(String count, String one) {
        NotNull.all("count, one", count, one);
        return count + " " + one + (count.equals("1") ? "" : "s");
    }

    /**
     * A number of things, such as {@code 1 byte} or {@code 2 bytes}.
     *
     * @param one the singular; the plural ends in s
     */
    public static String of(long count, String one) {
        return of(Long.toString(count), one);
    }
}

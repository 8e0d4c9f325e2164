package dev.tilewright.reference.box;

/**
 * Which bytes of every row of a box are in bounds along the row: from {@code first}, a multiple of 16, up to {@code
 * end}. None are where {@code first >= end}. Measured on an H200: a load cuts at the tensor's last element; a store or
 * reduction cuts at 16-byte chunks, and so also writes from there up to the next multiple of 16.
 */
record Clip(int first, int end) {

    /**
     * @param start bytes from the tensor row's start to the box row's; may be negative
     * @param limit bytes of the tensor's row that count
     */
    static Clip of(long start, long limit, int rowBytes) {
        return new Clip(Math.clamp(-start, 0, rowBytes), Math.clamp(limit - start, 0, rowBytes));
    }

    boolean isEmpty() {
        return first >= end;
    }
}

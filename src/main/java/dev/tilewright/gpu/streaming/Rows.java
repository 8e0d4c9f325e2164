package dev.tilewright.gpu.streaming;

import dev.tilewright.layout.Saturating;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The rows that a {@link Streamer} cuts into slabs, numbered from 0; each row is some bytes of every source and every
 * target. Immutable.
 *
 * {@snippet :
 * Rows.of(samples).from(HostSource.of(images), 3 * 224 * 224).to(HostTarget.of(features), 4 * 1024)
 * }
 */
public final class Rows {

    record In(HostSource source, long rowBytes) { }

    record Out(HostTarget target, long rowBytes) { }

    private final long count;
    private final long multiple;
    private final List<In> inputs;
    private final List<Out> outputs;

    private Rows(long count, long multiple, List<In> inputs, List<Out> outputs) {
        this.count = count;
        this.multiple = multiple;
        this.inputs = List.copyOf(inputs);
        this.outputs = List.copyOf(outputs);
    }

    /**
     * Rows with nothing in them yet.
     *
     * @param count of rows, at least 0
     */
    public static Rows of(long count) {
        if (count < 0) {
            throw new IllegalArgumentException("there are at least 0 rows, got " + count);
        }
        return new Rows(count, 1, List.of(), List.of());
    }

    /**
     * These rows with one more source.
     *
     * @param rowBytes how many of its bytes are in a row, at least 1
     * @throws IllegalArgumentException if it has not as many bytes as the rows take
     */
    public Rows from(HostSource source, long rowBytes) {
        Objects.requireNonNull(source, "source");
        long bytes = bytes(rowBytes);
        if (source.bytes() != bytes) {
            throw new IllegalArgumentException(count + " rows of " + rowBytes + " bytes are " + bytes
                    + " bytes, the source " + inputs.size() + " has " + source.bytes());
        }
        List<In> more = new ArrayList<>(inputs);
        more.add(new In(source, rowBytes));
        return new Rows(count, multiple, more, outputs);
    }

    /**
     * These rows with one more target.
     *
     * @param rowBytes how many of its bytes are in a row, at least 1
     * @throws IllegalArgumentException if it has not as many bytes as the rows take
     */
    public Rows to(HostTarget target, long rowBytes) {
        Objects.requireNonNull(target, "target");
        target.requireBytes(bytes(rowBytes));
        List<Out> more = new ArrayList<>(outputs);
        more.add(new Out(target, rowBytes));
        return new Rows(count, multiple, inputs, more);
    }

    /**
     * These rows, cut only before rows whose number is a multiple of {@code rows}.
     *
     * @param rows at least 1
     */
    public Rows cutAtMultiplesOf(long rows) {
        if (rows < 1) {
            throw new IllegalArgumentException("rows are cut at multiples of at least 1, got " + rows);
        }
        return new Rows(count, rows, inputs, outputs);
    }

    private long bytes(long rowBytes) {
        if (rowBytes < 1 || count > 0 && rowBytes > Long.MAX_VALUE / count) {
            throw new IllegalArgumentException("a row has at least 1 byte, and all of them less than 2^63, got " + count
                    + " rows of " + rowBytes + " bytes");
        }
        return count * rowBytes;
    }

    /** How many there are. */
    public long count() {
        return count;
    }

    List<In> inputs() {
        return inputs;
    }

    List<Out> outputs() {
        return outputs;
    }

    /** The most bytes that a row has in any one buffer. */
    long widest() {
        long in = inputs.stream().mapToLong(In::rowBytes).max().orElse(1);
        return Math.max(in, outputs.stream().mapToLong(Out::rowBytes).max().orElse(1));
    }

    /** How many rows there are in a slab of about this many bytes. */
    long perSlab(long bytes) {
        long most = Math.max(1, bytes / widest());
        long whole = Math.max(multiple, most / multiple * multiple);
        return Math.max(1, Math.min(whole, count));
    }

    /** All bytes that go to GPUs. */
    long bytesIn() {
        return inputs.stream().mapToLong(in -> count * in.rowBytes()).reduce(0, Saturating::add);
    }

    /** All bytes that come back. */
    long bytesOut() {
        return outputs.stream().mapToLong(out -> count * out.rowBytes()).reduce(0, Saturating::add);
    }

    /** {@code 1000 rows of 2 sources and 1 targets}. */
    @Override
    public String toString() {
        return count + " rows of " + inputs.size() + " sources and " + outputs.size() + " targets";
    }
}

package dev.tilewright.verify;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Saturating;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One buffer of a case's launch.
 *
 * @param name what messages call it
 * @param shape its dimensions in elements, outermost first: where messages say that a byte is
 * @param contents writes what it holds before the launch, every byte, the same each time; without it every byte is
 *         poison
 * @param compared whether each byte of it is compared after the launch, and those behind its end must not have been
 *         written
 */
public record CaseBuffer(String name, ElementType type, List<Long> shape, Optional<Consumer<MemorySegment>> contents,
        boolean compared) {

    public CaseBuffer {
        shape = List.copyOf(shape);
    }

    /** What the kernel reads and leaves alone. */
    public static CaseBuffer input(String name, ElementType type, List<Long> shape, Consumer<MemorySegment> contents) {
        return new CaseBuffer(name, type, shape, Optional.of(contents), false);
    }

    /** What the kernel writes, every byte of it. */
    public static CaseBuffer result(String name, ElementType type, List<Long> shape) {
        return new CaseBuffer(name, type, shape, Optional.empty(), true);
    }

    /** What the kernel changes: it may read it, and need not write all of it. */
    public static CaseBuffer changed(String name, ElementType type, List<Long> shape,
            Consumer<MemorySegment> contents) {
        return new CaseBuffer(name, type, shape, Optional.of(contents), true);
    }

    /** What the kernel uses for itself. */
    public static CaseBuffer workspace(long bytes) {
        return new CaseBuffer("workspace", ElementType.U8, List.of(bytes), Optional.empty(), false);
    }

    /** Its size in bytes; the largest number where it is more. */
    public long bytes() {
        return shape.stream().reduce((long) type.bytes(), Saturating::multiply);
    }
}

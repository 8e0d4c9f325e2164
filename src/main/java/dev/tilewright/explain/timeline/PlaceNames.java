package dev.tilewright.explain.timeline;

import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.observe.ExecutionObserver.Allocation;
import java.util.List;
import java.util.Map;

/** What a program calls its memory: regions of shared memory, and arrays of global memory. */
final class PlaceNames {
    private final SharedLayout shared;
    private final Map<String, Integer> offsets;
    private List<Allocation> pieces = List.of();

    PlaceNames(SharedLayout shared) {
        this.shared = shared;
        this.offsets = shared.offsets();
    }

    /** Takes the pieces of global memory that a run was given. */
    void starts(List<Allocation> given) {
        pieces = given;
    }

    /** {@code full[1]}, {@code ring+4096 of block 1}. */
    String place(int block, int owner, int address) {
        String of = owner == block ? "" : " of block " + owner;
        for (SharedRegion region : shared.regions()) {
            int offset = address - offsets.get(region.name());
            if (offset >= 0 && offset < region.bytes()) {
                return (region instanceof SharedRegion.Barriers b ? b.name()
                        + (b.count() == 1 ? "" : "[" + offset / (b.bytes() / b.count()) + "]")
                        : within(region.name(), offset)) + of;
            }
        }
        return within("shared", address) + of;
    }

    /** {@code x+128}. */
    String place(int piece, long offset) {
        Allocation allocation = pieces.get(piece);
        return allocation.parts().stream().filter(p -> offset >= p.offset() && offset - p.offset() < p.bytes())
                .findFirst().map(p -> within(p.name(), offset - p.offset()))
                .orElseGet(() -> within(allocation.name(), offset));
    }

    private static String within(String name, long offset) {
        return offset == 0 ? name : name + "+" + offset;
    }
}

package dev.tilewright.reference.state;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Segments of memory that overlap belong to one allocation, of which they are parts: what is written through one is
 * read through another.
 */
final class Allocations {
    private final List<Group> groups = new ArrayList<>();

    /** Segments that overlap, or are connected by others that do. */
    static final class Group {
        private final List<MemorySegment> parts = new ArrayList<>();

        private Group(MemorySegment first) {
            parts.add(first);
        }

        private boolean touches(MemorySegment segment) {
            return parts.stream().anyMatch(p -> p.equals(segment) || p.asOverlappingSlice(segment).isPresent());
        }

        /** Bytes from the first byte of all to the segment's. */
        long offset(MemorySegment segment) {
            return segment.address() - parts.stream().mapToLong(MemorySegment::address).min().orElseThrow();
        }

        /** From the first byte of all to the last. */
        long bytes() {
            return parts.stream().mapToLong(p -> offset(p) + p.byteSize()).max().orElseThrow();
        }

        boolean has(MemorySegment segment) {
            return parts.contains(segment);
        }
    }

    /** In the order of the first part of each. */
    Allocations(List<MemorySegment> segments) {
        for (MemorySegment segment : segments) {
            List<Group> touched = groups.stream().filter(g -> g.touches(segment)).toList();
            if (touched.isEmpty()) {
                groups.add(new Group(segment));
                continue;
            }
            Group first = touched.getFirst();
            first.parts.add(segment);
            for (Group other : touched.subList(1, touched.size())) {
                first.parts.addAll(other.parts);
                groups.remove(other);
            }
        }
    }

    List<Group> all() {
        return groups;
    }
}

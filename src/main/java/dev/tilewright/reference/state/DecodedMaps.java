package dev.tilewright.reference.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The tensor maps in global memory that a block has used, each as its 128 bytes were when it was used last. A copy
 * takes the map as its bytes are when it starts; whether anything makes sure that these are the bytes meant is for
 * those to say who watch the run ({@link dev.tilewright.reference.observe.ExecutionObserver}).
 */
public final class DecodedMaps {
    private static final int MAP_BYTES = 128;

    /** A place for a map in global memory. @param name the pointer that the program names it by */
    public record Place(String name, MemorySegment memory, long offset) {
        public static Place of(ResolvedAddress.InGlobal at) {
            return new Place(at.memory().name(), at.memory().segment(), at.offset());
        }

        byte[] bytes() {
            return memory.asSlice(offset, MAP_BYTES).toArray(ValueLayout.JAVA_BYTE);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place p && memory.equals(p.memory) && offset == p.offset;
        }

        @Override
        public int hashCode() {
            return 31 * memory.hashCode() + Long.hashCode(offset);
        }

        @Override
        public String toString() {
            return "byte " + offset + " of '" + name + "'";
        }
    }

    private record Decoded(byte[] bytes, BoundTensor tensor) { }

    private final Map<Place, Decoded> maps = new HashMap<>();

    /** Forgets everything: another block starts. */
    void restart() {
        if (!maps.isEmpty()) {
            maps.clear();
        }
    }

    /** The tensor behind a map as it is now. @param read reads it, where it is not as it was */
    public BoundTensor use(Place place, Function<Place, BoundTensor> read) {
        byte[] bytes = place.bytes();
        Decoded known = maps.get(place);
        if (known == null || !Arrays.equals(known.bytes, bytes)) {
            known = new Decoded(bytes, read.apply(place));
            maps.put(place, known);
        }
        return known.tensor;
    }
}

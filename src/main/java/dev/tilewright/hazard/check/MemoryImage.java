package dev.tilewright.hazard.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** A copy of the writable memory at some time. */
record MemoryImage(List<byte[]> bytes) {

    static MemoryImage of(List<MemorySegment> memory) {
        return new MemoryImage(memory.stream()
                .map(m -> m.isReadOnly() ? new byte[0] : m.toArray(ValueLayout.JAVA_BYTE)).toList());
    }

    /** Makes the same memory hold that again. */
    void putBack(List<MemorySegment> memory) {
        for (int i = 0; i < memory.size(); i++) {
            if (!memory.get(i).isReadOnly()) {
                memory.get(i).copyFrom(MemorySegment.ofArray(bytes.get(i)));
            }
        }
    }
}

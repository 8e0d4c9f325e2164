package dev.tilewright.verify;

import dev.tilewright.recording.RecordingsWindow;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory that interleaved loads were recorded on: 64 MiB of noise with the data window in the middle, because their
 * tensors reach far beyond it.
 */
final class PatternRegion {
    private static final int BYTES = 64 << 20;
    private static final int WINDOW = 32 << 20;
    private static final long FIRST_WORD = 0xABCDEF0000L;

    private final byte[] bytes = new byte[BYTES];

    PatternRegion() {
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (long j = 0; words.hasRemaining(); j++) {
            words.putLong(RecordingsWindow.splitmix64(FIRST_WORD + j));
        }
    }

    /** The memory from this byte of the window on, with these bytes as the window. */
    MemorySegment from(byte[] window, long address) {
        System.arraycopy(window, 0, bytes, WINDOW, window.length);
        return MemorySegment.ofArray(bytes).asReadOnly().asSlice(WINDOW + address);
    }
}

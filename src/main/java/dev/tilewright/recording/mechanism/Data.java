package dev.tilewright.recording.mechanism;

import dev.tilewright.recording.RecordingsWindow;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What memory holds before: bytes by a seed, as {@link RecordingsWindow} describes them. */
final class Data {
    /** Windows that are kept, of 1 MiB each. */
    private static final int KEPT = 16;
    private static final Map<Long, byte[]> WINDOWS = Collections.synchronizedMap(
            new LinkedHashMap<>(KEPT, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, byte[]> eldest) {
            return size() > KEPT;
        }
    });

    private Data() { }

    /** The array of a seed: one object for all callers while it is used. */
    static byte[] window(long seed) {
        return WINDOWS.computeIfAbsent(seed, s -> RecordingsWindow.bytes(s, RecordingsWindow.BYTES));
    }

    /** Random words, special floats among them. @param size bytes, a multiple of 8 */
    static byte[] bytes(long seed, int size) {
        return RecordingsWindow.bytes(seed, size);
    }

    static byte[] words(int... words) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * words.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int word : words) {
            buffer.putInt(word);
        }
        return buffer.array();
    }

    static byte[] joined(byte[]... parts) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}

package dev.tilewright.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies between a device and a file that is mapped into memory, by way of a buffer. The driver itself must not touch
 * such memory: where the file has been cut short, or its disk fails, the process would end inside native code, while a
 * copy of the JVM's ends in an {@link InternalError}.
 */
final class MappedPieces {

    /** Bytes copied at once. */
    private static final long PIECE = 32L << 20;

    private MappedPieces() {
    }

    /** A copy between the device and a buffer that holds the bytes of the file from this offset on. */
    interface Copy {
        void of(long at, MemorySegment piece);
    }

    /** @param copy takes each piece to the device */
    static void upload(MemorySegment file, Copy copy) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(Math.min(PIECE, file.byteSize()), 64);
            for (long at = 0; at < file.byteSize(); at += PIECE) {
                MemorySegment piece = buffer.asSlice(0, Math.min(PIECE, file.byteSize() - at));
                MemorySegment.copy(file, at, piece, 0, piece.byteSize());
                copy.of(at, piece);
            }
        }
    }

    /** @param copy fills each piece from the device */
    static void download(MemorySegment file, Copy copy) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(Math.min(PIECE, file.byteSize()), 64);
            for (long at = 0; at < file.byteSize(); at += PIECE) {
                MemorySegment piece = buffer.asSlice(0, Math.min(PIECE, file.byteSize() - at));
                copy.of(at, piece);
                MemorySegment.copy(piece, 0, file, at, piece.byteSize());
            }
        }
    }
}

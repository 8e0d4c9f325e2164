package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.TiledTensorMap;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tensor of more than 2^31 elements and 8 GiB, in a file with holes. */
class LargeTensorTest {
    private static final long ROWS = 1 << 21;
    private static final long COLUMNS = 2048;
    private static final TiledTensorMap MAP = TiledTensorMap.denseInnermostFirst(
            TensorDataType.UINT16, List.of(COLUMNS, ROWS), List.of(64, 32), Swizzle.B128);

    @Test
    void theLastBoxIsStoredAndLoaded(@TempDir Path folder) throws IOException {
        TensorBox box = TensorBox.tile(MAP);
        int[] last = {(int) COLUMNS - 64, (int) ROWS - 32};
        byte[] shared = TestData.bytes(box.sharedBytes(), 1);
        try (Arena arena = Arena.ofConfined(); FileChannel file = FileChannel.open(folder.resolve("tensor"),
                StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE)) {
            MemorySegment tensor = file.map(FileChannel.MapMode.READ_WRITE, 0, ROWS * COLUMNS * 2, arena);
            box.store(tensor, last, shared, 0);
            byte[] back = new byte[shared.length];
            box.load(tensor, last, back, 0);
            assertArrayEquals(shared, back);
            assertEquals(shared[0], tensor.get(ValueLayout.JAVA_BYTE, ((ROWS - 32) * COLUMNS + COLUMNS - 64) * 2));
            MemorySegment shorter = tensor.asSlice(0, tensor.byteSize() - 1);
            assertEquals("the box at coordinates [1984, 2097120] reads its row at [1984, 2097151]: bytes 8589934464 to "
                    + "8589934591 of a tensor whose memory has 8589934591 bytes",
                    assertThrows(IllegalArgumentException.class, () -> box.load(shorter, last, back, 0)).getMessage());
        }
    }

    @Test
    void anOffsetBeyond64BitsWraps() {
        TiledTensorMap map = new TiledTensorMap(MAP.type(), List.of(64L, 1L << 32), List.of((1L << 40) - 16),
                List.of(64, 1), MAP.elementStrides(), MAP.interleave(), MAP.swizzle(), MAP.l2Promotion(), MAP.fill());
        TensorBox box = TensorBox.tile(map);
        assertEquals("the box at coordinates [0, 2147483647] reads its row at [0, 2147483647]: bytes -1133871366128 to "
                + "-1133871366001 of a tensor whose memory has 128 bytes",
                        assertThrows(IllegalArgumentException.class, () -> box.load(
                MemorySegment.ofArray(new byte[128]), new int[] {0, Integer.MAX_VALUE}, new byte[128],
                        0)).getMessage());
    }
}

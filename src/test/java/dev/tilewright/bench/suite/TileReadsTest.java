package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kernel that only reads reads every word, once, and has no hazard. */
class TileReadsTest {

    @ParameterizedTest
    @CsvSource({"1024, 2, 64, 3", "2048, 1, 32, 2", "4096, 3, 128, 40", "512, 4, 32, 1"})
    void everyWordIsRead(int tileBytes, int stages, int workers, int blocks) {
        TileReads reads = new TileReads(tileBytes, stages, workers);
        Launch launch = reads.launch(tileBytes * 13L, blocks);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(tileBytes * 13L, 128);
            SplittableRandom random = new SplittableRandom(blocks);
            int all = 0;
            for (long at = 0; at < source.byteSize(); at += 4) {
                int word = random.nextInt();
                source.set(ValueLayout.JAVA_INT, at, word);
                all ^= word;
            }
            MemorySegment result = arena.allocate(reads.resultBytes(launch), 128);
            Reference.run(launch, List.of(source, result));
            for (long at = 0; at < result.byteSize(); at += 4) {
                all ^= result.get(ValueLayout.JAVA_INT, at);
            }
            assertEquals(0, all);
            assertEquals(List.of(), HazardCheck.check(launch, List.of(source, result)).findings());
        }
    }

    @Test
    void whatIsRefused() {
        assertEquals("whole warps read tiles, 16 bytes a thread and turn, got tiles of 1000 bytes for 32 threads",
                assertThrows(IllegalArgumentException.class, () -> new TileReads(1000, 2, 32)).getMessage());
        assertEquals("the array is whole tiles of 512 bytes, got 513",
                assertThrows(IllegalArgumentException.class, () -> new TileReads(512, 2, 32).launch(513, 1))
                .getMessage());
    }
}

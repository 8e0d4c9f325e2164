package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.ptx.Multiprocessor.Limit;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Blocks by threads, registers and shared memory, by hand from cuda_occupancy.h of CUDA 13.0. */
class MultiprocessorTest {
    private static final Multiprocessor HOPPER = Multiprocessor.of(Target.SM_90A).orElseThrow();

    @Test
    void eachLimit() {
        // 168 registers: 5,376 of a warp, 3 warps in each of 4 partitions; 65,568 + 1,024 bytes are 66,688 in steps of
        // 128.
        assertEquals(Map.of(Limit.BLOCKS, 32, Limit.THREADS, 5, Limit.REGISTERS, 1, Limit.SHARED_MEMORY, 3),
                HOPPER.allowed(384, 168, 65_568));
        assertEquals(Map.of(Limit.BLOCKS, 32, Limit.THREADS, 8, Limit.SHARED_MEMORY, 228), HOPPER.allowed(225, 0, 0));
        // What a block takes is counted as if its warps came in fours: 12 for 9.
        assertEquals(0, HOPPER.allowed(288, 255, 0).get(Limit.REGISTERS));
        assertEquals(1, HOPPER.allowed(256, 255, 0).get(Limit.REGISTERS));
        assertEquals(1, HOPPER.allowed(32, 32, 227 << 10).get(Limit.SHARED_MEMORY));
        assertEquals(2, HOPPER.allowed(32, 32, 113 << 10).get(Limit.SHARED_MEMORY));
    }

    @Test
    void ofTargets() {
        assertEquals(Optional.of(new Multiprocessor(24, 1536, 100 << 10)), Multiprocessor.of(Target.SM_120A));
        assertEquals(Optional.of(new Multiprocessor(24, 1536, 228 << 10)), Multiprocessor.of(Target.SM_110A));
        assertEquals(Optional.of(new Multiprocessor(16, 1536, 100 << 10)), Multiprocessor.of(Target.of(8, 8)));
        assertEquals(Optional.empty(), Multiprocessor.of(Target.of(7, 5)));
        // A block that has all it can takes the whole of a multiprocessor: the same facts as of the block.
        for (int capability = 80; capability <= 130; capability++) {
            Target target = Target.of(capability / 10, capability % 10);
            assertEquals(target.sharedMemoryPerBlock().isPresent(), Multiprocessor.of(target).isPresent(),
                    target.toString());
            if (target.sharedMemoryPerBlock().isEmpty()) {
                continue;
            }
            int most = target.sharedMemoryPerBlock().getAsInt();
            Multiprocessor whole = Multiprocessor.of(target).orElseThrow();
            assertEquals(1, whole.allowed(32, 0, most).get(Limit.SHARED_MEMORY), target.toString());
            assertEquals(whole.sharedBytes(), most + 1024, target.toString());
        }
    }
}

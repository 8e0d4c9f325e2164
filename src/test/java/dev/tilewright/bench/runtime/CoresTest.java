package dev.tilewright.bench.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Threads held on cores. */
class CoresTest {

    @Test
    void aThreadIsHeldAndOthersAreNot() {
        List<Integer> before = Cores.allowed();
        assertFalse(before.isEmpty());
        for (int core : before) {
            List<Integer> inside = new ArrayList<>();
            ConcurrentRun.run(1, () -> { }, _ -> {
                Cores.pin(core);
                inside.addAll(Cores.allowed());
            });
            assertEquals(List.of(core), inside);
        }
        assertEquals(before, Cores.allowed());
    }

    @Test
    void aCoreThatIsNotThereIsRefused() {
        assertThrows(IllegalStateException.class, () -> Cores.pin(1023));
    }
}

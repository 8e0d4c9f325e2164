package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The GPU that ours are measured on comes first, and the others stay. */
class VisibleGpusTest {

    @Test
    void theChosenOneComesFirst() {
        assertEquals(Optional.of("5,7,3"), VisibleGpus.first(1, Optional.of("7, 5,3")));
        assertEquals(Optional.empty(), VisibleGpus.first(0, Optional.of("7,5")));
        assertEquals(Optional.empty(), VisibleGpus.first(2, Optional.of("7,5")));
        String all = VisibleGpus.first(2, Optional.empty()).orElseThrow();
        assertTrue(all.startsWith("2,0,1,3,4,"), all);
        ProcessBuilder builder = new ProcessBuilder("true");
        builder.environment().put(VisibleGpus.VARIABLE, "GPU-a,GPU-b");
        VisibleGpus.choose(1, builder);
        assertEquals("GPU-b,GPU-a", builder.environment().get(VisibleGpus.VARIABLE));
    }
}

package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What ptxas says with {@code -v}, read. */
class KernelResourcesTest {
    @Test
    void aLog() {
        List<String> remarks = List.of("ptxas info : (C7508) ignored");
        assertEquals(Optional.of(new KernelResources(168, 24, 16, 12, remarks)), KernelResources.parse("""
                ptxas info    : 0 bytes gmem
                ptxas info    : Compiling entry function 'k' for 'sm_90a'
                ptxas info    : Function properties for k
                    24 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads
                ptxas info    : Used 168 registers, used 1 barriers, 128 bytes smem
                """, remarks));
        assertEquals(Optional.empty(), KernelResources.parse("", remarks));
    }
}

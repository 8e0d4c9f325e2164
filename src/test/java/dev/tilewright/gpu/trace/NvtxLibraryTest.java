package dev.tilewright.gpu.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.Nvtx;
import dev.tilewright.gpu.host.NativeLibrary;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranges for NVIDIA's tools, against a library that notes them, and without one. */
class NvtxLibraryTest {
    private static final String SOURCE = """
            #include <string.h>
            static char last[64];
            static unsigned long long ended;
            unsigned long long nvtxRangeStartA(const char *name) { strncpy(last, name, 63); return 4711; }
            void nvtxRangeEnd(unsigned long long range) { ended += range; }
            const char *lastName(void) { return last; }
            unsigned long long endedRanges(void) { return ended; }
            """;

    @Test
    void withoutALibraryThereIsNone() {
        assertTrue(NvtxLibrary.find(List.of("libnvtx-that-is-nowhere.so.1", "libc.so.6")).isEmpty());
    }

    @Test
    void aRangeWithoutALibraryDoesNothing() {
        Assumptions.assumeFalse(Nvtx.available(), "this machine has NVTX");
        Nvtx.Range range = Nvtx.range("nothing");
        range.close();
        range.close();
    }

    @Test
    void aRangeReachesTheLibrary(@TempDir Path folder) throws Throwable {
        Path file = compiled(folder);
        NvtxLibrary nvtx = NvtxLibrary.find(List.of("libnvtx-that-is-nowhere.so.1", file.toString())).orElseThrow();
        NativeLibrary library = NativeLibrary.open(file.toString());
        MethodHandle name = library.function("lastName", FunctionDescriptor.of(ValueLayout.ADDRESS)).orElseThrow();
        MethodHandle ended = library.function("endedRanges", FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                .orElseThrow();
        boolean[] closed = {false};
        try (RangeSpan _ = new RangeSpan(nvtx, "kernel 'a' für x", () -> closed[0] = true)) {
            assertEquals("kernel 'a' für x", NativeLibrary.text((MemorySegment) name.invokeExact()));
            assertEquals(0L, (long) ended.invokeExact());
        }
        assertEquals(4711L, (long) ended.invokeExact());
        assertTrue(closed[0]);
    }

    private static Path compiled(Path folder) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("nvtx.c"), SOURCE);
        Path library = folder.resolve("libnvtx.so");
        try {
            Process compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                    .redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start();
            assertEquals(0, compiler.waitFor(), () -> "cc: " + folder);
        } catch (IOException e) {
            Assumptions.abort("no C compiler: " + e.getMessage());
        }
        return library;
    }
}

package dev.tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.Devices;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every listing of docs/gpu.md compiles, and runs on emulated GPUs, and prints what the guide says. */
@Isolated("what a listing prints goes to System.out")
class GpuGuideTest {
    @TempDir
    static Path classes;

    @TempDir
    Path folder;

    static List<GpuGuide.Listing> listings() {
        return GpuGuide.listings();
    }

    @BeforeAll
    static void compile() {
        Map<String, String> sources = new LinkedHashMap<>();
        listings().forEach(listing -> assertNull(sources.put(listing.name(), listing.source()),
                listing.name() + " is there twice"));
        new SourceFolder(classes).compile(sources);
    }

    @Test
    void nothingIsLeftOut() {
        long all = GpuGuide.text().split("```java", -1).length - 1;
        // One says what the others import.
        long excerpts = all - listings().size() - 1;
        assertTrue(excerpts >= 1 && excerpts <= 2, excerpts + " of " + all + " listings are excerpts of examples");
    }

    @ParameterizedTest
    @MethodSource("listings")
    void runs(GpuGuide.Listing listing) throws Exception {
        Assumptions.assumeTrue(Devices.probe().list().isEmpty() || !listing.program(), "would take the real GPU");
        PrintStream out = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        MissingRequirementException missing = null;
        try (URLClassLoader loader = new SourceFolder(classes).loader()) {
            run(loader.loadClass(listing.name()), listing.program());
        } catch (MissingRequirementException e) {
            missing = e;
        } finally {
            System.setOut(out);
        }
        if (listing.needsGpu()) {
            assertNotNull(missing, "it is said to need a GPU, and does not");
            assertTrue(missing.getMessage().contains("needs a GPU"), missing::getMessage);
        } else {
            assertNull(missing, () -> "it is not said to need a GPU");
            assertEquals(listing.prints(), bytes.toString(StandardCharsets.UTF_8));
        }
    }

    private void run(Class<?> listed, boolean program) throws Exception {
        if (program) {
            var main = listed.getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            try {
                main.invoke(null, (Object) new String[0]);
            } catch (InvocationTargetException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
            return;
        }
        List<Gpu> gpus = Gpu.emulated(2);
        try {
            var made = listed.getDeclaredConstructor();
            made.setAccessible(true);
            ((GpuGuide.Fragment) made.newInstance()).run(gpus.getFirst(), gpus, GpuGuide.scale(), GpuGuide.numbers(),
                    Files.createDirectories(folder.resolve("files")));
        } finally {
            gpus.forEach(Gpu::close);
        }
    }
}

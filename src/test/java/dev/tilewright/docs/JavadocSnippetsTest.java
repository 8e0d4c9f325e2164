package dev.tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java in the comments of the runtime compiles, where the names are known that its readers are told of or can
 * guess.
 */
class JavadocSnippetsTest {
    private static final List<String> ROOMS = List.of("gpu", "gpu/streaming", "junit");
    private static final Pattern BEGIN = Pattern.compile("\\{@snippet(?: lang=java)? :\\n");

    /** What a snippet finds there, by its class. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("Gpu", "float[] array, long rows, long columns"),
            Map.entry("Buffer", "Gpu gpu"),
            Map.entry("Stream", "Gpu gpu, Stream stream, PinnedMemory input, PinnedMemory output, PinnedMemory pinned, "
                    + "PinnedMemory result, Buffer<float[]> in, Buffer<float[]> out, Buffer<float[]> x, "
                    + "Buffer<float[]> y, "
                    + "KernelLaunch launch, KernelLaunch scale"),
            Map.entry("Graph", "Kernel kernel, Stream stream, int blocks, PinnedMemory pinned, PinnedMemory result, "
                    + "Buffer<float[]> in, Buffer<float[]> out"),
            Map.entry("Nvtx", "Graph graph, Stream stream"),
            Map.entry("CudaFunction", "String source, List<Parameter> parameters"),
            Map.entry("Kernel", "Gpu gpu, ElementwiseKernel scale, Kernel kernel, Buffer<float[]> from, "
            + "Buffer<float[]> to, long rows, long columns"),
            Map.entry("ArrayKernel", "dev.tilewright.program.array.KernelTemplate GEMM, short[] a, short[] b, "
                    + "short[] c, long m, long n, long k"),
            Map.entry("KernelLaunch", "Kernel kernel, int blocks, Buffer<float[]> x, Buffer<float[]> y, int n, Stream "
            + "stream"), Map.entry("JCudaInterop", "jcuda.driver.CUcontext context, jcuda.driver.CUdeviceptr pointer, "
                    + "jcuda.driver.CUstream stream, KernelLaunch launch, Buffer<float[]> result, jcuda.Pointer to, "
                    + "long bytes"),
            Map.entry("Streamer", "Gpu gpu, dev.tilewright.Progress bar, long rows, long columns, MemorySegment input, "
                    + "MemorySegment output"),
            Map.entry("Rows", "long samples, MemorySegment images, MemorySegment features"),
            Map.entry("SlabWork", "Kernel kernel, int blocks"),
            Map.entry("HostArray", "float[] matrix, MemorySegment mapped"),
            Map.entry("StreamedLaunch", "Gpu gpu, float[] x, float[] y, long rows, long columns"),
            Map.entry("GpuAssertions", "float[] matrix, Gpu gpu, float[] x"),
            Map.entry("AuditAssertions", "TileKernel gemm, float[] a, float[] b, float[] c, long rows"),
            Map.entry("HazardFree", "ElementwiseKernel kernel"),
            Map.entry("KernelRecording", ""),
            Map.entry("VerifiedCase", ""),
            Map.entry("RequiresGpu", ""));

    private static final String SOURCE = """
            import dev.tilewright.builder.*;
            import dev.tilewright.gpu.*;
            import dev.tilewright.gpu.compile.*;
            import dev.tilewright.gpu.device.*;
            import dev.tilewright.gpu.streaming.*;
            import dev.tilewright.junit.*;
            import dev.tilewright.layout.*;
            import dev.tilewright.program.*;
            import dev.tilewright.program.expression.*;
            import dev.tilewright.program.value.ValueType;
            import dev.tilewright.ptx.Target;
            import dev.tilewright.tile.TileKernel;
            import dev.tilewright.tile.kernel.*;
            import java.lang.foreign.*;
            import java.nio.file.Path;
            import java.util.*;
            import java.util.concurrent.*;
            import jcuda.driver.JCudaDriver;
            import org.junit.jupiter.api.Test;

            @SuppressWarnings("unused")
            class %s {
            %s
            }
            """;

    @TempDir
    Path folder;

    @Test
    void theyCompile() {
        Map<String, String> sources = new LinkedHashMap<>();
        TreeSet<String> unknown = new TreeSet<>();
        for (String room : ROOMS) {
            for (Path file : files(room)) {
                List<String> snippets = snippets(file);
                String of = file.getFileName().toString().replace(".java", "");
                if (!snippets.isEmpty() && !NAMES.containsKey(of)) {
                    unknown.add(of);
                    continue;
                }
                for (String snippet : snippets) {
                    String name = of + "Snippet" + sources.size();
                    sources.put(name, SOURCE.formatted(name, member(snippet, NAMES.get(of))));
                }
            }
        }
        assertEquals(List.of(), List.copyOf(unknown), "say what their snippets find there");
        assertFalse(sources.size() < 8, "only " + sources.keySet());
        new SourceFolder(folder).compile(sources);
    }

    /** A test, an expression, or statements. */
    private static String member(String snippet, String names) {
        if (snippet.contains("@Test")) {
            return names.isEmpty() ? snippet.replace("{ ... }", "{ }")
                    : "    " + String.join(";\n", names.split(", ")) + ";\n" + snippet;
        }
        boolean statements = snippet.endsWith(";") || snippet.endsWith("}");
        return "    void snippet(" + names + ") throws Exception {\n" + (statements ? snippet : snippet + ";")
                + "\n    }";
    }

    private static List<Path> files(String room) {
        Path folder = GpuGuide.ROOT.resolve("src/main/java/dev/tilewright").resolve(room);
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(".java")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> snippets(Path file) {
        List<String> found = new ArrayList<>();
        try {
            String text = Files.readString(file);
            for (MatchResult r : BEGIN.matcher(text).results().toList()) {
                int end = r.end();
                // Braces are balanced, as Javadoc demands.
                for (int open = 1; open > 0; end++) {
                    open += text.charAt(end) == '{' ? 1 : text.charAt(end) == '}' ? -1 : 0;
                }
                found.add(text.substring(r.end(), end - 1).lines().map(l -> l.replaceFirst("^ *\\* ?", ""))
                        .collect(Collectors.joining("\n")).strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}

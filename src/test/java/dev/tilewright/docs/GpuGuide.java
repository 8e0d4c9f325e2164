package dev.tilewright.docs;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.ElementStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The listings of docs/gpu.md. A listing is a whole program, or statements that stand where the names of
 * {@link Fragment} are known, or an excerpt of an example, which is compiled and run where it stands. What follows as
 * text is what it prints.
 */
public final class GpuGuide {
    static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));

    private static final Pattern LISTING =
            Pattern.compile("(<!-- needs a GPU -->\n)?```java\n(.*?)```\n(?:\n```text\n(.*?)```)?", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);

    private static final String FRAGMENT = """
            %s
            final class %s implements dev.tilewright.docs.GpuGuide.Fragment {
                @Override
                public void run(Gpu gpu, List<Gpu> gpus, ElementwiseKernel scale, float[] numbers, Path folder) throws \
            Exception {
            %s    }
            }
            """;

    /** Statements of the guide, with what they may use. */
    public interface Fragment {
        /**
         * @param gpu a GPU
         * @param gpus two of them, or one
         * @param scale times a number, of matrices
         * @param numbers 64,000 of them: 0, 1, 2, ...
         * @param folder for files
         */
        void run(Gpu gpu, List<Gpu> gpus, ElementwiseKernel scale, float[] numbers, Path folder) throws Exception;
    }

    /**
     * @param line where it begins. @param name the class's @param source the whole class @param needsGpu whether it
     *         says so
     */
    record Listing(int line, String name, String text, String source, boolean program, String prints,
            boolean needsGpu) {
        @Override
        public String toString() {
            return "line " + line;
        }
    }

    private GpuGuide() {
    }

    public static ElementwiseKernel scale() {
        return TensorCopy.of(ElementType.F32).tile(64, 32).swizzle(Swizzle.B128).step(ElementStep.SCALE).build();
    }

    public static float[] numbers() {
        float[] numbers = new float[64_000];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i;
        }
        return numbers;
    }

    static String text() {
        try {
            return Files.readString(ROOT.resolve("docs/gpu.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the guide says that its fragments import: the listing that is nothing else. */
    static String imports() {
        return LISTING.matcher(text()).results().map(r -> r.group(2)).filter(GpuGuide::isImports).findFirst()
                .orElseThrow(() -> new AssertionError("the guide does not say what its listings import"));
    }

    private static boolean isImports(String text) {
        return text.lines().allMatch(line -> line.startsWith("import "));
    }

    /** All that are neither excerpts nor imports. */
    static List<Listing> listings() {
        String guide = text();
        String imports = imports();
        String examples = examples();
        List<Listing> listings = new ArrayList<>();
        for (MatchResult r : LISTING.matcher(guide).results().toList()) {
            int line = (int) guide.substring(0, r.start(2)).lines().count();
            String text = r.group(2);
            if (isImports(text) || examples.contains(withoutIndentation(text))) {
                continue;
            }
            String prints = r.group(3) == null ? "" : r.group(3);
            var program = CLASS.matcher(text);
            listings.add(program.find() ? new Listing(line, program.group(1), text, text, true, prints,
                    r.group(1) != null)
                    : new Listing(line, "Line" + line, text, FRAGMENT.formatted(imports, "Line" + line, text), false,
                    prints,
                            r.group(1) != null));
        }
        return listings;
    }

    private static String withoutIndentation(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n", "", "\n"));
    }

    /** The sources of the examples. */
    private static String examples() {
        StringBuilder all = new StringBuilder();
        try (var files = Files.list(ROOT.resolve("src/test/java/dev/tilewright/examples"))) {
            for (Path file : files.sorted().toList()) {
                all.append(withoutIndentation(Files.readString(file)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toString();
    }
}

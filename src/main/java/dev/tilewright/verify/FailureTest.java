package dev.tilewright.verify;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.io.AtomicFile;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.lang3.StringUtils;

/**
 * Writes a failed case as a JUnit test that stands alone, for a project's own tests: it passes once the case is right.
 * The kernel's CUDA C++ is put beside it, to be read.
 *
 * @param folder where they go; it is made if it is not there
 */
public record FailureTest(Path folder) {
    private static final int WIDTH = 100;

    /**
     * Writes the test of one case.
     *
     * @param found the line of the case that failed first
     * @return the Java file
     * @throws dev.tilewright.BadRequestException if it cannot be written
     */
    public Path write(Shrink.Failure failure, CaseLine found) {
        VerifyCase failed = failure.failed();
        String name = name(failed);
        Path file = folder.resolve(name + ".java");
        try {
            Files.createDirectories(folder);
            CaseFile.write(folder, found.toString());
            AtomicFile.write(file, source(name, failed, failure.complaint(), found).getBytes(StandardCharsets.UTF_8));
            AtomicFile.write(folder.resolve(name + ".cu"),
                    CudaEmitter.emit(failed.work().launch().program()).text().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw FileProblem.of("write", file, e);
        }
        return file;
    }

    /** One that depends on the case alone: who writes it again writes the same file. */
    static String name(VerifyCase failed) {
        return CaseFile.stem(failed.line().toString()) + "Test";
    }

    private static String source(String name, VerifyCase failed, String complaint, CaseLine found) {
        return """
                import dev.tilewright.junit.RequiresGpu;
                import dev.tilewright.junit.VerifiedCase;
                import org.junit.jupiter.api.Test;

                /**
                 * A case of 'tilewright verify' that went wrong: %s
                 *
                 * <p>It was found with:
                 * %s
                 */
                class %s {
                    private static final String CASE =
                            %s;

                    @Test
                    @RequiresGpu(minimum = "%s")
                    void leavesTheReferencesBytes() {
                        VerifiedCase.of(CASE).assertMatches();
                    }
                }
                """.formatted(comment(complaint), comment(named(found)), name, literal(failed.line().toString()),
                failed.work().launch().program().minimumTarget());
    }

    private static String named(CaseLine found) {
        String line = found.toString();
        return line.length() <= CaseFile.LONG ? line : "--case @" + CaseFile.name(line) + ", the file beside this one";
    }

    /** In one paragraph, with nothing that ends a comment or is read as code. */
    private static String comment(String text) {
        String safe = text.replaceAll("[\\p{Cntrl}\\s]+", " ").replace("*/", "* /").replace("\\", "\\\\")
                .replace("&", "&amp;")
                .replace("<", "&lt;").replace("@", "&#64;");
        return String.join("\n * ", StringUtils.abbreviate(safe, 20 * WIDTH).split("(?<=\\G.{" + WIDTH + "})"));
    }

    private static String literal(String text) {
        return "\"" + String.join("\"\n                    + \"", text.replace("\\", "\\\\").replace("\"", "\\\"")
                .split("(?<=\\G.{" + WIDTH + "})")) + "\"";
    }
}

package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.ElementwiseKernel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A virtual thread that reads from a pipe holds its carrier until something comes, and an application has as many
 * carriers as processors: no class of the library that starts virtual threads has to do with processes. Read from the
 * class files.
 */
class VirtualThreadsTest {
    private static final Set<String> STARTS = Set.of("ofVirtual", "startVirtualThread",
            "newVirtualThreadPerTaskExecutor");
    private static final Set<String> PIPES = Set.of("java/lang/Process", "java/lang/ProcessBuilder",
            "java/io/FileDescriptor");

    private static Set<String> texts(Path file) {
        Set<String> texts = new TreeSet<>();
        try {
            for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
                if (entry instanceof Utf8Entry text) {
                    texts.add(text.stringValue());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    @Test
    void noneReadsFromAProcess() throws Exception {
        Path classes = Path.of(ElementwiseKernel.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(classes.resolve("dev/tilewright"))) {
            Set<String> wrong = new TreeSet<>();
            Set<String> starting = files.filter(f -> f.toString().endsWith(".class")).filter(f -> {
                Set<String> texts = texts(f);
                boolean starts = texts.stream().anyMatch(STARTS::contains);
                if (starts && texts.stream().anyMatch(PIPES::contains)) {
                    wrong.add(classes.relativize(f).toString());
                }
                return starts;
            }).map(f -> f.getFileName().toString()).collect(Collectors.toSet());
            assertTrue(starting.contains("Completions.class"), starting::toString);
            assertEquals(Set.of(), wrong);
        }
    }
}

package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Several commands in one process: each one's output is its own, though System.out is everybody's. */
@Isolated("System.out is the process's")
class StandardOutputTest {
    private static final int TIMES = 100;

    private final PrintStream standard = System.out;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    @AfterEach
    void restore() {
        threads.shutdown();
        System.setOut(standard);
    }

    /** Another command sets System.out while a user's code runs. */
    @Test
    void helpGoesToItsOwnCommandWhateverSystemOutIs() throws InterruptedException, ExecutionException {
        List<PrintStream> others = Stream.generate(OutputStream::nullOutputStream).limit(2).map(PrintStream::new)
                .toList();
        AtomicBoolean over = new AtomicBoolean();
        Future<?> setting = threads.submit(() -> {
            while (!over.get()) {
                others.forEach(System::setOut);
            }
        });
        try {
            for (int i = 0; i < TIMES; i++) {
                String help = PipedCommand.run("", "verify", "--help").out();
                assertTrue(help.startsWith("Usage: tilewright verify "), help);
            }
        } finally {
            over.set(true);
            setting.get();
        }
    }

    /** What a user's code prints is on its own command's standard error, and System.out is what it was. */
    @Test
    void usersCodeDoesNotMixWithThatOfOthers() throws IOException, InterruptedException, ExecutionException {
        Path source = Files.writeString(folder.resolve("Talking.java"), """
                class Talking {
                    static Object one() { System.out.println("one"); return null; }
                    static Object two() { System.out.println("two"); return null; }
                }
                """);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", folder.toString(),
                source.toString()));
        List<? extends Future<?>> both = Stream.of("one", "two").map(word -> threads.submit(() -> {
            for (int i = 0; i < TIMES; i++) {
                List<String> said = PipedCommand.run("", "emit", "--class-path", folder.toString(), "--program",
                        "Talking#" + word).err().lines().toList();
                assertEquals(2, said.size(), said.toString());
                assertEquals(word, said.getFirst());
            }
        })).toList();
        for (Future<?> one : both) {
            one.get();
        }
        assertSame(standard, System.out);
    }
}

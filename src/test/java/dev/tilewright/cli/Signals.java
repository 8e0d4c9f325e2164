package dev.tilewright.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What Ctrl-C sends. */
final class Signals {
    private Signals() {
    }

    /**
     * Whether this process was started with SIGINT ignored, as a shell does it in the background: its children ignore
     * it too.
     */
    static boolean isInterruptIgnored() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("SigIgn:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
        }
    }

    /**
     * Sends SIGINT, or what is the same to a process that ignores it. @param process its id, negative for that of a
     * group
     */
    static void interrupt(long process) throws IOException, InterruptedException {
        new ProcessBuilder("/bin/kill", isInterruptIgnored() ? "-TERM" : "-INT", "--", Long.toString(process)).start()
                .waitFor();
    }

    /** The exit code of a process that it ended. */
    static int exitCode() throws IOException {
        return isInterruptIgnored() ? 143 : 130;
    }
}

package dev.tilewright.io;

import dev.tilewright.NotNull;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of unfinished {@link AtomicFile}s, and the removal of files whose writer was killed. A name says who
 * writes: {@code .unfinished-PLACE-PID-START-RANDOM-NAME}, where a place is one start of one machine, and of it one
 * space of process numbers (two containers have the same numbers for different processes), and the start tells a
 * process from an earlier one of its number. So a writer in this place is known to be alive or dead; of any other only
 * its file's age says something.
 */
public final class UnfinishedFiles {

    private static final Pattern NAME =
            Pattern.compile("\\.unfinished-([0-9a-f]{16})-(\\d{1,18})-(\\d{1,18})-[0-9a-f]{1,16}-.*", Pattern.DOTALL);

    /** Characters of a target's name that are repeated, so that people see what a file was to become. */
    private static final int LONGEST = 40;

    private UnfinishedFiles() { }

    /** This process, as names tell it. */
    private static final class Here {
        static final String PLACE = place();
        static final long PID = ProcessHandle.current().pid();
        /** 0 where it is not known. */
        static final long START = ownStart();
    }

    /** A name that no other file has or had. */
    static String newName(String target) {
        return AtomicFile.UNFINISHED + Here.PLACE + "-" + Here.PID + "-" + Here.START + "-"
                + Long.toHexString(ThreadLocalRandom.current().nextLong())
                // A name has at most 255 bytes on most file systems.
                + "-" + (target.length() <= LONGEST ? target : "");
    }

    /**
     * Removes the unfinished files of a folder whose writers are dead. A folder that cannot be read is left alone.
     *
     * @param elsewhere how old a file must be whose writer cannot be looked for
     */
    public static void removeFrom(Path folder, Duration elsewhere) {
        NotNull.all("folder, elsewhere", folder, elsewhere);
        Instant oldest = Instant.now().minus(elsewhere);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, AtomicFile.UNFINISHED + "*")) {
            for (Path file : files) {
                removeIfAbandoned(file, oldest);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // The next write there says what is wrong with it.
        }
    }

    private static void removeIfAbandoned(Path file, Instant oldest) {
        try {
            Optional<Boolean> alive = writerIsAlive(file.getFileName().toString());
            if (!alive.orElseGet(() -> isYounger(file, oldest))) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // Another's, or gone already.
        }
    }

    /** Empty if this process cannot tell. */
    private static Optional<Boolean> writerIsAlive(String name) {
        Matcher m = NAME.matcher(name);
        if (!m.matches() || !m.group(1).equals(Here.PLACE) || Here.START == 0) {
            return Optional.empty();
        }
        long pid = Long.parseLong(m.group(2));
        long start = Long.parseLong(m.group(3));
        if (pid == Here.PID && start == Here.START) {
            return Optional.of(true);
        }
        try {
            return Optional.of(start(pid) == start);
        } catch (NoSuchFileException e) {
            // Or it is hidden, as everybody else's are then: proc(5), hidepid.
            return Files.isReadable(Path.of("/proc/1/stat")) ? Optional.of(false) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static boolean isYounger(Path file, Instant oldest) {
        try {
            return Files.getLastModifiedTime(file).toInstant().isAfter(oldest);
        } catch (IOException e) {
            return true;
        }
    }

    /** When a process began, in the system's ticks since its own start; the clock may have been set since. proc(5). */
    private static long start(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
        // Field 22, counted from the end of the program's name, which may contain anything.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[22 - 3]);
    }

    private static long ownStart() {
        try {
            return start(ProcessHandle.current().pid());
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return 0;
        }
    }

    /** Linux's number of this start of the machine, and of the space of process numbers; elsewhere a random one. */
    private static String place() {
        try {
            String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id"));
            String space = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
            return String.format("%08x%08x", boot.hashCode(), (boot + space).hashCode());
        } catch (IOException | UnsupportedOperationException | SecurityException e) {
            return String.format("%016x", ThreadLocalRandom.current().nextLong());
        }
    }
}

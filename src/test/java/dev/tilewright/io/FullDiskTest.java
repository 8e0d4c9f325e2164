package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that fills up: an array has its blocks before the work on it begins, or is refused. On a disk of 4 MiB. */
class FullDiskTest {
    private static final long DISK = 4 << 20;

    @TempDir
    Path folder;

    /** Starts a Java that sees an empty disk of that size in a folder, which no other process sees. */
    private List<String> onSmallDisk(Class<?> main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--map-root-user", "sh", "-c",
                "mount -t tmpfs -o size=" + DISK + " none \"$0\" || exit 77; exec \"$@\"", folder.toString()));
        command.addAll(OtherJava.command(List.of("--enable-native-access=ALL-UNNAMED"), main, arguments));
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "there is no unshare");
            return List.of();
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        assumeTrue(code != 77 && !output.startsWith("unshare:"), "no disk can be mounted: " + output);
        assertEquals(0, code, output);
        return output.lines().toList();
    }

    /** Reserves an array, fills the rest of the disk, and then writes the array. */
    static final class FillsTheDiskMeanwhile {
        public static void main(String[] args) throws IOException {
            Path folder = Path.of(args[0]);
            try (NpyWriter writer = NpyWriter.create(folder.resolve("y.npy"), ElementType.U8, List.of(DISK / 2))) {
                try (OutputStream hog = Files.newOutputStream(folder.resolve("hog"))) {
                    while (true) {
                        hog.write(new byte[4096]);
                    }
                } catch (IOException e) {
                    System.out.println(e.getMessage());
                }
                writer.data().fill((byte) 7);
                writer.commit();
            }
            byte[] file = Files.readAllBytes(folder.resolve("y.npy"));
            System.out.println(file.length + " " + file[file.length - 1]);
        }
    }

    @Test
    void anArrayThatWasBegunIsFinished() throws Exception {
        assertEquals(List.of("No space left on device", DISK / 2 + 128 + " 7"),
                onSmallDisk(FillsTheDiskMeanwhile.class, folder.toString()));
    }

    /** Reserves a file of which the disk has only a part. */
    static final class AsksForTooMuch {
        public static void main(String[] args) throws IOException {
            Path folder = Path.of(args[0]);
            Path file = Files.createFile(folder.resolve("y"));
            try {
                Reservation.reserve(file, DISK + 1, Long.parseLong(args[1]));
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
            try (NpyWriter first = NpyWriter.create(folder.resolve("z.npy"), ElementType.U8, List.of(DISK))) {
                System.out.println(first);
            } catch (BadRequestException e) {
                System.out.println(e.getMessage().replaceAll("\\d+ left", "N left"));
            }
            System.out.println(AtomicFile.named(folder.resolve("z.npy")).path().getParent().toFile().list().length);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void anArrayThatDoesNotFitIsRefused(long small) throws Exception {
        List<String> said = onSmallDisk(AsksForTooMuch.class, folder.toString(), Long.toString(small));
        assertEquals(List.of("it takes " + (DISK + 1) + " bytes, and its file system has not that many left",
                "cannot write " + folder + "/z.npy: it takes " + (DISK + 128) + " bytes, and its file system has N "
                + "left", "2"), said);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void aReservedFileHasNoHoles(long small) throws Exception {
        Path file = Files.createFile(folder.resolve("y"));
        long bytes = (3 << 20) + 17;
        Reservation.reserve(file, bytes, small);
        assertEquals(bytes, Files.size(file));
        Process du = new ProcessBuilder("du", "-k", file.toString()).start();
        String kibibytes = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\\s")[0];
        assertTrue(Long.parseLong(kibibytes) >= 3 << 10, kibibytes);
    }
}

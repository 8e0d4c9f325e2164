package dev.tilewright.doctor.machine;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Where the NVRTC that is fetched lies, which is loaded from there.
 *
 * @param folder the user's cache; empty if there is none
 * @param noexec whether it lies on a file system that libraries cannot be loaded from
 */
public record LibraryFolderFacts(String folder, boolean noexec) {
    static LibraryFolderFacts look(HostEnvironment environment) {
        return environment.userCache().map(cache -> cache.resolve("tilewright"))
                .map(folder -> new LibraryFolderFacts(folder.toString(), options(environment, folder)
                .contains("noexec"))).orElse(new LibraryFolderFacts("", false));
    }

    /** The options of the innermost mount that a folder lies in, the latest where one covers another (proc(5)). */
    private static List<String> options(HostEnvironment environment, Path folder) {
        String innermost = "";
        List<String> options = List.of();
        try {
            for (String line : Files.readAllLines(environment.system("proc/self/mounts"))) {
                String[] fields = line.split(" ");
                if (fields.length >= 4 && folder.startsWith(fields[1].replace("\\040", " "))
                        && fields[1].length() >= innermost.length()) {
                    innermost = fields[1];
                    options = Arrays.asList(fields[3].split(","));
                }
            }
        } catch (IOException e) {
            return List.of();
        }
        return options;
    }
}

package dev.tilewright.gpu.host;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A machine made of a temporary folder and two maps, on which libraries can be put that only look like ones. */
public final class FakeMachine {

    public final Path root;
    public final Map<String, String> properties = new HashMap<>();
    public final Map<String, String> variables = new HashMap<>();

    public FakeMachine(Path root) {
        this.root = root;
        properties.put("os.name", "Linux");
        properties.put("os.arch", "amd64");
        properties.put("user.home", root.resolve("home/user").toString());
    }

    public HostEnvironment environment() {
        return HostEnvironment.of(properties, variables, root);
    }

    /** A folder with a libnvrtc and builtins of this version, such as 12.9. */
    public Path nvrtc(String folder, String version) {
        String major = version.substring(0, version.indexOf('.'));
        Path library = elf(folder + "/libnvrtc.so." + major, 62);
        elf(folder + "/libnvrtc-builtins.so." + version, 62);
        return library;
    }

    /** A file that begins as a 64-bit ELF library for a processor does. */
    public Path elf(String file, int machine) {
        byte[] header = new byte[64];
        header[0] = 0x7F;
        header[1] = 'E';
        header[2] = 'L';
        header[3] = 'F';
        header[4] = 2;
        header[18] = (byte) machine;
        return file(file, header);
    }

    public Path file(String file, byte[] content) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            return Files.write(path, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

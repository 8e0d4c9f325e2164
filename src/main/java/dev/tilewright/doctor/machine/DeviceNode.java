package dev.tilewright.doctor.machine;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file by which the driver's library reaches the kernel module.
 *
 * @param path such as {@code /dev/nvidia0}
 * @param present whether it is there
 * @param permitted whether this process may open it for reading and writing
 */
public record DeviceNode(String path, boolean present, boolean permitted) {
    /** Needed whatever the number of GPUs. */
    private static final List<String> COMMON = List.of("nvidiactl", "nvidia-uvm");
    private static final Pattern OF_GPU = Pattern.compile("nvidia\\d+");

    /** The common two, present or not, then those of GPUs that are there; {@code /dev/nvidia0} where none is. */
    static List<DeviceNode> look(HostEnvironment environment) {
        Path folder = environment.system("dev");
        List<String> names = new ArrayList<>(COMMON);
        try (Stream<Path> files = Files.list(folder)) {
            files.map(f -> f.getFileName().toString()).filter(f -> OF_GPU.matcher(f).matches()).sorted()
                    .forEach(names::add);
        } catch (IOException e) {
            // No /dev: nothing is present.
        }
        if (names.size() == COMMON.size()) {
            names.add("nvidia0");
        }
        return names.stream().map(name -> of(folder.resolve(name), "/dev/" + name)).toList();
    }

    /** Opened, not asked: a container's device rules refuse what permissions allow. */
    private static DeviceNode of(Path file, String shown) {
        try (FileChannel _ = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new DeviceNode(shown, true, true);
        } catch (NoSuchFileException e) {
            return new DeviceNode(shown, false, false);
        } catch (IOException e) {
            return new DeviceNode(shown, Files.exists(file), false);
        }
    }
}

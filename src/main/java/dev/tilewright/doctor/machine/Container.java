package dev.tilewright.doctor.machine;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether this process runs in a container, where GPUs are only what the container was given.
 *
 * @param inside whether it does
 * @param evidence what shows it; empty if nothing does
 */
public record Container(boolean inside, String evidence) {
    private static final List<String> MARKS = List.of(".dockerenv", "run/.containerenv");
    private static final Pattern CONTROL_GROUP = Pattern.compile("docker|kubepods|containerd|libpod|lxc");

    static Container look(HostEnvironment environment) {
        for (String mark : MARKS) {
            if (Files.exists(environment.system(mark))) {
                return new Container(true, "/" + mark);
            }
        }
        if (environment.variable("KUBERNETES_SERVICE_HOST").isPresent()) {
            return new Container(true, "KUBERNETES_SERVICE_HOST");
        }
        return controlGroup(environment.system("proc/1/cgroup"))
                .map(word -> new Container(true, "/proc/1/cgroup names " + word)).orElse(new Container(false, ""));
    }

    private static Optional<String> controlGroup(Path file) {
        try {
            Matcher m = CONTROL_GROUP.matcher(Files.readString(file));
            return m.find() ? Optional.of(m.group()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

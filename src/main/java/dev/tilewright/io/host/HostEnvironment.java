package dev.tilewright.io.host;

import dev.tilewright.BadRequestException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What of the machine around this process decides where NVRTC and the caches are: system properties, environment
 * variables, and the root that {@code /usr} and {@code /etc} lie under. Passed in, so that every rule can be tested on
 * a machine that is not like that.
 *
 * @param properties a system property's value, or null
 * @param variables an environment variable's value, or null
 * @param root {@code /}, or the folder that is used in its place
 */
public record HostEnvironment(UnaryOperator<String> properties, UnaryOperator<String> variables, Path root) {

    /** A setting that is present, with the name under which it was found. */
    public record Setting(String name, String value) { }

    /** The machine that this process runs on. */
    public static HostEnvironment current() {
        return current(Map.of());
    }

    /** The machine that this process runs on. @param settings values that replace those of system properties */
    public static HostEnvironment current(Map<String, String> settings) {
        Map<String, String> own = Map.copyOf(settings);
        return new HostEnvironment(name -> own.getOrDefault(name, System.getProperty(name)), System::getenv,
                Path.of("/"));
    }

    /** A machine made of two maps and a folder. */
    public static HostEnvironment of(Map<String, String> properties, Map<String, String> variables, Path root) {
        return new HostEnvironment(properties::get, variables::get, root);
    }

    /** A setting's value: the system property's, else the environment variable's; a blank one counts as absent. */
    public Optional<Setting> setting(String property, String variable) {
        String name = isBlank(properties.apply(property)) ? variable : property;
        String value = name.equals(property) ? properties.apply(property) : variables.apply(variable);
        return isBlank(value) ? Optional.empty() : Optional.of(new Setting(name, value.trim()));
    }

    private static boolean isBlank(String value) {
        return value == null || value.isBlank();
    }

    /** An environment variable's value, if it is not blank. */
    public Optional<String> variable(String name) {
        String value = variables.apply(name);
        return isBlank(value) ? Optional.empty() : Optional.of(value);
    }

    /** An absolute path of this machine, such as {@code usr/local}. */
    public Path system(String path) {
        return root.resolve(path);
    }

    /**
     * {@code $XDG_CACHE_HOME}, else {@code ~/.cache}; relative values are to be ignored (XDG base directories). Empty
     * for a user without a home.
     */
    public Optional<Path> userCache() {
        return variable("XDG_CACHE_HOME").flatMap(HostEnvironment::absolute)
                .or(() -> home().map(home -> home.resolve(".cache")));
    }

    /**
     * {@code $TILEWRIGHT_CACHE} (or property {@code tilewright.cache}), else {@link #userCache()}.
     *
     * @throws BadRequestException if the setting is a relative path
     */
    public Optional<Path> kernelCacheRoot() {
        Optional<Setting> setting = setting("tilewright.cache", "TILEWRIGHT_CACHE");
        if (setting.isEmpty()) {
            return userCache();
        }
        return Optional.of(absolute(setting.get().value()).orElseThrow(() -> new BadRequestException(
                setting.get().name() + " is '" + setting.get().value() + "', and a cache's folder must be named by an"
                        + " absolute path")));
    }

    /** Where Maven keeps what it has fetched; empty for a user without a home. */
    public Optional<Path> localMavenRepository() {
        String local = properties.apply("maven.repo.local");
        return isBlank(local) ? home().map(home -> home.resolve(".m2").resolve("repository")) : absolute(local);
    }

    /** The user's home folder, as Java or else the shell names it: Java says "?" where there is none. */
    private Optional<Path> home() {
        String home = properties.apply("user.home");
        return Optional.ofNullable(home).flatMap(HostEnvironment::absolute)
                .or(() -> variable("HOME").flatMap(HostEnvironment::absolute));
    }

    private static Optional<Path> absolute(String path) {
        try {
            return Optional.of(Path.of(path)).filter(Path::isAbsolute);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** The system in words, as Java names it: {@code Linux amd64}. */
    public String platform() {
        return properties.apply("os.name") + " " + architecture();
    }

    /** Whether code for Linux on x86-64 runs here. */
    public boolean isLinuxX86() {
        return "Linux".equals(properties.apply("os.name")) && List.of("amd64", "x86_64").contains(architecture());
    }

    public String architecture() {
        String name = properties.apply("os.arch");
        return name == null ? "" : name;
    }
}

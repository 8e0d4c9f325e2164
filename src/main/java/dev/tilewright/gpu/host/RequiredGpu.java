package dev.tilewright.gpu.host;

import dev.tilewright.io.host.HostEnvironment;
import java.util.Locale;
import java.util.Optional;

/** Whether this machine is to have a GPU, so that nothing is left out, or done by the CPU, where it has none. */
public final class RequiredGpu {
    /** The system property, and the name of what a test's configuration says. */
    public static final String PROPERTY = "tilewright.gpu.required";
    /** The environment variable. */
    public static final String VARIABLE = "TILEWRIGHT_GPU_REQUIRED";

    private RequiredGpu() { }

    /** @throws IllegalArgumentException if the machine's setting is neither a yes nor a no */
    public static boolean isRequired(HostEnvironment environment) {
        return isRequired(environment.setting(PROPERTY, VARIABLE).map(HostEnvironment.Setting::value));
    }

    /**
     * Whether a setting says so; none says no. A word that is neither yes nor no is refused: misread as no, it would
     * hide all that it was to show.
     *
     * @throws IllegalArgumentException for such a word
     */
    public static boolean isRequired(Optional<String> setting) {
        String text = setting.orElse("").strip().toLowerCase(Locale.ROOT);
        return switch (text) {
            case "true", "1", "yes", "on" -> true;
            case "", "false", "0", "no", "off" -> false;
            default -> throw new IllegalArgumentException(PROPERTY + " (" + VARIABLE + ") must be true or false, got '"
                    + text + "'");
        };
    }
}

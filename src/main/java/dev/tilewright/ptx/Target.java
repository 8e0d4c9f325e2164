package dev.tilewright.ptx;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An architecture that kernels are compiled for, written as NVRTC and PTX write it: {@code sm_80}, {@code sm_90a}.
 *
 * <p>The trailing {@code a} marks architecture-specific code: it runs on exactly that compute capability, and in
 * exchange may use instructions that later generations need not keep (PTX ISA, "{@code .target}").
 *
 * @param major compute capability's major number
 * @param minor compute capability's minor number
 * @param architectureSpecific whether the name ends in {@code a}
 */
public record Target(int major, int minor, boolean architectureSpecific) implements Comparable<Target> {

    public static final Target SM_80 = new Target(8, 0, false);
    public static final Target SM_86 = new Target(8, 6, false);
    public static final Target SM_89 = new Target(8, 9, false);
    public static final Target SM_90 = new Target(9, 0, false);
    public static final Target SM_90A = new Target(9, 0, true);
    public static final Target SM_100 = new Target(10, 0, false);
    public static final Target SM_120 = new Target(12, 0, false);

    /** The targets that every build of Tilewright is compiled for in its own tests. */
    public static final List<Target> KNOWN = List.of(SM_80, SM_86, SM_89, SM_90, SM_90A, SM_100, SM_120);

    private static final Pattern NAME = Pattern.compile("(?:sm|compute)_(\\d{1,2})(\\d)(a?)");

    private static final Comparator<Target> ORDER = Comparator.comparingInt(Target::major)
            .thenComparingInt(Target::minor)
            .thenComparing(Target::architectureSpecific);

    public Target {
        if (major < 1 || major > 99 || minor < 0 || minor > 9) {
            throw new IllegalArgumentException("no compute capability is numbered " + major + "." + minor);
        }
    }

    /**
     * Reads a target's name.
     *
     * @throws IllegalArgumentException if the text is not of the form {@code sm_90} or {@code sm_90a}
     */
    public static Target parse(String text) {
        Matcher m = NAME.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (!m.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a target: write it as sm_80, sm_90 or sm_90a");
        }
        return new Target(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)), !m.group(3).isEmpty());
    }

    /** The most capable target for a GPU of this compute capability: architecture-specific where that exists. */
    public static Target ofDevice(int major, int minor) {
        return new Target(major, minor, major >= 9);
    }

    /** Whether code for this target may use what needs {@code minimum}. */
    public boolean supports(Target minimum) {
        if (minimum.architectureSpecific) {
            return equals(minimum);
        }
        return major != minimum.major ? major > minimum.major : minor >= minimum.minor;
    }

    /** Whether a kernel compiled for this target runs on a GPU of the given compute capability. */
    public boolean runsOn(int deviceMajor, int deviceMinor) {
        return major == deviceMajor && (architectureSpecific ? minor == deviceMinor : minor <= deviceMinor);
    }

    /**
     * The most shared memory of one block, in bytes, on GPUs of this compute capability; empty for one that is not
     * known (CUDA Programming Guide, "Technical Specifications per Compute Capability").
     */
    public OptionalInt sharedMemoryPerBlock() {
        return switch (10 * major + minor) {
            case 80, 87 -> OptionalInt.of(163 * 1024);
            case 86, 89, 120, 121 -> OptionalInt.of(99 * 1024);
            case 90, 100, 101, 103, 110 -> OptionalInt.of(227 * 1024);
            default -> OptionalInt.empty();
        };
    }

    @Override
    public int compareTo(Target other) {
        return ORDER.compare(this, other);
    }

    /** The name as NVRTC's {@code --gpu-architecture} takes it. */
    @Override
    public String toString() {
        return "sm_" + major + minor + (architectureSpecific ? "a" : "");
    }
}

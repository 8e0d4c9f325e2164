package dev.tilewright.ptx;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * An architecture that kernels are compiled for, written as NVRTC and PTX write it: {@code sm_80}, {@code sm_90a}.
 *
 * <p>Sources: PTX ISA, "{@code .target}"; CUDA Programming Guide, "Feature Set Compiler Targets".
 *
 * @param major compute capability's major number
 * @param minor compute capability's minor number
 * @param variant which instructions code for the target may use, and with that where it runs
 */
public record Target(int major, int minor, Variant variant) implements Comparable<Target> {

    /** The meaning of the letter at the end of a target's name. */
    public enum Variant {
        /** No letter: code that later generations run too, once compiled for them. */
        BASELINE(""),
        /** {@code f}: also instructions that every later GPU of the same family has. */
        FAMILY("f"),
        /** {@code a}: also instructions that only this compute capability need have; runs there and nowhere else. */
        ARCHITECTURE("a");

        private final String letter;

        Variant(String letter) {
            this.letter = letter;
        }
    }

    public static final Target SM_80 = of(8, 0);
    public static final Target SM_86 = of(8, 6);
    public static final Target SM_87 = of(8, 7);
    public static final Target SM_89 = of(8, 9);
    public static final Target SM_90 = of(9, 0);
    public static final Target SM_90A = new Target(9, 0, Variant.ARCHITECTURE);
    public static final Target SM_100 = of(10, 0);
    public static final Target SM_100F = new Target(10, 0, Variant.FAMILY);
    public static final Target SM_100A = new Target(10, 0, Variant.ARCHITECTURE);
    public static final Target SM_103 = of(10, 3);
    public static final Target SM_103A = new Target(10, 3, Variant.ARCHITECTURE);
    public static final Target SM_110F = new Target(11, 0, Variant.FAMILY);
    public static final Target SM_110A = new Target(11, 0, Variant.ARCHITECTURE);
    public static final Target SM_120 = of(12, 0);
    public static final Target SM_120F = new Target(12, 0, Variant.FAMILY);
    public static final Target SM_120A = new Target(12, 0, Variant.ARCHITECTURE);

    /** The targets that Tilewright's own tests compile for, the least capable first. */
    public static final List<Target> KNOWN = List.of(
            SM_80, SM_86, SM_87, SM_89, SM_90, SM_90A, SM_100, SM_100A, SM_103, SM_103A, SM_120, SM_120A);

    private static final Pattern NAME = Pattern.compile("(?:sm|compute)_(\\d{1,2})(\\d)([af]?)");

    private static final Comparator<Target> ORDER = Comparator.comparingInt(Target::major)
            .thenComparingInt(Target::minor)
            .thenComparing(Target::variant);

    public Target {
        Objects.requireNonNull(variant, "variant");
        if (major < 1 || major > 99 || minor < 0 || minor > 9) {
            throw new IllegalArgumentException("no compute capability is numbered " + major + "." + minor);
        }
    }

    /** The baseline target of a compute capability. */
    public static Target of(int major, int minor) {
        return new Target(major, minor, Variant.BASELINE);
    }

    /**
     * Reads a target's name.
     *
     * @throws IllegalArgumentException if the text is not of the form {@code sm_90}, {@code sm_90a} or {@code sm_100f}
     */
    public static Target parse(String text) {
        Objects.requireNonNull(text, "text");
        Matcher m = NAME.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (!m.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a target: write it as sm_80, sm_90 or sm_90a");
        }
        return new Target(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)), switch (m.group(3)) {
            case "a" -> Variant.ARCHITECTURE;
            case "f" -> Variant.FAMILY;
            default -> Variant.BASELINE;
        });
    }

    /** The most capable target for a GPU of this compute capability: architecture-specific where that exists. */
    public static Target ofDevice(int major, int minor) {
        return new Target(major, minor, major >= 9 ? Variant.ARCHITECTURE : Variant.BASELINE);
    }

    /** Whether code for this target may use what needs {@code minimum}. */
    public boolean supports(Target minimum) {
        Objects.requireNonNull(minimum, "minimum");
        return switch (minimum.variant) {
            case BASELINE -> major != minimum.major ? major > minimum.major : minor >= minimum.minor;
            case FAMILY -> variant != Variant.BASELINE && major == minimum.major && minor >= minimum.minor;
            case ARCHITECTURE -> equals(minimum);
        };
    }

    /** Whether a kernel compiled for this target runs on a GPU of the given compute capability. */
    public boolean runsOn(int deviceMajor, int deviceMinor) {
        return major == deviceMajor
                && (variant == Variant.ARCHITECTURE ? minor == deviceMinor : minor <= deviceMinor);
    }

    /** The first PTX version that has this target (PTX ISA, "Release Notes"; sm_80 and later). */
    public PtxVersion since() {
        int capability = 10 * major + minor;
        return switch (variant) {
            case BASELINE -> switch (capability) {
                case 80 -> PtxVersion.of(7, 0);
                case 86 -> PtxVersion.of(7, 1);
                case 87 -> PtxVersion.of(7, 4);
                case 88 -> PtxVersion.of(9, 0);
                case 89, 90 -> PtxVersion.of(7, 8);
                case 100 -> PtxVersion.of(8, 6);
                case 101, 120 -> PtxVersion.of(8, 7);
                case 103, 121 -> PtxVersion.of(8, 8);
                default -> PtxVersion.of(9, 0);
            };
            case FAMILY -> capability >= 110 && capability < 120 ? PtxVersion.of(9, 0) : PtxVersion.of(8, 8);
            case ARCHITECTURE -> switch (capability) {
                case 90 -> PtxVersion.of(8, 0);
                case 100, 101 -> PtxVersion.of(8, 6);
                case 120 -> PtxVersion.of(8, 7);
                case 103, 121 -> PtxVersion.of(8, 8);
                default -> PtxVersion.of(9, 0);
            };
        };
    }

    /**
     * The most shared memory of one block, in bytes, on GPUs of this compute capability; empty for one that is not
     * known (CUDA Programming Guide, "Technical Specifications per Compute Capability").
     */
    public OptionalInt sharedMemoryPerBlock() {
        return switch (10 * major + minor) {
            case 80, 87 -> OptionalInt.of(163 * 1024);
            case 86, 88, 89, 120, 121 -> OptionalInt.of(99 * 1024);
            case 90, 100, 101, 103, 110 -> OptionalInt.of(227 * 1024);
            default -> OptionalInt.empty();
        };
    }

    /** The compute capabilities whose limits are known, as baseline targets, the least capable first. */
    public static List<Target> capabilities() {
        return IntStream.range(10, 1000).mapToObj(number -> of(number / 10, number % 10))
                .filter(target -> target.sharedMemoryPerBlock().isPresent()).toList();
    }

    @Override
    public int compareTo(Target other) {
        Objects.requireNonNull(other, "other");
        return ORDER.compare(this, other);
    }

    /** The name as NVRTC's {@code --gpu-architecture} takes it. */
    @Override
    public String toString() {
        return "sm_" + major + minor + variant.letter;
    }
}

package dev.tilewright.ptx;

import dev.tilewright.NotNull;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The requirements of a form: one of several pairs of a PTX version and a target.
 *
 * @param alternatives any one suffices; the lowest compute capability stands first, there the oldest PTX version
 */
public record Gate(List<Alternative> alternatives) {

    /**
     * @param since the first PTX version that has the form on these targets
     * @param target the least capable of these targets; with a letter, itself or its family alone
     */
    public record Alternative(PtxVersion since, Target target) {
        public Alternative {
            NotNull.all("since, target", since, target);
        }

        boolean admits(PtxVersion version, Target asked) {
            return version.compareTo(since) >= 0 && asked.supports(target);
        }

        boolean isCoveredBy(Alternative other) {
            return other.admits(since, target);
        }

        @Override
        public String toString() {
            return "PTX " + since + " and " + target + switch (target.variant()) {
                case BASELINE -> " or later";
                case FAMILY -> " or later in its family";
                case ARCHITECTURE -> "";
            };
        }
    }

    /** The lowest requirements: the oldest compiler and target that Tilewright knows. */
    public static final Gate ANY = of(7, 0, Target.SM_80);

    public Gate {
        NotNull.all("alternatives", alternatives);
        alternatives = List.copyOf(alternatives);
        if (alternatives.isEmpty()) {
            throw new IllegalArgumentException("no target has all of these instructions");
        }
    }

    /** A gate of one alternative: this PTX version or later, and this target or later. */
    public static Gate of(int major, int minor, Target target) {
        return new Gate(List.of(new Alternative(PtxVersion.of(major, minor), target)));
    }

    /** This gate, or the other version and target. */
    public Gate or(int major, int minor, Target target) {
        Objects.requireNonNull(target, "target");
        return new Gate(Stream.concat(alternatives.stream(),
                Stream.of(new Alternative(PtxVersion.of(major, minor), target))).toList());
    }

    /**
     * The requirements of code that uses both: every pair of alternatives that one target can meet.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Gate and(Gate other) {
        Objects.requireNonNull(other, "other");
        List<Alternative> both = alternatives.stream()
                .flatMap(a -> other.alternatives.stream().flatMap(b -> both(a, b))).distinct().toList();
        return new Gate(both.stream().filter(a -> both.stream().noneMatch(b -> b != a && a.isCoveredBy(b)))
                .sorted(Comparator.<Alternative>comparingInt(a -> 10 * a.target.major() + a.target.minor())
                        .thenComparing(Alternative::since)).toList());
    }

    private static Stream<Alternative> both(Alternative a, Alternative b) {
        PtxVersion since = a.since.compareTo(b.since) >= 0 ? a.since : b.since;
        return a.target.supports(b.target) ? Stream.of(new Alternative(since, a.target))
                : b.target.supports(a.target) ? Stream.of(new Alternative(since, b.target)) : Stream.empty();
    }

    /** The first PTX version with the form on {@link #minimumTarget}. */
    public PtxVersion since() {
        return alternatives.getFirst().since();
    }

    /** The least capable target with the form. */
    public Target minimumTarget() {
        return alternatives.getFirst().target();
    }

    /** Whether code in this PTX version for this target has the form. */
    public boolean admits(PtxVersion version, Target target) {
        NotNull.all("version, target", version, target);
        return version.compareTo(target.since()) >= 0
                && alternatives.stream().anyMatch(a -> a.admits(version, target));
    }

    /** Whether code for this target has the form, given a new enough compiler. */
    public boolean admits(Target target) {
        Objects.requireNonNull(target, "target");
        return alternatives.stream().anyMatch(a -> target.supports(a.target()));
    }

    /** {@code PTX 8.0 and sm_90 or later}. */
    @Override
    public String toString() {
        return alternatives.stream().map(Alternative::toString).collect(Collectors.joining(", or "));
    }
}
